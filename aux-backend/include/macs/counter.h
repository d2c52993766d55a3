/* Counters: packets and bytes, by an index or by the entries of a table.
 *
 * There is an array for each worker, so that workers do not share cache lines. A value is the sum over the workers.
 * Counts are deferred. Those of small counters are added together, at the end of the burst or when 64 wait. Each by
 * itself would hold back the next packets: its address comes late, from a lookup, and loads behind it that may be of
 * the same place wait. Those of large counters are prefetched, and added 64 counts later, at the latest at the end of
 * the burst, or of the next one if that is there already. Additions commute, so only a reader could see the difference.
 * Threads: each worker adds to its own array; any thread reads.
 */
#ifndef MACS_COUNTER_H
#define MACS_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include <macs/inline.h>
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

/* The same by one addition of 16 bytes, of which x86 stores each half whole. The compiler takes it for a store to any
 * memory: for loops that do nothing else. */
static inline void macs_count_add_pair(struct macs_count *count, uint64_t bytes) {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));
    *(pair *)count += (pair){1, bytes};
#else
    macs_count_add(count, bytes);
#endif
}

/* This worker's count at an index that is in range. */
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

/* Add the counts of small counters. */
static inline void macs_near_counts_flush(struct macs_near_counts *near) {
    const uint32_t number = near->number;
    for (uint32_t i = 0; i < number; i++)
        macs_count_add_pair(near->counts[i], near->bytes[i]);
    near->number = 0;
}

__attribute__((noinline, cold, unused)) static void macs_near_counts_make_room(struct macs_near_counts *near) {
    macs_near_counts_flush(near);
}

static inline void macs_count_defer_near(struct macs_near_counts *near, struct macs_count *count, uint64_t bytes) {
    if (near->number == MACS_DEFERRED_COUNTS)
        macs_near_counts_make_room(near);
    near->counts[near->number] = count;
    near->bytes[near->number++] = (uint32_t)bytes;
}

/* Of a large counter: the count's line is not in the cache. The oldest one makes room. */
static inline void macs_count_defer_far(struct macs_worker *worker, struct macs_count *count, uint64_t bytes) {
    struct macs_deferred_count *const place = &worker->deferred.ring[worker->deferred.next++ % MACS_DEFERRED_COUNTS];
    if (place->count)
        macs_count_add(place->count, place->bytes);
    macs_prefetch_far_to_write(count);
    *place = (struct macs_deferred_count){count, bytes};
}

MACS_ALWAYS_INLINE void macs_count_defer(struct macs_worker *worker, struct macs_count *count, uint64_t bytes,
                                         bool far) {
    if (far)
        macs_count_defer_far(worker, count, bytes);
    else
        macs_count_defer_near(&worker->near_counts, count, bytes);
}

/* Make the additions to large counters up to the one of that number. */
static inline void macs_counts_flush_until(struct macs_deferred_counts *deferred, uint32_t end) {
    if (deferred->next - deferred->first > MACS_DEFERRED_COUNTS)
        deferred->first = deferred->next - MACS_DEFERRED_COUNTS;
    for (; (int32_t)(end - deferred->first) > 0; deferred->first++) {
        struct macs_deferred_count *const place = &deferred->ring[deferred->first % MACS_DEFERRED_COUNTS];
        macs_count_add(place->count, place->bytes);
        place->count = NULL;
    }
    deferred->latest = deferred->next;
}

/* Make all of them, at the end of a burst. */
static inline void macs_counts_flush(struct macs_worker *worker) {
    macs_near_counts_flush(&worker->near_counts);
    macs_counts_flush_until(&worker->deferred, worker->deferred.next);
}

/* Make those of small counters, and those of the bursts before this one, at its end. */
static inline void macs_counts_flush_earlier(struct macs_worker *worker) {
    macs_near_counts_flush(&worker->near_counts);
    macs_counts_flush_until(&worker->deferred, worker->deferred.latest);
}

static inline bool macs_counts_are_deferred(const struct macs_worker *worker) {
    return worker->near_counts.number || worker->deferred.first != worker->deferred.next;
}

/* Where a worker's counts stand: a copy, for a burst, that no store can change. */
struct macs_counts {
    struct macs_count *of;
    uint32_t size;
};

static inline struct macs_counts macs_counts_of(const void *state, const struct macs_worker *worker) {
    const struct macs_counter *counter = state;
    return (struct macs_counts){counter->per_worker[worker->index], counter->size};
}

/* Out of range: nothing. */
static inline void macs_counts_add(const struct macs_counts *counts, uint64_t index, uint64_t bytes) {
    if (index < counts->size)
        macs_count_add(&counts->of[index], bytes);
}

/* The same of an index that is in range, as an entry's is in the counter of its table. */
static inline void macs_counts_hit(const struct macs_counts *counts, uint64_t index, uint64_t bytes) {
    macs_count_add(&counts->of[index], bytes);
}

/* Both as above, but the addition is deferred. */
MACS_ALWAYS_INLINE void macs_counts_defer(const struct macs_counts *counts, struct macs_worker *worker, uint64_t index,
                                          uint64_t bytes, bool far) {
    if (index < counts->size)
        macs_count_defer(worker, &counts->of[index], bytes, far);
}

MACS_ALWAYS_INLINE void macs_counts_defer_hit(const struct macs_counts *counts, struct macs_worker *worker,
                                              uint64_t index, uint64_t bytes, bool far) {
    macs_count_defer(worker, &counts->of[index], bytes, far);
}

#endif
