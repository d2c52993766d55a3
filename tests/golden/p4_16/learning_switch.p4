#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { ethernet_t eth; }
struct metadata_t { @field_list(1) bit<9> in_port; }
struct learn_t { bit<48> mac; bit<9> port; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.eth); transition accept; }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(512, CounterType.bytes) per_port;
    action learn() { digest<learn_t>(1, { hdr.eth.src, std.ingress_port }); }
    action to_port(bit<9> port) { std.egress_spec = port; }
    action flood(bit<16> group) { std.mcast_grp = group; }
    table smac {
        key = { hdr.eth.src: exact; std.ingress_port: exact; }
        actions = { learn; NoAction; }
        default_action = learn;
        support_timeout = true;
    }
    table dmac {
        key = { hdr.eth.dst: exact; }
        actions = { to_port; flood; }
        default_action = flood(1);
    }
    apply {
        meta.in_port = std.ingress_port;
        per_port.count((bit<32>) std.ingress_port);
        smac.apply();
        switch (dmac.apply().action_run) {
            to_port: { clone_preserving_field_list(CloneType.I2E, 5, 1); }
            flood: { if (hdr.eth.type == 0) { mark_to_drop(std); } }
        }
    }
}

#include "skeleton.p4"
