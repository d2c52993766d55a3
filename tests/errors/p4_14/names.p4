/* Names that are not declared, are declared twice, or are of another kind. */
header_type h_t { fields { a : 8; a : 8; b : 16; } }
header_type h_t { fields { c : 8; } }
header_type standard_metadata_t { fields { c : 8; } }
header h_t h;
header h_t stack[2];
header missing_t odd;
metadata h_t m;

parser start {
    extract(h);
    extract(m);
    extract(nothing);
    return select(latest.nope) {
        0 : nowhere;
        unknown_set : ingress;
        default : ingress;
    }
}

action act(p, p2) {
    modify_field(h.zz, p);
    modify_field(h.a, q);
    modify_field(stack[p2].a, 1);
    modify_field(stack[2].a, 1);
    modify_field(stack.a, 1);
    modify_field(stack[last].a, 1);
    modify_field(h.a);
    undefined_action(p);
    count(no_counter, p);
    resubmit(p);
    add_header(m);
    drop(1);
}

table t {
    reads { h.a : exact; h.b : fuzzy; h : exact; }
    actions { act; act; no_op; missing_action; }
    default_action : act(1);
}

control ingress {
    apply(t) { act { apply(none); } other_action { } hit { } }
    apply(missing_table);
    missing_control();
    if (valid(none)) { apply(t); }
}
