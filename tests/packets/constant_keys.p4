/* Tables whose keys are constants: what starts their lookups is given nothing of the packet. */
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<16> key;
    bit<8> sum;
}

struct headers {
    h_t h;
}

struct metadata {
    bool found;
}

parser Parse(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Verify(inout headers hdr, inout metadata meta) {
    apply {}
}

control Match(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    action more(bit<8> by) {
        hdr.h.sum = hdr.h.sum + by;
    }
    table first {
        key = { hdr.h.key: exact; }
        actions = { more; NoAction; }
        size = 100000;
    }
    table second {
        key = { hdr.h.key: ternary; }
        actions = { more; NoAction; }
        size = 100000;
    }
    table masked {
        key = { 48w7: ternary @name("k"); }
        actions = { more; NoAction; }
        size = 100000;
    }
    table between {
        key = { 16w9: range @name("k"); }
        actions = { more; NoAction; }
        size = 100000;
    }
    table under {
        key = { 32w0x0a000001: lpm @name("k"); }
        actions = { more; NoAction; }
        size = 100000;
    }
    table same {
        key = { 48w5: exact @name("k"); }
        actions = { more; NoAction; }
        size = 100000;
    }
    apply {
        std.egress_spec = 1;
        if (hdr.h.sum == 0) {
            meta.found = first.apply().hit;
        } else {
            meta.found = second.apply().hit;
        }
        if (meta.found && masked.apply().hit && between.apply().hit && under.apply().hit) {
            same.apply();
        }
    }
}

control Leave(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    apply {}
}

control Compute(inout headers hdr, inout metadata meta) {
    apply {}
}

control Deparse(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.h);
    }
}

V1Switch(Parse(), Verify(), Match(), Leave(), Compute(), Deparse()) main;
