/* P4-14: counters, meters and registers, static and direct; calculated fields with conditions, over the payload too. Rates
   of zero leave what the buckets hold: colours do not depend on time. */
header_type work_t { fields { what : 8; at : 8; r : 16; sum : 16; } }
header_type data_t { fields { x : 16; y : 16; } }
header work_t work;
header data_t data;
header_type notes_t { fields { colour : 8; n : 16; } }
metadata notes_t notes { colour : 9; }

parser start {
    extract(work);
    return select(latest.what) {
        0x10 mask 0xf0 : with_data;
        default : ingress;
    }
}
parser with_data { extract(data); return ingress; }

field_list of_data { data.x; data.y; }
field_list of_all { data.x; data.y; payload; }
field_list_calculation sum_of_data { input { of_data; } algorithm : csum16; output_width : 16; }
field_list_calculation sum_of_all { input { of_all; } algorithm : csum16; output_width : 16; }
calculated_field work.sum {
    verify sum_of_data if (work.what == 0x10);
    update sum_of_data if (work.what == 0x11);
    update sum_of_all if (work.what == 0x12);
}

counter seen { type : packets; instance_count : 4; }
counter lengths { type : bytes; static : counting; instance_count : 4; }
counter hits { type : packets_and_bytes; direct : chosen; }
meter by_packets { type : packets; instance_count : 4; }
meter of_entries { type : packets; direct : metered; result : notes.colour; }
register cells { width : 16; instance_count : 4; }

action tally(i) { count(seen, i); count(lengths, i); }
action colour() { execute_meter(by_packets, work.at, notes.colour); modify_field(work.r, notes.colour); }
action show_colour() { modify_field(work.r, notes.colour); }
action take_colour() { execute_meter(of_entries, 0, notes.colour); modify_field(work.r, notes.colour); }
action step() {
    register_read(notes.n, cells, work.at);
    add_to_field(notes.n, 3);
    register_write(cells, work.at, notes.n);
    modify_field(work.r, notes.n);
}
action set(v) { modify_field(work.r, v); }
action change() { add_to_field(data.x, 1); }
action mark() { modify_field(work.r, standard_metadata.checksum_error); }

table counting { reads { work.at : exact; } actions { tally; } }
table colouring { actions { colour; } default_action : colour; }
table metered { reads { work.at : exact; } actions { show_colour; take_colour; } }
table stepping { actions { step; } default_action : step; }
table chosen { reads { work.at : exact; } actions { set; } }
table changing { actions { change; } default_action : change; }
table marking { actions { mark; } default_action : mark; }

control ingress {
    if (work.what == 1) { apply(counting); }
    if (work.what == 2) { apply(colouring); }
    if (work.what == 3) { apply(metered); }
    if (work.what == 4) { apply(stepping); }
    if (work.what == 5) { apply(chosen); }
    if (valid(data)) { apply(marking); }
    if (work.what == 0x11 or work.what == 0x12) { apply(changing); }
}
