/* l2fwd in P4-14: the same learning Ethernet switch as l2fwd.p4. */

#define FLOOD_GROUP 1
#define LEARN_RECEIVER 1

header_type ethernet_t {
    fields {
        dst : 48;
        src : 48;
        type : 16;
    }
}

header_type intrinsic_metadata_t {
    fields {
        mcast_grp : 16;
        egress_rid : 16;
    }
}

header ethernet_t ethernet;
metadata intrinsic_metadata_t intrinsic_metadata;

parser start {
    extract(ethernet);
    return ingress;
}

/* What the controller is told: a station, and the port behind which it was seen. */
field_list station {
    ethernet.src;
    standard_metadata.ingress_port;
}

action known() {
    no_op();
}

action learn() {
    generate_digest(LEARN_RECEIVER, station);
}

/* A station that moves is seen at another port: a miss again. */
table smac {
    reads {
        ethernet.src : exact;
        standard_metadata.ingress_port : exact;
    }
    actions {
        known;
        learn;
    }
    default_action : learn();
    size : 16777216;
}

action forward(port) {
    modify_field(standard_metadata.egress_spec, port);
}

action flood(group) {
    modify_field(intrinsic_metadata.mcast_grp, group);
}

action _drop() {
    drop();
}

table dmac {
    reads {
        ethernet.dst : exact;
    }
    actions {
        forward;
        flood;
        _drop;
    }
    default_action : flood(FLOOD_GROUP);
    size : 16777216;
}

table too_short {
    actions {
        _drop;
    }
    default_action : _drop();
}

table came_from_there {
    actions {
        _drop;
    }
    default_action : _drop();
}

control ingress {
    if (valid(ethernet)) {
        apply(smac);
        apply(dmac);
    } else {
        apply(too_short);
    }
}

control egress {
    /* Nothing goes back to where it came from. */
    if (standard_metadata.egress_port == standard_metadata.ingress_port) {
        apply(came_from_there);
    }
}
