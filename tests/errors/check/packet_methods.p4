// What extract, lookahead and emit take.
#include <core.p4>

header h_t { bit<8> a; }
header v_t { bit<8> a; varbit<32> v; }
header vv_t { varbit<8> v; varbit<32> w; }
header_union u_t { h_t h; v_t v; }
enum Color { red }
enum bit<8> Kind { one = 1 }
struct fixed_t { bit<8> a; bool b; Kind k; h_t h; h_t[2] s; tuple<bit<4>, bool> t; }
struct varying_t { bit<8> a; v_t v; }
struct varying_stack_t { v_t[2] s; }
struct headers_t { h_t h; u_t u; v_t[2] s; tuple<h_t, u_t> t; }
struct mixed_t { h_t h; bit<8> a; }
struct odd_t { bit<8> a; Color c; }
parser p(packet_in packet, out h_t h, out v_t v, out vv_t vv, inout mixed_t m, out h_t[2] s, out u_t u)(bit<32> size) {
    bit<8> x;
    state start {
        packet.extract(h);
        packet.extract(h, 8);
        packet.extract(v);
        packet.extract(v, 8);
        packet.extract(vv);
        packet.extract(vv, 8);
        packet.extract(m);
        packet.extract(x);
        packet.extract(u);
        packet.extract(s);
        packet.extract(s.next);
        packet.extract<h_t>(_);
        packet.extract<v_t>(_);
        fixed_t fixed = packet.lookahead<fixed_t>();
        varying_t varying = packet.lookahead<varying_t>();
        varying_stack_t stack = packet.lookahead<varying_stack_t>();
        tuple<bit<8>, varbit<8>> pair = packet.lookahead<tuple<bit<8>, varbit<8>>>();
        odd_t odd = packet.lookahead<odd_t>();
        x = packet.lookahead<bit<8>>();
        m.h = packet.lookahead<h_t>();
        packet.advance(8);
        transition accept;
    }
}
control d(packet_out packet, in h_t h, in u_t u, in h_t[2] s, in headers_t all, in mixed_t m, in bit<8>[2] bytes, in bit<8> x) {
    apply {
        packet.emit(h);
        packet.emit(u);
        packet.emit(s);
        packet.emit(all);
        packet.emit({ h, u });
        packet.emit(m);
        packet.emit({ h, x });
        packet.emit(bytes);
        packet.emit(x);
    }
}
