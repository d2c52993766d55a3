// Many fields, so that they are read in the frame where nothing has changed them: of headers that are copied, made invalid and
// valid again, extracted twice, or not received at all.
#include <core.p4>
#include <v1model.p4>

header fields_t {
    bit<8> next;
    bit<3> small;
    bit<13> odd;
    bit<16> a;
    bit<32> b;
    bit<48> c;
    bit<8> d;
    bit<8> e;
    bit<128> broad;
}

header tail_t {
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

header stamp_t {
    bit<4> kind;
    bit<12> tag;
    bit<8> mark;
    bit<16> value;
}

struct headers_t {
    fields_t outer;
    stamp_t stamp;
    fields_t inner;
    fields_t kept;
    tail_t tail;
}

struct meta_t {
    bit<32> sum;
    bit<8> way;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.outer);
        transition select(hdr.outer.next) {
            1: inner;
            2: again;
            5: unsure;
            6: stamp;
            default: accept;
        }
    }
    state inner {
        packet.extract(hdr.inner);
        transition select(hdr.inner.next) {
            4: tail;
            default: accept;
        }
    }
    state tail {
        packet.extract(hdr.tail);
        transition accept;
    }
    state stamp {
        packet.extract(hdr.stamp);
        transition accept;
    }
    state unsure { // comes behind `tail` here, not on a packet's way
        transition select(hdr.tail.f0) {
            0: accept;
            default: again;
        }
    }
    state again {
        packet.extract(hdr.outer);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action note(bit<8> way) { meta.way = way; }
    action change(bit<16> a) { hdr.outer.a = a; }
    action none() { }
    table ways {
        key = { hdr.outer.b: exact; hdr.outer.odd: exact; }
        actions = { note; none; }
        default_action = none();
        size = 100000;
    }
    table changes {
        key = { hdr.outer.c: exact; hdr.outer.broad: exact; }
        actions = { change; none; }
        default_action = none();
        size = 100000;
    }
    table sums {
        key = { hdr.inner.b: exact; hdr.outer.a: exact; }
        actions = { none; }
        default_action = none();
        size = 100000;
    }
    apply {
        sm.egress_spec = 1;
        ways.apply();
        if (meta.way == 1) { // what is kept comes from the frame, too, where inner was not received it is zero
            hdr.kept = hdr.inner;
            hdr.inner.setInvalid();
        }
        changes.apply();
        if (meta.way == 2) {
            hdr.outer.setInvalid();
            hdr.outer.setValid();
            hdr.outer.d = hdr.outer.d + 1;
        }
        sums.apply();
        if (meta.way == 3) {
            hdr.inner.setValid(); // with the fields that it had: zero if it was not received
            hdr.inner.e = hdr.outer.e;
        }
        if ((meta.way & 0x10) == 0x10) { // no other statement writes it, and none reads it
            hdr.stamp.setValid();
            hdr.stamp.kind = 7;
            hdr.stamp.tag = hdr.outer.odd[11:0];
            hdr.stamp.mark = meta.way;
            hdr.stamp.value = hdr.outer.a;
        }
        if ((meta.way & 0x20) == 0x20) {
            hdr.stamp.setValid();
        }
        if ((meta.way & 0x40) == 0x40) {
            hdr.kept.setValid();
        }
        meta.sum = hdr.outer.b + hdr.inner.b + (bit<32>) hdr.outer.small + (bit<32>) hdr.kept.odd;
        meta.sum = meta.sum + (bit<32>) (hdr.tail.f0 ++ hdr.tail.f1 ++ hdr.tail.f2 ++ hdr.tail.f3)
            + (bit<32>) (hdr.tail.f4 ++ hdr.tail.f5 ++ hdr.tail.f6 ++ hdr.tail.f7)
            + (bit<32>) (hdr.tail.f8 ++ hdr.tail.f9 ++ hdr.tail.f10 ++ hdr.tail.f11)
            + (bit<32>) (hdr.tail.f12 ++ hdr.tail.f13 ++ hdr.tail.f14 ++ hdr.tail.f15);
        if (hdr.kept.isValid()) {
            hdr.kept.b = meta.sum;
            hdr.kept.broad = hdr.outer.broad;
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
        packet.emit(hdr.kept);
        packet.emit(hdr.outer);
        packet.emit(hdr.stamp);
        packet.emit(hdr.inner);
        packet.emit(hdr.tail);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
