/* PNA: packets add entries to the tables that they miss. `what` chooses the table; the packet returns to where it came from. */
#include <core.p4>
#include <dpdk/pna.p4>

header h_t {
    bit<8> what;
    bit<8> small;
    bit<32> key;
    bit<64> wide;
    bit<16> value;
    bit<8> result;
    bit<8> again;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
    bool added;
}

struct pair_t {
    bit<16> value;
    bit<8> more;
}

parser Main(packet_in packet, out headers_t hdr, inout metadata_t meta, in pna_main_parser_input_metadata_t istd) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Before(in headers_t hdr, inout metadata_t meta, in pna_pre_input_metadata_t istd,
               inout pna_pre_output_metadata_t ostd) {
    apply {
    }
}

control Work(inout headers_t hdr, inout metadata_t meta, in pna_main_input_metadata_t istd,
             inout pna_main_output_metadata_t ostd) {
    DirectCounter<bit<32>>(PNA_CounterType_t.PACKETS) hits;

    action show(bit<16> value) {
        hdr.h.value = value;
    }
    action show_more(bit<16> value, bit<8> more) {
        hdr.h.value = value;
        hdr.h.again = more;
    }
    action seen() {
        hdr.h.value = 0x5e;
    }
    action counted(bit<16> value) {
        hits.count();
        hdr.h.value = value;
    }

    // a short key: an array
    action learn_small() {
        meta.added = add_entry("show", hdr.h.value, (ExpireTimeProfileId_t)3);
    }
    table small {
        key = { hdr.h.small: exact; }
        actions = { @tableonly show; @defaultonly learn_small; }
        const default_action = learn_small;
        add_on_miss = true;
    }

    // the key changes before it is added: what missed counts
    action learn_word() {
        hdr.h.key = 0;
        meta.added = add_entry("show_more", (pair_t){ value = hdr.h.value, more = hdr.h.small }, (ExpireTimeProfileId_t)0);
    }
    table word {
        key = { hdr.h.key: exact; }
        actions = { show_more; @defaultonly learn_word; }
        default_action = learn_word;
        add_on_miss = true;
        size = 4;
    }

    // longer than a word, and two keys
    action learn_wide() {
        if (hdr.h.value != 0) {
            add_entry("seen", {}, (ExpireTimeProfileId_t)0);
        }
    }
    table wide {
        key = { hdr.h.wide: exact; hdr.h.key: exact @name("second"); }
        actions = { seen; show; @defaultonly learn_wide; }
        default_action = learn_wide;
        add_on_miss = true;
    }

    // each hit is counted, of its entry
    action learn_counted() {
        meta.added = add_entry("counted", 16w0xc0de, (ExpireTimeProfileId_t)0);
    }
    table counting {
        key = { hdr.h.key: exact; }
        actions = { counted; @defaultonly learn_counted; }
        default_action = learn_counted;
        add_on_miss = true;
        pna_direct_counter = hits;
    }

    // what lives for a time
    action refresh() {
        restart_expire_timer();
        hdr.h.value = 1;
    }
    action lasting() {
        set_entry_expire_time((ExpireTimeProfileId_t)5);
        hdr.h.value = 2;
    }
    action learn_aging() {
        meta.added = hdr.h.small == 0 ? add_entry("refresh", {}, (ExpireTimeProfileId_t)0)
                                      : add_entry("lasting", {}, (ExpireTimeProfileId_t)0);
    }
    table aging {
        key = { hdr.h.key: exact; }
        actions = { refresh; lasting; @defaultonly learn_aging; }
        default_action = learn_aging;
        add_on_miss = true;
        idle_timeout_with_auto_delete = true;
    }

    // a packet that comes again sees what it has added
    action learn_again() {
        meta.added = add_entry("show", hdr.h.value, (ExpireTimeProfileId_t)0);
        recirculate();
    }
    table comes_again {
        key = { hdr.h.key: exact; }
        actions = { show; @defaultonly learn_again; }
        default_action = learn_again;
        add_on_miss = true;
    }

    apply {
        send_to_port(istd.input_port);
        bool hit = false;
        switch (hdr.h.what) {
            0: { hit = small.apply().hit; }
            1: { hit = word.apply().hit; }
            2: { hit = wide.apply().hit; }
            3: { hit = counting.apply().hit; }
            4: { hit = aging.apply().hit; }
            5: { hit = comes_again.apply().hit; }
            6: {
                // twice in one packet, with an action of the first that decides
                switch (word.apply().action_run) {
                    learn_word: { hdr.h.again = 0xee; }
                    show_more: { hit = small.apply().hit; }
                }
            }
        }
        hdr.h.result = (meta.added ? 8w2 : 0) | (hit ? 8w1 : 0);
    }
}

control Out(packet_out packet, in headers_t hdr, in metadata_t meta, in pna_main_output_metadata_t ostd) {
    apply {
        packet.emit(hdr);
    }
}

PNA_NIC(Main(), Before(), Work(), Out()) main;
