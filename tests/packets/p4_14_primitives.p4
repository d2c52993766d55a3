/* P4-14: every primitive action on fields, saturating and signed fields, action parameters, actions that call actions. The
   first byte chooses the action. */
header_type work_t {
    fields {
        what : 8;
        a : 8;
        b : 8;
        c : 8;
        up : 8 (saturating);
        both : 8 (signed, saturating);
        wide : 16;
    }
}
header work_t work;

header_type scratch_t { fields { x : 8; y : 16; z : 4; } }
metadata scratch_t scratch { x : 5; };

parser start {
    extract(work);
    return ingress;
}

field_list ab { work.a; work.b; 16'0x1234; }
field_list_calculation fold {
    input { ab; }
    algorithm : xor16;
    output_width : 16;
}

action set() { modify_field(work.a, work.b); }
action set_constant() { modify_field(work.wide, 0x12345); }
action set_masked() { modify_field(work.a, work.b, 0x0f); }
action set_given(value) { modify_field(work.a, value); }
action plus() { add_to_field(work.a, work.b); }
action minus() { subtract_from_field(work.a, work.b); }
action negative() { add_to_field(work.a, -1); }
action sum() { add(work.wide, work.a, work.b); }
action difference() { subtract(work.a, work.b, work.c); }
action ands() { bit_and(work.a, work.b, work.c); bit_nand(work.wide, work.b, work.c); }
action ors() { bit_or(work.a, work.b, work.c); bit_nor(work.up, work.b, work.c); }
action xors() { bit_xor(work.a, work.b, work.c); bit_xnor(work.up, work.b, work.c); }
action half_ands() { bit_andca(work.a, work.b, work.c); bit_andcb(work.up, work.b, work.c); }
action half_ors() { bit_orca(work.a, work.b, work.c); bit_orcb(work.up, work.b, work.c); }
action complement() { bit_not(work.a, work.b); }
action extremes() { min(work.a, work.b, work.c); max(work.up, work.b, work.c); }
action shifts() { shift_left(work.a, work.b, 3); shift_right(work.up, work.b, work.c); }
action swapped() { swap(work.a, work.b); }
action sequence() { modify_field(work.a, work.b); modify_field(work.b, work.a); add_to_field(work.b, 1); }
action saturate() { add_to_field(work.up, work.a); add_to_field(work.both, work.b); }
action desaturate() { subtract_from_field(work.up, work.a); subtract_from_field(work.both, work.b); }
action metadata_starts() { modify_field(work.a, scratch.x); modify_field(work.b, scratch.z); }
action narrow() { modify_field(scratch.z, work.a); modify_field(work.b, scratch.z); }
action inner(x, y) { modify_field(work.a, x); modify_field(work.b, y); }
action outer(value) { inner(value, 7); inner(work.b, value); }
action hashed() { modify_field_with_hash_based_offset(work.wide, 0x1000, fold, 0x100); }
action drawn() { modify_field_rng_uniform(work.a, 3, 3); modify_field_rng_uniform(work.b, 0, 255); bit_and(work.b, work.b, 0); }
action nothing() { no_op(); }
action gone() { drop(); }
action cut() { truncate(3); }
action go(port) { modify_field(standard_metadata.egress_spec, port); }
action shifted() { modify_field_with_shift(work.a, work.b, 4, 0x0f); }
action perhaps() { modify_field_conditionally(work.a, work.c == 0x33, 0x99); }
action from_rng() { modify_field_from_rng(work.a, 8, 0); }
action marked() { mark_for_drop(); }
action in_place() { work.a = (work.b + 2) & 0x1f; }

table chosen {
    reads { work.what : exact; }
    actions {
        set; set_constant; set_masked; set_given; plus; minus; negative; sum; difference; ands; ors; xors; half_ands;
        half_ors; complement; extremes; shifts; swapped; sequence; saturate; desaturate; metadata_starts; narrow; outer; hashed;
        drawn; nothing; gone; cut; in_place; shifted; perhaps; from_rng; marked;
    }
    size : 64;
}
table out { actions { go; } default_action : go(1); }

control ingress {
    apply(out);
    apply(chosen);
}
