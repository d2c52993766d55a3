// Arguments: how many, which names, directions, what must be constant, type arguments.
#include <core.p4>

extern Counter<I> {
    Counter(bit<32> size);
    void count(in I index);
    I last();
}
extern void several<T>(in T a, in T b);
extern T guess<T>();
extern void object<T>(in T x);
struct s_t { bit<8> a; bit<16> b; }
header h_t { bit<8> a; }

bit<8> twice(in bit<8> x) { return x + x; }
void swap(inout bit<8> a, inout bit<8> b) { bit<8> t = a; a = b; b = t; }
bit<8> optional_argument(in bit<8> x, in bit<8> y = 3) { return x + y; }
bit<8> no_return(in bit<8> x) { if (x == 0) { return 1; } }
void nothing() { return 1; }
bit<8> recursive(in bit<8> x) { return recursive(x); }

control inner(inout s_t s)(bit<8> k) { apply { s.a = k; } }

control c(inout s_t s, in bit<8> ro, packet_in packet) {
    inner() without;
    inner(ro) runtime;
    inner(3) good;
    Counter<bit<8>>(s.b) sized;
    Counter<bit<8>, bit<8>>(4) many;
    Counter<bit<8>>(4) counter;
    h_t h;
    apply {
        s.a = twice();
        s.a = twice(s.a, 1, 2);
        s.a = twice(s.b);
        s.a = twice(y = 1);
        s.a = twice(x = 1, x = 2);
        s.a = optional_argument(1, y = 2);
        s.a = optional_argument(y = 2);
        swap(s.a, 1);
        swap(s.a, s.b);
        swap(ro, s.a);
        swap(s.a);
        swap(s.a, _);
        object(counter);
        several(s.a, s.b);
        several(1, 2);
        several<bit<8>, bool>(1, 2);
        s.a = twice<bit<8>>(1);
        guess();
        counter.count(s.b);
        counter.cnt(s.a);
        good.apply(s.a);
        good.apply();
        nothing(1);
        s.a();
        s.a = nothing();
        h.setValid(1);
        h.push_front(1);
        packet.extract(s);
        runtime.apply(s);
    }
}
