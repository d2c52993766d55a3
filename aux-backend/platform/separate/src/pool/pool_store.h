/* Pools with separate descriptions, to be compared with self-described buffers (linux/src/pool/pool_store.h): a
 * description and its buffer are two objects, which are independent while they are free. To allocate a packet is to
 * take one of each and to bind them; to free it gives both back.
 *
 * The user area is part of the description.
 * Threads: as in odp/api/pool.h.
 */
#ifndef MACS_ODP_POOL_STORE_H
#define MACS_ODP_POOL_STORE_H

#include "pool/pool.h"

struct macs_odp_cache {
    uint32_t count;                 /* owner writes, odp_pool_stats() reads */
    void *slot[MACS_ODP_CACHE_MAX]; /* the last freed is the first given */
} ODP_ALIGNED_CACHE;

/* Free objects of a kind: a store that all threads share, a cache in each thread. */
struct macs_odp_list {
    odp_spinlock_t lock ODP_ALIGNED_CACHE; /* guards what follows */
    uint32_t stored;
    void **store;
    struct macs_odp_cache *cache; /* [ODP_THREAD_COUNT_MAX] */
    uint64_t cache_mapped;
};

struct macs_odp_store {
    struct macs_odp_pool pool; /* first: a pool's address is its store's; its `memory` is what is described */
    uint8_t *described;        /* descriptions with their user areas, `distance` bytes from one to the next */
    uint64_t described_mapped;
    uint32_t distance;
    struct macs_odp_list descriptions;
    struct macs_odp_list memories;
};

static inline struct macs_odp_store *macs_odp_store_of(const struct macs_odp_pool *pool) {
    return (struct macs_odp_store *)(uintptr_t)pool;
}

/* In a build with the address sanitizer what is free must not be touched. Else nothing. */
void macs_odp_pool_poison(struct macs_odp_pool *pool, void *memory, bool poison);
void macs_odp_pool_unpoison_all(struct macs_odp_pool *pool);

#endif
