// Headers and values: stacks, varbits, headers that come and go, checksums, numbers of all widths, places known at run time.
#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
header tag_t      { bit<3> class; bit<1> drop; bit<12> id; bit<16> type; }
header label_t    { bit<20> value; bit<3> class; bit<1> bottom; bit<8> ttl; }
header ipv4_t {
    bit<4> version; bit<4> ihl; bit<8> tos; bit<16> length; bit<16> id; bit<3> flags; bit<13> fragment; bit<8> ttl;
    bit<8> protocol; bit<16> sum; bit<32> src; bit<32> dst; varbit<320> options;
}
header ports_t { int<16> src; bit<16> dst; bit<96> wide; }

struct headers_t  { ethernet_t ethernet; tag_t outer; tag_t tag; label_t[4] labels; ipv4_t ipv4; ports_t ports; }
struct metadata_t { bit<8> depth; bool routed; bit<72> key; bit<16> ahead; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) { 0x8100: tag; 0x8847: labels; 0x0800: ipv4; default: accept; }
    }
    state tag {
        packet.extract(hdr.tag);
        transition select(hdr.tag.type, hdr.tag.id) { (0x0800, 1 .. 100): ipv4; (0x8847, _): labels; (_, _): accept; }
    }
    state labels {
        packet.extract(hdr.labels.next);
        meta.depth = meta.depth + 1;
        transition select(hdr.labels.last.bottom) { 1: under; default: labels; }
    }
    state under {
        transition select(packet.lookahead<bit<4>>()) { 4: ipv4; default: accept; }
    }
    state ipv4 {
        bit<8> first = packet.lookahead<bit<8>>();
        verify(first[3:0] >= 5, error.HeaderTooShort);
        packet.extract(hdr.ipv4, (bit<32>) (first[3:0] - 5) * 32);
        transition select(hdr.ipv4.fragment, hdr.ipv4.protocol) { (0, 17): ports; (0, 6): ports; (0, 50): skip; default: accept; }
    }
    state skip { packet.advance(64); meta.ahead = packet.lookahead<bit<16>>(); transition accept; }
    state ports { packet.extract(hdr.ports); transition accept; }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags, hdr.ipv4.fragment,
              hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.options },
            hdr.ipv4.sum, HashAlgorithm.csum16);
    }
}

control C(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags, hdr.ipv4.fragment,
              hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.options },
            hdr.ipv4.sum, HashAlgorithm.csum16);
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action drop() { mark_to_drop(std); }
    action route(bit<9> port, bit<48> dst) {
        std.egress_spec = port;
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = dst;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        meta.routed = true;
    }
    table routes {
        key = { hdr.ipv4.dst: lpm; }
        actions = { route; drop; }
        default_action = drop();
        size = 1 << 20;
    }
    table wide {
        key = { meta.key: exact; hdr.ports.dst: exact; meta.routed: exact; }
        actions = { drop; NoAction; }
        default_action = NoAction();
        size = 1 << 16;
    }
    apply {
        if (std.parser_error != error.NoError || std.checksum_error == 1) { drop(); return; }
        if (hdr.ipv4.isValid() && hdr.ipv4.ttl > 1) { routes.apply(); } else { std.egress_spec = 2; }
        meta.key = hdr.ethernet.dst[39:0] ++ hdr.ipv4.src;
        wide.apply();
        if (hdr.labels[0].isValid()) {
            hdr.labels[0].ttl = hdr.labels[0].ttl |-| 1;
            hdr.labels[(bit<2>) meta.depth].value = hdr.labels[1].value + 5;
            if (hdr.labels[0].class == 3) { hdr.labels.pop_front(1); }
            else if (hdr.labels[0].class == 4) { hdr.labels.push_front(1); hdr.labels[0].setValid(); hdr.labels[0] = { 7, 1, 0, 64 }; }
        }
        if (hdr.tag.isValid()) {
            hdr.outer = hdr.tag;
            hdr.outer.id = hdr.tag.id ^ 0xfff;
            if (hdr.tag.class == 7) { hdr.tag.setInvalid(); }
        }
        if (hdr.ports.isValid()) {
            int<16> port = hdr.ports.src;
            hdr.ports.src = port < 0 ? -port : (port >> 2) * 3;
            hdr.ports.dst[7:0] = hdr.ports.dst[15:8] & (bit<8>) ~hdr.ports.wide[95:88];
            hdr.ports.wide = (hdr.ports.wide << hdr.ipv4.tos) + (bit<96>) hdr.ipv4.id - 1;
        } else if (meta.ahead == 0x0102) {
            hdr.ports.setValid();
            hdr.ports = { -1, meta.ahead, 96w1 << 80 };
        }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) { apply { } }

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.outer);
        packet.emit(hdr.tag);
        packet.emit(hdr.labels);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
