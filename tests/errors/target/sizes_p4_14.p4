header_type h_t { fields { x : 32; } }
header h_t h;
@pragma parser_value_set_size 4294967296
parser_value_set some;
parser start { extract(h); return select(h.x) { some : ingress; default : ingress; } }
counter counts { type : packets; instance_count : 2147483648; }
register numbers { width : 8; instance_count : 4294967296; }
meter rates { type : bytes; instance_count : 9223372036854775808; }
action count_it() { count(counts, 1); }
action_profile members { actions { count_it; } size : 2147483648; }
table t { reads { h.x : exact; } actions { count_it; } size : 4294967296; }
table u { reads { h.x : exact; } action_profile : members; }
table widest { reads { h.x : exact; } actions { count_it; } size : 2147483647; }
control ingress { apply(t); apply(u); apply(widest); }
