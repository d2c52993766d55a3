/* Registers whose elements are of all types that have a size. */
#include <core.p4>
#include <psa.p4>

enum bit<4> kind_t { ONE = 1, TWO = 2 }
@p4runtime_translation("example.org/Name", string)
@p4runtime_translation_mappings({{"gold", 7}, {"silver", 8}})
type bit<16> name_t;
header label_t { bit<8> a; bit<3> b; bit<13> c; }
struct inner_t { bit<16> number; kind_t kind; }
struct pair_t { bit<8> first; bool second; inner_t inner; }
header probe_t { bit<8> index; bit<8> first; bit<8> second; bit<16> number; bit<8> kind; bit<16> rest; }
struct headers_t { probe_t probe; }
struct none_t { }

parser InParser(packet_in packet, out headers_t hdr, inout none_t meta, in psa_ingress_parser_input_metadata_t istd,
                in none_t resubmitted, in none_t recirculated) {
    state start { packet.extract(hdr.probe); transition accept; }
}
control In(inout headers_t hdr, inout none_t meta, in psa_ingress_input_metadata_t istd,
           inout psa_ingress_output_metadata_t ostd) {
    Register<pair_t, bit<8>>(2) pairs;
    Register<tuple<bit<8>, bit<16>>, bit<8>>(2) tuples;
    Register<label_t, bit<8>>(2) headers;
    Register<label_t[2], bit<8>>(2) stacks;
    Register<bool, bit<8>>(2) bools;
    Register<kind_t, bit<8>>(2) enums;
    Register<name_t, bit<8>>(2) names;
    Register<bit<40>, bit<8>>(3, 0x1234567890) begun;
    apply {
        pair_t pair = pairs.read(1);
        hdr.probe.first = pair.first;
        hdr.probe.second = pair.second ? 8w1 : 0;
        hdr.probe.number = pair.inner.number;
        hdr.probe.kind = (bit<8>) (bit<4>) pair.inner.kind;
        pair.inner.number = pair.inner.number + 1;
        pairs.write(1, pair);
        send_to_port(ostd, (PortId_t) 0);
    }
}
control InDeparser(packet_out packet, out none_t clone, out none_t resubmit, out none_t normal, inout headers_t hdr,
                   in none_t meta, in psa_ingress_output_metadata_t istd) {
    apply { packet.emit(hdr.probe); }
}
parser OutParser(packet_in packet, out none_t hdr, inout none_t meta, in psa_egress_parser_input_metadata_t istd,
                 in none_t normal, in none_t first, in none_t second) {
    state start { transition accept; }
}
control Out(inout none_t hdr, inout none_t meta, in psa_egress_input_metadata_t istd,
            inout psa_egress_output_metadata_t ostd) { apply { } }
control OutDeparser(packet_out packet, out none_t clone, out none_t again, inout none_t hdr, in none_t meta,
                    in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) { apply { } }

IngressPipeline(InParser(), In(), InDeparser()) ingress;
EgressPipeline(OutParser(), Out(), OutDeparser()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
