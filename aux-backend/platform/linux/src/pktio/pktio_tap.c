/* tap:NAME — a virtual interface: the port receives what the kernel sends into it, and the other way round.
 *
 * The interface is created when the port is opened, brought up when it is started, and removed when it is closed. If it
 * is deleted before, that is logged, and the port transfers nothing any more. The kernel passes complete frames (with
 * checksums, without super-frames), one for each system call.
 * Source: Documentation/networking/tuntap.rst.
 */
#include "pktio/netdev.h"
#include "pktio/pktio.h"

#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct tap_state {
    int fd;
    char iface[IFNAMSIZ];
    bool gone;            /* logged: atomic */
    pthread_mutex_t lock; /* guards what follows */
    uint32_t dropped;     /* by the kernel: already counted */
};

/* A read or a write has failed. */
static void failed(struct macs_odp_pktio *pktio, int error) {
    struct tap_state *state = pktio->state;
    if (error == EBADFD && !__atomic_exchange_n(&state->gone, true, __ATOMIC_RELAXED))
        macs_odp_log(ODP_LOG_ERR, "port %s: the interface is gone\n", pktio->name);
}

static int tap_open(struct macs_odp_pktio *pktio, const char *arguments) {
    struct ifreq ifr = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    if (*arguments == '\0' || strlen(arguments) >= sizeof(ifr.ifr_name)) {
        macs_odp_log(ODP_LOG_ERR, "port %s: expected tap:NAME, the name of at most %d characters\n", pktio->name,
                     IFNAMSIZ - 1);
        return macs_odp_fail(EINVAL);
    }
    struct tap_state *state = calloc(1, sizeof(*state));
    if (state == NULL)
        return macs_odp_fail(ENOMEM);
    macs_odp_name(ifr.ifr_name, sizeof(ifr.ifr_name), arguments);
    state->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (state->fd < 0 || ioctl(state->fd, TUNSETIFF, &ifr) != 0) {
        macs_odp_error = errno;
        macs_odp_log(ODP_LOG_ERR, "port %s: cannot make the interface: %s\n", pktio->name, strerror(errno));
        if (state->fd >= 0)
            close(state->fd);
        free(state);
        return -1;
    }
    macs_odp_name(state->iface, sizeof(state->iface), ifr.ifr_name);
    pthread_mutex_init(&state->lock, NULL);
    pktio->state = state;
    return 0;
}

static void tap_close(struct macs_odp_pktio *pktio) {
    struct tap_state *state = pktio->state;
    close(state->fd);
    pthread_mutex_destroy(&state->lock);
    free(state);
}

/* What the kernel had no room for in the queue that is read here. An interface that has been moved to another network
 * namespace is out of sight: then nothing more. */
static void tap_refresh(struct macs_odp_pktio *pktio) {
    struct tap_state *state = pktio->state;
    if (pktio->num_in == 0)
        return;
    pthread_mutex_lock(&state->lock);
    uint32_t dropped = macs_odp_netdev_tx_dropped(state->iface);
    if (dropped > state->dropped) {
        macs_odp_count(&pktio->in[0].counters.discards, dropped - state->dropped);
        state->dropped = dropped;
    }
    pthread_mutex_unlock(&state->lock);
}

/* What came while it was stopped is not received. */
static void forget_waiting(int fd) {
    uint8_t frame[ETH_FRAME_LEN];
    while (read(fd, frame, sizeof(frame)) > 0)
        continue;
}

static int tap_start(struct macs_odp_pktio *pktio) {
    struct tap_state *state = pktio->state;
    forget_waiting(state->fd);
    if (macs_odp_netdev_up(state->iface) == 0)
        return 0;
    macs_odp_log(ODP_LOG_ERR, "port %s: cannot bring the interface up: %s\n", pktio->name,
                 odp_errno_str(macs_odp_error));
    return -1;
}

static int tap_recv(struct macs_odp_pktin *queue, odp_packet_t packets[], int num) {
    struct macs_odp_pktio *pktio = queue->pktio;
    struct tap_state *state = pktio->state;
    uint32_t got = 0, room = macs_odp_pktio_room(pktio);
    uint32_t taken = macs_odp_packet_take(pktio->pool, packets, (uint32_t)num);
    uint64_t octets = 0;
    while (got < taken) {
        odp_packet_t pkt = packets[got];
        uint8_t *to = macs_odp_head(pkt) + pktio->pool->headroom;
        ssize_t len = read(state->fd, to, room); /* what does not fit is cut off by the kernel, silently */
        if (len <= 0) {
            failed(pktio, errno);
            break;
        }
        if ((size_t)len == room) {
            macs_odp_count(&queue->counters.errors, 1);
            continue;
        }
        macs_odp_packet_start(pkt, pktio->pool->headroom, (uint32_t)len, (int)pktio->index);
        odp_packet_ts_set(pkt, odp_pktio_time(pktio, NULL));
        octets += (uint64_t)len;
        got++;
    }
    if (got < taken)
        macs_odp_packet_untake(pktio->pool, packets + got, taken - got);
    if (got > 0)
        macs_odp_count_frames(&queue->counters, got, octets);
    return (int)got;
}

static uint32_t tap_maxlen(struct macs_odp_pktio *pktio) {
    int mtu = macs_odp_netdev_mtu(((struct tap_state *)pktio->state)->iface);
    return mtu > 0 ? (uint32_t)mtu + ETH_HLEN + 4 : ETH_FRAME_LEN + 4;
}

static int tap_send(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num) {
    struct tap_state *state = queue->pktio->state;
    uint64_t octets = 0, errors = 0;
    int sent = 0;
    for (; sent < num; sent++) {
        ssize_t put = write(state->fd, macs_odp_data(packets[sent]), macs_odp_len(packets[sent]));
        if (put < 0 && errno != EINVAL) { /* the interface is down or gone, or the kernel's queue is full */
            failed(queue->pktio, errno);
            break;
        }
        if (put < 0)
            errors++;
        else
            octets += macs_odp_len(packets[sent]);
    }
    if (errors > 0)
        macs_odp_count(&queue->counters.errors, errors);
    macs_odp_count_frames(&queue->counters, (uint64_t)sent - errors, octets);
    odp_packet_free_multi(packets, sent);
    return sent;
}

static int tap_mac(struct macs_odp_pktio *pktio, uint8_t mac[6]) {
    return macs_odp_netdev_mac(((struct tap_state *)pktio->state)->iface, mac);
}

static odp_pktio_link_status_t tap_link(struct macs_odp_pktio *pktio) {
    return macs_odp_netdev_link(((struct tap_state *)pktio->state)->iface);
}

static int tap_descriptors(struct macs_odp_pktin *queue, int fds[], int max) {
    fds[0] = max > 0 ? ((struct tap_state *)queue->pktio->state)->fd : -1;
    return max > 0;
}

const struct macs_odp_driver macs_odp_driver_tap = {
    .name = "tap",
    .max_input_queues = 1,
    .max_output_queues = ODP_PKTOUT_MAX_QUEUES,
    .open = tap_open,
    .close = tap_close,
    .start = tap_start,
    .recv = tap_recv,
    .send = tap_send,
    .descriptors = tap_descriptors,
    .mac_addr = tap_mac,
    .link_status = tap_link,
    .refresh = tap_refresh,
    .maxlen = tap_maxlen,
};
