/* Allocation of entry indices; see indices.h. */
#include "indices.h"

#include <errno.h>
#include <stddef.h>

#include "memory.h"

static size_t list_bytes(const struct macs_indices *indices) {
    return (size_t)indices->size * sizeof *indices->next;
}

int macs_indices_create(struct macs_indices *indices, uint32_t size) {
    *indices = (struct macs_indices){.size = size};
    indices->next = macs_memory_alloc(list_bytes(indices), true);
    return indices->next ? 0 : -ENOMEM;
}

void macs_indices_destroy(struct macs_indices *indices) {
    macs_memory_free(indices->next, list_bytes(indices));
    indices->next = NULL;
}

int macs_indices_take(struct macs_indices *indices, uint32_t *index) {
    if (indices->given) {
        *index = indices->given - 1;
        indices->given = 0;
        return 0;
    }
    if (indices->free) {
        *index = indices->free - 1;
        indices->free = indices->next[*index];
        if (indices->free)
            __builtin_prefetch(&indices->next[indices->free - 1]);
        return 0;
    }
    if (indices->top == indices->size)
        return -ENOSPC;
    *index = indices->top++;
    return 0;
}

void macs_indices_give(struct macs_indices *indices, uint32_t index) {
    indices->next[index] = indices->free;
    indices->free = index + 1;
}

int macs_indices_take_waiting(struct macs_indices *indices, struct macs_qsbr *qsbr, uint32_t entries, uint32_t *index) {
    if (entries >= indices->size)
        return -ENOSPC;
    if (macs_indices_take(indices, index) == 0)
        return 0;
    if (macs_qsbr_flush(qsbr)) /* those of removed entries wait for their readers */
        return -EBUSY;
    return macs_indices_take(indices, index) ? -EBUSY : 0;
}

static void release_index(void *owner, void *index) {
    macs_indices_give(owner, (uint32_t)(uintptr_t)index);
}

void macs_indices_give_later(struct macs_indices *indices, struct macs_qsbr *qsbr, uint32_t index) {
    macs_qsbr_defer(qsbr, release_index, indices, (void *)(uintptr_t)index);
}

uint64_t macs_indices_memory(const struct macs_indices *indices) {
    return list_bytes(indices);
}
