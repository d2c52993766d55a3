// Targets that cannot be written, operators on what they are not for, calls of what cannot be called.
#include <core.p4>

header h_t { bit<8> a; }
header wide_t { bit<8> a; varbit<32> v; }
header_union u_t { h_t one; wide_t other; }
struct s_t { h_t h; h_t[2] stack; bit<8>[2] plain; u_t u; bit<8> x; int<8> s; bool f; varbit<8> v; }
enum Color { red }
enum bit<8> Level { low = 1 }
extern Cell { Cell(); void put(in bit<8> x); bit<8> get(); }
extern void any<T>(in T value);
extern void made(Cell c);

control sub(inout bit<8> x)(bit<8> n) { apply { } }
control Only(inout bit<8> x);

control c(inout s_t s, in bit<8> n, bit<8> fixed) {
    Cell() cell;
    action act() { }
    table t { key = { s.x : exact; } actions = { act; } default_action = act; }
    tuple<bit<8>, bit<8>> pair;
    apply {
        fixed = 2;
        t.apply().hit = true;
        Cell.get = 1;
        s.x = s.v + 1;
        s.s = s.s / 2;
        s.s = s.s % 2;
        s.x = s.x |+| s.f;
        s.f = !s.x;
        s.f = ~s.f;
        s.x = 5 / 0;
        s.x = s.x / 0;
        s.x = s.x % 0;
        s.x = 7 % 0;
        s.x = s.x << -1;
        s.x = s.x << 9;
        s.x = s.x << -8s1;
        s.x = 1 << n;
        s.x = (1 |+| 2);
        s.x = s.x ++ true;
        s.x = (1 << 2000000) >> 1999999;
        s.x = -5 / 2;
        const bit<8> chosen = s.f ? 8w1 : 8w2;
        s.x = chosen;
        string joined = "a" ++ "b";
        s.x += s.f;
        s.f += 1;
        any(s.u.minSizeInBits());
        any(cell.minSizeInBits());
        Only.apply(s.x);
        sub.apply(s.x);
        Cell().put(1);
        act.apply();
        n.apply();
        any<void>(1);
        any({ a = 1 });
        made(1);
        static_assert(1 == 2, "one is not two");
        static_assert(1 == 2);
    }
}
