/* Counters, meters, registers and calculations. */
header_type h_t { fields { a : 8; b : 32; } }
header h_t h;
parser start { extract(h); return ingress; }
counter c1 { type : packets; }
counter c2 { type : frames; instance_count : 4; }
counter c3 { type : bytes; direct : no_table; }
counter c4 { type : bytes; direct : t; }
meter m1 { type : packets_and_bytes; instance_count : 2; }
register r1 { instance_count : 8; }
register r2 { width : 0; instance_count : 8; }
field_list empty_list { h.missing; 5; }
field_list_calculation calc { input { no_list; } algorithm : csum16; }
calculated_field h.b { verify no_calculation; update calc if (h.q == 1); }
action a(i) { count(c4, i); register_write(r1, i, 1); execute_meter(m1, i, h.a, 0, 0); }
table t { actions { a; } size : 0 - 1; }
control ingress { apply(t); }
