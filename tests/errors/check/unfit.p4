// What stands where something of another kind is wanted: values, objects, types, tables, actions, lists.
#include <core.p4>

header h_t { bit<8> a; }
header_union u_t { h_t h; }
enum Color { red }
enum bit<8> Kind { one = 1 }
const bit<8> known = 3;
struct of_value { known a; }
struct phantom_t<T> { bit<8> x; }
struct out_t<T> { phantom_t<tuple<T>> x; }
typedef struct inner_t { bit<8> a; } named_t;
extern Cell { Cell(); bit<8> get(); }
extern Abs { Abs(); bit<8> size(); abstract bit<8> f(in bit<8> x); }
extern Holder<T> { Holder(); void put(in T x); T take(); }
extern Odd { Odd(); bit<8> Odd(in bit<8> x); bit<8> m(); }
@pure extern bit<8> pure(in bit<8> x);
extern bit<8> impure(in bit<8> x);
const bit<8> at_once = pure(3);
const bit<8> later = impure(3);
extern T same<T>(in T a, in T b);
extern T nothing<T>();
extern tuple<T> wrap<T>();
extern void see<T>(in T x);
bit<8> twice(in bit<8> x) { return x + x; }
bit<32> size_of<T>(in T x) { return (bit<32>) x.minSizeInBits() + x.a; }
action top() { }
bit<8> calls_action() { top(); return 1; }
void no_value() { }
control c(inout h_t h, inout u_t u, inout bit<8> n, inout bit<16> w, inout bool b, in Kind k)(bit<8> made) {
    Cell() cell;
    Abs() own = { bit<8> f(in bit<8> x) { return this.size() + this.gone() + x; } };
    Holder<void>() holder;
    table t { actions = { top; } default_action = top; }
    h_t() no_object;
    gone_t() no_type;
    named_t named = { 1 };
    phantom_t<tuple<Cell>> bad;
    out_t<Cell> worse;
    bit<8> x;
    apply {
        n = twice(t);
        n = twice(top);
        n = twice(t.apply());
        n = twice(no_value());
        n = { 1, 2 };
        n = { a = 1 };
        n = same({#}, n);
        n = bit<8>(3);
        n = h_t(1).a;
        n = gone_t(1).a;
        h = { a = 1, a = 2 };
        see(...);
        made = 3;
        cell = 3;
        t = 3;
        known = 3;
        u.setValid();
        u.isvalid();
        n = gone_t.minSizeInBits();
        n = (bit<8>) h_t.size();
        n = (bit<8>) h.minSizeInBits(1);
        n = (bit<8>) Color.minSizeInBits();
        n = b << 1;
        b = n == w;
        b = k == n;
        b = n == k;
        b = b ? n : w;
        n += w;
        b |= b;
        b += b;
        for (string s in { "a" }) { }
        for (Cell s in { 1 }) { }
        w = nothing();
        w = same(nothing(), w);
        w = same(w, nothing());
        see(same(nothing(), nothing()));
        see(wrap<Cell>());
        holder.put(n);
        h.setValid(absent);
        n = named.a + x;
    }
}
