/* Pools: creation, destruction, information. pool_store.c has where their objects are. */
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NUM = 4u << 20, MAX_BUFFER = 1u << 20, MAX_ALIGN = 4096, DEFAULT_CACHE = 256 };

static struct macs_odp_pool *pools[MACS_ODP_POOLS];

int odp_pool_capability(odp_pool_capability_t *capa) {
    odp_pool_stats_opt_t stats = {.bit = {.available = 1, .cache_available = 1, .thread_cache_available = 1}};
    memset(capa, 0, sizeof(*capa));
    capa->max_pools = MACS_ODP_POOLS;
    capa->buf.max_pools = MACS_ODP_POOLS;
    capa->buf.max_align = MAX_ALIGN;
    capa->buf.max_size = MAX_BUFFER;
    capa->buf.max_num = MAX_NUM;
    capa->buf.max_uarea_size = macs_odp_pool_limits.max_uarea;
    capa->buf.uarea_persistence = true;
    capa->buf.max_cache_size = MACS_ODP_CACHE_MAX;
    capa->buf.stats = stats;
    capa->pkt.max_pools = MACS_ODP_POOLS;
    capa->pkt.max_len = macs_odp_pool_limits.max_len;
    capa->pkt.max_num = MAX_NUM;
    capa->pkt.max_align = ODP_CACHE_LINE_SIZE;
    capa->pkt.min_headroom = macs_odp_pool_limits.min_headroom;
    capa->pkt.max_headroom = macs_odp_pool_limits.max_headroom;
    capa->pkt.max_segs_per_pkt = 1;
    capa->pkt.min_seg_len = ODP_CACHE_LINE_SIZE;
    capa->pkt.max_seg_len = macs_odp_pool_limits.max_len;
    capa->pkt.max_uarea_size = macs_odp_pool_limits.max_uarea;
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

static bool packet_param_ok(const odp_pool_param_t *param) {
    uint32_t len = macs_odp_pool_len(param);
    return param->pkt.num > 0 && param->pkt.num <= MAX_NUM && len <= macs_odp_pool_limits.max_len &&
           param->pkt.num_subparam == 0 && (param->pkt.max_num == 0 || param->pkt.max_num >= param->pkt.num) &&
           (param->pkt.max_len == 0 || param->pkt.max_len >= param->pkt.len) &&
           param->pkt.headroom <= macs_odp_pool_limits.max_headroom &&
           param->pkt.uarea_size <= macs_odp_pool_limits.max_uarea && param->pkt.cache_size <= MACS_ODP_CACHE_MAX &&
           align_ok(param->pkt.align, ODP_CACHE_LINE_SIZE);
}

static bool buffer_param_ok(const odp_pool_param_t *param) {
    return param->buf.num > 0 && param->buf.num <= MAX_NUM && param->buf.size <= MAX_BUFFER &&
           param->buf.uarea_size <= macs_odp_pool_limits.max_uarea && param->buf.cache_size <= MACS_ODP_CACHE_MAX &&
           align_ok(param->buf.align, MAX_ALIGN);
}

odp_pool_t odp_pool_create(const char *name, const odp_pool_param_t *param) {
    struct macs_odp_pool *pool = NULL;
    bool packets = param->type == ODP_POOL_PACKET;
    if ((!packets && param->type != ODP_POOL_BUFFER) || (packets ? !packet_param_ok(param) : !buffer_param_ok(param))) {
        macs_odp_error = EINVAL;
        return ODP_POOL_INVALID;
    }
    uint32_t index = 0;
    macs_odp_error = ENOMEM;
    pthread_mutex_lock(&macs_odp_lock);
    while (index < MACS_ODP_POOLS && pools[index] != NULL)
        index++;
    if (index < MACS_ODP_POOLS)
        pool = pools[index] = macs_odp_store_new((uint16_t)index, name, param);
    pthread_mutex_unlock(&macs_odp_lock);
    if (index == MACS_ODP_POOLS)
        macs_odp_log(ODP_LOG_ERR, "pool %s: there are %u pools already\n", name ? name : "", MACS_ODP_POOLS);
    else if (pool == NULL)
        macs_odp_log(ODP_LOG_ERR, "pool %s: no memory for %u objects\n", name ? name : "",
                     packets ? param->pkt.num : param->buf.num);
    return pool;
}

static uint64_t cached(const struct macs_odp_pool *pool) {
    uint64_t sum = 0;
    for (uint32_t thread = 0; thread < ODP_THREAD_COUNT_MAX; thread++)
        sum += macs_odp_store_cached(pool, thread);
    return sum;
}

int odp_pool_destroy(odp_pool_t pool) {
    int result = 0;
    if (pool == NULL)
        return macs_odp_fail(EINVAL);
    pthread_mutex_lock(&macs_odp_lock);
    uint64_t miss = pool->num - macs_odp_store_available(pool) - cached(pool);
    if ((miss && !pool->lossy) || pool->users)
        result = macs_odp_fail(EBUSY);
    else
        pools[pool->index] = NULL;
    pthread_mutex_unlock(&macs_odp_lock);
    if (result == 0)
        macs_odp_store_free(pool);
    return result;
}

void macs_odp_pool_twice(const struct macs_odp_event *event) {
    macs_odp_abort("pool %s: object %u is freed twice\n", event->pool->name, event->index);
}

void macs_odp_pool_give(struct macs_odp_pool *pool, struct macs_odp_event *const event[], uint32_t num) {
    for (uint32_t i = 0; i < num; i++)
        if (odp_unlikely(!macs_odp_event_end(event[i])))
            macs_odp_pool_twice(event[i]);
    macs_odp_pool_put(pool, event, num);
}

unsigned macs_odp_pool_term(void) {
    unsigned left = 0;
    for (uint32_t index = 0; index < MACS_ODP_POOLS; index++)
        if (pools[index] != NULL) {
            macs_odp_store_free(pools[index]);
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
    info->max_data_addr = (uintptr_t)pool->memory + pool->extent - 1;
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
        stats->available = macs_odp_store_available(pool);
    if (pool->param.stats.bit.cache_available)
        stats->cache_available = cached(pool);
    for (uint32_t thread = first; each && thread <= last; thread++)
        stats->thread.cache_available[thread - first] = macs_odp_store_cached(pool, thread);
    return 0;
}

int odp_pool_stats_selected(odp_pool_t pool, odp_pool_stats_selected_t *stats, const odp_pool_stats_opt_t *opt) {
    if (pool == NULL || (opt->all & ~pool->param.stats.all) != 0)
        return macs_odp_fail(EINVAL);
    if (opt->bit.available)
        stats->available = macs_odp_store_available(pool);
    if (opt->bit.cache_available)
        stats->cache_available = cached(pool);
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
    macs_odp_log(ODP_LOG_PRINT,
                 "pool %u \"%s\": %s, %u objects of %u bytes each %u, %u free, %" PRIu64 " cached, %" PRIu64
                 " kB pages\n",
                 pool->index, pool->name, pool->param.type == ODP_POOL_PACKET ? "packets" : "buffers", pool->num,
                 pool->room, pool->stride, macs_odp_store_available(pool), cached(pool), pool->page / 1024);
}

void odp_pool_print_all(void) {
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < MACS_ODP_POOLS; index++)
        if (pools[index] != NULL)
            odp_pool_print(pools[index]);
    pthread_mutex_unlock(&macs_odp_lock);
}

int odp_event_is_valid(odp_event_t event) {
    int valid = 0;
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < MACS_ODP_POOLS && !valid; index++)
        valid = pools[index] != NULL && macs_odp_store_has(pools[index], event);
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
