/* Registers that packets only add to: small and large ones, of several widths, from ingress and egress, in arms of branches. */
#include <core.p4>
#include <v1model.p4>

header work_t {
    bit<32> place;
    bit<32> value;
}

struct headers_t {
    work_t work;
}

struct meta_t {
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) {
    apply {
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<8>>(16) bytes;
    register<bit<32>>(100000) sums;
    register<bit<64>>(100000) long;

    apply {
        bit<8> small;
        bit<32> sum;
        bit<64> wide;
        sm.egress_spec = 1;
        if (hdr.work.value[31:31] == 0) {
            bytes.read(small, hdr.work.place);
            bytes.write(hdr.work.place, small + (bit<8>)hdr.work.value);
        }
        if (hdr.work.value[30:30] == 0) {
            sums.read(sum, hdr.work.place);
            sums.write(hdr.work.place, sum + hdr.work.value);
        } else {
            sums.read(sum, 7);
            sums.write(7, sum - 1);
        }
        if (hdr.work.value[29:29] == 0) {
            long.read(wide, hdr.work.place);
            long.write(hdr.work.place, wide + 0x100000001);
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<16>>(4) leaving;

    apply {
        bit<16> left;
        leaving.read(left, (bit<32>)sm.egress_port);
        leaving.write((bit<32>)sm.egress_port, left + 0x8001);
    }
}

control C(inout headers_t hdr, inout meta_t meta) {
    apply {
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.work);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
