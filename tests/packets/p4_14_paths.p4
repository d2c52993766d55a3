/* P4-14: the further passes of a packet: resubmit, recirculate, clones at both ends, multicast, each with the metadata that a
   field list keeps; intrinsic metadata. The first byte chooses. */
header_type work_t { fields { what : 8; a : 8; b : 8; } }
header work_t work;
header_type notes_t { fields { kept : 8; lost : 8; } }
metadata notes_t notes;
header_type intrinsic_metadata_t { fields { mcast_grp : 16; egress_rid : 16; ingress_global_timestamp : 48; } }
metadata intrinsic_metadata_t intrinsic_metadata;

parser start { extract(work); return ingress; }

field_list keep { notes.kept; standard_metadata.instance_type; }
field_list all_of_it { notes; }

action begin() { modify_field(notes.kept, 0x11); modify_field(notes.lost, 0x22); modify_field(standard_metadata.egress_spec, 1); }
action again() { resubmit(keep); }
action again_bare() { resubmit(); }
action round() { recirculate(keep); }
action round_all() { recirculate(all_of_it); }
action clone_in() { clone_ingress_pkt_to_egress(7, keep); modify_field(work.a, 0xee); }
action clone_out() { modify_field(work.a, 0xcc); clone_egress_pkt_to_egress(7, keep); }
action replicate() { modify_field(intrinsic_metadata.mcast_grp, 9); }
action show(n) { modify_field(work.a, notes.kept); add_to_field(work.a, notes.lost); modify_field(work.b, n); }
action show_replica() { modify_field(work.b, intrinsic_metadata.egress_rid); }
action show_type() { modify_field(work.a, notes.kept); modify_field(work.b, standard_metadata.instance_type); }
action out() { modify_field(standard_metadata.egress_spec, 2); }
action nothing() { }
table first { actions { begin; } default_action : begin; }
table again_table { actions { again; } default_action : again; }
table again_bare_table { actions { again_bare; } default_action : again_bare; }
table clone_in_table { actions { clone_in; } default_action : clone_in; }
table replicate_table { actions { replicate; } default_action : replicate; }
table shown { reads { standard_metadata.instance_type : exact; } actions { show; nothing; } default_action : nothing; }
table out_table { actions { out; } default_action : out; }
table in_egress { reads { work.what : exact; } actions { round; round_all; clone_out; nothing; } default_action : nothing; }
table shown_clone { actions { show_type; } default_action : show_type; }
table replica { actions { show_replica; } default_action : show_replica; }

control ingress {
    if (standard_metadata.instance_type == 0) {
        apply(first);
        if (work.what == 1) { apply(again_table); }
        if (work.what == 2) { apply(again_bare_table); }
        if (work.what == 3) { apply(clone_in_table); }
        if (work.what == 4) { apply(replicate_table); }
    } else {
        apply(out_table);
        apply(shown);
    }
}
control egress {
    if (standard_metadata.instance_type == 0 and work.b == 0) { apply(in_egress); }
    if (standard_metadata.instance_type == 1 or standard_metadata.instance_type == 2) { apply(shown_clone); }
    if (standard_metadata.instance_type == 5) { apply(replica); }
}
