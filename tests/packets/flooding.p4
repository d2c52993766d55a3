// Packets to one port and packets to groups, side by side: what egress writes goes with the state that ingress left.
// With WIDE the state is so large that it is not on the stack.
#include <core.p4>
#include <v1model.p4>

header tag_t {
    bit<8>  to;
    bit<8>  number;
    bit<16> seen;
}

#ifdef WIDE
header wide_t { bit<9600> value; }
#else
header wide_t { bit<8> value; }
#endif

struct headers_t { tag_t tag; wide_t wide; }
struct metadata_t { bit<8> ways; wide_t before; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.tag);
        packet.extract(hdr.wide);
        transition accept;
    }
}

control NoVerify(inout headers_t hdr, inout metadata_t meta) { apply { } }
control NoCompute(inout headers_t hdr, inout metadata_t meta) { apply { } }

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action forward(bit<9> port) { std.egress_spec = port; meta.ways = 1; }
    action flood(bit<16> group, bit<8> ways) { std.mcast_grp = group; meta.ways = ways; }
    action drop() { mark_to_drop(std); }
    table where {
        key = { hdr.tag.to: exact; }
        actions = { forward; flood; drop; }
        default_action = drop();
        size = 100000;
    }
    apply {
        meta.before = hdr.wide;
        if (std.parser_error == error.NoError && where.apply().hit) {
            hdr.wide.value = hdr.wide.value + 1;
        }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(4, CounterType.packets) copies;
    apply {
        hdr.tag.seen = std.egress_rid << 8 | (bit<16>) meta.ways;
        if (meta.before.value == hdr.wide.value) { hdr.tag.to = 0xff; }
        copies.count((bit<32>) std.egress_rid);
        if (std.egress_port == std.ingress_port) { mark_to_drop(std); }
    }
}

control Emit(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), NoVerify(), I(), E(), NoCompute(), Emit()) main;
