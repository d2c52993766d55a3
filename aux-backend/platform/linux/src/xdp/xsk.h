/* An AF_XDP socket on one queue of an interface, whose memory is a packet pool (or, in a build with separate packet
 * buffers, not: xsk_memory.h).
 *
 * The kernel writes frames straight into the pool's packets, which lie on the fill ring until then, and sends them from
 * there; a packet's description stands before its data, where it always is. So receiving is taking a packet from a ring
 * and sending is putting it on one: nothing is allocated, copied or bound. (The kernel itself copies unless the driver
 * has zero-copy.) The offset that a ring has for a packet's place is the data's, minus what XDP keeps free before it.
 *
 * Chunks are unaligned and at most a page: longer frames are several in a row, which a packet has in one piece.
 * Threads: one receives, one sends, at the same time. Source: Documentation/networking/af_xdp.rst. Linux 5.4.
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

/* Lets the kernel finish sending, for a moment at most; takes all packets back. */
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
