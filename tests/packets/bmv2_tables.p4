// What BMv2 does where the specification says nothing, of tables: which entry wins, keys of headers that are not there.
#include <core.p4>
#include <v1model.p4>

header key_t { bit<8> what; bit<8> a; bit<8> b; bit<8> by; }
header flow_t { bit<16> flow; }
struct headers_t { key_t key; flow_t flow; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.key);
        transition select(hdr.key.what[7:7]) {
            1: flow;
            default: accept;
        }
    }
    state flow {
        packet.extract(hdr.flow);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action set(bit<8> by) { hdr.key.by = by; }
    direct_counter(CounterType.packets) hits;
    action_selector(HashAlgorithm.identity, 8, 16) members;
    table mixed {
        key = { hdr.key.a: lpm; hdr.key.b: ternary; }
        actions = { set; NoAction; }
        default_action = NoAction();
    }
    table ranged {
        key = { hdr.key.a: lpm; hdr.key.b: range; }
        actions = { set; NoAction; }
        default_action = NoAction();
    }
    table equal {
        key = { hdr.key.a: ternary; hdr.key.b: ternary; }
        actions = { set; NoAction; }
        counters = hits;
        default_action = NoAction();
    }
    table spread {
        key = { hdr.key.a: exact; hdr.key.b: selector; hdr.flow.flow: selector; }
        actions = { set; NoAction; }
        implementation = members;
        default_action = NoAction();
    }
    apply {
        sm.egress_spec = 1;
        switch (hdr.key.what & 0x7f) {
            1: { mixed.apply(); }
            2: { ranged.apply(); }
            3: { equal.apply(); }
            4: { spread.apply(); }
            default: { }
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
