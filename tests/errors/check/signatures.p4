// Parameters, results, defaults and implementations that cannot be, annotations that hold what they cannot.
#include <core.p4>

extern Value { Value(); }
extern Abs<T> { Abs(); abstract T f(in T a, in T b); abstract T g(in T a); int size(); }
extern void nowhere(_ x);
extern _ nothing();
control with_body(inout bit<8> x) { apply { } }
control Type(inout bit<8> x);

bit<8> of_missing(in missing_t<bit<8>> v) { return 1; }
bit<8> void_parameter(in void v) { return 1; }
bit<8> kind(match_kind k) { return 1; }
bit<8> object(in Value v) { return 1; }
bit<8> integer(in int i) { return 1; }
control body_as_type(inout bit<8> x)(with_body b) { apply { } }
extern void optional_default(@optional in bit<8> x = 1);
extern void out_default(out bit<8> x = 1);
extern void from_outside(in bit<8> x = undeclared);
extern void late(bit<8> x, in bit<8> y = x);
Value gives_object() { return Value(); }
action of_object(Value v) { }
action of_int(int i) { }
action of_string(string s) { }

control c(inout bit<8> x) {
    with_body() w = { bit<8> f(in bit<8> a) { return a; } };
    Abs<bit<8>>() fewer = {
        bit<8> f(in bit<8> a) { return a; }
        bit<8> g<U>(in bit<8> a) { return a; }
    };
    Abs<bit<8>>() other = {
        bit<8> f(inout bit<8> a, in bit<16> b) { return a; }
        bit<8> g(in bit<8> a) { return a; }
    };
    apply { }
}

@one[a = 1, a = 2] action twice() { }
@one[1] @one(2) action both() { }
@one[1] @one[2] action again() { }
@one[error.NoError] action odd() { }
header matched_t { @match(nearly) bit<8> a; }
extern bit<8> later();
@one[later()] action unknown() { }
