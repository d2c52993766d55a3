/* Values that are none, places that are not there, fields of variable width in calculations. */
header_type h_t { fields { a : 8; b : 16; s : 8 (signed); } }
header_type other_t { fields { a : 8; } }
header_type var_t { fields { n : 8; data : *; } length : n; max_length : 16; }
header_type two_t { fields { n : 8; one : *; two : *; } length : n; max_length : 16; }
header_type full_t { fields { n : 8; data : *; } length : n; max_length : 1; }
header_type meta_t { fields { m : 8; } }
header h_t h;
header h_t far;
header other_t other;
header var_t var;
header var_t var2;
header h_t stack[2];
header h_t none_at_all[0];
metadata meta_t meta { m : 256; q : 1; };

parser start {
    extract(h);
    extract(stack[next]);
    set_metadata(meta.m, current(0, 0));
    set_metadata(meta.m, current(h.a, 8));
    set_metadata(meta.m, stack[next].a);
    set_metadata(meta.m, latest.z);
    return select(h.a, 5 / 0) { 1 : ingress; default : ingress; }
}

action act(p) {
    modify_field(h.a, 1 / 0);
    modify_field(h.a, 1 % 0);
    modify_field(h.a, h.b << (0 - 1));
    modify_field(h.a, current(0, 8));
    modify_field(h.a, h);
    modify_field(h.a, other[1].a);
    modify_field(h.a, meta[1].m);
    modify_field(h.a, stack[next].a);
    modify_field(h.a, stack[h.a].a);
    modify_field(h.a, var.data + 1);
    modify_field(h.a, h.q);
    modify_field(5, h.a);
    modify_field(var.data, 1);
    add_to_field(var.data, 1);
    shift_left(h.a, h.b, 0 - 1);
    modify_field_with_hash_based_offset(h.a, 0, 5, 16);
    modify_field_with_hash_based_offset(h.a, 0, h, 16);
    modify_field_from_rng(h.a, 65);
    modify_field_from_rng(h.a, p);
    copy_header(h, other);
    copy_header(h, 1);
    remove_header(meta);
    remove_header(latest);
    push(h, 1);
    push(stack, p);
    pop(stack[0], 1);
    add_header(stack);
    count(5, 1);
    count(stack[0], 1);
    bit_not(h.a, far);
}

table t { actions { act; } default_action : act(256); }
table plain { reads { far.a mask 1 : fuzzy; } actions { act; } }
table widths { reads { h : exact; var.data : exact; h.a mask 256 : exact; } actions { act; } default_action : act(); }
control ingress {
    if (var.data == 1) { apply(t); }
    if (valid(meta)) { apply(plain); }
    apply(widths);
}
