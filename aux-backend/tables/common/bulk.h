/* Bulk lookups: the lookups of a burst in one table, as arrays. For table kernels whose entries are structures.
 *
 * The packed keys of the burst go in as an array of numbers, pointers to entries come out. A loop over an array takes
 * few instructions a key, so the processor keeps the loads of many keys in flight, and arithmetic becomes vector code.
 * (Gather instructions are no faster than single loads, and slower on misses of the first-level cache.)
 * MACS_BULK_LOOP stands before loops that load.
 * What a lookup reads first is prefetched when its key is known, in the stage before. The table's `bulk_begin` tells
 * its address, once a burst.
 * Threads: a worker's own.
 */
#ifndef MACS_TABLES_BULK_H
#define MACS_TABLES_BULK_H

#include <macs/table.h>
#include <string.h>

#include "prefetch.h"

#define MACS_BULK_LOOP _Pragma("GCC unroll 4")
/* Numbers that are loaded one by one and go on as one vector: stored one by one, they would be waited for until they
 * are in the cache. MACS_BULK_EIGHT makes such a vector of LOAD(0) … LOAD(7). */
#define MACS_BULK_EACH 8u
#define MACS_BULK_EIGHT(LOAD)                                                                                          \
    { LOAD(0), LOAD(1), LOAD(2), LOAD(3), LOAD(4), LOAD(5), LOAD(6), LOAD(7) }
typedef uint64_t macs_bulk_u64 __attribute__((vector_size(8 * MACS_BULK_EACH)));
typedef uint32_t macs_bulk_u32 __attribute__((vector_size(4 * MACS_BULK_EACH)));
typedef uintptr_t macs_bulk_address __attribute__((vector_size(sizeof(uintptr_t) * MACS_BULK_EACH)));

struct macs_bulk {
    uint32_t keys[MACS_BURST_MAX]; /* packed keys of at most 4 bytes, the first byte the most significant */
    const struct macs_entry *miss; /* stands for the entry of a key that has none */
    const struct macs_entry *entries[MACS_BURST_MAX];
};

/* The entries of these numbers: number 0 is that of `none`, others stand `stride` bytes apart from `first`, number 1.
 */
static inline void macs_bulk_entries(const uint32_t numbers[], uint32_t count, const uint8_t *first, uint32_t stride,
                                     const struct macs_entry *none, const struct macs_entry *entries[]) {
    const uintptr_t before = (uintptr_t)first - stride, miss = (uintptr_t)none;
    for (uint32_t i = 0; i < count; i++) {
        const uintptr_t at = before + (uint64_t)numbers[i] * stride;
        entries[i] = (const struct macs_entry *)(numbers[i] ? at : miss);
    }
}

/* The same of eight numbers, in vectors whatever the compiler makes of loops. */
static inline void macs_bulk_entries_of_eight(const uint32_t numbers[], const uint8_t *first, uint32_t stride,
                                              const struct macs_entry *none, const struct macs_entry *entries[]) {
    macs_bulk_u32 eight;
    memcpy(&eight, numbers, sizeof eight);
    const macs_bulk_address number = __builtin_convertvector(eight, macs_bulk_address);
    const macs_bulk_address is = (macs_bulk_address)(number != 0), at = number * stride + ((uintptr_t)first - stride);
    const macs_bulk_address which = (is & at) | (~is & (uintptr_t)none);
    memcpy(entries, &which, sizeof which);
}

/* What lookups read first: for a key the byte 4 * key / 2^down from `from` on. Valid until the reader reports a
 * quiescent state. */
struct macs_bulk_begin {
    const uint8_t *from;
    uint32_t down;
};

/* Prefetch what the lookup of a key reads first. */
static inline void macs_bulk_prefetch(struct macs_bulk_begin begin, uint32_t key) {
    macs_prefetch(begin.from + ((uint64_t)key << 2 >> begin.down));
}

static inline void macs_bulk_prefetch_entries(const struct macs_entry *const entries[], uint32_t count) {
    MACS_BULK_LOOP
    for (uint32_t i = 0; i < count; i++)
        macs_prefetch(entries[i]);
}

#endif
