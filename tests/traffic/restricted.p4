// Tables of each match kind, with rules for their entries.
#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
header ipv4_t {
    bit<4> version; bit<4> ihl; bit<8> tos; bit<16> length; bit<16> id; bit<3> flags; bit<13> offset; bit<8> ttl;
    bit<8> protocol; bit<16> checksum; bit<32> src; bit<32> dst;
}
struct headers_t { ethernet_t ethernet; ipv4_t ipv4; }
struct metadata_t { }

parser P(packet_in packet, out headers_t h, inout metadata_t m, inout standard_metadata_t s) {
    state start {
        packet.extract(h.ethernet);
        transition select(h.ethernet.type) {
            0x0800: ipv4;
            default: accept;
        }
    }
    state ipv4 { packet.extract(h.ipv4); transition accept; }
}
control V(inout headers_t h, inout metadata_t m) { apply { } }
control I(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) {
    action send(bit<9> port) { s.egress_spec = port; }
    action mark(bit<8> tos) { h.ipv4.tos = tos; }

    @entry_restriction("
        // an entry is for IPv4, and says so in one way
        is_ip::mask != 0 -> is_ipv4::mask == 0;
        is_ipv4::mask != 0 -> (is_ip::mask == 0 && is_ipv4 == 1);
        ttl::mask != 0 -> is_ip == 1 || is_ipv4 == 1;
        protocol::mask == 0 || protocol::mask == -1;
    ")
    table acl {
        key = {
            h.ipv4.isValid(): optional @name("is_ip");
            h.ipv4.isValid(): optional @name("is_ipv4");
            h.ipv4.ttl: ternary @name("ttl");
            h.ipv4.protocol: ternary @name("protocol");
            h.ethernet.src: ternary @name("source");
        }
        actions = { mark; NoAction; }
        default_action = NoAction;
        size = 512;
    }
    @entry_restriction("low::low < 0x8000; ::priority > 0")
    table ranges {
        key = { h.ipv4.id: range @name("low"); }
        actions = { mark; NoAction; }
        default_action = NoAction;
        size = 512;
    }
    @entry_restriction("to::prefix_length >= 12; /* not the first half */ to::value >= 0x80000000")
    table routes {
        key = { h.ipv4.dst: lpm @name("to"); }
        actions = { send; NoAction; }
        default_action = NoAction;
        size = 512;
    }
    @entry_restriction("tos != 0 && !(tos == 7 || tos == 0x1f)")
    table classes {
        key = { h.ipv4.tos: exact @name("tos"); }
        actions = { NoAction; }
        size = 256;
    }
    apply {
        if (h.ipv4.isValid()) {
            classes.apply();
            ranges.apply();
            acl.apply();
            routes.apply();
        }
    }
}
control E(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) { apply { } }
control C(inout headers_t h, inout metadata_t m) { apply { } }
control D(packet_out packet, in headers_t h) { apply { packet.emit(h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
