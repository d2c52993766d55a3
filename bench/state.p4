/* state: what a program keeps that is larger than the caches. With REGISTER, each packet adds one to a cell of 32 M at a
 * hash of its addresses, with ONE as well always to the same cell, with NUMBERED as well each leaves with what its
 * cell held; with COUNTER, its table counts the packets of each entry, with METER it marks them. SIZE is the table's. */
#include <core.p4>
#include <v1model.p4>

#ifndef SIZE
#define SIZE 4000000
#endif

const bit<32> CELLS = 1 << 25;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {
    bit<32> cell;
    bit<32> count;
    bit<2> colour;
}

parser StateParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control StateVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control StateIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
#ifdef REGISTER
    register<bit<32>>(CELLS) cells;

    apply {
#ifdef ONE
        meta.cell = (bit<32>)hdr.ethernet.type;
#else
        hash(meta.cell, HashAlgorithm.crc32, 32w0, { hdr.ethernet.dst, hdr.ethernet.src }, CELLS);
#endif
        @atomic {
            cells.read(meta.count, meta.cell);
            cells.write(meta.cell, meta.count + 1);
        }
#ifdef NUMBERED
        hdr.ethernet.src = (bit<48>)meta.count;
#endif
        standard.egress_spec = 1;
    }
#else
#ifdef METER
    direct_meter<bit<2>>(MeterType.bytes) rates;
#endif
    action forward(bit<9> port) {
        standard.egress_spec = port;
#ifdef METER
        rates.read(meta.colour);
#endif
    }

#ifdef COUNTER
    direct_counter(CounterType.packets_and_bytes) packets;
#endif
    table stations {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            forward;
        }
        default_action = forward(1);
        size = SIZE;
#ifdef COUNTER
        counters = packets;
#endif
#ifdef METER
        meters = rates;
#endif
    }

    apply {
        stations.apply();
    }
#endif
}

control StateEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control StateCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control StateDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(StateParser(), StateVerify(), StateIngress(), StateEgress(), StateCompute(), StateDeparser()) main;
