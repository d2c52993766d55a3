/* Allocation and release of a pool's objects: a cache in each thread, and its exchange with the store that all share.
 */
#include "pool/poison.h"
#include "pool/pool_store.h"

#include <string.h>

_Static_assert(MACS_ODP_PACKET == ODP_EVENT_PACKET, "the type of a started packet");

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Move between cache and store. Return how many could be moved: those that were used before are given first. */
static uint32_t store_take(struct macs_odp_store *store, struct macs_odp_event **to, uint32_t num) {
    odp_spinlock_lock(&store->lock);
    uint32_t count = least(num, store->stored), left = store->stored - count;
    uint32_t first = store->made, fresh = least(num - count, store->pool.num - first);
    memcpy(to + fresh, store->store + left, count * sizeof(*to));
    __atomic_store_n(&store->stored, left, __ATOMIC_RELAXED);
    __atomic_store_n(&store->made, first + fresh, __ATOMIC_RELAXED);
    odp_spinlock_unlock(&store->lock);
    if (odp_unlikely(fresh))
        macs_odp_store_make(&store->pool, first, to, fresh);
    return fresh + count;
}

static void store_give(struct macs_odp_store *store, struct macs_odp_event *const *from, uint32_t num) {
    odp_spinlock_lock(&store->lock);
    memcpy(store->store + store->stored, from, num * sizeof(*from));
    __atomic_store_n(&store->stored, store->stored + num, __ATOMIC_RELAXED);
    odp_spinlock_unlock(&store->lock);
}

static struct macs_odp_cache *own_cache(struct macs_odp_pool *pool) {
    if (odp_unlikely(macs_odp_thread < 0))
        macs_odp_abort("pool %s is used by a thread that has not called odp_init_local()\n", pool->name);
    return &macs_odp_store_of(pool)->cache[macs_odp_thread];
}

uint32_t macs_odp_pool_take(struct macs_odp_pool *pool, struct macs_odp_event *event[], uint32_t num) {
    struct macs_odp_cache *cache = own_cache(pool);
    uint32_t count = cache->count, got = num;
    if (odp_unlikely(num > count)) {
        uint32_t want = num - count + pool->cache_size / 2;
        if (want + count <= pool->cache_size) {
            count += store_take(macs_odp_store_of(pool), cache->slot + count, want);
            got = num < count ? num : count;
        } else { /* more than the cache holds: what is missing comes straight from the store */
            memcpy(event, cache->slot, count * sizeof(*event));
            got = count + store_take(macs_odp_store_of(pool), event + count, num - count);
            count = 0;
            __atomic_store_n(&cache->count, 0, __ATOMIC_RELAXED);
            goto taken;
        }
    }
    count -= got;
    memcpy(event, cache->slot + count, got * sizeof(*event));
    __atomic_store_n(&cache->count, count, __ATOMIC_RELAXED);
taken:
    for (uint32_t i = 0; i < got; i++) {
        if (pool->param.type != ODP_POOL_PACKET)
            event[i]->live = 1;
        macs_odp_pool_poison(pool, event[i], false);
    }
    return got;
}

void macs_odp_pool_put(struct macs_odp_pool *pool, struct macs_odp_event *const event[], uint32_t num) {
    struct macs_odp_cache *cache = own_cache(pool);
    uint32_t count = cache->count;
    for (uint32_t i = 0; i < num; i++)
        macs_odp_pool_poison(pool, event[i], true);
    if (odp_unlikely(num > pool->cache_size)) {
        store_give(macs_odp_store_of(pool), event, num);
        return;
    }
    if (odp_unlikely(count + num > pool->cache_size)) {
        uint32_t keep = (pool->cache_size - num) / 2;
        if (keep < count) {
            store_give(macs_odp_store_of(pool), cache->slot + keep, count - keep);
            count = keep;
        }
    }
    memcpy(cache->slot + count, event, num * sizeof(*event));
    __atomic_store_n(&cache->count, count + num, __ATOMIC_RELAXED);
}

void macs_odp_pool_cache_empty(struct macs_odp_pool *pool) {
    struct macs_odp_cache *cache = own_cache(pool);
    store_give(macs_odp_store_of(pool), cache->slot, cache->count);
    __atomic_store_n(&cache->count, 0, __ATOMIC_RELAXED);
}

void macs_odp_pool_poison(struct macs_odp_pool *pool, struct macs_odp_event *event, bool poison) {
    void *data = event->type == ODP_EVENT_PACKET ? ((struct macs_odp_packet *)(void *)event)->head
                                                 : ((struct macs_odp_buffer *)(void *)event)->addr;
    macs_odp_poison(data, pool->room, poison);
}

void macs_odp_pool_unpoison_all(struct macs_odp_pool *pool) {
    macs_odp_poison(pool->memory, pool->extent, false);
}
