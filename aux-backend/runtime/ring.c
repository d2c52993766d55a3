#include "runtime/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct slot {
    _Atomic uint32_t sequence;
    uint32_t length;
    uint8_t record[];
};

static struct slot *slot_at(const struct macs_ring *ring, uint32_t position) {
    return (struct slot *)(void *)(ring->slots + (position & (ring->slot_count - 1)) * ring->stride);
}

int macs_ring_init(struct macs_ring *ring, uint32_t slot_count, uint32_t record_max) {
    size_t alignment = _Alignof(struct slot);
    ring->stride = (sizeof(struct slot) + record_max + alignment - 1) / alignment * alignment;
    ring->slots = calloc(slot_count, ring->stride);
    if (!ring->slots)
        return -ENOMEM;
    ring->slot_count = slot_count;
    ring->record_max = record_max;
    ring->head = 0;
    atomic_init(&ring->tail, 0);
    for (uint32_t position = 0; position < slot_count; position++)
        atomic_init(&slot_at(ring, position)->sequence, position);
    return 0;
}

void macs_ring_fini(struct macs_ring *ring) {
    free(ring->slots);
    ring->slots = NULL;
}

bool macs_ring_push(struct macs_ring *ring, const void *record, uint32_t length) {
    if (length > ring->record_max)
        return false;
    uint32_t position = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    for (;;) {
        struct slot *slot = slot_at(ring, position);
        int32_t turn = (int32_t)(atomic_load_explicit(&slot->sequence, memory_order_acquire) - position);
        if (turn < 0)
            return false;
        if (turn > 0) {
            position = atomic_load_explicit(&ring->tail, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(&ring->tail, &position, position + 1, memory_order_relaxed,
                                                         memory_order_relaxed)) {
            slot->length = length;
            memcpy(slot->record, record, length);
            atomic_store_explicit(&slot->sequence, position + 1, memory_order_release);
            return true;
        }
    }
}

const void *macs_ring_peek(struct macs_ring *ring, uint32_t *length) {
    struct slot *slot = slot_at(ring, ring->head);
    if (atomic_load_explicit(&slot->sequence, memory_order_acquire) != ring->head + 1)
        return NULL;
    *length = slot->length;
    return slot->record;
}

void macs_ring_pop(struct macs_ring *ring) {
    struct slot *slot = slot_at(ring, ring->head);
    atomic_store_explicit(&slot->sequence, ring->head + ring->slot_count, memory_order_release);
    ring->head++;
}
