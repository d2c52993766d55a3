/* Exact match on a short key, with entries of any kind: an array of slot numbers, indexed by the key.
 *
 * Takes: packed keys of one or two bytes.
 * Invariants: a cell changes by one atomic store, to a slot that is written already (values.h): a lookup sees a whole
 * entry or none. A slot is reused only after a grace period.
 * Threads: one writer, any number of readers between two reports of a quiescent state (macs/qsbr.h).
 * Cost: lookup two dependent loads; change O(1); memory 4 bytes for each possible key, and the entries.
 */
#ifndef MACS_TABLES_EXACT_INDEX_H
#define MACS_TABLES_EXACT_INDEX_H

#include <stdatomic.h>

#include "tables/common/bulk.h"
#include "tables/common/values.h"

#define MACS_EXACT_INDEX_KEY_BYTES 2u

struct macs_exact_index {
    _Atomic uint32_t *cells; /* a slot + 1; 0: no entry */
    struct macs_values values;
    uint32_t key_bytes;
    uint8_t *shown; /* what walk shows: a key and its mask */
};

struct macs_exact_index_cursor {
    const _Atomic uint32_t *cell;
};

static inline uint32_t macs_exact_index_of(const uint8_t *key, uint32_t key_bytes) {
    uint32_t index = 0;
    for (uint32_t i = 0; i < key_bytes; i++)
        index = index << 8 | key[i];
    return index;
}

static inline void macs_exact_index_start(const void *self, const uint8_t *key, uint32_t key_bytes,
                                          struct macs_exact_index_cursor *cursor) {
    const struct macs_exact_index *table = self;
    cursor->cell = &table->cells[macs_exact_index_of(key, key_bytes)];
    macs_prefetch((const void *)cursor->cell);
}

static inline const struct macs_entry *macs_exact_index_entry(const struct macs_exact_index *table,
                                                              const struct macs_exact_index_cursor *cursor) {
    uint32_t slot = atomic_load_explicit(cursor->cell, memory_order_acquire);
    return slot ? macs_values_at(&table->values, slot - 1) : NULL;
}

static inline void macs_exact_index_step(const void *self, const uint8_t *key, uint32_t key_bytes,
                                         struct macs_exact_index_cursor *cursor) {
    (void)key, (void)key_bytes;
    macs_prefetch(macs_exact_index_entry(self, cursor));
}

static inline const struct macs_entry *macs_exact_index_finish(const void *self, const uint8_t *key, uint32_t key_bytes,
                                                               struct macs_exact_index_cursor *cursor) {
    (void)key, (void)key_bytes;
    return macs_exact_index_entry(self, cursor);
}

/* Lookups begin with the keys' cells. */
static inline struct macs_bulk_begin macs_exact_index_bulk_begin(const void *self, uint32_t key_bytes) {
    const struct macs_exact_index *table = self;
    (void)key_bytes;
    return (struct macs_bulk_begin){.from = (const uint8_t *)table->cells};
}

/* Look up all keys of a burst, and prefetch the entries found. */
static inline void macs_exact_index_bulk_start(const void *self, struct macs_bulk *bulk, uint32_t count,
                                               uint32_t key_bytes, const struct macs_entry *miss) {
    const struct macs_exact_index *table = self;
    uint32_t slots[MACS_BURST_MAX];
    (void)key_bytes;
    bulk->miss = miss;
    MACS_BULK_LOOP
    for (uint32_t i = 0; i < count; i++)
        slots[i] = atomic_load_explicit(&table->cells[bulk->keys[i]], memory_order_acquire);
    macs_bulk_entries(slots, count, table->values.base, table->values.stride, miss, bulk->entries);
    macs_bulk_prefetch_entries(bulk->entries, count);
}

extern const struct macs_table_ops macs_exact_index_ops;

#endif
