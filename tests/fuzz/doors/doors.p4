// What the fuzz targets run: every kind of match, extern and parser step, so that bytes from outside get everywhere.
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header label_t {
    bit<20> label;
    bit<3> traffic_class;
    bit<1> last;
    bit<8> ttl;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> tos;
    bit<16> length;
    bit<16> id;
    bit<3> flags;
    bit<13> offset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
    varbit<320> options;
}

header ipv6_t {
    bit<32> version_class_flow;
    bit<16> length;
    bit<8> next;
    bit<8> hops;
    bit<128> src;
    bit<128> dst;
}

header ports_t {
    bit<16> src;
    bit<16> dst;
}

struct headers_t {
    ethernet_t ethernet;
    label_t[3] labels;
    ipv4_t ipv4;
    ipv6_t ipv6;
    ports_t ports;
}

struct metadata_t {
    @field_list(1)
    bit<16> mark;
    bit<8> rounds;
    bit<2> colour;
}

struct seen_t {
    bit<48> station;
    bit<9> port;
}

parser DoorParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    value_set<bit<16>>(8) tunnels;

    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x0800: ipv4;
            0x86dd: ipv6;
            0x8847: label;
            tunnels: ahead;
            default: accept;
        }
    }

    state label {
        packet.extract(hdr.labels.next);
        transition select(hdr.labels.last.last) {
            0: label;
            default: ahead;
        }
    }

    state ahead {
        transition select(packet.lookahead<bit<4>>()) {
            4: ipv4;
            6: ipv6;
            15: skip;
            default: accept;
        }
    }

    state skip {
        packet.advance((bit<32>) packet.lookahead<bit<16>>()[11:0]);
        transition ahead;
    }

    state ipv4 {
        verify(packet.lookahead<bit<8>>()[3:0] >= 5, error.HeaderTooShort);
        packet.extract(hdr.ipv4, ((bit<32>) packet.lookahead<bit<8>>()[3:0] - 5) * 32);
        transition select(hdr.ipv4.offset, hdr.ipv4.protocol) {
            (0, 6): ports;
            (0, 17): ports;
            (0, 4): ahead;
            default: accept;
        }
    }

    state ipv6 {
        packet.extract(hdr.ipv6);
        transition select(hdr.ipv6.next) {
            6: ports;
            17: ports;
            default: accept;
        }
    }

    state ports {
        packet.extract(hdr.ports);
        transition accept;
    }
}

control DoorVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum_with_payload(hdr.ipv4.isValid() && hdr.ipv4.tos == 1,
            {hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags, hdr.ipv4.offset,
             hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.options},
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control DoorIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<32>>(64) sums;
    counter(64, CounterType.packets_and_bytes) frames;
    meter(64, MeterType.bytes) rates;
    direct_counter(CounterType.packets) hits;
    direct_meter<bit<2>>(MeterType.packets) shaping;
    action_selector(HashAlgorithm.crc16, 64, 16) members;
    action_profile(16) choices;

    action drop() {
        mark_to_drop(standard);
    }

    action forward(bit<9> port) {
        standard.egress_spec = port;
    }

    action route(bit<9> port, bit<48> next_hop) {
        standard.egress_spec = port;
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = next_hop;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    action flood(bit<16> group) {
        standard.mcast_grp = group;
    }

    action copy(bit<32> session, bit<16> mark) {
        meta.mark = mark;
        clone_preserving_field_list(CloneType.I2E, session, 1);
    }

    action count_it(bit<6> place) {
        bit<32> sum;
        shaping.read(meta.colour);
        frames.count((bit<32>) place);
        rates.execute_meter((bit<32>) place, meta.colour);
        sums.read(sum, (bit<32>) place);
        sums.write((bit<32>) place, sum + standard.packet_length);
        digest<seen_t>(1, {hdr.ethernet.src, standard.ingress_port});
    }

    action push_label(bit<20> label) {
        hdr.labels.push_front(1);
        hdr.labels[0] = {label, 0, 0, 64};
        hdr.ethernet.type = 0x8847;
    }

    action pop_label() {
        hdr.labels.pop_front(1);
    }

    action again() {
        meta.rounds = meta.rounds + 1;
        resubmit_preserving_field_list(1);
    }

    table stations {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            forward;
            flood;
            drop;
            @defaultonly NoAction;
        }
        counters = hits;
        size = 256;
        support_timeout = true;
        default_action = NoAction();
    }

    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            route;
            drop;
        }
        implementation = choices;
        size = 256;
    }

    table routes6 {
        key = {
            hdr.ipv6.dst: lpm;
            hdr.ports.dst: selector;
            hdr.ipv6.src: selector;
        }
        actions = {
            route;
            drop;
        }
        implementation = members;
        size = 256;
    }

    table rules {
        key = {
            hdr.ipv4.src: ternary;
            hdr.ipv4.isValid(): exact;
            hdr.ports.src: range;
            hdr.ipv4.protocol: optional;
        }
        actions = {
            copy;
            count_it;
            push_label;
            pop_label;
            again;
            drop;
            NoAction;
        }
        meters = shaping;
        size = 64;
        default_action = NoAction();
    }

    apply {
        if (standard.parser_error != error.NoError) {
            standard.egress_spec = 1;
        } else {
            stations.apply();
            rules.apply();
            if (hdr.ipv4.isValid()) {
                routes.apply();
            } else if (hdr.ipv6.isValid()) {
                routes6.apply();
            }
        }
    }
}

control DoorEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    table leaving {
        key = {
            standard.egress_port: exact;
            standard.egress_rid: ternary;
        }
        actions = {
            NoAction;
        }
        size = 16;
    }

    apply {
        leaving.apply();
        if (meta.mark == 7 && standard.instance_type == 0) {
            recirculate_preserving_field_list(1);
        }
        if (meta.mark == 8) {
            truncate(60);
        }
    }
}

control DoorCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            {hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags, hdr.ipv4.offset,
             hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.options},
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control DoorDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(DoorParser(), DoorVerify(), DoorIngress(), DoorEgress(), DoorCompute(), DoorDeparser()) main;
