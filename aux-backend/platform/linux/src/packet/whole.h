/* Super-frames that go through the switch whole, from a kernel interface to another one: `af_packet:IFACE,whole`.
 *
 * A program gets one as a frame of up to 64 kB, with its TCP checksum computed. The size of the segments that its
 * sender has asked for stays with the packet, and goes with it to the kernel, who segments it where it has to. This is
 * for TCP over IPv4 or IPv6, behind one VLAN tag at most; others are segmented (offload.h). Input may be any bytes.
 * Source: virtio 1.2 section 5.1.6.2.
 */
#ifndef MACS_ODP_WHOLE_H
#define MACS_ODP_WHOLE_H

#include "packet/coalesce.h"

/* Where TCP begins in a frame that can be passed on whole, and where its payload does. False: it cannot. */
bool macs_odp_whole_read(const uint8_t *frame, uint32_t len, uint32_t *l4, uint32_t *payload);

/* What goes to the kernel with a super-frame, whose segment is not 0. False: it can only be sent as a frame. */
bool macs_odp_whole_describe(const struct macs_odp_frame *frame, struct macs_odp_coalesced *super);

#endif
