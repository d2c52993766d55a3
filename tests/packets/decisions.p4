// Ten lookups that keep no state but counters: a cache of decisions stands in front of them. What they write is written on some
// ways only, counted on some, and read behind them; a header comes and goes.
#include <core.p4>
#include <v1model.p4>

header base_t {
    bit<8> kind;
    bit<32> from;
    bit<32> to;
    bit<16> flow;
    bit<8> mark;
    bit<8> number; // of the frame: nothing in the stretch reads it
}
header more_t {
    bit<16> left;
    bit<128> wide;
    bit<8> last;
    bit<8> over; // some ways write it, with what nothing in the stretch reads
    bit<32> under;
}
struct headers_t {
    base_t base;
    more_t more;
}
struct meta_t {
    bit<8> class;
    bit<16> next;
    bit<8> unread;
    bit<48> sum;
    bool sent;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.base);
        meta.sum = (bit<48>)hdr.base.mark;
        transition select(hdr.base.kind) {
            0x80 &&& 0x80: more;
            default: accept;
        }
    }
    state more {
        packet.extract(hdr.more);
        transition accept;
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    direct_counter(CounterType.packets_and_bytes) of_class;
    direct_counter(CounterType.packets_and_bytes) of_next;
    counter(16, CounterType.packets_and_bytes) of_kind;
    @max_group_size(8) action_selector(HashAlgorithm.crc16, 64, 16) chosen;
    register<bit<8>>(1) seen;
    bit<8> before;

    action set_class(bit<8> class) { meta.class = class; }
    action count_class(bit<8> class) { meta.class = class; of_class.count(); }
    action drop() { mark_to_drop(standard); }
    action set_next(bit<16> next) { meta.next = next; }
    action send(bit<9> port, bit<32> to) { standard.egress_spec = port; hdr.base.to = to; meta.sent = true; }
    action pop() { hdr.more.setInvalid(); }
    action push(bit<128> wide) { hdr.more.setValid(); hdr.more.left = 7; hdr.more.wide = wide; hdr.more.last = 1;
        hdr.more.over = 2; hdr.more.under = 3; }
    action tint(bit<8> tint) { hdr.more.over = tint; hdr.more.under = (bit<32>)tint + 1; }
    action widen(bit<128> wide) { hdr.more.wide = wide ^ hdr.more.wide; }
    action mark(bit<8> mark) { hdr.base.mark = mark; meta.sum = meta.sum + 48w0x100000000000; }
    action none() { }

    table by_port { key = { standard.ingress_port: exact; hdr.base.kind: ternary; } actions = { count_class; drop; none; }
        default_action = none(); counters = of_class; }
    table by_from { key = { hdr.base.from: lpm; } actions = { set_class; none; } default_action = none(); }
    table by_to { key = { hdr.base.to: lpm; } actions = { set_next; none; } default_action = set_next(1); counters = of_next; }
    table by_flow { key = { hdr.base.flow: range; meta.class: exact; } actions = { set_next; drop; none; }
        default_action = none(); }
    table groups { key = { meta.next: exact; hdr.base.from: selector; hdr.base.flow: selector; }
        actions = { send; none; } default_action = none(); implementation = chosen; }
    table ports { key = { meta.next: exact; } actions = { send; none; } default_action = none(); }
    table headers { key = { meta.class: exact; hdr.more.isValid(): exact @name("there"); } actions = { pop; push; widen; tint; none; }
        default_action = none(); }
    table marks { key = { hdr.base.mark: exact; } actions = { mark; none; } default_action = none(); }
    table more { key = { hdr.more.left: exact; hdr.more.isValid(): exact @name("there"); } actions = { mark; none; } default_action = none(); }
    table acl { key = { hdr.base.from: ternary; hdr.base.to: ternary; hdr.more.wide: ternary; } actions = { drop; none; }
        default_action = none(); }

    apply {
        seen.read(before, 0);
        seen.write(0, before + 1);
        of_kind.count((bit<32>)hdr.base.kind);
        by_port.apply();
        by_from.apply();
        by_to.apply();
        by_flow.apply();
        if (groups.apply().hit) {
            meta.unread = 1;
        } else {
            switch (ports.apply().action_run) {
                send: { marks.apply(); }
                none: { meta.unread = 2; standard.egress_spec = 3; }
            }
        }
        headers.apply();
        more.apply();
        acl.apply();
        if (hdr.base.number == 255) {
            hdr.base.number = before;
        }
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply {
        if (meta.sent) {
            hdr.base.from = (bit<32>)(meta.sum >> 16) + (bit<32>)meta.class;
        }
    }
}
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.base); packet.emit(hdr.more); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
