/* Metadata of the protocols in a packet: layers, offsets, checksums; and other rare metadata.
 *
 * A new packet has none of it. odp_packet_parse() sets it, and a port does so for packets that it receives, up to the
 * layer of its parser.layer. Offsets are from odp_packet_data(), and are not adjusted when that moves.
 */
#ifndef ODP_API_PACKET_LAYERS_H_
#define ODP_API_PACKET_LAYERS_H_

#include <odp/api/event.h>
#include <odp/api/hints.h>

#define ODP_PACKET_OFFSET_INVALID UINT32_MAX

typedef uint8_t odp_proto_l2_type_t;
typedef uint16_t odp_proto_l3_type_t;
typedef uint8_t odp_proto_l4_type_t;

#define ODP_PROTO_L2_TYPE_NONE 0
#define ODP_PROTO_L2_TYPE_ETH 1

/* EtherTypes that the parser knows. */
#define ODP_PROTO_L3_TYPE_NONE 0xffff
#define ODP_PROTO_L3_TYPE_IPV4 0x0800
#define ODP_PROTO_L3_TYPE_ARP 0x0806
#define ODP_PROTO_L3_TYPE_RARP 0x8035
#define ODP_PROTO_L3_TYPE_IPV6 0x86dd
#define ODP_PROTO_L3_TYPE_MPLS 0x8847

/* IP protocol numbers: any but NONE may come. */
#define ODP_PROTO_L4_TYPE_NONE 255
#define ODP_PROTO_L4_TYPE_ICMPV4 1
#define ODP_PROTO_L4_TYPE_IGMP 2
#define ODP_PROTO_L4_TYPE_IPV4 4
#define ODP_PROTO_L4_TYPE_TCP 6
#define ODP_PROTO_L4_TYPE_UDP 17
#define ODP_PROTO_L4_TYPE_IPV6 41
#define ODP_PROTO_L4_TYPE_GRE 47
#define ODP_PROTO_L4_TYPE_ESP 50
#define ODP_PROTO_L4_TYPE_AH 51
#define ODP_PROTO_L4_TYPE_ICMPV6 58
#define ODP_PROTO_L4_TYPE_NO_NEXT 59
#define ODP_PROTO_L4_TYPE_IPCOMP 108
#define ODP_PROTO_L4_TYPE_SCTP 132
#define ODP_PROTO_L4_TYPE_ROHC 142

typedef enum odp_proto_t { ODP_PROTO_NONE = 0, ODP_PROTO_ETH, ODP_PROTO_IPV4, ODP_PROTO_IPV6 } odp_proto_t;

typedef enum odp_proto_layer_t {
    ODP_PROTO_LAYER_NONE = 0,
    ODP_PROTO_LAYER_L2,
    ODP_PROTO_LAYER_L3,
    ODP_PROTO_LAYER_L4,
    ODP_PROTO_LAYER_ALL
} odp_proto_layer_t;

typedef enum odp_packet_chksum_status_t {
    ODP_PACKET_CHKSUM_UNKNOWN = 0, /* not checked */
    ODP_PACKET_CHKSUM_BAD,
    ODP_PACKET_CHKSUM_OK
} odp_packet_chksum_status_t;

typedef enum odp_packet_color_t { ODP_PACKET_GREEN = 0, ODP_PACKET_YELLOW, ODP_PACKET_RED } odp_packet_color_t;

#define ODP_NUM_PACKET_COLORS 3

typedef union odp_proto_chksums_t {
    struct {
        uint32_t ipv4 : 1;
        uint32_t udp : 1;
        uint32_t tcp : 1;
        uint32_t sctp : 1;
    } chksum;
    uint32_t all_chksum;
} odp_proto_chksums_t;

typedef struct odp_packet_parse_param_t {
    odp_proto_t proto; /* whose header stands at the offset where parsing begins */
    odp_proto_layer_t last_layer;
    odp_proto_chksums_t chksums; /* to be checked */
} odp_packet_parse_param_t;

typedef struct odp_packet_parse_result_flag_t {
    union {
        uint64_t all;
        struct {
            uint64_t has_error : 1;
            uint64_t has_l2_error : 1;
            uint64_t has_l3_error : 1;
            uint64_t has_l4_error : 1;
            uint64_t has_l2 : 1;
            uint64_t has_l3 : 1;
            uint64_t has_l4 : 1;
            uint64_t has_eth : 1;
            uint64_t has_eth_bcast : 1;
            uint64_t has_eth_mcast : 1;
            uint64_t has_jumbo : 1;
            uint64_t has_vlan : 1;
            uint64_t has_vlan_qinq : 1;
            uint64_t has_arp : 1;
            uint64_t has_ipv4 : 1;
            uint64_t has_ipv6 : 1;
            uint64_t has_ip_bcast : 1;
            uint64_t has_ip_mcast : 1;
            uint64_t has_ipfrag : 1;
            uint64_t has_ipopt : 1;
            uint64_t has_ipsec : 1;
            uint64_t has_udp : 1;
            uint64_t has_tcp : 1;
            uint64_t has_sctp : 1;
            uint64_t has_icmp : 1;
        };
    };
} odp_packet_parse_result_flag_t;

typedef struct odp_packet_parse_result_t {
    odp_packet_parse_result_flag_t flag;
    uint32_t packet_len;
    uint32_t l2_offset;
    uint32_t l3_offset;
    uint32_t l4_offset;
    odp_packet_chksum_status_t l3_chksum_status;
    odp_packet_chksum_status_t l4_chksum_status;
    odp_proto_l2_type_t l2_type;
    odp_proto_l3_type_t l3_type;
    odp_proto_l4_type_t l4_type;
} odp_packet_parse_result_t;

/* Private: the line behind a packet's user area, valid only with MACS_ODP_LAYERS, so that nothing has to be set
 * when a packet is allocated or received. */
struct macs_odp_layers {
    odp_packet_parse_result_t parsed;
    uint32_t payload_offset;
    uint32_t flow_hash;
    uint8_t has_flow_hash;
    uint8_t drop_eligible;
    uint8_t color;
    int8_t shaper_len_adjust;
} ODP_ALIGNED_CACHE;

/* To be read: those of the packet, or the defaults. */
const struct macs_odp_layers *macs_odp_layers(odp_packet_t pkt);

/* To be changed: the same, but the packet's own. */
struct macs_odp_layers *macs_odp_layers_own(odp_packet_t pkt);

/* 0; -1: the parameters do not go together, or the offset is not inside the data. What is wrong in the packet's headers
 * is not an error of the call: odp_packet_has_error() tells. parse_multi: how many packets were parsed. */
int odp_packet_parse(odp_packet_t pkt, uint32_t offset, const odp_packet_parse_param_t *param);
int odp_packet_parse_multi(const odp_packet_t pkt[], const uint32_t offset[], int num,
                           const odp_packet_parse_param_t *param);
void odp_packet_parse_result(odp_packet_t pkt, odp_packet_parse_result_t *result);
void odp_packet_parse_result_multi(const odp_packet_t pkt[], odp_packet_parse_result_t *result[], int num);

/* Where layers begin; NULL: not known. set: -1 beyond the data, nothing is changed. */
uint32_t odp_packet_l2_offset(odp_packet_t pkt);
uint32_t odp_packet_l3_offset(odp_packet_t pkt);
uint32_t odp_packet_l4_offset(odp_packet_t pkt);
uint32_t odp_packet_payload_offset(odp_packet_t pkt);
int odp_packet_l2_offset_set(odp_packet_t pkt, uint32_t offset);
int odp_packet_l3_offset_set(odp_packet_t pkt, uint32_t offset);
int odp_packet_l4_offset_set(odp_packet_t pkt, uint32_t offset);
int odp_packet_payload_offset_set(odp_packet_t pkt, uint32_t offset);
void *odp_packet_l2_ptr(odp_packet_t pkt, uint32_t *len);
void *odp_packet_l3_ptr(odp_packet_t pkt, uint32_t *len);
void *odp_packet_l4_ptr(odp_packet_t pkt, uint32_t *len);

odp_proto_l2_type_t odp_packet_l2_type(odp_packet_t pkt);
odp_proto_l3_type_t odp_packet_l3_type(odp_packet_t pkt);
odp_proto_l4_type_t odp_packet_l4_type(odp_packet_t pkt);
odp_packet_chksum_status_t odp_packet_l3_chksum_status(odp_packet_t pkt);
odp_packet_chksum_status_t odp_packet_l4_chksum_status(odp_packet_t pkt);

/* Kept with the packet for the program; ports and queues do not look at them. */
uint32_t odp_packet_flow_hash(odp_packet_t pkt);
void odp_packet_flow_hash_set(odp_packet_t pkt, uint32_t flow_hash);
odp_packet_color_t odp_packet_color(odp_packet_t pkt);
void odp_packet_color_set(odp_packet_t pkt, odp_packet_color_t color);
odp_bool_t odp_packet_drop_eligible(odp_packet_t pkt);
void odp_packet_drop_eligible_set(odp_packet_t pkt, odp_bool_t status);
int8_t odp_packet_shaper_len_adjust(odp_packet_t pkt);
void odp_packet_shaper_len_adjust_set(odp_packet_t pkt, int8_t adj);

#endif
