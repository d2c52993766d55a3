/* Coalesces TCP segments to a super-frame, on their way out to a kernel interface: offload.h the other way round.
 *
 * A packet socket takes a super-frame of up to 64 kB with a struct virtio_net_hdr. A card or, on the way to an
 * interface without that ability, the kernel segments it. To hand over one super-frame is much cheaper than 45 frames:
 * for this machine, and for a receiver on it, who gets it whole.
 *
 * Frames are coalesced only if segmenting gives back the same frames, byte by byte: neighbours of one direction of a
 * connection, whose headers are the same but for lengths, checksums, sequence numbers and identifications that follow
 * each other, whose checksums are right, of one size but for the last. So a receiver cannot tell.
 * Input may be any bytes.
 * Sources: virtio 1.2 section 5.1.6.2, Linux's Documentation/networking/segmentation-offloads.rst, RFC 9293 (TCP).
 */
#ifndef MACS_ODP_COALESCE_H
#define MACS_ODP_COALESCE_H

#include "core/internal.h"

#include <linux/virtio_net.h>

/* Ethernet with a VLAN tag, IPv4 and TCP with all options. */
enum { MACS_ODP_COALESCE_HEADERS = 18 + 60 + 60 };

struct macs_odp_frame {
    const uint8_t *data;
    uint32_t len;
    uint32_t segment; /* of a super-frame (whole.h), else 0 */
};

/* A super-frame: its headers stand here, its payload is that of the frames. */
struct macs_odp_coalesced {
    struct virtio_net_hdr vnet;
    uint32_t headers_len; /* of each frame, too */
    uint8_t headers[MACS_ODP_COALESCE_HEADERS];
};

/* How many of the frames, none of which is a super-frame, are one from the first on; 1: it is sent as it is, *super is
 * undefined. */
uint32_t macs_odp_coalesce(const struct macs_odp_frame frames[], uint32_t num, struct macs_odp_coalesced *super);

#endif
