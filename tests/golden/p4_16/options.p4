// Unions, varbit, enums, tuples, structures in headers, initializers, comparison of aggregates.
#include <core.p4>
#include <v1model.p4>

enum bit<8> Kind { Short = 1, Long = 2 }
enum Mode { Quiet, Loud }
header short_t { bit<8> value; }
header long_t { bit<24> value; }
header options_t { Kind kind; bit<8> length; varbit<320> data; }
struct point_t { bit<4> x; bit<4> y; }
header place_t { point_t point; bool known; int<7> height; }
header_union option_t { short_t short; long_t long; }
struct headers_t { place_t place; options_t options; option_t option; option_t[2] more; }
struct metadata_t { tuple<bit<8>, bool> both; Mode mode; place_t copy; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        place_t ahead = packet.lookahead<place_t>();
        transition select(ahead.known, ahead.point.x) {
            (true, 1): with_options;
            (false, _): bare;
        }
    }
    state with_options {
        packet.extract(hdr.place);
        packet.extract(hdr.options, (bit<32>) hdr.options.length << 3);
        transition select(hdr.options.kind) {
            Kind.Short: short;
            Kind.Long: long;
        }
    }
    state short { packet.extract(hdr.option.short); transition accept; }
    state long { packet.extract(hdr.option.long); packet.extract(hdr.more.next.long); transition accept; }
    state bare { packet.advance(16); packet.extract<short_t>(_); transition accept; }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        meta.both = { 5, hdr.place.known };
        meta.copy = hdr.place;
        if (hdr.place == { { 1, 2 }, true, -3 }) {
            hdr.option.short = { value = 9 };
            meta.mode = Mode.Loud;
        } else if (hdr.option.isValid() && meta.both == { 5, true }) {
            hdr.option.long.setValid();
            hdr.option.long.value = (bit<24>) hdr.options.minSizeInBits();
        }
        meta.copy.height = meta.copy.height |+| 60;
        hdr.place = meta.mode == Mode.Loud ? meta.copy : (place_t) {#};
        hdr.more[0] = hdr.option;
        hdr.options.kind = Kind.Long;
        point_t p = { y = 3, ... };
        hdr.place.point = p;
        std.egress_spec = hdr.place.point.x ++ 5w0;
    }
}

#include "skeleton.p4"
