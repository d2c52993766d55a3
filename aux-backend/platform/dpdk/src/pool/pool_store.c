/* A pool's objects are in a mempool. Drivers take packets from it as mbufs. */
#include "pool/pool_store.h"

#include <rte_eal.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LEN = 2048 };

/* Lengths are 16 bits in an mbuf, and so is the size of a private area; a driver leaves RTE_PKTMBUF_HEADROOM bytes in
 * front of what it receives, whatever a pool would like. */
const struct macs_odp_pool_limits macs_odp_pool_limits = {.min_headroom = RTE_PKTMBUF_HEADROOM,
                                                          .max_headroom = RTE_PKTMBUF_HEADROOM,
                                                          .max_len = 65472 - RTE_PKTMBUF_HEADROOM,
                                                          .max_uarea = 32768};

#define SAME_PLACE(ours, theirs)                                                                                       \
    _Static_assert(offsetof(struct macs_odp_mbuf, ours) == offsetof(struct rte_mbuf, theirs) &&                        \
                       ODP_FIELD_SIZEOF(struct macs_odp_mbuf, ours) == ODP_FIELD_SIZEOF(struct rte_mbuf, theirs),      \
                   "this release of DPDK has another struct rte_mbuf: see odp/api/plat/object.h")
SAME_PLACE(head, buf_addr);
SAME_PLACE(offset, data_off);
SAME_PLACE(references, refcnt);
SAME_PLACE(segments, nb_segs);
SAME_PLACE(port, port);
SAME_PLACE(flags, ol_flags);
SAME_PLACE(len, pkt_len);
SAME_PLACE(seg_len, data_len);
SAME_PLACE(room, buf_len);
SAME_PLACE(mempool, pool);
_Static_assert(sizeof(struct macs_odp_mbuf) == sizeof(struct rte_mbuf), "the private area follows the mbuf");
_Static_assert(RTE_MBUF_PORT_INVALID == MACS_ODP_PORT_NONE && RTE_MAX_ETHPORTS <= MACS_ODP_PORT_OWN,
               "numbers of ports");

struct rte_mempool *macs_odp_dpdk_mempool(const struct macs_odp_pool *pool) {
    return macs_odp_store_of(pool)->mempool;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint32_t uarea_size(const odp_pool_param_t *param) {
    return param->type == ODP_POOL_PACKET ? param->pkt.uarea_size : param->buf.uarea_size;
}

/* Fill in sizes from the parameters. Returns the bytes of an object. */
static uint32_t pool_shape(struct macs_odp_store *store, const odp_pool_param_t *param) {
    struct macs_odp_pool *pool = &store->pool;
    uint32_t align = ODP_CACHE_LINE_SIZE;
    pool->param = *param;
    if (param->type == ODP_POOL_PACKET) {
        uint32_t len = macs_odp_pool_len(param);
        len = larger(len ? len : DEFAULT_LEN, ODP_CACHE_LINE_SIZE);
        pool->num = param->pkt.num;
        pool->cache_size = param->pkt.cache_size;
        pool->headroom = RTE_PKTMBUF_HEADROOM;
        pool->max_len = param->pkt.max_len ? param->pkt.max_len : len;
        pool->room = pool->headroom + ODP_CACHE_LINE_ROUNDUP(len);
    } else {
        pool->num = param->buf.num;
        pool->cache_size = param->buf.cache_size;
        pool->room = ODP_CACHE_LINE_ROUNDUP(larger(param->buf.size, 1));
        align = larger(align, param->buf.align);
    }
    pool->before = (uint32_t)sizeof(struct macs_odp_packet) + ODP_CACHE_LINE_ROUNDUP(uarea_size(param));
    if (param->type == ODP_POOL_PACKET)
        pool->before += (uint32_t)sizeof(struct macs_odp_layers);
    return pool->before + pool->room + align - ODP_CACHE_LINE_SIZE;
}

/* For rte_mempool_obj_iter(): one object, all of it but the mbuf of a packet. */
static void object_init(struct rte_mempool *mempool, void *argument, void *object, unsigned index) {
    struct macs_odp_store *store = argument;
    struct macs_odp_pool *pool = &store->pool;
    struct macs_odp_event *event = object;
    uint8_t *uarea = (uint8_t *)object + sizeof(struct macs_odp_packet);
    uint32_t size = uarea_size(&pool->param);
    if (pool->param.type == ODP_POOL_PACKET) {
        rte_pktmbuf_init(mempool, NULL, object, index);
        *(struct macs_odp_packet *)object =
            (struct macs_odp_packet){.event = {.mbuf = event->mbuf}, .uarea_size = size};
    } else {
        uint32_t align = larger(pool->param.buf.align, ODP_CACHE_LINE_SIZE);
        uintptr_t addr = (uintptr_t)object + pool->before;
        *(struct macs_odp_buffer *)object = (struct macs_odp_buffer){
            .uarea_size = size, .size = pool->room, .addr = (uint8_t *)((addr + align - 1) / align * align)};
    }
    store->object[index] = object;
    event->pool = pool;
    event->index = index;
    event->type = (uint8_t)pool->param.type;
    memset(uarea, 0, size);
    if (size && pool->param.uarea_init.init_fn)
        pool->param.uarea_init.init_fn(uarea, size, pool->param.uarea_init.args, index);
}

/* For rte_mempool_mem_iter(): what the pool's memory reaches from and to, in whole pages. */
static void extend(struct rte_mempool *mempool, void *argument, struct rte_mempool_memhdr *chunk, unsigned index) {
    struct macs_odp_pool *pool = argument;
    uintptr_t from = (uintptr_t)chunk->addr & ~(uintptr_t)(ODP_PAGE_SIZE - 1);
    uintptr_t to = ((uintptr_t)chunk->addr + chunk->len + ODP_PAGE_SIZE - 1) & ~(uintptr_t)(ODP_PAGE_SIZE - 1);
    uintptr_t end = (uintptr_t)pool->memory + pool->extent;
    const struct rte_memseg_list *segments = rte_mem_virt2memseg_list(chunk->addr);
    (void)mempool, (void)index;
    if (pool->memory == NULL || from < (uintptr_t)pool->memory)
        pool->memory = (uint8_t *)from;
    pool->extent = (to > end ? to : end) - (uintptr_t)pool->memory;
    pool->page = segments != NULL ? segments->page_sz : ODP_PAGE_SIZE;
}

/* A mempool's cache must leave the others something. */
static uint32_t cache_of(const struct macs_odp_pool *pool) {
    uint32_t most = pool->num * 2 / 3;
    return pool->cache_size < most ? pool->cache_size : most;
}

static struct rte_mempool *mempool_new(struct macs_odp_store *store, uint32_t bytes) {
    struct macs_odp_pool *pool = &store->pool;
    char name[RTE_MEMPOOL_NAMESIZE];
    struct rte_pktmbuf_pool_private area = {
        .mbuf_data_room_size = (uint16_t)pool->room,
        .mbuf_priv_size = (uint16_t)(pool->before - sizeof(struct rte_mbuf)),
    };
    /* Where devices see addresses as we do, objects may lie across pages: else each small page would hold one, all of
     * them in the same sets of the CPU's caches. */
    unsigned flags = rte_eal_iova_mode() == RTE_IOVA_VA ? RTE_MEMPOOL_F_NO_IOVA_CONTIG : 0;
    snprintf(name, sizeof(name), "macs-%u", pool->index);
    struct rte_mempool *mempool =
        rte_mempool_create_empty(name, pool->num, bytes, cache_of(pool), sizeof(area), SOCKET_ID_ANY, flags);
    if (mempool == NULL)
        return NULL;
    if (pool->param.type == ODP_POOL_PACKET)
        rte_pktmbuf_pool_init(mempool, &area);
    if (rte_mempool_populate_default(mempool) == (int)pool->num)
        return mempool;
    rte_mempool_free(mempool);
    return NULL;
}

struct macs_odp_pool *macs_odp_store_new(uint16_t index, const char *name, const odp_pool_param_t *param) {
    struct macs_odp_store *store = calloc(1, sizeof(*store));
    if (store == NULL)
        return NULL;
    macs_odp_name(store->pool.name, sizeof(store->pool.name), name);
    store->pool.index = index;
    uint32_t bytes = pool_shape(store, param);
    macs_odp_dpdk_listen();
    store->mempool = mempool_new(store, bytes);
    store->object = calloc(store->pool.num, sizeof(*store->object));
    if (store->mempool == NULL || store->object == NULL) {
        macs_odp_dpdk_complain();
        macs_odp_store_free(&store->pool);
        return NULL;
    }
    rte_mempool_obj_iter(store->mempool, object_init, store);
    rte_mempool_mem_iter(store->mempool, extend, &store->pool);
    store->pool.stride = store->mempool->header_size + store->mempool->elt_size + store->mempool->trailer_size;
    return &store->pool;
}

void macs_odp_store_free(struct macs_odp_pool *pool) {
    rte_mempool_free(macs_odp_store_of(pool)->mempool);
    free(macs_odp_store_of(pool)->object);
    free(macs_odp_store_of(pool));
}

uint32_t macs_odp_store_cached(const struct macs_odp_pool *pool, uint32_t thread) {
    const struct rte_mempool *mempool = macs_odp_store_of(pool)->mempool;
    uint32_t lcore = macs_odp_dpdk_lcore(thread);
    return lcore < RTE_MAX_LCORE && mempool->local_cache != NULL ? mempool->local_cache[lcore].len : 0;
}

uint32_t macs_odp_store_available(const struct macs_odp_pool *pool) {
    uint32_t available = rte_mempool_avail_count(macs_odp_store_of(pool)->mempool); /* with what is in caches */
    for (uint32_t thread = 0; thread < ODP_THREAD_COUNT_MAX; thread++)
        available -= macs_odp_store_cached(pool, thread);
    return available;
}

struct search {
    const uint8_t *address;
    bool found;
};

/* For rte_mempool_mem_iter(): may the address be an object's, and can it be read? */
static void look(struct rte_mempool *mempool, void *argument, struct rte_mempool_memhdr *chunk, unsigned index) {
    struct search *search = argument;
    const uint8_t *from = chunk->addr;
    (void)index;
    search->found |= search->address >= from && search->address + mempool->elt_size <= from + chunk->len;
}

/* Freed objects have a valid address too: drivers take and give them without us. */
bool macs_odp_store_has(const struct macs_odp_pool *pool, odp_event_t event) {
    const struct macs_odp_store *store = macs_odp_store_of(pool);
    struct search search = {.address = (const uint8_t *)event};
    if ((uintptr_t)event % ODP_CACHE_LINE_SIZE != 0)
        return false;
    rte_mempool_mem_iter(store->mempool, look, &search);
    return search.found && event->index < pool->num && store->object[event->index] == event;
}

struct marked {
    struct macs_odp_pool *pool;
    const uint8_t *marks;
};

static void give_marked(struct rte_mempool *mempool, void *argument, void *object, unsigned index) {
    const struct marked *marked = argument;
    odp_packet_t pkt = object;
    (void)mempool, (void)index;
    if (marked->marks[pkt->event.index])
        macs_odp_packet_untake(marked->pool, &pkt, 1);
}

void macs_odp_packet_give_marked(struct macs_odp_pool *pool, const uint8_t marks[]) {
    struct marked argument = {.pool = pool, .marks = marks};
    rte_mempool_obj_iter(macs_odp_store_of(pool)->mempool, give_marked, &argument);
}
