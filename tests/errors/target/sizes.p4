#include <core.p4>
#include <v1model.p4>
header h_t { bit<32> x; }
struct headers_t { h_t h; }
struct meta_t { }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    value_set<bit<32>>(2147483647) widest;
    state start { packet.extract(hdr.h); transition select(hdr.h.x) { widest: reject; default: accept; } }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control Sized(inout headers_t hdr)(bit<64> size) {
    table t { key = { hdr.h.x : exact; } actions = { NoAction; } size = size; }
    apply { t.apply(); }
}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    counter(2147483648, CounterType.packets) counts;
    meter(4294967295, MeterType.bytes) rates;
    register<bit<8>>(3000000000) numbers;
    register<bit<8>>(4294967296) wrapped;
    register<bit<8>>(2147483647) widest;
    action_profile(2147483648) members;
    action_selector(HashAlgorithm.crc16, 2147483648, 14) chosen;
    action to(bit<9> port) { sm.egress_spec = port; }
    table inverted {
        key = { hdr.h.x : ternary; }
        actions = { to; }
        const entries = { 1 : to(1) @priority(2147483647); 2 : to(2) @priority(-1); 3 : to(3) @priority(2147483646); }
    }
    table uses { key = { hdr.h.x : exact; } actions = { to; } implementation = members; }
    table selects { key = { hdr.h.x : exact; hdr.h.x : selector; } actions = { to; } implementation = chosen; }
    Sized(64w4294967296) sized;
    apply {
        counts.count(0);
        bit<2> colour;
        rates.execute_meter(32w0, colour);
        numbers.write(0, 1);
        wrapped.write(0, 1);
        widest.write(0, 1);
        uses.apply();
        selects.apply();
        inverted.apply();
        sized.apply(hdr);
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
