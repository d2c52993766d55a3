// Headers that are received where they are valid, as only extracts and copies of such headers make them so. A copy of one that
// was not received takes that away. And more live values than small programs have.
#include <core.p4>
#include <v1model.p4>

header mark_t {
    bit<8> way;
    bit<8> sum;
    bit<8> total;
    bit<8> values;
}

header fields_t {
    bit<8> f0;
    bit<8> f1;
    bit<8> f2;
    bit<8> f3;
    bit<8> f4;
    bit<8> f5;
    bit<8> f6;
    bit<8> f7;
    bit<8> f8;
    bit<8> f9;
    bit<8> f10;
    bit<8> f11;
    bit<8> f12;
    bit<8> f13;
    bit<8> f14;
    bit<8> f15;
}

struct headers_t {
    mark_t mark;
    fields_t first;
    fields_t second;
}

struct meta_t {
    bit<8> way;
    bit<8> m0;
    bit<8> m1;
    bit<8> m2;
    bit<8> m3;
    bit<8> m4;
    bit<8> m5;
    bit<8> m6;
    bit<8> m7;
    bit<8> m8;
    bit<8> m9;
    bit<8> m10;
    bit<8> m11;
    bit<8> m12;
    bit<8> m13;
    bit<8> m14;
    bit<8> m15;
    bit<8> m16;
    bit<8> m17;
    bit<8> m18;
    bit<8> m19;
    bit<8> m20;
    bit<8> m21;
    bit<8> m22;
    bit<8> m23;
    bit<8> m24;
    bit<8> m25;
    bit<8> m26;
    bit<8> m27;
    bit<8> m28;
    bit<8> m29;
    bit<8> m30;
    bit<8> m31;
    bit<8> m32;
    bit<8> m33;
    bit<8> m34;
    bit<8> m35;
    bit<8> m36;
    bit<8> m37;
    bit<8> m38;
    bit<8> m39;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.mark);
        transition select(hdr.mark.way & 3) {
            1: first;
            2: second;
            3: both;
            default: accept;
        }
    }
    state both {
        packet.extract(hdr.second);
        transition first;
    }
    state first {
        packet.extract(hdr.first);
        transition accept;
    }
    state second {
        packet.extract(hdr.second);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action note(bit<8> way) { meta.way = way; }
    action replace() { hdr.second = hdr.first; }
    action none() { }
    table ways {
        key = { hdr.mark.way: exact; hdr.first.f0: exact; hdr.first.f1: exact; hdr.second.f2: exact; }
        actions = { note; none; }
        default_action = none();
        size = 100000;
    }
    table replaces {
        key = { hdr.mark.way: exact; hdr.first.f1: exact; hdr.first.f3: exact; hdr.second.f4: exact; }
        actions = { replace; none; }
        default_action = none();
        size = 100000;
    }
    apply {
        sm.egress_spec = 1;
        meta.m0 = hdr.mark.way ^ 0;
        meta.m1 = hdr.mark.way ^ 1;
        meta.m2 = hdr.mark.way ^ 2;
        meta.m3 = hdr.mark.way ^ 3;
        meta.m4 = hdr.mark.way ^ 4;
        meta.m5 = hdr.mark.way ^ 5;
        meta.m6 = hdr.mark.way ^ 6;
        meta.m7 = hdr.mark.way ^ 7;
        meta.m8 = hdr.mark.way ^ 8;
        meta.m9 = hdr.mark.way ^ 9;
        meta.m10 = hdr.mark.way ^ 10;
        meta.m11 = hdr.mark.way ^ 11;
        meta.m12 = hdr.mark.way ^ 12;
        meta.m13 = hdr.mark.way ^ 13;
        meta.m14 = hdr.mark.way ^ 14;
        meta.m15 = hdr.mark.way ^ 15;
        meta.m16 = hdr.mark.way ^ 16;
        meta.m17 = hdr.mark.way ^ 17;
        meta.m18 = hdr.mark.way ^ 18;
        meta.m19 = hdr.mark.way ^ 19;
        meta.m20 = hdr.mark.way ^ 20;
        meta.m21 = hdr.mark.way ^ 21;
        meta.m22 = hdr.mark.way ^ 22;
        meta.m23 = hdr.mark.way ^ 23;
        meta.m24 = hdr.mark.way ^ 24;
        meta.m25 = hdr.mark.way ^ 25;
        meta.m26 = hdr.mark.way ^ 26;
        meta.m27 = hdr.mark.way ^ 27;
        meta.m28 = hdr.mark.way ^ 28;
        meta.m29 = hdr.mark.way ^ 29;
        meta.m30 = hdr.mark.way ^ 30;
        meta.m31 = hdr.mark.way ^ 31;
        meta.m32 = hdr.mark.way ^ 32;
        meta.m33 = hdr.mark.way ^ 33;
        meta.m34 = hdr.mark.way ^ 34;
        meta.m35 = hdr.mark.way ^ 35;
        meta.m36 = hdr.mark.way ^ 36;
        meta.m37 = hdr.mark.way ^ 37;
        meta.m38 = hdr.mark.way ^ 38;
        meta.m39 = hdr.mark.way ^ 39;
        ways.apply();
        hdr.mark.total = hdr.first.f0 + hdr.first.f1 + hdr.first.f2 + hdr.first.f3 + hdr.first.f4 + hdr.first.f5 + hdr.first.f6 + hdr.first.f7 + hdr.first.f8 + hdr.first.f9 + hdr.first.f10 + hdr.first.f11 + hdr.first.f12 + hdr.first.f13 + hdr.first.f14 + hdr.first.f15
            + hdr.second.f0 + hdr.second.f1 + hdr.second.f2 + hdr.second.f3 + hdr.second.f4 + hdr.second.f5 + hdr.second.f6 + hdr.second.f7 + hdr.second.f8 + hdr.second.f9 + hdr.second.f10 + hdr.second.f11 + hdr.second.f12 + hdr.second.f13 + hdr.second.f14 + hdr.second.f15;
        hdr.mark.values = meta.m0 + meta.m1 + meta.m2 + meta.m3 + meta.m4 + meta.m5 + meta.m6 + meta.m7 + meta.m8 + meta.m9
            + meta.m10 + meta.m11 + meta.m12 + meta.m13 + meta.m14 + meta.m15 + meta.m16 + meta.m17 + meta.m18 + meta.m19
            + meta.m20 + meta.m21 + meta.m22 + meta.m23 + meta.m24 + meta.m25 + meta.m26 + meta.m27 + meta.m28 + meta.m29
            + meta.m30 + meta.m31 + meta.m32 + meta.m33 + meta.m34 + meta.m35 + meta.m36 + meta.m37 + meta.m38 + meta.m39;
        if (hdr.first.isValid()) {
            hdr.mark.sum = hdr.first.f0 + hdr.first.f15;
        }
        if (hdr.first.isValid() && meta.way == 1) {
            hdr.mark.sum = hdr.first.f2;
            hdr.first = hdr.second; // which need not be there
            hdr.mark.sum = hdr.mark.sum + hdr.first.f3;
        }
        if (hdr.second.isValid()) {
            hdr.mark.sum = hdr.mark.sum + hdr.second.f4;
            replaces.apply();
            hdr.mark.sum = hdr.mark.sum + hdr.second.f5;
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply { }
}

control C(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.mark);
        packet.emit(hdr.first);
        packet.emit(hdr.second);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
