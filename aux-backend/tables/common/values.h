/* A slab of equal slots, which holds the values of a table. A value is not moved or overwritten while a reader may
 * hold it.
 *
 * A slot holds a value, which begins with struct macs_entry, and behind it `inline_bytes` for the table kernel, such as
 * the key, in the same cache line. The size of a slot is a power of two up to a cache line, then whole lines, so a slot
 * spans no more lines than it must.
 * An entry keeps its *index* (0 … size - 1) for life. To modify an entry a new *slot* is written: a reader sees the old
 * value or the new one, whole. There are some more slots than entries for that.
 * Slots and indices are reused only after a grace period: a packet in flight never counts for another entry.
 * Threads: macs_values_at by any; all else by the one writer.
 * Cost: O(1). It waits for a grace period only if all free slots or indices are still in one.
 */
#ifndef MACS_TABLES_VALUES_H
#define MACS_TABLES_VALUES_H

#include <macs/qsbr.h>
#include <macs/table.h>

#include "indices.h"

struct macs_values {
    uint8_t *base;
    uint32_t stride;        /* bytes from slot to slot */
    uint32_t inline_offset; /* of the inline bytes in a slot */
    uint32_t value_bytes;
    uint32_t inline_bytes;
    uint32_t size; /* entries at most */
    uint32_t slots;
    uint32_t count;     /* entries now */
    uint32_t slot_top;  /* slots from here on were never used */
    uint32_t slot_free; /* first of a list through the free slots, + 1; 0: none */
    struct macs_indices indices;
    struct macs_qsbr *qsbr;
};

/* 0, -ENOMEM, or -EINVAL where the shape's value is shorter than struct macs_entry. */
int macs_values_create(struct macs_values *values, const struct macs_table_shape *shape, uint32_t inline_bytes,
                       struct macs_qsbr *qsbr);
void macs_values_destroy(struct macs_values *values);

static inline struct macs_entry *macs_values_at(const struct macs_values *values, uint32_t slot) {
    return (struct macs_entry *)(void *)(values->base + (size_t)slot * values->stride);
}

static inline uint8_t *macs_values_inline(const struct macs_values *values, uint32_t slot) {
    return values->base + (size_t)slot * values->stride + values->inline_offset;
}

/* Take a slot and an index for a new entry and copy the value in; the table fills the inline bytes before it publishes
 * the slot. 0, -ENOSPC when the table is full, -EBUSY. */
int macs_values_add(struct macs_values *values, const void *value, uint32_t *slot);

/* Take a slot for a new value of the entry of that index; the table fills the inline bytes as above. 0 or -EBUSY.
 * When it is published: macs_values_retire the old one. */
int macs_values_take(struct macs_values *values, uint32_t index, const void *value, uint32_t *slot);

/* Free at once a slot of macs_values_add that was never published. */
void macs_values_cancel(struct macs_values *values, uint32_t slot);

/* The value in this slot was replaced, and is unlinked. Needs one reserved defer. */
void macs_values_retire(struct macs_values *values, uint32_t slot);

/* The entry in this slot is unlinked. Needs one reserved defer. */
void macs_values_remove(struct macs_values *values, uint32_t slot);

/* Bytes of the slots that were ever used, and of the lists. */
uint64_t macs_values_memory(const struct macs_values *values);

#endif
