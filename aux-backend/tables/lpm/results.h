/* Results of LPM lookups. Entries with equal values share one result: a million routes with a few next hops need a few
 * cache lines.
 *
 * A result is a copy of an entry's value. The entry's index in it is zero, unless the table's shape says that readers
 * need it (direct externs): then no result is shared. Results are reference counted and freed after a grace period.
 * Threads: macs_results_at by any, with a number that was published; all else by the one writer.
 * Cost: O(1); 12 bytes a result beside the value.
 */
#ifndef MACS_TABLES_RESULTS_H
#define MACS_TABLES_RESULTS_H

#include <macs/qsbr.h>
#include <macs/table.h>

#define MACS_RESULTS_MAX ((UINT32_C(1) << 24) - 1)

struct macs_results {
    uint8_t *base;
    uint32_t stride; /* bytes from result to result */
    uint32_t value_bytes;
    bool indexed;
    uint32_t slots;
    uint32_t top;  /* from here on none was ever used */
    uint32_t free; /* first of a list through `next` of those that were given back, + 1 */
    struct macs_results_count {
        uint32_t users;
        uint32_t next; /* in the map's chain, or free: the next one + 1 */
    } * counts;
    uint32_t *map; /* first of a chain of results whose values hash to the place, + 1 */
    uint32_t map_places;
    uint64_t seed;
    void *current; /* the value that is looked for */
    struct macs_qsbr *qsbr;
};

/* 0, -ENOMEM, or -EINVAL where the shape's value is shorter than struct macs_entry. */
int macs_results_create(struct macs_results *results, const struct macs_table_shape *shape, struct macs_qsbr *qsbr);
void macs_results_destroy(struct macs_results *results);

static inline const struct macs_entry *macs_results_at(const struct macs_results *results, uint32_t number) {
    return (const struct macs_entry *)(const void *)(results->base + (size_t)number * results->stride);
}

/* The result for a value, which has one user more now. 0, -ENOSPC, -EBUSY. */
int macs_results_take(struct macs_results *results, const void *value, uint32_t *number);

/* Release a reference; the last one frees it after a grace period. Needs one reserved defer. */
void macs_results_drop(struct macs_results *results, uint32_t number);

/* Bytes of the results that were ever used, and of the writer's own data. */
uint64_t macs_results_memory(const struct macs_results *results);

#endif
