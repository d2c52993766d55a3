// Generic declarations (specification, 7.2.11 and 8.21): functions, structs, headers, unions and stacks with type parameters,
// and initialisers of every form (8.13 to 8.17). `op` chooses.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> op; bit<8> a; bit<8> b; bit<16> r; }
header box_t<T> { T content; }
struct couple_t<T, U> { T first; U second; }
header_union some_t<T> { box_t<T> one; work_t other; }

struct headers_t { work_t work; box_t<bit<16>> box; some_t<bit<8>> some; box_t<bit<24>>[2] boxes; }
struct point_t { bit<8> x; bit<8> y; bit<4> z; }
struct line_t { point_t from; point_t to; bool dashed; }
struct meta_t { couple_t<bit<8>, couple_t<bit<4>, bool>> couple; line_t line; }

T pick<T>(in bool condition, in T yes, in T no) {
    if (condition) { return yes; }
    return no;
}
couple_t<U, T> turned<T, U>(in couple_t<T, U> c) { return { c.second, c.first }; }
bit<8> both<T>(in T x, in T y, in bool equal) { T kept = equal ? x : y; return equal ? 8w1 : 0; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<8> a = hdr.work.a;
        bit<8> b = hdr.work.b;
        bit<16> r = 0;
        switch (hdr.work.op) {
            0x01: { r = 8w0 ++ pick(a < b, a, b); }
            0x02: { r = pick<bit<16>>(a < b, 1, 2); }
            0x03: {
                couple_t<bit<8>, bit<4>> c = { a, b[3:0] };
                couple_t<bit<4>, bit<8>> d = turned(c);
                r = 4w0 ++ d.first ++ d.second;
            }
            0x04: {
                meta.couple = { a, { 4w7, true } };
                r = (bit<16>) (meta.couple.first ++ meta.couple.second.first);
                if (meta.couple.second.second) { r = r + 1; }
            }
            0x05: { hdr.box = { a ++ b }; r = hdr.box.content; }
            0x06: { hdr.some.one.setValid(); hdr.some.one.content = a; }
            0x07: { hdr.boxes[1] = { 8w0xbb ++ a ++ b }; }
            0x08: { r = (bit<16>) both(a, b, a == b); }
            0x10: { point_t p = { 1, a, 3 }; r = p.x ++ p.y; }
            0x11: { point_t p = { y = 1, z = 3, x = a }; r = p.x ++ p.y; }
            0x12: { point_t p = { 1, ... }; r = p.x ++ p.y; }
            0x13: { point_t p = { y = a, ... }; r = p.x ++ p.y; }
            0x14: { point_t p = ...; r = p.x ++ p.y; }
            0x15: {
                line_t l = { from = { 1, 2, 3 }, to = { x = a, ... }, ... };
                r = l.to.x ++ l.to.y + (bit<16>) l.from.y;
                if (l.dashed) { r = 0xdddd; }
            }
            0x16: { meta.line.to = (point_t) { x = a, y = b, z = 0 }; r = meta.line.to.x ++ meta.line.to.y; }
            0x17: { hdr.box = ...; r = hdr.box.isValid() ? 16w1 : 2; }
            0x18: { hdr.boxes = { { content = 1 }, {#} }; }
            0x19: { hdr.boxes = { { content = 0x010203 }, ... }; }
            0x1a: { hdr.boxes[0] = (box_t<bit<24>>) { content = 5 }; }
            0x1b: { meta.line = { { 1, 2, 3 }, { a, b, 4 }, true }; r = meta.line == { { 1, 2, 3 }, { a, 9, 4 }, true } ? 16w1 : 2; }
            0x1c: { tuple<bit<8>, tuple<bit<8>, bool>> t = { a, { b, true } }; r = t[0] ++ t[1][0]; }
        }
        hdr.work.r = r;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
