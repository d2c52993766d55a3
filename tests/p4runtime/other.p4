/* Another program than served.p4, of which it has two tables as they are. */
#include <core.p4>
#include <v1model.p4>

header eth_t { bit<48> dst; bit<48> src; bit<16> kind; }
struct headers_t { eth_t eth; }
struct meta_t { bit<512> much; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.eth); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    direct_counter(CounterType.packets_and_bytes) forwarded;
    action drop() { mark_to_drop(std); }
    action forward(bit<9> port) { std.egress_spec = port; }
    action count_forward(bit<9> port) { forwarded.count(); std.egress_spec = port; }
    action mirrored() { std.egress_spec = std.ingress_port; }
    table lpm_t { key = { hdr.eth.src: lpm; } actions = { forward; NoAction; } default_action = NoAction(); size = 4096; }
    table new_t {
        key = { hdr.eth.kind: exact; }
        actions = { mirrored; NoAction; }
        default_action = NoAction();
        size = 16;
    }
    table exact_t {
        key = { hdr.eth.dst: exact; }
        actions = { count_forward; drop; }
        default_action = drop();
        counters = forwarded;
        size = 65536;
    }
    apply {
        exact_t.apply();
        lpm_t.apply();
        new_t.apply();
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) {
    apply { // a sum of the payload: whole frames are read
        update_checksum_with_payload(hdr.eth.kind == 0xfffe, { hdr.eth.src }, hdr.eth.kind, HashAlgorithm.csum16);
    }
}
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.eth); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
