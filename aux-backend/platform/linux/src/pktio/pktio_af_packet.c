/* af_packet:IFACE, or just IFACE — a network interface of the kernel through packet sockets. af_packet:IFACE,segments:
 * TCP segments are not coalesced to super-frames on their way out (coalesce.h). af_packet:IFACE,whole: super-frames of
 * TCP are not segmented (whole.h).
 *
 * Receiving (packet_rx.h): each input queue has a socket and a ring; the sockets form a fanout group by flow hash, or
 * by a filter of the user's. Sending: sendmmsg(), with a socket for each output queue. Rings are not used for sending:
 * the kernel copies their frames if these go to another interface of the same machine, and kernels before 4.20 corrupt
 * them. Settings of the interface are not changed, except promiscuous mode on request. An interface that is removed is
 * logged; when there is one of that name again, the port goes on with it. A fanout group belongs to its interface, so
 * the sockets of several input queues cannot be bound again: each receiver opens a new one, in a group of the next
 * generation.
 */
#include "pktio/interface.h"
#include "pktio/netdev.h"
#include "packet/packet_rx.h"
#include "packet/packet_tx.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { QUEUES = 16 };

struct af_packet_state {
    struct macs_odp_interface interface;
    uint32_t generation; /* how often the interface came back: atomic */
    uint32_t num_rx;
    uint32_t num_tx;
    struct macs_odp_rx *rx[QUEUES];
    struct macs_odp_tx tx[ODP_PKTOUT_MAX_QUEUES];
    bool coalesce;
    bool whole;
};

static void af_packet_rebind(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    if (pktio->num_in > 1)
        __atomic_store_n(&state->generation, state->generation + 1, __ATOMIC_RELEASE);
    else if (state->num_rx > 0)
        macs_odp_packet_bind(state->rx[0]->fd, state->interface.ifindex, ETH_P_ALL);
    for (uint32_t i = 0; i < state->num_tx; i++)
        macs_odp_packet_bind(state->tx[i].fd, state->interface.ifindex, 0);
}

static int af_packet_open(struct macs_odp_pktio *pktio, const char *arguments) {
    struct af_packet_state *state = calloc(1, sizeof(*state));
    if (state == NULL)
        return macs_odp_fail(ENOMEM);
    const char *comma = strchr(arguments, ',');
    char name[sizeof(pktio->name)];
    state->whole = comma != NULL && strcmp(comma, ",whole") == 0;
    if (comma != NULL && !state->whole && strcmp(comma, ",segments") != 0) {
        macs_odp_log(ODP_LOG_ERR, "port %s: \"%s\" is not an option: there are \"segments\" and \"whole\"\n",
                     pktio->name, comma + 1);
        free(state);
        return macs_odp_fail(EINVAL);
    }
    macs_odp_name(name, comma != NULL ? (size_t)(comma - arguments) + 1 : sizeof(name), arguments);
    if (macs_odp_interface_open(&state->interface, pktio, name, af_packet_rebind) != 0) {
        free(state);
        return -1;
    }
    state->coalesce = comma == NULL || state->whole;
    pktio->state = state;
    return 0;
}

static void af_packet_close(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    macs_odp_interface_close(&state->interface);
    free(state);
}

static int af_packet_promisc_set(struct macs_odp_pktio *pktio, bool enable) {
    return macs_odp_interface_promisc_set(&((struct af_packet_state *)pktio->state)->interface, enable);
}

static int af_packet_promisc(struct macs_odp_pktio *pktio) {
    return ((struct af_packet_state *)pktio->state)->interface.promisc;
}

/* The receiving thread does not write this counter. */
static void refresh_locked(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    for (uint32_t i = 0; i < state->num_rx; i++)
        macs_odp_count(&pktio->in[i].counters.discards, macs_odp_rx_dropped(state->rx[i]));
}

static void af_packet_refresh(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    pthread_mutex_lock(&state->interface.lock);
    refresh_locked(pktio);
    pthread_mutex_unlock(&state->interface.lock);
}

static int af_packet_stop(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    pthread_mutex_lock(&state->interface.lock);
    refresh_locked(pktio);
    for (; state->num_rx > 0; state->num_rx--)
        macs_odp_rx_close(state->rx[state->num_rx - 1]);
    for (; state->num_tx > 0; state->num_tx--)
        macs_odp_tx_close(&state->tx[state->num_tx - 1]);
    pthread_mutex_unlock(&state->interface.lock);
    return 0;
}

/* A receiving socket, one of a fanout group if there are more. NULL: refused. */
static struct macs_odp_rx *rx_open(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    uint32_t group = (uint32_t)getpid() * 31 + pktio->index + state->generation * 7919;
    struct macs_odp_rx *rx = macs_odp_rx_open(&state->interface);
    if (rx == NULL)
        return NULL;
    rx->generation = state->generation;
    rx->whole = state->whole && rx->vnet;
    if (pktio->num_in == 1 || macs_odp_rx_fanout(rx, (uint16_t)group, pktio->filter, pktio->filter_instructions) == 0)
        return rx;
    macs_odp_rx_close(rx);
    return NULL;
}

/* The queue's receiver opens its socket anew, as the interface is back. */
static void rx_renew(struct macs_odp_pktin *queue) {
    struct macs_odp_pktio *pktio = queue->pktio;
    struct af_packet_state *state = pktio->state;
    if (pthread_mutex_trylock(&state->interface.lock) != 0)
        return; /* the next time */
    struct macs_odp_rx *rx = rx_open(pktio);
    if (rx != NULL) {
        macs_odp_count(&queue->counters.discards, macs_odp_rx_dropped(state->rx[queue->index]));
        macs_odp_rx_close(state->rx[queue->index]);
        state->rx[queue->index] = rx;
    } else {
        macs_odp_log(ODP_LOG_ERR, "port %s: input queue %u cannot be opened again: %s\n", pktio->name, queue->index,
                     odp_errno_str(macs_odp_error));
        state->rx[queue->index]->generation = state->generation;
    }
    pthread_mutex_unlock(&state->interface.lock);
}

static int start_rx(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    for (; state->num_rx < pktio->num_in; state->num_rx++)
        if ((state->rx[state->num_rx] = rx_open(pktio)) == NULL)
            return -1;
    return 0;
}

static int start_tx(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    for (; state->num_tx < pktio->num_out; state->num_tx++)
        if (macs_odp_tx_open(&state->tx[state->num_tx], state->interface.ifindex, state->coalesce, state->whole) != 0)
            return -1;
    return 0;
}

static int af_packet_start(struct macs_odp_pktio *pktio) {
    if (start_rx(pktio) == 0 && start_tx(pktio) == 0) {
        macs_odp_interface_check(&((struct af_packet_state *)pktio->state)->interface);
        return 0;
    }
    macs_odp_log(ODP_LOG_ERR, "port %s: cannot open a packet socket: %s\n", pktio->name, odp_errno_str(macs_odp_error));
    af_packet_stop(pktio);
    return -1;
}

static odp_pktio_link_status_t af_packet_link(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    macs_odp_interface_check(&state->interface);
    return macs_odp_netdev_link(state->interface.name);
}

static uint32_t af_packet_maxlen(struct macs_odp_pktio *pktio) {
    const struct af_packet_state *state = pktio->state;
    macs_odp_interface_check(&((struct af_packet_state *)pktio->state)->interface);
    return state->whole ? MACS_ODP_SUPER_MAX : macs_odp_interface_maxlen(&state->interface);
}

static int af_packet_mac(struct macs_odp_pktio *pktio, uint8_t mac[6]) {
    return macs_odp_netdev_mac(((struct af_packet_state *)pktio->state)->interface.name, mac);
}

static int af_packet_recv(struct macs_odp_pktin *queue, odp_packet_t packets[], int num) {
    struct macs_odp_pktio *pktio = queue->pktio;
    struct af_packet_state *state = pktio->state;
    uint64_t octets = 0, errors = 0;
    uint32_t got = 0, taken = 0;
    if (odp_unlikely(state->rx[queue->index]->generation != __atomic_load_n(&state->generation, __ATOMIC_ACQUIRE)))
        rx_renew(queue);
    struct macs_odp_rx *rx = state->rx[queue->index];
    if (macs_odp_rx_ready(rx))
        taken = macs_odp_packet_take(pktio->pool, packets, (uint32_t)num);
    while (got < taken) {
        enum macs_odp_rx_result result = macs_odp_rx_next(rx, pktio, packets[got]);
        if (result == MACS_ODP_RX_NONE)
            break;
        errors += result == MACS_ODP_RX_BAD;
        if (result == MACS_ODP_RX_FRAME)
            octets += macs_odp_len(packets[got++]);
    }
    if (got < taken)
        macs_odp_packet_untake(pktio->pool, packets + got, taken - got);
    if (errors > 0)
        macs_odp_count(&queue->counters.errors, errors);
    if (got > 0)
        macs_odp_count_frames(&queue->counters, got, octets);
    else
        macs_odp_interface_idle(&state->interface, &rx->idle);
    return (int)got;
}

static int af_packet_send(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num) {
    struct af_packet_state *state = queue->pktio->state;
    uint32_t maxlen = macs_odp_interface_maxlen(&state->interface);
    uint64_t octets = 0;
    struct macs_odp_tx_bad bad = {0};
    int done = (int)macs_odp_tx_send(&state->tx[queue->index], packets, (uint32_t)num, maxlen, &bad);
    for (int i = 0; i < done; i++)
        octets += macs_odp_len(packets[i]);
    if (bad.frames > 0)
        macs_odp_count(&queue->counters.errors, bad.frames);
    macs_odp_count_frames(&queue->counters, (uint64_t)done - bad.frames, octets - bad.octets);
    odp_packet_free_multi(packets, done);
    if (done > 0)
        return done;
    /* The kernel's word counts: the MTU is less than it was, or beyond it only a tag of 802.1Q has room. */
    if (macs_odp_len(packets[0]) > maxlen || errno == EMSGSIZE)
        return macs_odp_fail(EMSGSIZE);
    if (errno != EAGAIN && errno != ENOBUFS)
        macs_odp_interface_check(&state->interface);
    return 0;
}

static int af_packet_descriptors(struct macs_odp_pktin *queue, int fds[], int max) {
    struct af_packet_state *state = queue->pktio->state;
    macs_odp_interface_due(&state->interface);
    if (max < 1 || !macs_odp_interface_usable(&state->interface))
        return 0;
    fds[0] = state->rx[queue->index]->fd;
    return 1;
}

const struct macs_odp_driver macs_odp_driver_af_packet = {
    .name = "af_packet",
    .steers = MACS_ODP_STEERS_MOST,
    .max_input_queues = QUEUES,
    .max_output_queues = ODP_PKTOUT_MAX_QUEUES,
    .open = af_packet_open,
    .close = af_packet_close,
    .start = af_packet_start,
    .stop = af_packet_stop,
    .recv = af_packet_recv,
    .send = af_packet_send,
    .descriptors = af_packet_descriptors,
    .mac_addr = af_packet_mac,
    .promisc = af_packet_promisc,
    .promisc_set = af_packet_promisc_set,
    .link_status = af_packet_link,
    .refresh = af_packet_refresh,
    .maxlen = af_packet_maxlen,
};
