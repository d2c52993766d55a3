/* af_xdp:IFACE — a network interface of the kernel through AF_XDP sockets, which bypass the kernel's network stack.
 *
 * Every queue of the interface has a socket (xsk.h), so that no frame goes to the kernel instead. Input queue i serves
 * the sockets i, i + number of input queues, …. Output queue i sends by socket i. Zero-copy is used if the driver has
 * it. Without it the interface may be virtual, and checksums may be incomplete: they are computed, as far as the frame
 * alone tells (offload.h).
 * An interface that is removed is logged; when there is one of that name again, the port goes on with it. For this the
 * receiver and the sender of a socket each hold a lock of it, which at all other times nobody else takes.
 */
#include "pktio/interface.h"
#include "pktio/netdev.h"
#include "packet/offload.h"
#include "xdp/xdp.h"
#include "xdp/xsk.h"

#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>

enum { SOCKETS = ODP_PKTIN_MAX_QUEUES, BUSY_TRIES = 50, VLAN_TAG = 4 };
#define BUSY_WAIT_NS (20 * ODP_TIME_MSEC_IN_NS)

struct af_xdp_socket {
    odp_spinlock_t rx_lock; /* guard xsk, which is NULL while the interface is away */
    odp_spinlock_t tx_lock;
    struct macs_odp_xsk *xsk;
    uint64_t dropped; /* of xsk->dropped, already counted */
    uint32_t idle;
    bool sending; /* the kernel may have packets to send: atomic */
} ODP_ALIGNED_CACHE;

struct af_xdp_state {
    struct macs_odp_interface interface;
    struct macs_odp_xdp xdp;
    uint32_t count;
    uint32_t maxlen; /* that the sockets can send */
    bool started;
    struct af_xdp_socket socket[SOCKETS];
};

/* What to do about an error, for the log. */
static const char *hint(int error) {
    switch (error) {
    case EPERM:
    case EACCES:
        return " (it takes root, or CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF)";
    case EBUSY:
        return " (another program has the interface's XDP or queue: see `ip link`; `ip link set IFACE xdp off` takes a "
               "forgotten one away)";
    case ENOBUFS:
        return " (the limit of locked memory: ulimit -l)";
    case ENOSYS:
    case EAFNOSUPPORT:
        return " (this kernel, or emulator, has no AF_XDP: af_packet:IFACE does without)";
    default:
        return "";
    }
}

static int refused(struct macs_odp_pktio *pktio, const char *what, int error) {
    macs_odp_log(ODP_LOG_ERR, "port %s: %s: %s%s\n", pktio->name, what, strerror(error), hint(error));
    return macs_odp_fail(error);
}

/* Frames that were counted as sent when they were put on a ring, and the kernel lost them or never took them. */
static void unsent_count(struct macs_odp_pktout *queue, const struct macs_odp_xsk_unsent *unsent) {
    macs_odp_count_frames(&queue->counters, -unsent->dropped - unsent->frames, -unsent->octets);
    macs_odp_count(&queue->counters.discards, unsent->dropped);
    macs_odp_count(&queue->counters.errors, unsent->frames);
}

/* Nobody sends, or the caller holds the locks. */
static void sockets_close(struct macs_odp_pktio *pktio) {
    struct af_xdp_state *state = pktio->state;
    macs_odp_xdp_close(&state->xdp);
    for (uint32_t i = 0; i < state->count; i++) {
        struct macs_odp_xsk_unsent unsent = {0};
        if (state->socket[i].xsk != NULL && i < pktio->num_out) {
            macs_odp_xsk_finish(state->socket[i].xsk, &unsent);
            unsent_count(&pktio->out[i], &unsent);
        }
        if (state->socket[i].xsk != NULL)
            macs_odp_xsk_close(state->socket[i].xsk);
        state->socket[i].xsk = NULL;
        state->socket[i].dropped = 0;
    }
}

/* Returns NULL, or what the kernel refused, with the error number set. An interface that comes back may have fewer
 * queues: the other sockets stay away. The frames of queues that it did not have before go to the kernel. */
static const char *sockets_try(struct macs_odp_pktio *pktio) {
    struct af_xdp_state *state = pktio->state;
    const struct macs_odp_interface *interface = &state->interface;
    uint32_t queues = macs_odp_netdev_queues(interface->name);
    if (macs_odp_xdp_open(&state->xdp, state->count) != 0)
        return "the kernel does not make a map for the XDP program";
    for (uint32_t i = 0; i < state->count && i < queues; i++) {
        struct macs_odp_xsk *xsk =
            macs_odp_xsk_open(interface->ifindex, i, pktio->pool, state->count, macs_odp_interface_maxlen(interface));
        state->socket[i].xsk = xsk;
        if (xsk == NULL)
            return "cannot open an AF_XDP socket";
        if (macs_odp_xdp_socket(&state->xdp, i, xsk->fd) != 0)
            return "cannot tell the XDP program of a socket";
        __atomic_store_n(&state->maxlen, macs_odp_xsk_maxlen(xsk), __ATOMIC_RELAXED);
    }
    bool attached = pktio->num_in == 0 || macs_odp_xdp_attach(&state->xdp, interface->ifindex) == 0;
    return attached ? NULL : "cannot attach the XDP program";
}

/* The kernel takes a moment to clear up after a process that has ended, and has the interface for busy until then. */
static int sockets_open(struct macs_odp_pktio *pktio) {
    const char *failed;
    for (int tries = 0; (failed = sockets_try(pktio)) != NULL; tries++) {
        int error = macs_odp_error;
        sockets_close(pktio);
        if (error != EBUSY || tries == BUSY_TRIES)
            return refused(pktio, failed, error);
        odp_time_wait_ns(BUSY_WAIT_NS);
    }
    return 0;
}

/* Called under the interface's lock, as is what follows. */
static void refresh_locked(struct macs_odp_pktio *pktio) {
    struct af_xdp_state *state = pktio->state;
    for (uint32_t i = 0; i < state->count && pktio->num_in > 0; i++) {
        struct af_xdp_socket *socket = &state->socket[i];
        uint64_t dropped = socket->xsk != NULL ? macs_odp_xsk_dropped(socket->xsk) : socket->dropped;
        macs_odp_count(&pktio->in[i % pktio->num_in].counters.discards, dropped - socket->dropped);
        socket->dropped = dropped;
    }
}

static void af_xdp_rebind(struct macs_odp_pktio *pktio) {
    struct af_xdp_state *state = pktio->state;
    for (uint32_t i = 0; i < state->count; i++) {
        odp_spinlock_lock(&state->socket[i].rx_lock);
        odp_spinlock_lock(&state->socket[i].tx_lock);
    }
    refresh_locked(pktio);
    sockets_close(pktio);
    if (state->started)
        sockets_open(pktio);
    for (uint32_t i = 0; i < state->count; i++) {
        odp_spinlock_unlock(&state->socket[i].tx_lock);
        odp_spinlock_unlock(&state->socket[i].rx_lock);
    }
}

static int af_xdp_open(struct macs_odp_pktio *pktio, const char *arguments) {
    if (macs_odp_pktio_room(pktio) < MACS_ODP_XSK_DATA_MIN || pktio->pool->stride > UINT16_MAX) {
        macs_odp_log(ODP_LOG_ERR, "port %s: AF_XDP needs a pool whose packets hold %u bytes and take at most 64 kB\n",
                     pktio->name, MACS_ODP_XSK_DATA_MIN);
        return macs_odp_fail(EINVAL);
    }
    struct af_xdp_state *state = aligned_alloc(ODP_CACHE_LINE_SIZE, sizeof(*state));
    if (state == NULL)
        return macs_odp_fail(ENOMEM);
    memset(state, 0, sizeof(*state));
    if (macs_odp_interface_open(&state->interface, pktio, arguments, af_xdp_rebind) != 0) {
        free(state);
        return -1;
    }
    state->xdp = MACS_ODP_XDP_NONE;
    state->count = macs_odp_netdev_queues(arguments);
    state->count = state->count < SOCKETS ? state->count : SOCKETS;
    for (uint32_t i = 0; i < state->count; i++) {
        odp_spinlock_init(&state->socket[i].rx_lock);
        odp_spinlock_init(&state->socket[i].tx_lock);
    }
    state->maxlen = UINT32_MAX;
    pktio->max_in = pktio->max_out = state->count;
    pktio->state = state;
    return 0;
}

static void af_xdp_close(struct macs_odp_pktio *pktio) {
    struct af_xdp_state *state = pktio->state;
    macs_odp_interface_close(&state->interface);
    free(state);
}

static void af_xdp_refresh(struct macs_odp_pktio *pktio) {
    struct af_xdp_state *state = pktio->state;
    pthread_mutex_lock(&state->interface.lock);
    refresh_locked(pktio);
    pthread_mutex_unlock(&state->interface.lock);
}

static int af_xdp_stop(struct macs_odp_pktio *pktio) {
    struct af_xdp_state *state = pktio->state;
    pthread_mutex_lock(&state->interface.lock);
    refresh_locked(pktio);
    state->started = false;
    sockets_close(pktio);
    pthread_mutex_unlock(&state->interface.lock);
    return 0;
}

static int af_xdp_start(struct macs_odp_pktio *pktio) {
    struct af_xdp_state *state = pktio->state;
    if (sockets_open(pktio) != 0)
        return -1;
    state->started = true;
    if (pktio->num_in > 0 && !state->xdp.native)
        macs_odp_log(ODP_LOG_WARN, "port %s: the interface's driver has no XDP: the kernel's generic code does it\n",
                     pktio->name);
    macs_odp_interface_check(&state->interface);
    return 0;
}

/* What was left on the transmit ring goes out, and what has been sent is free again, even if nothing more is sent. */
static void send_rest(struct macs_odp_pktio *pktio, struct af_xdp_socket *socket) {
    struct macs_odp_xsk_unsent unsent = {0};
    if (!__atomic_load_n(&socket->sending, __ATOMIC_RELAXED))
        return;
    odp_spinlock_lock(&socket->tx_lock);
    if (socket->xsk != NULL)
        macs_odp_xsk_kick(socket->xsk, &unsent.dropped);
    if (unsent.dropped > 0)
        unsent_count(&pktio->out[socket - ((struct af_xdp_state *)pktio->state)->socket], &unsent);
    __atomic_store_n(&socket->sending, socket->xsk != NULL && macs_odp_xsk_sending(socket->xsk), __ATOMIC_RELAXED);
    odp_spinlock_unlock(&socket->tx_lock);
}

/* What virtual devices leave undone: checksums are completed; super-frames, of which XDP does not tell how they are to
 * be cut, are dropped. Returns how many frames are left. */
static uint32_t frames_complete(struct macs_odp_pktio *pktio, odp_packet_t packets[], uint32_t num, uint64_t *errors) {
    struct af_xdp_state *state = pktio->state;
    uint32_t longest = macs_odp_interface_maxlen(&state->interface) + VLAN_TAG, kept = 0; /* a tag that was beside it */
    for (uint32_t i = 0; i < num; i++) {
        if (odp_unlikely(macs_odp_len(packets[i]) > longest)) {
            macs_odp_packet_give(pktio->pool, &packets[i], 1);
            continue;
        }
        macs_odp_checksum_guess(macs_odp_data(packets[i]), macs_odp_len(packets[i]));
        packets[kept++] = packets[i];
    }
    *errors += num - kept;
    return kept;
}

static uint64_t frames_finish(struct macs_odp_pktio *pktio, odp_packet_t packets[], uint32_t num) {
    odp_time_t now = odp_pktio_time(pktio, NULL);
    uint64_t octets = 0;
    for (uint32_t i = 0; i < num; i++) {
        macs_odp_input_change(packets[i], (int)pktio->index);
        odp_packet_ts_set(packets[i], now);
        octets += macs_odp_len(packets[i]);
    }
    return octets;
}

static uint32_t socket_recv(struct macs_odp_pktin *queue, struct af_xdp_socket *socket, odp_packet_t packets[],
                            uint32_t num) {
    struct macs_odp_pktio *pktio = queue->pktio;
    struct af_xdp_state *state = pktio->state;
    uint64_t errors = 0, octets = 0;
    uint32_t got = 0;
    odp_spinlock_lock(&socket->rx_lock);
    if (socket->xsk != NULL)
        got = macs_odp_xsk_recv(socket->xsk, packets, num, &errors);
    bool came = got > 0;
    if (came && !socket->xsk->zerocopy)
        got = frames_complete(pktio, packets, got, &errors);
    if (got > 0)
        octets = frames_finish(pktio, packets, got);
    odp_spinlock_unlock(&socket->rx_lock);
    if (errors > 0)
        macs_odp_count(&queue->counters.errors, errors);
    if (got > 0)
        macs_odp_count_frames(&queue->counters, got, octets);
    if (!came) {
        send_rest(pktio, socket);
        macs_odp_interface_idle(&state->interface, &socket->idle);
    }
    return got;
}

static int af_xdp_recv(struct macs_odp_pktin *queue, odp_packet_t packets[], int num) {
    struct af_xdp_state *state = queue->pktio->state;
    uint32_t got = 0;
    for (uint32_t i = queue->index; i < state->count && got < (uint32_t)num; i += queue->pktio->num_in)
        got += socket_recv(queue, &state->socket[i], packets + got, (uint32_t)num - got);
    return (int)got;
}

/* A kernel that takes a frame only in one chunk (before 6.6) sends none that is longer. */
static uint32_t longest_now(const struct af_xdp_state *state) {
    uint32_t maxlen = macs_odp_interface_maxlen(&state->interface);
    uint32_t most = __atomic_load_n(&state->maxlen, __ATOMIC_RELAXED);
    return maxlen < most ? maxlen : most;
}

static uint32_t af_xdp_maxlen(struct macs_odp_pktio *pktio) {
    struct af_xdp_state *state = pktio->state;
    macs_odp_interface_check(&state->interface);
    return longest_now(state);
}

/* How many frames from the first on are of a length that can be sent. */
static uint32_t sendable(const odp_packet_t packets[], int num, uint32_t maxlen) {
    uint32_t count = 0;
    while ((int)count < num && macs_odp_len(packets[count]) <= maxlen && macs_odp_len(packets[count]) >= ETH_HLEN)
        count++;
    return count;
}

static uint64_t octets_of(const odp_packet_t packets[], uint32_t num) {
    uint64_t octets = 0;
    for (uint32_t i = 0; i < num; i++)
        octets += macs_odp_len(packets[i]);
    return octets;
}

/* Send frames of good length; the caller holds the lock. Returns how many were taken. */
static uint32_t send_run(struct macs_odp_pktout *queue, struct macs_odp_xsk *xsk, const odp_packet_t packets[],
                         uint32_t num, int *error) {
    uint64_t octets = octets_of(packets, num), dropped = 0;
    uint32_t sent = macs_odp_xsk_send(xsk, packets, num);
    octets -= octets_of(packets + sent, num - sent); /* the others are the kernel's already */
    *error = macs_odp_xsk_kick(xsk, &dropped);
    macs_odp_count_frames(&queue->counters, sent - dropped, octets);
    if (dropped > 0)
        macs_odp_count(&queue->counters.discards, dropped);
    return sent;
}

static int af_xdp_send(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num) {
    struct af_xdp_state *state = queue->pktio->state;
    struct af_xdp_socket *socket = &state->socket[queue->index];
    uint32_t maxlen = longest_now(state);
    int done = 0, error = 0;
    odp_spinlock_lock(&socket->tx_lock);
    while (done < num && error == 0 && socket->xsk != NULL && macs_odp_interface_usable(&state->interface)) {
        uint32_t fine = sendable(packets + done, num - done, maxlen), sent = 0;
        if (fine > 0)
            sent = send_run(queue, socket->xsk, packets + done, fine, &error);
        done += (int)sent;
        if (sent < fine || done == num || macs_odp_len(packets[done]) > maxlen)
            break;
        macs_odp_count(&queue->counters.errors, 1); /* shorter than an Ethernet header */
        odp_packet_free(packets[done++]);
    }
    __atomic_store_n(&socket->sending, socket->xsk != NULL && macs_odp_xsk_sending(socket->xsk), __ATOMIC_RELAXED);
    odp_spinlock_unlock(&socket->tx_lock);
    if (error != 0)
        macs_odp_interface_check(&state->interface);
    return done == 0 && macs_odp_len(packets[0]) > maxlen ? macs_odp_fail(EMSGSIZE) : done;
}

static int af_xdp_mac(struct macs_odp_pktio *pktio, uint8_t mac[6]) {
    return macs_odp_netdev_mac(((struct af_xdp_state *)pktio->state)->interface.name, mac);
}

static odp_pktio_link_status_t af_xdp_link(struct macs_odp_pktio *pktio) {
    struct af_xdp_state *state = pktio->state;
    macs_odp_interface_check(&state->interface);
    return macs_odp_netdev_link(state->interface.name);
}

static int af_xdp_promisc_set(struct macs_odp_pktio *pktio, bool enable) {
    return macs_odp_interface_promisc_set(&((struct af_xdp_state *)pktio->state)->interface, enable);
}

static int af_xdp_promisc(struct macs_odp_pktio *pktio) {
    return ((struct af_xdp_state *)pktio->state)->interface.promisc;
}

/* None while a socket is away, or the kernel has packets to send and is to be told again. */
static int af_xdp_descriptors(struct macs_odp_pktin *queue, int fds[], int max) {
    struct af_xdp_state *state = queue->pktio->state;
    int count = 0;
    macs_odp_interface_due(&state->interface);
    for (uint32_t i = queue->index; i < state->count; i += queue->pktio->num_in) {
        struct af_xdp_socket *socket = &state->socket[i];
        odp_spinlock_lock(&socket->rx_lock);
        bool here = socket->xsk != NULL && !__atomic_load_n(&socket->sending, __ATOMIC_RELAXED) && count < max;
        if (here)
            fds[count++] = socket->xsk->fd;
        odp_spinlock_unlock(&socket->rx_lock);
        if (!here)
            return 0;
    }
    return count;
}

const struct macs_odp_driver macs_odp_driver_af_xdp = {
    .name = "af_xdp",
    .max_input_queues = SOCKETS,
    .max_output_queues = SOCKETS,
    .open = af_xdp_open,
    .close = af_xdp_close,
    .start = af_xdp_start,
    .stop = af_xdp_stop,
    .recv = af_xdp_recv,
    .send = af_xdp_send,
    .descriptors = af_xdp_descriptors,
    .mac_addr = af_xdp_mac,
    .promisc = af_xdp_promisc,
    .promisc_set = af_xdp_promisc_set,
    .link_status = af_xdp_link,
    .refresh = af_xdp_refresh,
    .maxlen = af_xdp_maxlen,
};
