/* The rings of an AF_XDP socket (xsk.h), which it shares with the kernel, and the memory that is registered with it. */
#ifndef MACS_ODP_XSK_RINGS_H
#define MACS_ODP_XSK_RINGS_H

#include "pktio/pktio.h"

#include <linux/if_xdp.h>

#ifndef XDP_PKT_CONTD /* Linux 6.6 */
#define XDP_PKT_CONTD (1 << 0)
#endif

/* What XDP keeps free before a frame; the longest chunk. */
#define MACS_ODP_XSK_HEADROOM 256u
#define MACS_ODP_XSK_CHUNK_MAX 4096u

/* A ring shared with the kernel. We write one of the two counters and read the other, whose last seen value we keep. */
struct macs_odp_xsk_ring {
    uint32_t *producer;
    uint32_t *consumer;
    uint32_t *flags;
    void *entries;
    uint32_t size; /* a power of two */
    uint32_t ours;
    uint32_t theirs;
    void *map;
    size_t mapped;
};

struct macs_odp_xsk {
    int fd;
    uint32_t queue;
    struct macs_odp_pool *pool;
    bool zerocopy;
    bool parts;        /* a frame may be several chunks */
    uint32_t chunk;    /* bytes of a frame in one */
    uint32_t distance; /* from a packet's description to what the fill ring wants: 256 bytes before the data */
    struct macs_odp_xsk_ring fill ODP_ALIGNED_CACHE;
    struct macs_odp_xsk_ring rx;
    uint8_t *rx_held; /* [pool->num] 1: the kernel has the packet, to be filled */
    struct macs_odp_xsk_ring tx ODP_ALIGNED_CACHE;
    struct macs_odp_xsk_ring completion;
    uint8_t *tx_held;                   /* likewise, to be sent */
    struct macs_odp_xsk_copies *copies; /* of a build with separate packet buffers */
};

/* How many entries a ring has, a power of two, where `sockets` queues of a port share the pool with those of its other
 * users: the kernel may have as many packets to fill and as many to send, and all sockets together get half of the pool
 * at most. */
uint32_t macs_odp_xsk_ring_size(const struct macs_odp_pool *pool, uint32_t sockets);

/* Make the four rings, of `size` entries each. 0 or -1, with errno set. */
int macs_odp_xsk_rings_open(struct macs_odp_xsk *xsk, uint32_t size);

/* Tell the kernel of the memory, which is `chunk` bytes for each frame. 0 or -1, with errno set. */
int macs_odp_xsk_register(struct macs_odp_xsk *xsk, void *memory, uint64_t bytes, uint32_t chunk, uint32_t flags);

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
