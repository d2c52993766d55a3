// A cell that every packet adds one to before the first lookup: in the prologue of a software pipeline.
#include <core.p4>
#include <v1model.p4>

header station_t { bit<48> address; }

struct headers_t { station_t station; }
struct meta_t { bit<64> seen; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.station);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<64>>(1) sum;
    action forward(bit<9> port) { sm.egress_spec = port; }
    table stations {
        key = { hdr.station.address : exact; }
        actions = { forward; }
        default_action = forward(1);
        size = 100000;
    }
    apply {
        sum.read(meta.seen, 0);
        sum.write(0, meta.seen + 1);
        stations.apply();
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.station); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
