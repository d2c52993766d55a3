// State whose totals tell whether a packet's accesses were kept together: each packet adds one to a cell of each register,
// and each hit of `stations` to the counter of an entry.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> kind; bit<32> place; bit<32> value; }

struct headers_t { work_t work; }
struct meta_t { bit<32> other; bit<32> seen; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<32>>(256) sums;
    register<bit<32>>(65536) large;
    register<bit<32>>(16) row0;
    register<bit<16>>(64) row1;
    register<bit<96>>(16) wide;
    register<bit<32>>(16) next;
    register<bit<32>>(256) chained;
    register<bit<32>>(16) by_entry;
    register<bit<32>>(4) greatest;
    register<bit<13>>(4) odd;
    register<bit<16>>(4) seen;
    register<bit<8>>(4) parity;
    register<bit<64>>(4) limited;
    counter(16, CounterType.packets_and_bytes) counted;
    direct_counter(CounterType.packets_and_bytes) hits;
    action add_by_entry(bit<32> place) {
        by_entry.read(meta.seen, place);
        by_entry.write(place, meta.seen + 1);
    }
    table entries {
        key = { hdr.work.kind : exact; }
        actions = { add_by_entry; }
        default_action = add_by_entry(3);
        size = 16;
    }
    action hit(bit<8> mark) {
        meta.seen = (bit<32>) mark;
    }
    table stations {
        key = { hdr.work.place : exact; }
        actions = { hit; }
        default_action = hit(0);
        size = 8192;
        counters = hits;
    }
    apply {
        sm.egress_spec = 9;
        // a loop of a cell
        sums.read(meta.seen, hdr.work.place & 0xff);
        sums.write(hdr.work.place & 0xff, meta.seen + 1);
        if (hdr.work.kind == 0) {
            large.read(meta.seen, hdr.work.place);
            meta.seen = meta.seen + 1;
            large.write(hdr.work.place, meta.seen);
        } else if (hdr.work.kind == 1) {
            // two rows at different places
            bit<32> first;
            bit<16> second;
            row0.read(first, hdr.work.place & 0xf);
            row0.write(hdr.work.place & 0xf, first + 1);
            hash(meta.other, HashAlgorithm.crc16, 32w0, { hdr.work.place }, 32w64);
            row1.read(second, meta.other);
            row1.write(meta.other, second + 1);
        } else if (hdr.work.kind == 2) {
            // a cell of two words: the lower one overflows into the upper one
            bit<96> cell;
            wide.read(cell, hdr.work.place & 0xf);
            wide.write(hdr.work.place & 0xf, cell + 0x4000000000000001);
        } else if (hdr.work.kind == 3) {
            // the place of the second access is what the first one gives
            next.read(meta.other, hdr.work.place & 0xf);
            chained.read(meta.seen, meta.other);
            chained.write(meta.other, meta.seen + 1);
            next.write(hdr.work.place & 0xf, (meta.other + 1) & 0xff);
        } else if (hdr.work.kind == 4) {
            entries.apply();
        } else if (hdr.work.kind == 6) {
            // as wide as no integer
            bit<13> sum;
            odd.read(sum, hdr.work.place & 0x3);
            odd.write(hdr.work.place & 0x3, sum + hdr.work.value[12:0]);
        } else if (hdr.work.kind == 7) {
            bit<16> bits;
            seen.read(bits, hdr.work.place & 0x3);
            seen.write(hdr.work.place & 0x3, bits | (16w1 << hdr.work.value[3:0]));
        } else if (hdr.work.kind == 8) {
            bit<8> bits;
            parity.read(bits, hdr.work.place & 0x3);
            parity.write(hdr.work.place & 0x3, bits ^ hdr.work.value[7:0]);
        } else if (hdr.work.kind == 9) {
            bit<64> sum;
            limited.read(sum, hdr.work.place & 0x3);
            limited.write(hdr.work.place & 0x3, sum |+| 64w0x1000000000000000);
        } else if (hdr.work.kind == 10) {
            stations.apply();
        } else {
            greatest.read(meta.seen, hdr.work.place & 0x3);
            if (meta.seen < hdr.work.value) {
                greatest.write(hdr.work.place & 0x3, hdr.work.value);
            }
            counted.count(hdr.work.place & 0xf);
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.work); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
