#include <core.p4>
#include <psa.p4>
struct none_t { }
parser IP(packet_in packet, out none_t hdr, inout none_t meta, in psa_ingress_parser_input_metadata_t istd, in none_t again,
          in none_t around) { state start { transition accept; } }
control I(inout none_t hdr, inout none_t meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {
    Counter<bit<32>, bit<8>>(2147483648, PSA_CounterType_t.PACKETS) counts;
    Meter<bit<8>>(2147483648, PSA_MeterType_t.PACKETS) rates;
    Register<bit<32>, bit<8>>(2147483648) numbers;
    Register<bit<32>, bit<8>>(0) nothing;
    ActionProfile(2147483648) members;
    ActionSelector(PSA_HashAlgorithm_t.CRC16, 2147483648, 16) chosen;
    apply { }
}
control ID(packet_out packet, out none_t clone, out none_t again, out none_t normal, inout none_t hdr, in none_t meta,
           in psa_ingress_output_metadata_t istd) { apply { } }
parser EP(packet_in packet, out none_t hdr, inout none_t meta, in psa_egress_parser_input_metadata_t istd, in none_t normal,
          in none_t i2e, in none_t e2e) { state start { transition accept; } }
control E(inout none_t hdr, inout none_t meta, in psa_egress_input_metadata_t istd, inout psa_egress_output_metadata_t ostd) {
    apply { }
}
control ED(packet_out packet, out none_t clone, out none_t around, inout none_t hdr, in none_t meta,
           in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) { apply { } }
IngressPipeline(IP(), I(), ID()) ip;
EgressPipeline(EP(), E(), ED()) ep;
PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;
