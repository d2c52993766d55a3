/* A prefix is replaced by a shorter or longer one, added before the other is removed: readers must never find neither.
 * Usage: handover KERNEL SHORTER LONGER MILLISECONDS (lengths of the prefixes, bits of 32).
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include "support.h"

static const struct subject *subject;
static void *table;
static struct macs_qsbr *qsbr;
static atomic_bool stop;
static const uint8_t key[4] = {10, 20, 30, 40};

static void read_in_bulk(void) {
    const struct macs_entry *found[BATCH];
    uint8_t keys[BATCH * sizeof key];
    for (uint32_t i = 0; i < BATCH; i++)
        memcpy(keys + i * sizeof key, key, sizeof key);
    subject->bulk(table, keys, sizeof key, found);
    for (uint32_t i = 0; i < BATCH; i++)
        CHECK(found[i] != NULL);
}

static void *reader(void *arg) {
    struct macs_qsbr_reader *self = NULL;
    (void)arg;
    CHECK(macs_qsbr_register(qsbr, &self) == 0);
    macs_qsbr_online(qsbr, self);
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        for (int i = 0; i < 64; i++)
            CHECK(subject->lookup(table, key, 4) != NULL);
        if (subject->bulk)
            read_in_bulk();
        macs_qsbr_quiescent(qsbr, self);
    }
    macs_qsbr_unregister(self);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    context = argv[1];
    subject = subject_named(argv[1]);
    struct macs_table_shape shape = whole_key_shape(subject, 4, 4000);
    struct own_match shorter, longer;
    struct value value = make_value(1);
    struct timespec start, now;
    uint64_t changes = 0;
    prefix(&shorter, key, 4, (uint32_t)atoi(argv[2]));
    prefix(&longer, key, 4, (uint32_t)atoi(argv[3]));
    CHECK(macs_qsbr_create(&qsbr) == 0 && subject->ops->create(&shape, qsbr, &table) == 0);
    CHECK(subject->ops->add(table, &shorter.match, &value, NULL) == 0);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, reader, NULL) == 0);
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        CHECK(subject->ops->add(table, &longer.match, &value, NULL) == 0);
        CHECK(subject->ops->remove(table, &shorter.match) == 0);
        CHECK(subject->ops->add(table, &shorter.match, &value, NULL) == 0);
        CHECK(subject->ops->remove(table, &longer.match) == 0);
        changes++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < atol(argv[4]));
    atomic_store(&stop, true);
    CHECK(pthread_join(thread, NULL) == 0);
    subject->ops->destroy(table);
    macs_qsbr_destroy(qsbr);
    printf("ok: %llu times there and back\n", (unsigned long long)changes);
    return 0;
}
