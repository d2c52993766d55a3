/* Where the frames of an AF_XDP socket (xsk.h) are, and how they get from its rings into packets and back.
 *
 * In xsk_memory.c they are in the packets themselves. A build with separate packet buffers has a file of its own: there
 * the socket has memory of its own, and frames are copied.
 */
#ifndef MACS_ODP_XSK_MEMORY_H
#define MACS_ODP_XSK_MEMORY_H

#include "xdp/xsk_rings.h"

/* Make the memory and tell the socket of it; its rings will have `size` entries. 0 or -1, with errno set. */
int macs_odp_xsk_memory_open(struct macs_odp_xsk *xsk, uint32_t size);

/* The socket is closed: what the kernel had is ours again. */
void macs_odp_xsk_memory_close(struct macs_odp_xsk *xsk);

/* Room for frames to be received in, onto the fill ring. */
void macs_odp_xsk_refill(struct macs_odp_xsk *xsk);

/* What has been sent is free again. */
void macs_odp_xsk_completed(struct macs_odp_xsk *xsk);

#endif
