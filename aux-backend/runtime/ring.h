/* A bounded queue of records of one size, which never blocks.
 *
 * Each slot has a sequence number that says whether a producer or the consumer is next. A producer claims a slot by
 * advancing `tail`. A record for which there is no room is refused; the caller counts it.
 * Threads: many producers, one consumer.
 * Source: D. Vyukov, bounded MPMC queue.
 */
#ifndef MACS_RUNTIME_RING_H
#define MACS_RUNTIME_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct macs_ring {
    uint8_t *slots;
    size_t stride;       /* bytes a slot: sequence, length, record */
    uint32_t slot_count; /* a power of two */
    uint32_t record_max; /* bytes of a record at most */
    _Alignas(64) _Atomic uint32_t tail;
    _Alignas(64) uint32_t head;
};

/* 0 or -ENOMEM. `slot_count` must be a power of two. */
int macs_ring_init(struct macs_ring *ring, uint32_t slot_count, uint32_t record_max);
void macs_ring_fini(struct macs_ring *ring);

/* False: full, or the record is longer than record_max. Any thread. */
bool macs_ring_push(struct macs_ring *ring, const void *record, uint32_t length);

/* The oldest record and its length, or NULL; it stays there until macs_ring_pop. The consumer only. */
const void *macs_ring_peek(struct macs_ring *ring, uint32_t *length);
void macs_ring_pop(struct macs_ring *ring);

#endif
