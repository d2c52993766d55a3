// Type errors: each located at the operand or value that is wrong; no error follows from another.
#include <core.p4>

header h_t { bit<8> a; bit<16> b; int<8> s; varbit<32> v; }
header f_t { bit<8> a; }
struct s_t { h_t h; bool flag; error e; f_t f; f_t[3] three; }
enum Color { red, green }
enum bit<4> Level { low = 1, high = 2 }
type bit<9> Port;

control c(inout s_t x, in bit<8> n) {
    Color color;
    Level level;
    Port port;
    tuple<bit<8>, bool> pair;
    apply {
        x.h.a = x.h.b;
        x.h.b = x.h.a + x.h.b;
        x.h.s = x.h.a;
        x.flag = x.h.a;
        if (x.h.a) { }
        if (!x.h.a) { }
        x.h.a = x.flag ? x.h.a : x.h.b;
        x.h.a = true;
        x.h.a = x.h.s + 1;
        x.h.a = x.h.a && x.flag;
        color = Level.low;
        level = 1;
        port = 3;
        x.h.b = x.h.a ++ 1;
        x.h.a = x.h.b[7:9];
        x.h.a = x.h.b[16:9];
        x.h.a = x.h.b[n:0];
        x.h.a = x.h.a << x.h.s;
        x.flag = x.h == x.h.a;
        x.flag = color < Color.green;
        pair = { 1, 2 };
        pair = { 1, true, 3 };
        pair[2] = 1;
        x.h = { a = 1, b = 2, c = 3 };
        x.h.a = (bit<8>) color;
        x.h.a = -x.flag;
        x.h.a = 300;
        x.e = 5;
        n = 3;
        x.h.a.q = 1;
        x.h.a[0] = 1;
        x.three = { x.f, x.f };
        x.three = { x.f, x.f, x.f, x.f };
        x.three = { x.f, x.f, 1 };
    }
}
