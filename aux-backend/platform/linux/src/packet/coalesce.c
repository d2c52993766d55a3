/* See coalesce.h. */
#include "packet/coalesce.h"

#include "packet/checksum.h"
#include "packet/headers.h"

#include <string.h>

enum { ETH_LEN = 14, TAG_LEN = 4, LENGTH_MAX = 65535 };
enum { IP_ID = 4, IP_CHECKSUM = 10, TCP_SEQUENCE = 4, TCP_FLAGS = 13, TCP_CHECKSUM = 16 };
enum { FIN = 0x01, SYN = 0x02, RST = 0x04, PSH = 0x08, URG = 0x20, CWR = 0x80 };

/* A frame with TCP over IP. */
struct segment {
    const uint8_t *frame;
    uint32_t len, l3, l4, payload; /* offsets; there is a payload */
    bool ipv6;
};

static uint32_t get32(const uint8_t *at) {
    return (uint32_t)macs_odp_get16(at) << 16 | macs_odp_get16(at + 2);
}

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static bool any(const struct macs_odp_headers *headers, void *context) {
    (void)headers, (void)context;
    return true;
}

/* Behind Ethernet, with a tag or without, and nothing else; whole, and without padding. */
static bool segment_read(struct segment *segment, const struct macs_odp_frame *frame) {
    struct macs_odp_headers headers = {.frame = frame->data, .end = frame->len, .believe = true};
    if (!macs_odp_headers_find(&headers, any, NULL) || headers.protocol != MACS_ODP_PROTO_TCP || headers.count != 1 ||
        headers.end != frame->len)
        return false;
    const struct macs_odp_header *ip = &headers.header[0];
    *segment = (struct segment){
        .frame = frame->data, .len = frame->len, .l3 = ip->at, .l4 = headers.l4, .ipv6 = ip->kind == MACS_ODP_IPV6};
    uint32_t tcp = frame->len - segment->l4;
    if ((ip->at != ETH_LEN && ip->at != ETH_LEN + TAG_LEN) ||
        macs_odp_get16(frame->data + ip->at - 2) != (segment->ipv6 ? 0x86dd : 0x0800) ||
        (segment->ipv6 && segment->l4 != ip->at + MACS_ODP_IPV6_LEN) || tcp < 20)
        return false;
    segment->payload = segment->l4 + (uint32_t)(frame->data[segment->l4 + 12] >> 4) * 4;
    return segment->payload >= segment->l4 + 20 && segment->payload < frame->len;
}

static uint16_t pseudo(const struct segment *segment, const uint8_t *frame, uint32_t tcp_len) {
    return macs_odp_pseudo_sum(frame + segment->l3, segment->ipv6, MACS_ODP_PROTO_TCP, tcp_len);
}

/* The checksums are those that segmenting would compute: right, and 0 rather than ffff, which would be right as well.
 */
static bool is_right(const struct segment *segment) {
    const uint8_t *ip = segment->frame + segment->l3, *tcp = segment->frame + segment->l4;
    uint32_t len = segment->len - segment->l4;
    return (segment->ipv6 || (macs_odp_get16(ip + IP_CHECKSUM) != 0xffff &&
                              macs_odp_checksum(ip, segment->l4 - segment->l3, 0) == 0xffff)) &&
           macs_odp_get16(tcp + TCP_CHECKSUM) != 0xffff &&
           macs_odp_checksum(tcp, len, pseudo(segment, segment->frame, len)) == 0xffff;
}

/* The headers of a segment without what differs from one to the next. */
static void constant(const struct segment *segment, uint8_t *headers) {
    uint8_t *ip = headers + segment->l3, *tcp = headers + segment->l4;
    memcpy(headers, segment->frame, segment->payload);
    if (segment->ipv6) {
        put16(ip + 4, 0);
    } else {
        put16(ip + 2, 0);
        put16(ip + IP_ID, 0);
        put16(ip + IP_CHECKSUM, 0);
    }
    memset(tcp + TCP_SEQUENCE, 0, 4);
    tcp[TCP_FLAGS] &= (uint8_t) ~(FIN | PSH);
    put16(tcp + TCP_CHECKSUM, 0);
}

/* Is `next` the segment number `index` of what begins with `first`? `headers` are the constant ones of the first. */
static bool follows(const struct segment *first, const uint8_t *headers, const struct segment *next, uint32_t index) {
    uint8_t others[MACS_ODP_COALESCE_HEADERS];
    uint32_t size = first->len - first->payload;
    if (next->len > first->len || next->l3 != first->l3 || next->l4 != first->l4 || next->payload != first->payload ||
        next->ipv6 != first->ipv6)
        return false;
    constant(next, others);
    return memcmp(headers, others, first->payload) == 0 &&
           get32(next->frame + next->l4 + TCP_SEQUENCE) ==
               (uint32_t)(get32(first->frame + first->l4 + TCP_SEQUENCE) + index * size) &&
           (first->ipv6 || macs_odp_get16(next->frame + next->l3 + IP_ID) ==
                               (uint16_t)(macs_odp_get16(first->frame + first->l3 + IP_ID) + index)) &&
           is_right(next);
}

/* The headers for `len` bytes of frame, of which the last segment is `last`. */
static void finish(struct macs_odp_coalesced *super, const struct segment *first, const struct segment *last,
                   uint32_t len) {
    uint8_t *ip = super->headers + first->l3, *tcp = super->headers + first->l4;
    memcpy(super->headers, first->frame, first->payload);
    if (first->ipv6) {
        put16(ip + 4, len - first->l4);
    } else {
        put16(ip + 2, len - first->l3);
        put16(ip + IP_CHECKSUM, 0);
        uint16_t sum = (uint16_t)~macs_odp_checksum(ip, first->l4 - first->l3, 0);
        memcpy(ip + IP_CHECKSUM, &sum, sizeof(sum));
    }
    tcp[TCP_FLAGS] = last->frame[last->l4 + TCP_FLAGS];
    uint16_t open = pseudo(first, super->headers, len - first->l4);
    memcpy(tcp + TCP_CHECKSUM, &open, sizeof(open));
    super->headers_len = first->payload;
    super->vnet = (struct virtio_net_hdr){.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
                                          .gso_type = first->ipv6 ? VIRTIO_NET_HDR_GSO_TCPV6 : VIRTIO_NET_HDR_GSO_TCPV4,
                                          .hdr_len = (uint16_t)first->payload,
                                          .gso_size = (uint16_t)(first->len - first->payload),
                                          .csum_start = (uint16_t)first->l4,
                                          .csum_offset = TCP_CHECKSUM};
}

uint32_t macs_odp_coalesce(const struct macs_odp_frame frames[], uint32_t num, struct macs_odp_coalesced *super) {
    struct segment first, next, last;
    if (num < 2 || frames[1].len > frames[0].len || !segment_read(&first, &frames[0]))
        return 1;
    const uint8_t *flags = first.frame + first.l4 + TCP_FLAGS;
    if ((*flags & (SYN | RST | URG | CWR)) != 0)
        return 1;
    uint32_t count = 1, len = first.len;
    constant(&first, super->headers);
    last = first;
    while (count < num && last.len == first.len && (last.frame[last.l4 + TCP_FLAGS] & (FIN | PSH)) == 0) {
        if (!segment_read(&next, &frames[count]) || len - first.l3 + next.len - next.payload > LENGTH_MAX ||
            !follows(&first, super->headers, &next, count) || (count == 1 && !is_right(&first)))
            break;
        len += next.len - next.payload;
        last = next;
        count++;
    }
    if (count > 1)
        finish(super, &first, &last, len);
    return count;
}
