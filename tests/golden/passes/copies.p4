// What is known of temporaries and constants, and where it ends: writes, tables, branches.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<16> c;
    bit<32> d;
}

struct headers_t {
    data_t data;
}

struct metadata_t {
    bit<8> small;
    bit<16> wide;
    bool flag;
    int<8> level;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.data);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action set(bit<8> value) {
        meta.small = value;
        standard.egress_spec = 1;
    }
    table choose {
        key = {
            hdr.data.a: exact;
        }
        actions = {
            set;
            NoAction;
        }
        default_action = NoAction();
    }

    apply {
        bit<8> old = hdr.data.a;
        bit<8> again = old;
        hdr.data.b = again + 1;
        hdr.data.a = 7;
        hdr.data.c = (bit<16>)hdr.data.a;
        meta.small = 5;
        if (hdr.data.d == 0) {
            hdr.data.d = (bit<32>)meta.small;
            meta.small = 6;
        }
        meta.wide = (bit<16>)meta.small;
        meta.small = 9;
        choose.apply();
        bit<8> later = meta.small;
        hdr.data.b = later + old;
        bit<16> zero;
        standard.egress_spec = (bit<9>)(zero + meta.wide);
        if (choose.apply().hit) {
            meta.flag = true;
        }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.data);
    }
}

V1Switch(P(), Verify(), I(), E(), Compute(), D()) main;
