/* elements: two elements of a pipeline that each read random cells of a register of their own, as the two elements of
 * "Controlling Parallelism in a Multicore Software Router": FIRST and SECOND reads a packet, of CELLS cells of four bytes.
 * With CHAIN each place depends on what was read before, so that a packet's reads follow each other. */
#include <core.p4>
#include <v1model.p4>

#ifndef FIRST
#define FIRST 20
#define SECOND 20
#define CELLS 131072
#define CHAIN 1
#endif

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {
    bit<32> place;
    bit<32> sum;
}

parser ElementsParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control ElementsVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Element(inout bit<32> place, inout bit<32> sum)(bit<32> reads) {
    register<bit<32>>(CELLS) cells;

    apply {
        for (bit<32> i = 0; i < reads; i = i + 1) {
            bit<32> value;
            cells.read(value, (place >> 7) % CELLS);
            sum = sum + value;
            place = place * 1664525 + 1013904223 + (value & (CHAIN * 0xffffffff));
        }
    }
}

control ElementsIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    Element(FIRST) first;
    Element(SECOND) second;

    action forward() {
        standard.egress_spec = 1;
    }

    /* A stage begins here, where the program can be cut. */
    table between {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            forward;
        }
        default_action = forward();
        size = 1048576;
    }

    apply {
        meta.place = hdr.ethernet.src[31:0] ^ hdr.ethernet.dst[31:0];
        meta.sum = 0;
        first.apply(meta.place, meta.sum);
        between.apply();
        second.apply(meta.place, meta.sum);
        hdr.ethernet.type = meta.sum[15:0];
    }
}

control ElementsEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control ElementsCompute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control ElementsDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(ElementsParser(), ElementsVerify(), ElementsIngress(), ElementsEgress(), ElementsCompute(), ElementsDeparser()) main;
