// What no packet can meet: states, tables, actions, headers, fields, registers. Names that begin with "dead" must go.
#include <core.p4>
#include <v1model.p4>

header link_t {
    bit<48> dst;
    bit<48> src;
    bit<16> kind;
}

header dead_shim_t {
    bit<16> dead_next;
}

struct headers_t {
    link_t link;
    dead_shim_t dead_shim;
    dead_shim_t[2] dead_stack;
}

struct metadata_t {
    bit<16> dead_field;
    bit<16> dead_chain;
    bit<8> class;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.link);
        transition accept;
    }
    state dead_state {
        packet.extract(hdr.dead_shim);
        transition dead_end;
    }
    state dead_end {
        packet.extract(hdr.dead_stack.next);
        transition dead_state;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<16>>(16) dead_register;
    register<bit<16>>(16) dead_read_only;
    register<bit<16>>(16) seen;
    counter(8, CounterType.packets) dead_counter;
    bit<16> dead_local;

    action drop() {
        mark_to_drop(standard);
    }
    action forward(bit<9> port) {
        standard.egress_spec = port;
        meta.dead_field = meta.dead_field + 1;
    }
    action dead_action() {
        dead_register.write(0, 1);
    }
    table dead_table {
        key = {
            hdr.link.src: exact;
        }
        actions = {
            dead_action;
            forward;
        }
        default_action = dead_action();
    }
    table dead_in_branch {
        key = {
            hdr.link.kind: ternary;
        }
        actions = {
            dead_action;
        }
        default_action = dead_action();
    }
    table ports {
        key = {
            hdr.link.dst: exact;
        }
        actions = {
            forward;
            drop;
        }
        default_action = drop();
    }

    apply {
        dead_read_only.read(dead_local, 3);
        meta.dead_chain = dead_local + hdr.link.kind;
        meta.dead_field = meta.dead_chain;
        meta.class = 3;
        if (meta.class == 4) {
            dead_in_branch.apply();
            dead_counter.count(1);
        }
        if (hdr.dead_shim.isValid()) {
            hdr.dead_shim.setInvalid();
        } else {
            ports.apply();
        }
        seen.write(0, hdr.link.kind);
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (false) {
            hdr.link.src = 1;
        }
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.link);
        packet.emit(hdr.dead_shim);
        packet.emit(hdr.dead_stack);
    }
}

V1Switch(P(), Verify(), I(), E(), Compute(), D()) main;
