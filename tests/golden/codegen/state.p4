// State and requests: registers, counters, meters, hashes, members and groups, digests, clones and second passes.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<8> what; bit<8> key; bit<16> flow; bit<32> cell; bit<128> wide; }

struct headers_t  { order_t order; }
struct pair_t     { bit<8> low; bit<24> high; }
struct metadata_t { @field_list(1, 2) bit<8> one; @field_list(2) bit<16> two; bit<8> colour; bit<32> sum; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    value_set<bit<8>>(4) kinds;
    state start {
        packet.extract(hdr.order);
        transition select(hdr.order.what) { kinds: known; 0x80 &&& 0xc0: known; 3 .. 5: reject; default: accept; }
    }
    state known { meta.one = 7; transition accept; }
}

control V(inout headers_t hdr, inout metadata_t meta) { apply { } }
control C(inout headers_t hdr, inout metadata_t meta) { apply { } }

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<32>>(1 << 20) last;
    register<bit<32>>(1 << 20) total;
    register<bit<24>>(16) small;
    register<bit<128>>(4) wide;
    counter(1 << 20, CounterType.packets_and_bytes) seen;
    meter(16, MeterType.bytes) rates;
    direct_meter<bit<8>>(MeterType.packets) of_entry;
    direct_counter(CounterType.bytes) hits;
    action_profile(32w16) members;
    action_selector(HashAlgorithm.crc16, 32w8, 32w10) chosen;

    action set(bit<8> value, bit<9> port) { meta.one = value; std.egress_spec = port; }
    action mark() { of_entry.read(meta.colour); }
    action none() { }
    table one {
        key = { hdr.order.key: exact; }
        actions = { set; none; }
        implementation = members;
        default_action = none();
    }
    table many {
        key = { hdr.order.key: exact; hdr.order.flow: selector; hdr.order.what: selector; }
        actions = { set; none; }
        implementation = chosen;
        default_action = none();
        size = 1 << 20;
    }
    table coloured {
        key = { hdr.order.flow: ternary; hdr.order.key: optional; }
        actions = { mark; none; }
        default_action = none();
        meters = of_entry;
        size = 1 << 16;
    }
    table aging {
        key = { hdr.order.wide: lpm; }
        actions = { set; none; }
        default_action = none();
        counters = hits;
        support_timeout = true;
        size = 1 << 16;
    }
    table ranges {
        key = { hdr.order.flow: range; hdr.order.key: exact; }
        actions = { set; none; }
        default_action = none();
        const entries = { (1 .. 9, 2): set(1, 2); (5, 3): set(3, 4); (_, 7): none(); }
    }
    apply {
        std.egress_spec = 1;
        one.apply();
        if (many.apply().hit) { meta.two = 0x0203; }
        switch (coloured.apply().action_run) { mark: { meta.sum = 9; } default: { aging.apply(); } }
        ranges.apply();

        bit<32> index;
        hash(index, HashAlgorithm.crc32, 32w0, { hdr.order.flow, hdr.order.wide }, 64w0x100000);
        bit<32> before;
        last.read(before, index);
        last.write(index, before + hdr.order.cell);
        total.read(meta.sum, index);
        total.write(index, meta.sum |+| 32w1);
        seen.count(hdr.order.cell);
        bit<24> some;
        small.read(some, (bit<32>) hdr.order.key);
        small.write((bit<32>) hdr.order.key, some == 7 ? 24w0 : some << 1);
        if (hdr.order.what == 1) {
            bit<128> held;
            wide.read(held, 0);
            wide.write(0, held ^ hdr.order.wide);
            rates.execute_meter((bit<32>) hdr.order.key, meta.colour);
        } else if (hdr.order.what == 2) {
            clone_preserving_field_list(CloneType.I2E, 9, 2);
        } else if (hdr.order.what == 6 && std.instance_type == 0) {
            resubmit_preserving_field_list(1);
        }
        digest<pair_t>(1, { meta.one, 24w5 });
        random(meta.two, 16w3, 16w900);
        assert(hdr.order.what != 0xff);
        log_msg("what {} at {}", { hdr.order.what, std.ingress_global_timestamp });
        hdr.order.flow = meta.two + (bit<16>) meta.colour;
        hdr.order.cell = before + meta.sum;
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        if (std.instance_type == 1) { hdr.order.what = meta.one; hdr.order.flow = meta.two; truncate(20); }
        else if (hdr.order.key == 0xee) { hdr.order.key = 0xef; recirculate_preserving_field_list(2); }
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.order); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
