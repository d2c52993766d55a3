/* See whole.h. */
#include "packet/whole.h"

#include "packet/headers.h"

#include <string.h>

enum { ETHERNET = 14, TAG = 4, KIND = 12, KIND_TAG = 0x8100, TCP_MIN = 20, TCP_CHECKSUM = 16 };

static bool is_tcp(const struct macs_odp_headers *headers, void *context) {
    (void)context;
    return headers->protocol == MACS_ODP_PROTO_TCP;
}

/* The IP header, which is all that stands between Ethernet and TCP. NULL: something else does. */
static const struct macs_odp_header *only_ip(const struct macs_odp_headers *headers) {
    const uint8_t *frame = headers->frame;
    const struct macs_odp_header *ip = &headers->header[0];
    const uint32_t at = ETHERNET + (macs_odp_get16(frame + KIND) == KIND_TAG ? TAG : 0u);
    if (headers->count != 1 || ip->at != at)
        return NULL;
    const uint32_t length = ip->kind == MACS_ODP_IPV4 ? (frame[at] & 15u) * 4u : (uint32_t)MACS_ODP_IPV6_LEN;
    const uint32_t said =
        ip->kind == MACS_ODP_IPV4 ? macs_odp_get16(frame + at + 2) : macs_odp_get16(frame + at + 4) + length;
    return headers->l4 == at + length && said == headers->end - at ? ip : NULL;
}

static bool headers_read(struct macs_odp_headers *headers, uint32_t *payload) {
    if (headers->end < ETHERNET + TAG || !macs_odp_headers_find(headers, is_tcp, NULL) || only_ip(headers) == NULL)
        return false;
    const uint32_t tcp = headers->end - headers->l4 < TCP_MIN ? 0 : (headers->frame[headers->l4 + 12] >> 4) * 4u;
    *payload = headers->l4 + tcp;
    return tcp >= TCP_MIN && *payload < headers->end && *payload <= MACS_ODP_COALESCE_HEADERS;
}

bool macs_odp_whole_read(const uint8_t *frame, uint32_t len, uint32_t *l4, uint32_t *payload) {
    struct macs_odp_headers headers = {.frame = frame, .end = len};
    if (!headers_read(&headers, payload))
        return false;
    *l4 = headers.l4;
    return true;
}

bool macs_odp_whole_describe(const struct macs_odp_frame *frame, struct macs_odp_coalesced *super) {
    struct macs_odp_headers headers = {.frame = frame->data, .end = frame->len};
    uint32_t payload;
    if (!headers_read(&headers, &payload) || frame->len - payload <= frame->segment)
        return false;
    const struct macs_odp_header *ip = &headers.header[0];
    const uint16_t open = macs_odp_headers_pseudo(frame->data, ip, MACS_ODP_PROTO_TCP, frame->len - headers.l4);
    memcpy(super->headers, frame->data, payload);
    memcpy(super->headers + headers.l4 + TCP_CHECKSUM, &open, sizeof(open));
    super->headers_len = payload;
    super->vnet = (struct virtio_net_hdr){.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
                                          .gso_type = ip->kind == MACS_ODP_IPV4 ? VIRTIO_NET_HDR_GSO_TCPV4
                                                                                : VIRTIO_NET_HDR_GSO_TCPV6,
                                          .hdr_len = (uint16_t)payload,
                                          .gso_size = (uint16_t)frame->segment,
                                          .csum_start = (uint16_t)headers.l4,
                                          .csum_offset = TCP_CHECKSUM};
    return true;
}
