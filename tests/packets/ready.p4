// A cache of decisions behind which a packet is only computed and put together: its decisions may be made ready. Headers come, go,
// move and change, wholly or in a field of them; some fields nobody reads, and what is read behind the tables is written there
// on some ways only. Frames with options, whose length varies, are never sent by a ready decision.
#include <core.p4>
#include <v1model.p4>

header outer_t {
    bit<4> kind;
    bit<4> tag;
    bit<16> id;
    bit<32> to;
    bit<16> sum;
    bit<8> hops;
    bit<8> spare;
}
header options_t {
    bit<8> words;
    varbit<64> data;
}
header label_t {
    bit<20> label;
    bit<3> class;
    bit<1> last;
    bit<8> hops;
}
header inner_t {
    bit<8> kind;
    bit<32> from;
    bit<32> to;
    bit<24> number;
}
struct headers_t {
    outer_t outer;
    options_t options;
    label_t label;
    label_t second;
    inner_t inner;
}
struct meta_t {
    bit<8> class;
    bit<8> mark;
    bit<16> seen;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.outer);
        meta.seen = hdr.outer.id;
        transition select(hdr.outer.kind) {
            1: label;
            2: inner;
            3: options;
            default: accept;
        }
    }
    state options {
        packet.extract(hdr.options, (bit<32>)packet.lookahead<bit<8>>() << 5 & 0x60);
        transition inner;
    }
    state label {
        packet.extract(hdr.label);
        transition select(hdr.label.last) {
            1: inner;
            default: second;
        }
    }
    state second {
        packet.extract(hdr.second);
        transition inner;
    }
    state inner {
        packet.extract(hdr.inner);
        transition accept;
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    counter(4, CounterType.packets_and_bytes) of_class;
    bit<8> class = 0;

    action none() { }
    action drop() { mark_to_drop(standard); }
    action set_class(bit<8> value) { class = value; meta.class = value; of_class.count((bit<32>)value & 3); }
    action set_mark(bit<8> mark) { meta.mark = mark; }
    action send(bit<9> port) { standard.egress_spec = port; }
    action push(bit<20> label) { hdr.label.setValid(); hdr.label.label = label; hdr.label.class = 5; hdr.label.last = 1;
        hdr.label.hops = 64; hdr.outer.kind = 1; }
    action push_two(bit<20> label) { hdr.label.setValid(); hdr.label.label = label; hdr.label.class = 5; hdr.label.last = 0;
        hdr.label.hops = 64; hdr.second.setValid(); hdr.second.label = label; hdr.second.class = 2; hdr.second.last = 1;
        hdr.second.hops = 63; }
    action pop() { hdr.label.setInvalid(); }
    action pop_second() { hdr.second.setInvalid(); }
    action swap(bit<20> label) { hdr.label.label = label; }
    action outer(bit<16> id, bit<8> hops) { hdr.outer.id = id; hdr.outer.hops = hops; hdr.outer.spare = 9; hdr.outer.sum = 0; }
    action hops(bit<8> hops) { hdr.outer.hops = hops; }
    action to(bit<32> to) { hdr.outer.to = to; hdr.inner.to = to; }
    action strip() { hdr.inner.setInvalid(); }
    action number(bit<24> number) { hdr.inner.number = number; }

    table by_to { key = { hdr.outer.to: exact; } actions = { set_class; none; } default_action = none(); }
    table by_kind { key = { hdr.outer.kind: exact; hdr.outer.tag: exact; } actions = { set_mark; drop; none; } default_action = none(); }
    table by_inner { key = { hdr.inner.from: exact; hdr.inner.isValid(): exact @name("there"); } actions = { set_class; set_mark; none; }
        default_action = none(); }
    table labels { key = { hdr.label.label: exact; class: exact; } actions = { push; push_two; pop; pop_second; swap; none; }
        default_action = none(); }
    table outers { key = { class: exact; hdr.outer.tag: exact; } actions = { outer; hops; none; } default_action = none(); }
    table inners { key = { hdr.inner.to: exact; } actions = { strip; number; to; none; } default_action = none(); }
    table filter { key = { hdr.inner.kind: exact; meta.mark: exact; } actions = { drop; set_mark; none; } default_action = none(); }
    table ports { key = { class: exact; } actions = { send; drop; none; } default_action = send(1); }

    apply {
        by_to.apply();
        by_kind.apply();
        by_inner.apply();
        labels.apply();
        outers.apply();
        inners.apply();
        filter.apply();
        ports.apply();
        if (meta.mark == 1) {
            hdr.outer.spare = hdr.outer.hops - 1;
        } else if (meta.mark == 2) {
            hdr.label.hops = hdr.label.hops - 1;
        }
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply {
        if (meta.class == 3 && (meta.mark != 2 || meta.seen == 0xffff)) {
            hdr.inner.kind = 255;
        }
    }
}
control C(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(hdr.outer.tag > 1, { hdr.outer.kind, hdr.outer.tag, hdr.outer.id, 8w0, hdr.outer.to, hdr.outer.hops,
            hdr.outer.spare }, hdr.outer.sum, HashAlgorithm.csum16);
    }
}
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.outer);
        packet.emit(hdr.options);
        packet.emit(hdr.label);
        packet.emit(hdr.second);
        packet.emit(hdr.inner);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
