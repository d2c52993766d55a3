/* The packet parser and the flow hash at their edges: one bit or byte away from what they look for they see something
 * else. */
#include "check.h"
#include "packet/packet_parse.h"
#include "pktio/flow.h"

enum { ETHERNET = 14, ROOM = 2048 };

static uint8_t frame[ROOM];
static odp_packet_parse_result_t found;

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void ethernet(uint32_t type) {
    memset(frame, 0, sizeof(frame));
    frame[0] = 2, frame[6] = 4;
    put16(frame + 12, type);
}

static void ipv4(uint8_t protocol, uint32_t payload) {
    ethernet(0x0800);
    frame[ETHERNET] = 0x45;
    put16(frame + ETHERNET + 2, 20 + payload);
    frame[ETHERNET + 9] = protocol;
}

static void ipv6(uint8_t next, uint32_t payload) {
    ethernet(0x86dd);
    frame[ETHERNET] = 0x60;
    put16(frame + ETHERNET + 4, payload);
    frame[ETHERNET + 6] = next;
}

static odp_packet_parse_result_flag_t parse(uint32_t len) {
    const odp_packet_parse_param_t param = {.proto = ODP_PROTO_ETH, .last_layer = ODP_PROTO_LAYER_ALL};
    uint8_t *own = malloc(len); /* so that a sanitizer sees the end */
    CHECK(own != NULL);
    memcpy(own, frame, len);
    macs_odp_parse(own, len, 0, &param, &found);
    free(own);
    return found.flag;
}

static void test_ethernet(void) {
    ethernet(0x88b5);
    CHECK(!parse(1518).has_jumbo && parse(1519).has_jumbo);
    CHECK(parse(14).has_eth && !parse(13).has_eth && found.flag.has_l2_error);
    memset(frame, 0xff, 6);
    CHECK(parse(60).has_eth_bcast && found.flag.has_eth_mcast);
    frame[5] = 0xfe;
    CHECK(!parse(60).has_eth_bcast && found.flag.has_eth_mcast);
    frame[0] = 0xfe;
    CHECK(!parse(60).has_eth_mcast);
    ethernet(1500); /* a length */
    CHECK(!parse(1514).has_error && parse(1513).has_l2_error);
    ethernet(1501); /* neither a length nor a type */
    CHECK(parse(1600).has_l2_error);
    ethernet(1535);
    CHECK(parse(1600).has_l2_error);
    ethernet(1536);
    CHECK(!parse(60).has_error);
    ethernet(8);
    memcpy(frame + ETHERNET, "\xaa\xaa\x03\0\0\0\x08\x06", 8);
    CHECK(parse(60).has_arp && found.l3_offset == ETHERNET + 8);
    put16(frame + 12, 7);
    CHECK(!parse(60).has_arp);
    ethernet(0x8100);
    CHECK(!parse(18).has_error && parse(17).has_l2_error);
    put16(frame + 16, 0x8100);
    CHECK(parse(60).has_vlan_qinq && parse(22).has_vlan && parse(21).has_l2_error);
}

static void test_ipv4(void) {
    uint8_t *ip = frame + ETHERNET;
    ipv4(17, 8);
    put16(ip + 24, 8);
    CHECK(parse(42).has_udp && !found.flag.has_error && found.l4_offset == ETHERNET + 20 && !found.flag.has_ipopt);
    CHECK(parse(41).has_l3_error);
    put16(ip + 2, 19);
    CHECK(parse(60).has_l3_error);
    put16(ip + 2, 20);
    CHECK(parse(60).has_l4_error); /* what stands behind the packet is not of it */
    ipv4(17, 12);
    put16(ip + 28, 8);
    ip[0] = 0x46;
    CHECK(parse(60).has_ipopt && found.l4_offset == ETHERNET + 24 && !found.flag.has_error);
    ip[0] = 0x44;
    CHECK(parse(60).has_l3_error);
    ip[0] = 0x55;
    CHECK(parse(60).has_l3_error);
    ipv4(17, 8);
    put16(ip + 24, 8);
    put16(ip + 6, 0x4000); /* may not be fragmented */
    CHECK(!parse(60).has_ipfrag);
    put16(ip + 6, 0x2000); /* the first of several: its header is there, its length is another's */
    put16(ip + 24, 1000);
    CHECK(parse(60).has_ipfrag && found.flag.has_udp && !found.flag.has_error);
    put16(ip + 24, 7);
    CHECK(parse(60).has_l4_error);
    put16(ip + 6, 1); /* a later one: no header */
    CHECK(parse(60).has_ipfrag && found.flag.has_udp && !found.flag.has_error);
    put16(ip + 6, 0);
    put16(ip + 24, 8);
    ip[16] = 224;
    CHECK(parse(60).has_ip_mcast);
    ip[16] = 239;
    CHECK(parse(60).has_ip_mcast);
    ip[16] = 240;
    CHECK(!parse(60).has_ip_mcast);
    ip[16] = 223;
    CHECK(!parse(60).has_ip_mcast);
    memset(ip + 16, 0xff, 4);
    CHECK(parse(60).has_ip_bcast);
    for (unsigned i = 16; i < 20; i++) {
        ip[i] = 0xfe;
        CHECK(!parse(60).has_ip_bcast);
        ip[i] = 0xff;
    }
}

static void test_ipv6(void) {
    uint8_t *ip = frame + ETHERNET, *extension = ip + 40;
    ipv6(17, 8);
    put16(ip + 44, 8);
    CHECK(parse(62).has_udp && !found.flag.has_error && !found.flag.has_ipopt && parse(61).has_l3_error);
    CHECK(!found.flag.has_ip_mcast);
    ip[24] = 0xfe;
    CHECK(!parse(62).has_ip_mcast);
    ip[24] = 0xff;
    CHECK(parse(62).has_ip_mcast);
    static const uint8_t optional[] = {0, 43, 60};
    for (unsigned i = 0; i < sizeof(optional); i++) {
        ipv6(optional[i], 16 + 8);
        extension[0] = 17, extension[1] = 1;
        put16(extension + 16 + 4, 8);
        CHECK(parse(100).has_ipopt && found.flag.has_udp && found.l4_offset == ETHERNET + 56 && !found.flag.has_error);
        put16(ip + 4, 15); /* the header of the extension is there, but not all of it */
        CHECK(parse(100).has_l3_error);
    }
    ipv6(44, 8 + 8);
    extension[0] = 17, extension[1] = 9; /* reserved, no length */
    put16(extension + 2, 7);             /* the first fragment: these bits are no offset */
    put16(extension + 8 + 4, 7);
    CHECK(parse(100).has_ipfrag && found.l4_offset == ETHERNET + 48 && found.flag.has_l4_error);
    put16(extension + 2, 8); /* a later one */
    CHECK(parse(100).has_ipfrag && !found.flag.has_error && found.flag.has_udp);
    put16(extension + 2, 8 + 1);
    extension[0] = 60; /* nothing of it is looked at */
    CHECK(!parse(100).has_error && found.l4_type == 60 && !found.flag.has_ipopt);
}

static void test_transports(void) {
    uint8_t *l4 = frame + ETHERNET + 20;
    static const struct {
        uint8_t protocol;
        uint32_t least;
    } kinds[] = {{17, 8}, {6, 20}, {132, 12}, {1, 8}, {58, 8}};
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        for (uint32_t payload = kinds[i].least - 1; payload <= kinds[i].least; payload++) {
            ipv4(kinds[i].protocol, payload);
            if (kinds[i].protocol == 17)
                put16(l4 + 4, 8);
            if (kinds[i].protocol == 6)
                l4[12] = 0x50;
            CHECK(parse(60).has_l4_error == (payload < kinds[i].least));
            CHECK(found.flag.has_l4 && found.l4_type == kinds[i].protocol && !found.flag.has_l3_error);
        }
    ipv4(6, 24);
    l4[12] = 0x60;
    CHECK(!parse(60).has_error);
    l4[12] = 0x70;
    CHECK(parse(60).has_l4_error);
    l4[12] = 0x40;
    CHECK(parse(60).has_l4_error);
    ipv4(17, 20);
    put16(l4 + 4, 20);
    CHECK(!parse(60).has_error);
    put16(l4 + 4, 21);
    CHECK(parse(60).has_l4_error);
    ipv4(51, 8);
    CHECK(parse(60).has_ipsec && !found.flag.has_l4);
    ipv4(52, 8);
    CHECK(!parse(60).has_ipsec);
}

/* From the IP header on, which may stand anywhere: that it is one is known. */
static void test_without_ethernet(void) {
    for (unsigned six = 0; six < 2; six++) {
        odp_packet_parse_param_t param = {.proto = six ? ODP_PROTO_IPV6 : ODP_PROTO_IPV4,
                                          .last_layer = ODP_PROTO_LAYER_L4};
        const uint32_t type = six ? ODP_PROTO_L3_TYPE_IPV6 : ODP_PROTO_L3_TYPE_IPV4, l4 = ETHERNET + (six ? 40 : 20);
        six ? ipv6(17, 8) : ipv4(17, 8);
        put16(frame + l4 + 4, 8);
        macs_odp_parse(frame, l4 + 8, ETHERNET, &param, &found);
        CHECK(found.flag.has_udp && !found.flag.has_error && !found.flag.has_eth && !found.flag.has_l2);
        CHECK(found.l3_type == type && found.l3_offset == ETHERNET && found.l4_offset == l4 && found.l4_type == 17);
        param.last_layer = ODP_PROTO_LAYER_L3;
        macs_odp_parse(frame, l4 + 8, ETHERNET, &param, &found);
        CHECK(found.flag.has_l3 && !found.flag.has_udp && !found.flag.has_l4 && found.l3_type == type);
        param.proto = six ? ODP_PROTO_IPV4 : ODP_PROTO_IPV6;
        macs_odp_parse(frame, l4 + 8, ETHERNET, &param, &found);
        CHECK(found.flag.has_l3_error && found.flag.has_error && !found.flag.has_l3);
    }
}

static odp_packet_chksum_status_t sum_of_udp(uint32_t len) {
    const odp_packet_parse_param_t param = {
        .proto = ODP_PROTO_ETH, .last_layer = ODP_PROTO_LAYER_ALL, .chksums.chksum.udp = 1};
    macs_odp_parse(frame, len, 0, &param, &found);
    return found.l4_chksum_status;
}

/* What stands behind UDP's end in the IP packet is not its own. */
static void test_a_datagram_that_is_shorter_than_its_packet(void) {
    uint8_t *udp = frame + ETHERNET + 20;
    ipv4(17, 8 + 20);
    put16(udp + 4, 8 + 4);
    memcpy(udp + 8, "data", 4);
    memset(udp + 12, 0x77, 16);
    uint32_t sum = 17 + 12 + 12 + ('d' << 8 | 'a') + ('t' << 8 | 'a'); /* addresses and ports are 0 */
    sum = (sum & 0xffff) + (sum >> 16);
    put16(udp + 6, ~((sum & 0xffff) + (sum >> 16)));
    CHECK(sum_of_udp(62) == ODP_PACKET_CHKSUM_OK && !found.flag.has_error);
    udp[12] ^= 1;
    CHECK(sum_of_udp(62) == ODP_PACKET_CHKSUM_OK);
    udp[11] ^= 1;
    CHECK(sum_of_udp(62) == ODP_PACKET_CHKSUM_BAD && found.flag.has_l4_error);
}

/* Of more bytes than the sums side by side have room for. */
static void test_the_sum_of_many_bytes(void) {
    enum { MANY = 12 << 20 };
    uint8_t *bytes = malloc(MANY);
    CHECK(bytes != NULL);
    memset(bytes, 0xff, MANY);
    bytes[MANY - 1] = 0xfe;
    CHECK(odp_chksum_ones_comp16(bytes, MANY) == odp_cpu_to_be_16(0xfffe));
    free(bytes);
}

/* --- the flow hash -------------------------------------------------------------------------------------------------
 */

static odp_pktin_hash_proto_t chosen;

static uint32_t hash_of(uint32_t len) {
    uint8_t *own = malloc(len);
    CHECK(own != NULL);
    memcpy(own, frame, len);
    uint32_t hash = macs_odp_flow_hash(own, len, chosen);
    free(own);
    return hash;
}

/* Which bytes of a frame decide about its hash: a bit for each of the first 64. */
static uint64_t deciding(uint32_t len) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t before = hash_of(len);
        frame[i] ^= 0x10;
        bytes |= hash_of(len) != before ? UINT64_C(1) << i : 0;
        frame[i] ^= 0x10;
    }
    return bytes;
}

/* Of the bytes from there on; those that say what a frame is are not looked at. */
static uint64_t run(uint32_t first, uint32_t count) {
    return ((UINT64_C(1) << count) - 1) << first;
}

static void check_ipv4(uint8_t protocol, bool ports, bool addresses) {
    const uint64_t what_it_is = run(12, 2) | run(14, 1) | run(20, 2) | run(23, 1);
    ipv4(protocol, 40);
    const uint64_t macs = ports || addresses ? 0 : run(0, 12), ips = ports || addresses ? run(26, 8) : 0;
    CHECK((deciding(60) & ~what_it_is) == (macs | ips | (ports ? run(34, 4) : 0)));
    CHECK((deciding(38) & ~what_it_is) == (macs | ips | (ports ? run(34, 4) : 0)));
    CHECK((deciding(37) & ~what_it_is) == (macs | ips)); /* the ports are cut off */
    CHECK((deciding(34) & ~what_it_is) == (macs | ips));
    CHECK((deciding(33) & ~what_it_is) == run(0, 12));
    put16(frame + ETHERNET + 6, 0x2000); /* all fragments of a datagram go one way */
    CHECK((deciding(60) & ~what_it_is) == (addresses ? run(26, 8) : run(0, 12)));
    put16(frame + ETHERNET + 6, 1);
    CHECK((deciding(60) & ~what_it_is) == (addresses ? run(26, 8) : run(0, 12)));
}

static void check_ipv6(uint8_t protocol, bool ports, bool addresses) {
    const uint64_t what_it_is = run(12, 2) | run(20, 1);
    ipv6(protocol, 8);
    const uint64_t macs = ports || addresses ? 0 : run(0, 12), ips = ports || addresses ? run(22, 32) : 0;
    CHECK((deciding(62) & ~what_it_is) == (macs | ips | (ports ? run(54, 4) : 0)));
    CHECK((deciding(58) & ~what_it_is) == (macs | ips | (ports ? run(54, 4) : 0)));
    CHECK((deciding(57) & ~what_it_is) == (macs | ips));
    CHECK((deciding(54) & ~what_it_is) == (macs | ips));
    CHECK((deciding(53) & ~what_it_is) == run(0, 12));
}

static void test_flows(void) {
    for (uint32_t choice = 0; choice < 64; choice++) {
        chosen = (odp_pktin_hash_proto_t){.all_bits = 0};
        chosen.proto.ipv4 = choice & 1, chosen.proto.ipv4_udp = choice >> 1 & 1,
        chosen.proto.ipv4_tcp = choice >> 2 & 1;
        chosen.proto.ipv6 = choice >> 3 & 1, chosen.proto.ipv6_udp = choice >> 4 & 1;
        chosen.proto.ipv6_tcp = choice >> 5 & 1;
        check_ipv4(17, chosen.proto.ipv4_udp, chosen.proto.ipv4);
        check_ipv4(6, chosen.proto.ipv4_tcp, chosen.proto.ipv4);
        check_ipv4(1, false, chosen.proto.ipv4);
        check_ipv6(17, chosen.proto.ipv6_udp, chosen.proto.ipv6);
        check_ipv6(6, chosen.proto.ipv6_tcp, chosen.proto.ipv6);
        check_ipv6(58, false, chosen.proto.ipv6);
    }
    ethernet(0x88b5);
    CHECK(deciding(60) == run(0, 12) && hash_of(13) == 0 && hash_of(14) != 0);
}

/* Tags and options in front of the ports move them. */
static void test_moved(void) {
    chosen = (odp_pktin_hash_proto_t){.all_bits = 0};
    chosen.proto.ipv4_udp = chosen.proto.ipv4 = 1;
    ipv4(17, 40);
    frame[26] = 10, frame[30] = 11, frame[35] = 53;
    const uint32_t hash = hash_of(60);
    memmove(frame + 16, frame + 12, 100);
    put16(frame + 12, 0x8100);
    CHECK(hash_of(64) == hash);
    memmove(frame + 16, frame + 12, 100);
    put16(frame + 12, 0x88a8);
    CHECK(hash_of(68) == hash);
    memmove(frame + 22 + 24, frame + 22 + 20, 40);
    frame[22] = 0x46;
    CHECK(hash_of(72) == hash);
    frame[22] = 0x4f; /* a header beyond the frame has no ports behind it */
    const uint32_t without = hash_of(70);
    frame[22 + 28] ^= 1;
    CHECK(hash_of(70) == without);
}

int main(void) {
    test_ethernet();
    test_ipv4();
    test_ipv6();
    test_transports();
    test_without_ethernet();
    test_a_datagram_that_is_shorter_than_its_packet();
    test_the_sum_of_many_bytes();
    test_flows();
    test_moved();
    return 0;
}
