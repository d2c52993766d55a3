// What PSA tells of the time and of ports in ingress and egress; nothing else here looks at the time.
#include <core.p4>
#include <psa.p4>

header work_t { bit<8> at_ingress; bit<8> at_egress; bit<8> later; bit<8> port; }

struct headers_t { work_t work; }
struct metadata_t { bit<64> began; }
struct empty_t { }
struct handed_t { bit<64> began; }

parser InParser(packet_in packet, out headers_t hdr, inout metadata_t meta, in psa_ingress_parser_input_metadata_t istd,
                in empty_t resubmitted, in empty_t recirculated) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

control In(inout headers_t hdr, inout metadata_t meta, in psa_ingress_input_metadata_t istd,
           inout psa_ingress_output_metadata_t ostd) {
    apply {
        meta.began = (bit<64>) (TimestampUint_t) istd.ingress_timestamp;
        hdr.work.at_ingress = meta.began != 0 ? 8w1 : 2;
        hdr.work.port = (bit<8>) (PortIdUint_t) istd.ingress_port;
        send_to_port(ostd, (PortId_t) 2);
    }
}

control InDeparser(packet_out packet, out empty_t clone, out empty_t resubmit, out handed_t normal, inout headers_t hdr,
                   in metadata_t meta, in psa_ingress_output_metadata_t istd) {
    apply {
        normal.began = meta.began;
        packet.emit(hdr);
    }
}

parser OutParser(packet_in packet, out headers_t hdr, inout metadata_t meta, in psa_egress_parser_input_metadata_t istd,
                 in handed_t normal, in empty_t first, in empty_t second) {
    state start {
        meta.began = normal.began;
        packet.extract(hdr.work);
        transition accept;
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, in psa_egress_input_metadata_t istd,
            inout psa_egress_output_metadata_t ostd) {
    apply {
        bit<64> now = (bit<64>) (TimestampUint_t) istd.egress_timestamp;
        hdr.work.at_egress = now != 0 ? 8w1 : 2;
        hdr.work.later = now >= meta.began ? 8w1 : 2;
        hdr.work.port = hdr.work.port + ((bit<8>) (PortIdUint_t) istd.egress_port << 4);
    }
}

control OutDeparser(packet_out packet, out empty_t clone, out empty_t recirculate, inout headers_t hdr,
                    in metadata_t meta, in psa_egress_output_metadata_t istd,
                    in psa_egress_deparser_input_metadata_t edstd) {
    apply { packet.emit(hdr); }
}

IngressPipeline(InParser(), In(), InDeparser()) ingress;
EgressPipeline(OutParser(), Out(), OutDeparser()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
