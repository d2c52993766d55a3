/* See pool_shape.h. */
#include "pool/pool_shape.h"

enum { DEFAULT_LEN = 2048 };

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

uint32_t macs_odp_pool_shape(struct macs_odp_pool *pool, const odp_pool_param_t *param, uint32_t *uarea) {
    bool packets = param->type == ODP_POOL_PACKET;
    *uarea = ODP_CACHE_LINE_ROUNDUP(packets ? param->pkt.uarea_size : param->buf.uarea_size);
    *uarea += packets ? (uint32_t)sizeof(struct macs_odp_layers) : 0;
    pool->param = *param;
    if (!packets) {
        pool->num = param->buf.num;
        pool->cache_size = param->buf.cache_size;
        pool->room = ODP_CACHE_LINE_ROUNDUP(larger(param->buf.size, 1));
        return larger(ODP_CACHE_LINE_SIZE, param->buf.align);
    }
    uint32_t len = macs_odp_pool_len(param);
    len = larger(len ? len : DEFAULT_LEN, ODP_CACHE_LINE_SIZE);
    pool->num = param->pkt.num;
    pool->cache_size = param->pkt.cache_size;
    pool->headroom = larger(macs_odp_pool_limits.min_headroom, ODP_CACHE_LINE_ROUNDUP(param->pkt.headroom));
    pool->max_len = param->pkt.max_len ? param->pkt.max_len : len;
    pool->room = pool->headroom + ODP_CACHE_LINE_ROUNDUP(len);
    return ODP_CACHE_LINE_SIZE;
}

uint32_t macs_odp_pool_stride(uint32_t bytes, uint32_t align) {
    uint32_t lines = ODP_CACHE_LINE_ROUNDUP(bytes) / ODP_CACHE_LINE_SIZE;
    uint32_t stride = (lines | 1) * ODP_CACHE_LINE_SIZE;
    return (stride + align - 1) / align * align;
}
