/* P4-14: headers that are added, removed, copied; stacks with next, last, push, pop; `valid`; lengths that a field gives.
   The first byte chooses the action, the second says how many tags follow. */
header_type work_t { fields { what : 8; tags : 8; } }
header_type tag_t { fields { more : 8; value : 8; } }
header_type options_t {
    fields { length_of : 8; data : *; }
    length : length_of;
    max_length : 6;
}
header work_t work;
header tag_t tag[3];
header tag_t extra;
header options_t options;

parser start {
    extract(work);
    return select(work.tags) {
        0 : ingress;
        0xaa : with_options;
        0xbb : with_extra;
        default : with_tags;
    }
}
parser with_tags {
    extract(tag[next]);
    return select(latest.more) {
        0 : ingress;
        default : with_tags;
    }
}
parser with_extra {
    extract(extra);
    return select(latest.more) {
        0xfe : with_tags;
        default : ingress;
    }
}
parser with_options { extract(options); return with_extra; }

parser_exception p4_pe_index_out_of_bounds { set_metadata(scratch.flag, 1); return ingress; }
header_type scratch_t { fields { flag : 1; } }
metadata scratch_t scratch;

action add_one() { add_header(extra); modify_field(extra.value, 0x77); }
action take_one() { remove_header(extra); }
action copy_one() { copy_header(extra, tag[1]); }
action copy_back() { copy_header(tag[2], extra); }
action push_one() { push(tag, 1); modify_field(tag[0].value, 0x55); }
action push_all() { push(tag, 5); }
action pop_one() { pop(tag, 1); }
action pop_all() { pop(tag, 3); }
action remove_middle() { remove_header(tag[1]); }
action longer() { add_to_field(extra.value, 1); }
action mark() { modify_field(work.tags, 0xff); }
action nothing() { no_op(); }
table chosen {
    reads { work.what : exact; }
    actions { add_one; take_one; copy_one; copy_back; push_one; push_all; pop_one; pop_all; remove_middle; longer; nothing; }
}
table with_validity {
    reads { extra : valid; tag[0] : valid; }
    actions { mark; nothing; }
}
table marking { actions { mark; } default_action : mark; }

control ingress {
    if (work.what == 0x20) {
        apply(with_validity);
    } else if (work.what == 0x21) {
        if (valid(extra) and not valid(tag[0])) { apply(marking); }
    } else {
        if (scratch.flag == 1) { apply(marking); }
        apply(chosen);
    }
}
