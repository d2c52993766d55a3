/* Allocation and release of packets with separate descriptions; see pool_store.h. */
#include "pool/poison.h"
#include "pool/pool_store.h"

#include <string.h>

/* Move up to `num` from the store to an empty cache. Returns how many. */
static uint32_t refill(struct macs_odp_list *list, struct macs_odp_cache *cache, uint32_t num) {
    odp_spinlock_lock(&list->lock);
    uint32_t count = num < list->stored ? num : list->stored;
    uint32_t left = list->stored - count;
    memcpy(cache->slot, list->store + left, count * sizeof(*list->store));
    __atomic_store_n(&list->stored, left, __ATOMIC_RELAXED);
    odp_spinlock_unlock(&list->lock);
    return count;
}

/* Leave `keep` objects in the cache, the others go to the store. */
static void flush(struct macs_odp_list *list, struct macs_odp_cache *cache, uint32_t keep) {
    uint32_t num = cache->count - keep;
    odp_spinlock_lock(&list->lock);
    memcpy(list->store + list->stored, cache->slot + keep, num * sizeof(*list->store));
    __atomic_store_n(&list->stored, list->stored + num, __ATOMIC_RELAXED);
    odp_spinlock_unlock(&list->lock);
    __atomic_store_n(&cache->count, keep, __ATOMIC_RELAXED);
}

/* One object; NULL: there is none. `most`: in a cache, 0: none stays there. */
static inline void *list_take(struct macs_odp_list *list, int thread, uint32_t most) {
    struct macs_odp_cache *cache = &list->cache[thread];
    uint32_t count = cache->count;
    if (odp_unlikely(count == 0) && (count = refill(list, cache, most / 2 + 1)) == 0)
        return NULL;
    __atomic_store_n(&cache->count, count - 1, __ATOMIC_RELAXED);
    return cache->slot[count - 1];
}

static inline void list_give(struct macs_odp_list *list, int thread, uint32_t most, void *object) {
    struct macs_odp_cache *cache = &list->cache[thread];
    if (odp_unlikely(cache->count >= most && cache->count > 0))
        flush(list, cache, most / 2);
    cache->slot[cache->count] = object;
    __atomic_store_n(&cache->count, cache->count + 1, __ATOMIC_RELAXED);
    if (odp_unlikely(most == 0))
        flush(list, cache, 0);
}

static int own_thread(const struct macs_odp_pool *pool) {
    if (odp_unlikely(macs_odp_thread < 0))
        macs_odp_abort("pool %s is used by a thread that has not called odp_init_local()\n", pool->name);
    return macs_odp_thread;
}

/* A description gets memory to describe. */
static inline void bind(const struct macs_odp_pool *pool, struct macs_odp_event *event, uint8_t *memory) {
    if (pool->param.type == ODP_POOL_PACKET)
        ((struct macs_odp_packet *)(void *)event)->head = memory;
    else
        ((struct macs_odp_buffer *)(void *)event)->addr = memory;
    event->live = 1;
}

/* Returns the memory that it described. */
static inline uint8_t *unbind(const struct macs_odp_pool *pool, const struct macs_odp_event *event) {
    return pool->param.type == ODP_POOL_PACKET ? ((struct macs_odp_packet *)(void *)event)->head
                                               : ((struct macs_odp_buffer *)(void *)event)->addr;
}

uint32_t macs_odp_pool_take(struct macs_odp_pool *pool, struct macs_odp_event *event[], uint32_t num) {
    struct macs_odp_store *store = macs_odp_store_of(pool);
    int thread = own_thread(pool);
    for (uint32_t i = 0; i < num; i++) {
        void *memory = NULL;
        event[i] = list_take(&store->descriptions, thread, pool->cache_size);
        if (odp_likely(event[i] != NULL))
            memory = list_take(&store->memories, thread, pool->cache_size);
        if (odp_unlikely(memory == NULL)) {
            if (event[i] != NULL)
                list_give(&store->descriptions, thread, pool->cache_size, event[i]);
            return i;
        }
        macs_odp_pool_poison(pool, memory, false);
        bind(pool, event[i], memory);
    }
    return num;
}

void macs_odp_pool_put(struct macs_odp_pool *pool, struct macs_odp_event *const event[], uint32_t num) {
    struct macs_odp_store *store = macs_odp_store_of(pool);
    int thread = own_thread(pool);
    for (uint32_t i = 0; i < num; i++) {
        uint8_t *memory = unbind(pool, event[i]);
        macs_odp_pool_poison(pool, memory, true);
        list_give(&store->memories, thread, pool->cache_size, memory); /* before who takes the description wants one */
        list_give(&store->descriptions, thread, pool->cache_size, event[i]);
    }
}

void macs_odp_pool_cache_empty(struct macs_odp_pool *pool) {
    struct macs_odp_store *store = macs_odp_store_of(pool);
    int thread = own_thread(pool);
    flush(&store->memories, &store->memories.cache[thread], 0);
    flush(&store->descriptions, &store->descriptions.cache[thread], 0);
}

void macs_odp_pool_poison(struct macs_odp_pool *pool, void *memory, bool poison) {
    macs_odp_poison(memory, pool->room, poison);
}

void macs_odp_pool_unpoison_all(struct macs_odp_pool *pool) {
    macs_odp_poison(pool->memory, pool->extent, false);
}
