/* Mistakes of syntax: each costs its own statement only. */
header_type ethernet_t {
    fields {
        dst : 48
        src : 48;
        kind : 16;
    }
}
header ethernet_t ethernet;

parser start {
    extract(ethernet;
    return ingress;
}

action forward(port) {
    modify_field(standard_metadata.egress_spec, port)
    no_op();
}

table l2 {
    reads { ethernet.dst exact; }
    actions { forward; }
    size = 10;
}

contrl other { }

control ingress {
    apply(l2);
    if (ethernet.kind == 0x) { apply(l2); }
    apply(l2)
