// Casts and conversions that the table of casts does not have, values that have no type of their own, labels behind `default`.
#include <core.p4>

typedef bit<2> two_t;
type bit<1> Flag;
type two_t Pair;
enum bit<8> Kind { none = 0, some = 1 }
struct pair_t { bit<8> a; bit<8> b; }
extern Reg<T> { Reg(T value, list<pair_t> rows = ...); }
extern void see<T>(in T data);
const int zero = 0s0;

Flag narrow(in two_t x) { return (Flag) x; }
Flag again(in Pair x) { return (Flag) x; }
Kind kind(in bit<16> x) { return (Kind) x; }
bit<16> wide(in Kind x) { return (bit<16>) x; }
bool equal<T>(in T a, in T b) { return a == b; }
bool untyped() { return { a = 8w1, b = 8w2 } == { b = 8w2, a = 8w1 }; }
void shown() { see("hello"); }
bit<8> share(in bit<8> x, in bit<8> y) { return x / y; }
bit<8> rest(in bit<8> x, in bit<8> y) { return x % y; }
bool of_sign(in int<1> x) { return (bool) x; }
int<1> to_sign(in bool x) { return (int<1>) x; }
bool of_two() { return (bool) 2; }
bool lists(list<string> a, list<string> b) { return a == b; }
void last(in bit<8> x) { switch (x) { default: { } 1: { } 2: { } } }
const tuple<bit<8>, match_kind> without_default = ...;
const tuple<bit<8>, list<pair_t>> of_list = ...;
const list<bit<8>>[2] of_lists = ...;
const tuple<bit<8>, bool> with_default = ...;
