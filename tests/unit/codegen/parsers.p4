// What a parser may do, by the first byte of the frame; ingress reports the error and what was found.
#include <core.p4>
#include <v1model.p4>

header report_t { bit<8> error_code; bit<8> found; bit<8> last; }
header kind_t   { bit<8> kind; }
header label_t  { bit<7> value; bit<1> bottom; }
header odd_t    { bit<3> a; bit<13> b; bit<48> c; }
header option_t { bit<8> type; varbit<64> data; bit<8> after; }
header wide_t   { bit<128> key; }
header signed_t { int<8> low; int<80> high; }
header byte_t   { bit<8> value; }
header empty_t  { }

struct headers_t {
    report_t   report;
    kind_t     kind;
    label_t[3] labels;
    odd_t      odd;
    option_t   option;
    wide_t     wide;
    signed_t   numbers;
    byte_t     one;
    byte_t     two;
    empty_t    empty;
}
struct meta_t { bit<8> found; bit<16> peeked; bool flag; bit<8> rounds; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.kind);
        transition select(hdr.kind.kind) {
            0: labels;
            1: peek;
            2: skip;
            3: options;
            4: wide;
            5: numbers;
            6: choice;
            7: still;
            8: pair;
            9: walk;
            10: refuse;
            11: odd;
            15: behind;
            13: known;
            14: unknown;
            0x80 &&& 0xc0: accept;
            0xc0 .. 0xcf: reject;
        }
    }
    state labels {
        packet.extract(hdr.labels.next);
        meta.found = meta.found + (bit<8>)hdr.labels.last.value;
        transition select(hdr.labels.last.bottom) { 1: accept; 0: labels; }
    }
    state peek {
        meta.peeked = packet.lookahead<bit<16>>();
        bit<5> high = packet.lookahead<bit<5>>();
        meta.found = meta.peeked[7:0] ^ (bit<8>)high;
        transition accept;
    }
    state skip {
        packet.extract(hdr.one);
        packet.advance((bit<32>)hdr.one.value);
        packet.extract(hdr.two);
        transition accept;
    }
    state options {
        packet.extract(hdr.one);
        packet.extract(hdr.option, (bit<32>)hdr.one.value);
        meta.found = hdr.option.after;
        transition accept;
    }
    state wide {
        packet.extract(hdr.wide);
        transition select(hdr.wide.key) {
            128w1: found_one;
            128w0x55000000000000000000000000000000 &&& 128w0xff000000000000000000000000000000: found_two;
            128w0x100 .. 128w0x80000000000000000000000000000000: found_three;
        }
    }
    state numbers {
        packet.extract(hdr.numbers);
        transition select(hdr.numbers.low, hdr.numbers.high) {
            (-8s3 .. 8s4, _): found_one;
            (8s5, -80s9 .. 80s9): found_two;
            (_, 80s1 .. 80s100): found_three;
        }
    }
    state choice {
        packet.extract(hdr.one);
        meta.flag = hdr.one.value > 7;
        transition select(meta.flag, hdr.one.value) {
            (true, 9): found_one;
            (true, _): found_two;
            (false, 3): found_three;
        }
    }
    state behind {
        packet.extract(hdr.one);
        transition select(hdr.one.value) { 1: found_one; default: found_two; 3: found_three; }
    }
    state still {
        packet.extract(hdr.one);
        transition still_again;
    }
    state still_again {
        packet.extract(hdr.empty);
        meta.rounds = meta.rounds + 1;
        transition select(meta.rounds == hdr.one.value) { true: found_one; false: still_again; }
    }
    state pair {
        packet.extract(hdr.one);
        packet.extract(hdr.two);
        transition select(hdr.one.value ++ hdr.two.value) {
            16w0x0102: found_one;
            16w0x0300 &&& 16w0xff00: found_two;
            default: accept;
        }
    }
    state walk {
        packet.advance((bit<32>)packet.lookahead<bit<8>>() << 3);
        meta.rounds = meta.rounds + 1;
        transition select(packet.lookahead<bit<8>>()) { 0xff: found_one; default: walk; }
    }
    state refuse {
        packet.extract(hdr.one);
        verify(hdr.one.value != 1, error.NoMatch);
        verify(hdr.one.value != 2, error.HeaderTooShort);
        transition found_two;
    }
    state odd {
        packet.extract(hdr.odd);
        transition select(hdr.odd.b) { 13w5: found_one; 13w0x1000 .. 13w0x1fff: found_two; }
    }
    state known {
        transition select(70w5, hdr.kind.kind) { (_, 12): found_one; default: found_two; (70w5, _): found_three; }
    }
    state unknown {
        transition select(40w0x8000) { 0x4e2c7367e5: found_one; 0x5: found_two; default: unlikely; }
    }
    state unlikely {
        transition select(sm.ingress_port == 1 ? 40w0 : 40w5) { 0x4e2c7367e5: found_one; 0x5: found_two; }
    }
    state found_one   { meta.found = meta.found + 1; transition accept; }
    state found_two   { meta.found = meta.found + 2; transition accept; }
    state found_three { meta.found = meta.found + 3; transition accept; }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.report.setValid();
        hdr.report.found = meta.found;
        hdr.report.last = meta.rounds;
        if (sm.parser_error == error.NoError) hdr.report.error_code = 0;
        else if (sm.parser_error == error.PacketTooShort) hdr.report.error_code = 1;
        else if (sm.parser_error == error.NoMatch) hdr.report.error_code = 2;
        else if (sm.parser_error == error.StackOutOfBounds) hdr.report.error_code = 3;
        else if (sm.parser_error == error.HeaderTooShort) hdr.report.error_code = 4;
        else if (sm.parser_error == error.ParserTimeout) hdr.report.error_code = 5;
        else if (sm.parser_error == error.ParserInvalidArgument) hdr.report.error_code = 6;
        else hdr.report.error_code = 7;
        sm.egress_spec = 1;
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
