/* Sums of lists, selects, keys and exceptions that have no meaning. */
header_type h_t { fields { a : 8; b : 16; } }
header h_t h;
metadata h_t m;
field_list listed { h.a; }
field_list twice { h.a; }
field_list twice { h.b; }
field_list_calculation none_of { algorithm : csum16; output_width : 16; }
field_list_calculation sum_of { input { nowhere; } algorithm : csum16; output_width : 16; }
field_list_calculation sum_of_none { input { missing_list; listed; } algorithm : csum16; output_width : 16; }
field_list unused_list { h.left_out; }
field_list unused_too { h.left_out_too; }
field_list_calculation unused_sum { input { missing_too; } algorithm : csum16; output_width : 16; }
field_list_calculation sum_unused { input { missing_again; } algorithm : csum16; output_width : 16; }
calculated_field h.c { verify sum_of; }
calculated_field h.b { verify no_sum; update sum_of if (h.none == 1); }
calculated_field h.a { verify sum_of_none; }
parser_value_set vs;
parser start { extract(h); return select(h.a, h.b) { vs, 1 : ingress; 1, 2, 3 : ingress; default : ingress; } }
parser empty { return select() { 1 : ingress; } }
parser wrong { set_metadata(m.none, 1); set_metadata(m.a, 2); return ingress; }
parser_exception raised { set_metadata(m.nothing, 1); set_metadata(m.a, 3); return ingress; }
action nop() { no_op(); }
table keys { reads { h : valid; h.a : exact; none : valid; h.a : nearly; } actions { nop; } }
control ingress { apply(keys); apply(keys) { miss, hit { } } }
parser nth { return select(h.a) { vs[1] : ingress; default : nowhere_to_go; } }
parser nowhere_to_go { return parser_drop; }
