/* P4-14: parse states: latest, current, set_metadata, select on several values with masks, value sets, exceptions; the
   deparser follows the order of the parse graph. */
header_type first_t { fields { kind : 8; a : 4; b : 12; } }
header_type byte_t { fields { v : 8; } }
header_type word_t { fields { v : 16; } }
header_type notes_t { fields { x : 8; y : 16; } }
header first_t first;
header byte_t byte;
header word_t word;
metadata notes_t notes { x : 9; };
parser_value_set kinds;

parser start {
    extract(first);
    return select(latest.kind) {
        1 : byte_then_word;
        2 : word_only;
        3 : several;
        4 : peek;
        5 : unhandled;
        6 : checked_out;
        7 : fields_set;
        kinds : word_only;
        0x80 mask 0x80 : ingress;
        default : byte_only;
    }
}
parser byte_then_word { extract(byte); return word_only; }
parser word_only { extract(word); return ingress; }
parser byte_only { extract(byte); return ingress; }
parser several {
    return select(first.a, first.b) {
        0x1002 : byte_only;
        0x2000 mask 0xf00f : word_only;
        default : ingress;
    }
}
parser peek {
    set_metadata(notes.x, current(8, 8) + 1);
    return select(current(0, 8)) {
        0x77 : byte_only;
        default : ingress;
    }
}
parser unhandled {
    return select(first.b) { 1 : byte_only; 2 : word_only; }
}
parser fields_set {
    extract(byte);
    set_metadata(first.b, latest.v + 1);
    set_metadata(byte.v, 0x5a);
    set_metadata(word.v, 7);
    return select(byte.v) { 0x5a : ingress; default : word_only; }
}
parser checked_out { return parse_error gave_up; }

parser_exception gave_up { set_metadata(notes.x, 0x66); return ingress; }
parser_exception p4_pe_unhandled_select { set_metadata(notes.x, 0x55); return ingress; }
parser_exception p4_pe_default { parser_drop; }

action show() { modify_field(first.kind, notes.x); }
action plus() { add_to_field(word.v, 1); }
action grow() { add_header(byte); modify_field(byte.v, 0xbb); }
table shown { actions { show; } default_action : show; }
table more { actions { plus; } default_action : plus; }
table grown { actions { grow; } default_action : grow; }
control ingress {
    if (valid(word)) { apply(more); }
    if (valid(word) and first.b == 0xfff) { apply(grown); }
    apply(shown);
}
