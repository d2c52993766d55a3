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

/* While a reader may have all values that were replaced there is no room for another one, and nothing changes. Then
 * the table takes as many entries as ever. */
static void a_hanging_reader_and_replaced_values(void) {
    enum { SIZE = 3 };
    for (uint32_t i = 0; i < subject_count; i++) {
        const struct macs_table_ops *ops = subjects[i].ops;
        const uint32_t bytes = some_bytes(&subjects[i]);
        struct macs_table_shape shape = whole_key_shape(&subjects[i], bytes, SIZE);
        struct macs_qsbr *qsbr = NULL;
        struct macs_qsbr_reader *reader = one_reader(&qsbr);
        struct own_match own[SIZE + 1];
        struct value value = make_value(1);
        uint64_t id = 1;
        void *self = NULL;
        context = ops->name;
        CHECK(ops->create(&shape, qsbr, &self) == 0);
        for (uint8_t k = 0; k <= SIZE; k++)
            exactly(&own[k], (const uint8_t[]){k, 1, 1, 1}, bytes);
        CHECK(ops->add(self, &own[0].match, &value, NULL) == 0);
        const struct macs_entry *held = subjects[i].lookup(self, own[0].value, bytes);
        for (int error = 0; !error; id += !error) {
            value = make_value(id + 1);
            error = ops->modify(self, &own[0].match, &value);
            CHECK(error == 0 || error == -EBUSY);
            CHECK(id_of(held) == 1 && id <= 2 * SIZE + 1);
        }
        for (int again = 0; again < 2 * SIZE; again++) {
            CHECK(ops->add(self, &own[1].match, &value, NULL) == -EBUSY);
            CHECK(ops->modify(self, &own[0].match, &value) == -EBUSY);
        }
        CHECK(ops->count(self) == 1 && ops->find(self, &own[1].match) == NULL);
        CHECK(id_of(ops->find(self, &own[0].match)) == id && id_of(held) == 1);
        CHECK(id_of(subjects[i].lookup(self, own[0].value, bytes)) == id);
        CHECK(subjects[i].lookup(self, own[1].value, bytes) == NULL);
        macs_qsbr_quiescent(qsbr, reader);
        for (uint8_t k = 1; k <= SIZE; k++)
            CHECK(ops->add(self, &own[k].match, &value, NULL) == (k < SIZE ? 0 : -ENOSPC));
        CHECK(ops->modify(self, &own[0].match, &value) == 0 && ops->count(self) == SIZE);
        macs_qsbr_offline(reader);
        ops->destroy(self);
        CHECK(macs_qsbr_flush(qsbr) == 0);
        macs_qsbr_destroy(qsbr);
    }
    context = "";
}

/* The prefix of no bits goes when no lookup can have missed what comes instead, or stays. */
static void a_hanging_reader_and_the_shortest_prefix(void) {
    for (uint32_t i = 0; i < subject_count; i++) {
        const struct macs_table_ops *ops = subjects[i].ops;
        const uint32_t bytes = some_bytes(&subjects[i]);
        struct macs_table_shape shape = whole_key_shape(&subjects[i], bytes, 4);
        struct macs_qsbr *qsbr = NULL;
        struct own_match own;
        const struct value value = make_value(1);
        void *self = NULL;
        if (!(subjects[i].can & PREFIXES))
            continue;
        struct macs_qsbr_reader *reader = one_reader(&qsbr);
        context = ops->name;
        CHECK(ops->create(&shape, qsbr, &self) == 0);
        prefix(&own, (const uint8_t *)"abcd", bytes, 0);
        CHECK(ops->add(self, &own.match, &value, NULL) == 0);
        const int error = ops->remove(self, &own.match);
        CHECK(error == 0 || error == -EBUSY);
        CHECK(error || strcmp(ops->name, "lpm_dir24") != 0);
        CHECK(id_of(subjects[i].lookup(self, own.value, bytes)) == (error ? 1 : 0));
        CHECK(id_of(ops->find(self, &own.match)) == (error ? 1 : 0) && ops->count(self) == (error ? 1 : 0));
        macs_qsbr_offline(reader);
        CHECK(ops->remove(self, &own.match) == (error ? 0 : -ENOENT) && ops->count(self) == 0);
        CHECK(subjects[i].lookup(self, own.value, bytes) == NULL);
        ops->destroy(self);
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

/* Whichever place it has among the readers. */
static void each_reader_is_waited_for(void) {
    struct macs_qsbr *qsbr = NULL;
    struct macs_qsbr_reader *readers[MACS_QSBR_READERS];
    CHECK(macs_qsbr_create(&qsbr) == 0);
    released = 0;
    for (uint32_t i = 0; i < MACS_QSBR_READERS; i++) {
        CHECK(macs_qsbr_register(qsbr, &readers[i]) == 0);
        macs_qsbr_online(qsbr, readers[i]);
        defer_one(qsbr, qsbr);
        macs_qsbr_poll(qsbr);
        macs_qsbr_poll(qsbr);
        CHECK(released == i);
        macs_qsbr_quiescent(qsbr, readers[i]);
        macs_qsbr_poll(qsbr);
        CHECK(released == i + 1);
        macs_qsbr_offline(readers[i]);
    }
    macs_qsbr_destroy(qsbr);
}

/* While nobody hangs little waits, whether the writer asks or not. */
static void the_backlog_stays_short(void) {
    struct macs_qsbr *qsbr = NULL;
    struct macs_qsbr_reader *reader = one_reader(&qsbr);
    for (uint32_t i = 1; i <= MACS_QSBR_BACKLOG; i++) {
        macs_qsbr_defer(qsbr, release, qsbr, (void *)1);
        macs_qsbr_quiescent(qsbr, reader);
        CHECK(released + macs_qsbr_pending(qsbr) == i && macs_qsbr_pending(qsbr) < 256);
    }
    macs_qsbr_offline(reader);
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

static uint32_t order[8], ordered;

static void release_in_order(void *owner, void *what) {
    (void)owner;
    order[ordered++] = (uint32_t)(uintptr_t)what;
}

/* Each once, the first that was deferred first, whoever asks for it. */
static void releases_are_in_order(void) {
    struct macs_qsbr *qsbr = NULL;
    struct macs_qsbr_reader *reader = one_reader(&qsbr);
    int owner = 0;
    for (int way = 0; way < 4; way++) {
        ordered = 0;
        for (uint32_t i = 1; i <= 4; i++) {
            CHECK(macs_qsbr_reserve(qsbr, 1) == 0);
            macs_qsbr_defer(qsbr, release_in_order, &owner, (void *)(uintptr_t)i);
        }
        CHECK(macs_qsbr_pending(qsbr) == 4 && ordered == 0);
        if (way == 0)
            macs_qsbr_drop(qsbr, &owner);
        macs_qsbr_poll(qsbr);
        macs_qsbr_quiescent(qsbr, reader);
        if (way < 2)
            macs_qsbr_poll(qsbr);
        else if (way == 2)
            CHECK(macs_qsbr_flush(qsbr) == 0);
        if (way < 3)
            CHECK(macs_qsbr_pending(qsbr) == 0 && macs_qsbr_flush(qsbr) == 0);
        else
            macs_qsbr_destroy(qsbr);
        CHECK(ordered == 4);
        for (uint32_t i = 0; i < 4; i++)
            CHECK(order[i] == i + 1);
    }
    macs_qsbr_destroy(NULL);
    macs_qsbr_drop(NULL, &owner);
    CHECK(macs_qsbr_flush(NULL) == 0 && macs_qsbr_reserve(NULL, MACS_QSBR_BACKLOG + 1) == 0);
    ordered = 0;
    macs_qsbr_defer(NULL, release_in_order, &owner, (void *)(uintptr_t)9); /* at once */
    CHECK(ordered == 1 && order[0] == 9);
}

static struct macs_table_desc desc_of(const struct macs_table_ops *ops, const struct value *default_value) {
    static const struct macs_key_field fields[] = {{"a", 16, 0, MACS_EXACT, 0}};
    return (struct macs_table_desc){.name = "t",
                                    .fields = fields,
                                    .ops = ops,
                                    .default_value = default_value,
                                    .shape = {2, 2, sizeof(struct value), 2, 0, NULL},
                                    .field_count = 1};
}

/* The first operation that is not there is named, and no table is made. */
static void operations_that_are_missing(void) {
    static const struct value default_entry;
    static const struct {
        size_t at;
        const char *name; /* NULL: it may be missing */
    } operations[] = {
#define OPERATION(NAME) {offsetof(struct macs_table_ops, NAME), #NAME}
        OPERATION(name),
        OPERATION(create),
        OPERATION(destroy),
        OPERATION(add),
        OPERATION(modify),
        OPERATION(remove),
        OPERATION(find),
        OPERATION(walk),
        OPERATION(count),
        OPERATION(memory_bytes),
#undef OPERATION
        {offsetof(struct macs_table_ops, prefetch), NULL},
        {offsetof(struct macs_table_ops, reader_bytes), NULL},
        {offsetof(struct macs_table_ops, indices), NULL},
        {offsetof(struct macs_table_ops, tidy), NULL},
        {offsetof(struct macs_table_ops, way), NULL},
    };
    enum { COUNT = sizeof operations / sizeof *operations };
    for (size_t i = 0; i < COUNT; i++) {
        struct macs_table_ops ops = *subject_named("exact_hash")->ops;
        struct macs_table table;
        const char *expected = operations[i].name;
        memset((uint8_t *)&ops + operations[i].at, 0, sizeof ops.create);
        const struct macs_table_desc desc = desc_of(&ops, &default_entry);
        const char *missing = macs_table_missing(&ops);
        CHECK(expected ? missing && strcmp(missing, expected) == 0 : !missing);
        CHECK(macs_table_init(&table, &desc, NULL) == (expected ? -ENOSYS : 0));
        CHECK(!table.state == !!expected && !table.default_entry == !!expected);
        if (!expected)
            macs_table_close(&table);
        memset((uint8_t *)&ops + operations[(i + 1) % COUNT].at, 0, sizeof ops.create);
        if (i + 1 < COUNT && expected)
            CHECK(strcmp(macs_table_missing(&ops), expected) == 0);
    }
}

/* A table that is not as it must be is not made. */
static void descriptions_that_are_refused(void) {
    static const struct value default_entry;
    static const uint8_t key[] = {1, 2};
    static const struct macs_const_entry entries[] = {{{key, key, key, 16, 0}, &default_entry}};
    struct macs_table table;
    struct macs_table_desc desc = desc_of(subject_named("exact_hash")->ops, &default_entry);
    desc.shape.value_bytes = sizeof(struct macs_entry) - 1;
    CHECK(macs_table_init(&table, &desc, NULL) == -EINVAL && !table.state && !table.default_entry);
    desc = desc_of(NULL, &default_entry);
    desc.entries = entries;
    desc.entry_count = 1;
    CHECK(macs_table_init(&table, &desc, NULL) == -EINVAL && !table.state && !table.default_entry);
}

/* The program's entries have priorities where a field of the key has. */
static void priorities_of_own_entries(void) {
    static const struct {
        enum macs_match_kind kind;
        int32_t priority;
    } kinds[] = {{MACS_EXACT, 0}, {MACS_LPM, 0}, {MACS_TERNARY, 7}, {MACS_RANGE, 7}, {MACS_OPTIONAL, 7}};
    static const uint8_t key[] = {1, 2};
    static const struct value value;
    const struct macs_const_entry entries[] = {{{key, key, key, 3, 9}, &value}, {{key, key, key, 16, 7}, &value}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct macs_key_field fields[] = {
            {"a", 8, 0, MACS_EXACT, 0}, {"b", 8, 1, (uint8_t)kinds[i].kind, 0}, {"c", 8, 2, MACS_LPM, 0}};
        const struct macs_table_desc desc = {.fields = fields, .field_count = 3, .entries = entries};
        const struct macs_match match = macs_table_own_match(&desc, 1);
        CHECK(match.priority == kinds[i].priority && match.prefix_bits == 16 && match.value == key);
    }
}

static int tidied, error_of_tidy;

static int count_tidy(void *self) {
    (void)self;
    tidied++;
    return error_of_tidy;
}

/* Changes are counted, those of entries for tidying too, and a table is tidied once behind them; it is known to be
 * empty when it is again. */
static void changes_of_a_table(void) {
    static const struct value default_entry;
    struct macs_table_ops ops = *subject_named("exact_hash")->ops;
    ops.tidy = count_tidy;
    const struct macs_table_desc desc = desc_of(&ops, &default_entry);
    struct macs_table table;
    struct own_match first, second, third;
    const struct value value = make_value(3);
    uint32_t index = 9;
    uint64_t epoch;
#define CHANGES(OPERATION) (epoch = macs_tables_epoch(), (OPERATION) == 0 && macs_tables_epoch() > epoch)
    CHECK(CHANGES(macs_table_init(&table, &desc, NULL)));
    CHECK(macs_table_is_empty(&table) && macs_table_tidy(&table) == 0 && tidied == 0);
    exactly(&first, (const uint8_t *)"ab", 2), exactly(&second, (const uint8_t *)"cd", 2);
    exactly(&third, (const uint8_t *)"ef", 2);
    CHECK(macs_table_remove(&table, &first.match) == -ENOENT && macs_table_tidy(&table) == 0 && tidied == 0);
    CHECK(CHANGES(macs_table_add(&table, &first.match, &value, &index)) && index == 0 && !macs_table_is_empty(&table));
    CHECK(macs_table_tidy(&table) == 0 && tidied == 1 && macs_table_tidy(&table) == 0 && tidied == 1);
    CHECK(CHANGES(macs_table_add(&table, &second.match, &value, &index)) && index == 1);
    CHECK(CHANGES(macs_table_remove(&table, &second.match)) && !macs_table_is_empty(&table));
    CHECK(table.quiet.changes == 3);
    error_of_tidy = -ENOMEM;
    CHECK(macs_table_tidy(&table) == -ENOMEM && tidied == 2 && macs_table_tidy(&table) == 0 && tidied == 2);
    error_of_tidy = 0;
    CHECK(macs_table_add(&table, &first.match, &value, &index) == -EEXIST && !macs_table_is_empty(&table));
    CHECK(CHANGES(macs_table_set_default(&table, &value)) && macs_table_tidy(&table) == 0 && tidied == 2);
    CHECK(CHANGES(macs_table_remove(&table, &first.match)) && macs_table_is_empty(&table));
    CHECK(macs_table_tidy(&table) == 0 && tidied == 3);
    macs_table_close(&table);
    struct macs_table_desc none = desc_of(&ops, &default_entry);
    none.shape.size = 0;
    CHECK(macs_table_init(&table, &none, NULL) == 0);
    CHECK(macs_table_add(&table, &second.match, &value, &index) == -ENOSPC && macs_table_is_empty(&table));
    CHECK(macs_table_tidy(&table) == 0 && tidied == 3);
    macs_table_close(&table);
    ops.tidy = NULL;
    CHECK(macs_table_init(&table, &desc, NULL) == 0);
    CHECK(macs_table_add(&table, &second.match, &value, NULL) == 0 && macs_table_tidy(&table) == 0);
    CHECK(macs_table_add(&table, &third.match, &value, NULL) == 0);
    CHECK(macs_table_clear(&table) == 0 && macs_table_is_empty(&table) && table.quiet.changes == 4);
    macs_table_close(&table);
#undef CHANGES
}

/* A reader that does not report keeps a table empty, and known to be; a default that it may have stays. */
static void a_hanging_reader_and_a_table(void) {
    static const struct value default_entry = {.id = 500, .not_id = ~UINT64_C(500)};
    const struct macs_table_ops *ops = subject_named("exact_hash")->ops;
    const struct macs_table_desc desc = desc_of(ops, &default_entry);
    const struct value value = make_value(3);
    struct macs_table table;
    struct own_match own;
    struct macs_qsbr *qsbr = NULL;
    struct macs_qsbr_reader *reader = one_reader(&qsbr);
    CHECK(macs_table_init(&table, &desc, qsbr) == 0);
    exactly(&own, (const uint8_t *)"ab", 2);
    CHECK(macs_table_add(&table, &own.match, &value, NULL) == -EBUSY && macs_table_is_empty(&table));
    CHECK(ops->count(table.state) == 0 && ops->find(table.state, &own.match) == NULL);
    const struct macs_entry *held = macs_table_default(&table);
    CHECK(macs_table_set_default(&table, &value) == 0 && id_of(held) == 500);
    CHECK(macs_table_default(&table)->index == 2 && id_of(macs_table_default(&table)) == 3);
    macs_qsbr_offline(reader);
    CHECK(macs_table_add(&table, &own.match, &value, NULL) == 0 && !macs_table_is_empty(&table));
    CHECK(macs_table_set_default(&table, NULL) == 0);
    macs_table_close(&table); /* with the default that waits for readers */
    CHECK(macs_qsbr_flush(qsbr) == 0);
    macs_qsbr_destroy(qsbr);
}

int main(void) {
    releases_are_in_order();
    operations_that_are_missing();
    descriptions_that_are_refused();
    priorities_of_own_entries();
    changes_of_a_table();
    a_hanging_reader_and_a_table();
    no_release_before_all_have_reported();
    what_a_reader_still_holds_is_not_released();
    a_hanging_reader_stops_changes_only();
    a_hanging_reader_and_a_full_table();
    a_hanging_reader_and_replaced_values();
    a_hanging_reader_and_the_shortest_prefix();
    owners_are_dropped_alone();
    readers_are_limited();
    each_reader_is_waited_for();
    the_backlog_stays_short();
    tables_by_description();
    puts("ok");
    return 0;
}
