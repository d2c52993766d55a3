/* af_packet:IFACE, or just IFACE — a network interface of the kernel through packet sockets.
 *
 * Receiving: a TPACKET_V2 ring shared with the kernel, a socket and a ring for each input queue (a fanout group by flow
 * hash joins them); frames that do not fit in a slot of the ring come over the socket; where the kernel gives no ring,
 * all do. V2, not V3, as V3 holds frames back until its timer (a millisecond or more). Sending: sendmmsg(), a socket
 * for each output queue; not a ring, since the kernel copies the frames of a ring when they go to another interface of
 * the same machine, and older ones spoil them.
 * Frames are finished before anyone sees them (offload.h): checksums completed, super-frames cut, VLAN tags that the
 * kernel has taken out put back. The interface's own settings are not touched, but promiscuous mode on request.
 * An interface that goes down or away is logged; when one of that name is back, the port goes on with it.
 * Source: packet(7), Documentation/networking/packet_mmap.rst.
 */
#include "netdev.h"
#include "offload.h"
#include "pktio.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23 /* Linux 4.20 */
#endif

enum { QUEUES = 16, SLOTS = 2048, BLOCK = 1 << 16, SEND_AT_ONCE = 64, VLAN_TAG = 4, MACS = 12 };

/* After this many empty polls look if the interface is still there. */
enum { CHECK_POLLS = 1 << 16 };

struct rx_queue {
    int fd;
    bool vnet;     /* frames come with a struct virtio_net_hdr */
    uint8_t *ring; /* NULL: none, all over the socket */
    uint32_t slot_bytes;
    uint32_t next;
    uint32_t idle;
    struct macs_odp_super super;
    uint8_t large[MACS_ODP_SUPER_MAX]; /* a frame from the socket */
} ODP_ALIGNED_CACHE;

struct af_packet_state {
    char iface[16];
    int ifindex;
    int membership_fd; /* holds promiscuous mode */
    bool promisc;
    bool gone; /* logged */
    uint32_t maxlen;
    pthread_mutex_t check_lock;
    uint32_t num_rx;
    uint32_t num_tx;
    struct rx_queue *rx[QUEUES];
    int tx[ODP_PKTOUT_MAX_QUEUES];
};

/* What the kernel says of a frame, from either way. */
struct rx_info {
    struct virtio_net_hdr vnet;
    bool vlan;
    uint16_t tci;
    uint16_t tpid;
    uint64_t ts_ns;
};

static int bind_to(int fd, int ifindex, uint16_t protocol) {
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = odp_cpu_to_be_16(protocol),
                                  .sll_ifindex = ifindex};
    return bind(fd, (struct sockaddr *)&address, sizeof(address));
}

static int option(int fd, int name, int value) { return setsockopt(fd, SOL_PACKET, name, &value, sizeof(value)); }

static void rx_close(struct rx_queue *rx) {
    if (rx->ring != NULL)
        munmap(rx->ring, (size_t)SLOTS * rx->slot_bytes);
    if (rx->fd >= 0)
        close(rx->fd);
    free(rx);
}

/* The ring is an improvement: without it the socket does. */
static void ring_open(struct rx_queue *rx, uint32_t maxlen) {
    uint32_t slot = 2048;
    while (slot < maxlen + 256 && slot < BLOCK)
        slot *= 2;
    struct tpacket_req request = {.tp_block_size = BLOCK, .tp_block_nr = SLOTS / (BLOCK / slot), .tp_frame_size = slot,
                                  .tp_frame_nr = SLOTS};
    if (option(rx->fd, PACKET_VERSION, TPACKET_V2) != 0 || option(rx->fd, PACKET_COPY_THRESH, 1) != 0 ||
        setsockopt(rx->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) != 0)
        return;
    void *ring = mmap(NULL, (size_t)SLOTS * slot, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, rx->fd, 0);
    if (ring == MAP_FAILED) {
        memset(&request, 0, sizeof(request));
        setsockopt(rx->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request));
        return;
    }
    rx->ring = ring;
    rx->slot_bytes = slot;
}

static struct rx_queue *rx_open(const struct af_packet_state *state) {
    int large = 4 << 20;
    struct rx_queue *rx = aligned_alloc(ODP_CACHE_LINE_SIZE, ODP_CACHE_LINE_ROUNDUP(sizeof(*rx)));
    if (rx == NULL)
        return NULL;
    memset(rx, 0, offsetof(struct rx_queue, super));
    rx->super.len = 0;
    rx->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); /* nothing arrives before bind() */
    if (rx->fd >= 0) {
        setsockopt(rx->fd, SOL_SOCKET, SO_RCVBUF, &large, sizeof(large));
        option(rx->fd, PACKET_IGNORE_OUTGOING, 1); /* where it is unknown, frames are told by their type */
        option(rx->fd, PACKET_AUXDATA, 1);
        rx->vnet = option(rx->fd, PACKET_VNET_HDR, 1) == 0;
        ring_open(rx, state->maxlen);
        if (bind_to(rx->fd, state->ifindex, ETH_P_ALL) == 0)
            return rx;
    }
    macs_odp_error = errno;
    rx_close(rx);
    return NULL;
}

static int af_packet_stop(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    for (; state->num_rx > 0; state->num_rx--)
        rx_close(state->rx[state->num_rx - 1]);
    for (; state->num_tx > 0; state->num_tx--)
        close(state->tx[state->num_tx - 1]);
    return 0;
}

static int start_rx(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    int group = (int)(((uint32_t)getpid() * 31 + pktio->index) & 0xffff) | PACKET_FANOUT_HASH << 16;
    for (; state->num_rx < pktio->num_in; state->num_rx++) {
        struct rx_queue *rx = state->rx[state->num_rx] = rx_open(state);
        if (rx == NULL)
            return -1;
        if (pktio->num_in > 1 && option(rx->fd, PACKET_FANOUT, group) != 0) {
            state->num_rx++;
            return macs_odp_fail(errno);
        }
    }
    return 0;
}

static int start_tx(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    for (; state->num_tx < pktio->num_out; state->num_tx++) {
        int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); /* protocol 0: receives nothing */
        if (fd < 0)
            return macs_odp_fail(errno);
        state->tx[state->num_tx] = fd;
        if (bind_to(fd, state->ifindex, 0) != 0) {
            state->num_tx++;
            return macs_odp_fail(errno);
        }
    }
    return 0;
}

static int af_packet_start(struct macs_odp_pktio *pktio) {
    if (start_rx(pktio) == 0 && start_tx(pktio) == 0)
        return 0;
    macs_odp_log(ODP_LOG_ERR, "port %s: cannot open a packet socket: %s\n", pktio->name,
                 odp_errno_str(macs_odp_error));
    af_packet_stop(pktio);
    return -1;
}

static void maxlen_read(struct af_packet_state *state) {
    int mtu = macs_odp_netdev_mtu(state->iface);
    if (mtu > 0)
        __atomic_store_n(&state->maxlen, (uint32_t)mtu + ETH_HLEN + VLAN_TAG, __ATOMIC_RELAXED);
}

static int af_packet_open(struct macs_odp_pktio *pktio, const char *arguments) {
    int ifindex = macs_odp_netdev_index(arguments);
    if (ifindex < 0) {
        macs_odp_log(ODP_LOG_ERR, "port %s: no interface \"%s\": %s\n", pktio->name, arguments,
                     odp_errno_str(macs_odp_error));
        return -1;
    }
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        macs_odp_log(ODP_LOG_ERR, "port %s: packet sockets are refused (they need root or CAP_NET_RAW): %s\n",
                     pktio->name, strerror(errno));
        return macs_odp_fail(errno);
    }
    struct af_packet_state *state = calloc(1, sizeof(*state));
    if (state == NULL) {
        close(fd);
        return macs_odp_fail(ENOMEM);
    }
    macs_odp_name(state->iface, sizeof(state->iface), arguments);
    pthread_mutex_init(&state->check_lock, NULL);
    state->ifindex = ifindex;
    state->membership_fd = fd;
    maxlen_read(state);
    pktio->state = state;
    return 0;
}

static void af_packet_close(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    close(state->membership_fd);
    pthread_mutex_destroy(&state->check_lock);
    free(state);
}

static int promisc_apply(struct af_packet_state *state, bool enable) {
    struct packet_mreq request = {.mr_ifindex = state->ifindex, .mr_type = PACKET_MR_PROMISC};
    int name = enable ? PACKET_ADD_MEMBERSHIP : PACKET_DROP_MEMBERSHIP;
    return setsockopt(state->membership_fd, SOL_PACKET, name, &request, sizeof(request)) == 0 ? 0
                                                                                             : macs_odp_fail(errno);
}

static int af_packet_promisc_set(struct macs_odp_pktio *pktio, bool enable) {
    struct af_packet_state *state = pktio->state;
    if (enable != state->promisc && promisc_apply(state, enable) != 0)
        return -1;
    state->promisc = enable;
    return 0;
}

static int af_packet_promisc(struct macs_odp_pktio *pktio) {
    return ((struct af_packet_state *)pktio->state)->promisc;
}

/* Is the interface there, and still the same one? */
static void check(struct macs_odp_pktio *pktio) {
    struct af_packet_state *state = pktio->state;
    if (pthread_mutex_trylock(&state->check_lock) != 0)
        return;
    int ifindex = macs_odp_netdev_index(state->iface);
    if (ifindex < 0 && !state->gone)
        macs_odp_log(ODP_LOG_WARN, "port %s: the interface is gone\n", pktio->name);
    if (ifindex >= 0 && (state->gone || ifindex != state->ifindex)) {
        macs_odp_log(ODP_LOG_WARN, "port %s: the interface is back\n", pktio->name);
        state->ifindex = ifindex;
        for (uint32_t i = 0; i < state->num_rx; i++)
            bind_to(state->rx[i]->fd, ifindex, ETH_P_ALL);
        for (uint32_t i = 0; i < state->num_tx; i++)
            bind_to(state->tx[i], ifindex, 0);
        if (state->promisc)
            promisc_apply(state, true);
    }
    state->gone = ifindex < 0;
    maxlen_read(state);
    pthread_mutex_unlock(&state->check_lock);
}

static odp_pktio_link_status_t af_packet_link(struct macs_odp_pktio *pktio) {
    check(pktio);
    return macs_odp_netdev_link(((struct af_packet_state *)pktio->state)->iface);
}

static uint32_t af_packet_maxlen(struct macs_odp_pktio *pktio) {
    return __atomic_load_n(&((struct af_packet_state *)pktio->state)->maxlen, __ATOMIC_RELAXED);
}

static int af_packet_mac(struct macs_odp_pktio *pktio, uint8_t mac[6]) {
    return macs_odp_netdev_mac(((struct af_packet_state *)pktio->state)->iface, mac);
}

/* Copy a frame of the wire's form, with its VLAN tag, into a packet. False: it does not fit. */
static bool frame_store(struct macs_odp_pktio *pktio, odp_packet_t pkt, const uint8_t *data, uint32_t len,
                        const struct rx_info *info) {
    uint32_t tag = info->vlan ? VLAN_TAG : 0;
    if (len < ETH_HLEN || len + tag > macs_odp_pktio_room(pktio))
        return false;
    macs_odp_packet_start(pkt, pktio->pool->headroom, len + tag, (int)pktio->index);
    memcpy(pkt->data, data, tag ? MACS : len);
    if (tag) {
        uint16_t fields[2] = {odp_cpu_to_be_16(info->tpid), odp_cpu_to_be_16(info->tci)};
        memcpy(pkt->data + MACS, fields, sizeof(fields));
        memcpy(pkt->data + MACS + VLAN_TAG, data + MACS, len - MACS);
    }
    odp_packet_ts_set(pkt, (odp_time_t){.ns = info->ts_ns});
    return true;
}

/* Finish one frame from the kernel. 1: it is in pkt. 0: it is a super-frame, its segments are pending. -1: bad. */
static int frame_accept(struct macs_odp_pktin *queue, struct rx_queue *rx, odp_packet_t pkt, const uint8_t *data,
                        uint32_t len, const struct rx_info *info) {
    if (rx->vnet && info->vnet.gso_type != VIRTIO_NET_HDR_GSO_NONE) {
        uint32_t tag = info->vlan ? VLAN_TAG : 0;
        struct virtio_net_hdr header = info->vnet;
        if (len < ETH_HLEN || len + tag > sizeof(rx->super.frame))
            return -1;
        memcpy(rx->super.frame, data, MACS);
        memcpy(rx->super.frame + MACS + tag, data + MACS, len - MACS);
        if (tag) {
            uint16_t fields[2] = {odp_cpu_to_be_16(info->tpid), odp_cpu_to_be_16(info->tci)};
            memcpy(rx->super.frame + MACS, fields, sizeof(fields));
        }
        header.csum_start = (uint16_t)(header.csum_start + tag);
        rx->super.len = len + tag;
        return macs_odp_super_start(&rx->super, &header);
    }
    if (!frame_store(queue->pktio, pkt, data, len, info))
        return -1;
    if (!rx->vnet)
        macs_odp_checksum_guess(pkt->data, pkt->len);
    else if (info->vnet.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)
        macs_odp_checksum_complete(pkt->data, pkt->len, info->vnet.csum_start + (info->vlan ? VLAN_TAG : 0u),
                                   info->vnet.csum_offset);
    return 1;
}

/* One frame over the socket: 1 and frame_accept()'s outcome in *result, or 0: nothing there. */
static int socket_recv(struct macs_odp_pktin *queue, struct rx_queue *rx, odp_packet_t pkt, int *result) {
    struct rx_info info = {.vnet = {0}};
    struct sockaddr_ll from = {0};
    char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
    struct iovec parts[2] = {{&info.vnet, sizeof(info.vnet)}, {rx->large, sizeof(rx->large)}};
    struct msghdr message = {.msg_name = &from, .msg_namelen = sizeof(from), .msg_control = control,
                             .msg_controllen = sizeof(control), .msg_iov = parts + !rx->vnet,
                             .msg_iovlen = rx->vnet ? 2 : 1};
    ssize_t got = recvmsg(rx->fd, &message, MSG_DONTWAIT);
    ssize_t header = rx->vnet ? (ssize_t)sizeof(info.vnet) : 0;
    if (got < 0)
        return 0; /* nothing, or the interface is down: check() tells of that */
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c != NULL; c = CMSG_NXTHDR(&message, c))
        if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA) {
            struct tpacket_auxdata aux;
            memcpy(&aux, CMSG_DATA(c), sizeof(aux));
            info.vlan = (aux.tp_status & TP_STATUS_VLAN_VALID) != 0;
            info.tci = aux.tp_vlan_tci;
            info.tpid = aux.tp_status & TP_STATUS_VLAN_TPID_VALID ? aux.tp_vlan_tpid : ETH_P_8021Q;
        }
    *result = 0;
    if (from.sll_pkttype == PACKET_OUTGOING)
        return 1;
    info.ts_ns = odp_pktio_time(queue->pktio, NULL).ns;
    *result = got < header || (message.msg_flags & MSG_TRUNC)
                  ? -1
                  : frame_accept(queue, rx, pkt, rx->large, (uint32_t)(got - header), &info);
    return 1;
}

/* One frame from the ring, likewise. */
static int ring_recv(struct macs_odp_pktin *queue, struct rx_queue *rx, odp_packet_t pkt, int *result) {
    uint8_t *slot = rx->ring + (size_t)rx->next * rx->slot_bytes;
    struct tpacket2_hdr *header = (struct tpacket2_hdr *)(void *)slot;
    const struct sockaddr_ll *from = (struct sockaddr_ll *)(void *)(slot + TPACKET_ALIGN(sizeof(*header)));
    uint32_t status = __atomic_load_n(&header->tp_status, __ATOMIC_ACQUIRE);
    if (!(status & TP_STATUS_USER))
        return 0;
    struct rx_info info = {.vlan = (status & TP_STATUS_VLAN_VALID) != 0, .tci = header->tp_vlan_tci,
                           .tpid = status & TP_STATUS_VLAN_TPID_VALID ? header->tp_vlan_tpid : ETH_P_8021Q,
                           .ts_ns = header->tp_sec * ODP_TIME_SEC_IN_NS + header->tp_nsec};
    *result = 0;
    if (status & TP_STATUS_COPY) { /* too long for the slot: the whole frame waits at the socket */
        if (socket_recv(queue, rx, pkt, result) == 0)
            *result = -1;
    } else if (from->sll_pkttype == PACKET_OUTGOING) {
        *result = 0;
    } else if (header->tp_snaplen < header->tp_len) {
        *result = -1;
    } else {
        if (rx->vnet)
            memcpy(&info.vnet, slot + header->tp_mac - sizeof(info.vnet), sizeof(info.vnet));
        *result = frame_accept(queue, rx, pkt, slot + header->tp_mac, header->tp_len, &info);
    }
    __atomic_store_n(&header->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    rx->next = (rx->next + 1) % SLOTS;
    return 1;
}

/* The next segment of a super-frame. False: it does not fit in a packet; the rest of the super-frame is dropped. */
static bool segment(struct macs_odp_pktio *pktio, struct rx_queue *rx, odp_packet_t pkt) {
    uint32_t len = macs_odp_super_next_len(&rx->super);
    if (len > macs_odp_pktio_room(pktio)) {
        rx->super.len = 0;
        return false;
    }
    macs_odp_packet_start(pkt, pktio->pool->headroom, len, (int)pktio->index);
    macs_odp_super_next(&rx->super, pkt->data);
    return true;
}

static int af_packet_recv(struct macs_odp_pktin *queue, odp_packet_t packets[], int num) {
    struct macs_odp_pktio *pktio = queue->pktio;
    struct af_packet_state *state = pktio->state;
    struct rx_queue *rx = state->rx[queue->index];
    uint32_t got = 0, taken = macs_odp_packet_take(pktio->pool, packets, (uint32_t)num);
    uint64_t octets = 0, errors = 0;
    while (got < taken) {
        int result;
        if (macs_odp_super_pending(&rx->super))
            result = segment(pktio, rx, packets[got]) ? 1 : -1;
        else if ((rx->ring != NULL ? ring_recv : socket_recv)(queue, rx, packets[got], &result) == 0)
            break;
        if (result < 0)
            errors++;
        if (result > 0)
            octets += packets[got++]->len;
    }
    if (got < taken)
        macs_odp_packet_give(pktio->pool, packets + got, taken - got);
    if (errors > 0)
        macs_odp_count(&queue->counters.errors, errors);
    if (got > 0)
        macs_odp_count_frames(&queue->counters, got, octets);
    else if (++rx->idle % CHECK_POLLS == 0)
        check(pktio);
    return (int)got;
}

/* How many of the frames the kernel takes; a frame that it calls bad counts as taken, and in *errors. */
static int send_some(int fd, struct mmsghdr messages[], int num, uint64_t *errors) {
    int sent = 0;
    while (sent < num) {
        int more = sendmmsg(fd, messages + sent, (unsigned)(num - sent), MSG_DONTWAIT);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0 && errno == EINVAL) { /* such as shorter than an Ethernet header */
            *errors += 1;
            sent++;
            continue;
        }
        if (more <= 0)
            break;
        sent += more;
    }
    return sent;
}

static int af_packet_send(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num) {
    struct af_packet_state *state = queue->pktio->state;
    struct mmsghdr messages[SEND_AT_ONCE];
    struct iovec parts[SEND_AT_ONCE];
    uint32_t maxlen = __atomic_load_n(&state->maxlen, __ATOMIC_RELAXED);
    uint64_t octets = 0, errors = 0;
    int done = 0, count, sent;
    do {
        for (count = 0; done + count < num && count < SEND_AT_ONCE && packets[done + count]->len <= maxlen; count++) {
            parts[count] = (struct iovec){packets[done + count]->data, packets[done + count]->len};
            messages[count] = (struct mmsghdr){.msg_hdr = {.msg_iov = &parts[count], .msg_iovlen = 1}};
        }
        sent = count > 0 ? send_some(state->tx[queue->index], messages, count, &errors) : 0;
        for (int i = 0; i < sent; i++)
            octets += packets[done + i]->len;
        done += sent;
    } while (done < num && sent == count && count == SEND_AT_ONCE);
    if (errors > 0)
        macs_odp_count(&queue->counters.errors, errors);
    macs_odp_count_frames(&queue->counters, (uint64_t)done - errors, octets);
    odp_packet_free_multi(packets, done);
    if (done > 0)
        return done;
    if (packets[0]->len > maxlen)
        return macs_odp_fail(EMSGSIZE);
    if (errno != EAGAIN && errno != ENOBUFS)
        check(queue->pktio);
    return 0;
}

const struct macs_odp_driver macs_odp_driver_af_packet = {
    .name = "af_packet",
    .max_input_queues = QUEUES,
    .max_output_queues = ODP_PKTOUT_MAX_QUEUES,
    .open = af_packet_open,
    .close = af_packet_close,
    .start = af_packet_start,
    .stop = af_packet_stop,
    .recv = af_packet_recv,
    .send = af_packet_send,
    .mac_addr = af_packet_mac,
    .promisc = af_packet_promisc,
    .promisc_set = af_packet_promisc_set,
    .link_status = af_packet_link,
    .maxlen = af_packet_maxlen,
};
