// Second passes that meet: clones of clones, clone and resubmit of one packet, recirculation that grows the frame or never
// ends, a header made where another was received, truncation before the frame goes round.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<8> what; bit<8> rounds; }
header tag_t { bit<8> a; bit<8> b; }

struct headers_t { tag_t tag; order_t order; }
struct meta_t {
    @field_list(1, 2) bit<8> one;
    @field_list(2) bit<16> two;
    bit<8> lost;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        transition select(packet.lookahead<bit<8>>()) {
            0x80 &&& 0x80: tag;
            default: order;
        }
    }
    state tag {
        packet.extract(hdr.tag);
        meta.lost = hdr.tag.b;
        transition order;
    }
    state order {
        packet.extract(hdr.order);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<32>>(4) passes;
    counter(4, CounterType.packets) seen;
    action count_pass(bit<32> index) {
        bit<32> n;
        passes.read(n, index);
        passes.write(index, n + 1);
    }
    action both(bit<32> session) {
        clone_preserving_field_list(CloneType.I2E, session, 2);
        resubmit_preserving_field_list(1);
    }
    action none() { }
    table orders {
        key = { hdr.order.what: exact; }
        actions = { both; count_pass; none; }
        default_action = none();
        const entries = {
            3: count_pass(3);
            5: both(9);
        }
    }
    apply {
        sm.egress_spec = 1;
        seen.count(sm.instance_type & 3);
        if (sm.instance_type == 6) {
            hdr.order.rounds = meta.one + (bit<8>) meta.two;
            hdr.order.what = 0;
            return;
        }
        if (sm.instance_type == 4 && hdr.order.what == 8) {
            hdr.order.rounds = meta.one + (bit<8>) meta.two + (bit<8>) sm.packet_length;
            return;
        }
        meta.one = hdr.order.rounds + 1;
        meta.two = 0x0203;
        orders.apply();
        meta.one = meta.one + 1;
        if (hdr.order.what == 7) { truncate(4); }
        if (hdr.order.what == 8) { sm.mcast_grp = 3; }
        if (hdr.order.what == 6) {
            hdr.order.setInvalid();
            hdr.tag.setInvalid();
            hdr.tag.setValid();
            hdr.tag.a = 1;
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.instance_type == 1) {
            hdr.order.rounds = meta.one + (bit<8>) meta.two + meta.lost;
        } else if (hdr.order.what == 8 && sm.instance_type == 5) {
            recirculate_preserving_field_list(2);
        } else if (hdr.order.what == 8) {           // the copies' second passes: they are copies no more
            hdr.order.rounds = hdr.order.rounds + (bit<8>) sm.egress_rid;
        } else if (hdr.order.what == 3) {           // for ever
            recirculate_preserving_field_list(1);
        } else if (hdr.order.what == 2) {           // as long as rounds say
            if (sm.instance_type == 2) {
                hdr.tag.setValid();
                hdr.tag.a = 0x80;
                hdr.tag.b = meta.one + (bit<8>) meta.two + meta.lost + 0x40;
            }
            if (hdr.order.rounds != 0) {
                hdr.order.rounds = hdr.order.rounds - 1;
                meta.one = hdr.order.rounds;
                clone_preserving_field_list(CloneType.E2E, 4, 1);
            }
        } else if (hdr.order.what == 4 && hdr.order.rounds != 0) {
            hdr.order.rounds = hdr.order.rounds - 1;
            if (!hdr.tag.isValid()) { hdr.tag.setValid(); hdr.tag.a = 0x80; }
            else { hdr.tag.setInvalid(); }
            hdr.tag.b = hdr.tag.b + 1;
            recirculate_preserving_field_list(1);
        }
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.tag); packet.emit(hdr.order); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
