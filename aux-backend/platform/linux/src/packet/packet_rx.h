/* The receiving side of a packet socket: a TPACKET_V2 ring shared with the kernel. Frames that do not fit in a slot of
 * the ring, and all frames if there is no ring, are read from the socket.
 *
 * V2 is used, not V3: V3 delays frames until its timer runs (a millisecond or more) and costs the kernel as much for
 * each frame. A ring larger than the CPU's cache makes the kernel slower.
 * Frames are completed before the program sees them (offload.h): checksums are computed, super-frames segmented, and
 * VLAN tags that the kernel has removed are put back.
 * Threads: one at a time.
 * Source: packet(7), Documentation/networking/packet_mmap.rst.
 */
#ifndef MACS_ODP_PACKET_RX_H
#define MACS_ODP_PACKET_RX_H

#include "pktio/interface.h"
#include "packet/offload.h"

struct macs_odp_rx {
    const struct macs_odp_interface *interface;
    int fd;
    bool vnet;     /* frames come with a struct virtio_net_hdr */
    bool whole;    /* super-frames are not segmented (whole.h), as far as they have room in a packet; with vnet */
    uint8_t *ring; /* NULL: none, all over the socket */
    uint32_t slot_bytes;
    uint32_t next;
    uint32_t idle;
    uint32_t generation;         /* the port's: pktio_af_packet.c */
    uint64_t lost;               /* frames too long for a slot that the socket had no room for */
    uint64_t lost_told;          /* of these, those that macs_odp_rx_dropped() has returned */
    struct macs_odp_super super; /* and a frame from the socket, which may be one */
} ODP_ALIGNED_CACHE;

/* Frames of the length that the interface has now fit in the ring. NULL: refused. */
struct macs_odp_rx *macs_odp_rx_open(const struct macs_odp_interface *interface);
void macs_odp_rx_close(struct macs_odp_rx *rx);

/* Bind a packet socket to an interface: of protocol 0 it receives nothing. */
int macs_odp_packet_bind(int fd, int ifindex, uint16_t protocol);

/* Join the sockets of a group, to which the kernel spreads flows; with a filter, frames by what it returns, modulo the
 * number of sockets in their order. */
int macs_odp_rx_fanout(struct macs_odp_rx *rx, uint16_t group, void *filter, uint32_t instructions);

/* Frames that the kernel has dropped since the last call, as the ring or the socket was full. Any thread, one at a
 * time.
 */
uint64_t macs_odp_rx_dropped(struct macs_odp_rx *rx);

/* Might there be something? For a ring this costs nothing, a plain socket always says yes. */
bool macs_odp_rx_ready(const struct macs_odp_rx *rx);

enum macs_odp_rx_result { MACS_ODP_RX_NONE, MACS_ODP_RX_FRAME, MACS_ODP_RX_NOTHING_YET, MACS_ODP_RX_BAD };

/* Receive into pkt. NOTHING_YET: something came that is not a frame for us, or is on its way: call again. */
enum macs_odp_rx_result macs_odp_rx_next(struct macs_odp_rx *rx, struct macs_odp_pktio *pktio, odp_packet_t pkt);

#endif
