/* See xsk.h. A packet's layout is what this is about: its fields are used as they are. */
#include "xsk.h"

#include <linux/if_xdp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SOL_XDP
#define SOL_XDP 283
#endif
#ifndef AF_XDP
#define AF_XDP 44
#endif
#ifndef XDP_USE_SG /* Linux 6.6 */
#define XDP_USE_SG (1 << 4)
#endif
#ifndef XDP_PKT_CONTD
#define XDP_PKT_CONTD (1 << 0)
#endif

enum { XDP_HEADROOM = 256, CHUNK_MAX = 4096, PAGE = 4096, BATCH = 64, PARTS_MAX = 17 };

/* Entries of each ring. */
enum { RING_MIN = 64, RING_MAX = 2048 };

/* How often the kernel is told of a transmit ring that it makes no headway with. */
enum { KICKS = 4, LAST_KICKS = 1000 };
#define LAST_WAIT_NS (100 * ODP_TIME_USEC_IN_NS)

static int set(int fd, int name, const void *value, socklen_t size) {
    return setsockopt(fd, SOL_XDP, name, value, size);
}

/* Entries that the kernel has put on a ring and we have not taken; looks again if they are fewer than `want`. */
static uint32_t ready(struct macs_odp_xsk_ring *ring, uint32_t want) {
    if (ring->theirs - ring->ours < want)
        ring->theirs = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
    return ring->theirs - ring->ours;
}

static uint64_t *address_at(const struct macs_odp_xsk_ring *ring, uint32_t index) {
    return (uint64_t *)ring->entries + (index & (ring->size - 1));
}

static struct xdp_desc *desc_at(const struct macs_odp_xsk_ring *ring, uint32_t index) {
    return (struct xdp_desc *)ring->entries + (index & (ring->size - 1));
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

static int rings_open(struct macs_odp_xsk *xsk, uint32_t size) {
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

/* The pool as the socket's memory. Each socket registers it for itself: the pages are the same. */
static int memory_register(struct macs_odp_xsk *xsk) {
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    uint32_t chunk = XDP_HEADROOM + xsk->pool->room - xsk->pool->headroom;
    struct xdp_umem_reg memory = {.addr = (uintptr_t)xsk->pool->memory,
                                  .len = xsk->pool->extent,
                                  .chunk_size = chunk < CHUNK_MAX ? chunk : CHUNK_MAX,
                                  .flags = XDP_UMEM_UNALIGNED_CHUNK_FLAG};
    xsk->chunk = memory.chunk_size - XDP_HEADROOM;
    setrlimit(RLIMIT_MEMLOCK, &all); /* where that is refused and too little, so is the next */
    return set(xsk->fd, XDP_UMEM_REG, &memory, sizeof(memory));
}

/* Zero-copy where the driver has it; it needs chunks whose pages lie side by side, as those of huge pages do. */
static int attach(struct macs_odp_xsk *xsk, int ifindex, bool parts) {
    uint16_t mode = xsk->pool->page > PAGE ? 0 : XDP_COPY;
    struct sockaddr_xdp address = {.sxdp_family = AF_XDP,
                                   .sxdp_flags = (uint16_t)(XDP_USE_NEED_WAKEUP | (parts ? XDP_USE_SG : 0) | mode),
                                   .sxdp_ifindex = (uint32_t)ifindex,
                                   .sxdp_queue_id = xsk->queue};
    struct xdp_options options = {0};
    socklen_t length = sizeof(options);
    if (bind(xsk->fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        parts = false;
        address.sxdp_flags &= (uint16_t)~XDP_USE_SG;
        if (bind(xsk->fd, (struct sockaddr *)&address, sizeof(address)) != 0)
            return -1;
    }
    xsk->parts = parts;
    if (getsockopt(xsk->fd, SOL_XDP, XDP_OPTIONS, &options, &length) == 0)
        xsk->zerocopy = (options.flags & XDP_OPTIONS_ZEROCOPY) != 0;
    return 0;
}

/* The kernel may have a ring's size of packets to fill and as many to send. All sockets of all ports together get half
 * of the pool at most. */
static uint32_t ring_size(const struct macs_odp_pool *pool, uint32_t sockets) {
    uint64_t sharing = (uint64_t)sockets * pool->users;
    uint32_t size = RING_MIN;
    while (size < RING_MAX && size * 2 * 4 * sharing <= pool->num)
        size *= 2;
    return size;
}

static void refill(struct macs_odp_xsk *xsk);

struct macs_odp_xsk *macs_odp_xsk_open(int ifindex, uint32_t queue, struct macs_odp_pool *pool, uint32_t sockets,
                                       uint32_t maxlen) {
    int large = 8 << 20;
    struct macs_odp_xsk *xsk = aligned_alloc(ODP_CACHE_LINE_SIZE, ODP_CACHE_LINE_ROUNDUP(sizeof(*xsk)));
    if (xsk == NULL) {
        macs_odp_error = ENOMEM;
        return NULL;
    }
    memset(xsk, 0, sizeof(*xsk));
    xsk->pool = pool;
    xsk->queue = queue;
    xsk->distance = pool->before + pool->headroom - XDP_HEADROOM;
    xsk->rx_held = calloc(pool->num, 1);
    xsk->tx_held = calloc(pool->num, 1);
    xsk->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (xsk->rx_held != NULL && xsk->tx_held != NULL && xsk->fd >= 0 && memory_register(xsk) == 0 &&
        rings_open(xsk, ring_size(pool, sockets)) == 0 && attach(xsk, ifindex, maxlen > xsk->chunk) == 0) {
        if (setsockopt(xsk->fd, SOL_SOCKET, SO_SNDBUFFORCE, &large, sizeof(large)) != 0)
            setsockopt(xsk->fd, SOL_SOCKET, SO_SNDBUF, &large, sizeof(large));
        refill(xsk);
        return xsk;
    }
    int error = errno;
    macs_odp_xsk_close(xsk);
    macs_odp_error = error;
    return NULL;
}

/* Receiving */

/* In zero-copy mode the kernel takes no chunk that lies over the end of a huge page. Such a packet stays with us. */
static bool crosses(const struct macs_odp_xsk *xsk, uint64_t start, uint32_t len) {
    return xsk->zerocopy && start / xsk->pool->page != (start + len - 1) / xsk->pool->page;
}

/* Packets onto the fill ring: marked as held by the kernel, so that they are found again when the socket is closed.
 * What the kernel has, on that ring or on the receive ring, is never more than a ring's size, so there is always room.
 */
static void refill(struct macs_odp_xsk *xsk) {
    struct macs_odp_xsk_ring *ring = &xsk->fill;
    odp_packet_t packets[BATCH];
    while (ring->size - (ring->ours - xsk->rx.ours) >= BATCH) {
        uint32_t taken = macs_odp_packet_take(xsk->pool, packets, BATCH);
        for (uint32_t i = 0; i < taken; i++) {
            uint64_t start = (uint64_t)((uint8_t *)packets[i] - xsk->pool->memory) + xsk->distance;
            xsk->rx_held[packets[i]->event.index] = 1;
            if (!crosses(xsk, start, XDP_HEADROOM + xsk->chunk))
                *address_at(ring, ring->ours++) = start;
        }
        __atomic_store_n(ring->producer, ring->ours, __ATOMIC_RELEASE);
        if (taken < BATCH)
            break;
    }
    if (__atomic_load_n(ring->flags, __ATOMIC_RELAXED) & XDP_RING_NEED_WAKEUP)
        recvfrom(xsk->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

/* The packet that a received chunk is the data of: ours again. */
static odp_packet_t chunk_packet(const struct macs_odp_xsk *xsk, uint64_t address) {
    uint64_t start = address & XSK_UNALIGNED_BUF_ADDR_MASK;
    odp_packet_t pkt = (odp_packet_t)(void *)(xsk->pool->memory + start - xsk->distance);
    xsk->rx_held[pkt->event.index] = 0;
    return pkt;
}

static uint8_t *chunk_data(const struct macs_odp_xsk *xsk, uint64_t address) {
    return xsk->pool->memory + (address & XSK_UNALIGNED_BUF_ADDR_MASK) + (address >> XSK_UNALIGNED_BUF_OFFSET_SHIFT);
}

/* How many chunks the frame at the head of the ring is; 0: its end has not come yet. */
static uint32_t parts_ready(const struct macs_odp_xsk_ring *ring, uint32_t available) {
    for (uint32_t part = 0; part < available; part++)
        if (!(desc_at(ring, ring->ours + part)->options & XDP_PKT_CONTD))
            return part + 1;
    return 0;
}

/* Put the frame together in the packet of its first chunk, which has room behind it; the others' are free again.
 * False: it is too long. */
static bool frame_join(struct macs_odp_xsk *xsk, odp_packet_t pkt, uint32_t parts) {
    bool fits = true;
    for (uint32_t part = 1; part < parts; part++) {
        const struct xdp_desc *desc = desc_at(&xsk->rx, xsk->rx.ours + part);
        odp_packet_t other = chunk_packet(xsk, desc->addr);
        fits = fits && desc->len <= odp_packet_tailroom(pkt);
        if (fits) {
            memcpy(odp_packet_tail(pkt), chunk_data(xsk, desc->addr), desc->len);
            macs_odp_place(pkt, macs_odp_data(pkt), macs_odp_len(pkt) + desc->len);
        }
        macs_odp_packet_give(xsk->pool, &other, 1);
    }
    return fits;
}

uint32_t macs_odp_xsk_recv(struct macs_odp_xsk *xsk, odp_packet_t packets[], uint32_t num, uint64_t *errors) {
    struct macs_odp_xsk_ring *ring = &xsk->rx;
    uint32_t got = 0, available = ready(ring, num), parts;
    while (got < num && available > 0 && (parts = parts_ready(ring, available)) > 0) {
        const struct xdp_desc *desc = desc_at(ring, ring->ours);
        odp_packet_t pkt = chunk_packet(xsk, desc->addr);
        macs_odp_packet_start(pkt, xsk->pool->headroom, desc->len, -1);
        macs_odp_place(pkt, chunk_data(xsk, desc->addr), desc->len);
        if (parts > 1 && !frame_join(xsk, pkt, parts)) {
            macs_odp_packet_give(xsk->pool, &pkt, 1);
            *errors += 1;
        } else {
            packets[got++] = pkt;
        }
        ring->ours += parts;
        available -= parts;
    }
    if (got > 0 || *errors > 0)
        __atomic_store_n(ring->consumer, ring->ours, __ATOMIC_RELEASE);
    refill(xsk);
    return got;
}

/* Sending */

static void completed(struct macs_odp_xsk *xsk) {
    struct macs_odp_xsk_ring *ring = &xsk->completion;
    odp_packet_t packets[BATCH];
    uint32_t available = ready(ring, ring->size);
    while (available > 0) {
        uint32_t count = 0;
        for (; available > 0 && count < BATCH; available--) {
            uint64_t start = *address_at(ring, ring->ours++) & XSK_UNALIGNED_BUF_ADDR_MASK;
            odp_packet_t pkt = (odp_packet_t)(void *)(xsk->pool->memory + start);
            if (--pkt->parts > 0)
                continue;
            xsk->tx_held[pkt->event.index] = 0;
            packets[count++] = pkt;
        }
        macs_odp_packet_give(xsk->pool, packets, count);
    }
    __atomic_store_n(ring->consumer, ring->ours, __ATOMIC_RELEASE);
}

static void frame_put(struct macs_odp_xsk *xsk, odp_packet_t pkt, uint32_t parts) {
    uint64_t start = (uint64_t)((uint8_t *)pkt - xsk->pool->memory);
    uint64_t offset = (uint64_t)(macs_odp_data(pkt) - (uint8_t *)pkt);
    uint32_t left = macs_odp_len(pkt);
    pkt->parts = parts;
    xsk->tx_held[pkt->event.index] = 1;
    for (; parts > 0; parts--) {
        uint32_t len = parts > 1 ? xsk->chunk : left;
        *desc_at(&xsk->tx, xsk->tx.ours++) = (struct xdp_desc){.addr = start | offset << XSK_UNALIGNED_BUF_OFFSET_SHIFT,
                                                               .len = len,
                                                               .options = parts > 1 ? XDP_PKT_CONTD : 0};
        offset += len;
        left -= len;
    }
}

/* A packet of this pool for the kernel to read: a copy where the packet is another pool's, or crosses. */
static odp_packet_t own(struct macs_odp_xsk *xsk, odp_packet_t pkt) {
    uint64_t start = (uint64_t)(macs_odp_data(pkt) - xsk->pool->memory);
    if (pkt->event.pool == xsk->pool && !crosses(xsk, start, macs_odp_len(pkt)))
        return pkt;
    odp_packet_t copy;
    for (uint32_t tries = 0; tries < BATCH && macs_odp_packet_take(xsk->pool, &copy, 1) == 1; tries++) {
        macs_odp_packet_start(copy, xsk->pool->headroom, macs_odp_len(pkt), -1);
        xsk->tx_held[copy->event.index] = 1; /* and there it stays if it crosses too */
        if (!crosses(xsk, (uint64_t)(macs_odp_data(copy) - xsk->pool->memory), macs_odp_len(copy))) {
            memcpy(macs_odp_data(copy), macs_odp_data(pkt), macs_odp_len(pkt));
            odp_packet_free(pkt);
            return copy;
        }
    }
    return NULL;
}

uint32_t macs_odp_xsk_send(struct macs_odp_xsk *xsk, const odp_packet_t packets[], uint32_t num) {
    struct macs_odp_xsk_ring *ring = &xsk->tx;
    uint32_t sent = 0;
    completed(xsk);
    while (sent < num) {
        uint32_t parts =
            macs_odp_len(packets[sent]) <= xsk->chunk ? 1 : (macs_odp_len(packets[sent]) + xsk->chunk - 1) / xsk->chunk;
        uint32_t room = ring->size - (ring->ours - xsk->completion.ours); /* on either ring: see refill() */
        odp_packet_t pkt = room >= parts ? own(xsk, packets[sent]) : NULL;
        if (pkt == NULL)
            break;
        frame_put(xsk, pkt, parts);
        sent++;
    }
    __atomic_store_n(ring->producer, ring->ours, __ATOMIC_RELEASE);
    return sent;
}

/* Without zero-copy the kernel sends within the call, up to 32 frames in each. It has EBUSY for a frame that the
 * interface's queue had no room for. */
int macs_odp_xsk_kick(struct macs_odp_xsk *xsk, uint64_t *dropped) {
    uint32_t produced = __atomic_load_n(xsk->tx.producer, __ATOMIC_RELAXED);
    uint32_t before = __atomic_load_n(xsk->tx.consumer, __ATOMIC_ACQUIRE), after;
    if (!(__atomic_load_n(xsk->tx.flags, __ATOMIC_RELAXED) & XDP_RING_NEED_WAKEUP))
        return 0;
    for (int idle = 0; before != produced && idle < KICKS; before = after) {
        int error = sendto(xsk->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 ? errno : 0;
        after = __atomic_load_n(xsk->tx.consumer, __ATOMIC_ACQUIRE);
        if (error == EBUSY && !xsk->zerocopy)
            *dropped += 1;
        else if (error != 0 && error != EAGAIN && error != EBUSY && error != EINTR)
            return error;
        idle = after == before ? idle + 1 : 0;
        if (xsk->zerocopy)
            return 0;
    }
    return 0;
}

bool macs_odp_xsk_sending(struct macs_odp_xsk *xsk) {
    completed(xsk);
    return xsk->tx.ours != xsk->completion.ours;
}

uint32_t macs_odp_xsk_maxlen(const struct macs_odp_xsk *xsk) {
    return xsk->parts ? xsk->chunk * PARTS_MAX : xsk->chunk;
}

uint64_t macs_odp_xsk_dropped(const struct macs_odp_xsk *xsk) {
    struct xdp_statistics statistics = {0};
    socklen_t length = sizeof(statistics);
    getsockopt(xsk->fd, SOL_XDP, XDP_STATISTICS, &statistics, &length);
    return statistics.rx_dropped + statistics.rx_ring_full;
}

/* A moment for the transmit ring to become empty. Not for all to be completed: what waits in another queue of the
 * kernel has its own copy. */
static void finish_sending(struct macs_odp_xsk *xsk) {
    uint64_t dropped = 0;
    for (int tries = 0; tries < LAST_KICKS && macs_odp_xsk_sending(xsk); tries++) {
        bool waiting = __atomic_load_n(xsk->tx.consumer, __ATOMIC_ACQUIRE) != xsk->tx.ours;
        if (!waiting || macs_odp_xsk_kick(xsk, &dropped) != 0)
            break;
        odp_time_wait_ns(LAST_WAIT_NS);
    }
}

static void ring_unmap(struct macs_odp_xsk_ring *ring) {
    if (ring->map != NULL)
        munmap(ring->map, ring->mapped);
}

void macs_odp_xsk_close(struct macs_odp_xsk *xsk) {
    if (xsk->tx.map != NULL)
        finish_sending(xsk);
    ring_unmap(&xsk->fill);
    ring_unmap(&xsk->rx);
    ring_unmap(&xsk->tx);
    ring_unmap(&xsk->completion);
    if (xsk->fd >= 0)
        close(xsk->fd); /* the kernel lets go of the memory here */
    if (xsk->rx_held != NULL)
        macs_odp_packet_give_marked(xsk->pool, xsk->rx_held);
    if (xsk->tx_held != NULL)
        macs_odp_packet_give_marked(xsk->pool, xsk->tx_held);
    free(xsk->rx_held);
    free(xsk->tx_held);
    free(xsk);
}
