/* Flags of packets, set by the parser or by the program (see packet_layers.h). */
#ifndef ODP_API_PACKET_FLAGS_H_
#define ODP_API_PACKET_FLAGS_H_

#include <odp/api/packet.h>

/* Of any layer. */
static inline int odp_packet_has_error(odp_packet_t pkt) {
    return (macs_odp_flags(&pkt->event) & MACS_ODP_ERROR) != 0;
}

#define MACS_ODP_FLAG(name)                                                                                            \
    static inline int odp_packet_has_##name(odp_packet_t pkt) {                                                        \
        return macs_odp_layers(pkt)->parsed.flag.has_##name;                                                           \
    }

#define MACS_ODP_FLAG_SET(name)                                                                                        \
    MACS_ODP_FLAG(name)                                                                                                \
    static inline void odp_packet_has_##name##_set(odp_packet_t pkt, int val) {                                        \
        macs_odp_layers_own(pkt)->parsed.flag.has_##name = val != 0;                                                   \
    }

MACS_ODP_FLAG(l2_error)
MACS_ODP_FLAG(l3_error)
MACS_ODP_FLAG(l4_error)
MACS_ODP_FLAG_SET(l2)
MACS_ODP_FLAG_SET(l3)
MACS_ODP_FLAG_SET(l4)
MACS_ODP_FLAG_SET(eth)
MACS_ODP_FLAG_SET(eth_bcast)
MACS_ODP_FLAG_SET(eth_mcast)
MACS_ODP_FLAG_SET(jumbo)
MACS_ODP_FLAG_SET(vlan)
MACS_ODP_FLAG(vlan_qinq)
MACS_ODP_FLAG_SET(arp)
MACS_ODP_FLAG_SET(ipv4)
MACS_ODP_FLAG_SET(ipv6)
MACS_ODP_FLAG_SET(ip_bcast)
MACS_ODP_FLAG_SET(ip_mcast)
MACS_ODP_FLAG_SET(ipfrag)
MACS_ODP_FLAG_SET(ipopt)
MACS_ODP_FLAG_SET(ipsec)
MACS_ODP_FLAG_SET(udp)
MACS_ODP_FLAG_SET(tcp)
MACS_ODP_FLAG_SET(sctp)
MACS_ODP_FLAG_SET(icmp)

/* A packet with two tags has a tag. */
static inline void odp_packet_has_vlan_qinq_set(odp_packet_t pkt, int val) {
    odp_packet_parse_result_flag_t *flag = &macs_odp_layers_own(pkt)->parsed.flag;
    flag->has_vlan = flag->has_vlan_qinq = val != 0;
}

#undef MACS_ODP_FLAG_SET
#undef MACS_ODP_FLAG

static inline int odp_packet_has_flow_hash(odp_packet_t pkt) {
    return macs_odp_layers(pkt)->has_flow_hash;
}

static inline void odp_packet_has_flow_hash_clr(odp_packet_t pkt) {
    macs_odp_layers_own(pkt)->has_flow_hash = 0;
}

static inline int odp_packet_has_ts(odp_packet_t pkt) {
    return (macs_odp_flags(&pkt->event) & MACS_ODP_HAS_TS) != 0;
}

static inline void odp_packet_has_ts_clr(odp_packet_t pkt) {
    macs_odp_flags_change(&pkt->event, MACS_ODP_HAS_TS, 0);
}

#endif
