/* PSA: objects that belong to tables. */
#include <core.p4>
#include <psa.p4>
struct none_t { }
struct headers_t { }
struct metadata_t { bit<8> x; }

parser ip(packet_in b, out headers_t h, inout metadata_t m, in psa_ingress_parser_input_metadata_t istd,
          in none_t resubmitted, in none_t recirculated) {
    state start { transition accept; }
}
control ig(inout headers_t h, inout metadata_t m, in psa_ingress_input_metadata_t istd,
           inout psa_ingress_output_metadata_t ostd) {
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS) counts;
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS) unowned;
    ActionProfile(16) one;
    ActionProfile(16) two;
    action seen() { counts.count(); }
    action given(in bit<8> v) { counts.count(); m.x = v; }
    action odd() { unowned.count(); }
    table owner {
        key = { m.x : exact; }
        actions = { NoAction; seen; odd; }
        psa_direct_counter = counts;
    }
    table thief {
        key = { m.x : exact; }
        actions = { NoAction; seen; }
        psa_direct_counter = counts;
    }
    table undecided {
        key = { m.x : exact; }
        actions = { NoAction; }
        psa_implementation = { one, two };
        psa_direct_meter = one;
    }
    table listed {
        key = { m.x : exact; }
        actions = { NoAction; seen; given(m.x); }
        psa_direct_counter = { one, counts };
    }
    apply {
        owner.apply();
        thief.apply();
        undecided.apply();
        listed.apply();
        counts.count();
        unowned.count();
    }
}
control id(packet_out b, out none_t c, out none_t r, out none_t n, inout headers_t h, in metadata_t m,
           in psa_ingress_output_metadata_t istd) { apply { } }
parser ep(packet_in b, out headers_t h, inout metadata_t m, in psa_egress_parser_input_metadata_t istd, in none_t n,
          in none_t c, in none_t e) {
    state start { transition accept; }
}
control eg(inout headers_t h, inout metadata_t m, in psa_egress_input_metadata_t istd,
           inout psa_egress_output_metadata_t ostd) { apply { } }
control ed(packet_out b, out none_t c, out none_t r, inout headers_t h, in metadata_t m,
           in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) { apply { } }

PSA_Switch(IngressPipeline(ip(), ig(), id()), PacketReplicationEngine(), EgressPipeline(ep(), eg(), ed()),
           BufferingQueueingEngine()) main;
