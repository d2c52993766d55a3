/* Tables: default actions, names, priorities. */
match_kind { exact, ternary, lpm }
struct s_t { bit<8> x; bit<8> y; }
action NoAction(bit<8> reason) { }

control c(inout s_t s, in bit<8> hides) {
    action nop() { }
    table without_default {
        key = { s.x : exact; }
        actions = { nop; }
    }
    table hides {
        key = { hides : exact; }
        actions = { nop; }
        default_action = nop;
    }
    table below_zero {
        key = { s.x : ternary; }
        actions = { nop; }
        default_action = nop;
        priority_delta = 10;
        entries = { priority = 12 : 1 : nop(); 2 : nop(); 3 : nop(); }
    }
    table too_high {
        key = { s.x : ternary; }
        actions = { nop; }
        default_action = nop;
        largest_priority_wins = false;
        entries = { priority = 2147483646 : 1 : nop(); 2 : nop(); 3 : nop(); }
    }
    apply { }
}
