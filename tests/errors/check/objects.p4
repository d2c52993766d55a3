// What parsers, controls, externs and their parameters may be made of.
#include <core.p4>

struct box_t<T> { T inside; }
control Block(inout bit<8> x);
extern Self { Self(); void copy(Self from); Self other(); }
extern Holder { Holder(Block b); }
extern Any<T> { Any(T t); int count(); string name(); }
extern Reg { Reg(); bit<8> get(); }
extern Reg build(in bit<8> n);

bit<8> maybe(in bit<8> a, @optional in bit<8> b) { return a; }
void with_block(Block b) { }
control plain(inout bit<8> x) { apply { } }
control built(inout bit<8> x)(@optional bit<8> n) { apply { } }
control late(inout bit<8> x)(Reg r) { apply { } }
parser wrong(packet_in p)(Block b) { state start { transition accept; } }

control c(inout bit<8> x) {
    Any(plain()) held;
    late(build(x)) second;
    apply {
        bit<8> x = 3;
        second.apply(x);
    }
}

parser p(packet_in packet, out box_t<bit<8>> box) {
    Reg() made;
    state start {
        box.inside = 1;
        transition select(box) {
            { 1 }: accept;
            default: reject;
        }
    }
    state next {
        transition select(box.inside) {
            made.get(): accept;
            default: reject;
        }
    }
}

@name(4) action four() { }
@deprecated("a" | "b") action old() { }

extern Cell<T> { Cell(); void put(in T value); }
control cells() { Cell<Cell<bit<8>>>() cell; apply { } }
