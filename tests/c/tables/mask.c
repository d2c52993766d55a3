/* A ternary table whose entries have one mask, and now and then another one, while readers look: an entry that stays or
 * is replaced is never missed, and one that came or went is found or not, whole.
 * Usage: mask MILLISECONDS
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include "support.h"

#include "tables/ternary/ternary_cells.h"

/* Of the others a third stays all the time, the rest comes and goes, so that places are made anew. */
enum { KEY_BYTES = 13, READERS = 2, OTHERS = 3 * 64, REPLACED = 1, FIRST_OTHER = 2, SOUGHT = OTHERS + 1 };

static const struct subject *subject;
static void *table;
static struct macs_qsbr *qsbr;
static atomic_bool stop;
static _Atomic uint64_t lookups;

static void key_of(uint8_t *key, uint32_t id) {
    memset(key, 0x5a, KEY_BYTES);
    memcpy(key + 4, &id, sizeof id);
}

/* The entry of keys like this one, by their last bytes; or, with a priority below 0, by one byte, which all have. */
static struct macs_match *match_of(struct own_match *own, uint32_t id, int32_t priority) {
    uint8_t key[KEY_BYTES];
    key_of(key, id);
    exactly(own, key, KEY_BYTES);
    memset(own->mask, 0, 3);
    if (priority < 0)
        memset(own->mask + 4, 0, KEY_BYTES - 4);
    own->match.priority = priority;
    return &own->match;
}

static void add(uint32_t id, int32_t priority) {
    struct own_match own;
    struct value value = make_value(id);
    CHECK(subject->ops->add(table, match_of(&own, id, priority), &value, NULL) == 0);
}

static void drop(uint32_t id, int32_t priority) {
    struct own_match own;
    CHECK(subject->ops->remove(table, match_of(&own, id, priority)) == 0);
}

static bool stays(uint32_t id) {
    return id == REPLACED || id % 3 == 0;
}

static void check_found(uint32_t id, const struct macs_entry *found) {
    uint32_t is = (uint32_t)id_of(found);
    CHECK(!found || ((const struct value *)found)->not_id == ~id_of(found));
    CHECK(found ? is == id || (is == OTHERS + FIRST_OTHER && !stays(id)) : !stays(id));
}

static void *reader(void *arg) {
    uint8_t keys[BATCH * KEY_BYTES];
    const struct macs_entry *found[BATCH];
    struct macs_qsbr_reader *self = NULL;
    uint64_t batches = 0;
    (void)arg;
    CHECK(macs_qsbr_register(qsbr, &self) == 0);
    macs_qsbr_online(qsbr, self);
    for (; !atomic_load(&stop); batches++) {
        for (uint32_t i = 0; i < BATCH; i++)
            key_of(keys + (size_t)i * KEY_BYTES, REPLACED + (i ? (batches * BATCH + i) % SOUGHT : 0));
        (batches % 2 ? subject->bulk : subject->batch)(table, keys, KEY_BYTES, found);
        for (uint32_t i = 0; i < BATCH; i++)
            check_found(REPLACED + (i ? (uint32_t)((batches * BATCH + i) % SOUGHT) : 0), found[i]);
        check_found(REPLACED, subject->lookup(table, keys, KEY_BYTES));
        macs_qsbr_quiescent(qsbr, self);
    }
    macs_qsbr_unregister(self);
    atomic_fetch_add(&lookups, batches * BATCH);
    return NULL;
}

static bool is_by_mask(void) {
    const char *way = subject->ops->way(table);
    return way && strcmp(way, "one mask") == 0;
}

static void tidy(bool by_mask) {
    CHECK(subject->ops->tidy(table) == 0);
    CHECK(is_by_mask() == by_mask);
}

/* Each change keeps lookups by the mask, or ends them. */
static void change_all(uint64_t version, bool *high) {
    struct own_match own;
    tidy(true);
    for (uint32_t id = FIRST_OTHER; id < FIRST_OTHER + OTHERS; id++) {
        struct value value = make_value(version << 32 | id);
        if (stays(id))
            CHECK(subject->ops->modify(table, match_of(&own, id, 1), &value) == 0);
        else if (version % 2)
            drop(id, 1);
        else
            add(id, 1);
    }
    CHECK(is_by_mask());
    add(REPLACED, *high ? 5 : 6); /* the same key a second time */
    drop(REPLACED, *high ? 6 : 5);
    *high = !*high;
    CHECK(!is_by_mask());
    tidy(true);
    add(OTHERS + FIRST_OTHER, -1); /* another mask, which loses to the others */
    CHECK(!is_by_mask());
    tidy(false);
    drop(OTHERS + FIRST_OTHER, -1);
}

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

int main(int argc, char **argv) {
    pthread_t threads[READERS];
    uint64_t rounds = 0;
    bool high = false;
    if (argc != 2)
        return 2;
    subject = subject_named("ternary_cells");
    struct macs_table_shape shape = whole_key_shape(subject, KEY_BYTES, 2 * OTHERS);
    shape.prefix_offset = KEY_BYTES;
    CHECK(macs_qsbr_create(&qsbr) == 0 && subject->ops->create(&shape, qsbr, &table) == 0);
    add(REPLACED, 5);
    for (uint32_t id = FIRST_OTHER; id < FIRST_OTHER + OTHERS; id++)
        add(id, 1);
    for (uintptr_t i = 0; i < READERS; i++)
        CHECK(pthread_create(&threads[i], NULL, reader, NULL) == 0);
    for (const int64_t end = milliseconds() + atol(argv[1]); milliseconds() < end;)
        change_all(++rounds, &high);
    atomic_store(&stop, true);
    for (int i = 0; i < READERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    subject->ops->destroy(table);
    macs_qsbr_destroy(qsbr);
    printf("ok: changed %llu times, %llu lookups\n", (unsigned long long)rounds,
           (unsigned long long)atomic_load(&lookups));
    return 0;
}
