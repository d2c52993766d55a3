// Statements (specification, chapter 12): conditions, blocks, switch in both forms, loops, return, exit. `op` chooses.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> op; bit<8> a; bit<8> b; bit<8> r; }

struct headers_t { work_t work; work_t[3] more; }
struct meta_t { bit<8> count; }

enum Way { Left, Right, Straight }
enum bit<8> Code { Ten = 10, Twenty = 20 }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

control Inner(inout bit<8> value, in bit<8> limit) {
    action stop() { value = value + 1; exit; }
    apply {
        if (value == limit) { return; }
        value = value + 0x10;
        if (value > 0x50) { stop(); }
        value = value + 2;
    }
}

control Switches(inout headers_t hdr) {
    action one() { hdr.work.r = hdr.work.r + 1; }
    action two(bit<8> more) { hdr.work.r = hdr.work.r + more; }
    action three() { }
    table choose {
        key = { hdr.work.a: exact; }
        actions = { one; two; three; NoAction; }
        const default_action = NoAction();
        const entries = {
            1: one();
            2: two(4);
            3: three();
        }
    }
    apply {
        Way way = Way.Straight;
        if (hdr.work.op == 0x20) {
            switch (choose.apply().action_run) {
                one: { hdr.work.r = hdr.work.r | 0x10; }
                two:
                three: { hdr.work.r = hdr.work.r | 0x20; }
                default: { hdr.work.r = hdr.work.r | 0x40; }
            }
        } else if (hdr.work.op == 0x21) {
            switch (choose.apply().action_run) {
                three: { hdr.work.r = 0x33; }
            }
            hdr.work.b = 0x11;
        } else if (hdr.work.op == 0x22) {
            switch (hdr.work.a) {
                1: 2: { hdr.work.r = 0x12; }
                3: { }
                0xff: { hdr.work.r = 0xff; }
                default: { hdr.work.r = 0xdd; }
            }
        } else if (hdr.work.op == 0x23) {
            switch (hdr.work.a) {
                1: { hdr.work.r = 1; return; }
                2: { hdr.work.r = 2; exit; }
            }
            hdr.work.b = 0x11;
        } else if (hdr.work.op == 0x24) {
            if (hdr.work.a == 1) { way = Way.Left; } else if (hdr.work.a == 2) { way = Way.Right; }
            switch (way) {
                Way.Left: Way.Right: { hdr.work.r = 1; }
                Way.Straight: { hdr.work.r = 2; }
            }
        } else if (hdr.work.op == 0x25) {
            switch ((Code) hdr.work.a) {
                Code.Ten: { hdr.work.r = 1; }
                Code.Twenty: { hdr.work.r = 2; }
            }
        }
    }
}

control Loops(inout headers_t hdr) {
    action count_up(bit<8> by) {
        for (bit<8> i = 0; i < by; i += 1) { hdr.work.r += i; }
    }
    apply {
        bit<8> a = hdr.work.a;
        bit<8> r = 0;
        switch (hdr.work.op) {
            0x30: { for (bit<8> i = 0; i < a; i = i + 1) { r = r + i; } }
            0x31: { for (bit<8> i = 0, bit<8> j = 9; i < j; i += 2, j -= 1) { r = i ++ j == 0x0407 ? 8w0x67 : r + 1; } }
            0x32: { for (bit<8> i in 1 .. a) { r += i; } }
            0x33: {
                for (bit<8> i in 1 .. 20) {
                    if (i == 3) { continue; }
                    if (i > a) { break; }
                    r += i;
                }
            }
            0x34: {
                for (bit<8> i in 1 .. 3) {
                    for (bit<8> j in i .. 3) {
                        if (j == 2) { continue; }
                        r += 1;
                        if (i == 2) { break; }
                    }
                    r += 0x10;
                }
            }
            0x35: {
                for (bit<8> i in 0 .. 255) {
                    r = i;
                    if (i == a) { hdr.work.r = r; return; }
                }
            }
            0x36: { count_up(a); r = hdr.work.r; }
            0x37: {
                hdr.more = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, {#} };
                for (work_t each in hdr.more) { if (each.isValid()) { r += each.b; } }
                hdr.more.pop_front(3);
            }
            0x38: { for (bit<8> i in { a, 7, a + 1 }) { r = (r << 2) + i; } }
        }
        hdr.work.r = r;
        hdr.work.b = 0xee;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    Inner() inner;
    Switches() switches;
    Loops() loops;
    apply {
        sm.egress_spec = 1;
        if (hdr.work.op == 1) {
            if (hdr.work.a == 1) hdr.work.r = 1; else if (hdr.work.a == 2) { hdr.work.r = 2; ; } else hdr.work.r = 3;
        } else if (hdr.work.op == 2) {
            bit<8> x = 1;
            { bit<8> x = 2; { bit<8> x = 3; hdr.work.a = x; } hdr.work.b = x; }
            hdr.work.r = x;
        } else if (hdr.work.op == 3) {
            if (hdr.work.a == 1) { return; }
            hdr.work.r = 9;
        } else if (hdr.work.op == 4) {
            inner.apply(hdr.work.a, hdr.work.b);
            hdr.work.r = 9;
        } else if (hdr.work.op == 5) {
            hdr.work.r = hdr.work.a;
            exit;
        } else if (hdr.work.op[7:4] == 2) {
            switches.apply(hdr);
        } else {
            loops.apply(hdr);
        }
        meta.count = 1;
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.work.op < 0x10) { hdr.work.op = meta.count; }    // the end of ingress was reached
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
