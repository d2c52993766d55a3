/* Allocation of the slots and indices of a table's values; see values.h. */
#include "values.h"

#include <errno.h>
#include <string.h>

#include "memory.h"

enum { SLACK_MAX = 4096 /* slots beyond `size`, for values that were replaced and wait for their readers */ };

static uint64_t stride_for(uint64_t bytes) {
    if (bytes > 64)
        return (bytes + 63) & ~UINT64_C(63);
    uint64_t stride = sizeof(struct macs_entry);
    while (stride < bytes)
        stride *= 2;
    return stride;
}

int macs_values_create(struct macs_values *values, const struct macs_table_shape *shape, uint32_t inline_bytes,
                       struct macs_qsbr *qsbr) {
    uint64_t inline_offset = ((uint64_t)shape->value_bytes + 7) & ~UINT64_C(7);
    uint64_t stride = stride_for(inline_bytes ? inline_offset + inline_bytes : shape->value_bytes);
    uint64_t slots = shape->size ? (uint64_t)shape->size + (shape->size < SLACK_MAX ? shape->size + 1 : SLACK_MAX) : 0;
    if (shape->value_bytes < sizeof(struct macs_entry))
        return -EINVAL;
    if (slots >= UINT32_MAX || stride > UINT32_MAX || slots * stride > SIZE_MAX / 2)
        return -ENOMEM;
    *values = (struct macs_values){
        .stride = (uint32_t)stride,
        .inline_offset = (uint32_t)inline_offset,
        .value_bytes = shape->value_bytes,
        .inline_bytes = inline_bytes,
        .size = shape->size,
        .slots = (uint32_t)slots,
        .qsbr = qsbr,
    };
    values->base = macs_memory_alloc((size_t)(slots * stride), true);
    if (macs_indices_create(&values->indices, shape->size) == 0 && values->base)
        return 0;
    macs_values_destroy(values);
    return -ENOMEM;
}

void macs_values_destroy(struct macs_values *values) {
    macs_qsbr_drop(values->qsbr, values);
    macs_memory_free(values->base, (size_t)values->slots * values->stride);
    macs_indices_destroy(&values->indices);
    values->base = NULL;
}

static void free_slot(struct macs_values *values, uint32_t slot) {
    macs_values_at(values, slot)->action = values->slot_free;
    values->slot_free = slot + 1;
}

static int take_slot(struct macs_values *values, uint32_t *slot) {
    if (!values->slot_free && values->slot_top == values->slots) {
        if (macs_qsbr_flush(values->qsbr) || !values->slot_free)
            return -EBUSY;
    }
    if (values->slot_free) {
        *slot = values->slot_free - 1;
        values->slot_free = macs_values_at(values, *slot)->action;
        if (values->slot_free)
            __builtin_prefetch(macs_values_at(values, values->slot_free - 1), 1);
    } else {
        *slot = values->slot_top++;
    }
    return 0;
}

int macs_values_take(struct macs_values *values, uint32_t index, const void *value, uint32_t *slot) {
    int error = take_slot(values, slot);
    if (error)
        return error;
    struct macs_entry *entry = macs_values_at(values, *slot);
    memcpy(entry, value, values->value_bytes);
    entry->index = index;
    return 0;
}

int macs_values_add(struct macs_values *values, const void *value, uint32_t *slot) {
    uint32_t index = 0;
    int error = macs_indices_take_waiting(&values->indices, values->qsbr, values->count, &index);
    if (error)
        return error;
    error = macs_values_take(values, index, value, slot);
    if (error)
        macs_indices_give(&values->indices, index);
    else
        values->count++;
    return error;
}

void macs_values_cancel(struct macs_values *values, uint32_t slot) {
    macs_indices_give(&values->indices, macs_values_at(values, slot)->index);
    free_slot(values, slot);
    values->count--;
}

static void release_slot(void *owner, void *slot) {
    free_slot(owner, (uint32_t)(uintptr_t)slot);
}

static void release_entry(void *owner, void *slot) {
    struct macs_values *values = owner;
    macs_indices_give(&values->indices, macs_values_at(values, (uint32_t)(uintptr_t)slot)->index);
    free_slot(values, (uint32_t)(uintptr_t)slot);
}

void macs_values_retire(struct macs_values *values, uint32_t slot) {
    macs_qsbr_defer(values->qsbr, release_slot, values, (void *)(uintptr_t)slot);
}

void macs_values_remove(struct macs_values *values, uint32_t slot) {
    values->count--;
    __builtin_prefetch(macs_values_at(values, slot), 1); /* what is read when it is released */
    macs_qsbr_defer(values->qsbr, release_entry, values, (void *)(uintptr_t)slot);
}

uint64_t macs_values_memory(const struct macs_values *values) {
    return (uint64_t)values->slot_top * values->stride + macs_indices_memory(&values->indices);
}
