/* Pools: creation, destruction, and what can be asked of them. */
#include "pool.h"

#include <stdlib.h>
#include <string.h>

enum {
    MIN_HEADROOM = 128,
    MAX_HEADROOM = 4096,
    MAX_LEN = 65536,
    MAX_NUM = 4u << 20,
    MAX_UAREA = 65536,
    MAX_BUFFER = 1u << 20,
    MAX_ALIGN = 4096,
    DEFAULT_LEN = 2048,
    DEFAULT_CACHE = 256,
};

static struct macs_odp_pool *pools[MACS_ODP_POOLS];

int odp_pool_capability(odp_pool_capability_t *capa) {
    odp_pool_stats_opt_t stats = {.bit = {.available = 1, .cache_available = 1, .thread_cache_available = 1}};
    memset(capa, 0, sizeof(*capa));
    capa->max_pools = MACS_ODP_POOLS;
    capa->buf.max_pools = MACS_ODP_POOLS;
    capa->buf.max_align = MAX_ALIGN;
    capa->buf.max_size = MAX_BUFFER;
    capa->buf.max_num = MAX_NUM;
    capa->buf.max_uarea_size = MAX_UAREA;
    capa->buf.uarea_persistence = true;
    capa->buf.max_cache_size = MACS_ODP_CACHE_MAX;
    capa->buf.stats = stats;
    capa->pkt.max_pools = MACS_ODP_POOLS;
    capa->pkt.max_len = MAX_LEN;
    capa->pkt.max_num = MAX_NUM;
    capa->pkt.max_align = ODP_CACHE_LINE_SIZE;
    capa->pkt.min_headroom = MIN_HEADROOM;
    capa->pkt.max_headroom = MAX_HEADROOM;
    capa->pkt.max_segs_per_pkt = 1;
    capa->pkt.min_seg_len = ODP_CACHE_LINE_SIZE;
    capa->pkt.max_seg_len = MAX_LEN;
    capa->pkt.max_uarea_size = MAX_UAREA;
    capa->pkt.uarea_persistence = true;
    capa->pkt.max_cache_size = MACS_ODP_CACHE_MAX;
    capa->pkt.stats = stats;
    return 0;
}

void odp_pool_param_init(odp_pool_param_t *param) {
    memset(param, 0, sizeof(*param));
    param->type = ODP_POOL_PACKET;
    param->buf.cache_size = DEFAULT_CACHE;
    param->pkt.cache_size = DEFAULT_CACHE;
}

static bool align_ok(uint32_t align, uint32_t most) {
    return align <= most && (align & (align - 1)) == 0;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static bool packet_param_ok(const odp_pool_param_t *param) {
    uint32_t len = larger(larger(param->pkt.len, param->pkt.seg_len), param->pkt.max_len);
    return param->pkt.num > 0 && param->pkt.num <= MAX_NUM && len <= MAX_LEN && param->pkt.num_subparam == 0 &&
           (param->pkt.max_num == 0 || param->pkt.max_num >= param->pkt.num) &&
           (param->pkt.max_len == 0 || param->pkt.max_len >= param->pkt.len) && param->pkt.headroom <= MAX_HEADROOM &&
           param->pkt.uarea_size <= MAX_UAREA && param->pkt.cache_size <= MACS_ODP_CACHE_MAX &&
           align_ok(param->pkt.align, ODP_CACHE_LINE_SIZE);
}

static bool buffer_param_ok(const odp_pool_param_t *param) {
    return param->buf.num > 0 && param->buf.num <= MAX_NUM && param->buf.size <= MAX_BUFFER &&
           param->buf.uarea_size <= MAX_UAREA && param->buf.cache_size <= MACS_ODP_CACHE_MAX &&
           align_ok(param->buf.align, MAX_ALIGN);
}

/* Fill in sizes from the parameters. Returns the bytes from an object's start to its head (packets) or data. */
static uint32_t pool_shape(struct macs_odp_pool *pool, const odp_pool_param_t *param, uint32_t *align) {
    bool packets = param->type == ODP_POOL_PACKET;
    uint32_t uarea = ODP_CACHE_LINE_ROUNDUP(packets ? param->pkt.uarea_size : param->buf.uarea_size);
    *align = ODP_CACHE_LINE_SIZE;
    pool->param = *param;
    if (packets) {
        uint32_t len = larger(larger(param->pkt.len, param->pkt.seg_len), param->pkt.max_len);
        len = larger(len ? len : DEFAULT_LEN, ODP_CACHE_LINE_SIZE);
        pool->num = param->pkt.num;
        pool->cache_size = param->pkt.cache_size;
        pool->headroom = larger(MIN_HEADROOM, ODP_CACHE_LINE_ROUNDUP(param->pkt.headroom));
        pool->max_len = param->pkt.max_len ? param->pkt.max_len : len;
        pool->room = pool->headroom + ODP_CACHE_LINE_ROUNDUP(len);
    } else {
        pool->num = param->buf.num;
        pool->cache_size = param->buf.cache_size;
        pool->room = ODP_CACHE_LINE_ROUNDUP(larger(param->buf.size, 1));
        *align = larger(*align, param->buf.align);
    }
    uint32_t before = (uint32_t)sizeof(struct macs_odp_packet) + uarea;
    before = (before + *align - 1) / *align * *align;
    /* A spare line at the end; an odd number of lines spreads the objects over the sets of the CPU's caches. */
    uint32_t lines = (before + pool->room) / ODP_CACHE_LINE_SIZE + 1;
    pool->stride = (lines | 1) * ODP_CACHE_LINE_SIZE;
    pool->stride = (pool->stride + *align - 1) / *align * *align;
    return before;
}

static void object_init(struct macs_odp_pool *pool, uint32_t index, uint32_t before) {
    uint8_t *start = pool->memory + (uint64_t)index * pool->stride;
    struct macs_odp_event *event = (struct macs_odp_event *)(void *)start;
    uint32_t uarea_size;
    *event = (struct macs_odp_event){.pool = pool, .index = index, .type = (uint8_t)pool->param.type, .input = -1};
    if (pool->param.type == ODP_POOL_PACKET) {
        struct macs_odp_packet *pkt = (struct macs_odp_packet *)(void *)start;
        uarea_size = pool->param.pkt.uarea_size;
        pkt->head = start + before;
        pkt->data = pkt->head + pool->headroom;
        pkt->room = pool->room;
        pkt->uarea_size = uarea_size;
    } else {
        struct macs_odp_buffer *buf = (struct macs_odp_buffer *)(void *)start;
        uarea_size = pool->param.buf.uarea_size;
        buf->addr = start + before;
        buf->size = pool->room;
        buf->uarea_size = uarea_size;
    }
    if (uarea_size && pool->param.uarea_init.init_fn)
        pool->param.uarea_init.init_fn(start + sizeof(struct macs_odp_packet), uarea_size, pool->param.uarea_init.args,
                                       index);
}

static void pool_unmap(struct macs_odp_pool *pool) {
    if (pool->memory != NULL) {
        macs_odp_pool_unpoison_all(pool);
        macs_odp_unmap(pool->memory, pool->mapped);
    }
    if (pool->cache != NULL)
        macs_odp_unmap(pool->cache, pool->cache_mapped);
    free(pool->store);
    free(pool);
}

static struct macs_odp_pool *pool_new(const char *name, const odp_pool_param_t *param) {
    struct macs_odp_pool *pool = aligned_alloc(ODP_CACHE_LINE_SIZE, sizeof(*pool));
    uint32_t align;
    uint64_t page;
    if (pool == NULL)
        return NULL;
    memset(pool, 0, sizeof(*pool));
    macs_odp_name(pool->name, sizeof(pool->name), name);
    uint32_t before = pool_shape(pool, param, &align);
    pool->memory = macs_odp_map((uint64_t)pool->num * pool->stride, MACS_ODP_PAGES_BEST, &pool->mapped, &pool->page);
    pool->cache =
        macs_odp_map(ODP_THREAD_COUNT_MAX * sizeof(*pool->cache), MACS_ODP_PAGES_SMALL, &pool->cache_mapped, &page);
    pool->store = malloc(pool->num * sizeof(*pool->store));
    if (pool->memory == NULL || pool->cache == NULL || pool->store == NULL) {
        pool_unmap(pool);
        return NULL;
    }
    odp_spinlock_init(&pool->lock);
    for (uint32_t index = pool->num; index-- > 0;) { /* so that the first object is given first */
        object_init(pool, index, before);
        pool->store[pool->stored] = (struct macs_odp_event *)(void *)(pool->memory + (uint64_t)index * pool->stride);
        macs_odp_pool_poison(pool, pool->store[pool->stored++], true);
    }
    return pool;
}

odp_pool_t odp_pool_create(const char *name, const odp_pool_param_t *param) {
    struct macs_odp_pool *pool = NULL;
    bool packets = param->type == ODP_POOL_PACKET;
    if ((!packets && param->type != ODP_POOL_BUFFER) || (packets ? !packet_param_ok(param) : !buffer_param_ok(param))) {
        macs_odp_error = EINVAL;
        return ODP_POOL_INVALID;
    }
    macs_odp_error = ENOMEM;
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < MACS_ODP_POOLS; index++)
        if (pools[index] == NULL) {
            pool = pool_new(name, param);
            pools[index] = pool;
            if (pool != NULL)
                pool->index = (uint16_t)index;
            break;
        }
    pthread_mutex_unlock(&macs_odp_lock);
    if (pool == NULL)
        macs_odp_log(ODP_LOG_ERR, "pool %s: no memory for %u objects\n", name ? name : "",
                     packets ? param->pkt.num : param->buf.num);
    return pool;
}

static uint64_t cached(const struct macs_odp_pool *pool) {
    uint64_t sum = 0;
    for (uint32_t thread = 0; thread < ODP_THREAD_COUNT_MAX; thread++)
        sum += __atomic_load_n(&pool->cache[thread].count, __ATOMIC_RELAXED);
    return sum;
}

int odp_pool_destroy(odp_pool_t pool) {
    int result = 0;
    if (pool == NULL)
        return macs_odp_fail(EINVAL);
    pthread_mutex_lock(&macs_odp_lock);
    uint64_t missing = pool->num - pool->stored - cached(pool);
    if (missing || pool->users)
        result = macs_odp_fail(EBUSY);
    else
        pools[pool->index] = NULL;
    pthread_mutex_unlock(&macs_odp_lock);
    if (result == 0)
        pool_unmap(pool);
    return result;
}

unsigned macs_odp_pool_term(void) {
    unsigned left = 0;
    for (uint32_t index = 0; index < MACS_ODP_POOLS; index++)
        if (pools[index] != NULL) {
            pool_unmap(pools[index]);
            pools[index] = NULL;
            left++;
        }
    return left;
}

odp_pool_t odp_pool_lookup(const char *name) {
    odp_pool_t found = ODP_POOL_INVALID;
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < MACS_ODP_POOLS && found == ODP_POOL_INVALID; index++)
        if (pools[index] != NULL && strcmp(pools[index]->name, name) == 0)
            found = pools[index];
    pthread_mutex_unlock(&macs_odp_lock);
    return found;
}

int odp_pool_info(odp_pool_t pool, odp_pool_info_t *info) {
    if (pool == NULL)
        return macs_odp_fail(EINVAL);
    memset(info, 0, sizeof(*info));
    info->type = pool->param.type;
    info->name = pool->name;
    info->params = pool->param;
    if (info->type == ODP_POOL_PACKET)
        info->pkt.max_num = pool->num;
    info->min_data_addr = (uintptr_t)pool->memory;
    info->max_data_addr = (uintptr_t)pool->memory + (uint64_t)pool->num * pool->stride - 1;
    return 0;
}

int odp_pool_stats(odp_pool_t pool, odp_pool_stats_t *stats) {
    if (pool == NULL)
        return macs_odp_fail(EINVAL);
    uint32_t first = stats->thread.first, last = stats->thread.last;
    bool each = pool->param.stats.bit.thread_cache_available;
    if (each && (first > last || last >= ODP_THREAD_COUNT_MAX))
        return macs_odp_fail(EINVAL);
    memset(stats, 0, sizeof(*stats));
    stats->thread.first = (uint16_t)first;
    stats->thread.last = (uint16_t)last;
    if (pool->param.stats.bit.available)
        stats->available = __atomic_load_n(&pool->stored, __ATOMIC_RELAXED);
    if (pool->param.stats.bit.cache_available)
        stats->cache_available = cached(pool);
    for (uint32_t thread = first; each && thread <= last; thread++)
        stats->thread.cache_available[thread - first] = __atomic_load_n(&pool->cache[thread].count, __ATOMIC_RELAXED);
    return 0;
}

int odp_pool_stats_reset(odp_pool_t pool) {
    return pool == NULL ? macs_odp_fail(EINVAL) : 0;
}

unsigned int odp_pool_max_index(void) {
    return MACS_ODP_POOLS - 1;
}

int odp_pool_index(odp_pool_t pool) {
    return pool == NULL ? macs_odp_fail(EINVAL) : pool->index;
}

uint64_t odp_pool_to_u64(odp_pool_t pool) {
    return (uintptr_t)pool;
}

void odp_pool_print(odp_pool_t pool) {
    macs_odp_log(
        ODP_LOG_PRINT,
        "pool %u \"%s\": %s, %u objects of %u bytes each %u, %u free, %" PRIu64 " cached, %" PRIu64 " kB pages\n",
        pool->index, pool->name, pool->param.type == ODP_POOL_PACKET ? "packets" : "buffers", pool->num, pool->room,
        pool->stride, __atomic_load_n(&pool->stored, __ATOMIC_RELAXED), cached(pool), pool->page / 1024);
}

void odp_pool_print_all(void) {
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < MACS_ODP_POOLS; index++)
        if (pools[index] != NULL)
            odp_pool_print(pools[index]);
    pthread_mutex_unlock(&macs_odp_lock);
}

/* Any address may come: nothing is read before it is known to be the start of an object. */
int odp_event_is_valid(odp_event_t event) {
    int valid = 0;
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < MACS_ODP_POOLS && !valid; index++) {
        const struct macs_odp_pool *pool = pools[index];
        uintptr_t at = (uintptr_t)event;
        if (pool == NULL || at < (uintptr_t)pool->memory)
            continue;
        uint64_t offset = at - (uintptr_t)pool->memory;
        valid = offset % pool->stride == 0 && offset / pool->stride < pool->num && event->live;
    }
    pthread_mutex_unlock(&macs_odp_lock);
    return valid;
}

void macs_odp_pool_leave(void) {
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < MACS_ODP_POOLS; index++)
        if (pools[index] != NULL)
            macs_odp_pool_cache_empty(pools[index]);
    pthread_mutex_unlock(&macs_odp_lock);
}
