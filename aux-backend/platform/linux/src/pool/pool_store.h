/* A pool on plain Linux: one piece of memory with all objects, a store of free ones that all threads share, and a cache
 * in each thread (see odp/api/pool.h and odp/api/plat/object.h). An object is made when it is taken for the first time:
 * one that never is takes no memory of the machine. */
#ifndef MACS_ODP_POOL_STORE_H
#define MACS_ODP_POOL_STORE_H

#include "pool/pool.h"

struct macs_odp_cache {
    uint32_t count; /* owner writes, odp_pool_stats() reads */
    struct macs_odp_event
        *slot[MACS_ODP_CACHE_MAX]; /* the last freed is the first given: it is still in the CPU's cache */
} ODP_ALIGNED_CACHE;

struct macs_odp_store {
    struct macs_odp_pool pool; /* first: a pool's address is its store's */

    odp_spinlock_t lock ODP_ALIGNED_CACHE; /* guards what follows */
    uint32_t made;                         /* objects, the first ones; the others are free, too, and not in the store */
    uint32_t stored;
    struct macs_odp_event **store;

    struct macs_odp_cache *cache; /* [ODP_THREAD_COUNT_MAX], memory of its own: unused ones never become real */
    uint64_t cache_mapped;
};

static inline struct macs_odp_store *macs_odp_store_of(const struct macs_odp_pool *pool) {
    return (struct macs_odp_store *)(uintptr_t)pool;
}

/* Makes `num` objects from that index on, of which the first comes last in `to`, so that it is given first. */
void macs_odp_store_make(struct macs_odp_pool *pool, uint32_t first, struct macs_odp_event **to, uint32_t num);

/* In a build with the address sanitizer what is free must not be touched: the data, not the description and the user
 * area, which live on; of what is not made, nothing. Else nothing. */
void macs_odp_pool_poison(struct macs_odp_pool *pool, struct macs_odp_event *event, bool poison);
void macs_odp_pool_unpoison_all(struct macs_odp_pool *pool);

#endif
