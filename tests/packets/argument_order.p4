// What is passed is what an argument was when its turn came (specification, 6.8 and 8.1): later arguments change what
// earlier ones were read from, or where they lie. `op` chooses.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> op; bit<8> a; bit<8> b; bit<8> c; bit<8> r; }
header one_t { bit<8> v; }
header two_t { bit<8> v; bit<8> w; }
header_union either_t { one_t one; two_t two; }

struct headers_t { work_t work; one_t[3] s; one_t one; two_t[2] twos; }
struct pair_t { bit<8> x; bit<8> y; }
struct meta_t { bit<8> parsed; bit<8> chosen; pair_t pair; }

bit<8> next(inout bit<8> x) {
    x = x + 1;
    return x;
}
bit<8> minus(in bit<8> x, in bit<8> y) { return x - y; }
#define REVERSED(x, y) minus(y, x)
bit<8> add(inout bit<8> x, in bit<8> y) {
    x = x + y;
    return x;
}
void give(out bit<8> x, in bit<8> y) { x = y; }
void copy(out one_t x, in one_t y) { x = y; }
void renew(out one_t x, in bool was_valid) {
    x.setValid();
    x.v = was_valid ? 8w1 : 2;
}
void of_pair(inout pair_t p, in bit<8> y) { p.y = p.x + y; }
void of_header(inout one_t h, in bit<8> y) { h.v = h.v + y; }
void nibble(inout bit<4> x, in bit<4> y) { x = x + y; }
bit<8> three(inout bit<8> x, inout bit<8> y, in bit<8> z) {
    x = x + y;
    y = y + z;
    return x ^ y ^ z;
}
bool noted(inout bit<8> x) {
    x = x + 0x40;
    return true;
}
void both(inout bit<8> x, in bool y) { x = y ? x : 0; }

parser Sub(packet_in packet, inout bit<8> x, in bit<8> y) {
    state start {
        x = x + y;
        transition accept;
    }
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    Sub() sub;
    state start {
        packet.extract(hdr.work);
        packet.extract(hdr.s[0]);
        packet.extract(hdr.s[1]);
        packet.extract(hdr.s[2]);
        meta.parsed = hdr.work.a;
        sub.apply(packet, meta.parsed, next(meta.parsed));
        meta.chosen = 1;
        transition select(meta.chosen, next(meta.chosen), meta.chosen) {
            (1, 2, 2): right;
            default: accept;
        }
    }
    state right {
        meta.chosen = 0x77;
        transition accept;
    }
}

control Add(inout bit<8> x, in bit<8> y) {
    apply { x = x + y; }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    Add() once;
    Add() twice;
    bit<8> local = 0x10;
    Add() of_local;
    register<bit<8>>(8) cells;
    action direct(inout bit<8> x, in bit<8> y) { x = x + y; }
    action found() { hdr.work.r = 1; }
    action lost() { hdr.work.r = 2; }
    table ordered {
        key = {
            hdr.work.a & 0xf: exact @name("low");
            next(hdr.work.a): exact @name("next");
            hdr.work.a: exact @name("a");
        }
        actions = { found; lost; }
        const entries = { (0, 0x11, 0x11): found(); }
        default_action = lost();
    }
    table passing {
        actions = { direct(hdr.work.a, next(hdr.work.a)); }
        default_action = direct(hdr.work.a, next(hdr.work.a));
    }
    apply {
        sm.egress_spec = 1;
        switch (hdr.work.op) {
            0x01: { hdr.work.r = add(hdr.work.a, next(hdr.work.a)); }
            0x02: { direct(hdr.work.a, next(hdr.work.a)); }
            0x03: { once.apply(hdr.work.a, next(hdr.work.a)); }
            0x04: { twice.apply(hdr.work.a, next(hdr.work.a)); twice.apply(hdr.work.a, next(hdr.work.a)); }
            0x05: { Add.apply(hdr.work.a, next(hdr.work.a)); }
            0x06: { hdr.work.r = add(hdr.s[hdr.work.c].v, next(hdr.work.c)); }
            0x07: { give(hdr.s[hdr.work.c].v, next(hdr.work.c)); }
            0x08: { cells.write((bit<32>) hdr.work.c, next(hdr.work.c)); cells.read(hdr.work.r, 1); }
            0x09: { cells.write(value = next(hdr.work.c), index = (bit<32>) hdr.work.c); cells.read(hdr.work.r, 2); }
            0x0a: { cells.write(2, 0x55); cells.read(hdr.s[hdr.work.c].v, (bit<32>) next(hdr.work.c)); }
            0x0b: {
                cells.write(2, 0x66);
                cells.read(index = (bit<32>) next(hdr.work.c), result = hdr.s[hdr.work.c].v);
            }
            0x0c: { random(hdr.s[hdr.work.c].v, next(hdr.work.c), hdr.work.c); }
            0x0d: { hash(hdr.s[hdr.work.c].v, HashAlgorithm.identity, hdr.work.c, { hdr.work.a }, next(hdr.work.c)); }
            0x0e: { digest((bit<32>) next(hdr.work.a), { hdr.work.b }); }
            0x0f: { hdr.s[next(hdr.work.c)].v = next(hdr.work.c); }
            0x10: { hdr.s[next(hdr.work.c)].v += next(hdr.work.c); }
            0x11: { hdr.work.r = 4w0 ++ hdr.work.a[next(hdr.work.a)[2:0] +: 4]; }
            0x12: { ordered.apply(); }
            0x13: { passing.apply(); }
            0x14: { copy(hdr.one, hdr.one); hdr.work.r = hdr.one.isValid() ? hdr.one.v : 0xff; }
            0x15: { hdr.one.setValid(); hdr.one.v = 5; copy(hdr.one, hdr.one); }
            0x16: { hdr.one.setValid(); hdr.one.v = 5; renew(hdr.one, hdr.one.isValid()); }
            0x17: { renew(hdr.one, hdr.one.isValid()); }
            0x18: { of_pair(meta.pair, next(meta.pair.x)); hdr.work.a = meta.pair.x; hdr.work.r = meta.pair.y; }
            0x19: { of_header(hdr.s[0], next(hdr.s[0].v)); }
            0x1a: { nibble(hdr.work.a[3:0], next(hdr.work.a)[7:4]); }
            0x1b: { hdr.work.r = add(hdr.work.a, hdr.work.b == 0 ? hdr.work.a : next(hdr.work.a)); }
            0x1c: { both(hdr.work.a, hdr.work.c == 1 && noted(hdr.work.a)); }
            0x1d: { hdr.work.r = three(hdr.work.a, hdr.work.b, add(hdr.work.a, next(hdr.work.b))); }
            0x1e: { hdr.work.r = three(z = next(hdr.work.a), y = hdr.work.a, x = hdr.work.b); }
            0x1f: { hdr.work.r = meta.parsed; }
            0x20: { hdr.work.r = meta.chosen; }
            0x21: { hdr.s = { hdr.s[1], hdr.s[2], hdr.s[0] }; }
            0x22: { hdr.one = { hdr.one.isValid() ? 8w1 : 2 }; }
            0x23: {
                for (bit<8> x in (list<bit<8>>) { hdr.work.a, hdr.work.b }) {
                    hdr.work.b = 0x40;
                    hdr.work.r = hdr.work.r + x;
                }
            }
            0x24: {
                for (one_t h in hdr.s) {
                    hdr.s[2].v = 0x40;
                    hdr.work.r = hdr.work.r + h.v;
                }
            }
            0x25: {
                for (bit<8> x in (list<bit<8>>) { hdr.work.a, next(hdr.work.a), hdr.work.a }) {
                    hdr.work.r = hdr.work.r + x;
                }
            }
            0x26: { hdr.work.r = hdr.s[hdr.work.c].v + next(hdr.work.c); }
            0x27: { pair_t p = { hdr.work.a, next(hdr.work.a) }; hdr.work.r = p.x ^ p.y; }
            0x28: { clone3(CloneType.I2E, 32w4 + (bit<32>) next(hdr.work.a), { meta.chosen }); }
            0x29: {
                hdr.twos[0] = { 0, 0 };
                hdr.twos[1] = { 5, 5 };
                hdr.twos[hdr.twos[0].v] = { 1, 7 };
            }
            0x2a: {
                either_t u;
                either_t two;
                either_t one;
                u.one.setValid();
                two.two = { 8, 9 };
                one.one = { 3 };
                u = u.one.isValid() ? two : one;
                hdr.work.r = u.two.isValid() ? u.two.w : 0xff;
            }
            0x2d: { of_local.apply(local, next(local)); of_local.apply(local, next(local)); hdr.work.r = local; }
            0x2e: { hdr.work.r = minus(hdr.work.a, next(hdr.work.a)); }
            0x2b: { hdr.work.r = REVERSED(hdr.work.a, next(hdr.work.a)); }
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) {
    bit<16> sum;
    apply {
        if (hdr.work.op == 0x2c) { update_checksum(false, { next(hdr.work.a) }, sum, HashAlgorithm.csum16); }
    }
}
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
