// PSA, where egress does nothing: packets to one port, to groups, and to groups in which the port that recirculates is.
#include <core.p4>
#include <psa.p4>

header tag_t {
    bit<8> to;
    bit<8> number;
    bit<8> rounds;
}

struct headers_t { tag_t tag; }
struct none_t {}

parser InParser(packet_in packet, out headers_t hdr, inout none_t meta, in psa_ingress_parser_input_metadata_t istd,
                in none_t resubmitted, in none_t recirculated) {
    state start {
        packet.extract(hdr.tag);
        transition accept;
    }
}

control In(inout headers_t hdr, inout none_t meta, in psa_ingress_input_metadata_t istd,
           inout psa_ingress_output_metadata_t ostd) {
    action forward(PortId_t port) { send_to_port(ostd, port); }
    action flood(bit<8> group) { multicast(ostd, (MulticastGroup_t) (MulticastGroupUint_t) group); }
    action drop() { ingress_drop(ostd); }
    table where {
        key = {
            hdr.tag.to: exact;
            hdr.tag.rounds: exact;
        }
        actions = { forward; flood; drop; }
        default_action = drop();
        size = 100000;
    }
    apply {
        where.apply();
        if (istd.packet_path == PSA_PacketPath_t.RECIRCULATE) { hdr.tag.rounds = hdr.tag.rounds + 0x10; }
        hdr.tag.rounds = hdr.tag.rounds + 1;
    }
}

control InDeparser(packet_out packet, out none_t clone, out none_t resubmit, out none_t normal, inout headers_t hdr,
                   in none_t meta, in psa_ingress_output_metadata_t istd) {
    apply { packet.emit(hdr); }
}

parser EgParser(packet_in packet, out none_t hdr, inout none_t meta, in psa_egress_parser_input_metadata_t istd,
                in none_t normal, in none_t clone_i2e, in none_t clone_e2e) {
    state start { transition accept; }
}

control Eg(inout none_t hdr, inout none_t meta, in psa_egress_input_metadata_t istd,
           inout psa_egress_output_metadata_t ostd) {
    apply { }
}

control EgDeparser(packet_out packet, out none_t clone, out none_t recirculate, inout none_t hdr, in none_t meta,
                   in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply { }
}

PSA_Switch(IngressPipeline(InParser(), In(), InDeparser()), PacketReplicationEngine(),
           EgressPipeline(EgParser(), Eg(), EgDeparser()), BufferingQueueingEngine()) main;
