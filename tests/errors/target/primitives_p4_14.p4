header_type h_t { fields { x : 32; } }
header h_t h;
parser start { extract(h); return ingress; }
primitive_action twist(field);
action turn() { twist(h.x); }
table t { actions { turn; } }
control ingress { apply(t); }
