/* The flow hash of a frame: chooses the input queue of a received frame. */
#include "pktio/flow.h"

#include <string.h>

enum { MACS = 12, ETHERNET = 14, VLAN_TAG = 4, IPV4_MIN = 20, IPV6 = 40, TCP = 6, UDP = 17 };

static uint16_t half(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

/* Who sends to whom on the link. */
static uint32_t hash_link(const uint8_t *frame) {
    return odp_hash_crc32c(frame, MACS, 0xffffffffu);
}

/* Addresses, then ports where the transport's bit is set and the first fragment's header is there. */
static uint32_t hash_ip(const uint8_t *frame, const uint8_t *addresses, uint32_t addresses_len, bool plain,
                        const uint8_t *l4, const uint8_t *end, bool ports) {
    if (!plain && !ports)
        return hash_link(frame);
    uint32_t hash = odp_hash_crc32c(addresses, addresses_len, 0xffffffffu);
    return ports && end - l4 >= 4 ? odp_hash_crc32c(l4, 4, hash) : hash;
}

uint32_t macs_odp_flow_hash(const uint8_t *frame, uint32_t len, odp_pktin_hash_proto_t select) {
    const uint8_t *end = frame + len, *at = frame + ETHERNET;
    if (len < ETHERNET)
        return 0;
    uint16_t type = half(at - 2);
    while ((type == 0x8100 || type == 0x88a8) && end - at >= VLAN_TAG) {
        type = half(at + 2);
        at += VLAN_TAG;
    }
    if (type == 0x0800 && end - at >= IPV4_MIN) {
        bool fragment = (half(at + 6) & 0x3fff) != 0;
        bool ports = !fragment && ((at[9] == UDP && select.proto.ipv4_udp) || (at[9] == TCP && select.proto.ipv4_tcp));
        ptrdiff_t header = (at[0] & 15) * 4;
        return hash_ip(frame, at + 12, 8, select.proto.ipv4, end - at < header ? end : at + header, end, ports);
    }
    if (type == 0x86dd && end - at >= IPV6) {
        bool ports = (at[6] == UDP && select.proto.ipv6_udp) || (at[6] == TCP && select.proto.ipv6_tcp);
        return hash_ip(frame, at + 8, 32, select.proto.ipv6, at + IPV6, end, ports);
    }
    return hash_link(frame);
}
