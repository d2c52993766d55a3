// Functions that may end without a result, on some way through them.
#include <core.p4>

enum Color { red, green }
bit<8> nothing() { }
bit<8> only() { return 1; }
bit<8> one_branch(in bool b) { if (b) { return 1; } }
bit<8> other_branch(in bool b) { if (b) { } else { return 1; } }
bit<8> both_branches(in bool b) { if (b) { return 1; } else { return 2; } }
bit<8> without_braces(in bool b) { if (b) return 1; else return 2; }
bit<8> afterwards(in bool b) { if (b) { return 1; } return 2; }
bit<8> nested(in bool b, in bool c) { if (b) { if (c) { return 1; } } else { return 2; } }
bit<8> in_block(in bool b) { { { return 1; } } }
bit<8> empty_block(in bool b) { { { } } }
bit<8> cases(in bit<8> x) { switch (x) { 1: { return 1; } 2: { return 2; } } }
bit<8> all_cases(in bit<8> x) { switch (x) { 1: { return 1; } default: { return 2; } } }
bit<8> case_falls(in bit<8> x) { switch (x) { 1: { } default: { return 2; } } }
bit<8> default_falls(in bit<8> x) { switch (x) { 1: { return 1; } default: { } } }
bit<8> shared_case(in bit<8> x) { switch (x) { 1: 2: { return 1; } default: { return 2; } } }
bit<8> empty_last(in bit<8> x) { switch (x) { 1: { return 1; } default: } }
bit<8> loop(in bit<8> x) { for (bit<8> i in 1 .. x) { return i; } }
bit<8> three(in bit<8> x) { for (bit<8> i = 0; i < x; i = i + 1) { return i; } }
bit<8> result_of_nothing(in bit<8> x) { return; }
void result_of_void(in bit<8> x) { return x; }
void fine(in bool b) { if (b) { return; } }
