/* Quiescent-state reclamation: when releases run, when they must not, and what happens when a reader hangs. */
#include "support.h"

static uint32_t released;

static void release(void *owner, void *what) {
    (void)owner;
    released += (uint32_t)(uintptr_t)what;
}

static void defer_one(struct macs_qsbr *qsbr, void *owner) {
    CHECK(macs_qsbr_reserve(qsbr, 1) == 0);
    macs_qsbr_defer(qsbr, release, owner, (void *)1);
}

/* Created with one reader, which is online; nothing has been released. */
static struct macs_qsbr_reader *one_reader(struct macs_qsbr **qsbr) {
    struct macs_qsbr_reader *reader = NULL;
    CHECK(macs_qsbr_create(qsbr) == 0 && macs_qsbr_register(*qsbr, &reader) == 0);
    macs_qsbr_online(*qsbr, reader);
    released = 0;
    return reader;
}

static void no_release_before_all_have_reported(void) {
    struct macs_qsbr *qsbr = NULL;
    struct macs_qsbr_reader *readers[3];
    CHECK(macs_qsbr_create(&qsbr) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(macs_qsbr_register(qsbr, &readers[i]) == 0);
    released = 0;
    macs_qsbr_online(qsbr, readers[0]);
    macs_qsbr_online(qsbr, readers[1]); /* the third stays offline and is not waited for */
    defer_one(qsbr, qsbr);
    macs_qsbr_quiescent(qsbr, readers[0]); /* no period has begun: says nothing yet */
    macs_qsbr_poll(qsbr);
    CHECK(released == 0 && macs_qsbr_pending(qsbr) == 1);
    macs_qsbr_quiescent(qsbr, readers[0]);
    macs_qsbr_poll(qsbr);
    CHECK(released == 0);
    macs_qsbr_quiescent(qsbr, readers[1]);
    macs_qsbr_poll(qsbr);
    CHECK(released == 1 && macs_qsbr_pending(qsbr) == 0);

    defer_one(qsbr, qsbr);
    macs_qsbr_poll(qsbr);
    macs_qsbr_offline(readers[0]);
    macs_qsbr_offline(readers[1]);
    macs_qsbr_poll(qsbr);
    CHECK(released == 2);
    macs_qsbr_online(qsbr, readers[0]);
    defer_one(qsbr, qsbr);
    macs_qsbr_online(qsbr, readers[2]); /* after the unlinking: it may or may not be waited for, never harmed */
    CHECK(macs_qsbr_synchronize(qsbr, 1000000) == -ETIMEDOUT);
    macs_qsbr_unregister(readers[0]);
    macs_qsbr_unregister(readers[1]);
    macs_qsbr_unregister(readers[2]);
    CHECK(macs_qsbr_flush(qsbr) == 0 && released == 3);
    macs_qsbr_destroy(qsbr);
}

static void what_a_reader_still_holds_is_not_released(void) {
    struct macs_qsbr *qsbr = NULL;
    struct macs_qsbr_reader *reader = one_reader(&qsbr);
    uint64_t first = macs_qsbr_epoch(qsbr); /* a burst is begun here, */
    defer_one(qsbr, qsbr);
    macs_qsbr_poll(qsbr);
    uint64_t second = macs_qsbr_epoch(qsbr); /* the next one here */
    CHECK(second > first);
    macs_qsbr_quiescent_since(reader, first);
    macs_qsbr_poll(qsbr);
    CHECK(released == 0);
    defer_one(qsbr, qsbr);
    macs_qsbr_quiescent_since(reader, second); /* the first burst is finished */
    macs_qsbr_poll(qsbr);
    CHECK(released == 1);
    macs_qsbr_quiescent(qsbr, reader);
    macs_qsbr_poll(qsbr);
    CHECK(released == 2);
    macs_qsbr_unregister(reader);
    macs_qsbr_destroy(qsbr);
}

static void a_hanging_reader_stops_changes_only(void) {
    struct macs_qsbr *qsbr = NULL;
    struct macs_qsbr_reader *reader = one_reader(&qsbr);
    for (uint32_t i = 0; i < MACS_QSBR_BACKLOG; i++)
        defer_one(qsbr, qsbr);
    CHECK(released == 0 && macs_qsbr_pending(qsbr) == MACS_QSBR_BACKLOG);
    CHECK(macs_qsbr_reserve(qsbr, 1) == -EBUSY && released == 0);
    CHECK(macs_qsbr_synchronize(qsbr, UINT64_MAX) == -ETIMEDOUT); /* at once: it was waited for already */
    CHECK(macs_qsbr_given_up(qsbr) == 2);
    macs_qsbr_quiescent(qsbr, reader);
    CHECK(macs_qsbr_reserve(qsbr, MACS_QSBR_BACKLOG / 2) == 0 && released == MACS_QSBR_BACKLOG);
    macs_qsbr_offline(reader);
    macs_qsbr_destroy(qsbr);
}

static void a_hanging_reader_and_a_full_table(void) {
    for (uint32_t i = 0; i < subject_count; i++) {
        const struct macs_table_ops *ops = subjects[i].ops;
        uint32_t bytes = subjects[i].key_max < 4 ? subjects[i].key_max : 4;
        struct macs_table_shape shape = whole_key_shape(&subjects[i], bytes, 1);
        struct macs_qsbr *qsbr = NULL;
        struct macs_qsbr_reader *reader = NULL;
        struct own_match own;
        struct value value = make_value(1);
        void *self = NULL;
        context = ops->name;
        CHECK(macs_qsbr_create(&qsbr) == 0 && macs_qsbr_register(qsbr, &reader) == 0);
        CHECK(ops->create(&shape, qsbr, &self) == 0);
        macs_qsbr_online(qsbr, reader);
        exactly(&own, (const uint8_t *)"abcd", bytes);
        CHECK(ops->add(self, &own.match, &value, NULL) == 0);
        const struct macs_entry *held = subjects[i].lookup(self, own.value, bytes);
        CHECK(ops->remove(self, &own.match) == 0);
        CHECK(ops->add(self, &own.match, &value, NULL) == -EBUSY); /* its only index is still in a reader's hand */
        CHECK(id_of(held) == 1 && ops->count(self) == 0 && ops->find(self, &own.match) == NULL);
        macs_qsbr_quiescent(qsbr, reader);
        CHECK(ops->add(self, &own.match, &value, NULL) == 0);
        macs_qsbr_offline(reader);
        ops->destroy(self);
        CHECK(macs_qsbr_flush(qsbr) == 0);
        macs_qsbr_destroy(qsbr);
    }
    context = "";
}

static void owners_are_dropped_alone(void) {
    struct macs_qsbr *qsbr = NULL;
    struct macs_qsbr_reader *reader = NULL;
    int one = 0, other = 0;
    CHECK(macs_qsbr_create(&qsbr) == 0 && macs_qsbr_register(qsbr, &reader) == 0);
    macs_qsbr_online(qsbr, reader);
    released = 0;
    defer_one(qsbr, &one);
    defer_one(qsbr, &other);
    defer_one(qsbr, &one);
    macs_qsbr_drop(qsbr, &one);
    CHECK(released == 2);
    macs_qsbr_offline(reader);
    macs_qsbr_destroy(qsbr);
    CHECK(released == 3);
}

static void readers_are_limited(void) {
    struct macs_qsbr *qsbr = NULL;
    struct macs_qsbr_reader *reader = NULL;
    CHECK(macs_qsbr_create(&qsbr) == 0);
    for (uint32_t i = 0; i < MACS_QSBR_READERS; i++)
        CHECK(macs_qsbr_register(qsbr, &reader) == 0);
    CHECK(macs_qsbr_register(qsbr, &reader) == -ENOSPC);
    macs_qsbr_unregister(reader);
    CHECK(macs_qsbr_register(qsbr, &reader) == 0);
    macs_qsbr_destroy(qsbr);
}

static void tables_by_description(void) {
    static const struct value default_entry = {.id = 500, .not_id = ~UINT64_C(500)};
    static const struct value given = {.id = 600, .not_id = ~UINT64_C(600)};
    static const uint8_t key[] = {1, 2}, ones[] = {0xff, 0xff};
    static const struct macs_key_field fields[] = {{"a", 16, 0, MACS_EXACT, 0}};
    const struct macs_const_entry entries[] = {{{key, ones, key, 16, 0}, &given}, {{key, ones, key, 16, 0}, &given}};
    struct macs_table_desc desc = {.name = "t",
                                   .fields = fields,
                                   .ops = subject_named("exact_hash")->ops,
                                   .entries = entries,
                                   .default_value = &default_entry,
                                   .shape = {2, 2, sizeof(struct value), 10, 0, NULL},
                                   .entry_count = 1,
                                   .field_count = 1};
    struct macs_table table;
    struct macs_qsbr *qsbr = NULL;
    CHECK(macs_qsbr_create(&qsbr) == 0);
    CHECK(macs_table_init(&table, &desc, qsbr) == 0);
    CHECK(id_of(subject_named("exact_hash")->lookup(table.state, key, 2)) == 600);
    CHECK(id_of(table.default_entry) == 500 && atomic_load(&table.default_entry)->index == 10);
    struct value changed = make_value(7);
    CHECK(macs_table_set_default(&table, &changed) == 0 && id_of(table.default_entry) == 7);
    CHECK(macs_table_set_default(&table, NULL) == 0 && id_of(table.default_entry) == 500);
    CHECK(macs_table_clear(&table) == 0 && desc.ops->count(table.state) == 0);
    CHECK(subject_named("exact_hash")->lookup(table.state, key, 2) == NULL);
    macs_table_close(&table);
    desc.entry_count = 2;
    CHECK(macs_table_init(&table, &desc, qsbr) == -EEXIST && table.state == NULL);
    desc.ops = NULL;
    desc.entry_count = 0;
    CHECK(macs_table_init(&table, &desc, qsbr) == 0 && id_of(table.default_entry) == 500);
    CHECK(macs_table_clear(&table) == 0);
    macs_table_close(&table);
    macs_qsbr_destroy(qsbr);
}

int main(void) {
    no_release_before_all_have_reported();
    what_a_reader_still_holds_is_not_released();
    a_hanging_reader_stops_changes_only();
    a_hanging_reader_and_a_full_table();
    owners_are_dropped_alone();
    readers_are_limited();
    tables_by_description();
    puts("ok");
    return 0;
}
