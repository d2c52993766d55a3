#include "xdp/xsk_rings.h"

#include <inttypes.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#ifndef SOL_XDP
#define SOL_XDP 283
#endif

/* Entries of each ring. */
enum { RING_MIN = 64, RING_MAX = 2048 };

uint32_t macs_odp_xsk_ring_size(const struct macs_odp_pool *pool, uint32_t sockets) {
    uint64_t sharing = (uint64_t)sockets * pool->users;
    uint32_t size = RING_MIN;
    while (size < RING_MAX && size * 2 * 4 * sharing <= pool->num)
        size *= 2;
    if (size < RING_MAX)
        macs_odp_log(ODP_LOG_WARN,
                     "af_xdp: a ring holds %u packets, as the pool of %u is for %" PRIu64
                     " sockets: bursts that are longer are lost; a pool of %" PRIu64 " gives rings of %u\n",
                     size, pool->num, sharing, 4 * RING_MAX * sharing, (unsigned)RING_MAX);
    return size;
}

static int set(int fd, int name, const void *value, socklen_t size) {
    return setsockopt(fd, SOL_XDP, name, value, size);
}

static int ring_map(struct macs_odp_xsk_ring *ring, int fd, const struct xdp_ring_offset *offset, uint64_t page_offset,
                    uint32_t size, size_t entry) {
    ring->mapped = offset->desc + size * entry;
    uint8_t *map =
        mmap64(NULL, ring->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, (off64_t)page_offset);
    if (map == MAP_FAILED)
        return -1;
    ring->map = map;
    ring->producer = (uint32_t *)(void *)(map + offset->producer);
    ring->consumer = (uint32_t *)(void *)(map + offset->consumer);
    ring->flags = (uint32_t *)(void *)(map + offset->flags);
    ring->entries = map + offset->desc;
    ring->size = size;
    return 0;
}

int macs_odp_xsk_rings_open(struct macs_odp_xsk *xsk, uint32_t size) {
    struct xdp_mmap_offsets offsets;
    socklen_t length = sizeof(offsets);
    if (set(xsk->fd, XDP_UMEM_FILL_RING, &size, sizeof(size)) != 0 ||
        set(xsk->fd, XDP_UMEM_COMPLETION_RING, &size, sizeof(size)) != 0 ||
        set(xsk->fd, XDP_RX_RING, &size, sizeof(size)) != 0 || set(xsk->fd, XDP_TX_RING, &size, sizeof(size)) != 0 ||
        getsockopt(xsk->fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &length) != 0)
        return -1;
    if (length != sizeof(offsets)) {
        errno = EOPNOTSUPP; /* older than need_wakeup */
        return -1;
    }
    if (ring_map(&xsk->fill, xsk->fd, &offsets.fr, XDP_UMEM_PGOFF_FILL_RING, size, sizeof(uint64_t)) != 0 ||
        ring_map(&xsk->completion, xsk->fd, &offsets.cr, XDP_UMEM_PGOFF_COMPLETION_RING, size, sizeof(uint64_t)) != 0 ||
        ring_map(&xsk->rx, xsk->fd, &offsets.rx, XDP_PGOFF_RX_RING, size, sizeof(struct xdp_desc)) != 0 ||
        ring_map(&xsk->tx, xsk->fd, &offsets.tx, XDP_PGOFF_TX_RING, size, sizeof(struct xdp_desc)) != 0)
        return -1;
    return 0;
}

int macs_odp_xsk_register(struct macs_odp_xsk *xsk, void *memory, uint64_t bytes, uint32_t chunk, uint32_t flags) {
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    struct xdp_umem_reg region = {.addr = (uintptr_t)memory, .len = bytes, .chunk_size = chunk, .flags = flags};
    xsk->chunk = chunk - MACS_ODP_XSK_HEADROOM;
    setrlimit(RLIMIT_MEMLOCK, &all); /* where that is refused and too little, so is the next */
    return set(xsk->fd, XDP_UMEM_REG, &region, sizeof(region));
}
