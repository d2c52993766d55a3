// PNA: packets add entries to tables that they miss; entries are counted, and go when their time is over.
#include <core.p4>
#include <dpdk/pna.p4>

header flow_t { bit<8> what; bit<32> key; bit<64> wide; bit<16> value; }

struct headers_t  { flow_t flow; }
struct metadata_t { bool added; PNA_MeterColor_t colour; bit<32> index; }

parser Main(packet_in packet, out headers_t hdr, inout metadata_t meta, in pna_main_parser_input_metadata_t istd) {
    state start { packet.extract(hdr.flow); transition accept; }
}

control Before(in headers_t hdr, inout metadata_t meta, in pna_pre_input_metadata_t istd,
               inout pna_pre_output_metadata_t ostd) { apply { } }

control Work(inout headers_t hdr, inout metadata_t meta, in pna_main_input_metadata_t istd,
             inout pna_main_output_metadata_t ostd) {
    DirectCounter<bit<32>>(PNA_CounterType_t.PACKETS_AND_BYTES) hits;
    Counter<bit<32>, bit<32>>(1 << 16, PNA_CounterType_t.BYTES) seen;
    Meter<bit<32>>(16, PNA_MeterType_t.PACKETS) rates;
    Register<bit<16>, bit<32>>(1 << 20, 7) last;
    Hash<bit<32>>(PNA_HashAlgorithm_t.CRC32) hash;

    action show(bit<16> value) { hits.count(); hdr.flow.value = value; }
    action learn() { meta.added = add_entry("show", hdr.flow.value, (ExpireTimeProfileId_t)3); }
    table word {
        key = { hdr.flow.key: exact; }
        actions = { @tableonly show; @defaultonly learn; }
        const default_action = learn;
        add_on_miss = true;
        pna_direct_counter = hits;
        size = 1 << 20;
    }
    action refresh() { restart_expire_timer(); hdr.flow.value = 1; }
    action lasting(bit<48> more) { set_entry_expire_time((ExpireTimeProfileId_t)5); hdr.flow.wide = (bit<64>) more; }
    action learn_aging() { if (hdr.flow.value != 0) { add_entry("lasting", 48w9, (ExpireTimeProfileId_t)0); } recirculate(); }
    table aging {
        key = { hdr.flow.wide: exact; hdr.flow.key: exact; }
        actions = { refresh; lasting; @defaultonly learn_aging; }
        default_action = learn_aging;
        add_on_miss = true;
        idle_timeout_with_auto_delete = true;
        size = 1 << 16;
    }
    apply {
        send_to_port(istd.input_port);
        meta.index = hash.get_hash({ hdr.flow.key, hdr.flow.wide }) & 0xffff;
        seen.count(meta.index);
        if (hdr.flow.what == 1) {
            if (!word.apply().hit) { hdr.flow.what = 9; }
        } else {
            switch (aging.apply().action_run) { lasting: { mirror_packet((MirrorSlotId_t) 3, (MirrorSessionId_t) 5); } default: { } }
        }
        meta.colour = rates.execute(meta.index & 15);
        if (meta.colour == PNA_MeterColor_t.RED) { drop_packet(); }
        bit<16> before = last.read(meta.index);
        last.write(meta.index, hdr.flow.value);
        hdr.flow.value = before + (meta.added ? 16w2 : 16w0);
    }
}

control Out(packet_out packet, in headers_t hdr, in metadata_t meta, in pna_main_output_metadata_t ostd) {
    apply { packet.emit(hdr.flow); }
}

PNA_NIC(Main(), Before(), Work(), Out()) main;
