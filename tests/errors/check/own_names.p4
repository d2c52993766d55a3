#include <core.p4>
header h_t { bit<8> a; }
header generic_h<T> { T f; }
struct generic_s<T> { T f; }
struct stack_s<T> { T[2] f; }
header_union generic_u<T> { T f; }
enum bit<4> Level { low = 1, high = true }
enum Color { red = 1 }
extern Ext { Ext(); void put(in bit<8> x); }
typedef _ nothing_t;
typedef bit<8>[2] words_t;
struct wide0_t { bit<8> a; bit<8> b; bit<8> c; bit<8> d; bit<8> e; bit<8> f; bit<8> g; bit<8> h; bit<8> i; bit<8> j; }
struct wide1_t { wide0_t a; wide0_t b; wide0_t c; wide0_t d; wide0_t e; wide0_t f; wide0_t g; wide0_t h; wide0_t i; wide0_t j; }
struct wide2_t { wide1_t a; wide1_t b; wide1_t c; wide1_t d; wide1_t e; wide1_t f; wide1_t g; wide1_t h; wide1_t i; wide1_t j; }
struct wide3_t { wide2_t a; wide2_t b; wide2_t c; wide2_t d; wide2_t e; wide2_t f; wide2_t g; wide2_t h; wide2_t i; wide2_t j; }
struct wide4_t { wide3_t a; wide3_t b; wide3_t c; wide3_t d; wide3_t e; wide3_t f; wide3_t g; wide3_t h; wide3_t i; wide3_t j; }
struct wide5_t { wide4_t a; wide4_t b; wide4_t c; wide4_t d; wide4_t e; wide4_t f; wide4_t g; wide4_t h; wide4_t i; wide4_t j; }
control itself(inout bit<8> x) { apply { itself.apply(x); } }
control its_table(inout bit<8> x) {
    action a() { }
    table t { key = { t.apply().hit : exact; } actions = { a; } }
    apply { t.apply(); }
}
control typed(inout Level level, inout bit<8> x) {
    generic_h<h_t> inner;
    generic_s<Ext> object;
    generic_s<string> text;
    stack_s<bit<8>> words;
    generic_u<bit<8>> part;
    apply {
        level += 1;
        x += 16w1;
        x -= 1;
    }
}
parser nested(packet_in p, out h_t h) {
    state start {
        p.extract(h);
        if (h.a == 1) { switch (h.a) { 1: { } } }
        transition accept;
    }
}
const bit<8> main = 1;
