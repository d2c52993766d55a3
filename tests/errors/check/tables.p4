// Tables: keys, actions, defaults, entries, properties.
#include <core.p4>
match_kind { range }

header h_t { bit<8> a; bit<16> b; bit<32> ip; }
struct s_t { h_t h; bit<8> x; }

control c(inout s_t s) {
    action set(bit<8> v) { s.x = v; }
    action copy(inout bit<8> to, bit<8> v) { to = v; }
    action nop() { }
    function_like() instance;
    table no_actions { key = { s.x : exact; } }
    table keys {
        key = { s.h : exact; s.x + 1 : exact; s.x : fuzzy; 5 : exact; }
        actions = { nop; }
    }
    table actions_list {
        key = { s.x : exact; }
        actions = { set; set; copy; copy(s.x); copy(s.x, 3); missing; instance; }
        default_action = nop;
    }
    table defaults {
        key = { s.x : exact; }
        actions = { set; copy(s.x); nop; }
        default_action = set();
        sise = 12;
        size = s.x;
    }
    table defaults2 {
        actions = { set; copy(s.x); @tableonly nop; }
        default_action = copy(s.h.a, 1);
        size = -3;
    }
    table with_entries {
        key = { s.x : exact; s.h.b : ternary; s.h.ip : lpm; s.h.a : range; }
        actions = { set; nop; }
        const default_action = nop;
        const entries = {
            (1, 2 &&& 3, 0x0a000000 &&& 0xff000000, 1 .. 5): set(1);
            (1 &&& 1, 2, 3, 4): set(1);
            (1, 2, 3 &&& 0x0f0f, 4): set(1);
            (1, 2 .. 3, 3, 4): set(1);
            (1, 2, 3, 4 &&& 4): set(1);
            (1, 2, 3): set(1);
            (s.x, 2, 3, 4): set(1);
            (1, 2, 3, 4): set();
            (1, 2, 3, 4): set(s.x);
            (1, 2, 3, 4): other();
            (true, 2, 3, 4): set(true);
        }
    }
    table duplicates {
        key = { s.x : exact; }
        actions = { nop; }
        const entries = { 1: nop(); 2: nop(); 1: nop(); priority = 3: 4: nop(); }
    }
    table keyless { actions = { nop; } const entries = { 1: nop(); } }
    apply {
        switch (defaults.apply().action_run) {
            set: { }
            nop: { }
            set: { }
            missing: { }
            default: { }
            copy: { }
        }
        switch (s.x) { 1: { } true: { } 1: { } s.x: { } }
    }
}
