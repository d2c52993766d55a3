// What an entry of each kind of key may be, and its priority.
#include <core.p4>

match_kind { range, optional, selector, mine }
struct two_t { bit<8> x; bit<8> y; }
enum bit<8> Kind { one = 1, two = 2 }
enum Color { red, green }
type bit<8> Id;
const bit<8> known = 7;
control c(in bit<8> n, in bit<16> w, in bool b, in Kind k, in Color color, in Id id, in error e)(bit<8> made) {
    action a() { }
    table exacts { key = { n : exact; } actions = { a; } default_action = a;
        entries = { 1 : a; 2 &&& 3 : a; 1 .. 2 : a; _ : a; default : a; known : a; made : a; n : a; 7 : a; 256 : a; true : a; (3) : a; (4, 5) : a; } }
    table prefixes { key = { n : lpm; } actions = { a; } default_action = a;
        entries = { 1 : a; 1 &&& 0xff : a; 1 &&& 0xf0 : a; 0 &&& 0 : a; 1 &&& 0x80 : a; 1 &&& 0x0f : a; 1 &&& 0xf1 : a; 1 .. 2 : a; _ : a; default : a; 3 &&& n : a; } }
    table masks { key = { n : ternary; } actions = { a; } default_action = a;
        entries = { 1 : a; 1 &&& 5 : a; 1 .. 2 : a; _ : a; default : a; 2 &&& true : a; 2 &&& made : a; } }
    table ranges { key = { n : range; } actions = { a; } default_action = a;
        entries = { 1 : a; 1 &&& 5 : a; 1 .. 2 : a; _ : a; 3 .. 2 : a; 3 .. 3 : a; } }
    table options { key = { n : optional; } actions = { a; } default_action = a;
        entries = { 1 : a; 1 &&& 5 : a; 1 .. 2 : a; _ : a; default : a; } }
    table others { key = { n : mine; } actions = { a; } default_action = a; entries = { 1 &&& 5 : a; 1 .. 2 : a; } }
    table pairs { key = { n : exact; w : exact; } actions = { a; } default_action = a;
        entries = { (1, 2) : a; (2, 1) : a; (1, 2) : a; 1 : a; (1) : a; (1, 2, 3) : a; (_, 1) : a; _ : a; (1, w) : a; (1, 65536) : a; } }
    table mixed { key = { n : exact; w : ternary; } actions = { a; } default_action = a;
        entries = { (1, 2) : a; (1, 2) : a; (_, 2) : a; (1, _) : a; } }
    table values { key = { b : exact; k : exact; color : exact; id : exact; e : exact; } actions = { a; } default_action = a;
        entries = { (true, Kind.one, Color.red, 1, error.NoError) : a; (true, 1, Color.red, (Id) 1, error.NoError) : a; (1, 2, 3, 4, 5) : a; } }
    table sets { key = { k : ternary; b : ternary; color : ternary; id : ternary; } actions = { a; } default_action = a;
        entries = { (Kind.one &&& 1, true, Color.red, 1 &&& 3) : a; (Kind.one &&& Kind.two, true &&& true, Color.red &&& Color.red, _) : a; } }
    table no_key { actions = { a; } default_action = a; entries = { 1 : a; } }
    table none { actions = { a; } default_action = a; entries = { } }
    apply { exacts.apply(); prefixes.apply(); masks.apply(); ranges.apply(); options.apply(); others.apply(); pairs.apply(); mixed.apply();
            values.apply(); sets.apply(); no_key.apply(); none.apply(); }
}
