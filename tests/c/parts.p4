/* parts: three tables, each a stage. In front of the first, a register counts the packets of a source; behind the second one
 * another register counts those that it sends to each port. Each packet tells both, so that its bytes tell the order of all.
 * What the third table does not know is dropped; a group is flooded. */
#include <core.p4>
#include <v1model.p4>

header frame_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
    bit<32> first;
    bit<32> second;
}

struct headers_t {
    frame_t frame;
}

struct metadata_t {
    bit<8> class;
    bit<8> way;
}

parser PartsParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.frame);
        transition accept;
    }
}

control PartsVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control PartsIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<32>>(16) sources;
    register<bit<32>>(16) ways;

    action classify(bit<8> class) {
        meta.class = class;
    }
    action choose(bit<8> way) {
        meta.way = way;
    }
    action forward(bit<9> port) {
        standard.egress_spec = port;
    }
    action flood() {
        standard.mcast_grp = 1;
    }
    action refuse() {
        mark_to_drop(standard);
        exit;
    }
    table classes {
        key = { hdr.frame.src: exact; }
        actions = { classify; refuse; }
        default_action = classify(0);
        size = 1024;
    }
    table choices {
        key = { meta.class: exact; }
        actions = { choose; }
        default_action = choose(1);
        size = 256;
    }
    table ports {
        key = { meta.way: exact; hdr.frame.dst: exact; }
        actions = { forward; flood; refuse; }
        default_action = refuse();
        size = 1024;
    }
    apply {
        sources.read(hdr.frame.first, (bit<32>)(bit<4>)hdr.frame.src);
        hdr.frame.first = hdr.frame.first + 1;
        sources.write((bit<32>)(bit<4>)hdr.frame.src, hdr.frame.first);
        classes.apply();
        choices.apply();
        ways.read(hdr.frame.second, (bit<32>)(bit<4>)meta.way);
        hdr.frame.second = hdr.frame.second + 1;
        ways.write((bit<32>)(bit<4>)meta.way, hdr.frame.second);
        ports.apply();
    }
}

control PartsEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control PartsCompute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control PartsDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.frame);
    }
}

V1Switch(PartsParser(), PartsVerify(), PartsIngress(), PartsEgress(), PartsCompute(), PartsDeparser()) main;
