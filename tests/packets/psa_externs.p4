// PSA's externs: what a packet learns of them comes back in it. `what` chooses; the packet returns to where it came from.
#include <core.p4>
#include <psa.p4>

header probe_t {
    bit<8>  what;
    bit<8>  key;
    bit<16> a;
    bit<32> b;
}

struct headers_t { probe_t probe; }
struct none_t {}
struct pair_t { bit<8> high; bool flag; bit<7> low; }
struct news_t { bit<8> key; bit<32> b; }

parser InParser(packet_in packet, out headers_t hdr, inout none_t meta, in psa_ingress_parser_input_metadata_t istd,
                in none_t resubmitted, in none_t recirculated) {
    Checksum<bit<32>>(PSA_HashAlgorithm_t.CRC32) seen;
    bit<32> crc;
    state start {
        packet.extract(hdr.probe);
        seen.update(hdr.probe.key);
        seen.update({ hdr.probe.a, hdr.probe.b });
        crc = seen.get();
        transition select(hdr.probe.what) {
            0x30: show;
            default: accept;
        }
    }
    state show {
        hdr.probe.b = crc;
        transition accept;
    }
}

control In(inout headers_t hdr, inout none_t meta, in psa_ingress_input_metadata_t istd,
           inout psa_ingress_output_metadata_t ostd) {
    Counter<bit<32>, bit<8>>(4, PSA_CounterType_t.PACKETS_AND_BYTES) seen;
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS) hits;
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS) indirect_hits;
    Meter<bit<8>>(4, PSA_MeterType_t.PACKETS) rates;
    DirectMeter(PSA_MeterType_t.BYTES) rate;
    DirectMeter(PSA_MeterType_t.BYTES) unowned;
    Register<bit<32>, bit<8>>(4, 0xcafe) numbers;
    Register<pair_t, bit<8>>(2) pairs;
    Hash<bit<16>>(PSA_HashAlgorithm_t.CRC16) crc16;
    Hash<bit<32>>(PSA_HashAlgorithm_t.CRC32) crc32;
    Random<bit<16>>(100, 107) dice;
    ActionProfile(4) profile;
    ActionProfile(4) counted_profile;
    ActionSelector(PSA_HashAlgorithm_t.CRC16, 8, 16) selector;

    action show(bit<16> value) { hdr.probe.a = value; }
    action count_and_show(bit<16> value) {
        hits.count();
        hdr.probe.a = value;
    }
    action measure() { hdr.probe.a = rate.execute() == PSA_MeterColor_t.GREEN && unowned.execute() == PSA_MeterColor_t.GREEN ? 16w1 : 2; }

    table counted {
        key = { hdr.probe.key: exact; }
        actions = { count_and_show; show; NoAction; }
        psa_direct_counter = hits;
    }
    table metered {
        key = { hdr.probe.key: exact; }
        actions = { measure; NoAction; }
        psa_direct_meter = rate;
    }
    action count_indirectly(bit<16> value) {
        indirect_hits.count();
        hdr.probe.a = value;
    }
    table indirect_counted {
        key = { hdr.probe.key: exact; }
        actions = { count_indirectly; NoAction; }
        psa_implementation = counted_profile;
        psa_direct_counter = indirect_hits;
    }
    table indirect {
        key = { hdr.probe.key: exact; }
        actions = { show; NoAction; }
        psa_implementation = profile;
    }
    table selected {
        key = {
            hdr.probe.key: exact;
            hdr.probe.b: selector;
        }
        actions = { show; NoAction; }
        psa_implementation = selector;
    }

    apply {
        send_to_port(ostd, istd.ingress_port);
        switch (hdr.probe.what) {
            0x00: { seen.count(hdr.probe.key); }
            0x01: { counted.apply(); }
            0x02: { indirect.apply(); }
            0x03: { selected.apply(); }
            0x04: { indirect_counted.apply(); }
            0x10: {
                PSA_MeterColor_t c = rates.execute(hdr.probe.key);
                hdr.probe.a = c == PSA_MeterColor_t.RED ? 16w3 : (c == PSA_MeterColor_t.YELLOW ? 16w2 : 1);
            }
            0x11: {
                PSA_MeterColor_t c = rates.execute(hdr.probe.key, PSA_MeterColor_t.YELLOW);
                hdr.probe.a = c == PSA_MeterColor_t.RED ? 16w3 : (c == PSA_MeterColor_t.YELLOW ? 16w2 : 1);
            }
            0x12: { metered.apply(); }
            0x20: {
                hdr.probe.b = numbers.read(hdr.probe.key);
                numbers.write(hdr.probe.key, (bit<32>) hdr.probe.a);
            }
            0x21: {
                pair_t old = pairs.read(hdr.probe.key);
                hdr.probe.b = old.high ++ (bit<1>) old.flag ++ old.low ++ 16w0;
                pairs.write(hdr.probe.key, { hdr.probe.a[15:8], hdr.probe.a[7:7] == 1, hdr.probe.a[6:0] });
            }
            0x31: { hdr.probe.a = crc16.get_hash(hdr.probe.b); }
            0x32: { hdr.probe.b = crc32.get_hash(32w1000, { hdr.probe.key, hdr.probe.a }, 32w10); }
            0x33: { hdr.probe.a = crc16.get_hash(hdr.probe.b[11:0]); }
            0x40: {
                bit<16> n = dice.read();
                hdr.probe.a = n >= 100 && n <= 107 ? 16w1 : 0;
            }
        }
    }
}

control InDeparser(packet_out packet, out none_t clone, out none_t resubmit, out none_t normal, inout headers_t hdr,
                   in none_t meta, in psa_ingress_output_metadata_t istd) {
    Digest<news_t>() news;
    InternetChecksum() sum;
    apply {
        if (hdr.probe.what == 0x50) { news.pack({ hdr.probe.key, hdr.probe.b }); }
        if (hdr.probe.what == 0x34) {
            sum.add({ hdr.probe.what, hdr.probe.key, hdr.probe.b });
            hdr.probe.a = sum.get();
        }
        if (hdr.probe.what == 0x35) {
            // RFC 1624: the checksum in `a` when the key becomes 0xff
            sum.subtract(hdr.probe.a);
            sum.subtract({ hdr.probe.what, hdr.probe.key });
            hdr.probe.key = 0xff;
            sum.add({ hdr.probe.what, hdr.probe.key });
            bit<16> state = sum.get_state();
            sum.clear();
            sum.set_state(state);
            hdr.probe.a = sum.get();
        }
        packet.emit(hdr);
    }
}

parser OutParser(packet_in packet, out headers_t hdr, inout none_t meta, in psa_egress_parser_input_metadata_t istd,
                 in none_t normal, in none_t first, in none_t second) {
    state start { transition accept; }
}

control Out(inout headers_t hdr, inout none_t meta, in psa_egress_input_metadata_t istd,
            inout psa_egress_output_metadata_t ostd) {
    apply {}
}

control OutDeparser(packet_out packet, out none_t clone, out none_t again, inout headers_t hdr, in none_t meta,
                    in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply {}
}

IngressPipeline(InParser(), In(), InDeparser()) ingress;
EgressPipeline(OutParser(), Out(), OutDeparser()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
