/* Tables: the action list comes before the default action, the key before the entries. */
match_kind { exact }
struct s_t { bit<8> x; }

control c(inout s_t s) {
    action nop() { }
    table default_first {
        default_action = nop;
        actions = { nop; }
    }
    table entries_first {
        actions = { nop; }
        const entries = { 1 : nop(); }
        key = { s.x : exact; }
        default_action = nop;
    }
    apply { }
}
