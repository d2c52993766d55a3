// Multicast: ingress and egress are functions of their own, and what egress reads is kept with the packet.
#include <core.p4>
#include <v1model.p4>

header tag_t { bit<8> group; bit<8> hops; bit<16> replica; }

struct headers_t  { tag_t tag; }
struct metadata_t { bit<8> weight; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.tag);
        verify(hdr.tag.hops != 0, error.NoMatch);
        transition accept;
    }
}

control NoVerify(inout headers_t hdr, inout metadata_t meta) { apply { } }
control NoCompute(inout headers_t hdr, inout metadata_t meta) { apply { } }

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action spread(bit<16> group, bit<8> weight) { std.mcast_grp = group; meta.weight = weight; }
    action drop() { mark_to_drop(std); }
    table groups {
        key = { hdr.tag.group: lpm; }
        actions = { spread; drop; }
        default_action = drop();
    }
    apply {
        if (std.parser_error != error.NoError) { drop(); return; }
        groups.apply();
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        hdr.tag.hops = hdr.tag.hops - 1;
        hdr.tag.replica = std.egress_rid + (bit<16>)meta.weight;
        if (std.egress_port == std.ingress_port) { mark_to_drop(std); }
    }
}

control Emit(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), NoVerify(), I(), E(), NoCompute(), Emit()) main;
