/* P4-14: calculations over more headers than a few, each of which may be invalid: their fields are left out. */
header_type work_t { fields { a : 1; b : 1; c : 1; d : 1; what : 4; r : 16; sum : 16; } }
header_type part_t { fields { x : 4; y : 12; } }
header work_t work;
header part_t a;
header part_t b;
header part_t c[2];
header_type notes_t { fields { n : 16; } }
metadata notes_t notes;

parser start { extract(work); return select(work.a) { 1 : with_a; default : after_a; } }
parser with_a { extract(a); return after_a; }
parser after_a { return select(work.b) { 1 : with_b; default : after_b; } }
parser with_b { extract(b); return after_b; }
parser after_b { return select(work.c) { 1 : with_c; default : after_c; } }
parser with_c { extract(c[next]); return after_c; }
parser after_c { return select(work.d) { 1 : with_d; default : ingress; } }
parser with_d { extract(c[next]); return ingress; }

field_list parts { work.what; a.y; b.y; c[0].x; 4'0x5; c[1].y; }
field_list everything { work.what; work.d; a; b; c; payload; }
field_list_calculation of_parts { input { parts; } algorithm : csum16; output_width : 16; }
field_list_calculation of_everything { input { everything; } algorithm : csum16; output_width : 16; }
field_list first_byte_and_payload { work.a; work.b; work.c; work.d; work.what; payload; }
field_list_calculation short_one { input { first_byte_and_payload; } algorithm : crc16_custom; output_width : 16; }
field_list_calculation long_one { input { first_byte_and_payload; } algorithm : crc32_custom; output_width : 32; }
calculated_field work.sum { update of_everything if (work.what == 2); }

action fold() { modify_field_with_hash_based_offset(notes.n, 0, of_parts, 0x10000); modify_field(work.r, notes.n); }
table folding { actions { fold; } default_action : fold; }
action short_crc() { modify_field_with_hash_based_offset(notes.n, 0, short_one, 0x10000); modify_field(work.r, notes.n); }
action long_crc() { modify_field_with_hash_based_offset(notes.n, 0, long_one, 0x10000); modify_field(work.r, notes.n); }
table with_short { actions { short_crc; } default_action : short_crc; }
table with_long { actions { long_crc; } default_action : long_crc; }
control ingress {
    if (work.what == 1) { apply(folding); }
    if (work.what == 3) { apply(with_short); }
    if (work.what == 4) { apply(with_long); }
}
