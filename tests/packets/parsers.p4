// Parsers (specification, chapter 13): sub-parsers, transitions of every form, what ends a parser early. The second byte
// chooses the state; ingress tells the error and how far the parser came.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> r; bit<8> kind; bit<8> a; bit<8> b; }
header byte_t { bit<8> v; }
header word_t { bit<16> v; }
header some_t { bit<8> length; varbit<32> data; bit<8> last; }

enum bit<8> Kind { One = 1, Two = 2 }
error { Odd, Even }

struct headers_t { work_t work; byte_t[3] bytes; word_t word; some_t some; }
struct meta_t { bit<8> note; bool flag; }

parser Byte(packet_in packet, out byte_t byte, inout bit<8> total)(bit<8> weight) {
    state start {
        packet.extract(byte);
        total = total + byte.v * weight;
        transition select(byte.v) {
            0xff: reject;
            0xfe: more;
            default: accept;
        }
    }
    state more {
        total = total + 100;
        transition accept;
    }
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    Byte(1) plain;
    Byte(weight = 3) triple;
    bit<8> rounds = 0;
    state start {
        packet.extract(hdr.work);
        transition select(hdr.work.kind) {
            0x01: subs;
            0x02: tuples;
            0x03: enums;
            0x04: bools;
            0x05: peek;
            0x06: peek_far;
            0x07: skip;
            0x08: varbits;
            0x09: checks;
            0x0a: conditions;
            0x0b: around;
            0x0c: last_of_none;
            0x0d: give_up;
            0x0e: ignored;
            0x0f: peek_header;
            0x10 .. 0x12: accept;
            0x13: signed;
            0x14: for_ever;
            0x15: round_and_round;
            0x16: with_word;
            0x17: without_word;
            _: accept;
        }
    }
    state subs {
        plain.apply(packet, hdr.bytes[0], meta.note);
        triple.apply(packet, hdr.bytes[1], meta.note);
        plain.apply(packet, hdr.bytes[2], meta.note);
        transition accept;
    }
    state tuples {
        transition select(hdr.work.a, hdr.work.b) {
            (1, 1): one;
            (1, _): two;
            (2 .. 4, 0x80 &&& 0xf0): three;
            (_, 5): one;
        }
    }
    state enums {
        transition select((Kind) hdr.work.a) {
            Kind.One: one;
            Kind.Two: two;
        }
    }
    state bools {
        meta.flag = hdr.work.a > 7;
        transition select(meta.flag, hdr.work.b[0:0]) {
            (true, 1): one;
            (false, default): two;
            default: three;
        }
    }
    state one { meta.note = 1; transition accept; }
    state two { meta.note = 2; transition accept; }
    state three { meta.note = 3; transition accept; }
    state peek {
        bit<16> ahead = packet.lookahead<bit<16>>();
        meta.note = ahead[15:8];
        packet.extract(hdr.word);
        transition accept;
    }
    state peek_far {
        meta.note = 1;
        meta.note = packet.lookahead<bit<32>>()[7:0];
        transition accept;
    }
    state peek_header {
        byte_t ahead = packet.lookahead<byte_t>();
        meta.note = ahead.v + (ahead.isValid() ? 8w1 : 0);
        transition accept;
    }
    state skip {
        packet.advance((bit<32>) hdr.work.a);
        packet.extract(hdr.word);
        transition accept;
    }
    state varbits {
        packet.extract(hdr.some, (bit<32>) hdr.work.a);
        meta.note = 1;
        transition accept;
    }
    state checks {
        verify(hdr.work.a[0:0] == 0, error.Odd);
        meta.note = 1;
        verify(hdr.work.b != 0, error.Even);
        meta.note = 2;
        transition accept;
    }
    state conditions {
        if (hdr.work.a == 1) { meta.note = 4; } else { meta.note = 5; packet.extract(hdr.word); }
        transition accept;
    }
    state around {
        rounds = rounds + 1;
        meta.note = meta.note + hdr.work.b;
        transition select(rounds == hdr.work.a) {
            true: accept;
            false: around;
        }
    }
    state last_of_none {
        meta.note = 1;
        meta.note = hdr.bytes.last.v;
        meta.note = 2;
        transition accept;
    }
    state for_ever {
        meta.note = meta.note + 1;
        transition select(meta.flag) {
            true: accept;
            false: for_ever;
        }
    }
    state round_and_round {
        transition select(hdr.work.a) {
            1: round_and_round;
            2: and_round;
        }
    }
    state and_round {
        transition select(hdr.work.b, hdr.work.a) {
            (0, _): round_and_round;
            (1, 7): and_round;
        }
    }
    state give_up { transition reject; }
    state ignored {
        packet.extract<word_t>(_);
        packet.extract(hdr.word);
        meta.note = (bit<8>) (packet.length() & 0xff);
        transition accept;
    }
    state with_word { // what one state has extracted is in the frame for it, and for no other
        packet.extract(hdr.word);
        transition select(hdr.word.v) {
            0x0101: word_seen;
            default: accept;
        }
    }
    state without_word { transition word_seen; }
    state word_seen {
        meta.note = hdr.word.isValid() ? 8w1 : 2;
        transition select(hdr.word.v) {
            0x0101: one_more;
            0: accept;
            default: reject;
        }
    }
    state one_more {
        meta.note = meta.note + 0x10;
        transition accept;
    }
    state signed {
        transition select((int<8>) hdr.work.a, hdr.work.b) {
            (-3 .. 2, _): one;
            (-128, 7): two;
            (-100, 0x7f .. 0x90): two;
        }
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (sm.parser_error == error.NoError) { hdr.work.r = 0; }
        else if (sm.parser_error == error.PacketTooShort) { hdr.work.r = 0xe1; }
        else if (sm.parser_error == error.NoMatch) { hdr.work.r = 0xe2; }
        else if (sm.parser_error == error.StackOutOfBounds) { hdr.work.r = 0xe3; }
        else if (sm.parser_error == error.HeaderTooShort) { hdr.work.r = 0xe4; }
        else if (sm.parser_error == error.ParserTimeout) { hdr.work.r = 0xe5; }
        else if (sm.parser_error == error.ParserInvalidArgument) { hdr.work.r = 0xe6; }
        else if (sm.parser_error == error.Odd) { hdr.work.r = 0xe8; }
        else if (sm.parser_error == error.Even) { hdr.work.r = 0xe9; }
        hdr.work.b = hdr.work.kind == 0x14 ? 0 : meta.note;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
