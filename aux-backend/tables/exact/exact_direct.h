/* Exact match on a short key whose action data fit a word: an array of the entries themselves, indexed by the key.
 *
 * A cell is the smallest integer that holds the action data and, above them, a bit that says that there is an entry.
 * Lookups need no hash and no comparison.
 * In an *indexed* table, whose readers want the entry's index for direct counters and meters, a cell has that too, in
 * as many bits as the key has, between the data and the mark. It is used again only when no reader has it any more.
 * Takes: keys of 1 to 20 bits, at most 63 bits of data; of key and data together in indexed tables.
 * Invariant: a cell changes by one atomic store, so a lookup sees a whole entry or none.
 * Threads: one writer, any number of readers; nothing that readers use is freed.
 * Cost: lookup one load; change one store; memory 2^(key bits) cells, and 4 bytes a key for the entry's index where it
 * is not in the cell: only the control plane reads that.
 */
#ifndef MACS_TABLES_EXACT_DIRECT_H
#define MACS_TABLES_EXACT_DIRECT_H

#include <stdatomic.h>

#include "tables/common/packing.h"
#include "tables/common/prefetch.h"

#define MACS_EXACT_DIRECT_KEY_BITS 20u
#define MACS_EXACT_DIRECT_DATA_BITS 63u
#define MACS_EXACT_DIRECT_NEAR 32768u /* bytes: so small an array needs no prefetch */

struct macs_exact_direct_cursor {
    const uint8_t *cell;
};

/* Bytes of a cell. */
static inline uint32_t macs_exact_direct_width(uint32_t data_bits) {
    return data_bits < 8 ? 1 : data_bits < 16 ? 2 : data_bits < 32 ? 4 : 8;
}

static inline void macs_exact_direct_start(const void *self, uint64_t key, uint32_t key_bits, uint32_t data_bits,
                                           struct macs_exact_direct_cursor *cursor) {
    const uint32_t width = macs_exact_direct_width(data_bits);
    cursor->cell = *(const uint8_t *const *)self + (key & macs_packing_ones(key_bits)) * width;
    if (width << key_bits > MACS_EXACT_DIRECT_NEAR)
        macs_prefetch(cursor->cell);
}

static inline uint64_t macs_exact_direct_load(const uint8_t *cell, uint32_t width) {
    const void *at = cell;
    switch (width) {
    case 1:
        return atomic_load_explicit((const _Atomic uint8_t *)at, memory_order_acquire);
    case 2:
        return atomic_load_explicit((const _Atomic uint16_t *)at, memory_order_acquire);
    case 4:
        return atomic_load_explicit((const _Atomic uint32_t *)at, memory_order_acquire);
    default:
        return atomic_load_explicit((const _Atomic uint64_t *)at, memory_order_acquire);
    }
}

/* Whether the key is there; then its entry's data. */
static inline bool macs_exact_direct_finish(uint32_t key_bits, uint32_t data_bits,
                                            struct macs_exact_direct_cursor *cursor, uint64_t *data) {
    (void)key_bits;
    const uint64_t word = macs_exact_direct_load(cursor->cell, macs_exact_direct_width(data_bits));
    *data = word & macs_packing_ones(data_bits);
    return word >> data_bits;
}

/* The same of an indexed table: the entry's index, too. */
static inline void macs_exact_direct_start_indexed(const void *self, uint64_t key, uint32_t key_bits,
                                                   uint32_t data_bits, struct macs_exact_direct_cursor *cursor) {
    macs_exact_direct_start(self, key, key_bits, data_bits + key_bits, cursor);
}

static inline bool macs_exact_direct_finish_indexed(uint32_t key_bits, uint32_t data_bits,
                                                    struct macs_exact_direct_cursor *cursor, uint64_t *data,
                                                    uint32_t *number) {
    uint64_t word;
    const bool found = macs_exact_direct_finish(key_bits, data_bits + key_bits, cursor, &word);
    *data = word & macs_packing_ones(data_bits);
    *number = (uint32_t)(word >> data_bits);
    return found;
}

extern const struct macs_table_ops macs_exact_direct_ops;

#endif
