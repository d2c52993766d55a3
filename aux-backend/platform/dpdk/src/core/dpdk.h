/* What the files of this platform share. Only sources include DPDK's headers. */
#ifndef MACS_ODP_DPDK_H
#define MACS_ODP_DPDK_H

#include "core/dpdk_log.h"
#include "pktio/pktio.h"

struct rte_mempool;

/* The number that DPDK has given a joined thread, and so the one of its caches; UINT32_MAX: none. */
uint32_t macs_odp_dpdk_lcore(uint32_t thread);

struct rte_mempool *macs_odp_dpdk_mempool(const struct macs_odp_pool *pool);

extern const struct macs_odp_driver macs_odp_driver_dpdk;

#endif
