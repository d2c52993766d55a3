// PSA, where what becomes of a packet is known on some ways before the decision: dropped at once, to one port, to a group.
#include <core.p4>
#include <psa.p4>

header tag_t {
    bit<8> kind;
    bit<8> to;
    bit<8> seen;
}

struct headers_t { tag_t tag; }
struct meta_t { bit<8> mark; }
struct none_t {}

parser InParser(packet_in packet, out headers_t hdr, inout meta_t meta, in psa_ingress_parser_input_metadata_t istd,
                in none_t resubmitted, in none_t recirculated) {
    state start {
        packet.extract(hdr.tag);
        transition accept;
    }
}

control In(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd,
           inout psa_ingress_output_metadata_t ostd) {
    action forward(PortId_t port) { send_to_port(ostd, port); }
    action drop() { ingress_drop(ostd); }
    table where {
        key = {
            hdr.tag.to: exact;
            hdr.tag.seen: exact;
        }
        actions = { forward; drop; }
        default_action = drop();
        size = 100000;
    }
    apply {
        meta.mark = 0x40;
        if (!hdr.tag.isValid() || hdr.tag.kind == 0) {
            meta.mark = 0x41;
            ingress_drop(ostd);
        } else if (hdr.tag.kind == 1) {
            send_to_port(ostd, (PortId_t) 32w1);
        } else if (hdr.tag.kind == 2) {
            multicast(ostd, (MulticastGroup_t) 32w1);
        } else {
            where.apply();
            meta.mark = 0x42;
        }
    }
}

control InDeparser(packet_out packet, out none_t clone, out none_t resubmit, out meta_t normal, inout headers_t hdr,
                   in meta_t meta, in psa_ingress_output_metadata_t istd) {
    apply {
        if (psa_normal(istd)) { normal = meta; }
        if (meta.mark != 0) { packet.emit(hdr.tag); }
    }
}

parser EgParser(packet_in packet, out headers_t hdr, inout meta_t meta, in psa_egress_parser_input_metadata_t istd,
                in meta_t normal, in none_t clone_i2e, in none_t clone_e2e) {
    state start {
        meta = normal;
        packet.extract(hdr.tag);
        transition accept;
    }
}

control Eg(inout headers_t hdr, inout meta_t meta, in psa_egress_input_metadata_t istd,
           inout psa_egress_output_metadata_t ostd) {
    action mark(bit<8> by) { hdr.tag.seen = by; }
    table of_port {
        key = { istd.egress_port: exact; }
        actions = { mark; NoAction; }
        size = 100000;
    }
    apply {
        hdr.tag.seen = meta.mark;
        if (hdr.tag.to == 0xdd) {
            egress_drop(ostd);
        } else {
            of_port.apply();
        }
    }
}

control EgDeparser(packet_out packet, out none_t clone, out none_t recirculate, inout headers_t hdr, in meta_t meta,
                   in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply { packet.emit(hdr); }
}

PSA_Switch(IngressPipeline(InParser(), In(), InDeparser()), PacketReplicationEngine(),
           EgressPipeline(EgParser(), Eg(), EgDeparser()), BufferingQueueingEngine()) main;
