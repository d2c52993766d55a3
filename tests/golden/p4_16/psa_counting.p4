// Two pipelines of PSA with metadata that goes from one to the other, a register, and a checksum over two pieces.
#include <core.p4>
#include <psa.p4>

header h_t { bit<8> a; bit<8> b; bit<16> sum; }
struct headers_t { h_t h; }
struct none_t {}
struct seen_t { bit<32> times; h_t before; }

parser IP(packet_in packet, out headers_t hdr, inout none_t meta, in psa_ingress_parser_input_metadata_t istd,
          in none_t resubmitted, in none_t recirculated) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control I(inout headers_t hdr, inout none_t meta, in psa_ingress_input_metadata_t istd,
          inout psa_ingress_output_metadata_t ostd) {
    apply { send_to_port(ostd, istd.ingress_port); }
}

control ID(packet_out packet, out none_t clone, out none_t resubmit, out seen_t normal, inout headers_t hdr,
           in none_t meta, in psa_ingress_output_metadata_t istd) {
    Register<bit<32>, bit<8>>(256, 1) times;
    apply {
        if (psa_normal(istd)) {
            normal.times = times.read(hdr.h.a);
            times.write(hdr.h.a, normal.times + 1);
            normal.before = hdr.h;
        }
        packet.emit(hdr.h);
    }
}

parser EP(packet_in packet, out headers_t hdr, inout none_t meta, in psa_egress_parser_input_metadata_t istd,
          in seen_t normal, in none_t first, in none_t second) {
    InternetChecksum() sum;
    state start {
        sum.add(normal.before);
        sum.add(normal.times);
        packet.extract(hdr.h);
        hdr.h.sum = sum.get();
        transition accept;
    }
}

control E(inout headers_t hdr, inout none_t meta, in psa_egress_input_metadata_t istd,
          inout psa_egress_output_metadata_t ostd) {
    DirectMeter(PSA_MeterType_t.BYTES) meter;
    action limit() { ostd.drop = meter.execute() == PSA_MeterColor_t.RED; }
    table limits {
        key = { hdr.h.b: exact; }
        actions = { limit; NoAction; }
        psa_direct_meter = meter;
    }
    apply { limits.apply(); }
}

control ED(packet_out packet, out none_t clone, out none_t again, inout headers_t hdr, in none_t meta,
           in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply { packet.emit(hdr.h); }
}

IngressPipeline(IP(), I(), ID()) ingress;
EgressPipeline(EP(), E(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
