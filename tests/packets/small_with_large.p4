// Small ternary tables behind a large one: their keys are known where its stage begins, or not before its actions have run.
#include <core.p4>
#include <v1model.p4>

header fields_t {
    bit<48> to;
    bit<16> kind;
    bit<8> first;
    bit<8> second;
}

struct headers_t {
    fields_t fields;
}

struct meta_t {
    bit<8> group;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.fields);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply {} }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    direct_counter(CounterType.packets) admitted;
    action to_group(bit<8> group) { meta.group = group; }
    action admit(bit<8> with) { admitted.count(); hdr.fields.first = with; }
    action mark(bit<8> with) { hdr.fields.second = with; }

    table groups {
        key = { hdr.fields.to: exact; }
        actions = { to_group; NoAction; }
        size = 100000;
    }
    table admit_some {
        key = { hdr.fields.to: ternary; hdr.fields.kind: optional; sm.ingress_port: ternary; }
        actions = { admit; NoAction; }
        counters = admitted;
        size = 64;
    }
    table of_group {
        key = { meta.group: ternary; }
        actions = { mark; NoAction; }
        size = 64;
    }

    apply {
        sm.egress_spec = 1;
        groups.apply();
        if (meta.group != 9) {
            if (!admit_some.apply().hit) {
                hdr.fields.first = 0xee;
            }
        }
        of_group.apply();
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply {} }

control C(inout headers_t hdr, inout meta_t meta) { apply {} }

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.fields); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
