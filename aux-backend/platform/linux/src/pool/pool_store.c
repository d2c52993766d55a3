/* The objects of a pool are in one piece of memory, on huge pages if there are any. */
#include "pool/pool_shape.h"
#include "pool/pool_store.h"
#include "pool/poison.h"

#include <stdlib.h>
#include <string.h>

/* The least headroom is what XDP keeps free before a frame (xsk.h). */
const struct macs_odp_pool_limits macs_odp_pool_limits = {
    .min_headroom = 256, .max_headroom = 4096, .max_len = 65536, .max_uarea = 65536};

static void pool_layout(struct macs_odp_pool *pool, const odp_pool_param_t *param) {
    uint32_t uarea, align = macs_odp_pool_shape(pool, param, &uarea);
    uint32_t before = (uint32_t)sizeof(struct macs_odp_packet) + uarea;
    before = (before + align - 1) / align * align;
    pool->before = before; /* bytes from an object's start to its head (packets) or data */
    pool->stride = macs_odp_pool_stride(before + pool->room + ODP_CACHE_LINE_SIZE, align); /* with the spare line */
}

static struct macs_odp_event *object_new(struct macs_odp_pool *pool, uint32_t index) {
    uint8_t *start = pool->memory + (uint64_t)index * pool->stride;
    struct macs_odp_event *event = (struct macs_odp_event *)(void *)start;
    uint32_t uarea_size;
    macs_odp_poison(start, pool->stride, false);
    *event = (struct macs_odp_event){.pool = pool, .index = index, .type = (uint8_t)pool->param.type, .input = -1};
    if (pool->param.type == ODP_POOL_PACKET) {
        struct macs_odp_packet *pkt = (struct macs_odp_packet *)(void *)start;
        uarea_size = pool->param.pkt.uarea_size;
        pkt->head = start + pool->before;
        pkt->data = pkt->head + pool->headroom;
        pkt->room = pool->room;
        pkt->uarea_size = uarea_size;
    } else {
        struct macs_odp_buffer *buf = (struct macs_odp_buffer *)(void *)start;
        uarea_size = pool->param.buf.uarea_size;
        buf->addr = start + pool->before;
        buf->size = pool->room;
        buf->uarea_size = uarea_size;
    }
    if (uarea_size && pool->param.uarea_init.init_fn)
        pool->param.uarea_init.init_fn(start + sizeof(struct macs_odp_packet), uarea_size, pool->param.uarea_init.args,
                                       index);
    macs_odp_pool_poison(pool, event, true);
    return event;
}

void macs_odp_store_make(struct macs_odp_pool *pool, uint32_t first, struct macs_odp_event **to, uint32_t num) {
    for (uint32_t i = 0; i < num; i++)
        to[num - 1 - i] = object_new(pool, first + i);
}

void macs_odp_store_free(struct macs_odp_pool *pool) {
    struct macs_odp_store *store = macs_odp_store_of(pool);
    if (pool->memory != NULL) {
        macs_odp_pool_unpoison_all(pool);
        macs_odp_unmap(pool->memory, pool->extent);
    }
    if (store->cache != NULL)
        macs_odp_unmap(store->cache, store->cache_mapped);
    free(store->store);
    free(store);
}

struct macs_odp_pool *macs_odp_store_new(uint16_t number, const char *name, const odp_pool_param_t *param) {
    struct macs_odp_store *store = aligned_alloc(ODP_CACHE_LINE_SIZE, sizeof(*store));
    uint64_t page;
    if (store == NULL)
        return NULL;
    memset(store, 0, sizeof(*store));
    struct macs_odp_pool *pool = &store->pool;
    macs_odp_name(pool->name, sizeof(pool->name), name);
    pool->index = number;
    pool_layout(pool, param);
    pool->memory = macs_odp_map((uint64_t)pool->num * pool->stride, MACS_ODP_PAGES_BEST, &pool->extent, &pool->page);
    store->cache =
        macs_odp_map(ODP_THREAD_COUNT_MAX * sizeof(*store->cache), MACS_ODP_PAGES_SMALL, &store->cache_mapped, &page);
    store->store = malloc(pool->num * sizeof(*store->store));
    if (pool->memory == NULL || store->cache == NULL || store->store == NULL) {
        macs_odp_store_free(pool);
        return NULL;
    }
    odp_spinlock_init(&store->lock);
    macs_odp_poison(pool->memory, pool->extent, true);
    if (param->uarea_init.init_fn) { /* it is called now, for all */
        macs_odp_store_make(pool, 0, store->store, pool->num);
        store->made = store->stored = pool->num;
    }
    return pool;
}

uint32_t macs_odp_store_available(const struct macs_odp_pool *pool) {
    const struct macs_odp_store *store = macs_odp_store_of(pool);
    return __atomic_load_n(&store->stored, __ATOMIC_RELAXED) + pool->num -
           __atomic_load_n(&store->made, __ATOMIC_RELAXED);
}

uint32_t macs_odp_store_cached(const struct macs_odp_pool *pool, uint32_t thread) {
    return __atomic_load_n(&macs_odp_store_of(pool)->cache[thread].count, __ATOMIC_RELAXED);
}

bool macs_odp_store_has(const struct macs_odp_pool *pool, odp_event_t event) {
    if ((uintptr_t)event < (uintptr_t)pool->memory)
        return false;
    uint64_t offset = (uintptr_t)event - (uintptr_t)pool->memory;
    uint32_t made = __atomic_load_n(&macs_odp_store_of(pool)->made, __ATOMIC_RELAXED);
    return offset % pool->stride == 0 && offset / pool->stride < made && event->live;
}

void macs_odp_packet_give_marked(struct macs_odp_pool *pool, const uint8_t marks[]) {
    for (uint32_t index = 0; index < pool->num; index++) {
        odp_packet_t pkt = (odp_packet_t)(void *)(pool->memory + (uint64_t)index * pool->stride);
        if (marks[index])
            macs_odp_packet_untake(pool, &pkt, 1);
    }
}
