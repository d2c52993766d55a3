/* P4-14: apply with hit, miss and actions as cases, nested; keys of every kind with masks; defaults; conditions; controls
   that call controls; egress; action profiles with a dynamic selection. The first byte chooses. */
header_type work_t { fields { what : 8; a : 8; b : 16; r : 8; } }
header work_t work;
header_type notes_t { fields { x : 8; } }
metadata notes_t notes;

parser start { extract(work); return ingress; }

action set(v) { modify_field(work.r, v); }
action add_more(v) { add_to_field(work.r, v); }
action none() { }
action note(v) { modify_field(notes.x, v); }
action gone() { drop(); }

table exact_key { reads { work.a : exact; } actions { set; none; gone; } }
table masked { reads { work.b mask 0x0ff0 : exact; } actions { set; none; } }
table ternaries { reads { work.a : ternary; work.b : ternary; } actions { set; none; } default_action : set(0xdd); }
table prefixes { reads { work.b : lpm; } actions { set; none; } size : 32; min_size : 8; }
table spans { reads { work.b : range; } actions { set; none; } }
table always { actions { add_more; } default_action : add_more(0x10); }
table on_hit { actions { add_more; } default_action : add_more(1); }
table on_miss { actions { add_more; } default_action : add_more(2); }
table on_none { actions { add_more; } default_action : add_more(4); }
table notes_it { actions { note; } default_action : note(0x30); }
table from_notes { reads { notes.x : exact; } actions { set; none; } }
action leave() { modify_field(work.r, 0x51); exit(); modify_field(work.r, 0x52); }
action leave_by_call(v) { modify_field(work.a, v); leave(); modify_field(work.a, 0); }
table leaves { reads { work.a : exact; } actions { leave; leave_by_call; none; } }
table in_egress { reads { work.what : exact; standard_metadata.egress_port : exact; } actions { set; gone; } }

field_list flow { work.b; }
field_list_calculation by_flow { input { flow; } algorithm : crc16; output_width : 8; }
action_selector spread { selection_key : by_flow; }
action_profile members { actions { set; add_more; } size : 8; dynamic_action_selection : spread; }
table many { reads { work.a : exact; } action_profile : members; }
action_profile plain { actions { set; none; } size : 4; }
@pragma some_hint 3
table one { reads { work.a : exact; } action_profile : plain; }

control inner {
    apply(always);
    if (work.a == 2 or (work.a >= 8 and work.a < 0x10)) { apply(on_hit); } else { apply(on_miss); }
}

control ingress {
    if (work.what == 1) { apply(exact_key); }
    if (work.what == 2) { apply(masked); }
    if (work.what == 3) { apply(ternaries); }
    if (work.what == 4) { apply(prefixes); }
    if (work.what == 5) { apply(spans); }
    if (work.what == 6) {
        apply(exact_key) {
            hit { apply(on_hit); }
            miss { apply(on_miss); }
        }
    }
    if (work.what == 7) {
        apply(exact_key) {
            set { apply(on_hit); }
            none {
                apply(masked) {
                    miss { apply(on_none); }
                }
            }
            default { apply(on_miss); }
        }
    }
    if (work.what == 8) { inner(); }
    if (work.what == 9) {
        apply(notes_it);
        apply(from_notes);
    }
    if (work.what == 0x0b) { apply(many); }
    if (work.what == 0x0c) { apply(one); }
    if (work.what == 0x0d or work.what == 0x0e) {
        apply(leaves) { hit { apply(on_hit); } miss { apply(on_miss); } }
        inner();
    }
}

control egress {
    if (work.what == 0x0a) { apply(in_egress); }
    if (work.what == 0x0e) {
        apply(always);
        apply(leaves);
        apply(always);
    }
}
