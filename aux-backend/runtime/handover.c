#include "runtime/handover.h"

#include <stdlib.h>
#include <string.h>

struct macs_handover *macs_handover_create(void) {
    struct macs_handover *ring = aligned_alloc(alignof(struct macs_handover), sizeof(*ring));
    if (ring)
        memset(ring, 0, sizeof(*ring));
    return ring;
}

unsigned macs_handover_put(struct macs_handover *ring, struct macs_packet *const packets[], unsigned count) {
    const uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    uint32_t room = MACS_HANDOVER_SLOTS - (tail - ring->head_seen);
    if (room < count) {
        ring->head_seen = atomic_load_explicit(&ring->head, memory_order_acquire);
        room = MACS_HANDOVER_SLOTS - (tail - ring->head_seen);
    }
    if (count > room)
        count = room;
    for (unsigned i = 0; i < count; i++)
        ring->packets[(tail + i) % MACS_HANDOVER_SLOTS] = packets[i];
    atomic_store_explicit(&ring->tail, tail + count, memory_order_release);
    return count;
}

unsigned macs_handover_take(struct macs_handover *ring, struct macs_packet *packets[], unsigned most) {
    const uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (ring->tail_seen == head)
        ring->tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire);
    const uint32_t there = ring->tail_seen - head;
    const unsigned count = there < most ? there : most;
    for (unsigned i = 0; i < count; i++) {
        packets[i] = ring->packets[(head + i) % MACS_HANDOVER_SLOTS];
        __builtin_prefetch(packets[i]);
    }
    atomic_store_explicit(&ring->head, head + count, memory_order_release);
    return count;
}

void macs_handover_close(struct macs_handover *ring) {
    atomic_store_explicit(&ring->closed, true, memory_order_release);
}

bool macs_handover_empty(const struct macs_handover *ring) {
    return atomic_load(&ring->tail) == atomic_load(&ring->head);
}

bool macs_handover_ended(const struct macs_handover *ring) {
    /* in this order: what was put before the end is seen behind it */
    return atomic_load_explicit(&ring->closed, memory_order_acquire) && macs_handover_empty(ring);
}
