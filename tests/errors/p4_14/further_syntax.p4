/* What is expected at further places. */
extern_type broken { field x; }
extern_type named { method 5(); }
extern 5 x;
extern broken object { size }
header_type typed { kind : 4; fields { a : 8; } }
header_type lengths { length : ; fields { a : 8; } }
field_list { a.b; }
field_list listed { a.b }
field_list_calculation sum { algorithm { csum16; crc16 } output_width : 16; }
field_list_calculation kinds { best : 4; }
parser returns { return ; }
parser raises { parse_error ; }
parser raises_more { parse_error 5; }
parser sets { m.a 5; return ingress; }
parser selects { return select(h.a { 1 : ingress; } }
parser cases { return select(h.a) { 1 ingress; } }
parser masks { return select(h.a) { 1 mask : ingress; } }
counter kinds { type : ; }
register widths { width 8; }
table keys { reads { 5 : valid; } }
table sizes { size : ; }
table actions { actions { 5; } }
control applies { apply(t) { hit, 5 { } } }
control conditions { if h.a { } }
control calls { apply(; }
action fields { no_op(); }
action calls() { h. ; }
