/* Shared results: found by their bytes, counted, freed after a grace period; see results.h. */
#include "results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tables/common/hash.h"
#include "tables/common/memory.h"

enum { SLACK_MAX = 4096 /* results beyond one for each entry, for those that wait for their readers */ };

static size_t base_bytes(const struct macs_results *results) {
    return (size_t)results->slots * results->stride;
}

static size_t counts_bytes(const struct macs_results *results) {
    return (size_t)results->slots * sizeof *results->counts;
}

static size_t map_bytes(const struct macs_results *results) {
    return (size_t)results->map_places * sizeof *results->map;
}

/* Powers of two up to a cache line, then whole lines: none straddles a line without need. */
static uint32_t stride_for(uint32_t bytes) {
    if (bytes > 64)
        return (bytes + 63) & ~UINT32_C(63);
    uint32_t stride = sizeof(struct macs_entry);
    while (stride < bytes)
        stride *= 2;
    return stride;
}

int macs_results_create(struct macs_results *results, const struct macs_table_shape *shape, struct macs_qsbr *qsbr) {
    uint64_t slots = shape->size ? (uint64_t)shape->size + (shape->size < SLACK_MAX ? shape->size + 1 : SLACK_MAX) : 1;
    *results = (struct macs_results){.value_bytes = shape->value_bytes, .indexed = shape->indexed, .qsbr = qsbr};
    if (shape->value_bytes < sizeof(struct macs_entry))
        return -EINVAL;
    if (shape->value_bytes > UINT16_MAX)
        return -ENOMEM;
    results->slots = slots < MACS_RESULTS_MAX ? (uint32_t)slots : MACS_RESULTS_MAX;
    results->stride = stride_for(shape->value_bytes);
    results->map_places = 4;
    while (results->map_places < results->slots)
        results->map_places *= 2;
    results->seed = macs_hash_seed();
    results->base = macs_memory_alloc(base_bytes(results), true);
    results->counts = macs_memory_alloc(counts_bytes(results), true);
    results->map = macs_memory_alloc(map_bytes(results), true);
    results->current = calloc(1, shape->value_bytes);
    if (results->base && results->counts && results->map && results->current)
        return 0;
    macs_results_destroy(results);
    return -ENOMEM;
}

void macs_results_destroy(struct macs_results *results) {
    macs_qsbr_drop(results->qsbr, results);
    macs_memory_free(results->base, base_bytes(results));
    macs_memory_free(results->counts, counts_bytes(results));
    macs_memory_free(results->map, map_bytes(results));
    free(results->current);
    *results = (struct macs_results){0};
}

static void *value_at(const struct macs_results *results, uint32_t number) {
    return results->base + (size_t)number * results->stride;
}

static uint32_t *chain_of(struct macs_results *results, const void *value) {
    uint64_t hash = macs_hash_bytes(value, results->value_bytes, results->seed);
    return &results->map[(uint32_t)(hash >> 32) & (results->map_places - 1)];
}

static int take_slot(struct macs_results *results, uint32_t *number) {
    if (!results->free && results->top == results->slots) {
        if (macs_qsbr_flush(results->qsbr))
            return -EBUSY;
        if (!results->free)
            return -ENOSPC;
    }
    if (results->free) {
        *number = results->free - 1;
        results->free = results->counts[*number].next;
    } else {
        *number = results->top++;
    }
    return 0;
}

int macs_results_take(struct macs_results *results, const void *value, uint32_t *number) {
    memcpy(results->current, value, results->value_bytes);
    if (!results->indexed)
        ((struct macs_entry *)results->current)->index = 0;
    uint32_t *chain = chain_of(results, results->current);
    for (uint32_t at = *chain; at; at = results->counts[at - 1].next) {
        if (memcmp(value_at(results, at - 1), results->current, results->value_bytes) == 0) {
            results->counts[at - 1].users++;
            *number = at - 1;
            return 0;
        }
    }
    int error = take_slot(results, number);
    if (error)
        return error;
    memcpy(value_at(results, *number), results->current, results->value_bytes);
    results->counts[*number] = (struct macs_results_count){.users = 1, .next = *chain};
    *chain = *number + 1;
    return 0;
}

static void release(void *owner, void *number) {
    struct macs_results *results = owner;
    uint32_t slot = (uint32_t)(uintptr_t)number;
    results->counts[slot].next = results->free;
    results->free = slot + 1;
}

void macs_results_drop(struct macs_results *results, uint32_t number) {
    if (--results->counts[number].users)
        return;
    uint32_t *link = chain_of(results, value_at(results, number));
    while (*link != number + 1)
        link = &results->counts[*link - 1].next;
    *link = results->counts[number].next;
    macs_qsbr_defer(results->qsbr, release, results, (void *)(uintptr_t)number);
}

uint64_t macs_results_memory(const struct macs_results *results) {
    return (uint64_t)results->top * (results->stride + sizeof *results->counts) + map_bytes(results);
}
