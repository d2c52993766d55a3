/* The packet parser: a function for each header, which checks the length before it reads.
 *
 * Sources: IEEE 802.3 (lengths, LLC/SNAP), 802.1Q, RFC 791, RFC 8200, RFC 768, RFC 9293, RFC 9260 (SCTP), RFC 1071.
 */
#include "packet/packet_parse.h"

#include "packet/checksum.h"

#include <string.h>

enum {
    ETHERNET = 14,
    FRAME_MAX = 1518, /* longer is a jumbo frame; frames come without their checksum, but may have VLAN tags */
    LENGTH_MAX = 1500,
    TYPE_MIN = 1536,
    SNAP = 8,
    VLAN = 0x8100,
    QINQ = 0x88a8,
    VLAN_TAG = 4,
    IPV4_MIN = 20,
    IPV6 = 40,
    FRAGMENT = 8,
    UDP = 8,
    TCP_MIN = 20,
    SCTP = 12,
    ICMP = 8
};

enum { HOP_BY_HOP = 0, ROUTING = 43, FRAGMENTED = 44, DESTINATION = 60 };

struct parser {
    const uint8_t *data;
    uint32_t at;  /* the next header's first byte */
    uint32_t end; /* behind the last byte of the layer */
    uint32_t l3;
    bool later_fragment; /* there is no transport header */
    bool fragment;
    odp_proto_chksums_t chksums;
    odp_packet_parse_result_t *result;
};

static uint16_t get16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static bool have(const struct parser *parser, uint32_t bytes) {
    return parser->end - parser->at >= bytes;
}

/* An error in layer 2, 3 or 4: parsing stops there. */
static bool wrong(struct parser *parser, int layer) {
    odp_packet_parse_result_flag_t *flag = &parser->result->flag;
    flag->has_error = 1;
    if (layer == 2)
        flag->has_l2_error = 1;
    else if (layer == 3)
        flag->has_l3_error = 1;
    else
        flag->has_l4_error = 1;
    return false;
}

/* VLAN tags; the type of what comes behind them in *type. */
static bool parse_tags(struct parser *parser, uint16_t *type) {
    for (int tags = 0; *type == VLAN || *type == QINQ; tags++) {
        if (!have(parser, VLAN_TAG))
            return wrong(parser, 2);
        parser->result->flag.has_vlan = 1;
        if (*type == QINQ || tags > 0)
            parser->result->flag.has_vlan_qinq = 1;
        *type = get16(parser->data + parser->at + 2);
        parser->at += VLAN_TAG;
    }
    return true;
}

/* A length instead of a type: with a SNAP header there is a type behind it, else none that is known. */
static bool parse_length(struct parser *parser, uint16_t *type) {
    static const uint8_t snap[6] = {0xaa, 0xaa, 0x03, 0, 0, 0};
    uint32_t length = *type;
    *type = 0;
    if (length > LENGTH_MAX || !have(parser, length))
        return wrong(parser, 2);
    if (length >= SNAP && memcmp(parser->data + parser->at, snap, sizeof(snap)) == 0) {
        *type = get16(parser->data + parser->at + sizeof(snap));
        parser->at += SNAP;
    }
    return true;
}

static bool parse_ethernet(struct parser *parser, uint16_t *type) {
    static const uint8_t broadcast[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    odp_packet_parse_result_t *result = parser->result;
    const uint8_t *frame = parser->data + parser->at;
    result->l2_offset = parser->at;
    if (!have(parser, ETHERNET))
        return wrong(parser, 2);
    result->l2_type = ODP_PROTO_L2_TYPE_ETH;
    result->flag.has_l2 = result->flag.has_eth = 1;
    result->flag.has_jumbo = parser->end - parser->at > FRAME_MAX;
    result->flag.has_eth_mcast = frame[0] & 1;
    result->flag.has_eth_bcast = memcmp(frame, broadcast, sizeof(broadcast)) == 0;
    *type = get16(frame + ETHERNET - 2);
    parser->at += ETHERNET;
    if (*type < TYPE_MIN && !parse_length(parser, type))
        return false;
    if (!parse_tags(parser, type))
        return false;
    result->l3_offset = parser->at;
    if (*type == ODP_PROTO_L3_TYPE_IPV4 || *type == ODP_PROTO_L3_TYPE_IPV6 || *type == ODP_PROTO_L3_TYPE_ARP ||
        *type == ODP_PROTO_L3_TYPE_RARP || *type == ODP_PROTO_L3_TYPE_MPLS)
        result->l3_type = *type;
    return true;
}

static bool parse_ipv4(struct parser *parser) {
    odp_packet_parse_result_t *result = parser->result;
    const uint8_t *ip = parser->data + parser->at;
    if (!have(parser, IPV4_MIN) || ip[0] >> 4 != 4)
        return wrong(parser, 3);
    uint32_t header = (ip[0] & 15u) * 4u, total = get16(ip + 2);
    uint16_t fragment = get16(ip + 6);
    if (header < IPV4_MIN || total < header || !have(parser, total))
        return wrong(parser, 3);
    result->flag.has_l3 = result->flag.has_ipv4 = 1;
    result->flag.has_ipopt = header > IPV4_MIN;
    result->flag.has_ipfrag = parser->fragment = (fragment & 0x3fff) != 0;
    parser->later_fragment = (fragment & 0x1fff) != 0;
    result->flag.has_ip_mcast = ip[16] >> 4 == 14;
    result->flag.has_ip_bcast = (ip[16] & ip[17] & ip[18] & ip[19]) == 255;
    if (parser->chksums.chksum.ipv4) {
        bool good = macs_odp_checksum(ip, header, 0) == 0xffff;
        result->l3_chksum_status = good ? ODP_PACKET_CHKSUM_OK : ODP_PACKET_CHKSUM_BAD;
        if (!good)
            return wrong(parser, 3);
    }
    parser->end = parser->at + total;
    parser->at += header;
    result->l4_type = ip[9];
    return true;
}

/* The extension headers that may stand before the transport. */
static bool parse_extensions(struct parser *parser, uint8_t *next) {
    while (*next == HOP_BY_HOP || *next == ROUTING || *next == DESTINATION || *next == FRAGMENTED) {
        const uint8_t *header = parser->data + parser->at;
        if (!have(parser, FRAGMENT))
            return wrong(parser, 3);
        uint32_t bytes = *next == FRAGMENTED ? FRAGMENT : (header[1] + 1u) * 8u;
        if (!have(parser, bytes))
            return wrong(parser, 3);
        if (*next == FRAGMENTED) {
            parser->result->flag.has_ipfrag = parser->fragment = true;
            parser->later_fragment = (get16(header + 2) & 0xfff8) != 0;
        } else {
            parser->result->flag.has_ipopt = 1;
        }
        *next = header[0];
        parser->at += bytes;
        if (parser->later_fragment)
            break;
    }
    return true;
}

static bool parse_ipv6(struct parser *parser) {
    odp_packet_parse_result_t *result = parser->result;
    const uint8_t *ip = parser->data + parser->at;
    if (!have(parser, IPV6) || ip[0] >> 4 != 6 || !have(parser, IPV6 + (uint32_t)get16(ip + 4)))
        return wrong(parser, 3);
    uint8_t next = ip[6];
    result->flag.has_l3 = result->flag.has_ipv6 = 1;
    result->flag.has_ip_mcast = ip[24] == 0xff;
    parser->end = parser->at + IPV6 + get16(ip + 4);
    parser->at += IPV6;
    if (!parse_extensions(parser, &next))
        return false;
    result->l4_type = next;
    return true;
}

static bool parse_l3(struct parser *parser, uint16_t type) {
    odp_packet_parse_result_t *result = parser->result;
    parser->l3 = parser->at;
    if (type == ODP_PROTO_L3_TYPE_ARP)
        result->flag.has_l3 = result->flag.has_arp = 1;
    if (type != ODP_PROTO_L3_TYPE_IPV4 && type != ODP_PROTO_L3_TYPE_IPV6)
        return false;
    if (type == ODP_PROTO_L3_TYPE_IPV4 ? !parse_ipv4(parser) : !parse_ipv6(parser))
        return false;
    result->l4_offset = parser->at;
    result->flag.has_ipsec = result->l4_type == ODP_PROTO_L4_TYPE_AH || result->l4_type == ODP_PROTO_L4_TYPE_ESP;
    result->flag.has_icmp = result->l4_type == ODP_PROTO_L4_TYPE_ICMPV4 || result->l4_type == ODP_PROTO_L4_TYPE_ICMPV6;
    return true;
}

/* The sum over the transport and its pseudo-header, as UDP and TCP have it. */
static bool sum_good(const struct parser *parser) {
    const uint8_t *ip = parser->data + parser->l3;
    uint32_t len = parser->end - parser->at;
    uint16_t addresses = macs_odp_pseudo_sum(ip, parser->result->flag.has_ipv6, parser->result->l4_type, len);
    return macs_odp_checksum(parser->data + parser->at, len, addresses) == 0xffff;
}

/* RFC 9260 appendix A: CRC-32C with the checksum's own bytes zero, sent with its low byte first. */
static bool crc_good(const struct parser *parser) {
    static const uint8_t zeros[4];
    const uint8_t *sctp = parser->data + parser->at;
    uint32_t crc = odp_hash_crc32c(sctp, 8, UINT32_MAX);
    crc = odp_hash_crc32c(zeros, sizeof(zeros), crc);
    crc = ~odp_hash_crc32c(sctp + SCTP, parser->end - parser->at - SCTP, crc);
    return crc == ((uint32_t)sctp[11] << 24 | (uint32_t)sctp[10] << 16 | (uint32_t)sctp[9] << 8 | sctp[8]);
}

/* A fragment's checksum covers more than is here. */
static void check_l4(struct parser *parser, bool wanted, bool (*good)(const struct parser *parser)) {
    if (!wanted || parser->fragment)
        return;
    bool ok = good(parser);
    parser->result->l4_chksum_status = ok ? ODP_PACKET_CHKSUM_OK : ODP_PACKET_CHKSUM_BAD;
    if (!ok)
        wrong(parser, 4);
}

static void parse_udp(struct parser *parser) {
    const uint8_t *udp = parser->data + parser->at;
    if (!have(parser, UDP) || get16(udp + 4) < UDP || (!parser->fragment && !have(parser, get16(udp + 4)))) {
        wrong(parser, 4);
        return;
    }
    if (!parser->fragment)
        parser->end = parser->at + get16(udp + 4);
    if (get16(udp + 6) != 0)
        check_l4(parser, parser->chksums.chksum.udp, sum_good);
    else if (parser->chksums.chksum.udp)
        parser->result->l4_chksum_status = ODP_PACKET_CHKSUM_OK; /* there is none */
}

static void parse_tcp(struct parser *parser) {
    const uint8_t *tcp = parser->data + parser->at;
    if (!have(parser, TCP_MIN) || tcp[12] >> 4 < 5 || (!parser->fragment && !have(parser, (tcp[12] >> 4) * 4u)))
        wrong(parser, 4);
    else
        check_l4(parser, parser->chksums.chksum.tcp, sum_good);
}

static void parse_sctp(struct parser *parser) {
    if (!have(parser, SCTP))
        wrong(parser, 4);
    else
        check_l4(parser, parser->chksums.chksum.sctp, crc_good);
}

static void parse_l4(struct parser *parser) {
    odp_packet_parse_result_flag_t *flag = &parser->result->flag;
    uint8_t type = parser->result->l4_type;
    flag->has_udp = type == ODP_PROTO_L4_TYPE_UDP;
    flag->has_tcp = type == ODP_PROTO_L4_TYPE_TCP;
    flag->has_sctp = type == ODP_PROTO_L4_TYPE_SCTP;
    flag->has_l4 = flag->has_udp || flag->has_tcp || flag->has_sctp || flag->has_icmp;
    if (parser->later_fragment)
        return;
    if (flag->has_udp)
        parse_udp(parser);
    else if (flag->has_tcp)
        parse_tcp(parser);
    else if (flag->has_sctp)
        parse_sctp(parser);
    else if (flag->has_icmp && !have(parser, ICMP))
        wrong(parser, 4);
}

void macs_odp_parse(const uint8_t *data, uint32_t len, uint32_t offset, const odp_packet_parse_param_t *param,
                    odp_packet_parse_result_t *result) {
    struct parser parser = {.data = data, .at = offset, .end = len, .chksums = param->chksums, .result = result};
    uint16_t type = param->proto == ODP_PROTO_IPV4 ? ODP_PROTO_L3_TYPE_IPV4 : ODP_PROTO_L3_TYPE_IPV6;
    *result = MACS_ODP_PARSED_NOTHING;
    if (param->proto != ODP_PROTO_ETH) {
        result->l3_offset = offset;
        result->l3_type = type;
    } else if (!parse_ethernet(&parser, &type)) {
        return;
    }
    if (param->last_layer >= ODP_PROTO_LAYER_L3 && parse_l3(&parser, type) && param->last_layer >= ODP_PROTO_LAYER_L4)
        parse_l4(&parser);
}
