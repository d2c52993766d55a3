// Undeclared names, with a suggestion where one is near.
#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> dst; bit<48> src; bit<16> etherType; }
struct headers_t { ethernet_t ethernet; }
struct meta_t { bit<9> port; }

parser MyParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t smeta) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ethertype) {
            0x800: parse_ipv4;
            default: acept;
        }
    }
}
control MyVerify(inout headers_t hdr, inout meta_t meta) { apply { } }
control MyIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t smeta) {
    action forward(bit<9> port) {
        smeta.egress_spec = prt;
        meta.port = undeclared_thing;
    }
    table dmac {
        key = { hdr.ethernet.dst : exct; }
        actions = { foward; NoAction; }
        default_action = NoAction();
    }
    headerz_t local;
    apply {
        dmac.aply();
        dmacs.apply();
        if (hdr.ethernet.isvalid()) { drop_it(); }
        if (smeta.parser_error == error.PacketTooShrt) { mark_to_drop(smeta); }
    }
}
control MyDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.ethernt); } }
