/* See packet_rx.h. */
#include "packet/packet_rx.h"

#include "packet/whole.h"

#include <linux/filter.h>
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

enum { SLOTS = 2048, BLOCK = 1 << 16, VLAN_TAG = 4, MACS = 12 };

/* What the kernel says of a frame, from either way. */
struct rx_info {
    struct virtio_net_hdr vnet;
    bool vlan;
    uint16_t tci;
    uint16_t tpid;
    uint64_t ts_ns;
};

static int option(int fd, int name, int value) {
    return setsockopt(fd, SOL_PACKET, name, &value, sizeof(value));
}

int macs_odp_packet_bind(int fd, int ifindex, uint16_t protocol) {
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_protocol = odp_cpu_to_be_16(protocol), .sll_ifindex = ifindex};
    return bind(fd, (struct sockaddr *)&address, sizeof(address));
}

int macs_odp_rx_fanout(struct macs_odp_rx *rx, uint16_t group, void *filter, uint32_t instructions) {
    const struct sock_fprog program = {.len = (unsigned short)instructions, .filter = filter};
    const int mode = instructions > 0 ? PACKET_FANOUT_CBPF : PACKET_FANOUT_HASH;
    if (option(rx->fd, PACKET_FANOUT, group | mode << 16) != 0 ||
        (instructions > 0 && setsockopt(rx->fd, SOL_PACKET, PACKET_FANOUT_DATA, &program, sizeof(program)) != 0))
        return macs_odp_fail(errno);
    return 0;
}

void macs_odp_rx_close(struct macs_odp_rx *rx) {
    if (rx->ring != NULL)
        munmap(rx->ring, (size_t)SLOTS * rx->slot_bytes);
    if (rx->fd >= 0)
        close(rx->fd);
    free(rx);
}

/* The ring is an improvement: without it the socket does. */
static void ring_open(struct macs_odp_rx *rx, uint32_t maxlen) {
    uint32_t slot = 2048;
    while (slot < maxlen + 256 && slot < BLOCK)
        slot *= 2;
    struct tpacket_req request = {
        .tp_block_size = BLOCK, .tp_block_nr = SLOTS / (BLOCK / slot), .tp_frame_size = slot, .tp_frame_nr = SLOTS};
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

struct macs_odp_rx *macs_odp_rx_open(const struct macs_odp_interface *interface) {
    int large = 4 << 20;
    struct macs_odp_rx *rx = aligned_alloc(ODP_CACHE_LINE_SIZE, ODP_CACHE_LINE_ROUNDUP(sizeof(*rx)));
    if (rx == NULL)
        return NULL;
    memset(rx, 0, offsetof(struct macs_odp_rx, super));
    rx->super.len = 0;
    rx->interface = interface;
    rx->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); /* nothing arrives before bind() */
    if (rx->fd >= 0) {
        if (setsockopt(rx->fd, SOL_SOCKET, SO_RCVBUFFORCE, &large, sizeof(large)) != 0)
            setsockopt(rx->fd, SOL_SOCKET, SO_RCVBUF, &large, sizeof(large));
        option(rx->fd, PACKET_IGNORE_OUTGOING, 1); /* where it is unknown, frames are told by their type */
        option(rx->fd, PACKET_AUXDATA, 1);
        rx->vnet = option(rx->fd, PACKET_VNET_HDR, 1) == 0;
        ring_open(rx, macs_odp_interface_maxlen(interface));
        if (macs_odp_packet_bind(rx->fd, interface->ifindex, ETH_P_ALL) == 0)
            return rx;
    }
    macs_odp_error = errno;
    macs_odp_rx_close(rx);
    return NULL;
}

/* Copy a frame of the wire's form, with its VLAN tag, into a packet. False: it does not fit. */
static bool frame_store(struct macs_odp_pktio *pktio, odp_packet_t pkt, const uint8_t *data, uint32_t len,
                        const struct rx_info *info) {
    uint32_t tag = info->vlan ? VLAN_TAG : 0;
    if (len < ETH_HLEN || len + tag > macs_odp_pktio_room(pktio))
        return false;
    macs_odp_packet_start(pkt, pktio->pool->headroom, len + tag, (int)pktio->index);
    memcpy(macs_odp_data(pkt), data, tag ? MACS : len);
    if (tag) {
        uint16_t fields[2] = {odp_cpu_to_be_16(info->tpid), odp_cpu_to_be_16(info->tci)};
        memcpy(macs_odp_data(pkt) + MACS, fields, sizeof(fields));
        memcpy(macs_odp_data(pkt) + MACS + VLAN_TAG, data + MACS, len - MACS);
    }
    odp_packet_ts_set(pkt, (odp_time_t){.ns = info->ts_ns});
    return true;
}

/* Finish one frame from the kernel. 1: it is in pkt. 0: it is a super-frame, its segments are pending. -1: bad. */
static int frame_accept(struct macs_odp_pktio *pktio, struct macs_odp_rx *rx, odp_packet_t pkt, const uint8_t *data,
                        uint32_t len, const struct rx_info *info) {
    if (rx->vnet && info->vnet.gso_type != VIRTIO_NET_HDR_GSO_NONE) {
        uint32_t tag = info->vlan ? VLAN_TAG : 0;
        struct virtio_net_hdr header = info->vnet;
        if (len < ETH_HLEN || len + tag > sizeof(rx->super.frame))
            return -1;
        if (data != rx->super.frame || tag) { /* over the socket it came there */
            memmove(rx->super.frame + MACS + tag, data + MACS, len - MACS);
            memmove(rx->super.frame, data, MACS);
        }
        if (tag) {
            uint16_t fields[2] = {odp_cpu_to_be_16(info->tpid), odp_cpu_to_be_16(info->tci)};
            memcpy(rx->super.frame + MACS, fields, sizeof(fields));
        }
        header.csum_start = (uint16_t)(header.csum_start + tag);
        rx->super.len = len + tag;
        return macs_odp_super_start(&rx->super, &header);
    }
    if (!rx->vnet && len > macs_odp_interface_maxlen(rx->interface))
        return -1; /* a super-frame that nobody tells of */
    if (!frame_store(pktio, pkt, data, len, info))
        return -1;
    if (!rx->vnet)
        macs_odp_checksum_guess(macs_odp_data(pkt), macs_odp_len(pkt));
    else if (info->vnet.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)
        macs_odp_checksum_complete(macs_odp_data(pkt), macs_odp_len(pkt),
                                   info->vnet.csum_start + (info->vlan ? VLAN_TAG : 0u), info->vnet.csum_offset);
    return 1;
}

/* Make a packet of a super-frame whose bytes the kernel has written behind its headroom. False: it is to be segmented.
 */
static bool whole_accept(struct macs_odp_pktio *pktio, odp_packet_t pkt, uint32_t len, const struct rx_info *info) {
    const uint32_t tag = info->vlan ? VLAN_TAG : 0, headroom = pktio->pool->headroom;
    const uint8_t gso = info->vnet.gso_type & (uint8_t)~VIRTIO_NET_HDR_GSO_ECN;
    uint32_t l4, payload;
    if ((gso != VIRTIO_NET_HDR_GSO_TCPV4 && gso != VIRTIO_NET_HDR_GSO_TCPV6) || !info->vnet.gso_size ||
        len > macs_odp_pktio_room(pktio) || headroom < tag ||
        !macs_odp_whole_read(macs_odp_head(pkt) + headroom, len, &l4, &payload) ||
        (info->vnet.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM && info->vnet.csum_start != l4))
        return false;
    macs_odp_packet_start(pkt, headroom, len, (int)pktio->index);
    if (info->vnet.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)
        macs_odp_checksum_complete(macs_odp_data(pkt), len, l4, info->vnet.csum_offset);
    if (tag) {
        uint16_t fields[2] = {odp_cpu_to_be_16(info->tpid), odp_cpu_to_be_16(info->tci)};
        uint8_t *data = macs_odp_data(pkt) - tag;
        memmove(data, data + tag, MACS);
        memcpy(data + MACS, fields, sizeof(fields));
        macs_odp_place(pkt, data, len + tag);
    }
    macs_odp_segment_change(pkt, info->vnet.gso_size);
    odp_packet_ts_set(pkt, (odp_time_t){.ns = info->ts_ns});
    return true;
}

/* Put together in `super` what the kernel has written behind the headroom of a packet, and the rest there. */
static void whole_gather(struct macs_odp_rx *rx, const uint8_t *data, uint32_t room, uint32_t len) {
    const uint32_t first = len < room ? len : room;
    memmove(rx->super.frame + first, rx->super.frame, len - first);
    memcpy(rx->super.frame, data, first);
}

/* One frame over the socket: 1 and frame_accept()'s outcome in *result, or 0: nothing there. */
static int socket_recv(struct macs_odp_pktio *pktio, struct macs_odp_rx *rx, odp_packet_t pkt, int *result) {
    struct rx_info info = {.vnet = {0}};
    struct sockaddr_ll from = {0};
    char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
    uint8_t *direct = macs_odp_head(pkt) + pktio->pool->headroom;
    const uint32_t room = !rx->whole                                             ? 0
                          : macs_odp_pktio_room(pktio) < sizeof(rx->super.frame) ? macs_odp_pktio_room(pktio)
                                                                                 : sizeof(rx->super.frame);
    struct iovec parts[3] = {{&info.vnet, sizeof(info.vnet)},
                             {room ? direct : rx->super.frame, room ? room : sizeof(rx->super.frame)},
                             {rx->super.frame, sizeof(rx->super.frame) - room}};
    struct msghdr message = {.msg_name = &from,
                             .msg_namelen = sizeof(from),
                             .msg_control = control,
                             .msg_controllen = sizeof(control),
                             .msg_iov = parts + !rx->vnet,
                             .msg_iovlen = rx->whole  ? 3
                                           : rx->vnet ? 2
                                                      : 1};
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
    info.ts_ns = odp_pktio_time(pktio, NULL).ns;
    *result = -1;
    if (got < header || (message.msg_flags & MSG_TRUNC))
        return 1;
    const uint32_t len = (uint32_t)(got - header);
    if (room && whole_accept(pktio, pkt, len, &info)) {
        *result = 1;
        return 1;
    }
    if (room)
        whole_gather(rx, direct, room, len);
    *result = frame_accept(pktio, rx, pkt, rx->super.frame, len, &info);
    return 1;
}

/* One frame from the ring, likewise. */
static int ring_recv(struct macs_odp_pktio *pktio, struct macs_odp_rx *rx, odp_packet_t pkt, int *result) {
    uint8_t *slot = rx->ring + (size_t)rx->next * rx->slot_bytes;
    struct tpacket2_hdr *header = (struct tpacket2_hdr *)(void *)slot;
    const struct sockaddr_ll *from = (struct sockaddr_ll *)(void *)(slot + TPACKET_ALIGN(sizeof(*header)));
    uint32_t status = __atomic_load_n(&header->tp_status, __ATOMIC_ACQUIRE);
    if (!(status & TP_STATUS_USER))
        return 0;
    struct rx_info info = {.vlan = (status & TP_STATUS_VLAN_VALID) != 0,
                           .tci = header->tp_vlan_tci,
                           .tpid = status & TP_STATUS_VLAN_TPID_VALID ? header->tp_vlan_tpid : ETH_P_8021Q,
                           .ts_ns = header->tp_sec * ODP_TIME_SEC_IN_NS + header->tp_nsec};
    *result = 0;
    if (status & TP_STATUS_COPY) { /* too long for the slot: the whole frame waits at the socket */
        if (socket_recv(pktio, rx, pkt, result) == 0)
            *result = -1;
    } else if (from->sll_pkttype == PACKET_OUTGOING) {
        *result = 0;
    } else if (header->tp_snaplen < header->tp_len) { /* likewise, but there was no room at the socket */
        macs_odp_count(&rx->lost, 1);
    } else {
        if (rx->vnet)
            memcpy(&info.vnet, slot + header->tp_mac - sizeof(info.vnet), sizeof(info.vnet));
        *result = frame_accept(pktio, rx, pkt, slot + header->tp_mac, header->tp_len, &info);
    }
    __atomic_store_n(&header->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    rx->next = (rx->next + 1) % SLOTS;
    return 1;
}

/* The next segment of a super-frame. False: it does not fit in a packet; the rest of the super-frame is dropped. */
static bool segment(struct macs_odp_pktio *pktio, struct macs_odp_rx *rx, odp_packet_t pkt) {
    uint32_t len = macs_odp_super_next_len(&rx->super);
    if (len > macs_odp_pktio_room(pktio)) {
        rx->super.len = 0;
        return false;
    }
    macs_odp_packet_start(pkt, pktio->pool->headroom, len, (int)pktio->index);
    macs_odp_super_next(&rx->super, macs_odp_data(pkt));
    return true;
}

uint64_t macs_odp_rx_dropped(struct macs_odp_rx *rx) {
    struct tpacket_stats stats = {0};
    socklen_t size = sizeof(stats);
    uint64_t lost = __atomic_load_n(&rx->lost, __ATOMIC_RELAXED), more = lost - rx->lost_told;
    rx->lost_told = lost;
    return getsockopt(rx->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0 ? stats.tp_drops + more : more;
}

bool macs_odp_rx_ready(const struct macs_odp_rx *rx) {
    if (rx->ring == NULL || macs_odp_super_pending(&rx->super))
        return true;
    const uint8_t *slot = rx->ring + (size_t)rx->next * rx->slot_bytes;
    const struct tpacket2_hdr *header = (const struct tpacket2_hdr *)(const void *)slot;
    return (__atomic_load_n(&header->tp_status, __ATOMIC_RELAXED) & TP_STATUS_USER) != 0;
}

enum macs_odp_rx_result macs_odp_rx_next(struct macs_odp_rx *rx, struct macs_odp_pktio *pktio, odp_packet_t pkt) {
    int result;
    if (macs_odp_super_pending(&rx->super))
        return segment(pktio, rx, pkt) ? MACS_ODP_RX_FRAME : MACS_ODP_RX_BAD;
    int came = rx->ring != NULL ? ring_recv(pktio, rx, pkt, &result) : socket_recv(pktio, rx, pkt, &result);
    if (!came)
        return MACS_ODP_RX_NONE;
    return result > 0 ? MACS_ODP_RX_FRAME : result < 0 ? MACS_ODP_RX_BAD : MACS_ODP_RX_NOTHING_YET;
}
