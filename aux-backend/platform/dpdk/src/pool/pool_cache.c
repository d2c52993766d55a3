/* Allocation and release of a pool's objects, by the mempool and its cache for each thread. */
#include "pool/pool_store.h"

#include <rte_lcore.h>

/* Fewer than asked for: as many as there are. A mempool gives all or nothing. */
static uint32_t take_rest(struct rte_mempool *mempool, void **objects, uint32_t num) {
    uint32_t got = 0;
    for (uint32_t part = num / 2; part > 0 && got < num;) {
        if (part > num - got)
            part = num - got;
        if (rte_mempool_get_bulk(mempool, objects + got, part) == 0)
            got += part;
        else
            part /= 2;
    }
    return got;
}

uint32_t macs_odp_pool_take(struct macs_odp_pool *pool, struct macs_odp_event *event[], uint32_t num) {
    struct rte_mempool *mempool = macs_odp_store_of(pool)->mempool;
    void **objects = (void **)(void *)event;
    if (odp_likely(rte_mempool_get_bulk(mempool, objects, num) == 0))
        return num;
    return take_rest(mempool, objects, num);
}

void macs_odp_pool_put(struct macs_odp_pool *pool, struct macs_odp_event *const event[], uint32_t num) {
    rte_mempool_put_bulk(macs_odp_store_of(pool)->mempool, (void *const *)(const void *)event, num);
}

void macs_odp_pool_cache_empty(struct macs_odp_pool *pool) {
    struct rte_mempool *mempool = macs_odp_store_of(pool)->mempool;
    struct rte_mempool_cache *cache = rte_mempool_default_cache(mempool, rte_lcore_id());
    if (cache != NULL)
        rte_mempool_cache_flush(cache, mempool);
}
