// Annotations and the preprocessor (specification, chapter 20 and 6.2): what changes names does, what is unknown is kept and
// changes nothing.
#include <core.p4>
#include <v1model.p4>
#include "annotations_types.h"

#define WIDTH 8
#define RESULT(x) hdr.work.r = (x)
#if defined(ABSENT) || WIDTH < 8
#error "the condition is false"
#elif WIDTH == 8
typedef bit<WIDTH> BYTE;
#else
#error "the branch before is taken"
#endif
#ifdef ANNOTATIONS_TYPES
#undef WIDTH
#endif
#ifndef WIDTH
const BYTE CHOSEN = 0x21;
#endif

@pure @my_own[a = 1, b = "two"] @another(any tokens 1 2 "3" (nested { } ))
struct meta_t {
    @field_list(1) BYTE kept;
    BYTE more;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    @name("begin") state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

control Inner(inout headers_t hdr)(BYTE amount) {
    @name("put") action a1(@name("what") BYTE value) { RESULT(value); }
    @name("places") table t1 {
        key = { hdr.work.a: exact @name("where"); }
        actions = { a1; @defaultonly NoAction; }
        default_action = NoAction();
        size = 4;
    }
    apply { t1.apply(); }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    @name("below") Inner(1) one;
    @name(".at_the_top") action a2() { RESULT(CHOSEN); }
    @hidden table unseen {
        actions = { a2; }
        const default_action = a2();
    }
    @name(".top_table") @unknown table t2 {
        key = { hdr.work.a: exact; }
        actions = { a2; NoAction; }
        default_action = NoAction();
    }
    @name("one.paint") action a3(BYTE with) { RESULT(with); }
    @name("two.paint") action a4(BYTE with) { RESULT(with | 0x80); }
    @name("three.paint") action a5(BYTE with) { RESULT(with | 0x40); }
    table alike { // the last words of their names
        key = { hdr.work.a: exact; }
        actions = { a3; a4; NoAction; }
        default_action = NoAction();
    }
    table more_alike {
        key = { hdr.work.a: exact; }
        actions = { a3; a4; a5; NoAction; }
        default_action = NoAction();
    }
    apply {
        sm.egress_spec = 1;
        if (hdr.work.op == 1) { one.apply(hdr); }
        else if (hdr.work.op == 2) { unseen.apply(); }
        else if (hdr.work.op == 3) { t2.apply(); }
        else if (hdr.work.op == 6) { alike.apply(); }
        else if (hdr.work.op == 7) { more_alike.apply(); }
        else if (hdr.work.op == 4) @atomic {
            RESULT(__LINE__ > 10 ? 8w1 : 2);
        } else if (hdr.work.op == 5) {
            @unroll for (@unused BYTE i in 1 .. 3) { hdr.work.r = hdr.work.r + i; }
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
@deparser control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
