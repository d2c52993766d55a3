/* Finds the headers before a frame's transport, through tunnels: those that have a length or a checksum of what
 * follows.
 *
 * Ethernet, VLAN tags (also QinQ), MPLS, IPv4, IPv6 with its extension headers. In IP: IP, GRE, MPLS. In GRE also
 * ERSPAN. In UDP: VXLAN, VXLAN-GPE, Geneve, GUE, IP, GRE, MPLS; these are recognised by their content, as tunnels may
 * use any port. Input may be any bytes.
 * Sources: IEEE 802.1Q, RFC 3032 (MPLS), RFC 791, RFC 8200, RFC 2003 (IP in IP), RFC 2784 and 2890 (GRE), RFC 7348
 * (VXLAN), RFC 8926 (Geneve), RFC 8086 (GRE in UDP), RFC 7510 (MPLS in UDP), draft-ietf-intarea-gue,
 * draft-foschiano-erspan.
 */
#ifndef MACS_ODP_HEADERS_H
#define MACS_ODP_HEADERS_H

#include "core/internal.h"

/* IP in three tunnels. This bounds also the work that a frame may cause. */
enum { MACS_ODP_HEADERS_MAX = 8 };

enum { MACS_ODP_PROTO_TCP = 6, MACS_ODP_PROTO_UDP = 17, MACS_ODP_PROTO_GRE = 47, MACS_ODP_PROTO_SCTP = 132 };
enum { MACS_ODP_IPV6_LEN = 40 };

struct macs_odp_header {
    enum { MACS_ODP_IPV4, MACS_ODP_IPV6, MACS_ODP_UDP, MACS_ODP_GRE } kind; /* GRE: only with a checksum */
    uint32_t at;
    uint32_t end; /* of what it covers */
};

struct macs_odp_headers {
    const uint8_t *frame;
    uint32_t end; /* of the frame; of IP's payload where lengths are believed */
    bool believe; /* lengths: no for a super-frame, whose length is that of the frame, and which is to be cut */
    uint32_t count;
    struct macs_odp_header header[MACS_ODP_HEADERS_MAX]; /* the outermost first, before UDP and at the end stands IP */
    uint32_t l4;                                         /* what was looked for: TCP, UDP, SCTP, GRE with a checksum */
    uint8_t protocol;
};

/* Is this the transport that is looked for? headers->l4 and protocol are it. */
typedef bool (*macs_odp_headers_accept)(const struct macs_odp_headers *headers, void *context);

/* Go from transport to transport, inwards, until one is accepted. False: none is; no fragment has one. `frame`, `end`
 * and `believe` are set. */
bool macs_odp_headers_find(struct macs_odp_headers *headers, macs_odp_headers_accept accept, void *context);

/* The sum of the pseudo-header of a transport of `len` bytes behind the IP header, as macs_odp_checksum(). */
uint16_t macs_odp_headers_pseudo(const uint8_t *frame, const struct macs_odp_header *ip, uint8_t protocol,
                                 uint32_t len);

static inline uint16_t macs_odp_get16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

#endif
