/* Objects of types that a target brings: what is declared of them, and what is not. */
extern_type meter_like {
    attribute size { type : int; }
    attribute kind { type : string; optional; }
    method execute(in bit<8> index, out bit<8> colour) { reads { size } }
    method reset();
}
extern meter_like good { size : 4; kind { any } }
extern meter_like bad { size : 4; colour : red; }
extern unknown_type lost { size : 4; }
extern meter_like plain;

header_type h_t { fields { a : 8; b : 8; } }
header h_t h;
parser start { extract(h); return ingress; }

action calls() {
    good.execute(h.a, h.b);
    good.run(h.a);
    none.execute(h.a, h.b);
    plain.reset();
}
action two(x, y) { modify_field(h.a, x); modify_field(h.b, y); }
action few() { two(1); }
action many() { two(1, 2, 3); }
table t { actions { calls; few; many; } }
control ingress { apply(t); }
