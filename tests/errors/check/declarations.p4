// Types that cannot be, names declared twice.
#include <core.p4>

header inner_t { bit<8> a; bit<8> a; }
header outer_t { inner_t h; bool fine; error e; int i; string s; }
struct self_t { self_t again; packet_in object; void v; }
header_union union_t { bit<8> a; inner_t h; inner_t h; }
struct generic_t<T, T> { T value; }
struct inner_t { bit<8> x; }
enum bit<4> missing_value_t { one = 1, two, big = 16 }
enum valued_t { one = 1 }
enum bool on_bool_t { yes = true }
enum twice_t { one, one }
error { MyError, MyError }
match_kind { fuzzy, fuzzy }
type inner_t distinct_t;
typedef generic_t without_arguments_t;
typedef inner_t<bit<8>> not_generic_t;
typedef list<packet_in> list_t;
extern Bare { void f(); }
extern E { E(bit<8> a); E(bit<8> a); void f(in string s); void E(); }
extern Abstract { Abstract(); abstract bit<8> compute(in bit<8> x); void plain(); }
package Pack(E e);
control block(inout bit<8> x)(inout bit<8> y) { apply { } }
control twice(inout bit<8> x, inout bit<8> x) { bit<8> v; bool v; apply { } }
control use(inout bit<8> x) {
    packet_in p;
    int i;
    string text;
    const bit<8> k = x;
    E(1) e;
    E() none;
    Bare() cannot;
    Abstract() missing;
    Abstract() wrong = { bit<16> compute(in bit<8> y) { return 1; } void plain() { } void other() { } };
    apply { e = e; k = 2; use.apply(x); }
}
Pack(3) first;
E(1) main;
