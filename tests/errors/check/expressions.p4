// Expressions where they cannot stand, members and elements that are not there.
#include <core.p4>

header h_t { bit<8> a; }
header wide_t { bit<8> a; varbit<32> v; }
header_union u_t { h_t one; wide_t other; }
struct s_t { h_t h; h_t[2] stack; bit<8>[2] plain; u_t u; bit<8> x; int<8> s; bool f; varbit<8> v; }
enum Color { red }
enum bit<8> Level { low = 1 }
const bit<8> own = own;
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
        s.x = this;
        s.x = ...;
        s.x = {#};
        bool b1 = { ... } == s.h;
        bool b2 = { a = 1, ... } == { a = 1 };
        any({ act, 1 });
        s.x = act;
        s.x = t;
        s.x = t.apply();
        s.x = t.apply().found;
        s.x = t.size;
        s.x = cell.put;
        s.x = cell.none;
        s.x = s.stack.first;
        s.x = s.plain.next;
        s.stack.size = 1;
        s.stack.push_front();
        s.stack.push_front(n);
        s.stack.push_front(-1);
        s.stack.push_front(true);
        s.x = s.stack[s.f].a;
        s.x = s.stack[n + 1][2];
        s.x = pair[n];
        s.x = s.f[1:0];
        s.x = n[true:0];
        s.x = n[Color.red:0];
        s.x = n[-1:0];
        s.x = n[n +: 9];
        s.x = n[n +: n];
        s.x = Color.blue;
        s.x = h_t.first;
        s.x = n();
        s.x = 1();
    }
}
