// PNA's externs: what a packet learns of them comes back in it. `what` chooses; the packet returns to where it came from.
#include <core.p4>
#include <dpdk/pna.p4>

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

parser Main(packet_in packet, out headers_t hdr, inout none_t meta, in pna_main_parser_input_metadata_t istd) {
    Checksum<bit<32>>(PNA_HashAlgorithm_t.CRC32) seen;
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

control Before(in headers_t hdr, inout none_t meta, in pna_pre_input_metadata_t istd,
               inout pna_pre_output_metadata_t ostd) {
    apply {}
}

control In(inout headers_t hdr, inout none_t meta, in pna_main_input_metadata_t istd,
           inout pna_main_output_metadata_t ostd) {
    InternetChecksum() sum;
    Counter<bit<32>, bit<8>>(4, PNA_CounterType_t.PACKETS_AND_BYTES) seen;
    DirectCounter<bit<32>>(PNA_CounterType_t.PACKETS) hits;
    DirectCounter<bit<32>>(PNA_CounterType_t.PACKETS) indirect_hits;
    Meter<bit<8>>(4, PNA_MeterType_t.PACKETS) rates;
    DirectMeter(PNA_MeterType_t.BYTES) rate;
    DirectMeter(PNA_MeterType_t.BYTES) unowned;
    DirectMeter(PNA_MeterType_t.BYTES) later_rate;
    DirectCounter<bit<32>>(PNA_CounterType_t.PACKETS_AND_BYTES) lengths;
    Register<bit<32>, bit<8>>(4, 0xcafe) numbers;
    Register<pair_t, bit<8>>(2) pairs;
    Hash<bit<16>>(PNA_HashAlgorithm_t.CRC16) crc16;
    Hash<bit<32>>(PNA_HashAlgorithm_t.CRC32) crc32;
    Random<bit<16>>(100, 107) dice;
    ActionProfile(4) profile;
    ActionProfile(4) counted_profile;
    ActionSelector(PNA_HashAlgorithm_t.CRC16, 8, 16) selector;

    action show(bit<16> value) { hdr.probe.a = value; }
    action count_and_show(bit<16> value) {
        hits.count();
        hdr.probe.a = value;
    }
    action measure() { hdr.probe.a = rate.execute() == PNA_MeterColor_t.GREEN && unowned.execute() == PNA_MeterColor_t.GREEN ? 16w1 : 2; }

    table counted {
        key = { hdr.probe.key: exact; }
        actions = { count_and_show; show; NoAction; }
        pna_direct_counter = hits;
    }
    table metered {
        key = { hdr.probe.key: exact; }
        actions = { measure; NoAction; }
        pna_direct_meter = rate;
    }
    action count_length_and_measure() {
        lengths.count(hdr.probe.b);
        PNA_MeterColor_t before = hdr.probe.a == 2 ? PNA_MeterColor_t.YELLOW : PNA_MeterColor_t.GREEN;
        hdr.probe.a = later_rate.execute(before) == PNA_MeterColor_t.YELLOW ? 16w2 : 1;
    }
    table lengths_counted {
        key = { hdr.probe.key: exact; }
        actions = { count_length_and_measure; NoAction; }
        pna_direct_counter = lengths;
        pna_direct_meter = later_rate;
    }
    action count_indirectly(bit<16> value) {
        indirect_hits.count();
        hdr.probe.a = value;
    }
    table indirect_counted {
        key = { hdr.probe.key: exact; }
        actions = { count_indirectly; NoAction; }
        pna_implementation = counted_profile;
        pna_direct_counter = indirect_hits;
    }
    table indirect {
        key = { hdr.probe.key: exact; }
        actions = { show; NoAction; }
        pna_implementation = profile;
    }
    table selected {
        key = {
            hdr.probe.key: exact;
            hdr.probe.b: selector;
        }
        actions = { show; NoAction; }
        pna_implementation = selector;
    }

    apply {
        send_to_port(istd.input_port);
        switch (hdr.probe.what) {
            0x00: { seen.count(hdr.probe.key); }
            0x01: { counted.apply(); }
            0x02: { indirect.apply(); }
            0x03: { selected.apply(); }
            0x04: { indirect_counted.apply(); }
            0x10: {
                PNA_MeterColor_t c = rates.execute(hdr.probe.key);
                hdr.probe.a = c == PNA_MeterColor_t.RED ? 16w3 : (c == PNA_MeterColor_t.YELLOW ? 16w2 : 1);
            }
            0x11: {
                PNA_MeterColor_t c = rates.execute(hdr.probe.key, PNA_MeterColor_t.YELLOW);
                hdr.probe.a = c == PNA_MeterColor_t.RED ? 16w3 : (c == PNA_MeterColor_t.YELLOW ? 16w2 : 1);
            }
            0x12: { metered.apply(); }
            0x14: { lengths_counted.apply(); }
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
            0x13: {
                PNA_MeterColor_t c = rates.dpdk_execute(hdr.probe.key, 32w100);
                hdr.probe.a = c == PNA_MeterColor_t.RED ? 16w3 : (c == PNA_MeterColor_t.YELLOW ? 16w2 : 1);
            }
            0x34: {
                sum.add({ hdr.probe.what, hdr.probe.key, hdr.probe.b });
                hdr.probe.a = sum.get();
            }
            0x35: {
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
            0x05: { seen.count(hdr.probe.key, hdr.probe.b); }
        }
    }
}

control Out(packet_out packet, in headers_t hdr, in none_t meta, in pna_main_output_metadata_t ostd) {
    Digest<news_t>() news;
    apply {
        if (hdr.probe.what == 0x50) { news.pack({ hdr.probe.key, hdr.probe.b }); }
        packet.emit(hdr);
    }
}

PNA_NIC(Main(), Before(), In(), Out()) main;
