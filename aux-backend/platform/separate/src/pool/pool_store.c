/* The objects of a pool with separate descriptions: descriptions in one piece of memory, buffers in another. */
#include "pool/pool_store.h"
#include "pool/pool_shape.h"

#include <stdlib.h>
#include <string.h>

const struct macs_odp_pool_limits macs_odp_pool_limits = {
    .min_headroom = 256, .max_headroom = 4096, .max_len = 65536, .max_uarea = 65536};

static void description_init(struct macs_odp_pool *pool, struct macs_odp_event *event, uint32_t index) {
    bool packets = pool->param.type == ODP_POOL_PACKET;
    uint32_t uarea_size = packets ? pool->param.pkt.uarea_size : pool->param.buf.uarea_size;
    *event = (struct macs_odp_event){.pool = pool, .index = index, .type = (uint8_t)pool->param.type, .input = -1};
    if (packets) {
        struct macs_odp_packet *pkt = (struct macs_odp_packet *)(void *)event;
        pkt->room = pool->room;
        pkt->uarea_size = uarea_size;
    } else {
        struct macs_odp_buffer *buf = (struct macs_odp_buffer *)(void *)event;
        buf->size = pool->room;
        buf->uarea_size = uarea_size;
    }
    if (uarea_size && pool->param.uarea_init.init_fn)
        pool->param.uarea_init.init_fn((struct macs_odp_packet *)(void *)event + 1, uarea_size,
                                       pool->param.uarea_init.args, index);
}

static bool list_new(struct macs_odp_list *list, uint32_t num) {
    uint64_t page;
    list->cache =
        macs_odp_map(ODP_THREAD_COUNT_MAX * sizeof(*list->cache), MACS_ODP_PAGES_SMALL, &list->cache_mapped, &page);
    list->store = malloc(num * sizeof(*list->store));
    odp_spinlock_init(&list->lock);
    return list->cache != NULL && list->store != NULL;
}

static void list_free(struct macs_odp_list *list) {
    if (list->cache != NULL)
        macs_odp_unmap(list->cache, list->cache_mapped);
    free(list->store);
}

void macs_odp_store_free(struct macs_odp_pool *pool) {
    struct macs_odp_store *store = macs_odp_store_of(pool);
    if (pool->memory != NULL) {
        macs_odp_pool_unpoison_all(pool);
        macs_odp_unmap(pool->memory, pool->extent);
    }
    if (store->described != NULL)
        macs_odp_unmap(store->described, store->described_mapped);
    list_free(&store->descriptions);
    list_free(&store->memories);
    free(store);
}

/* All objects are free. So that the first is given first, the last comes first. */
static void store_fill(struct macs_odp_store *store) {
    struct macs_odp_pool *pool = &store->pool;
    for (uint32_t index = pool->num; index-- > 0;) {
        uint8_t *description = store->described + (uint64_t)index * store->distance;
        uint8_t *memory = pool->memory + (uint64_t)index * pool->stride;
        description_init(pool, (struct macs_odp_event *)(void *)description, index);
        store->descriptions.store[store->descriptions.stored++] = description;
        store->memories.store[store->memories.stored++] = memory;
        macs_odp_pool_poison(pool, memory, true);
    }
}

struct macs_odp_pool *macs_odp_store_new(uint16_t number, const char *name, const odp_pool_param_t *param) {
    struct macs_odp_store *store = aligned_alloc(ODP_CACHE_LINE_SIZE, sizeof(*store));
    uint64_t page;
    uint32_t uarea;
    if (store == NULL)
        return NULL;
    memset(store, 0, sizeof(*store));
    struct macs_odp_pool *pool = &store->pool;
    macs_odp_name(pool->name, sizeof(pool->name), name);
    pool->index = number;
    uint32_t align = macs_odp_pool_shape(pool, param, &uarea);
    pool->stride = macs_odp_pool_stride(pool->room + ODP_CACHE_LINE_SIZE, align); /* a spare line, as ever */
    store->distance = macs_odp_pool_stride((uint32_t)sizeof(struct macs_odp_packet) + uarea, ODP_CACHE_LINE_SIZE);
    pool->memory = macs_odp_map((uint64_t)pool->num * pool->stride, MACS_ODP_PAGES_BEST, &pool->extent, &pool->page);
    store->described =
        macs_odp_map((uint64_t)pool->num * store->distance, MACS_ODP_PAGES_BEST, &store->described_mapped, &page);
    bool lists = list_new(&store->descriptions, pool->num) && list_new(&store->memories, pool->num);
    if (pool->memory == NULL || store->described == NULL || !lists) {
        macs_odp_store_free(pool);
        return NULL;
    }
    store_fill(store);
    return pool;
}

uint32_t macs_odp_store_available(const struct macs_odp_pool *pool) {
    return __atomic_load_n(&macs_odp_store_of(pool)->descriptions.stored, __ATOMIC_RELAXED);
}

uint32_t macs_odp_store_cached(const struct macs_odp_pool *pool, uint32_t thread) {
    return __atomic_load_n(&macs_odp_store_of(pool)->descriptions.cache[thread].count, __ATOMIC_RELAXED);
}

bool macs_odp_store_has(const struct macs_odp_pool *pool, odp_event_t event) {
    const struct macs_odp_store *store = macs_odp_store_of(pool);
    uint64_t offset = (uintptr_t)event - (uintptr_t)store->described; /* large for what lies before it */
    return offset % store->distance == 0 && offset / store->distance < pool->num && event->live;
}
