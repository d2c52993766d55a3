// Which of several declarations of a name a call means: by the number and the names of its arguments.
#include <core.p4>

bit<1> f() { return 0; }
bit<2> f(in bit<8> a) { return 0; }
bit<3> f(in bit<8> b) { return 0; }
bit<4> f(in bit<8> a, in bit<8> b) { return 0; }
bit<5> f(in bit<8> a, in bit<8> b, in bit<8> c = 3, in bit<8> d = 4) { return 0; }
extern bit<7> g(in bit<8> a, in bit<8> b = 2);
extern bit<8> g(in bit<8> c);
extern bit<9> only(in bit<8> a, in bit<8> b = 2, @optional in bit<8> c);
extern Many {
    Many();
    Many(bit<8> a);
    Many(bit<8> b);
    bit<1> get();
    bit<2> get(in bit<8> a);
    bit<3> get(in bit<8> a, @optional in bit<8> b);
    bit<4> get(in bit<8> a, in bit<8> z);
}
extern Single { Single(bit<8> a); bit<1> get(in bit<8> a); }
control k()(bit<8> one) { apply { } }
control k()(bit<8> one, bit<8> two) { apply { } }
control k()(bit<8> one, bit<8> two, bit<8> three) { apply { } }
control user() {
    bool x = false;
    Many() none;
    Many(a = 1) by_a;
    Many(b = 1) by_b;
    Many(1) unclear;
    Many(1, 2) too_many;
    Many(c = 1) unknown;
    Single() too_few;
    Single(1, 2) more;
    k(1) first;
    k(1, 2) second;
    k(1, 2, 3) third;
    k() neither;
    k(two = 1, one = 2) turned;
    apply {
        x = !f();
        x = !f(a = 1);
        x = !f(b = 1);
        x = !f(1);
        x = !f(1, 2);
        x = !f(b = 1, a = 2);
        x = !f(1, 2, 3);
        x = !f(a = 1, b = 2, d = 3);
        x = !f(1, 2, 3, 4, 5);
        x = !f(c = 1);
        x = !g(1);
        x = !g(a = 1);
        x = !g(1, 2);
        x = !only();
        x = !only(1, 2, 3, 4);
        x = !only(1);
        x = !only<bit<8>>(1);
        x = !only(a = 1, c = 2);
        x = !only(b = 1);
        x = !only(1, b = 2);
        x = !only(1, _);
        x = !none.get();
        x = !none.get(1);
        x = !none.get(1, 2);
        x = !none.get(a = 1, b = 2);
        x = !none.get(z = 2, a = 1);
        first.apply();
        second.apply();
        third.apply();
    }
}
