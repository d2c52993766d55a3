// A number that every pass of every packet takes and counts up, in both pipes: packets go through one after the other, each
// with all that comes of it.
#include <core.p4>
#include <v1model.p4>

header stamp_t {
    bit<8>  what;   // 1: resubmit, 2: recirculate, 3, 4: clone in ingress, in egress, 5: clone and resubmit, 6: flood
    bit<8>  rounds; // how often what is recirculated goes round
    bit<16> first;  // taken by ingress in the first pass,
    bit<16> last;   // in this one,
    bit<16> before; // by egress when it was recirculated,
    bit<16> egress; // and now
}

struct headers_t { stamp_t stamp; }
struct meta_t { @field_list(1) bit<16> first; @field_list(1) bit<8> passed; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.stamp);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

register<bit<16>>(1) taken;

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    bit<16> number;
    action forward(bit<9> port) { sm.egress_spec = port; }
    action flood(bit<16> group) { sm.mcast_grp = group; }
    table ways {
        key = { hdr.stamp.what: exact; }
        actions = { forward; flood; }
        default_action = forward(1);
        size = 100000;
    }
    apply {
        taken.read(number, 0);
        taken.write(0, number + 1);
        if (meta.passed == 0) { meta.first = number; }
        ways.apply();
        hdr.stamp.first = meta.first;
        hdr.stamp.last = number;
        if (meta.passed == 0) {
            meta.passed = 1;
            if (hdr.stamp.what == 1) { resubmit_preserving_field_list(1); }
            if (hdr.stamp.what == 3) { clone_preserving_field_list(CloneType.I2E, 5, 1); }
            if (hdr.stamp.what == 5) {
                clone_preserving_field_list(CloneType.I2E, 5, 1);
                resubmit_preserving_field_list(1);
            }
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    bit<16> number;
    apply {
        taken.read(number, 0);
        taken.write(0, number + 1);
        hdr.stamp.egress = number;
        if (hdr.stamp.what == 2 && hdr.stamp.rounds != 0) {
            hdr.stamp.rounds = hdr.stamp.rounds - 1;
            hdr.stamp.before = number;
            recirculate_preserving_field_list(1);
        }
        if (hdr.stamp.what == 4 && sm.instance_type == 0) { clone_preserving_field_list(CloneType.E2E, 5, 1); }
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.stamp); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
