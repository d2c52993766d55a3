/* A table without default action needs NoAction, which is in core.p4. */
match_kind { exact }
control c(inout bit<8> x) {
    action nop() { }
    table t { key = { x : exact; } actions = { nop; } }
    apply { t.apply(); }
}
