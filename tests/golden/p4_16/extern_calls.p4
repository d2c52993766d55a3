// Every extern of v1model, with results that are fields, parts of fields, elements and nothing.
#include <core.p4>
#include <v1model.p4>

const bit<8> kept = 2;
enum bit<8> Lists { first = 1, third = 3 }
header h_t { bit<8> a; bit<16> b; bit<4> c; bit<4> d; bit<48> e; bool f; bit<7> g; }
header s_t { bit<16> sum; }
struct other_t { bit<8> z; }
struct pair_t { bit<8> x; bit<16> y; }
struct inner_t { @field_list(3) bit<8> p; bit<8> q; @field_list(kept) h_t copy; }
struct H { h_t h; s_t s; s_t[2] st; }
struct M { @field_list(1, 2) bit<8> m; @field_list(Lists.first) pair_t pair; inner_t inner; bit<8> n; bit<16> sum; bool flag; int<8> i; }
bit<32> next(inout bit<8> x) { x = x + 1; return (bit<32>) x; }
parser P(packet_in packet, out H hdr, inout M meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); verify(hdr.h.c == 4, error.NoMatch); transition accept; }
}
control V(inout H hdr, inout M meta) {
    apply {
        verify_checksum(true, { hdr.h.a, hdr.h.b }, hdr.s.sum, HashAlgorithm.csum16);
        verify_checksum(hdr.s.isValid(), { hdr.h.b }, hdr.s.sum, HashAlgorithm.csum16);
        verify_checksum(meta.flag, { hdr.h.b }, meta.sum, HashAlgorithm.crc16);
        verify_checksum(false, { hdr.h.b }, meta.sum, HashAlgorithm.crc16);
        verify_checksum_with_payload(true, { hdr.h.b }, hdr.s.sum, HashAlgorithm.xor16);
    }
}
control I(inout H hdr, inout M meta, inout standard_metadata_t std) {
    counter(8, CounterType.packets) packets;
    counter(0x10000, CounterType.packets_and_bytes) both;
    meter(4, MeterType.bytes) rate;
    direct_counter(CounterType.bytes) hits;
    direct_meter<bit<8>>(MeterType.packets) colours;
    register<bit<16>>(32) cells;
    register<bool>(2) flags;
    register<int<8>>(2) signed;
    action_selector(HashAlgorithm.crc16, 16, 14) groups;
    Checksum16() old_sum;
    @name(".other_t") counter(1, CounterType.bytes) other_name;
    bit<8> k = 1;
    action go(bit<9> port) { std.egress_spec = port; hits.count(); colours.read(meta.m); }
    action part() { colours.read(hdr.h.e[15:8]); }
    table t { key = { hdr.h.a : exact; } actions = { go; part; } default_action = part(); counters = hits; meters = colours; }
    table s { key = { hdr.h.a : exact; hdr.h.b : selector; } actions = { NoAction; } implementation = groups; }
    apply {
        t.apply();
        s.apply();
        packets.count((bit<32>) hdr.h.a);
        both.count(3);
        rate.execute_meter(0, meta.m);
        rate.execute_meter(1, hdr.h.c);
        rate.execute_meter((bit<32>) k, hdr.h.e[9:8]);
        rate.execute_meter<bit<8>>(2, _);
        cells.read(hdr.h.b, 1);
        cells.read(hdr.h.e[31:16], 2);
        cells.read(hdr.st[k].sum, (bit<32>) k);
        cells.read(_, 3);
        cells.write(1, 5);
        cells.write((bit<32>) hdr.h.a, hdr.h.b + 1);
        flags.read(hdr.h.f, 0);
        flags.write(1, hdr.h.f);
        signed.read(meta.i, 0);
        signed.write(0, -1);
        hash(meta.m, HashAlgorithm.crc32, 8w0, { hdr.h.a, hdr.h.b }, 8w16);
        hash(hdr.h.b, HashAlgorithm.crc16, 16w3, hdr.h, 32w10);
        hash(hdr.h.e[7:0], HashAlgorithm.crc32_custom, 8w0, { hdr.h.a }, 8w0);
        hash(meta.m, HashAlgorithm.crc16_custom, 4w0, { hdr.h.a }, 4w0);
        hash(meta.sum, HashAlgorithm.identity, hdr.h.a, { hdr.h.a, 16w7 }, hdr.h.a);
        random(meta.m, 1, 6);
        random(hdr.h.c, 4w0, hdr.h.d);
        digest(1, { hdr.h.a, hdr.h.b });
        digest(1, meta.pair);
        digest(2, meta.pair);
        digest<pair_t>(1, { hdr.h.a, 3 });
        digest(1, hdr.h);
        digest(1, hdr.h.a);
        digest(1, (pair_t) { x = 1, y = hdr.h.b });
        digest(1, (other_t) { 3 });
        other_name.count(0);
        log_msg("nothing");
        log_msg("all of {} and {}", { hdr.h.a, meta.flag });
        log_msg("a struct {}", { meta.pair });
        assert(hdr.h.a != 0);
        assume(meta.flag);
        truncate(64);
        truncate((bit<32>) hdr.h.b);
        meta.sum = old_sum.get({ hdr.h.a, hdr.h.b });
        clone(CloneType.I2E, 7);
        clone_preserving_field_list(CloneType.I2E, 7, 1);
        clone3(CloneType.I2E, 3, { std, meta.pair, meta.m });
        clone3(data = { meta.n, meta.m }, type = CloneType.I2E, session = next(meta.n));
        resubmit_preserving_field_list(3);
        resubmit_preserving_field_list(4);
        resubmit({ meta.n, meta.n, meta.inner });
        mark_to_drop(std);
        mark_to_drop();
    }
}
control E(inout H hdr, inout M meta, inout standard_metadata_t std) {
    apply {
        clone_preserving_field_list(CloneType.E2E, (bit<32>) hdr.h.a, 2);
        clone3(CloneType.E2E, 3, meta.m);
        recirculate_preserving_field_list(kept);
        recirculate(meta.pair);
    }
}
control C(inout H hdr, inout M meta) {
    bit<8> k = 1;
    apply {
        update_checksum(hdr.h.isValid(), { hdr.h.a, hdr.h.b }, hdr.s.sum, HashAlgorithm.csum16);
        update_checksum(true, { hdr.h.a }, hdr.h.e[15:0], HashAlgorithm.crc16);
        update_checksum(true, { hdr.h.a }, hdr.st[k].sum, HashAlgorithm.crc16);
        update_checksum(false, { hdr.h.a }, hdr.s.sum, HashAlgorithm.crc16);
        update_checksum_with_payload(meta.flag, { hdr.h.a }, hdr.s.sum, HashAlgorithm.csum16);
    }
}
control D(packet_out packet, in H hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
