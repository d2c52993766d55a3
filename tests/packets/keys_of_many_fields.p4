// Keys of several fields of odd widths, which lie across words of eight bytes, in small tables: these are looked up at once.
#include <core.p4>
#include <v1model.p4>

header fields_t {
    bit<4> kind;
    bit<20> a;
    bit<48> b;
    bit<12> c;
    bit<64> d;
    bit<5> e;
    bit<7> f;
    bit<16> found;
}

struct headers_t {
    fields_t fields;
}

struct meta_t {}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.fields);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply {} }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action mark(bit<16> with) { hdr.fields.found = with; }

    table all_exact {
        key = { hdr.fields.a: exact; hdr.fields.b: exact; hdr.fields.c: exact; hdr.fields.d: exact; hdr.fields.e: exact; }
        actions = { mark; NoAction; }
        size = 16;
    }
    table three_bytes {
        key = { hdr.fields.f: ternary; hdr.fields.c: ternary; }
        actions = { mark; NoAction; }
        size = 64;
    }
    table masked {
        key = { hdr.fields.e: ternary; hdr.fields.d: ternary; hdr.fields.b: exact; }
        actions = { mark; NoAction; }
        size = 64;
    }
    table prefix {
        key = { hdr.fields.c: exact; hdr.fields.e: exact; hdr.fields.a: lpm; }
        actions = { mark; NoAction; }
        size = 16;
    }
    table between {
        key = { hdr.fields.b: range; hdr.fields.a: exact; hdr.fields.f: optional; }
        actions = { mark; NoAction; }
        size = 16;
    }

    apply {
        sm.egress_spec = 1;
        if (hdr.fields.kind == 0) {
            all_exact.apply();
        } else if (hdr.fields.kind == 1) {
            three_bytes.apply();
        } else if (hdr.fields.kind == 2) {
            masked.apply();
        } else if (hdr.fields.kind == 3) {
            prefix.apply();
        } else {
            between.apply();
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply {} }

control C(inout headers_t hdr, inout meta_t meta) { apply {} }

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.fields); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
