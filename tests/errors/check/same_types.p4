// Which types are one type, and how messages write them.
#include <core.p4>

header h_t { bit<8> a; }
header i_t { bit<8> a; }
header_union u_t { h_t h; }
struct g_t<T> { T x; }
struct two_t<T, U> { T x; U y; }
struct n_t { g_t<bit<8>> g; }
enum A { x } enum B { x }
enum bit<8> K { x = 1 }
type bit<8> Id; type bit<8> Other; typedef bit<8> byte_t; typedef Id id_t;
extern Cell<T> { Cell(); void put(in T x); }
extern void of_cell<T>(Cell<T> c, in T x);
bit<8> id(in bit<8> x) { return x; }
control c(inout h_t h, inout i_t i, inout u_t u, inout h_t[2] h2, inout h_t[3] h3, inout g_t<bit<8>> g8, inout g_t<bit<16>> g16,
        inout two_t<bit<8>, bool> tb, inout two_t<bit<8>, bit<8>> tt, inout A a, inout B b, inout K k, inout Id x, inout Other o,
        inout byte_t y, inout id_t z, inout bit<8> n, inout int<8> s, inout error e, inout varbit<8> v, inout varbit<16> w,
        in tuple<bit<8>, bool> t1, in tuple<bit<8>, bit<8>> t2, in tuple<bit<8>> t3, in tuple<h_t[2], g_t<bool>> t4) {
    Cell<bit<8>>() c8;
    tuple<bit<8>, bool> pair = t1;
    table t { actions = { NoAction; } }
    apply {
        h = i;
        h = h2[0];
        h2 = h3;
        h2 = h2;
        u = h;
        g8 = g16;
        g8 = g8;
        g8 = { 1 };
        g8 = { x = 16w1 };
        tb = tt;
        tt = { 1, true };
        a = b;
        k = 1;
        n = k;
        x = o;
        x = y;
        y = n;
        z = x;
        x = 5;
        x = n;
        n = s;
        e = error.NoError;
        v = w;
        pair = t1;
        pair = t2;
        pair = t3;
        pair = t4;
        pair = c8;
        pair = t;
        pair = t.apply();
        pair = id;
        pair = t.apply().hit;
        pair = "text";
        pair = 1;
        pair = { n, true, n };
        pair = { x = n, y = true };
        of_cell(c8, n);
        of_cell(c8, 16w1);
        of_cell<bit<16>>(c8, 1);
        c8.put(n ++ n);
    }
}
