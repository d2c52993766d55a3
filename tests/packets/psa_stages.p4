// Tables in both pipelines of PSA, and what they know of each other: metadata and a whole header go along with a packet,
// fields that nobody looks at included. Ingress takes the label off, egress finds it in the metadata and may put it back.
#include <core.p4>
#include <psa.p4>

header frame_t {
    bit<16> to;
    bit<16> from;
    bit<8>  kind;
}

header label_t {
    bit<20> value;
    bit<4>  rest;
    bit<16> unread;
}

struct headers_t { frame_t frame; label_t label; label_t second; }
struct in_meta_t { bit<8> class; bit<8> seen; }
struct out_meta_t { bit<8> class; bit<8> what; }
struct along_t { bit<8> class; label_t label; }
struct none_t {}

parser InParser(packet_in packet, out headers_t hdr, inout in_meta_t meta, in psa_ingress_parser_input_metadata_t istd,
                in along_t resubmitted, in along_t recirculated) {
    state start {
        // what has been passed on twice counts, not the value of the first pass
        meta.seen = resubmitted.class + recirculated.class;
        packet.extract(hdr.frame);
        transition select(hdr.frame.kind) {
            1: one;
            2: two;
            default: accept;
        }
    }
    state two {
        packet.extract(hdr.second);
        transition one;
    }
    state one {
        packet.extract(hdr.label);
        transition accept;
    }
}

control In(inout headers_t hdr, inout in_meta_t meta, in psa_ingress_input_metadata_t istd,
           inout psa_ingress_output_metadata_t ostd) {
    Counter<bit<32>, bit<8>>(8, PSA_CounterType_t.PACKETS) classes;
    Register<bit<16>, bit<8>>(4, 100) last;

    action to_port(PortId_t port) { send_to_port(ostd, port); }
    action to_group(MulticastGroup_t group) { multicast(ostd, group); }
    action again() { ostd.resubmit = meta.seen == 0; to_port((PortId_t) 3); }
    action drop() { ingress_drop(ostd); }
    action classify(bit<8> class) { meta.class = class; }

    table who {
        key = { hdr.frame.from: exact; }
        actions = { classify; NoAction; }
    }
    table where {
        key = { hdr.frame.to: lpm; }
        actions = { to_port; to_group; again; drop; }
        default_action = drop();
    }
    table what {
        key = { meta.class: ternary; hdr.label.value: ternary; hdr.label.isValid(): exact; }
        actions = { classify; NoAction; }
    }
    apply {
        who.apply();
        if (where.apply().hit) { what.apply(); }
        classes.count(meta.class);
        if (meta.class == 7) {
            hdr.frame.from = last.read(1);
            last.write(1, hdr.frame.to);
        }
    }
}

control InDeparser(packet_out packet, out none_t clone, out along_t resubmit, out along_t normal, inout headers_t hdr,
                   in in_meta_t meta, in psa_ingress_output_metadata_t istd) {
    apply {
        resubmit.class = 0x10;
        normal.class = meta.class + meta.seen;
        normal.label = hdr.label;
        packet.emit(hdr.frame);
        packet.emit(hdr.second);
    }
}

parser OutParser(packet_in packet, out headers_t hdr, inout out_meta_t meta, in psa_egress_parser_input_metadata_t istd,
                 in along_t normal, in none_t first, in none_t second) {
    state start {
        meta.class = normal.class;
        hdr.label = normal.label;
        packet.extract(hdr.frame);
        transition select(hdr.frame.kind) {
            2: two;
            default: accept;
        }
    }
    state two {
        packet.extract(hdr.second);
        transition accept;
    }
}

control Out(inout headers_t hdr, inout out_meta_t meta, in psa_egress_input_metadata_t istd,
            inout psa_egress_output_metadata_t ostd) {
    DirectCounter<bit<32>>(PSA_CounterType_t.BYTES) used;
    Register<bit<8>, bit<8>>(2) count;

    action keep() { used.count(); }
    action strip() { hdr.label.setInvalid(); used.count(); }
    action swap() {
        label_t old = hdr.label;
        hdr.label = hdr.second;
        hdr.second = old;
    }
    action drop() { egress_drop(ostd); }
    action mark(bit<8> by) { hdr.frame.kind = by; }

    table treat {
        key = { meta.class: exact; }
        actions = { keep; strip; swap; drop; NoAction; }
        psa_direct_counter = used;
    }
    table port {
        key = { istd.egress_port: exact; meta.what: exact; }
        actions = { mark; NoAction; }
    }
    apply {
        switch (treat.apply().action_run) {
            swap: { meta.what = 1; }
            default: { meta.what = hdr.label.isValid() ? 8w2 : 0; }
        }
        port.apply();
        if (meta.class == 8) {
            bit<8> n = count.read(0);
            count.write(0, n + 1);
            hdr.frame.kind = n;
        }
    }
}

control OutDeparser(packet_out packet, out none_t clone, out along_t again, inout headers_t hdr, in out_meta_t meta,
                    in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply {
        again.class = 0x20;
        packet.emit(hdr.frame);
        packet.emit(hdr.second);
        packet.emit(hdr.label);
    }
}

IngressPipeline(InParser(), In(), InDeparser()) ingress;
EgressPipeline(OutParser(), Out(), OutDeparser()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
