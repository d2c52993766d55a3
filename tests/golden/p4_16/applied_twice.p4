// Controls that are applied several times: which of their parameters are names for the arguments, and which are copied.
#include <core.p4>
#include <v1model.p4>

header h_t { bit<8> a; bit<8> b; }
struct headers_t { h_t h; h_t[2] s; }
struct metadata_t { bit<8> m; bit<8> n; }
bit<8> inc(inout bit<8> x) { x = x + 1; return x; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control Same(inout headers_t hdr, inout metadata_t meta, in bit<8> v) {
    action put(bit<8> w) { hdr.h.a = meta.m + v + w; }
    table t { key = { hdr.h.b : exact; } actions = { put; } default_action = put(1); }
    apply { t.apply(); }
}
control Overlapping(inout headers_t hdr, in headers_t other, out bit<8> o) {
    apply { hdr.h.a = other.h.b; o = hdr.h.a; }
}
control Plain(in bit<8> x, inout bit<8> y) { apply { y = y + x; } }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    Same() same;
    Same() once;
    Overlapping() over;
    Plain() values;
    Plain() effects;
    Plain() fields;
    bit<8> k = 1;
    apply {
        same.apply(hdr, meta, 3);
        same.apply(hdr, meta, hdr.h.b);
        once.apply(hdr, meta, hdr.h.b);
        over.apply(hdr, hdr, meta.m);
        over.apply(hdr, hdr, meta.n);
        values.apply(k, k);
        values.apply(k, meta.m);
        effects.apply(k, meta.m);
        effects.apply(x = k, y = meta.n);
        effects.apply(inc(k), meta.n);
        fields.apply(hdr.h.a, k);
        fields.apply(hdr.h.a, k);
        Plain.apply(1, hdr.s[k].a);
        Plain.apply(inc(k), hdr.s[k].a);
    }
}
#include "skeleton.p4"
