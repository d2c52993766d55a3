// A package whose blocks do not fit: the wrong order, the wrong direction, too few, metadata of another type.
#include <core.p4>

parser Parser<H, M>(packet_in packet, out H hdr, inout M meta);
control Verify<H, M>(inout H hdr, inout M meta);
control Pipe<H, M>(inout H hdr, inout M meta, in bit<9> port);
control Deparser<H>(packet_out packet, in H hdr);
package Switch<H, M>(Parser<H, M> p, Verify<H, M> v, Pipe<H, M> i, Deparser<H> d);

header h_t { bit<8> a; }
struct headers_t { h_t h; }
struct meta_t { bit<8> x; }
struct other_t { bit<8> x; }

parser MyParser(packet_in packet, out headers_t hdr, inout meta_t meta) {
    state start { packet.extract(hdr.h); transition accept; }
}
control MyVerify(inout headers_t hdr, inout meta_t meta) { apply { } }
control MyIngress(inout headers_t hdr, inout meta_t meta, in bit<9> port) { apply { } }
control OtherMeta(inout headers_t hdr, inout other_t meta, in bit<9> port) { apply { } }
control WrongDirection(in headers_t hdr, inout meta_t meta, in bit<9> port) { apply { } }
control MyDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }

Switch(MyParser(), MyIngress(), MyVerify(), MyDeparser()) swapped;
Switch(MyParser(), MyVerify(), OtherMeta(), MyDeparser()) other_meta;
Switch(MyParser(), MyVerify(), WrongDirection(), MyDeparser()) wrong_direction;
Switch(MyVerify(), MyVerify(), MyIngress(), MyDeparser()) control_for_parser;
Switch(MyParser(), MyVerify(), MyIngress()) too_few;
Switch(MyParser(), MyVerify(), MyIngress(), MyDeparser(), MyDeparser()) too_many;
Switch(MyParser(), MyVerify(), MyIngress(), Deparser()) only_a_type;
Switch<headers_t, other_t>(MyParser(), MyVerify(), MyIngress(), MyDeparser()) written;
Switch(MyParser(), MyVerify(), MyIngress(), MyDeparserr()) main;
