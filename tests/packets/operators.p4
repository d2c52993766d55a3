// Every operator of the language (specification, chapter 8): `op` chooses one, its result comes back in `r`.
#include <core.p4>
#include <v1model.p4>

header work_t {
    bit<8>  op;
    bit<8>  a;
    bit<8>  b;
    bit<16> r;
}

struct headers_t { work_t work; }
struct meta_t { }

const int BIG = 1 << 100;
const int QUOTIENT = (7 * 9) / 2 % 10;     // 31 % 10
const int BELOW = -9 >> 1;                  // rounded down

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

bit<16> unsigned_relations(in bit<8> a, in bit<8> b) {
    return 10w0 ++ (bit<1>) (a == b) ++ (bit<1>) (a != b) ++ (bit<1>) (a < b) ++ (bit<1>) (a <= b) ++ (bit<1>) (a > b)
        ++ (bit<1>) (a >= b);
}

bit<16> signed_relations(in int<8> a, in int<8> b) {
    return 10w0 ++ (bit<1>) (a == b) ++ (bit<1>) (a != b) ++ (bit<1>) (a < b) ++ (bit<1>) (a <= b) ++ (bit<1>) (a > b)
        ++ (bit<1>) (a >= b);
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<8> a = hdr.work.a;
        bit<8> b = hdr.work.b;
        int<8> s = (int<8>) a;
        int<8> t = (int<8>) b;
        bit<16> r = 0;
        switch (hdr.work.op) {
            0x01: { r = (a & b) ++ (a | b); }
            0x02: { r = (a ^ b) ++ ~a; }
            0x03: { r = +a ++ -a; }
            0x04: { r = (a + b) ++ (a - b); }
            0x05: { r = (a |+| b) ++ (a |-| b); }
            0x06: { r = (bit<16>) ((s |+| t) ++ (s |-| t)); }
            0x07: { r = (a * b) ++ (bit<8>) (s * t); }
            0x08: { r = (a << b) ++ (a >> b); }
            0x09: { r = (bit<16>) (int<16>) (s >> b); }
            0x0a: { r = (bit<16>) ((s << b) ++ (s << 1)); }
            0x0b: { r = 16w1 << a << b; }
            0x10: { r = unsigned_relations(a, b); }
            0x11: { r = signed_relations(s, t); }
            0x12: { r = a < b ? a ++ 8w1 : 8w2 ++ b; }
            0x13: {
                bool x = a == 1;
                bool y = b == 1;
                r = 11w0 ++ (bit<1>) (x && y) ++ (bit<1>) (x || y) ++ (bit<1>) !x ++ (bit<1>) (x == y) ++ (bit<1>) (x != y);
            }
            0x20: { r = (bit<16>) ((s ++ b) >> 4); }            // a signed left operand makes it signed
            0x21: { r = (a ++ b) >> 4; }
            0x22: { r = (bit<16>) s[7:4]; }                     // a slice has no sign
            0x23: { r = a[6:1][4:1] ++ b[7:0] ++ a[0:0] ++ b[7:5]; }
            0x24: { r = 0xffff; r[11:4] = a; }
            0x25: { r[15:8][3:0] = b[3:0]; r[0:0] = a[7:7]; }
            0x30: { r = (bit<16>) (int<16>) s; }
            0x31: { r = (bit<16>) (bit<4>) a; }
            0x32: { r = (bit<16>) (a + 1); }                    // the literal takes the width of a
            0x33: { bool x = (bool) a[0:0]; r = x ? 16w0x1111 : 16w0x2222; }
            0x34: { r = (bit<16>) (int<16>) (int<4>) a[3:0]; }
            0x35: { r = (bit<3>) (bit<1>) (a == b) >= 7 ? 16w1 : 2; }   // never: the number is 0 or 1
            0x40: { r = a & 0x0f == b ? 16w1 : 2; }             // & binds stronger than ==
            0x41: { r = a | b < 0x10 ? 16w1 : 2; }              // | binds stronger than <
            0x42: { r = (bit<16>) (a + b << 1); }               // + binds stronger than <<
            0x43: { r = a ++ b + 16w1; }                        // ++ and + bind alike, from the left
            0x50: {
                r = a ++ b;
                r += 1;
                r -= 2;
                r *= 3;
                r <<= 1;
                r >>= 2;
                r &= 0x7fff;
                r |= 0x8000;
                r ^= 0x00ff;
            }
            0x51: { r = a ++ b; r |+|= 0x7000; }
            0x52: { r = a ++ b; r |-|= 0x7000; }
            0x53: { r = a ++ b; r[7:0] += 0x10; }
            0x60: { r = (bit<16>) (BIG >> 96); }
            0x61: { r = (bit<16>) QUOTIENT; }
            0x62: { r = (bit<16>) (int<16>) BELOW; }
            0x63: { r = 16w0xf0_f0 ^ 0b1111_0000_0000_1111 ^ 0o17 ^ 10; }
            0x64: { r = (bit<16>) (8w0xff ++ 4w1 ++ 4w2)[11:0]; }
        }
        hdr.work.r = r;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.work); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
