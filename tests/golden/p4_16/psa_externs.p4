// Every object of PSA and its methods, and what the deparsers ask.
#include <core.p4>
#include <psa.p4>

header h_t { bit<8> a; bit<16> b; bit<4> c; bit<4> d; bit<32> e; }
struct headers_t { h_t h; }
struct none_t { }
struct pair_t { bit<8> x; bool y; bit<7> z; }
struct meta_t { bit<8> m; pair_t pair; int<8> i; PSA_MeterColor_t colour; }

parser IP(packet_in packet, out headers_t hdr, inout meta_t meta, in psa_ingress_parser_input_metadata_t istd, in none_t r, in none_t c) {
    Checksum<bit<16>>(PSA_HashAlgorithm_t.CRC16) crc;
    Checksum<bit<64>>(PSA_HashAlgorithm_t.CRC32) wide;
    InternetChecksum() sum;
    state start {
        packet.extract(hdr.h);
        crc.clear();
        crc.update({ hdr.h.a, hdr.h.b });
        crc.update(hdr.h.e);
        hdr.h.b = crc.get();
        wide.update(hdr.h);
        hdr.h.a = wide.get()[7:0];
        sum.clear();
        sum.add({ hdr.h.a, 8w0 });
        sum.subtract(hdr.h.b);
        hdr.h.b = sum.get();
        bit<16> state_of = sum.get_state();
        sum.set_state(state_of + 1);
        transition accept;
    }
}
control I(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {
    Counter<bit<32>, bit<8>>(8, PSA_CounterType_t.PACKETS_AND_BYTES) seen;
    DirectCounter<bit<32>>(PSA_CounterType_t.BYTES) hits;
    Meter<bit<8>>(4, PSA_MeterType_t.BYTES) rate;
    DirectMeter(PSA_MeterType_t.PACKETS) colours;
    Register<bit<16>, bit<8>>(16) cells;
    Register<pair_t, bit<8>>(2, { 1, true, 3 }) pairs;
    Register<bool, bit<1>>(2, true) flags;
    Register<int<8>, bit<1>>(2, -1) signed;
    Hash<bit<16>>(PSA_HashAlgorithm_t.CRC32) hash;
    Hash<bit<16>>(PSA_HashAlgorithm_t.ONES_COMPLEMENT16) ones;
    Hash<bit<8>>(PSA_HashAlgorithm_t.TARGET_DEFAULT) usual;
    Random<bit<8>>(3, 9) dice;
    Random<int<8>>(-3, 3) coin;
    Digest<pair_t>() told;
    ActionProfile(8) profile;
    ActionSelector(PSA_HashAlgorithm_t.CRC16, 8, 4) groups;
    action go() { hits.count(); meta.colour = colours.execute(); }
    action part() { hits.count(); meta.colour = colours.execute(PSA_MeterColor_t.YELLOW); }
    table t { key = { hdr.h.a : exact; } actions = { go; part; NoAction; } psa_direct_counter = hits; psa_direct_meter = colours; }
    table u { key = { hdr.h.a : exact; } actions = { NoAction; } psa_implementation = profile; }
    table v { key = { hdr.h.a : exact; hdr.h.b : selector; } actions = { NoAction; } psa_implementation = groups; psa_idle_timeout = PSA_IdleTimeout_t.NOTIFY_CONTROL; }
    apply {
        send_to_port(ostd, istd.ingress_port);
        t.apply();
        u.apply();
        v.apply();
        seen.count(hdr.h.a);
        seen.count(3);
        meta.colour = rate.execute(hdr.h.a);
        meta.colour = rate.execute(1, meta.colour);
        if (rate.execute(2, PSA_MeterColor_t.GREEN) == PSA_MeterColor_t.RED) { ostd.drop = true; }
        hdr.h.b = cells.read(1);
        cells.write(hdr.h.a, hdr.h.b + 1);
        meta.pair = pairs.read(0);
        pairs.write(1, meta.pair);
        pairs.write(0, { 1, false, 2 });
        meta.pair.y = flags.read(1);
        flags.write(0, meta.pair.y);
        meta.i = signed.read(0);
        signed.write(1, -2);
        hdr.h.b = hash.get_hash({ hdr.h.a, hdr.h.e });
        hdr.h.b = hash.get_hash(16w2, hdr.h, 16w100);
        hdr.h.b = ones.get_hash(hdr.h.c);
        hdr.h.b = hash.get_hash(16w0, { hdr.h.c }, 16w8);
        hdr.h.a = usual.get_hash({ hdr.h.b });
        hdr.h.a = dice.read();
        meta.i = coin.read();
        told.pack({ hdr.h.a, true, 5 });
        told.pack(meta.pair);
    }
}
control ID(packet_out packet, out none_t clone, out none_t resubmit, out pair_t normal, inout headers_t hdr, in meta_t meta, in psa_ingress_output_metadata_t istd) {
    apply {
        normal = meta.pair;
        if (psa_clone_i2e(istd)) { hdr.h.a = 1; }
        if (psa_resubmit(istd)) { hdr.h.a = 2; }
        if (psa_normal(istd)) { hdr.h.a = 3; }
        packet.emit(hdr.h);
    }
}
parser EP(packet_in packet, out headers_t hdr, inout none_t meta, in psa_egress_parser_input_metadata_t istd, in pair_t normal, in none_t first, in none_t second) {
    state start { packet.extract(hdr.h); hdr.h.e = packet.length(); hdr.h.a = normal.x; transition accept; }
}
control E(inout headers_t hdr, inout none_t meta, in psa_egress_input_metadata_t istd, inout psa_egress_output_metadata_t ostd) { apply { } }
control ED(packet_out packet, out none_t clone, out none_t again, inout headers_t hdr, in none_t meta, in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply {
        if (psa_clone_e2e(istd)) { hdr.h.a = 1; }
        if (psa_recirculate(istd, edstd)) { hdr.h.a = 2; }
        packet.emit(hdr.h);
    }
}
IngressPipeline(IP(), I(), ID()) ingress;
EgressPipeline(EP(), E(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
