// Two lookups that depend on one another, a branch that joins again, a register whose packets stay in order.
#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> destination; bit<48> source; bit<16> type; }
header label_t    { bit<20> value; bit<3> class; bit<1> bottom; bit<8> ttl; }

struct headers_t  { ethernet_t ethernet; label_t label; }
struct metadata_t { bit<16> group; bit<8> colour; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) { 0x8847: label; default: accept; }
    }
    state label {
        packet.extract(hdr.label);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<32>>(16) last;
    counter(4, CounterType.packets) seen;

    action drop() { mark_to_drop(std); }
    action group(bit<16> number) { meta.group = number; }
    action send(bit<9> port) { std.egress_spec = port; }
    action swap(bit<20> value, bit<9> port) {
        hdr.label.value = value;
        hdr.label.ttl = hdr.label.ttl |-| 1;
        std.egress_spec = port;
    }

    table groups {
        key = { hdr.ethernet.destination: exact; }
        actions = { group; drop; }
        default_action = drop();
        size = 1024;
    }
    table labels {
        key = { hdr.label.value: exact; meta.group: ternary; }
        actions = { swap; drop; NoAction; }
    }
    table ports {
        key = { meta.group: exact; }
        actions = { send; drop; }
        const entries = { 1: send(4); 2: drop(); }
    }

    apply {
        if (groups.apply().hit) {
            if (hdr.label.isValid()) { labels.apply(); } else { ports.apply(); }
        }
        bit<32> before;
        last.read(before, (bit<32>)meta.group);
        last.write((bit<32>)meta.group, before + 1);
        seen.count(before & 3);
    }
}

#include "rest.p4"
