// Branches with constant conditions, early ends, switches and selects that are decided.
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
        transition select(8w4 ++ hdr.data.a, 8w3) {
            (_, 4): reject;
            (16w0x0401 &&& 16w0xffff, 3): one;
            (16w0x0401, 3): two;
            (16w0 .. 16w0xffff, 0 .. 255): two;
            default: three;
        }
    }
    state one {
        transition select(8w9) {
            0 .. 8: reject;
            9: accept;
            default: two;
        }
    }
    state two {
        verify(true, error.NoMatch);
        transition select(hdr.data.b) {
            0 &&& 0: accept;
            1: three;
        }
    }
    state three {
        meta.wide = 1;
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
        meta.small = 2;
        if (meta.small > 1) {
            hdr.data.a = 1;
        } else {
            hdr.data.a = 2;
        }
        if (hdr.data.b == 1) {
        } else {
            hdr.data.b = 3;
        }
        switch (choose.apply().action_run) {
            set: {
                hdr.data.c = 1;
            }
            NoAction: {
            }
            default: {
                hdr.data.c = 2;
            }
        }
        if (hdr.data.d == 5) {
            if (meta.flag) {
                return;
            }
            hdr.data.d = 6;
            return;
            hdr.data.d = 7;
        }
        hdr.data.d = hdr.data.d + 1;
        exit;
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
