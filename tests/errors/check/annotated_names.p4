#include <core.p4>

header one_t { bit<8> a; }

control c(inout one_t h) {
    action none() { }
    @name("two\nlines") table lines { key = { h.a : exact; } actions = { none; } default_action = none(); }
    @name["a\nb"] table structured { key = { h.a : exact; } actions = { none; } default_action = none(); }
    @name(".") table nothing { key = { h.a : exact; } actions = { none; } default_action = none(); }
    @name("a b \"quoted\"") table shown { key = { h.a : exact; } actions = { none; } default_action = none(); }
    apply {
        lines.apply();
        structured.apply();
        nothing.apply();
        shown.apply();
    }
}
