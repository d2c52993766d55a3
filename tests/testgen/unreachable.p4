#include <core.p4>
#include <v1model.p4>

/* All is reached but the branch in line 44, which no packet takes: what is above 9 is not below 5. */

header h_t {
    bit<8> kind;
    bit<8> size;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.kind) {
            1 .. 3: accept;
            2: never;
            _: accept;
        }
    }
    state never {
        transition reject;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action send(bit<9> port) {
        standard.egress_spec = port;
    }
    table sizes { key = { hdr.h.size: exact; } actions = { send; NoAction; } }
    apply {
        sizes.apply();
        if (hdr.h.size > 9) {
            if (hdr.h.size < 5) {
                hdr.h.kind = 77;
            }
            hdr.h.size = 9;
        }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.h);
    }
}

V1Switch(P(), Verify(), MyIngress(), MyEgress(), Compute(), MyDeparser()) main;
