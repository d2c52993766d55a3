/* A ternary table that grows past what is few entries and shrinks again, while readers look: an entry that is replaced
 * is never missed, and one that came or went is found or not, whole.
 * Usage: few MILLISECONDS
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include "support.h"

#include "tables/ternary/ternary_cells.h"

enum { KEY_BYTES = 13, READERS = 2, OTHERS = MACS_TERNARY_FEW + 5, ANY = 1, REPLACED = 2, FIRST_OTHER = 3 };

static const struct subject *subject;
static void *table;
static struct macs_qsbr *qsbr;
static atomic_bool stop;
static _Atomic uint64_t lookups;

static void key_of(uint8_t *key, uint32_t id) {
    memset(key, 0x5a, KEY_BYTES);
    key[id % KEY_BYTES] = (uint8_t)id;
}

/* The entry of every key, which loses to all others, or that of one. */
static struct macs_match *match_of(struct own_match *own, uint32_t id, int32_t priority) {
    uint8_t key[KEY_BYTES];
    key_of(key, id);
    exactly(own, key, KEY_BYTES);
    if (id == ANY) {
        memset(own->value, 0, KEY_BYTES);
        memset(own->mask, 0, KEY_BYTES);
    }
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

static void check_found(uint32_t id, const struct macs_entry *found) {
    uint32_t is = (uint32_t)id_of(found);
    CHECK(found && ((const struct value *)found)->not_id == ~id_of(found));
    CHECK(is == id || (is == ANY && id >= FIRST_OTHER));
}

static void *reader(void *arg) {
    uint8_t keys[BATCH * KEY_BYTES];
    const struct macs_entry *found[BATCH];
    struct macs_qsbr_reader *self = NULL;
    uint64_t batches = 0;
    (void)arg;
    CHECK(macs_qsbr_register(qsbr, &self) == 0);
    macs_qsbr_online(qsbr, self);
    for (uint32_t i = 0; i < BATCH; i++)
        key_of(keys + (size_t)i * KEY_BYTES, ANY + i % (OTHERS + REPLACED));
    for (; !atomic_load(&stop); batches++) {
        (batches % 2 ? subject->bulk : subject->batch)(table, keys, KEY_BYTES, found);
        for (uint32_t i = 0; i < BATCH; i++)
            check_found(ANY + i % (OTHERS + REPLACED), found[i]);
        check_found(REPLACED, subject->lookup(table, keys + KEY_BYTES, KEY_BYTES));
        macs_qsbr_quiescent(qsbr, self);
    }
    macs_qsbr_unregister(self);
    atomic_fetch_add(&lookups, batches * BATCH);
    return NULL;
}

/* Whether the entries are few is known, and what is to be found always stays while they change. */
static void change_others(uint64_t version, bool *high) {
    struct own_match own;
    struct value value = make_value(version << 32 | ANY);
    const struct macs_ternary_cells *cells = table;
    CHECK((atomic_load(&cells->few) != NULL) == (subject->ops->count(table) <= MACS_TERNARY_FEW));
    add(REPLACED, *high ? 5 : 6);
    drop(REPLACED, *high ? 6 : 5);
    *high = !*high;
    CHECK(subject->ops->modify(table, match_of(&own, ANY, 0), &value) == 0);
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
    CHECK(!subject->lookup(table, (const uint8_t[KEY_BYTES]){0}, KEY_BYTES));
    add(ANY, 0);
    add(REPLACED, 5);
    for (uintptr_t i = 0; i < READERS; i++)
        CHECK(pthread_create(&threads[i], NULL, reader, NULL) == 0);
    for (const int64_t end = milliseconds() + atol(argv[1]); milliseconds() < end; rounds++) {
        for (uint32_t i = 0; i < OTHERS; i++) {
            add(FIRST_OTHER + i, (int32_t)(i % 3) + 1);
            change_others(rounds, &high);
        }
        for (uint32_t i = 0; i < OTHERS; i++) {
            drop(FIRST_OTHER + i, (int32_t)(i % 3) + 1);
            change_others(rounds, &high);
        }
    }
    atomic_store(&stop, true);
    for (int i = 0; i < READERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    subject->ops->destroy(table);
    macs_qsbr_destroy(qsbr);
    printf("ok: grew %llu times, %llu lookups\n", (unsigned long long)rounds,
           (unsigned long long)atomic_load(&lookups));
    return 0;
}
