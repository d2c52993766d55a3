/* The AF_XDP socket and its rings; see xsk.h. xsk_memory.c has where the frames are. */
#include "xdp/xsk.h"

#include "xdp/xsk_memory.h"

#include <inttypes.h>
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

enum { PAGE = 4096, PARTS_MAX = 17 };

/* How often the kernel is told of a transmit ring that it makes no headway with. */
enum { KICKS = 4, LAST_KICKS = 1000 };
#define LAST_WAIT_NS (100 * ODP_TIME_USEC_IN_NS)

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
    uint32_t size = macs_odp_xsk_ring_size(pool, sockets);
    xsk->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (xsk->fd >= 0 && macs_odp_xsk_memory_open(xsk, size) == 0 && macs_odp_xsk_rings_open(xsk, size) == 0 &&
        attach(xsk, ifindex, maxlen > xsk->chunk) == 0) {
        if (setsockopt(xsk->fd, SOL_SOCKET, SO_SNDBUFFORCE, &large, sizeof(large)) != 0)
            setsockopt(xsk->fd, SOL_SOCKET, SO_SNDBUF, &large, sizeof(large));
        macs_odp_xsk_refill(xsk);
        return xsk;
    }
    int error = errno;
    macs_odp_xsk_close(xsk);
    macs_odp_error = error;
    return NULL;
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
    macs_odp_xsk_completed(xsk);
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

/* A moment for the transmit ring to become empty. In zero-copy mode also for all to be completed, as the socket's end
 * is that of the memory; else what waits in another queue of the kernel has its own copy. */
void macs_odp_xsk_finish(struct macs_odp_xsk *xsk, struct macs_odp_xsk_unsent *unsent) {
    for (int tries = 0; tries < LAST_KICKS && macs_odp_xsk_sending(xsk); tries++) {
        bool waiting = xsk->zerocopy || __atomic_load_n(xsk->tx.consumer, __ATOMIC_ACQUIRE) != xsk->tx.ours;
        if (!waiting || macs_odp_xsk_kick(xsk, &unsent->dropped) != 0)
            break;
        odp_time_wait_ns(LAST_WAIT_NS);
    }
    macs_odp_xsk_completed(xsk);
    uint32_t at = __atomic_load_n(xsk->tx.consumer, __ATOMIC_ACQUIRE);
    if ((int32_t)(xsk->completion.ours - at) > 0) /* the kernel tells late of what it has taken */
        at = xsk->completion.ours;
    for (; at != xsk->tx.ours; at++) {
        const struct xdp_desc *desc = macs_odp_xsk_desc(&xsk->tx, at);
        unsent->octets += desc->len;
        unsent->frames += desc->options & XDP_PKT_CONTD ? 0 : 1;
    }
}

static void ring_unmap(struct macs_odp_xsk_ring *ring) {
    if (ring->map != NULL)
        munmap(ring->map, ring->mapped);
}

void macs_odp_xsk_close(struct macs_odp_xsk *xsk) {
    ring_unmap(&xsk->fill);
    ring_unmap(&xsk->rx);
    ring_unmap(&xsk->tx);
    ring_unmap(&xsk->completion);
    if (xsk->fd >= 0)
        close(xsk->fd); /* the kernel lets go of the memory here */
    macs_odp_xsk_memory_close(xsk);
    free(xsk);
}
