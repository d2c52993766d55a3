// Copies of headers of which little is read: the validity of neither, of one a field, of the other nothing.
#include <core.p4>
#include <v1model.p4>

header pair_t { bit<8> x; bit<8> y; }
struct headers_t { pair_t sent; pair_t first; pair_t second; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        hdr.first.y = 7;
        packet.extract(hdr.sent);
        packet.extract(hdr.second);
        transition accept;
    }
}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    bit<16> unread;
    apply {
        sm.egress_spec = 1;
        hdr.first.x = hdr.sent.x;
        pair_t copy = hdr.first;
        pair_t other = hdr.second;
        hdr.first.x = hdr.sent.y;
        if (hdr.sent.x == 1) {
            hdr.sent.y = copy.x + hdr.first.x;
            if (copy.isValid()) { exit; }
        }
        hash(unread, HashAlgorithm.crc16, 16w0, { other.y }, 16w9);
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.sent); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
