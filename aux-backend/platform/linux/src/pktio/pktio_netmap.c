/* netmap:PORT — a network interface, a port of a VALE switch (vale0:1) or an end of a pipe, through netmap.
 *
 * Only in builds with -DMACS_ODP_NETMAP, where the compiler finds <net/netmap_user.h>; netmap is not part of Linux.
 * There is a descriptor for each pair of rings, so that each queue is synchronised by itself. Input queue i serves the
 * receive rings i, i + number of input queues, …; output queue i has transmit ring i. No other process gets these
 * rings. The buffers are the kernel's, so frames are copied from and to them.
 * An interface is detached from the kernel's network stack until the port is stopped or the process ends. When the
 * interface is removed its descriptors are closed, because the kernel waits for that. Incomplete checksums of frames
 * from the same machine are computed, as far as the frame alone tells (offload.h).
 * Source: netmap(4), <net/netmap.h>: API 14.
 */
#include "pktio/interface.h"
#include "pktio/netdev.h"
#include "packet/offload.h"

#ifndef MACS_ODP_NETMAP

static int netmap_open(struct macs_odp_pktio *pktio, const char *arguments) {
    (void)arguments;
    macs_odp_log(ODP_LOG_ERR,
                 "port %s: built without netmap: install it (github.com/luigirizzo/netmap), and build again where the "
                 "compiler finds <net/netmap_user.h> (CPATH)\n",
                 pktio->name);
    return macs_odp_fail(ENOTSUP);
}

const struct macs_odp_driver macs_odp_driver_netmap = {.name = "netmap", .open = netmap_open};

#else

#include <fcntl.h>
#include <linux/if_ether.h>
#include <net/netmap_user.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RINGS = ODP_PKTIN_MAX_QUEUES, DRAIN_TRIES = 1000 };
#define DRAIN_WAIT_NS (100 * ODP_TIME_USEC_IN_NS)

struct netmap_pair {
    odp_spinlock_t rx_lock; /* guard what follows, which is empty while the interface is away */
    odp_spinlock_t tx_lock;
    int fd;
    struct netmap_ring *rx; /* NULL: there is no such ring */
    struct netmap_ring *tx;
    uint32_t rx_idle;
    uint32_t tx_idle;
} ODP_ALIGNED_CACHE;

struct netmap_state {
    struct macs_odp_interface interface; /* only where has_interface */
    bool has_interface;
    bool started;
    uint32_t rx_rings; /* a port may have more of one kind than of the other */
    uint32_t tx_rings;
    uint64_t dropped; /* by the interface, before the port was started */
    char name[NETMAP_REQ_IFNAMSIZ];
    void *memory;
    size_t mapped;
    uint32_t maxlen; /* of a buffer */
    uint32_t count;
    struct netmap_pair pair[RINGS];
};

static int request(int fd, const char *name, uint16_t type, void *body) {
    struct nmreq_header header = {.nr_version = NETMAP_API, .nr_reqtype = type, .nr_body = (uintptr_t)body};
    macs_odp_name(header.nr_name, sizeof(header.nr_name), name);
    return ioctl(fd, NIOCCTRL, &header) == 0 ? 0 : macs_odp_fail(errno);
}

static void pairs_close(struct netmap_state *state) {
    for (uint32_t i = 0; i < state->count; i++) {
        struct netmap_pair *pair = &state->pair[i];
        if (pair->fd >= 0)
            close(pair->fd);
        pair->fd = -1;
        pair->rx = pair->tx = NULL;
    }
    if (state->memory != NULL)
        munmap(state->memory, state->mapped);
    state->memory = NULL;
}

/* Bind a descriptor to the pair of rings of one number, or to the only one that there is. The memory is the same for
 * all.
 */
static int pair_open(struct netmap_state *state, uint32_t index) {
    struct netmap_pair *pair = &state->pair[index];
    uint64_t one_kind = index >= state->tx_rings   ? NR_RX_RINGS_ONLY
                        : index >= state->rx_rings ? NR_TX_RINGS_ONLY
                                                   : 0; /* else netmap takes the first of the other kind */
    struct nmreq_register body = {.nr_mode = state->count > 1 ? NR_REG_ONE_NIC : NR_REG_ALL_NIC,
                                  .nr_ringid = (uint16_t)(state->count > 1 ? index : 0),
                                  .nr_flags = NR_NO_TX_POLL | NR_EXCLUSIVE | one_kind};
    pair->fd = open(NETMAP_DEVICE_NAME, O_RDWR | O_CLOEXEC);
    if (pair->fd < 0)
        return macs_odp_fail(errno);
    if (request(pair->fd, state->name, NETMAP_REQ_REGISTER, &body) != 0)
        return -1;
    if (state->memory == NULL) {
        void *memory = mmap(NULL, body.nr_memsize, PROT_READ | PROT_WRITE, MAP_SHARED, pair->fd, 0);
        if (memory == MAP_FAILED)
            return macs_odp_fail(errno);
        state->memory = memory;
        state->mapped = body.nr_memsize;
    }
    struct netmap_if *rings = NETMAP_IF(state->memory, body.nr_offset);
    if (index < rings->ni_rx_rings)
        pair->rx = NETMAP_RXRING(rings, index);
    if (index < rings->ni_tx_rings)
        pair->tx = NETMAP_TXRING(rings, index);
    return 0;
}

static int pairs_open(struct macs_odp_pktio *pktio) {
    struct netmap_state *state = pktio->state;
    for (uint32_t i = 0; i < state->count; i++)
        if (pair_open(state, i) != 0) {
            macs_odp_log(ODP_LOG_ERR, "port %s: netmap does not give ring %u%s: %s\n", pktio->name, i,
                         macs_odp_error == EBUSY ? ", which another process has" : "", odp_errno_str(macs_odp_error));
            pairs_close(state);
            return -1;
        }
    return 0;
}

/* What is still on a transmit ring that is about to be closed was taken, and is not sent. Called under its lock. */
static void lost_count(struct macs_odp_pktout *queue, const struct netmap_pair *pair) {
    uint64_t frames = 0, octets = 0;
    struct netmap_ring *ring = pair->tx;
    for (uint32_t i = ring != NULL ? nm_ring_next(ring, ring->tail) : 0; ring != NULL && i != ring->head; frames++) {
        octets += ring->slot[i].len;
        i = nm_ring_next(ring, i);
    }
    if (frames == 0)
        return;
    macs_odp_count_frames(&queue->counters, -frames, -octets); /* they were counted as sent */
    macs_odp_count(&queue->counters.errors, frames);
}

/* Called under the interface's lock, when it has gone and when it is back. */
static void netmap_rebind(struct macs_odp_pktio *pktio) {
    struct netmap_state *state = pktio->state;
    for (uint32_t i = 0; i < state->count; i++) {
        odp_spinlock_lock(&state->pair[i].rx_lock);
        odp_spinlock_lock(&state->pair[i].tx_lock);
    }
    for (uint32_t i = 0; i < pktio->num_out; i++)
        lost_count(&pktio->out[i], &state->pair[i]);
    pairs_close(state);
    if (state->started && macs_odp_netdev_index(state->name) >= 0)
        pairs_open(pktio);
    for (uint32_t i = 0; i < state->count; i++) {
        odp_spinlock_unlock(&state->pair[i].tx_lock);
        odp_spinlock_unlock(&state->pair[i].rx_lock);
    }
}

/* What netmap tells of a port: its rings and the size of its buffers. 0, or -1: refused (logged). */
static int port_ask(struct macs_odp_pktio *pktio, const char *name, struct netmap_state *state) {
    struct nmreq_port_info_get port = {0};
    struct nmreq_pools_info pools = {0};
    int fd = open(NETMAP_DEVICE_NAME, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        macs_odp_error = errno;
        macs_odp_log(ODP_LOG_ERR, "port %s: no " NETMAP_DEVICE_NAME " (is the module loaded, and this root?): %s\n",
                     pktio->name, strerror(errno));
        return -1;
    }
    int result = request(fd, name, NETMAP_REQ_PORT_INFO_GET, &port);
    pools.nr_mem_id = port.nr_mem_id;
    if (result == 0)
        result = request(fd, name, NETMAP_REQ_POOLS_INFO_GET, &pools);
    close(fd);
    if (result != 0 || port.nr_rx_rings + port.nr_tx_rings == 0) {
        macs_odp_log(ODP_LOG_ERR, "port %s: netmap has no port \"%s\": %s\n", pktio->name, name,
                     result != 0 ? odp_errno_str(macs_odp_error) : "it has no rings");
        return result != 0 ? -1 : macs_odp_fail(ENODEV);
    }
    state->rx_rings = pktio->max_in = port.nr_rx_rings < RINGS ? port.nr_rx_rings : RINGS;
    state->tx_rings = pktio->max_out = port.nr_tx_rings < RINGS ? port.nr_tx_rings : RINGS;
    state->count = state->rx_rings > state->tx_rings ? state->rx_rings : state->tx_rings;
    state->maxlen = pools.nr_buf_pool_objsize;
    return 0;
}

static int netmap_open(struct macs_odp_pktio *pktio, const char *arguments) {
    if (*arguments == '\0' || strlen(arguments) >= NETMAP_REQ_IFNAMSIZ) {
        macs_odp_log(ODP_LOG_ERR, "port %s: expected netmap:PORT, as netmap calls it, of at most %d characters\n",
                     pktio->name, NETMAP_REQ_IFNAMSIZ - 1);
        return macs_odp_fail(EINVAL);
    }
    struct netmap_state *state = aligned_alloc(ODP_CACHE_LINE_SIZE, sizeof(*state));
    if (state == NULL)
        return macs_odp_fail(ENOMEM);
    memset(state, 0, sizeof(*state));
    macs_odp_name(state->name, sizeof(state->name), arguments);
    state->has_interface = macs_odp_netdev_index(arguments) >= 0;
    if (port_ask(pktio, arguments, state) != 0 ||
        (state->has_interface && macs_odp_interface_open(&state->interface, pktio, arguments, netmap_rebind) != 0)) {
        free(state);
        return -1;
    }
    state->interface.lost = netmap_rebind;
    for (uint32_t i = 0; i < state->count; i++) {
        odp_spinlock_init(&state->pair[i].rx_lock);
        odp_spinlock_init(&state->pair[i].tx_lock);
        state->pair[i].fd = -1;
    }
    pktio->state = state;
    return 0;
}

static void netmap_close(struct macs_odp_pktio *pktio) {
    struct netmap_state *state = pktio->state;
    if (state->has_interface)
        macs_odp_interface_close(&state->interface);
    free(state);
}

static int netmap_start(struct macs_odp_pktio *pktio) {
    struct netmap_state *state = pktio->state;
    if (pairs_open(pktio) != 0)
        return -1;
    state->dropped = state->has_interface ? macs_odp_netdev_dropped(state->name) : 0;
    state->started = true;
    if (state->has_interface)
        macs_odp_interface_check(&state->interface);
    return 0;
}

/* A moment for what is on the transmit rings: it would be lost when they are closed. */
static void drain(struct netmap_pair *pair) {
    for (int tries = 0; pair->tx != NULL && nm_tx_pending(pair->tx) && tries < DRAIN_TRIES; tries++) {
        if (ioctl(pair->fd, NIOCTXSYNC, NULL) != 0)
            break;
        odp_time_wait_ns(DRAIN_WAIT_NS);
    }
}

static int netmap_stop(struct macs_odp_pktio *pktio) {
    struct netmap_state *state = pktio->state;
    state->started = false;
    for (uint32_t i = 0; i < pktio->num_out; i++) {
        drain(&state->pair[i]);
        lost_count(&pktio->out[i], &state->pair[i]);
    }
    pairs_close(state);
    return 0;
}

/* Copy the frame at the ring's head, which may take several slots, and pass over it. False: it is too short or long. */
static bool frame_take(struct macs_odp_pktio *pktio, struct netmap_ring *ring, odp_packet_t pkt) {
    uint32_t room = macs_odp_pktio_room(pktio), len = 0;
    bool more = true, fits = true;
    macs_odp_packet_start(pkt, pktio->pool->headroom, 0, (int)pktio->index);
    while (more && !nm_ring_empty(ring)) {
        const struct netmap_slot *slot = &ring->slot[ring->head];
        fits = fits && slot->len <= room - len;
        if (fits) {
            memcpy(macs_odp_data(pkt) + len, NETMAP_BUF(ring, slot->buf_idx), slot->len);
            len += slot->len;
        }
        more = (slot->flags & NS_MOREFRAG) != 0;
        ring->head = ring->cur = nm_ring_next(ring, ring->head);
    }
    macs_odp_place(pkt, macs_odp_data(pkt), len);
    return fits && len >= ETH_HLEN;
}

static uint32_t ring_recv(struct macs_odp_pktin *queue, struct netmap_pair *pair, odp_packet_t packets[],
                          uint32_t num) {
    struct macs_odp_pktio *pktio = queue->pktio;
    uint64_t octets = 0, errors = 0;
    uint32_t got = 0, taken = 0;
    odp_spinlock_lock(&pair->rx_lock);
    if (pair->rx != NULL && ioctl(pair->fd, NIOCRXSYNC, NULL) == 0 && !nm_ring_empty(pair->rx))
        taken = macs_odp_packet_take(pktio->pool, packets, num);
    while (got < taken && !nm_ring_empty(pair->rx)) {
        if (!frame_take(pktio, pair->rx, packets[got])) {
            errors++;
            continue;
        }
        macs_odp_checksum_guess(macs_odp_data(packets[got]), macs_odp_len(packets[got]));
        odp_packet_ts_set(packets[got], odp_pktio_time(pktio, NULL));
        octets += macs_odp_len(packets[got++]);
    }
    odp_spinlock_unlock(&pair->rx_lock);
    if (got < taken)
        macs_odp_packet_untake(pktio->pool, packets + got, taken - got);
    if (errors > 0)
        macs_odp_count(&queue->counters.errors, errors);
    if (got > 0)
        macs_odp_count_frames(&queue->counters, got, octets);
    return got;
}

static int netmap_recv(struct macs_odp_pktin *queue, odp_packet_t packets[], int num) {
    struct netmap_state *state = queue->pktio->state;
    uint32_t got = 0;
    for (uint32_t i = queue->index; i < state->count && got < (uint32_t)num; i += queue->pktio->num_in)
        got += ring_recv(queue, &state->pair[i], packets + got, (uint32_t)num - got);
    if (got == 0 && state->has_interface)
        macs_odp_interface_idle(&state->interface, &state->pair[queue->index].rx_idle);
    return (int)got;
}

static uint32_t netmap_maxlen(struct macs_odp_pktio *pktio) {
    struct netmap_state *state = pktio->state;
    uint32_t most = state->has_interface ? macs_odp_interface_maxlen(&state->interface) : state->maxlen;
    return most < state->maxlen ? most : state->maxlen;
}

static int netmap_send(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num) {
    struct netmap_state *state = queue->pktio->state;
    struct netmap_pair *pair = &state->pair[queue->index];
    uint32_t maxlen = netmap_maxlen(queue->pktio);
    uint64_t octets = 0;
    int sent = 0;
    odp_spinlock_lock(&pair->tx_lock);
    struct netmap_ring *ring = pair->tx;
    bool usable = !state->has_interface || macs_odp_interface_usable(&state->interface);
    if (!usable) /* the kernel would let them fall */
        ring = NULL;
    if (ring != NULL && nm_ring_space(ring) < (uint32_t)num)
        ioctl(pair->fd, NIOCTXSYNC, NULL);
    for (; ring != NULL && sent < num && !nm_ring_empty(ring) && macs_odp_len(packets[sent]) <= maxlen; sent++) {
        struct netmap_slot *slot = &ring->slot[ring->head];
        slot->len = (uint16_t)macs_odp_len(packets[sent]);
        slot->flags = 0;
        memcpy(NETMAP_BUF(ring, slot->buf_idx), macs_odp_data(packets[sent]), slot->len);
        octets += slot->len;
        ring->head = ring->cur = nm_ring_next(ring, ring->head);
    }
    bool failed = sent > 0 && ioctl(pair->fd, NIOCTXSYNC, NULL) != 0; /* netmap has emptied the ring, or it is gone */
    if (failed)
        macs_odp_count(&queue->counters.errors, (uint64_t)sent);
    else
        macs_odp_count_frames(&queue->counters, (uint64_t)sent, octets);
    odp_spinlock_unlock(&pair->tx_lock);
    odp_packet_free_multi(packets, sent);
    if (state->has_interface && (failed || !usable))
        macs_odp_interface_idle(&state->interface, &pair->tx_idle);
    return sent == 0 && macs_odp_len(packets[0]) > maxlen ? macs_odp_fail(EMSGSIZE) : sent;
}

/* The interface's own count of what it was given and did not send. */
static void netmap_refresh(struct macs_odp_pktio *pktio) {
    struct netmap_state *state = pktio->state;
    if (state->has_interface && pktio->num_out > 0 && pktio->started) {
        uint64_t dropped = macs_odp_netdev_dropped(state->name);
        uint64_t *count = &pktio->out[0].counters.discards;
        if (dropped > state->dropped)
            __atomic_store_n(count, dropped - state->dropped, __ATOMIC_RELAXED);
    }
}

static int netmap_mac(struct macs_odp_pktio *pktio, uint8_t mac[6]) {
    return macs_odp_netdev_mac(((struct netmap_state *)pktio->state)->name, mac);
}

static odp_pktio_link_status_t netmap_link(struct macs_odp_pktio *pktio) {
    struct netmap_state *state = pktio->state;
    return state->has_interface ? macs_odp_netdev_link(state->name) : ODP_PKTIO_LINK_STATUS_UP;
}

static int netmap_promisc_set(struct macs_odp_pktio *pktio, bool enable) {
    struct netmap_state *state = pktio->state;
    return state->has_interface ? macs_odp_interface_promisc_set(&state->interface, enable) : 0;
}

static int netmap_promisc(struct macs_odp_pktio *pktio) {
    struct netmap_state *state = pktio->state;
    return state->has_interface ? state->interface.promisc : 1;
}

const struct macs_odp_driver macs_odp_driver_netmap = {
    .name = "netmap",
    .max_input_queues = RINGS,
    .max_output_queues = RINGS,
    .open = netmap_open,
    .close = netmap_close,
    .start = netmap_start,
    .stop = netmap_stop,
    .recv = netmap_recv,
    .send = netmap_send,
    .mac_addr = netmap_mac,
    .promisc = netmap_promisc,
    .promisc_set = netmap_promisc_set,
    .link_status = netmap_link,
    .refresh = netmap_refresh,
    .maxlen = netmap_maxlen,
};

#endif
