/* Stateful externs as generated code uses them: all inline, none blocks.
 *
 * Counters have one array a worker and are summed when read: counting never shares a cache line.
 * Registers are shared by the workers; an element is read and written whole, but a read-modify-write of two workers
 * may interleave (as P4 has it without @atomic).
 * Digests go into a bounded queue; what does not fit is counted as lost, never waited for.
 */
#ifndef MACS_EXTERN_H
#define MACS_EXTERN_H

#include <macs/program.h>
#include <macs/worker.h>

struct macs_count {
    uint64_t packets;
    uint64_t bytes;
};

/* State of MACS_COUNTER and MACS_DIRECT_COUNTER. */
struct macs_counter {
    uint32_t size;
    struct macs_count *per_worker[]; /* [workers][size] */
};

/* Out of range: nothing. */
static inline void macs_counter_add(struct macs_counter *counter, const struct macs_worker *worker, uint64_t index,
                                    uint32_t bytes) {
    if (index < counter->size) {
        struct macs_count *count = &counter->per_worker[worker->index][index];
        count->packets += 1;
        count->bytes += bytes;
    }
}

/* State of MACS_REGISTER: elements of `limbs` 64-bit words, least significant first. */
struct macs_register {
    uint32_t size;
    uint32_t limbs;
    uint64_t *elements;
};

/* Out of range reads give zero, writes do nothing. `value` has register->limbs words. */
static inline void macs_register_read(const struct macs_register *reg, uint64_t index, uint64_t *value) {
    for (uint32_t limb = 0; limb < reg->limbs; limb++)
        value[limb] = index < reg->size ? reg->elements[index * reg->limbs + limb] : 0;
}

static inline void macs_register_write(struct macs_register *reg, uint64_t index, const uint64_t *value) {
    if (index < reg->size)
        for (uint32_t limb = 0; limb < reg->limbs; limb++)
            reg->elements[index * reg->limbs + limb] = value[limb];
}

struct macs_digest;

/* Queue a record of desc->bits bits, packed most significant first into whole bytes per field (as in a packed key). */
void macs_digest_send(struct macs_digest *digest, const uint8_t *record, uint32_t bytes);

/* Write a log_msg line for this worker to the switch's log: rate-limited, never blocks. */
void macs_log_message(const struct macs_worker *worker, const char *format, const uint64_t *values, uint32_t count);

/* An assert() or assume() of the program failed at file:line. Counted, and reported like a log message. */
void macs_assert_failed(const struct macs_worker *worker, const char *where);

#endif
