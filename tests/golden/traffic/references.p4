// Action data that name entries of other tables and multicast groups, and rules for entries.
#include <core.p4>
#include <v1model.p4>
header h_t { bit<48> neighbour; bit<48> to; bit<16> port; bit<16> kind; bit<16> told; bit<48> told_too; }
struct H { h_t h; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.h); transition accept; } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action seen() { }
    action copied(bit<16> group) { s.mcast_grp = group; }
    action via(@refers_to(neighbours, port) @refers_to(ports, port) bit<16> port,
               @refers_to(neighbours, neighbour) bit<48> by, @refers_to(builtin::multicast_group_table, group) bit<16> group) {
        h.h.told = port;
        h.h.told_too = by;
        h.h.kind = group;
    }
    table groups { key = { h.h.kind : exact; } actions = { copied; NoAction; } default_action = NoAction(); size = 8; }
    table ports { key = { h.h.port : exact @name("port"); } actions = { seen; } size = 4; }
    @entry_restriction("neighbour::value > 0x800000000000 && port != 3; pick::mask == 0 || pick::mask == -1")
    table neighbours {
        key = { h.h.port : exact @name("port"); h.h.neighbour : exact @name("neighbour"); h.h.told : ternary @name("pick"); }
        actions = { seen; }
        size = 12;
    }
    table routes { key = { h.h.to : lpm; } actions = { via; NoAction; } default_action = NoAction(); size = 16; }
    apply {
        s.egress_spec = 1;
        groups.apply();
        neighbours.apply();
        ports.apply();
        routes.apply();
    }
}
control V(inout H h, inout M m) { apply { } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
