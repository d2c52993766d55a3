// Fields of variable width: read, compared, copied between fields, variables and headers, hashed, emitted.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<8> what; bit<8> first; bit<8> second; }
header var_t {
    bit<8> before;
    varbit<64> content;
    bit<4> high;
    bit<4> low;
}
header sum_t { bit<32> sum; bit<8> equal; }

struct headers_t { order_t order; sum_t sum; var_t a; var_t b; var_t[2] more; }
struct meta_t { bit<1> choice; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.order);
        packet.extract(hdr.a, (bit<32>) hdr.order.first * 8);
        packet.extract(hdr.b, (bit<32>) hdr.order.second * 8);
        transition select(hdr.order.what) {
            7: stack;
            default: accept;
        }
    }
    state stack {
        packet.extract(hdr.more.next, (bit<32>) hdr.order.first * 8);
        packet.extract(hdr.more.next, (bit<32>) hdr.order.second * 8);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    varbit<64> kept;
    action swap() {
        kept = hdr.a.content;
        hdr.a.content = hdr.b.content;
        hdr.b.content = kept;
    }
    action both() { hdr.a.content = hdr.b.content; }
    action whole() { hdr.b = hdr.a; hdr.b.high = 0xf; }
    action sums() {
        hdr.sum.setValid();
        hash(hdr.sum.sum, HashAlgorithm.crc32, 32w0,
             { hdr.a.before, hdr.a.content, hdr.a.high, hdr.a.low, hdr.b.content, 16w0xabcd }, 64w0x100000000);
    }
    action none() { }
    table orders {
        key = { hdr.order.what: exact; }
        actions = { swap; both; whole; sums; none; }
        default_action = none();
        const entries = {
            1: swap();
            2: both();
            3: whole();
            4: sums();
        }
    }
    apply {
        sm.egress_spec = 1;
        orders.apply();
        if (hdr.order.what == 4 && hdr.a.content == hdr.b.content) { hdr.sum.equal = 1; }
        if (hdr.order.what == 5 && hdr.a != hdr.b) { mark_to_drop(sm); }
        if (hdr.order.what == 6) {
            hdr.b.setInvalid();
            hdr.a.content = hdr.b.content;
            hdr.more[1].setValid();
            hdr.more[1].content = hdr.a.content;
        }
        if (hdr.order.what == 7) {
            bit<1> at = (bit<1>) hdr.a.low;
            hdr.a.content = hdr.more[at].content;
            hdr.more[at].content = hdr.b.content;
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.order);
        packet.emit(hdr.sum);
        packet.emit(hdr.a);
        packet.emit(hdr.b);
        packet.emit(hdr.more);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
