#include <core.p4>

header one_t { bit<8> a; }

control c(inout one_t h) {
    action none() { }
    @name(".") table nothing { key = { h.a : exact; } actions = { none; } default_action = none(); }
    @name("a b \"quoted\"") table shown { key = { h.a : exact; } actions = { none; } default_action = none(); }
    apply {
        nothing.apply();
        shown.apply();
    }
}
