/* totals: each packet of kind 0 to 99 adds one to a cell of registers that are kept apart in each way. With
 * MULTICAST, three copies go on to egress; with RECIRCULATE, each packet comes twice. */
#include <core.p4>
#include <v1model.p4>

header place_t {
    bit<1> again;
    bit<7> kind;
    bit<24> place;
}

struct headers_t {
    place_t place;
}

struct metadata_t {
    bit<32> seen;
    bit<32> other;
    bit<96> sum;
}

parser TotalsParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.place);
        transition accept;
    }
}

control TotalsVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control TotalsIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<32>>(256) updated; /* sharded, or one update */
    register<bit<96>>(256) wide; /* sharded, or locks */
    register<bit<32>>(16) row0; /* locks in stripes: two indexes */
    register<bit<32>>(64) row1;
    register<bit<32>>(16) next; /* one lock: an index from a register */
    register<bit<32>>(256) chained;
    register<bit<32>>(256) cleared; /* by the control plane, all the time */

    apply {
        standard.egress_spec = 1;
#ifdef MULTICAST
        standard.mcast_grp = 1;
#endif
        bit<32> place = (bit<32>)hdr.place.place & 0xff;
        if (hdr.place.kind != 127) {
            updated.read(meta.seen, place);
            updated.write(place, meta.seen + 1);
        }
        if (hdr.place.kind != 126) {
            cleared.read(meta.seen, place);
            cleared.write(place, meta.seen + 1);
        }
        if (hdr.place.kind != 125) {
            wide.read(meta.sum, place);
            wide.write(place, meta.sum + 96w0x4000000000000001);
        }
        if (hdr.place.kind != 124) {
            row0.read(meta.seen, place & 15);
            row1.read(meta.other, place >> 2);
            row0.write(place & 15, meta.seen + 1);
            row1.write(place >> 2, meta.other + 1);
        }
        if (hdr.place.kind != 123) {
            next.read(meta.other, place & 15);
            next.write(place & 15, meta.other + 1);
            chained.read(meta.seen, meta.other & 0xff);
            chained.write(meta.other & 0xff, meta.seen + 1);
        }
    }
}

control TotalsEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<32>>(256) leaving;

    apply {
        leaving.read(meta.seen, (bit<32>)hdr.place.place & 0xff);
        leaving.write((bit<32>)hdr.place.place & 0xff, meta.seen + 1);
#ifdef RECIRCULATE
        if (hdr.place.again == 0) {
            hdr.place.again = 1;
            recirculate_preserving_field_list(8w0);
        }
#endif
    }
}

control TotalsCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control TotalsDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.place);
    }
}

V1Switch(TotalsParser(), TotalsVerify(), TotalsIngress(), TotalsEgress(), TotalsCompute(), TotalsDeparser()) main;
