/* Where the frames of an AF_XDP socket (xsk.h) lie, and how they come from its rings into packets and back.
 *
 * xsk_memory.c: in the packets themselves. A build with separate packet buffers has a file of its own, with memory of
 * the socket's, from and to which frames are copied.
 */
#ifndef MACS_ODP_XSK_MEMORY_H
#define MACS_ODP_XSK_MEMORY_H

#include "xdp/xsk.h"

#include <linux/if_xdp.h>

#ifndef XDP_PKT_CONTD /* Linux 6.6 */
#define XDP_PKT_CONTD (1 << 0)
#endif

/* What XDP keeps free before a frame; the longest chunk. */
#define MACS_ODP_XSK_HEADROOM 256u
#define MACS_ODP_XSK_CHUNK_MAX 4096u

/* Make the memory and tell the socket of it; its rings will have `size` entries. 0 or -1, with errno set. */
int macs_odp_xsk_memory_open(struct macs_odp_xsk *xsk, uint32_t size);

/* The socket is closed: what the kernel had is ours again. */
void macs_odp_xsk_memory_close(struct macs_odp_xsk *xsk);

/* Tell the kernel of the memory, which is `chunk` bytes for each frame. 0 or -1, with errno set. */
int macs_odp_xsk_register(struct macs_odp_xsk *xsk, void *memory, uint64_t bytes, uint32_t chunk, uint32_t flags);

/* Room for frames to be received in, onto the fill ring. */
void macs_odp_xsk_refill(struct macs_odp_xsk *xsk);

/* What has been sent is free again. */
void macs_odp_xsk_completed(struct macs_odp_xsk *xsk);

/* Entries that the kernel has put on a ring and we have not taken; looks again if they are fewer than `want`. */
static inline uint32_t macs_odp_xsk_ready(struct macs_odp_xsk_ring *ring, uint32_t want) {
    if (ring->theirs - ring->ours < want)
        ring->theirs = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
    return ring->theirs - ring->ours;
}

static inline uint64_t *macs_odp_xsk_address(const struct macs_odp_xsk_ring *ring, uint32_t index) {
    return (uint64_t *)ring->entries + (index & (ring->size - 1));
}

static inline struct xdp_desc *macs_odp_xsk_desc(const struct macs_odp_xsk_ring *ring, uint32_t index) {
    return (struct xdp_desc *)ring->entries + (index & (ring->size - 1));
}

/* How many chunks the frame at the head of the ring is; 0: its end has not come yet. */
static inline uint32_t macs_odp_xsk_parts_ready(const struct macs_odp_xsk_ring *ring, uint32_t available) {
    for (uint32_t part = 0; part < available; part++)
        if (!(macs_odp_xsk_desc(ring, ring->ours + part)->options & XDP_PKT_CONTD))
            return part + 1;
    return 0;
}

/* How many chunks a frame is sent in. */
static inline uint32_t macs_odp_xsk_parts(const struct macs_odp_xsk *xsk, uint32_t len) {
    return len <= xsk->chunk ? 1 : (len + xsk->chunk - 1) / xsk->chunk;
}

#endif
