/* An AF_XDP socket on one queue of an interface. Its memory is a packet pool, except in a build with separate packet
 * buffers (xsk_memory.h).
 *
 * The kernel writes frames into packets of the pool that are on the fill ring, and sends frames from packets that are
 * on the transmit ring. A packet's description is before its data, as always. So to receive is to take a packet from a
 * ring, and to send is to put it on one: nothing is allocated, copied or bound. (The kernel copies if the driver has no
 * zero-copy mode.) The offset on a ring is that of the packet's data, minus what XDP keeps free before it.
 * Chunks are unaligned and at most a page. Longer frames are several chunks in a row, which are contiguous in a packet.
 * Threads: one receives and one sends, at the same time.
 * Source: Documentation/networking/af_xdp.rst. Needs Linux 5.4.
 */
#ifndef MACS_ODP_XSK_H
#define MACS_ODP_XSK_H

#include "xdp/xsk_rings.h"

/* Packets smaller than this cannot be a chunk. */
#define MACS_ODP_XSK_DATA_MIN (2048u - 256u)

/* One of `sockets` sockets of a port, for frames of up to `maxlen` bytes; nothing arrives at it before the XDP program
 * knows it. NULL: refused, the error number tells why. */
struct macs_odp_xsk *macs_odp_xsk_open(int ifindex, uint32_t queue, struct macs_odp_pool *pool, uint32_t sockets,
                                       uint32_t maxlen);

/* Frames that were taken to be sent: the kernel lost so many; so many, of so many bytes, it has not got at the end. */
struct macs_odp_xsk_unsent {
    uint64_t dropped;
    uint64_t frames;
    uint64_t octets;
};

/* Let the kernel finish sending, for a moment at most; adds what is not sent. Nothing is sent after it. */
void macs_odp_xsk_finish(struct macs_odp_xsk *xsk, struct macs_odp_xsk_unsent *unsent);

/* Takes all packets back. */
void macs_odp_xsk_close(struct macs_odp_xsk *xsk);

/* Receive up to `num`, of which the data and the length are set; what is too long for a packet is counted in *errors.
 */
uint32_t macs_odp_xsk_recv(struct macs_odp_xsk *xsk, odp_packet_t packets[], uint32_t num, uint64_t *errors);

/* Send what there is room for; the packets belong to the socket's pool. */
uint32_t macs_odp_xsk_send(struct macs_odp_xsk *xsk, const odp_packet_t packets[], uint32_t num);

/* Tell the kernel of what is on the transmit ring. 0, or the error that it stops for. *dropped: frames that it took and
 * lost. */
int macs_odp_xsk_kick(struct macs_odp_xsk *xsk, uint64_t *dropped);

/* Has the kernel still packets that are to be sent? Takes back those that have been. */
bool macs_odp_xsk_sending(struct macs_odp_xsk *xsk);

/* Frames that the kernel had to drop since the socket was opened: no packet free for them, or too long. Any thread. */
uint64_t macs_odp_xsk_dropped(const struct macs_odp_xsk *xsk);

/* The longest frame that can be sent. */
uint32_t macs_odp_xsk_maxlen(const struct macs_odp_xsk *xsk);

#endif
