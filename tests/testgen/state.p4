#include <core.p4>
#include <v1model.p4>

/* What packets before this one have left: a register's cell, a meter's colour, and when the last packet came. */

header h_t {
    bit<8>  cell;
    bit<32> value;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
    bit<2> colour;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<32>>(256) seen;
    register<bit<48>>(1) last;
    meter(16, MeterType.packets) rates;
    apply {
        bit<32> before;
        bit<48> then;
        seen.read(before, (bit<32>)hdr.h.cell);
        if (before == 0xdeadbeef && hdr.h.cell > 3) {
            standard.egress_spec = 2;
        } else if (before > hdr.h.value) {
            standard.egress_spec = 3;
        }
        seen.write((bit<32>)hdr.h.cell, hdr.h.value);
        rates.execute_meter((bit<32>)hdr.h.cell, meta.colour);
        if (meta.colour == 2) {
            mark_to_drop(standard);
        } else if (meta.colour == 1) {
            hdr.h.cell = 0xff;
        }
        last.read(then, 0);
        if (standard.ingress_global_timestamp - then < 60000000) {
            hdr.h.value = 0;
        }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.h);
    }
}

V1Switch(P(), Verify(), MyIngress(), MyEgress(), Compute(), MyDeparser()) main;
