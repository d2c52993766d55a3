/* Completes frames of kernel interfaces that rely on offloads: partial checksums and segmentation.
 *
 * Within a machine (veth, a bridge, a virtual machine) frames are sent with one incomplete checksum: that of TCP or UDP
 * covers only the pseudo-header; SCTP's CRC32c and GRE's checksum are 0; ICMP's is always complete. TCP data may come
 * in super-frames of up to 64 kB, which a network card would segment. The packet socket reports both in struct
 * virtio_net_hdr. Frames are completed here, so a P4 program sees what would be on a wire.
 * In a tunnel the incomplete checksum is the innermost one or one of a tunnel. An outer checksum that is not zero is
 * correct once the inner one is complete, or, for a super-frame, is computed for each segment.
 * Input may be any bytes.
 * Sources: virtio 1.2 section 5.1.6, Linux's Documentation/networking/{checksum-offloads,segmentation-offloads}.rst,
 * RFC 1071 (checksum), RFC 9293 (TCP), RFC 768 (UDP), RFC 9260 (SCTP), RFC 2784 (GRE), RFC 6864 (IPv4's
 * identification).
 */
#ifndef MACS_ODP_OFFLOAD_H
#define MACS_ODP_OFFLOAD_H

#include "packet/checksum.h"
#include "packet/headers.h"
#include "core/internal.h"

#include <linux/virtio_net.h>

/* Super-frames and their headers are not longer than this. */
#define MACS_ODP_SUPER_MAX (65536u + 256u)

/* Complete the checksum at start+offset, which holds the sum of the pseudo-header, over the bytes from `start` on. At
 * the offset 8 it is SCTP's: no other protocol has its checksum there. */
void macs_odp_checksum_complete(uint8_t *frame, uint32_t len, uint32_t start, uint32_t offset);

/* The same when nobody says if it is needed: of the checksums of TCP, UDP, SCTP and GRE, in whatever tunnel, one that
 * looks as if it were open and with which those around it are right. If one around it is right as it is, it stays:
 * somebody has captured it so. A complete checksum that happens to be that number stays what it was. */
void macs_odp_checksum_guess(uint8_t *frame, uint32_t len);

/* A super-frame on its way to be cut. */
struct macs_odp_super {
    uint8_t frame[MACS_ODP_SUPER_MAX];
    uint32_t len;
    uint32_t payload; /* offset of the payload, behind TCP or UDP */
    uint32_t size;    /* payload bytes of a segment */
    uint32_t done;    /* payload bytes already out; equal to len - payload: nothing to do */
    struct macs_odp_headers headers;
};

/* Prepare to cut super->frame, which has super->len bytes. 0, or -1: not a frame that this header can describe, or in
 * a tunnel that is not known; then nothing is pending. */
int macs_odp_super_start(struct macs_odp_super *super, const struct virtio_net_hdr *header);

static inline bool macs_odp_super_pending(const struct macs_odp_super *super) {
    return super->len != 0 && super->payload + super->done < super->len;
}

/* Bytes of the next segment. */
static inline uint32_t macs_odp_super_next_len(const struct macs_odp_super *super) {
    uint32_t left = super->len - super->payload - super->done;
    return super->payload + (left < super->size ? left : super->size);
}

/* Write the next segment, macs_odp_super_next_len() bytes. */
void macs_odp_super_next(struct macs_odp_super *super, uint8_t *to);

#endif
