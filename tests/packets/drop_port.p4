// The drop port comes as action data, while with another action the port is known: such packets are not for egress.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> what; bit<8> a; }
struct headers_t { work_t work; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action to(bit<9> port) { sm.egress_spec = port; }
    table ports {
        key = { hdr.work.what: exact; }
        actions = { to; NoAction; }
    }
    apply {
        switch (ports.apply().action_run) {
            to: { hdr.work.a = hdr.work.a + 1; }
        }
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    counter(1, CounterType.packets) seen;
    apply {
        hdr.work.a = hdr.work.a;
        seen.count(0);
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
