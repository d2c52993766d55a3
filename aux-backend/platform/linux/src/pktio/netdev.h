/* Network interfaces of the kernel, by name.
 *
 * Errors: all functions return 0 or more, or -1 with the error number set.
 */
#ifndef MACS_ODP_NETDEV_H
#define MACS_ODP_NETDEV_H

#include "core/internal.h"

int macs_odp_netdev_index(const char *name);
int macs_odp_netdev_mtu(const char *name);
int macs_odp_netdev_mac(const char *name, uint8_t mac[6]);
int macs_odp_netdev_up(const char *name);
odp_pktio_link_status_t macs_odp_netdev_link(const char *name);

/* Frames that the interface had no room for on their way out, in 32 bits; 0 where the kernel does not tell. */
uint32_t macs_odp_netdev_tx_dropped(const char *name);

/* How many receive queues the interface has: 1 where its driver does not tell. */
uint32_t macs_odp_netdev_queues(const char *name);

/* Frames that the interface was given to send and let fall, as it counts them itself; 0 where it cannot be asked. */
uint64_t macs_odp_netdev_dropped(const char *name);

/* The interface's own flag, which outlives the process. 0 or -1. */
int macs_odp_netdev_promisc_set(const char *name, bool enable);

/* As odp_pktio_promisc_mode(), for all users of the interface together. */
int macs_odp_netdev_promisc(const char *name);

#endif
