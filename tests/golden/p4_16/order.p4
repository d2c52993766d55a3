// Functions, actions called directly, copy-in and copy-out, evaluation order, short circuits, loops, exit within calls.
#include <core.p4>
#include <v1model.p4>

header h_t { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }
struct pair_t { bit<8> x; bit<8> y; }
struct headers_t { h_t h; }
struct metadata_t { pair_t pair; bit<8> n; }

bit<8> next(inout bit<8> counter) {
    counter = counter + 1;
    return counter;
}
bit<8> limited(in bit<8> value, in bit<8> limit) {
    if (value > limit) {
        return limit;
    }
    return value;
}
T pick<T>(in bool first, in T one, in T two) { return first ? one : two; }
void swap(inout pair_t p) { p = { p.y, p.x }; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}

control Add(inout bit<8> sum, in bit<8> amount) {
    apply {
        if (amount == 0) {
            return;
        }
        sum = sum + amount;
        if (sum > 200) {
            exit;
        }
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    Add() add;
    action bump(inout bit<8> value) {
        value = value + 1;
        hdr.h.d = value;
        if (value == 9) {
            exit;
        }
    }
    apply {
        bit<8> n = hdr.h.a;
        hdr.h.b = next(n) + n + next(n);
        hdr.h.c = limited(hdr.h.c, 100);
        if (hdr.h.b == 3 && next(n) == 4) {
            n = pick(hdr.h.a == 1, n, 8w7);
        }
        bump(hdr.h.d);
        meta.pair = { hdr.h.a, n };
        swap(meta.pair);
        add.apply(meta.n, hdr.h.a);
        add.apply(meta.n, meta.pair.x);
        for (bit<8> i in 1 .. hdr.h.c) {
            if (i == 5) { continue; }
            if (i == 7) { break; }
            hdr.h.d += i;
        }
        for (bit<8> i = 0; i < 3; i = i + 1) {
            hdr.h.d = hdr.h.d ^ i;
        }
        switch (hdr.h.a) {
            1:
            2: { hdr.h.b = 1; }
            16w3[7:0]: { hdr.h.b = 2; }
            default: { return; }
        }
        std.egress_spec = 2;
    }
}

#include "skeleton.p4"
