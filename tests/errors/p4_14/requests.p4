/* Clones and further passes requested where they are not allowed. */
header_type h_t { fields { a : 8; } }
header h_t h;
parser start { extract(h); return ingress; }
action of_ingress() { clone_ingress_pkt_to_egress(1); resubmit(); }
action of_egress() { clone_e2e(1); recirculate(); }
table first { actions { of_ingress; of_egress; } default_action : of_ingress; }
table last { actions { of_ingress; of_egress; } default_action : of_egress; }
control ingress { apply(first); }
control egress { apply(last); }
