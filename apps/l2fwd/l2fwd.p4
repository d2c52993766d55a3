/* l2fwd: a learning Ethernet switch. Stations it does not know are told to a controller; frames to them are flooded. */
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<9> port_t;

const bit<16> FLOOD_GROUP = 1;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

/* What the controller is told: a station, and the port behind which it was seen. */
struct station_t {
    mac_t mac;
    port_t port;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {
}

parser L2Parser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control L2Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control L2Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action known() {
    }

    action learn() {
        digest<station_t>(1, { hdr.ethernet.src, standard.ingress_port });
    }

    /* A station that moves is seen at another port: a miss again. */
    table smac {
        key = {
            hdr.ethernet.src: exact;
            standard.ingress_port: exact;
        }
        actions = {
            known;
            learn;
        }
        default_action = learn();
        size = 16777216;
    }

    action forward(port_t port) {
        standard.egress_spec = port;
    }

    action flood(bit<16> group) {
        standard.mcast_grp = group;
    }

    action drop() {
        mark_to_drop(standard);
    }

    table dmac {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            forward;
            flood;
            drop;
        }
        default_action = flood(FLOOD_GROUP);
        size = 16777216;
    }

    apply {
        if (hdr.ethernet.isValid()) {
            smac.apply();
            dmac.apply();
        } else {
            drop();
        }
    }
}

control L2Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        /* Nothing goes back to where it came from. */
        if (standard.egress_port == standard.ingress_port) {
            mark_to_drop(standard);
        }
    }
}

control L2Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control L2Deparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(L2Parser(), L2Verify(), L2Ingress(), L2Egress(), L2Compute(), L2Deparser()) main;
