/* PNA: entries that packets add, their time to live, mirrors. */
#include <core.p4>
#include <pna.p4>
struct headers_t { }
struct metadata_t { bit<8> x; ExpireTimeProfileId_t expiry; }
const MirrorSlotId_t SLOT = (MirrorSlotId_t)1;
const MirrorSessionId_t SESSION = (MirrorSessionId_t)2;

parser mp(packet_in p, out headers_t h, inout metadata_t m, in pna_main_parser_input_metadata_t istd) {
    state start { transition accept; }
}
control pre(in headers_t h, inout metadata_t m, in pna_pre_input_metadata_t istd,
            inout pna_pre_output_metadata_t ostd) {
    apply { mirror_packet(SLOT, SESSION); }
}
control mc(inout headers_t h, inout metadata_t m, in pna_main_input_metadata_t istd,
           inout pna_main_output_metadata_t ostd) {
    action hit() { set_entry_expire_time(m.expiry); add_entry("hit", 8w1, m.expiry); }
    action miss() { add_entry("hit", 8w1, m.expiry); }
    action unknown() { add_entry("nothing", 8w1, m.expiry); }
    action itself() { add_entry("itself", 8w1, m.expiry); }
    table learns {
        key = { m.x : exact; }
        actions = { @tableonly hit; @defaultonly miss; }
        add_on_miss = true;
        default_action = miss;
    }
    table ternaries {
        key = { m.x : ternary; }
        actions = { @defaultonly unknown; }
        add_on_miss = true;
        default_action = unknown;
    }
    table names_default {
        key = { m.x : exact; }
        actions = { @defaultonly itself; }
        add_on_miss = true;
        default_action = itself;
    }
    table fixed {
        key = { m.x : exact; }
        actions = { miss; }
        default_action = miss;
    }
    apply {
        learns.apply();
        ternaries.apply();
        names_default.apply();
        fixed.apply();
        restart_expire_timer();
        add_entry("hit", 8w1, m.expiry);
        mirror_packet(SLOT, SESSION);
        mirror_packet((MirrorSlotId_t)m.x, SESSION);
    }
}
control md(packet_out p, in headers_t h, in metadata_t m, in pna_main_output_metadata_t ostd) { apply { } }
PNA_NIC(mp(), pre(), mc(), md()) main;
