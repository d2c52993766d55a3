/* What contains itself. */
header_type h_t { fields { a : 8; } }
header h_t h;
field_list outer { h; inner; }
field_list inner { outer; }
parser start { extract(h); return ingress; }
action one() { two(); }
action two() { one(); }
table t { actions { one; } }
control ingress { apply(t); again(); }
control again { ingress(); }
