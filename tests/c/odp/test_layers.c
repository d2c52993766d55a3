/* What is known of the protocols in a packet: nothing at first, what is set, what the parser finds, in received packets
 * too. Arguments: a port that writes a file, a port that reads that file. */
#include "check.h"

enum { NUM = 128, LEN = 256, HEADER = 14 };

static odp_pool_t pool;

/* The internet checksum over `len` bytes and a sum so far; a place for it in the bytes must be zero. */
static uint16_t checksum(const uint8_t *data, uint32_t len, uint32_t sum) {
    for (uint32_t i = 0; i < len; i++)
        sum += i % 2 ? data[i] : (uint32_t)data[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* Bytes of a frame in the making. */
struct frame {
    uint8_t byte[LEN];
    uint32_t len;
    uint32_t l3;
    uint32_t l4;
};

static struct frame ethernet(const char *tags, uint16_t type) {
    struct frame frame = {.len = 12};
    frame.byte[0] = 2;
    frame.byte[6] = 4;
    for (; *tags; tags++, frame.len += 4)
        put16(frame.byte + frame.len, *tags == 'q' ? 0x88a8 : 0x8100);
    put16(frame.byte + frame.len, type);
    frame.l3 = frame.len += 2;
    return frame;
}

static void ipv4(struct frame *frame, uint32_t options, uint8_t protocol, uint32_t payload) {
    uint8_t *ip = frame->byte + frame->l3;
    frame->l4 = frame->l3 + 20 + options;
    frame->len = frame->l4 + payload;
    ip[0] = (uint8_t)(0x45 + options / 4);
    put16(ip + 2, 20 + options + payload);
    ip[8] = 64;
    ip[9] = protocol;
    ip[12] = ip[16] = 10;
    put16(ip + 10, checksum(ip, 20 + options, 0));
}

static void ipv6(struct frame *frame, uint8_t next, uint32_t extensions, uint32_t payload) {
    uint8_t *ip = frame->byte + frame->l3;
    frame->l4 = frame->l3 + 40 + extensions;
    frame->len = frame->l4 + payload;
    ip[0] = 0x60;
    put16(ip + 4, extensions + payload);
    ip[6] = next;
    ip[8] = ip[24] = 0x20;
}

/* The checksum at l4 + offset, with the pseudo-header. */
static void transport_sum(struct frame *frame, uint8_t protocol, uint32_t offset) {
    const uint8_t *ip = frame->byte + frame->l3;
    bool old = ip[0] >> 4 == 4;
    uint32_t len = frame->len - frame->l4;
    uint32_t sum = (uint16_t)~checksum(ip + (old ? 12 : 8), old ? 8 : 32, protocol + len);
    put16(frame->byte + frame->l4 + offset, checksum(frame->byte + frame->l4, len, sum));
}

static struct frame udp_frame(const char *tags, uint32_t options) {
    struct frame frame = ethernet(tags, 0x0800);
    ipv4(&frame, options, 17, 8 + 20);
    put16(frame.byte + frame.l4 + 4, 28);
    transport_sum(&frame, 17, 6);
    return frame;
}

static odp_packet_t packet_of(const struct frame *frame) {
    odp_packet_t pkt = odp_packet_alloc(pool, frame->len);
    CHECK(pkt != ODP_PACKET_INVALID && odp_packet_copy_from_mem(pkt, 0, frame->len, frame->byte) == 0);
    return pkt;
}

static int parse(odp_packet_t pkt, odp_proto_layer_t layer, bool checksums) {
    odp_packet_parse_param_t param = {.proto = ODP_PROTO_ETH, .last_layer = layer};
    if (checksums)
        param.chksums.chksum.ipv4 = param.chksums.chksum.udp = param.chksums.chksum.tcp = param.chksums.chksum.sctp = 1;
    return odp_packet_parse(pkt, 0, &param);
}

static odp_packet_t parsed(const struct frame *frame, odp_proto_layer_t layer, bool checksums) {
    odp_packet_t pkt = packet_of(frame);
    CHECK(parse(pkt, layer, checksums) == 0);
    return pkt;
}

/* A frame with an error, in its checksum or else: parsing may fail altogether. */
static void check_bad(const struct frame *frame, bool l3, bool sum) {
    odp_packet_t pkt = packet_of(frame);
    if (parse(pkt, ODP_PROTO_LAYER_ALL, sum) == 0) {
        CHECK(odp_packet_has_error(pkt) && !odp_packet_has_l2_error(pkt));
        CHECK(!odp_packet_has_l3_error(pkt) == !l3 && !odp_packet_has_l4_error(pkt) == l3);
        CHECK(!sum || l3 || odp_packet_l4_chksum_status(pkt) == ODP_PACKET_CHKSUM_BAD);
        CHECK(!sum || odp_packet_l3_chksum_status(pkt) == (l3 ? ODP_PACKET_CHKSUM_BAD : ODP_PACKET_CHKSUM_OK));
    }
    odp_packet_reset_meta(pkt);
    CHECK(!odp_packet_has_error(pkt) && !odp_packet_has_l3_error(pkt) && !odp_packet_has_l4_error(pkt));
    odp_packet_free(pkt);
}

static void check_nothing(odp_packet_t pkt) {
    CHECK(!odp_packet_has_l2(pkt) && !odp_packet_has_l3(pkt) && !odp_packet_has_l4(pkt) && !odp_packet_has_eth(pkt));
    CHECK(!odp_packet_has_eth_bcast(pkt) && !odp_packet_has_eth_mcast(pkt) && !odp_packet_has_jumbo(pkt));
    CHECK(!odp_packet_has_vlan(pkt) && !odp_packet_has_vlan_qinq(pkt) && !odp_packet_has_arp(pkt));
    CHECK(!odp_packet_has_ipv4(pkt) && !odp_packet_has_ipv6(pkt) && !odp_packet_has_ip_bcast(pkt));
    CHECK(!odp_packet_has_ip_mcast(pkt) && !odp_packet_has_ipfrag(pkt) && !odp_packet_has_ipopt(pkt));
    CHECK(!odp_packet_has_ipsec(pkt) && !odp_packet_has_udp(pkt) && !odp_packet_has_tcp(pkt));
    CHECK(!odp_packet_has_sctp(pkt) && !odp_packet_has_icmp(pkt));
    CHECK(!odp_packet_has_error(pkt) && !odp_packet_has_l2_error(pkt) && !odp_packet_has_l3_error(pkt));
    CHECK(!odp_packet_has_l4_error(pkt) && odp_packet_l2_type(pkt) == ODP_PROTO_L2_TYPE_NONE);
    CHECK(odp_packet_l3_type(pkt) == ODP_PROTO_L3_TYPE_NONE && odp_packet_l4_type(pkt) == ODP_PROTO_L4_TYPE_NONE);
#if SINCE(50) /* libodp-dpdk 1.47 has others */
    CHECK(!odp_packet_has_flow_hash(pkt));
    CHECK(odp_packet_l2_offset(pkt) == ODP_PACKET_OFFSET_INVALID && odp_packet_l2_ptr(pkt, NULL) == NULL);
#endif
    CHECK(odp_packet_l3_offset(pkt) == ODP_PACKET_OFFSET_INVALID && odp_packet_l3_ptr(pkt, NULL) == NULL);
    CHECK(odp_packet_l4_offset(pkt) == ODP_PACKET_OFFSET_INVALID && odp_packet_l4_ptr(pkt, NULL) == NULL);
    CHECK(odp_packet_l3_chksum_status(pkt) == ODP_PACKET_CHKSUM_UNKNOWN);
    CHECK(odp_packet_l4_chksum_status(pkt) == ODP_PACKET_CHKSUM_UNKNOWN);
}

#define CHECK_FLAG(name)                                                                                               \
    do {                                                                                                               \
        odp_packet_has_##name##_set(pkt, 5);                                                                           \
        CHECK(odp_packet_has_##name(pkt));                                                                             \
        odp_packet_has_##name##_set(pkt, 0);                                                                           \
        CHECK(!odp_packet_has_##name(pkt));                                                                            \
    } while (0)

static void test_what_is_set(void) {
    odp_packet_t pkt = odp_packet_alloc(pool, 100);
    uint32_t len = 0;
    check_nothing(pkt);
    CHECK_FLAG(l2);
    CHECK_FLAG(l3);
    CHECK_FLAG(l4);
    CHECK_FLAG(eth);
    CHECK_FLAG(eth_bcast);
    CHECK_FLAG(eth_mcast);
    CHECK_FLAG(jumbo);
    CHECK_FLAG(vlan);
    CHECK_FLAG(arp);
    CHECK_FLAG(ipv4);
    CHECK_FLAG(ipv6);
    CHECK_FLAG(ip_bcast);
    CHECK_FLAG(ip_mcast);
    CHECK_FLAG(ipfrag);
    CHECK_FLAG(ipopt);
    CHECK_FLAG(ipsec);
    CHECK_FLAG(udp);
    CHECK_FLAG(tcp);
    CHECK_FLAG(sctp);
    CHECK_FLAG(icmp);
    CHECK_FLAG(vlan_qinq);
    odp_packet_has_vlan_qinq_set(pkt, 1);
    CHECK(odp_packet_has_vlan(pkt) && odp_packet_has_vlan_qinq(pkt));
    CHECK(odp_packet_l2_offset_set(pkt, 1) == 0 && odp_packet_l3_offset_set(pkt, 15) == 0);
    CHECK(odp_packet_l4_offset_set(pkt, 99) == 0 && odp_packet_l4_offset_set(pkt, 100) < 0);
    CHECK(odp_packet_l2_offset_set(pkt, 101) < 0 && odp_packet_l3_offset_set(pkt, 1000) < 0);
    CHECK(odp_packet_l2_offset(pkt) == 1 && odp_packet_l3_offset(pkt) == 15 && odp_packet_l4_offset(pkt) == 99);
    CHECK(odp_packet_l3_ptr(pkt, &len) == (uint8_t *)odp_packet_data(pkt) + 15 && len == 85);
    CHECK(odp_packet_l2_ptr(pkt, NULL) == (uint8_t *)odp_packet_data(pkt) + 1);
    CHECK(odp_packet_l4_ptr(pkt, &len) == (uint8_t *)odp_packet_data(pkt) + 99 && len == 1);
    CHECK(odp_packet_push_head(pkt, 10) != NULL && odp_packet_l3_offset(pkt) == 15);
    CHECK(odp_packet_payload_offset_set(pkt, 42) == 0 && odp_packet_payload_offset(pkt) == 42);
    CHECK(odp_packet_payload_offset_set(pkt, ODP_PACKET_OFFSET_INVALID) == 0);
    CHECK(odp_packet_payload_offset(pkt) == ODP_PACKET_OFFSET_INVALID);
    odp_packet_flow_hash_set(pkt, 0);
    CHECK(odp_packet_has_flow_hash(pkt) && odp_packet_flow_hash(pkt) == 0);
    odp_packet_flow_hash_set(pkt, 0xfedcba98);
    CHECK(odp_packet_flow_hash(pkt) == 0xfedcba98);
    odp_packet_color_set(pkt, ODP_PACKET_RED);
    odp_packet_drop_eligible_set(pkt, true);
    odp_packet_shaper_len_adjust_set(pkt, -7);
    odp_packet_t copy = odp_packet_copy(pkt, pool), part = odp_packet_copy_part(pkt, 0, 50, pool);
    CHECK(odp_packet_color(copy) == ODP_PACKET_RED && odp_packet_drop_eligible(copy));
    CHECK(odp_packet_shaper_len_adjust(copy) == -7 && odp_packet_flow_hash(copy) == 0xfedcba98);
    CHECK(odp_packet_l3_offset(copy) == 15 && odp_packet_has_vlan_qinq(copy));
    check_nothing(part);
    odp_packet_has_flow_hash_clr(pkt);
    CHECK(!odp_packet_has_flow_hash(pkt));
    odp_packet_reset_meta(pkt);
    check_nothing(pkt);
    CHECK(odp_packet_reset(copy, 64) == 0);
    check_nothing(copy);
    odp_packet_t all[3] = {pkt, copy, part};
    odp_packet_free_multi(all, 3);
}

static void test_layers(void) {
    struct frame frame = udp_frame("", 0);
    odp_packet_t pkt = parsed(&frame, ODP_PROTO_LAYER_L2, false);
    CHECK(odp_packet_has_l2(pkt) && odp_packet_has_eth(pkt) && !odp_packet_has_udp(pkt));
    CHECK(odp_packet_l2_offset(pkt) == 0 && odp_packet_l3_offset(pkt) == HEADER);
    odp_packet_free(pkt);
    pkt = parsed(&frame, ODP_PROTO_LAYER_L3, false);
    CHECK(odp_packet_has_l3(pkt) && odp_packet_has_ipv4(pkt) && odp_packet_l4_offset(pkt) == HEADER + 20);
    odp_packet_free(pkt);
    pkt = parsed(&frame, ODP_PROTO_LAYER_ALL, true);
    CHECK(odp_packet_has_l4(pkt) && odp_packet_has_udp(pkt) && !odp_packet_has_tcp(pkt) && !odp_packet_has_error(pkt));
    CHECK(odp_packet_l3_chksum_status(pkt) == ODP_PACKET_CHKSUM_OK);
    CHECK(odp_packet_l4_chksum_status(pkt) == ODP_PACKET_CHKSUM_OK);
    CHECK(odp_packet_l2_type(pkt) == ODP_PROTO_L2_TYPE_ETH && odp_packet_l3_type(pkt) == ODP_PROTO_L3_TYPE_IPV4);
    CHECK(odp_packet_l4_type(pkt) == ODP_PROTO_L4_TYPE_UDP);
    odp_packet_parse_result_t one, two, *result[2] = {&one, &two};
    odp_packet_t both[2] = {pkt, pkt};
    odp_packet_parse_result_multi(both, result, 2);
    CHECK(one.flag.has_udp && one.packet_len == frame.len && one.l4_offset == HEADER + 20 &&
          one.flag.all == two.flag.all);
    odp_packet_parse_result(pkt, &two);
    CHECK(two.l3_type == ODP_PROTO_L3_TYPE_IPV4 && two.l4_chksum_status == ODP_PACKET_CHKSUM_OK);
    odp_packet_parse_param_t param = {.proto = ODP_PROTO_IPV4, .last_layer = ODP_PROTO_LAYER_L4};
    uint32_t offset[2] = {HEADER, HEADER};
    CHECK(odp_packet_parse_multi(both, offset, 2, &param) == 2);
    CHECK(odp_packet_l3_offset(pkt) == HEADER && odp_packet_has_udp(pkt));
    odp_packet_free(pkt);
}

static void test_frames(void) {
    struct frame frame = udp_frame("v", 4);
    odp_packet_t pkt = parsed(&frame, ODP_PROTO_LAYER_ALL, true);
    CHECK(odp_packet_has_vlan(pkt) && !odp_packet_has_vlan_qinq(pkt) && odp_packet_l3_offset(pkt) == 18);
    CHECK(odp_packet_has_ipopt(pkt) && odp_packet_has_udp(pkt) && odp_packet_l4_offset(pkt) == 42);
    CHECK(odp_packet_l4_chksum_status(pkt) == ODP_PACKET_CHKSUM_OK);
    odp_packet_free(pkt);
    frame = udp_frame("qv", 0);
    memset(frame.byte, 0xff, 6);
    pkt = parsed(&frame, ODP_PROTO_LAYER_ALL, false);
    CHECK(odp_packet_has_vlan(pkt) && odp_packet_has_vlan_qinq(pkt) && odp_packet_has_udp(pkt));
    CHECK(odp_packet_has_eth_bcast(pkt) && odp_packet_l4_chksum_status(pkt) == ODP_PACKET_CHKSUM_UNKNOWN);
    odp_packet_free(pkt);
    frame = ethernet("", 0x0806);
    frame.byte[0] = 1;
    frame.len += 28;
    pkt = parsed(&frame, ODP_PROTO_LAYER_ALL, false);
    CHECK(odp_packet_has_arp(pkt) && odp_packet_has_eth_mcast(pkt) && !odp_packet_has_ipv4(pkt));
    odp_packet_free(pkt);
    frame = ethernet("", 0x0800);
    ipv4(&frame, 0, 6, 20);
    frame.byte[frame.l4 + 12] = 0x50;
    transport_sum(&frame, 6, 16);
    pkt = parsed(&frame, ODP_PROTO_LAYER_ALL, true);
    CHECK(odp_packet_has_tcp(pkt) && odp_packet_l4_chksum_status(pkt) == ODP_PACKET_CHKSUM_OK);
    odp_packet_free(pkt);
    frame.byte[frame.l4] ^= 1;
    check_bad(&frame, false, true);
    frame.byte[frame.l3 + 8]--;
    check_bad(&frame, true, true);
    frame = ethernet("", 0x0800);
    ipv4(&frame, 0, 1, 8);
    pkt = parsed(&frame, ODP_PROTO_LAYER_ALL, false);
    CHECK(odp_packet_has_icmp(pkt) && odp_packet_l4_type(pkt) == ODP_PROTO_L4_TYPE_ICMPV4);
    odp_packet_free(pkt);
}

static void test_ipv6(void) {
    struct frame frame = ethernet("", 0x86dd);
    ipv6(&frame, 0, 8, 60); /* hop-by-hop options, UDP */
    frame.byte[frame.l3 + 40] = 17;
    frame.byte[frame.l3 + 24] = 0xff;
    put16(frame.byte + frame.l4 + 4, 60);
    transport_sum(&frame, 17, 6);
    odp_packet_t pkt = parsed(&frame, ODP_PROTO_LAYER_ALL, true);
    CHECK(odp_packet_has_ipv6(pkt) && odp_packet_has_ipopt(pkt) && odp_packet_has_ip_mcast(pkt));
    CHECK(odp_packet_has_udp(pkt) && odp_packet_l4_offset(pkt) == HEADER + 48);
    CHECK(odp_packet_l4_chksum_status(pkt) == ODP_PACKET_CHKSUM_OK && !odp_packet_has_error(pkt));
    odp_packet_free(pkt);
    frame = ethernet("", 0x86dd);
    ipv6(&frame, 44, 8, 30); /* a fragment of TCP */
    frame.byte[frame.l3 + 40] = 6;
    put16(frame.byte + frame.l3 + 42, 1);
    frame.byte[frame.l4 + 12] = 0x50;
    pkt = parsed(&frame, ODP_PROTO_LAYER_ALL, false);
    CHECK(odp_packet_has_ipv6(pkt) && odp_packet_has_ipfrag(pkt) && odp_packet_l3_type(pkt) == ODP_PROTO_L3_TYPE_IPV6);
    odp_packet_free(pkt);
    frame = ethernet("", 0x86dd);
    ipv6(&frame, 50, 0, 24);
    pkt = parsed(&frame, ODP_PROTO_LAYER_ALL, false);
    CHECK(odp_packet_has_ipsec(pkt) && odp_packet_l4_type(pkt) == ODP_PROTO_L4_TYPE_ESP);
    odp_packet_free(pkt);
}

static void test_sctp(void) {
    struct frame frame = ethernet("", 0x0800);
    ipv4(&frame, 0, 132, 24);
    uint8_t *sctp = frame.byte + frame.l4;
    uint32_t crc = ~odp_hash_crc32c(sctp, 24, UINT32_MAX);
    for (int i = 0; i < 4; i++)
        sctp[8 + i] = (uint8_t)(crc >> 8 * i);
    odp_packet_t pkt = parsed(&frame, ODP_PROTO_LAYER_ALL, true);
    CHECK(odp_packet_has_sctp(pkt) && odp_packet_l4_chksum_status(pkt) == ODP_PACKET_CHKSUM_OK);
    odp_packet_free(pkt);
    sctp[23]++;
    check_bad(&frame, false, true);
}

static void test_errors(void) {
    struct frame frame = udp_frame("", 0);
    odp_packet_t pkt = packet_of(&frame);
    odp_packet_parse_param_t param = {.proto = ODP_PROTO_NONE, .last_layer = ODP_PROTO_LAYER_ALL};
    CHECK(odp_packet_parse(pkt, 0, &param) < 0);
    param.proto = ODP_PROTO_IPV4;
    CHECK(odp_packet_parse(pkt, frame.len, &param) < 0);
    odp_packet_free(pkt);
    put16(frame.byte + frame.l3 + 2, 200); /* longer than the frame */
    check_bad(&frame, true, false);
    frame = udp_frame("", 0);
    put16(frame.byte + frame.l4 + 4, 7); /* shorter than its header */
    check_bad(&frame, false, false);
}

/* Any bytes, and good frames cut off anywhere: whatever is found lies inside the data. */
static void test_any_bytes(void) {
    const odp_packet_parse_param_t param = {
        .proto = ODP_PROTO_ETH, .last_layer = ODP_PROTO_LAYER_ALL, .chksums.all_chksum = 15};
    uint64_t seed = 7;
    for (int round = 0; round < 4000; round++) {
        struct frame frame = udp_frame(round % 3 == 0 ? "" : round % 3 == 1 ? "v" : "qv", round % 5 * 4u);
        if (round % 4 == 0)
            ipv6(&frame, round % 8 ? 17 : 0, 8, 28), put16(frame.byte + frame.l3 - 2, 0x86dd);
        uint8_t random[3];
        CHECK(odp_random_test_data(random, 3, &seed) == 3);
        frame.byte[random[0] % frame.len] = random[1];
        frame.len = round % 2 ? random[2] % frame.len + 1 : frame.len;
        odp_packet_t pkt = packet_of(&frame);
        if (odp_packet_parse(pkt, 0, &param) == 0 && !odp_packet_has_error(pkt) && odp_packet_has_ipv4(pkt))
            CHECK(odp_packet_l3_offset(pkt) + 20 <= frame.len);
        odp_packet_free(pkt);
    }
}

static odp_pktio_t port_start(const char *name, odp_pktin_queue_t *in, odp_pktout_queue_t *out) {
    odp_pktio_t pktio = odp_pktio_open(name, pool, NULL);
    odp_pktio_capability_t capa;
    CHECK(pktio != ODP_PKTIO_INVALID && odp_pktio_config(pktio, NULL) == 0);
    CHECK(odp_pktio_capability(pktio, &capa) == 0);
    if (capa.set_op.op.promisc_mode)
        CHECK(odp_pktio_promisc_mode_set(pktio, 1) == 0);
    CHECK(odp_pktin_queue_config(pktio, NULL) == 0 && odp_pktout_queue_config(pktio, NULL) == 0);
    CHECK(odp_pktin_queue(pktio, in, 1) == 1 && odp_pktout_queue(pktio, out, 1) == 1 && odp_pktio_start(pktio) == 0);
    return pktio;
}

static void test_received(const char *writer, const char *reader) {
    odp_pktin_queue_t in;
    odp_pktout_queue_t out;
    struct frame frame = udp_frame("v", 0), bad = udp_frame("", 0);
    put16(bad.byte + bad.l3 + 2, 250);
    odp_packet_t sent[3] = {packet_of(&frame), packet_of(&frame), packet_of(&bad)}, pkt[3];
    odp_pktio_t port = port_start(writer, &in, &out);
    CHECK(odp_pktout_send(out, sent, 3) == 3 && odp_pktio_stop(port) == 0 && odp_pktio_close(port) == 0);
    port = port_start(reader, &in, &out);
    int got = 0;
    for (int tries = 0; tries < 1000 && got < 3; tries++)
        got += odp_pktin_recv(in, pkt + got, 3 - got);
    CHECK(got >= 2 && odp_packet_has_udp(pkt[0]) && odp_packet_has_vlan(pkt[0]) && !odp_packet_has_error(pkt[0]));
    CHECK(odp_packet_l3_offset(pkt[0]) == 18 && odp_packet_l4_offset(pkt[0]) == 38);
    CHECK(odp_packet_pull_head(pkt[1], 18) != NULL && odp_packet_push_head(pkt[1], 4) != NULL);
    memset(odp_packet_data(pkt[1]), 0, 4);
    CHECK(odp_packet_l3_offset(pkt[1]) == 18 && odp_packet_has_udp(pkt[1])); /* as it was received */
    odp_packet_t copy = odp_packet_copy(pkt[1], pool);
    CHECK(odp_packet_l3_offset(copy) == 18 && odp_packet_input(copy) == port);
    CHECK(got == 2 || (odp_packet_has_error(pkt[2]) && odp_packet_has_l3_error(pkt[2]))); /* it may be dropped */
    odp_packet_input_set(copy, ODP_PKTIO_INVALID);
    CHECK(odp_packet_has_udp(copy) && odp_packet_input_index(copy) < 0);
    odp_packet_t fresh = odp_packet_alloc(pool, 60);
    odp_packet_input_set(fresh, port);
    check_nothing(fresh);
    odp_packet_free(copy);
    odp_packet_free(fresh);
    odp_packet_free_multi(pkt, got);
    CHECK(odp_pktio_stop(port) == 0 && odp_pktio_close(port) == 0);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    test_begin();
    pool = test_packet_pool(NUM, LEN, 0, 16);
    test_what_is_set();
    test_layers();
    test_frames();
    test_ipv6();
    test_sctp();
    test_errors();
    test_any_bytes();
    test_received(argv[1], argv[2]);
    CHECK(odp_pool_destroy(pool) == 0);
    test_end();
    return 0;
}
