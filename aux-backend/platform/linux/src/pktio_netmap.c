/* netmap:PORT — a network interface, a port of a VALE switch (vale0:1) or an end of a pipe, through netmap.
 *
 * In builds with -DMACS_ODP_NETMAP, for which the compiler must find <net/netmap_user.h>; netmap is no part of Linux. A
 * descriptor for each pair of rings, so that each queue is synchronised by itself: input queue i serves the receive
 * rings i, i + number of input queues, …, output queue i has transmit ring i. The kernel's buffers are its own: a frame
 * is copied from and to them. An interface is taken from the kernel's network code until the port is stopped, and given
 * back when the process ends, however that is. Checksums that a neighbour in the same kernel left open are completed as
 * far as a frame tells (offload.h). Source: netmap(4), <net/netmap.h>: API 14.
 */
#include "interface.h"
#include "netdev.h"
#include "offload.h"

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
    uint32_t idle;
} ODP_ALIGNED_CACHE;

struct netmap_state {
    struct macs_odp_interface interface; /* only where has_interface */
    bool has_interface;
    bool started;
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

/* Bind a descriptor to the pair of rings of one number. The memory is the same for all. */
static int pair_open(struct netmap_state *state, uint32_t index) {
    struct netmap_pair *pair = &state->pair[index];
    struct nmreq_register body = {.nr_mode = state->count > 1 ? NR_REG_ONE_NIC : NR_REG_ALL_NIC,
                                  .nr_ringid = (uint16_t)(state->count > 1 ? index : 0),
                                  .nr_flags = NR_NO_TX_POLL};
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
    if (pair->tx != NULL)
        __atomic_store_n(&state->maxlen, pair->tx->nr_buf_size, __ATOMIC_RELAXED);
    return 0;
}

static int pairs_open(struct macs_odp_pktio *pktio) {
    struct netmap_state *state = pktio->state;
    for (uint32_t i = 0; i < state->count; i++)
        if (pair_open(state, i) != 0) {
            macs_odp_log(ODP_LOG_ERR, "port %s: netmap does not give ring %u: %s\n", pktio->name, i,
                         odp_errno_str(macs_odp_error));
            pairs_close(state);
            return -1;
        }
    return 0;
}

/* Called under the interface's lock. */
static void netmap_rebind(struct macs_odp_pktio *pktio) {
    struct netmap_state *state = pktio->state;
    for (uint32_t i = 0; i < state->count; i++) {
        odp_spinlock_lock(&state->pair[i].rx_lock);
        odp_spinlock_lock(&state->pair[i].tx_lock);
    }
    pairs_close(state);
    if (state->started)
        pairs_open(pktio);
    for (uint32_t i = 0; i < state->count; i++) {
        odp_spinlock_unlock(&state->pair[i].tx_lock);
        odp_spinlock_unlock(&state->pair[i].rx_lock);
    }
}

/* How many rings a port has; 0: refused (logged). */
static uint32_t rings_count(struct macs_odp_pktio *pktio, const char *name) {
    struct nmreq_port_info_get body = {0};
    int fd = open(NETMAP_DEVICE_NAME, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        macs_odp_error = errno;
        macs_odp_log(ODP_LOG_ERR, "port %s: no " NETMAP_DEVICE_NAME " (is the module loaded?): %s\n", pktio->name,
                     strerror(errno));
        return 0;
    }
    int result = request(fd, name, NETMAP_REQ_PORT_INFO_GET, &body);
    close(fd);
    if (result != 0) {
        macs_odp_log(ODP_LOG_ERR, "port %s: netmap has no port \"%s\": %s\n", pktio->name, name,
                     odp_errno_str(macs_odp_error));
        return 0;
    }
    uint32_t count = body.nr_rx_rings > body.nr_tx_rings ? body.nr_rx_rings : body.nr_tx_rings;
    pktio->max_in = body.nr_rx_rings < RINGS ? body.nr_rx_rings : RINGS;
    pktio->max_out = body.nr_tx_rings < RINGS ? body.nr_tx_rings : RINGS;
    return count < RINGS ? count : RINGS;
}

static int netmap_open(struct macs_odp_pktio *pktio, const char *arguments) {
    uint32_t count = strlen(arguments) < NETMAP_REQ_IFNAMSIZ ? rings_count(pktio, arguments) : 0;
    if (count == 0)
        return macs_odp_error != 0 ? -1 : macs_odp_fail(EINVAL);
    struct netmap_state *state = aligned_alloc(ODP_CACHE_LINE_SIZE, sizeof(*state));
    if (state == NULL)
        return macs_odp_fail(ENOMEM);
    memset(state, 0, sizeof(*state));
    state->has_interface = macs_odp_netdev_index(arguments) >= 0;
    if (state->has_interface && macs_odp_interface_open(&state->interface, pktio, arguments, netmap_rebind) != 0) {
        free(state);
        return -1;
    }
    macs_odp_name(state->name, sizeof(state->name), arguments);
    state->count = count;
    state->maxlen = ETH_FRAME_LEN;
    for (uint32_t i = 0; i < count; i++) {
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
    for (uint32_t i = 0; i < state->count; i++)
        drain(&state->pair[i]);
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
        macs_odp_interface_idle(&state->interface, &state->pair[queue->index].idle);
    return (int)got;
}

static uint32_t netmap_maxlen(struct macs_odp_pktio *pktio) {
    struct netmap_state *state = pktio->state;
    uint32_t buffer = __atomic_load_n(&state->maxlen, __ATOMIC_RELAXED);
    uint32_t most = state->has_interface ? macs_odp_interface_maxlen(&state->interface) : buffer;
    return most < buffer ? most : buffer;
}

static int netmap_send(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num) {
    struct netmap_state *state = queue->pktio->state;
    struct netmap_pair *pair = &state->pair[queue->index];
    uint32_t maxlen = netmap_maxlen(queue->pktio);
    uint64_t octets = 0;
    int sent = 0;
    odp_spinlock_lock(&pair->tx_lock);
    struct netmap_ring *ring = pair->tx;
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
    if (sent > 0)
        ioctl(pair->fd, NIOCTXSYNC, NULL);
    odp_spinlock_unlock(&pair->tx_lock);
    macs_odp_count_frames(&queue->counters, (uint64_t)sent, octets);
    odp_packet_free_multi(packets, sent);
    return sent == 0 && macs_odp_len(packets[0]) > maxlen ? macs_odp_fail(EMSGSIZE) : sent;
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
    .maxlen = netmap_maxlen,
};

#endif
