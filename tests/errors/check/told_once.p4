// A name that is not there is told of, and nothing that follows from it.
#include <core.p4>

header h_t { bit<8> a; nowhere_t b; }
struct s_t { h_t h; bit<8> c; }
extern Cell<T> { Cell(T v); T get(); void put(in T x); }
extern T pick<T>(in T a, in T b);
extern void see<T>(in T a);
bit<8> twice(in bit<8> x) { return x + x; }
const bit<8> k = absent1;
const absent_t k2 = 3;
Cell<gone_t>(1) cell1;
Cell(absent2) cell2;
typedef gone2_t td_t;
enum gone4_t E { a = 1 }
control c(inout s_t s, inout h_t[2] hs, inout bit<8> n, in bool b) {
    action act(inout bit<8> x, bit<8> v) { x = v; }
    table t { key = { absent3 : exact; s.h.b : exact; } actions = { act(s.c); } const entries = { (absent5, 1) : act(2); (1, 2) : act(absent6); } default_action = act(s.c, absent7); size = absent8; }
    bit<8> v = absent9;
    lost_t w;
    bit<absent10> x;
    bit<8> r;
    bool y;
    apply {
        absent11 = n;
        r = n + absent12;
        r = absent13 + true;
        y = absent14 < n;
        y = absent15 && true;
        y = !absent16;
        y = absent17 == n;
        r = -absent18;
        r = n << absent19;
        r = absent20 << 2;
        r = n ++ absent21;
        r = b ? absent22 : true;
        r = b ? n : absent23;
        r = absent24 ? n : n;
        r = (bit<8>) absent25;
        r = (lost2_t) n;
        r = absent26.a;
        r = absent27[3:0];
        r = n[absent28:0];
        r = hs[absent30].a;
        r = twice(absent31);
        r = absent32(true);
        see({ absent33, n });
        see({ a = absent34 });
        r = pick(absent35, n);
        hs.push_front(absent36);
        s.h.b = n;
        w = n;
        v = k + k2 + v;
        if (absent37) { }
        switch (absent38) { 1: { } true: { } }
        switch (n) { absent39: { } }
        for (bit<8> i in 1 .. absent40) { }
        for (bit<8> i in absent41) { }
        cell1.put(n);
        cell2.put(true);
        return;
    }
}
