/* Field lists, calculations, selectors, meters and value sets that lack something. */
header_type h_t { fields { a : 8; b : 16; } }
header_type var_t { fields { n : 8; data : *; } length : n; max_length : 16; }
header h_t h;
header var_t var;
parser_value_set of_bytes;

parser start {
    extract(h);
    return select(h.a) { of_bytes : more; h.b : ingress; default : ingress; }
}
parser more {
    extract(var);
    return select(h.b, h.a) { of_bytes : other; 1 : other; default : ingress; }
}
parser other { return select(h.b) { of_bytes : ingress; default : ingress; } }
parser last { return select(var.data) { 1 : ingress; default : ingress; } }

field_list good { h.a; }
field_list bad { 5; nothing; h.a; }
field_list constant { 5; }
field_list of_none { nothing; }
field_list itself { itself; }
field_list of_var { var.data; }
field_list_calculation without_input { algorithm : csum16; output_width : 16; }
field_list_calculation without_algorithm { input { good; } output_width : 16; }
field_list_calculation without_width { input { good; } algorithm : crc16; }
field_list_calculation unknown_list { input { lost; } algorithm : crc16; output_width : 16; }
field_list_calculation of_constant { input { constant; } algorithm : crc16; output_width : 16; }
field_list_calculation of_nothing { input { of_none; } algorithm : crc16; output_width : 16; }
field_list_calculation in_circles { input { itself; } algorithm : crc16; output_width : 16; }
field_list_calculation of_variable { input { of_var; } algorithm : crc16; output_width : 16; }

action_selector keyless { selection_mode : fair; }
action_selector narrow { selection_key : without_width; }
action_selector variable { selection_key : of_variable; }
action_selector lost { selection_key : no_such; }
action_profile p1 { actions { nop; } dynamic_action_selection : keyless; }
action_profile p2 { actions { nop; } dynamic_action_selection : narrow; }
action_profile p3 { actions { nop; } dynamic_action_selection : variable; }
action_profile p4 { actions { nop; nothing; } size : 0 - 1; dynamic_action_selection : unknown; }
action nop() { }
table t1 { action_profile : p1; }
table t2 { action_profile : p2; }
table t3 { action_profile : p3; }
table t4 { action_profile : no_profile; }
table empty { reads { h.a : exact; } sise : 5; }

meter m1 { type : bytes; direct : t1; static : t2; result : h.a; }
meter m2 { type : bytes; result : h.a; instance_count : 4; }
meter m3 { type : bytes; direct : t1; }
counter c1 { type : bytes; instance_count : 0; }
counter c2 { instance_count : 4; }
register r1 { width : 8; }

action hashed() {
    modify_field_with_hash_based_offset(h.a, 0, without_input, 16);
    modify_field_with_hash_based_offset(h.a, 0, without_algorithm, 16);
    modify_field_with_hash_based_offset(h.a, 0, unknown_list, 16);
    modify_field_with_hash_based_offset(h.a, 0, of_constant, 16);
    modify_field_with_hash_based_offset(h.a, 0, of_nothing, 16);
    modify_field_with_hash_based_offset(h.a, 0, in_circles, 16);
    resubmit(h.a);
    resubmit(h);
    generate_digest(0, no_list);
}
table t5 { actions { hashed; } }
control ingress { apply(t1); apply(t2); apply(t3); apply(t4); apply(t5); apply(empty); deeper(); }
control deeper { deeper(); }
