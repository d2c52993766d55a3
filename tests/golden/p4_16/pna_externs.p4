// What PNA has beside PSA's objects: its functions, tables that packets add entries to, lengths that are given.
#include <core.p4>
#include <dpdk/pna.p4>

header h_t { bit<8> a; bit<16> b; bit<8> c; }
struct headers_t { h_t h; }
struct params_t { bit<16> y; bit<8> x; }
struct meta_t { bit<16> m; PNA_MeterColor_t colour; bool done; }

parser MainP(packet_in packet, out headers_t hdr, inout meta_t meta, in pna_main_parser_input_metadata_t istd) {
    state start { packet.extract(hdr.h); transition select(istd.direction) { PNA_Direction_t.NET_TO_HOST: accept; default: more; } }
    state more { meta.m = 1; transition accept; }
}
control Pre(in headers_t hdr, inout meta_t meta, in pna_pre_input_metadata_t istd, inout pna_pre_output_metadata_t ostd) {
    apply { ostd.decrypt = false; if (meta.m == 1) { recirculate(); } }
}
control Main(inout headers_t hdr, inout meta_t meta, in pna_main_input_metadata_t istd, inout pna_main_output_metadata_t ostd) {
    Counter<bit<32>, bit<8>>(8, PNA_CounterType_t.BYTES) seen;
    DirectCounter<bit<32>>(PNA_CounterType_t.BYTES) hits;
    DirectMeter(PNA_MeterType_t.BYTES) colours;
    Meter<bit<8>>(4, PNA_MeterType_t.BYTES) rate;
    Hash<bit<16>>(PNA_HashAlgorithm_t.IDENTITY) hash;
    action keep(bit<8> x, bit<16> y) { hdr.h.c = x; meta.m = y; }
    action renew(bit<8> x, bit<16> y) { hdr.h.c = x; restart_expire_timer(); set_entry_expire_time((ExpireTimeProfileId_t) 3); }
    action none() { }
    action learn() { meta.done = add_entry("keep", { hdr.h.a, hdr.h.b }, (ExpireTimeProfileId_t) 1); }
    action learn_named() { meta.done = add_entry("renew", (params_t) { y = hdr.h.b, x = 4 }, (ExpireTimeProfileId_t) hdr.h.a); }
    action learn_nothing() { meta.done = add_entry("none", {}, (ExpireTimeProfileId_t) 2); }
    action count() { hits.count(40); meta.colour = colours.dpdk_execute(PNA_MeterColor_t.YELLOW, 50); }
    table learnt { key = { hdr.h.a : exact; } actions = { keep; @defaultonly learn; } default_action = learn; add_on_miss = true; }
    table named { key = { hdr.h.a : exact; } actions = { keep; renew; @defaultonly learn_named; } default_action = learn_named; add_on_miss = true; idle_timeout_with_auto_delete = true; }
    table empty { key = { hdr.h.a : exact; } actions = { none; @defaultonly learn_nothing; } default_action = learn_nothing; add_on_miss = true; idle_timeout_with_auto_delete = false; }
    table counted { key = { hdr.h.a : exact; } actions = { count; none; } default_action = none; pna_direct_counter = hits; pna_direct_meter = colours; add_on_miss = false; pna_idle_timeout = PNA_IdleTimeout_t.NOTIFY_CONTROL; }
    apply {
        learnt.apply();
        named.apply();
        empty.apply();
        counted.apply();
        seen.count(1, 60);
        meta.colour = rate.dpdk_execute(1, meta.colour, 64);
        meta.colour = rate.dpdk_execute(2, (bit<32>) hdr.h.b);
        meta.m = hash.get_hash({ hdr.h.a, hdr.h.c });
        meta.m = SelectByDirection(istd.direction, 16w1, hdr.h.b);
        mirror_packet((MirrorSlotId_t) 0, (MirrorSessionId_t) 5);
        mirror_packet((MirrorSlotId_t) 3, (MirrorSessionId_t) hdr.h.b);
        if (meta.done) { send_to_port(istd.input_port); } else { drop_packet(); }
        if (meta.m == 3) { send_to_port((PortId_t) 7); } else { recirculate(); }
    }
}
control Dep(packet_out packet, in headers_t hdr, in meta_t meta, in pna_main_output_metadata_t ostd) { apply { packet.emit(hdr); } }
PNA_NIC(MainP(), Pre(), Main(), Dep()) main;
