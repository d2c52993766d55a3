// What type arguments are found out from: the operator ! tells of each call what its result is.
#include <core.p4>

header h_t { bit<8> a; bit<16> b; }
struct s_t<T> { T x; bit<8> y; }
struct two_t<T, U> { T x; U y; }
enum bit<8> Kind { one = 1 }
enum Color { red }
extern Cell<T> { Cell(T value); T get(); void put(in T value); void mix<U>(in U value, in T other); }
extern T same<T>(in T a, in T b);
extern T first<T, U>(in tuple<T, U> pair);
extern T of_stack<T>(in T[2] stack);
extern T of_struct<T>(in s_t<T> s);
extern T of_two<T, U>(in two_t<T, U> s);
extern T of_list<T>(list<T> l);
extern T nothing<T>();
extern T maybe<T>(in bit<8> x, @optional in T y);

control c(inout h_t h, inout h_t[2] headers, in bit<8>[2] bytes, in tuple<bit<16>, bool> pair, in bit<8> n, in bit<16> w) {
    Cell(8w1) byte;
    Cell({ 8w1, true }) of_pair;
    Cell<bit<16>>(1) word;
    Cell<_>(4w1) open;
    Cell(1) number;
    s_t<bit<4>> small = { 1, 2 };
    two_t<bit<4>, bool> two = { 1, true };
    bool x;
    apply {
        x = !same(n, 1);
        x = !same(1, n);
        x = !same(Kind.one, n);
        x = !same(n, Kind.one);
        x = !same({ 1, 2 }, h);
        x = !same(h, { 1, 2 });
        x = !same({ a = 1, b = 2 }, h);
        x = !same(headers, { h, h });
        x = !same(1, 2);
        x = !same({ a = n }, { a = n });
        x = !same(n, w);
        x = !same(Color.red, Color.red);
        x = !same(same(1, n), 2);
        x = !same<bit<16>>(1, 2);
        x = !same<_>(n, n);
        x = !first({ n, w });
        x = !first(pair);
        x = !of_stack(bytes);
        x = !of_stack(headers);
        x = !of_struct(small);
        x = !of_struct({ n, n });
        x = !of_struct({ y = n, x = w });
        x = !of_two(two);
        x = !of_two({ n, w });
        x = !of_list((list<bit<8>>) { 1, 2 });
        x = !nothing<bit<4>>();
        nothing();
        maybe(n);
        same(NoAction, NoAction);
        x = !maybe(n, w);
        x = !byte.get();
        x = !of_pair.get();
        x = !word.get();
        x = !open.get();
        word.put(n);
        word.mix(n, 1);
        word.mix<bit<4>>(n, 1);
    }
}
