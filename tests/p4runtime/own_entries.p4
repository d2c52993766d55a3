/* Entries that the program begins with, under masks of widths that are no whole bytes. */
#include <core.p4>
#include <v1model.p4>

header h_t { bit<9> narrow; bit<33> wide; bit<65> wider; bit<5> rest; }
struct headers_t { h_t h; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action forward(bit<9> port) { std.egress_spec = port; }
    table own_t {
        key = { hdr.h.narrow: ternary; hdr.h.wide: ternary; hdr.h.wider: ternary; }
        actions = { forward; NoAction; }
        default_action = NoAction();
        entries = {
            (0x101, 0x1_0000_0001, 0x1_0000_0000_0000_0001): forward(1);
            (0x180 &&& 0x180, 0x1_0000_0000 &&& 0x1_0000_0000, 1 &&& 0x1_0000_0000_0000_0001): forward(2);
            (0x1ff &&& 0x0f0, _, _): forward(3);
            (_, 0x1_ffff_ffff &&& 0x1_00ff_0000, 0x1_0000_0000_0000_0000 &&& 0x1_0000_0000_0000_0000): NoAction();
            (_, _, 0): forward(4);
        }
        size = 16;
    }
    table const_t {
        key = { hdr.h.narrow: ternary; hdr.h.wide: optional; hdr.h.wider: ternary; }
        actions = { forward; NoAction; }
        const default_action = NoAction();
        const entries = {
            (0x101 &&& 0x101, 0x1_0000_0001, _): forward(5);
            (_, _, 0x1_0000_0000_0000_0001 &&& 0x1_0000_0000_0000_00ff): forward(6);
        }
    }
    table prefix_t {
        key = { hdr.h.wide: lpm; }
        actions = { forward; NoAction; }
        default_action = NoAction();
        entries = {
            0x1_8000_0000 &&& 0x1_8000_0000: forward(7);
            0x1_0000_0001: forward(8);
            _: NoAction();
        }
        size = 16;
    }
    apply {
        std.egress_spec = 511;
        own_t.apply();
        const_t.apply();
        prefix_t.apply();
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
