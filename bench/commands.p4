/* commands: a table of each match kind and each kind of state, large: what bench/commands.py gives commands to. */
#include <core.p4>
#include <v1model.p4>

#define MANY 1048576

header keys_t {
    bit<48> exact_key;
    bit<32> prefix_key;
    bit<128> long_prefix_key;
    bit<32> ternary_key;
    bit<16> range_key;
    bit<32> optional_key;
    bit<32> member_key;
    bit<32> group_key;
    bit<32> index;
    bit<16> type;
}

struct headers_t {
    keys_t keys;
}

struct metadata_t {
}

parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    value_set<bit<16>>(4096) types;

    state start {
        packet.extract(hdr.keys);
        transition select(hdr.keys.type) {
            types: accept;
            default: accept;
        }
    }
}

control MyVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(MANY, CounterType.packets) counts;
    direct_counter(CounterType.packets) direct;
    meter(MANY, MeterType.packets) rates;
    register<bit<64>>(MANY) memory;
    action_profile(MANY) profile;
    action_selector(HashAlgorithm.crc32, MANY, 32w16) selector;

    action forward(bit<9> port) {
        standard.egress_spec = port;
    }

    table by_exact {
        key = { hdr.keys.exact_key: exact; }
        actions = { forward; }
        counters = direct;
        size = MANY;
    }
    table by_prefix {
        key = { hdr.keys.prefix_key: lpm; }
        actions = { forward; }
        size = MANY;
    }
    table by_long_prefix {
        key = { hdr.keys.long_prefix_key: lpm; }
        actions = { forward; }
        size = MANY;
    }
    table by_ternary {
        key = { hdr.keys.ternary_key: ternary; }
        actions = { forward; }
        size = MANY;
    }
    table by_range {
        key = { hdr.keys.range_key: range; hdr.keys.exact_key: exact; }
        actions = { forward; }
        size = MANY;
    }
    table by_optional {
        key = { hdr.keys.optional_key: optional; }
        actions = { forward; }
        size = MANY;
    }
    table by_member {
        key = { hdr.keys.member_key: exact; }
        actions = { forward; }
        implementation = profile;
        size = MANY;
    }
    table by_group {
        key = { hdr.keys.group_key: exact; hdr.keys.type: selector; }
        actions = { forward; }
        implementation = selector;
        size = MANY;
    }

    apply {
        bit<64> value;
        bit<2> colour;
        by_exact.apply();
        by_prefix.apply();
        by_long_prefix.apply();
        by_ternary.apply();
        by_range.apply();
        by_optional.apply();
        by_member.apply();
        by_group.apply();
        counts.count(hdr.keys.index);
        rates.execute_meter(hdr.keys.index, colour);
        memory.read(value, hdr.keys.index);
        memory.write(hdr.keys.index, value + 1);
        standard.mcast_grp = (bit<16>) colour;
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control MyCompute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.keys);
    }
}

V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
