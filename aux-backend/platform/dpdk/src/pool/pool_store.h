/* A pool over DPDK: a mempool of mbufs with private areas (see odp/api/plat/object.h). */
#ifndef MACS_ODP_POOL_STORE_H
#define MACS_ODP_POOL_STORE_H

#include "core/dpdk.h"

#include <rte_mempool.h>

struct macs_odp_store {
    struct macs_odp_pool pool; /* first: a pool's address is its store's */
    struct rte_mempool *mempool;
    void **object; /* [pool.num] by index: the mempool's order */
};

static inline struct macs_odp_store *macs_odp_store_of(const struct macs_odp_pool *pool) {
    return (struct macs_odp_store *)(uintptr_t)pool;
}

#endif
