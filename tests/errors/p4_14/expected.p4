/* What is expected at each place of a declaration. */
header_type { fields { a : 8; } }
header_type h_t { field { a : 8; } }
header_type g_t { fields { 5 : 8; } }
header_type i_t { fields { a : 8 (unsigned); } }
header_type j_t { fields { a : 8 (5); } }
header h_t;
header 5 h;
metadata meta_t m { 5 : 1; };
field_list { h.a; }
field_list f { h; h.; }
field_list_calculation { input { f; } }
field_list_calculation c { output { f; } }
field_list_calculation d { input { f; } algorithm : ; }
calculated_field h.a { check c; }
calculated_field h.a { verify ; }
calculated_field h.a { 5 c; }
parser { return ingress; }
parser start { return ; }
parser twice { return ingress; return ingress; }
parser wrong { return parse_error ; }
parser call { set_metadata h.a, 1; return ingress; }
parser sets { set_metadata(h.a 1); return ingress; }
counter c1 { kind : bytes; }
counter c2 { type bytes; }
register { width : 8; }
action () { }
action a(5) { }
action b() { 5(); }
action_profile { actions { a; } }
action_profile p { action { a; } }
action_selector s { key : c; }
table { actions { a; } }
table t { read { h.a : exact; } }
table u { reads { h.a : ; } }
table v { actions { 5; } }
table w { action_profile : ; }
table x { size : ; }
control { apply(t); }
control one { 5; }
control two { apply(); }
control three { apply(t) { 5 { } } }
control four { if h.a == 1) { apply(t); } }
control five { if (h.a == 1 { apply(t); } }
control six { if (h.a == ) { apply(t); } }
control seven { apply(t) { hit { apply(u); } }
