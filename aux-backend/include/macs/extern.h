/* Stateful externs as generated code uses them: all inline, none blocks.
 *
 * Counters have one array a worker and are summed when read: counting never shares a cache line.
 * Registers and meters have headers of their own.
 * Digests go into a bounded queue; what does not fit is counted as lost, never waited for.
 */
#ifndef MACS_EXTERN_H
#define MACS_EXTERN_H

#include <macs/meter.h>
#include <macs/program.h>
#include <macs/register.h>
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
static inline void macs_count_add(uint64_t *count, uint64_t amount) {
    __atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) + amount, __ATOMIC_RELAXED);
}

/* Out of range: nothing. */
static inline void macs_counter_add(struct macs_counter *counter, const struct macs_worker *worker, uint64_t index,
                                    uint64_t bytes) {
    if (index < counter->size) {
        struct macs_count *count = &counter->per_worker[worker->index][index];
        macs_count_add(&count->packets, 1);
        macs_count_add(&count->bytes, bytes);
    }
}

/* State of MACS_DIGEST. */
struct macs_digest;

/* Queue a record: its fields one after the other, each in whole bytes, most significant first (as in a packed key). */
void macs_digest_send(struct macs_digest *digest, const uint8_t *record, uint32_t bytes);

/* Write a log_msg line for this worker to the switch's log, {} replaced by the values in turn. Never blocks: what the
 * log cannot take in time is counted as lost. */
void macs_log_message(const struct macs_worker *worker, const char *format, const uint64_t *values, uint32_t count);

/* An assert() or assume() of the program failed at file:line. Counted, and reported like a log message. */
void macs_assert_failed(const struct macs_worker *worker, const char *where);

#endif
