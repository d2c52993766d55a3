/* See offload.h. */
#include "packet/offload.h"

#include <string.h>

enum { TCP_MIN = 20, UDP_LEN = 8, TCP_CHECKSUM = 16, UDP_CHECKSUM = 6, GRE_CHECKSUM = 4, SCTP_CHECKSUM = 8 };
enum { FLAG_FIN = 0x01, FLAG_PSH = 0x08, FLAG_CWR = 0x80 };
enum { GSO_UDP_L4 = 5 }; /* VIRTIO_NET_HDR_GSO_UDP_L4: not in older kernels' headers */

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* SCTP's is a CRC32c, its low byte first: RFC 9260 appendix A. */
static void crc_complete(uint8_t *sctp, uint32_t len) {
    memset(sctp + SCTP_CHECKSUM, 0, sizeof(uint32_t));
    odp_u32le_t crc = odp_cpu_to_le_32(~odp_hash_crc32c(sctp, len, ~0u));
    memcpy(sctp + SCTP_CHECKSUM, &crc, sizeof(crc));
}

void macs_odp_checksum_complete(uint8_t *frame, uint32_t len, uint32_t start, uint32_t offset) {
    uint32_t width = offset == SCTP_CHECKSUM ? sizeof(uint32_t) : sizeof(uint16_t);
    if (start > len || len - start < width || offset > len - start - width)
        return;
    if (offset == SCTP_CHECKSUM) {
        crc_complete(frame + start, len - start);
        return;
    }
    uint16_t sum = (uint16_t)~macs_odp_checksum(frame + start, len - start, 0);
    if (sum == 0 && offset == UDP_CHECKSUM)
        sum = 0xffff; /* in UDP zero would mean: no checksum */
    memcpy(frame + start + offset, &sum, sizeof(sum));
}

static uint32_t checksum_at(uint8_t protocol) {
    switch (protocol) {
    case MACS_ODP_PROTO_TCP:
        return TCP_CHECKSUM;
    case MACS_ODP_PROTO_UDP:
        return UDP_CHECKSUM;
    case MACS_ODP_PROTO_GRE:
        return GRE_CHECKSUM;
    default:
        return SCTP_CHECKSUM;
    }
}

/* The checksum is what it has to be before it is completed: of TCP and UDP the pseudo-header's sum, of the others 0. */
static bool is_open(const struct macs_odp_headers *headers) {
    const struct macs_odp_header *ip = &headers->header[headers->count - 1];
    const uint8_t *field = headers->frame + headers->l4 + checksum_at(headers->protocol);
    uint16_t sum = 0, found;
    if (headers->protocol == MACS_ODP_PROTO_SCTP && macs_odp_get16(field + sizeof(found)) != 0)
        return false;
    if (headers->protocol == MACS_ODP_PROTO_TCP || headers->protocol == MACS_ODP_PROTO_UDP)
        sum = macs_odp_headers_pseudo(headers->frame, ip, headers->protocol, headers->end - headers->l4);
    memcpy(&found, field, sizeof(found));
    return found == sum;
}

/* The checksums around the transport are right, as far as there are any. */
static bool covers_are_right(const struct macs_odp_headers *headers) {
    for (uint32_t i = 0; i < headers->count; i++) {
        const struct macs_odp_header *header = &headers->header[i];
        const uint8_t *data = headers->frame + header->at;
        uint32_t len = header->end - header->at, pseudo = 0;
        if (header->kind == MACS_ODP_UDP && macs_odp_get16(data + UDP_CHECKSUM) != 0)
            pseudo = macs_odp_headers_pseudo(headers->frame, header - 1, MACS_ODP_PROTO_UDP, len);
        else if (header->kind != MACS_ODP_GRE)
            continue;
        if (macs_odp_checksum(data, len, pseudo) != 0xffff)
            return false;
    }
    return true;
}

struct guess {
    uint8_t *frame;
    bool found;
    struct macs_odp_headers headers; /* whose checksum is open */
};

/* Could this one be open, and those around it be right once it is complete? Of several it is the innermost: what stands
 * around it would not be right for it by chance. */
static bool note_open(const struct macs_odp_headers *headers, void *context) {
    struct guess *guess = context;
    uint8_t *field = guess->frame + headers->l4 + checksum_at(headers->protocol), before[sizeof(uint32_t)];
    uint32_t width = headers->protocol == MACS_ODP_PROTO_SCTP ? sizeof(uint32_t) : sizeof(uint16_t);
    if (!is_open(headers))
        return false;
    memcpy(before, field, width);
    macs_odp_checksum_complete(guess->frame, headers->end, headers->l4, checksum_at(headers->protocol));
    if (covers_are_right(headers)) {
        guess->found = true;
        guess->headers = *headers;
    }
    memcpy(field, before, width);
    return false;
}

void macs_odp_checksum_guess(uint8_t *frame, uint32_t len) {
    struct macs_odp_headers headers = {.frame = frame, .end = len, .believe = true};
    struct guess guess = {.frame = frame, .found = false};
    macs_odp_headers_find(&headers, note_open, &guess);
    if (guess.found)
        macs_odp_checksum_complete(frame, guess.headers.end, guess.headers.l4, checksum_at(guess.headers.protocol));
}

/* What a virtio_net_hdr says of a super-frame. */
struct described {
    uint8_t protocol;
    uint32_t l4; /* 0: nothing, as its checksums are complete; then the outermost of the protocol is meant */
};

static bool is_described(const struct macs_odp_headers *headers, void *context) {
    const struct described *described = context;
    return headers->protocol == described->protocol &&
           (described->l4 == 0 || (headers->l4 == described->l4 && is_open(headers)));
}

int macs_odp_super_start(struct macs_odp_super *super, const struct virtio_net_hdr *header) {
    uint8_t gso = header->gso_type & (uint8_t)~VIRTIO_NET_HDR_GSO_ECN;
    bool tcp = gso == VIRTIO_NET_HDR_GSO_TCPV4 || gso == VIRTIO_NET_HDR_GSO_TCPV6;
    struct described described = {tcp ? MACS_ODP_PROTO_TCP : MACS_ODP_PROTO_UDP,
                                  header->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM ? header->csum_start : 0};
    uint32_t len = super->len;
    super->len = 0;
    super->size = header->gso_size;
    super->done = 0;
    super->headers = (struct macs_odp_headers){.frame = super->frame, .end = len};
    if ((!tcp && gso != GSO_UDP_L4) || super->size == 0 ||
        !macs_odp_headers_find(&super->headers, is_described, &described))
        return -1;
    uint32_t l4 = super->headers.l4, transport = tcp ? (super->frame[l4 + 12] >> 4) * 4u : UDP_LEN;
    super->payload = l4 + transport;
    if (transport < (tcp ? TCP_MIN : UDP_LEN) || super->payload >= len)
        return -1;
    super->len = len;
    return 0;
}

/* A header of segment number `index`, behind which all is finished. `end` is that of the segment. */
static void header_finish(uint8_t *frame, const struct macs_odp_header *header, uint32_t end, uint32_t index) {
    uint8_t *data = frame + header->at;
    uint32_t len = end - header->at;
    uint16_t sum;
    switch (header->kind) {
    case MACS_ODP_IPV4:
        put16(data + 2, len);
        put16(data + 4, macs_odp_get16(data + 4) + index);
        put16(data + 10, 0);
        sum = (uint16_t)~macs_odp_checksum(data, (data[0] & 15u) * 4u, 0);
        memcpy(data + 10, &sum, sizeof(sum));
        break;
    case MACS_ODP_IPV6:
        put16(data + 4, len - MACS_ODP_IPV6_LEN);
        break;
    case MACS_ODP_UDP:
        put16(data + 4, len);
        if (macs_odp_get16(data + UDP_CHECKSUM) == 0)
            break;
        sum = macs_odp_headers_pseudo(frame, header - 1, MACS_ODP_PROTO_UDP, len);
        memcpy(data + UDP_CHECKSUM, &sum, sizeof(sum));
        macs_odp_checksum_complete(frame, end, header->at, UDP_CHECKSUM);
        break;
    case MACS_ODP_GRE:
        put16(data + GRE_CHECKSUM, 0);
        macs_odp_checksum_complete(frame, end, header->at, GRE_CHECKSUM);
        break;
    }
}

static void tcp_finish(uint8_t *tcp, uint32_t done, bool last) {
    uint32_t sequence = ((uint32_t)macs_odp_get16(tcp + 4) << 16 | macs_odp_get16(tcp + 6)) + done;
    put16(tcp + 4, sequence >> 16);
    put16(tcp + 6, sequence);
    if (!last)
        tcp[13] &= (uint8_t) ~(FLAG_FIN | FLAG_PSH);
    if (done > 0)
        tcp[13] &= (uint8_t)~FLAG_CWR;
}

static void transport_finish(const struct macs_odp_super *super, uint8_t *to, uint32_t end) {
    const struct macs_odp_headers *headers = &super->headers;
    uint8_t *l4 = to + headers->l4;
    uint32_t len = end - headers->l4, offset = checksum_at(headers->protocol);
    if (headers->protocol == MACS_ODP_PROTO_TCP)
        tcp_finish(l4, super->done, super->done + end == super->len);
    else
        put16(l4 + 4, len);
    uint16_t sum = macs_odp_headers_pseudo(to, &headers->header[headers->count - 1], headers->protocol, len);
    memcpy(l4 + offset, &sum, sizeof(sum));
    macs_odp_checksum_complete(to, end, headers->l4, offset);
}

void macs_odp_super_next(struct macs_odp_super *super, uint8_t *to) {
    uint32_t len = macs_odp_super_next_len(super), index = super->done / super->size;
    memcpy(to, super->frame, super->payload);
    memcpy(to + super->payload, super->frame + super->payload + super->done, len - super->payload);
    transport_finish(super, to, len);
    for (uint32_t i = super->headers.count; i > 0; i--)
        header_finish(to, &super->headers.header[i - 1], len, index);
    super->done += len - super->payload;
}
