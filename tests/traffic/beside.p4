// Two kinds of frames that want different keys of one table: its number comes from an entry, or from the frame. One that has it
// from the frame comes to a table behind.
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header tag_t {
    bit<16> id;
    bit<16> more;
}

struct headers_t {
    ethernet_t ethernet;
    tag_t      tag;
}

struct metadata_t {
    bit<16> id;
}

parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x88b5: tagged;
            default: accept;
        }
    }
    state tagged {
        packet.extract(hdr.tag);
        transition accept;
    }
}

control NoCheck(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action drop() { mark_to_drop(standard); }
    action number(bit<16> id) { meta.id = id; }
    action forward(bit<9> port) { standard.egress_spec = port; }
    action mark(bit<16> value) { hdr.tag.more = value; }
    table numbers {
        key = { hdr.ethernet.dst: exact; }
        actions = { number; drop; }
        default_action = drop();
        size = 4096;
    }
    table outputs {
        key = { meta.id: exact; }
        actions = { forward; drop; }
        default_action = drop();
        size = 4096;
    }
    table marks {
        key = { hdr.tag.more: exact; }
        actions = { mark; NoAction; }
        size = 4096;
    }
    apply {
        if (hdr.tag.isValid()) {
            meta.id = hdr.tag.id;
        } else {
            numbers.apply();
        }
        if (outputs.apply().hit && hdr.tag.isValid()) {
            marks.apply();
        }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.tag);
    }
}

V1Switch(MyParser(), NoCheck(), MyIngress(), MyEgress(), NoCheck(), MyDeparser()) main;
