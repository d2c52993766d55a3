// Keys of action data: one of several, inverted, summed, sliced; indexes of cells; data that lead another way.
#include <core.p4>
#include <v1model.p4>
header h_t { bit<32> a; bit<32> b; bit<16> c; bit<16> d; }
struct H { h_t h; }
struct M { bit<32> usual; bit<32> address; bit<16> cell; bit<16> inverted; bit<16> sum; bit<8> narrow; bit<2> colour; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.h); transition accept; } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    register<bit<32>>(100) cells;
    register<bit<32>>(40) others;
    meter(1000, MeterType.bytes) rates;
    action by_default(bit<32> usual) { m.usual = usual; }
    action map(bit<32> address, bit<1> own, bit<16> cell, bit<8> kind) {
        m.address = address == 0 ? m.usual : address;
        if (own == 0) { m.address = m.usual; }
        m.cell = cell;
        m.narrow = kind;
        if (kind == 7) { mark_to_drop(s); }
    }
    action go(bit<9> port) { s.egress_spec = port; }
    action marked(bit<16> value) { h.h.d = value; }
    table defaults { key = { h.h.a : exact; } actions = { by_default; NoAction; } default_action = NoAction(); size = 64; }
    table maps { key = { h.h.b : exact; } actions = { map; NoAction; } default_action = NoAction(); size = 64; }
    table routes { key = { m.address : lpm; m.narrow : exact; } actions = { go; NoAction; } default_action = NoAction(); }
    table inversions { key = { m.inverted : exact; } actions = { marked; NoAction; } default_action = NoAction(); }
    table sums { key = { m.sum : ternary; h.h.c : ternary; } actions = { marked; NoAction; } default_action = NoAction(); }
    table slices { key = { h.h.a[15:8] : exact; h.h.c[3:0] : range; } actions = { marked; NoAction; } default_action = NoAction(); }
    apply {
        s.egress_spec = 1;
        if (defaults.apply().hit) {
            if (maps.apply().hit) {
                cells.write((bit<32>) m.cell, 1);
                others.write((bit<32>) m.cell, 1);
                rates.execute_meter((bit<32>) h.h.c, m.colour);
                routes.apply();
                slices.apply();
            }
        }
        m.inverted = ~h.h.c;
        m.sum = h.h.c + h.h.d;
        inversions.apply();
        sums.apply();
    }
}
control V(inout H h, inout M m) { apply { } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
