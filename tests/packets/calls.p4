// Calls (specification, 6.8, 8.3, 10, 14): copies in and out, order of evaluation, named and default arguments, functions,
// actions, controls applied through instances of their own and directly. `op` chooses.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> op; bit<8> a; bit<8> b; bit<8> c; bit<8> r; }

struct headers_t { work_t work; }
struct meta_t { bit<8> note; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

bit<8> next(inout bit<8> x) {
    x = x + 1;
    return x;
}
bool noted(inout bit<8> x, in bool answer) {
    x = x + 0x10;
    return answer;
}
void both(inout bit<8> x, inout bit<8> y) {
    x = x + 1;
    y = y + 0x10;
}
void give(out bit<8> x, in bit<8> y) { x = y + 1; x = x + y; }
void swap<T>(inout T x, inout T y) {
    T kept = x;
    x = y;
    y = kept;
}
bit<8> sum(in bit<8> x, in bit<8> y = 0x20, in bit<8> z = 3) { return x + y + z; }
bit<8> width(in bit<8> x) { return 8; }
bit<8> width(in bit<8> x, in bit<8> y) { return 16; }
bit<8> first_set(in bit<8> x) {
    if (x[0:0] == 1) { return 0; }
    if (x[1:1] == 1) { return 1; }
    return 0xff;
}

control Counting(inout bit<8> value)(bit<8> step, bit<32> size) {
    register<bit<8>>(size) calls;
    apply {
        bit<8> n;
        calls.read(n, 0);
        n = n + step;
        calls.write(0, n);
        value = n;
    }
}

control Outer(inout bit<8> value) {
    Counting(1, 2) inner;
    apply { inner.apply(value); }
}

control Later(out bit<8> one, in bit<8> two) {
    apply {
        one = 5;
        one = one + two;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    Counting(1, 1) by_one;
    Counting(size = 1, step = 16) by_sixteen;
    Outer() outer;
    action add(bit<8> amount) { hdr.work.r = hdr.work.r + amount; }
    action twice(in bit<8> amount) { add(amount); add(amount); }
    action direct(inout bit<8> x, in bit<8> y) { x = 0; x = x + y; hdr.work.b = 0x55; hdr.work.r = x; }
    action leave(inout bit<8> x) { x = 0x66; exit; }
    action either(in bit<8> x) {
        if (x == 0) { return; }
        hdr.work.r = x;
    }
    apply {
        sm.egress_spec = 1;
        switch (hdr.work.op) {
            0x01: { hdr.work.r = next(hdr.work.a) + hdr.work.a; }
            0x02: { hdr.work.r = hdr.work.a + next(hdr.work.a); }
            0x03: { if (noted(hdr.work.a, hdr.work.c == 1) && noted(hdr.work.b, true)) { hdr.work.r = 1; } }
            0x04: { if (noted(hdr.work.a, hdr.work.c == 1) || noted(hdr.work.b, true)) { hdr.work.r = 1; } }
            0x05: { hdr.work.r = hdr.work.c == 1 ? next(hdr.work.a) : next(hdr.work.b); }
            0x06: { both(hdr.work.a, hdr.work.a); }         // the last copy out stays
            0x07: { give(hdr.work.a, hdr.work.a); }         // x begins without what a was
            0x08: { swap(hdr.work.a, hdr.work.b); }
            0x09: { swap(hdr.work.a[7:4], hdr.work.a[3:0]); }
            0x0a: { give(_, hdr.work.a); hdr.work.r = 1; }
            0x0b: { hdr.work.r = sum(hdr.work.a); }
            0x0c: { hdr.work.r = sum(z = hdr.work.b, x = hdr.work.a); }
            0x0d: { hdr.work.r = sum(y = next(hdr.work.a), x = next(hdr.work.a) << 4); }
            0x0e: { hdr.work.r = width(1) + width(1, 2); }
            0x0f: { hdr.work.r = first_set(hdr.work.a); }
            0x10: { add(5); }
            0x11: { twice(hdr.work.a); }
            0x12: { direct(hdr.work.b, hdr.work.b); }
            0x13: { leave(hdr.work.a); hdr.work.b = 1; }
            0x14: { either(hdr.work.a); hdr.work.c = 0x11; }
            0x15: {
                tuple<bit<8>, bit<8>> t = { next(hdr.work.a), hdr.work.a };
                hdr.work.r = t[0] + (t[1] << 4);
            }
            0x16: { hdr.work.r = next(hdr.work.a) + next(hdr.work.a) * 2; }
            0x20: { by_one.apply(hdr.work.r); by_one.apply(hdr.work.r); by_sixteen.apply(hdr.work.a); }
            0x21: { outer.apply(hdr.work.r); }
            0x22: { Later.apply(hdr.work.r, hdr.work.r); }
            0x23: { Later.apply(two = hdr.work.a, one = hdr.work.r); }
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
