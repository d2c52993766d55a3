// Types (specification, chapter 7): what each holds, how it lies in a frame, what its equality means. `op` chooses.
#include <core.p4>
#include <v1model.p4>

typedef bit<8> byte_t;
type bit<16> PortName_t;
enum Colour { Red, Green, Blue }
enum bit<8> Kind { One = 1, Two = 2, Many = 0x80 }
enum int<8> Level { Low = -1, Zero = 0, High = 1 }
error { Unlucky, Unlikely }

header flags_t {
    bool    first;
    bit<5>  middle;
    bool    second;
    bool    third;
}

header work_t {
    byte_t     op;
    Kind       kind;
    Level      level;
    PortName_t port;
    int<12>    signed;
    bit<4>     nibble;
    bit<16>    r;
}

struct inner_t { bit<4> low; bool flag; }
struct outer_t { inner_t left; inner_t right; byte_t[2] bytes; tuple<bit<8>, bool> pair; }

struct headers_t { work_t work; flags_t flags; }
struct meta_t { outer_t outer; Colour colour; error why; }

const byte_t TEN = 10;
const bit<128> WIDE = 128w0xfedcba9876543210 << 64 | 1;

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        packet.extract(hdr.flags);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<16> r = 0;
        switch (hdr.work.op) {
            1: {
                bool was = hdr.flags.first;
                hdr.flags.first = !hdr.flags.third;
                hdr.flags.third = was;
                r = hdr.flags.second ? 16w1 : 0;
            }
            2: {
                if (hdr.work.kind == Kind.Two) { r = 2; }
                else if (hdr.work.kind == Kind.Many) { r = 3; }
                hdr.work.kind = Kind.One;
            }
            3: { r = (bit<16>) (bit<8>) hdr.work.kind; hdr.work.kind = (Kind) 8w7; }
            4: {
                if (hdr.work.level == Level.Low) { hdr.work.level = Level.High; }
                r = (bit<16>) (int<16>) (int<8>) hdr.work.level;
            }
            5: {
                PortName_t other = (PortName_t) 16w0x1234;
                if (hdr.work.port == other) { hdr.work.port = (PortName_t) ((bit<16>) hdr.work.port + 1); }
                r = (bit<16>) hdr.work.port;
            }
            6: {
                hdr.work.signed = hdr.work.signed - 1;
                if (hdr.work.signed < 0) { r = 1; }
            }
            7: {
                meta.colour = Colour.Green;
                Colour c = meta.colour;
                if (c == Colour.Green && c != Colour.Red) { r = 1; }
                switch (c) {
                    Colour.Red: { r = r + 2; }
                    Colour.Green: { r = r + 4; }
                }
            }
            8: {
                meta.why = hdr.work.nibble == 13 ? error.Unlucky : error.NoError;
                if (meta.why == error.Unlucky) { r = 1; }
                if (meta.why != error.Unlikely) { r = r + 2; }
            }
            9: {
                outer_t one = { { 1, true }, { 2, false }, { 3, 4 }, { 5, true } };
                outer_t two = one;
                if (one == two) { r = 1; }
                two.right.low = 9;
                if (one != two) { r = r + 2; }
                if (one.left == two.left && !(one.right == two.right)) { r = r + 4; }
                two.bytes[1] = TEN;
                r = r + (bit<16>) two.bytes[1] + (bit<16>) one.bytes[1];
            }
            10: {
                tuple<bit<8>, bool, bit<4>> t = { 7, true, hdr.work.nibble };
                tuple<bit<8>, bool, bit<4>> u = { 7, true, 13 };
                if (t == u) { r = 1; }
                r = r + ((bit<16>) t[2] << 4) + (t[1] ? 16w0x100 : 0);
            }
            11: { r = WIDE[127:112] + WIDE[15:0]; }
            13: {
                bit<8>[3] numbers = { 1, 2, 3 };
                numbers[hdr.work.nibble] = 7;
                r = numbers[0] ++ numbers[hdr.work.nibble];
            }
            14: {
                inner_t[2] pairs = { { 1, false }, { 2, true } };
                pairs[1] = pairs[0];
                pairs[hdr.work.nibble[0:0]].low = 9;
                r = (bit<16>) (pairs[0].low ++ pairs[1].low);
            }
            12: {
                meta.outer = { { hdr.work.nibble, true }, { 2, false }, { 3, 4 }, { 5, true } };
                inner_t saved = meta.outer.left;
                meta.outer.left = meta.outer.right;
                meta.outer.right = saved;
                r = (bit<16>) (meta.outer.left.low ++ meta.outer.right.low);
                if (meta.outer.pair[1]) { r = r + 0x100; }
            }
        }
        hdr.work.r = r;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
