// State too large for the cache, whose cells are prefetched for many packets: at indexes of the packet, of hashes, of a
// table's action data, in branches, of several widths; packets of one burst that meet in a cell.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> kind; bit<32> place; bit<32> value; bit<32> second; }

struct headers_t { work_t work; }
struct meta_t { bit<32> first; bit<32> second; bit<32> seen; bit<2> colour; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<32>>(65536) sums;
    register<bit<32>>(65536) row0;
    register<bit<16>>(65536) row1;
    register<bit<8>>(262144) flags;
    register<bit<64>>(65536) totals;
    register<bit<96>>(16384) wide;
    register<bit<32>>(65536) chained;
    register<bit<32>>(65536) by_entry;
    register<bit<32>>(65536) by_branch;
    counter(65536, CounterType.packets_and_bytes) places;
    direct_counter(CounterType.packets_and_bytes) entries;
    meter(65536, MeterType.packets) rates;

    // a read, an addition, a write: packets of one burst see each other's
    action add_up() {
        sums.read(meta.seen, hdr.work.place);
        meta.seen = meta.seen + hdr.work.value;
        sums.write(hdr.work.place, meta.seen);
        hdr.work.value = meta.seen;
    }
    // two rows of a sketch, which start together: the smaller estimate goes out
    action sketch() {
        bit<32> count0;
        bit<16> count1;
        hash(meta.first, HashAlgorithm.crc32, 32w0, { hdr.work.place }, 32w65536);
        row0.read(count0, meta.first);
        count0 = count0 + 1;
        row0.write(meta.first, count0);
        hash(meta.second, HashAlgorithm.crc16, 32w0, { hdr.work.place, 8w1 }, 32w65536);
        row1.read(count1, meta.second);
        count1 = count1 + 1;
        row1.write(meta.second, count1);
        hdr.work.value = count0 < (bit<32>) count1 ? count0 : (bit<32>) count1;
    }
    // an index that another register gives
    action follow() {
        chained.read(meta.first, hdr.work.place);
        flags.write(meta.first, 8w1);
        bit<8> was;
        flags.read(was, hdr.work.second);
        hdr.work.value = (bit<32>) was;
        chained.write(hdr.work.place, hdr.work.second);
    }
    action add_wide() {
        bit<64> total;
        bit<96> cell;
        totals.read(total, hdr.work.place);
        wide.read(cell, hdr.work.place);
        total = total + 64w0x100000000;
        cell = cell + 96w0x10000000000000000;
        totals.write(hdr.work.place, total);
        wide.write(hdr.work.place, cell);
        hdr.work.value = (bit<32>) (total >> 32) + (bit<32>) (cell >> 64);
    }
    // at the place that the entry names; the table's counter is as large
    action at_entry(bit<32> place) {
        by_entry.read(meta.seen, place);
        meta.seen = meta.seen + 1;
        by_entry.write(place, meta.seen);
        hdr.work.value = meta.seen;
    }
    action ignore() { hdr.work.second = 0xdead; }
    table choose {
        key = { hdr.work.place : exact; }
        actions = { at_entry; ignore; }
        default_action = ignore();
        size = 65536;
        counters = entries;
    }
    apply {
        sm.egress_spec = 1;
        switch (hdr.work.kind) {
            0: { add_up(); }
            1: { sketch(); }
            2: { follow(); }
            3: { add_wide(); }
            4: { choose.apply(); }
            5: {
                if (hdr.work.value == 0) {
                    by_branch.read(meta.seen, hdr.work.place);
                    by_branch.write(hdr.work.place, meta.seen + 1);
                } else {
                    by_branch.read(meta.seen, hdr.work.second);
                }
                hdr.work.value = meta.seen;
            }
            6: {
                places.count(hdr.work.place);
                rates.execute_meter(hdr.work.place, meta.colour);
                hdr.work.value = (bit<32>) meta.colour;
            }
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.work); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
