// Which parser or control can stand where a parser or control type is wanted, and what else cannot stand there.
#include <core.p4>

struct s_t { bit<8> a; }
struct g_t<T> { T a; }
extern Cell<T> { Cell(); }
parser P<H>(packet_in packet, out H headers, @optional in bit<8> x);
control C<H>(inout H headers, bit<8> by_controller);
control D<H>(in g_t<H> given, in bit<8> n = 1);
control E(Cell<bit<8>> cell);
package Whole<H>(P<H> p, C<H> c, @optional D<H> d, @optional E e);
parser p1(packet_in packet, out s_t headers) { state start { transition accept; } }
parser p2(packet_in packet, out s_t headers, in bit<8> x) { state start { transition accept; } }
parser p3(packet_in packet, out s_t headers, in bit<8> x, in bit<8> y) { state start { transition accept; } }
parser p4(packet_in packet) { state start { transition accept; } }
parser p5(packet_in packet, inout s_t headers) { state start { transition accept; } }
parser p6(packet_out packet, out s_t headers) { state start { transition accept; } }
control c1(inout s_t headers, bit<8> by_controller) { apply { } }
control c2(inout s_t headers, in bit<8> by_controller) { apply { } }
control c3(s_t headers, bit<8> by_controller) { apply { } }
control c4(inout bit<8> headers, bit<8> by_controller) { apply { } }
control c5(inout s_t headers, bit<16> by_controller) { apply { } }
control d1(in g_t<s_t> given) { apply { } }
control d2(in g_t<bit<8>> given, in bit<8> n) { apply { } }
control d3(in s_t given, in bit<8> n) { apply { } }
control e1(Cell<bit<8>> cell) { apply { } }
control e2(Cell<bit<16>> cell) { apply { } }
Whole(p1(), c1()) one;
Whole(p2(), c1(), d1(), e1()) two;
Whole(p3(), c1()) three;
Whole(p4(), c1()) four;
Whole(p5(), c1()) five;
Whole(p6(), c1()) six;
Whole(p1(), c2()) seven;
Whole(p1(), c3()) eight;
Whole(p1(), c4()) nine;
Whole(p1(), c5()) ten;
Whole(c1(), p1()) eleven;
Whole(p1(), c1(), d2()) twelve;
Whole(p1(), c1(), d3()) thirteen;
Whole(p = p1(), c = c1(), e = e2()) fourteen;
Whole(p = p1(), c = c1(), e = e1()) fifteen;
Whole(p1(), 3) sixteen;
Whole<s_t>(p1(), c1()) seventeen;
Whole<bit<8>>(p1(), c4()) eighteen;
Whole(p1(), Cell<bit<8>>()) nineteen;
package Number(bit<8> x);
Number(c1()) twenty;
