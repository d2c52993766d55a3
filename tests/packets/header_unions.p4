// Header unions (specification, 8.20): at most one member is valid. `op` chooses, `kind` says what the parser finds.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> op; bit<8> kind; bit<8> r; }
header byte_t { bit<8> v; }
header word_t { bit<16> v; }
header_union number_t { byte_t byte; word_t word; }

struct headers_t { work_t work; number_t one; number_t[2] more; }
struct meta_t { number_t kept; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition select(hdr.work.kind) {
            1: byte;
            2: word;
            3: several;
            4: replaced;
            default: accept;
        }
    }
    state byte {
        packet.extract(hdr.one.byte);
        transition accept;
    }
    state word {
        packet.extract(hdr.one.word);
        transition accept;
    }
    state several {
        packet.extract(hdr.more.next.word);
        packet.extract(hdr.more.next.byte);
        transition accept;
    }
    state replaced {
        packet.extract(hdr.one.byte);
        packet.extract(hdr.one.word);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        switch (hdr.work.op) {
            1: { hdr.work.r = (hdr.one.isValid() ? 8w1 : 0) + (hdr.one.byte.isValid() ? 8w2 : 0) + (hdr.one.word.isValid() ? 8w4 : 0); }
            2: { hdr.one.word.setValid(); hdr.one.word.v = 0xabcd; }
            3: { hdr.one.word.setInvalid(); }
            4: { hdr.one.byte = { 0x77 }; }
            5: { meta.kept = hdr.one; hdr.one.byte = { 1 }; hdr.one = meta.kept; }
            6: { byte_t nothing; hdr.one.byte = nothing; }
            7: { hdr.more[0] = hdr.more[1]; }
            8: { hdr.work.r = hdr.more[0] == hdr.more[1] ? 8w1 : 2; hdr.one = hdr.more[0]; if (hdr.one == hdr.more[0]) { hdr.work.r = hdr.work.r + 4; } }
            9: { hdr.more.pop_front(1); }
            10: { hdr.more[1].word.setValid(); hdr.more[1].word.v = 0x1234; }
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.work);
        packet.emit(hdr.one);
        packet.emit(hdr.more);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
