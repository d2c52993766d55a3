// Fields that only the deparser reads, written on some ways through the program: by an action of the last table, before a
// lookup, by the parser, of headers that are removed and made.
#include <core.p4>
#include <v1model.p4>

header first_t { bit<8> kind; bit<8> a; bit<4> b; bit<4> c; }
header second_t { bit<16> x; bit<8> y; }
struct headers_t { first_t first; second_t second; second_t third; }
struct meta_t { bit<8> next; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.first);
        hdr.second.y = 0x99;
        transition select(hdr.first.kind) {
            0: accept;
            default: second;
        }
    }
    state second {
        packet.extract(hdr.second);
        transition accept;
    }
}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action near(bit<8> next) { meta.next = next; hdr.first.c = 0xc; }
    action far(bit<8> a, bit<9> port) { hdr.first.a = a; sm.egress_spec = port; }
    action keep() { sm.egress_spec = 1; }
    action renew() { sm.egress_spec = 1; hdr.first.b = 0xb; hdr.second.x = 0xabcd; }
    table one {
        key = { hdr.first.kind: exact; }
        actions = { near; keep; }
        default_action = keep();
        size = 100000;
    }
    table two {
        key = { meta.next: exact; }
        actions = { far; keep; renew; }
        default_action = keep();
        size = 100000;
    }
    apply {
        if (one.apply().hit) {
            two.apply();
            if (hdr.first.kind == 4) {
                hdr.second.setInvalid();
            } else if (hdr.first.kind == 5) {
                hdr.second.setInvalid();
                hdr.second.setValid();
                hdr.third.setValid();
                hdr.third.y = 0x77;
            }
        }
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.first);
        packet.emit(hdr.second);
        packet.emit(hdr.third);
    }
}
V1Switch(P(), V(), I(), E(), C(), D()) main;
