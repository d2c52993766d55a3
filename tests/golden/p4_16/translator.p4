// Registers, counters, meters, hash, random; nested controls with tables; an action selector; ternary entries.
#include <core.p4>
#include <v1model.p4>

header flow_t { bit<32> src; bit<32> dst; bit<16> sport; bit<16> dport; bit<8> protocol; }
struct headers_t { flow_t flow; }
struct metadata_t { bit<16> slot; bit<32> last; bit<8> colour; bit<14> path; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.flow); transition accept; }
}

control Rewrite(inout bit<32> address, inout bit<16> port)(bit<32> pool) {
    action set(bit<32> new_address, bit<16> new_port) { address = new_address | pool; port = new_port; }
    table bindings {
        key = { address: exact; port: exact; }
        actions = { set; NoAction; }
        size = 65536;
    }
    apply { bindings.apply(); }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<32>>(1024) seen;
    register<bool>(1024) known;
    meter(1024, MeterType.bytes) rate;
    counter(1024, CounterType.packets) flows;
    action_selector(HashAlgorithm.crc16, 64, 14) paths;
    Rewrite(0x0A000000) inside;
    Rewrite(0xC0A80000) outside;
    bool old;

    action out_by(bit<9> port) { std.egress_spec = port; }
    table egress_paths {
        key = { hdr.flow.dst: lpm; hdr.flow.src: selector; hdr.flow.sport: selector; }
        actions = { out_by; }
        implementation = paths;
    }
    action police(in bit<8> limit, bit<8> mark) { meta.colour = limit + mark; }
    table policy {
        key = { hdr.flow.protocol: ternary; hdr.flow.dport: range; meta.colour: optional; }
        actions = { police(meta.colour); NoAction; }
        entries = {
            priority = 10: (6, 80 .. 443, _): police(1);
            priority = 20: (17 &&& 0x1F, _, 2): police(2);
            (_, 53, _): NoAction();
        }
    }

    apply {
        hash(meta.slot, HashAlgorithm.crc32, (bit<16>) 0,
             { hdr.flow.src, hdr.flow.dst, hdr.flow.sport, hdr.flow.dport, hdr.flow.protocol }, (bit<32>) 1024);
        known.read(old, (bit<32>) meta.slot);
        seen.read(meta.last, (bit<32>) meta.slot);
        seen.write((bit<32>) meta.slot, meta.last + 1);
        known.write((bit<32>) meta.slot, true);
        rate.execute_meter((bit<32>) meta.slot, meta.colour);
        flows.count((bit<32>) meta.slot);
        if (!old) {
            random(meta.path, 14w0, 14w100);
            inside.apply(hdr.flow.src, hdr.flow.sport);
        } else {
            outside.apply(hdr.flow.dst, hdr.flow.dport);
        }
        policy.apply();
        egress_paths.apply();
    }
}

#include "skeleton.p4"
