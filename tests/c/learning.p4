/* Packets add entries. Of each the switch says at which port it leaves what became of it: 2 it hit, 3 it added an entry, 4 it could not. */
#include <core.p4>
#include <dpdk/pna.p4>

header h_t {
    bit<8> what;
    bit<32> key;
    bit<64> more;
}

struct headers_t {
    h_t h;
}

struct none_t {
}

parser Main(packet_in packet, out headers_t hdr, inout none_t meta, in pna_main_parser_input_metadata_t istd) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Before(in headers_t hdr, inout none_t meta, in pna_pre_input_metadata_t istd,
               inout pna_pre_output_metadata_t ostd) {
    apply {
    }
}

control Work(inout headers_t hdr, inout none_t meta, in pna_main_input_metadata_t istd,
             inout pna_main_output_metadata_t ostd) {
    DirectCounter<bit<32>>(PNA_CounterType_t.PACKETS) hits;
    DirectCounter<bit<32>>(PNA_CounterType_t.PACKETS) wide_hits;

    action known(bit<32> seen) {
        hits.count();
        hdr.h.key = seen;
        send_to_port((PortId_t)2);
    }
    action learn() {
        bool added = add_entry("known", hdr.h.key, (ExpireTimeProfileId_t)0);
        send_to_port(added ? (PortId_t)3 : (PortId_t)4);
    }
    table flows {
        key = { hdr.h.key: exact; }
        actions = { known; @defaultonly learn; }
        default_action = learn;
        add_on_miss = true;
        size = 65536;
        pna_direct_counter = hits;
    }

    action wide_known() {
        wide_hits.count();
        send_to_port((PortId_t)2);
    }
    action wide_learn() {
        bool added = add_entry("wide_known", {}, (ExpireTimeProfileId_t)0);
        send_to_port(added ? (PortId_t)3 : (PortId_t)4);
    }
    table wide {
        key = { hdr.h.key: exact; hdr.h.more: exact; }
        actions = { wide_known; @defaultonly wide_learn; }
        default_action = wide_learn;
        add_on_miss = true;
        size = 65536;
        pna_direct_counter = wide_hits;
    }

    action refreshed() {
        restart_expire_timer();
        send_to_port((PortId_t)2);
    }
    action lasting() {
        set_entry_expire_time((ExpireTimeProfileId_t)7);
        send_to_port((PortId_t)2);
    }
    action passing() {
        send_to_port((PortId_t)2);
    }
    action learn_aging() {
        bool added = false;
        if (hdr.h.more == 0) {
            added = add_entry("passing", {}, (ExpireTimeProfileId_t)1);
        } else if (hdr.h.more == 1) {
            added = add_entry("refreshed", {}, (ExpireTimeProfileId_t)1);
        } else {
            added = add_entry("lasting", {}, (ExpireTimeProfileId_t)1);
        }
        send_to_port(added ? (PortId_t)3 : (PortId_t)4);
    }
    table aging {
        key = { hdr.h.key: exact; }
        actions = { passing; refreshed; lasting; @defaultonly learn_aging; }
        default_action = learn_aging;
        add_on_miss = true;
        idle_timeout_with_auto_delete = true;
        size = 64;
    }

    action noted() {
        send_to_port((PortId_t)2);
    }
    action learn_noted() {
        send_to_port(add_entry("noted", {}, (ExpireTimeProfileId_t)1) ? (PortId_t)3 : (PortId_t)4);
    }
    table notifying {
        key = { hdr.h.key: exact; }
        actions = { noted; @defaultonly learn_noted; }
        default_action = learn_noted;
        add_on_miss = true;
        pna_idle_timeout = PNA_IdleTimeout_t.NOTIFY_CONTROL;
    }

    apply {
        if (hdr.h.what == 3) {
            notifying.apply();
        } else if (hdr.h.what == 0) {
            flows.apply();
        } else if (hdr.h.what == 1) {
            wide.apply();
        } else {
            aging.apply();
        }
    }
}

control Out(packet_out packet, in headers_t hdr, in none_t meta, in pna_main_output_metadata_t ostd) {
    apply {
        packet.emit(hdr);
    }
}

PNA_NIC(Main(), Before(), Work(), Out()) main;
