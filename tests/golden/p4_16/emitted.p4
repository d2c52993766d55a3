// What a deparser emits: headers, structures and lists of them, parts of stacks, results of functions.
#include <core.p4>
#include <v1model.p4>

header h_t { bit<8> a; bit<8> b; }
header w_t { bit<16> v; }
header_union u_t { h_t h; w_t w; }
struct pair_t { h_t h; w_t w; }
struct headers_t { h_t h; u_t u; h_t[2] s; pair_t pair; }
struct metadata_t { bit<8> m; }
h_t header_of(in bit<8> x) { h_t made = { x, x + 1 }; return made; }
u_t union_of(in bit<8> x) { u_t made; made.w = { 8w0 ++ x }; return made; }
pair_t pair_of(in headers_t hdr, in bit<8> x) { return { hdr.h, { 8w0 ++ x } }; }
h_t[2] stack_of(in bit<8> x) { return { { x, 1 }, {#} }; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout metadata_t meta) { apply { } }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) { apply { } }
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.h);
        packet.emit(hdr.u);
        packet.emit(hdr.u.w);
        packet.emit(hdr.s);
        packet.emit(hdr.s[1]);
        packet.emit(hdr.s[hdr.h.a[0:0]]);
        packet.emit(hdr.pair);
        packet.emit({ hdr.h, hdr.u, hdr.s });
        packet.emit({ hdr.pair, hdr.pair.h });
        packet.emit(header_of(hdr.h.a));
        packet.emit(union_of(hdr.h.a));
        packet.emit(pair_of(hdr, hdr.h.b));
        packet.emit(stack_of(hdr.h.b));
        packet.emit(hdr.h.a == 0 ? hdr.h : hdr.s[0]);
        packet.emit((h_t) { 1, 2 });
        packet.emit(hdr);
    }
}
V1Switch(P(), V(), I(), I(), V(), D()) main;
