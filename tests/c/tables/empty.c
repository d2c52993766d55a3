/* A table that fills and empties under a reader that asks once a burst whether it is empty: a burst that finds an entry
 * of another table finds the entry that was added before it, and none that hangs lets a table fill unseen.
 * Usage: empty MILLISECONDS
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "support.h"

enum { LOOKUPS = 8 }; /* of a burst */

static struct macs_table routes, hops; /* an entry of routes stands for one that needs that of hops */
static struct macs_qsbr *qsbr;
static atomic_bool stop;
static const uint8_t key[2] = {1, 2};
static lookup_fn *lookup;

static void *reader(void *arg) {
    struct macs_qsbr_reader *self = NULL;
    uint64_t found = 0;
    CHECK(macs_qsbr_register(qsbr, &self) == 0);
    macs_qsbr_online(qsbr, self);
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        const bool empty = macs_table_is_empty(&hops);
        sched_yield();
        for (int i = 0; i < LOOKUPS; i++) {
            if (!lookup(routes.state, key, sizeof key))
                continue;
            CHECK(!empty);
            found++;
        }
        macs_qsbr_quiescent(qsbr, self);
    }
    macs_qsbr_unregister(self);
    *(uint64_t *)arg = found;
    return NULL;
}

static void hanging_readers_are_told_of(const struct macs_match *match) {
    struct value value = make_value(1);
    struct macs_qsbr_reader *self = NULL;
    CHECK(macs_qsbr_register(qsbr, &self) == 0);
    macs_qsbr_online(qsbr, self);
    CHECK(macs_table_add(&hops, match, &value, NULL) == -EBUSY);
    CHECK(macs_table_is_empty(&hops) && hops.desc->ops->count(hops.state) == 0);
    macs_qsbr_quiescent(qsbr, self);
    macs_qsbr_offline(self);
    CHECK(macs_table_add(&hops, match, &value, NULL) == 0 && !macs_table_is_empty(&hops));
    CHECK(macs_table_add(&hops, match, &value, NULL) == -EEXIST && !macs_table_is_empty(&hops));
    CHECK(macs_table_clear(&hops) == 0 && macs_table_is_empty(&hops));
    macs_qsbr_unregister(self);
}

/* Add an entry, however long the reader is kept from its processor. */
static void add(struct macs_table *table, const struct macs_match *match) {
    struct value value = make_value(1);
    int error;
    while ((error = macs_table_add(table, match, &value, NULL)) == -EBUSY)
        sched_yield();
    CHECK(error == 0);
}

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

int main(int argc, char **argv) {
    static const struct value none = {.id = 500, .not_id = ~UINT64_C(500)};
    static const struct macs_key_field fields[] = {{"a", 16, 0, MACS_EXACT, 0}};
    const struct subject *subject = subject_named("exact_hash");
    const struct macs_table_desc desc = {.name = "t",
                                         .fields = fields,
                                         .ops = subject->ops,
                                         .default_value = &none,
                                         .shape = {2, 2, sizeof(struct value), 10, 0, NULL},
                                         .field_count = 1};
    struct own_match own;
    uint64_t found = 0, changes = 0;
    if (argc != 2)
        return 2;
    exactly(&own, key, sizeof key);
    lookup = subject->lookup;
    CHECK(macs_qsbr_create(&qsbr) == 0);
    CHECK(macs_table_init(&routes, &desc, qsbr) == 0 && macs_table_init(&hops, &desc, qsbr) == 0);
    CHECK(macs_table_is_empty(&hops));
    hanging_readers_are_told_of(&own.match);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, reader, &found) == 0);
    for (const int64_t end = milliseconds() + atol(argv[1]); milliseconds() < end; changes++) {
        add(&hops, &own.match);
        add(&routes, &own.match);
        sched_yield();
        CHECK(macs_table_remove(&routes, &own.match) == 0);
        CHECK(macs_table_remove(&hops, &own.match) == 0);
    }
    atomic_store(&stop, true);
    CHECK(pthread_join(thread, NULL) == 0);
    macs_table_close(&routes);
    macs_table_close(&hops);
    macs_qsbr_destroy(qsbr);
    printf("ok: filled %llu times, %llu lookups found an entry\n", (unsigned long long)changes,
           (unsigned long long)found);
    return 0;
}
