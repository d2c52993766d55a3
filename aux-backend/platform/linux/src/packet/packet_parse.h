/* A parser of Ethernet, VLAN tags, ARP, IPv4, IPv6 with its extension headers, and their transports. */
#ifndef MACS_ODP_PACKET_PARSE_H
#define MACS_ODP_PACKET_PARSE_H

#include "core/internal.h"

/* Nothing known. */
#define MACS_ODP_PARSED_NOTHING                                                                                        \
    ((odp_packet_parse_result_t){.l2_offset = ODP_PACKET_OFFSET_INVALID,                                               \
                                 .l3_offset = ODP_PACKET_OFFSET_INVALID,                                               \
                                 .l4_offset = ODP_PACKET_OFFSET_INVALID,                                               \
                                 .l3_type = ODP_PROTO_L3_TYPE_NONE,                                                    \
                                 .l4_type = ODP_PROTO_L4_TYPE_NONE})

/* What `len` bytes are, from `offset` on; any bytes may come. `*result` is all written but packet_len. */
void macs_odp_parse(const uint8_t *data, uint32_t len, uint32_t offset, const odp_packet_parse_param_t *param,
                    odp_packet_parse_result_t *result);

#endif
