/* The walk through a frame's headers; see headers.h.
 *
 * Each function handles the header at `at` and goes on with the next. If it does not reach the transport that is looked
 * for, its headers are discarded. Each level of nesting adds a header to the list, so the recursion is bounded.
 */
#include "packet/headers.h"

#include "packet/checksum.h"

enum { ETHERNET = 14, VLAN_TAG = 4, LABEL = 4, IPV4_MIN = 20, TCP_MIN = 20, UDP_LEN = 8, GRE_MIN = 4, TUNNEL = 8 };
enum { SCTP_MIN = 12, GUE = 4, ERSPAN_2 = 8, ERSPAN_3 = 12, LABELS_MAX = 30 }; /* Linux makes no more labels */
enum { IN_IPV4 = 4, IN_IPV6 = 41, IN_MPLS = 137 };                             /* protocols */
enum { HOP_BY_HOP = 0, ROUTING = 43, DESTINATION = 60 };
enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, TYPE_VLAN = 0x8100, TYPE_SVLAN = 0x88a8, TYPE_MPLS = 0x8847 };
enum { TYPE_MPLS_MULTICAST = 0x8848, TYPE_ETHERNET = 0x6558, TYPE_ERSPAN = 0x88be, TYPE_ERSPAN_3 = 0x22eb };
enum { GRE_CHECKSUM = 0x8000, GRE_KEY = 0x2000, GRE_SEQUENCE = 0x1000 };
enum { VXLAN = 0x08, VXLAN_GROUP = 0x88, VXLAN_GPE = 0x0c }; /* the first byte: a VNI, a policy beside, a protocol */

struct search {
    struct macs_odp_headers *headers;
    macs_odp_headers_accept accept;
    void *context;
};

static bool protocol(const struct search *search, uint8_t number, uint32_t at);

static bool room(const struct search *search, uint32_t at, uint32_t bytes) {
    return at <= search->headers->end && search->headers->end - at >= bytes;
}

static const uint8_t *bytes_at(const struct search *search, uint32_t at) {
    return search->headers->frame + at;
}

static bool push(const struct search *search, int kind, uint32_t at) {
    struct macs_odp_headers *headers = search->headers;
    if (headers->count == MACS_ODP_HEADERS_MAX)
        return false;
    headers->header[headers->count].kind = kind;
    headers->header[headers->count].at = at;
    headers->header[headers->count++].end = headers->end;
    return true;
}

/* The end of an IP packet, of which padding may follow. False: it is cut off. */
static bool bound(const struct search *search, uint32_t at, uint32_t header, uint32_t total) {
    if (!search->headers->believe)
        return true;
    if (total < header || !room(search, at, total))
        return false;
    search->headers->end = at + total;
    return true;
}

static bool ipv4(const struct search *search, uint32_t at) {
    const uint8_t *ip = bytes_at(search, at);
    if (!room(search, at, IPV4_MIN) || ip[0] >> 4 != 4 || (macs_odp_get16(ip + 6) & 0x3fff) != 0)
        return false;
    uint32_t header = (ip[0] & 15u) * 4u;
    return header >= IPV4_MIN && room(search, at, header) && bound(search, at, header, macs_odp_get16(ip + 2)) &&
           push(search, MACS_ODP_IPV4, at) && protocol(search, ip[9], at + header);
}

/* Behind a routing header that is not at its end the pseudo-header has another address: RFC 8200 section 8.1. */
static bool ipv6(const struct search *search, uint32_t at) {
    const uint8_t *ip = bytes_at(search, at);
    if (!room(search, at, MACS_ODP_IPV6_LEN) || ip[0] >> 4 != 6 ||
        !bound(search, at, MACS_ODP_IPV6_LEN, MACS_ODP_IPV6_LEN + macs_odp_get16(ip + 4)) ||
        !push(search, MACS_ODP_IPV6, at))
        return false;
    uint8_t next = ip[6];
    bool routed = false;
    at += MACS_ODP_IPV6_LEN;
    while ((next == HOP_BY_HOP || next == ROUTING || next == DESTINATION) && room(search, at, 8)) {
        const uint8_t *extension = bytes_at(search, at);
        routed = routed || (next == ROUTING && extension[3] > 0);
        next = extension[0];
        at += (extension[1] + 1u) * 8u;
    }
    bool transport = next == MACS_ODP_PROTO_TCP || next == MACS_ODP_PROTO_UDP;
    return !(transport && routed) && protocol(search, next, at);
}

static bool ip_of_any_version(const struct search *search, uint32_t at) {
    return room(search, at, 1) && (*bytes_at(search, at) >> 4 == 4 ? ipv4(search, at) : ipv6(search, at));
}

static bool mpls(const struct search *search, uint32_t at) {
    for (int labels = 0; labels < LABELS_MAX && room(search, at, LABEL); labels++) {
        bool last = bytes_at(search, at)[2] & 1;
        at += LABEL;
        if (last)
            return ip_of_any_version(search, at);
    }
    return false;
}

static bool ethertype(const struct search *search, uint16_t type, uint32_t at) {
    while ((type == TYPE_VLAN || type == TYPE_SVLAN) && room(search, at, VLAN_TAG)) {
        type = macs_odp_get16(bytes_at(search, at) + 2);
        at += VLAN_TAG;
    }
    if (type == TYPE_MPLS || type == TYPE_MPLS_MULTICAST)
        return mpls(search, at);
    return type == TYPE_IPV4 ? ipv4(search, at) : type == TYPE_IPV6 && ipv6(search, at);
}

static bool ethernet(const struct search *search, uint32_t at) {
    return room(search, at, ETHERNET) &&
           ethertype(search, macs_odp_get16(bytes_at(search, at) + ETHERNET - 2), at + ETHERNET);
}

static bool payload_of_type(const struct search *search, uint16_t type, uint32_t at) {
    return type == TYPE_ETHERNET ? ethernet(search, at) : ethertype(search, type, at);
}

/* Is it what is looked for? */
static bool accepted(const struct search *search, uint8_t number, uint32_t at) {
    search->headers->l4 = at;
    search->headers->protocol = number;
    return search->accept(search->headers, search->context);
}

/* Of a sequence number a segment would have to have its own. ERSPAN's first version has none, and no header. */
static bool gre(const struct search *search, uint32_t at) {
    uint16_t known = GRE_CHECKSUM | GRE_KEY | (search->headers->believe ? GRE_SEQUENCE : 0);
    if (!room(search, at, GRE_MIN))
        return false;
    uint16_t flags = macs_odp_get16(bytes_at(search, at)), type = macs_odp_get16(bytes_at(search, at) + 2);
    uint32_t payload = at + GRE_MIN;
    for (uint16_t flag = GRE_CHECKSUM; flag >= GRE_SEQUENCE; flag >>= 1)
        payload += flags & flag ? 4 : 0;
    if ((flags & ~known) != 0 || !room(search, payload, 0))
        return false;
    if ((flags & GRE_CHECKSUM) && accepted(search, MACS_ODP_PROTO_GRE, at))
        return true;
    if ((flags & GRE_CHECKSUM) && !push(search, MACS_ODP_GRE, at))
        return false;
    if (type == TYPE_ERSPAN || type == TYPE_ERSPAN_3)
        return ethernet(search, payload + (type == TYPE_ERSPAN_3 ? ERSPAN_3 : flags & GRE_SEQUENCE ? ERSPAN_2 : 0u));
    return payload_of_type(search, type, payload);
}

/* The other bits of VXLAN's flags say that it is something else: RFC 7348 section 5. */
static bool vxlan(const struct search *search, uint32_t at) {
    const uint8_t *header = bytes_at(search, at);
    bool plain = header[0] == VXLAN && header[1] == 0 && header[2] == 0 && header[3] == 0;
    if (plain || header[0] == VXLAN_GROUP)
        return ethernet(search, at + TUNNEL);
    if (header[0] != VXLAN_GPE || header[1] != 0 || header[2] != 0)
        return false;
    return header[3] == 3 ? ethernet(search, at + TUNNEL)
                          : (header[3] == 1 || header[3] == 2) && ip_of_any_version(search, at + TUNNEL);
}

static bool geneve(const struct search *search, uint32_t at) {
    const uint8_t *header = bytes_at(search, at);
    return header[0] >> 6 == 0 &&
           payload_of_type(search, macs_odp_get16(header + 2), at + TUNNEL + (header[0] & 63u) * 4u);
}

/* Without options, and a packet of a protocol, not of control: of version 0. */
static bool gue(const struct search *search, uint32_t at) {
    const uint8_t *header = bytes_at(search, at);
    return header[0] == 0 && header[2] == 0 && header[3] == 0 && protocol(search, header[1], at + GUE);
}

/* What UDP carries: whatever leads to a transport that is accepted. */
static bool tunnel(const struct search *search, uint32_t at) {
    static bool (*const kinds[])(const struct search *search,
                                 uint32_t at) = {vxlan, geneve, gre, gue, ip_of_any_version, mpls};
    struct macs_odp_headers *headers = search->headers;
    uint32_t count = headers->count, end = headers->end;
    for (unsigned kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]) && room(search, at, TUNNEL); kind++) {
        if (kinds[kind](search, at))
            return true;
        headers->count = count;
        headers->end = end;
    }
    return false;
}

static bool protocol(const struct search *search, uint8_t number, uint32_t at) {
    switch (number) {
    case MACS_ODP_PROTO_TCP:
        return room(search, at, TCP_MIN) && accepted(search, number, at);
    case MACS_ODP_PROTO_SCTP:
        return room(search, at, SCTP_MIN) && accepted(search, number, at);
    case MACS_ODP_PROTO_UDP:
        return room(search, at, UDP_LEN) &&
               (accepted(search, number, at) || (push(search, MACS_ODP_UDP, at) && tunnel(search, at + UDP_LEN)));
    case IN_IPV4:
        return ipv4(search, at);
    case IN_IPV6:
        return ipv6(search, at);
    case MACS_ODP_PROTO_GRE:
        return gre(search, at);
    case IN_MPLS:
        return mpls(search, at);
    default:
        return false;
    }
}

bool macs_odp_headers_find(struct macs_odp_headers *headers, macs_odp_headers_accept accept, void *context) {
    struct search search = {headers, accept, context};
    headers->count = 0;
    return ethernet(&search, 0);
}

uint16_t macs_odp_headers_pseudo(const uint8_t *frame, const struct macs_odp_header *ip, uint8_t protocol,
                                 uint32_t len) {
    return macs_odp_pseudo_sum(frame + ip->at, ip->kind == MACS_ODP_IPV6, protocol, len);
}
