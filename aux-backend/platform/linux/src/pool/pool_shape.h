/* The size of the objects of a pool on plain Linux, from the pool's parameters. */
#ifndef MACS_ODP_POOL_SHAPE_H
#define MACS_ODP_POOL_SHAPE_H

#include "pool/pool.h"

/* Fills in the pool's numbers and sizes, but for `before` and `stride`, which are where its objects lie. Returns what
 * objects are aligned to; *uarea: bytes of a user area, whole cache lines, and of what
 * stands behind it (odp/api/packet_layers.h). */
uint32_t macs_odp_pool_shape(struct macs_odp_pool *pool, const odp_pool_param_t *param, uint32_t *uarea);

/* Bytes from one object of `bytes` to the next: a multiple of `align`, and an odd number of cache lines if that may be,
 * which spreads the objects over the sets of the CPU's caches. */
uint32_t macs_odp_pool_stride(uint32_t bytes, uint32_t align);

#endif
