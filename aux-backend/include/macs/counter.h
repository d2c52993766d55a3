/* Counters: packets and bytes, by an index or by the entries of a table.
 *
 * There is an array for each worker, so that workers do not share cache lines. A value is the sum over the workers.
 * Counts of large counters are deferred: a count is prefetched, and added up to 64 counts later, at the latest at the
 * end of the burst. Additions commute, so only a reader could see the difference.
 * Threads: each worker adds to its own array; any thread reads.
 */
#ifndef MACS_COUNTER_H
#define MACS_COUNTER_H

#include <stdint.h>

#include <macs/prefetch.h>
#include <macs/worker.h>

struct macs_count {
    uint64_t packets;
    uint64_t bytes;
};

/* State of MACS_COUNTER and MACS_DIRECT_COUNTER. One row a worker, and behind them one of the control thread: a value
 * is the sum of its column modulo 2^64. So the control thread can set it without touching what a worker writes. */
struct macs_counter {
    uint32_t size;
    uint32_t workers;
    struct macs_count *per_worker[]; /* [workers + 1][size] */
};

/* Only its own worker writes a count: plain loads and stores suffice, atomic ones let the control thread read it. */
static inline void macs_count_up(uint64_t *count, uint64_t amount) {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    __asm__("addq %1, %0" : "+m"(*count) : "er"(amount) : "cc"); /* one instruction, and no barrier to the compiler */
#else
    __atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) + amount, __ATOMIC_RELAXED);
#endif
}

static inline void macs_count_add(struct macs_count *count, uint64_t bytes) {
    macs_count_up(&count->packets, 1);
    macs_count_up(&count->bytes, bytes);
}

/* This worker's count at an index that is in range, as an entry's is in the counter of its table. */
static inline struct macs_count *macs_counter_at(const struct macs_counter *counter, const struct macs_worker *worker,
                                                 uint64_t index) {
    return &counter->per_worker[worker->index][index];
}

/* Out of range: nothing. */
static inline void macs_counter_add(const struct macs_counter *counter, const struct macs_worker *worker,
                                    uint64_t index, uint64_t bytes) {
    if (index < counter->size)
        macs_count_add(macs_counter_at(counter, worker, index), bytes);
}

/* The same of an index that is in range. */
static inline void macs_counter_hit(const struct macs_counter *counter, const struct macs_worker *worker,
                                    uint64_t index, uint64_t bytes) {
    macs_count_add(macs_counter_at(counter, worker, index), bytes);
}

/* Make the deferred additions, at the end of a burst. */
static inline void macs_counts_flush(struct macs_worker *worker) {
    struct macs_deferred_counts *const deferred = &worker->deferred;
    for (uint32_t i = 0; i < deferred->used; i++)
        macs_count_add(deferred->counts[i], deferred->bytes[i]);
    deferred->used = 0;
}

/* The same, of a count whose line is not in the cache, as the counter is large. */
static inline void macs_count_defer(struct macs_worker *worker, struct macs_count *count, uint64_t bytes) {
    struct macs_deferred_counts *const deferred = &worker->deferred;
    if (deferred->used == MACS_DEFERRED_COUNTS)
        macs_counts_flush(worker);
    macs_prefetch_far_to_write(count);
    deferred->counts[deferred->used] = count;
    deferred->bytes[deferred->used++] = bytes;
}

static inline void macs_counter_defer(const struct macs_counter *counter, struct macs_worker *worker, uint64_t index,
                                      uint64_t bytes) {
    if (index < counter->size)
        macs_count_defer(worker, macs_counter_at(counter, worker, index), bytes);
}

static inline void macs_counter_defer_hit(const struct macs_counter *counter, struct macs_worker *worker,
                                          uint64_t index, uint64_t bytes) {
    macs_count_defer(worker, macs_counter_at(counter, worker, index), bytes);
}

#endif
