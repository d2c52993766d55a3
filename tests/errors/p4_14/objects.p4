/* Counters, meters and registers that contradict themselves; tables, headers and names. */
header_type h_t { fields { a : 8; b : 32; } }
header_type odd_t { fields { a : 5; } }
header_type meta_t { fields { colour : 8; } }
header_type egress { fields { a : 8; } }
header h_t h;
header odd_t odd;
metadata meta_t m { colour : 256; }

parser start { extract(h); return both; }
parser both { return ingress; }
control both { }

meter coloured { type : bytes; direct : t; }
meter without { type : bytes; }
register twice { width : 8; layout : h_t; instance_count : 4; }
counter mine { type : packets; static : t; instance_count : 4; }

action inner() { count(mine, 1); }
action outer() { inner(); }
table t { actions { outer; } min_size : 10; max_size : 5; }
table other { actions { outer; } }

control ingress {
    apply(t);
    if (valid(h.nothing)) { apply(other); }
}
