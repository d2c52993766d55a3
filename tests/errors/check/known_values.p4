// What is known at compile time: each of these assertions is false, so it is told only where its value is known.
#include <core.p4>

header h_t { bit<8> a; bit<16> b; }
header w_t { bit<4> c; varbit<12> v; }
header_union u_t { h_t h; w_t w; }
struct s_t { h_t h; bool flag; }
struct of_union { u_t u; bit<3> rest; }
struct empty_t { }
type bit<8> Id;
enum bit<4> Level { low = 1, high = 14, none = 0 }
enum Color { red, green }
error { Mine }
const h_t by_place = { 1, 2 };
const h_t by_name = { b = 2, a = 1 };
const s_t inner = { h = { 1, 2 }, flag = true };
const tuple<bit<8>, bool> pair = { 3, true };
const h_t[2] rows = { { 1, 2 }, { 3, 4 } };
const bool off = ...;
const error none = ...;
const bit<8> deep = (bit<8>) 0x1ff[8:1];
extern void log(string text);

void numbers() {
    static_assert((int) 8w3 != 3);
    static_assert((int) -8s3 != -3);
    static_assert((Id) 3 != 3);
    static_assert((bit<8>) (Id) 3 != 3);
    static_assert((Id) 259 != (Id) 3);
    static_assert((Level) 17 != Level.low);
    static_assert(4w3 ++ 8w5 != 12w0x305);
    static_assert(8w3 ++ 4s15 != 12w0x3f);
    static_assert(4s15 ++ 8w0 != -12s0x100);
    static_assert((bit<4>) Level.high != 14);
    static_assert((bit<4>) Level.none != 0);
    static_assert((Level) 4w1 != Level.low);
    static_assert(!(bool) 1w1);
    static_assert((bool) 0);
    static_assert((bit<1>) true != 1);
    static_assert(+5 != 5);
    static_assert(-(8w1) != 255);
    static_assert(~8s0 != -1);
    static_assert(8s255 != -1);
    static_assert(7[2:1] != 3);
    static_assert(8w0xf0[4 +: 4] != 15);
    static_assert(Level.high[3:1] != 7);
    static_assert(deep != 255);
    static_assert(rows.size != 2);
}
void records() {
    static_assert(by_place.b != 2);
    static_assert(by_name.b != 2);
    static_assert(by_name.a != 1);
    static_assert(inner.h.b != 2);
    static_assert(!inner.flag);
    static_assert(pair[0] != 3);
    static_assert(!pair[1]);
    static_assert(by_name != by_place);
    static_assert(off);
    static_assert(none != error.NoError);
    static_assert((h_t) { b = 2, a = 1 } != by_place);
}
void symbols() {
    static_assert(Color.red == Color.green);
    static_assert(Color.red != Color.red);
    static_assert(error.Mine != error.Mine);
    static_assert(error.Mine == error.NoError);
    static_assert(match_kind.exact == match_kind.lpm);
}
void logic(in bool b) {
    static_assert(false && b);
    static_assert(!(true || !true));
    static_assert((true ? 2w1 : 2w2) != 1);
    static_assert((false ? 2w1 : 2w2) != 2);
    static_assert(true && b);
    static_assert(b && false);
}
void sizes(in h_t h, in w_t w, in u_t u, in s_t s, in of_union o, in h_t[3] stack, in Id id) {
    static_assert(h.minSizeInBits() != 24);
    static_assert(h.maxSizeInBytes() != 3);
    static_assert(w.minSizeInBits() != 4);
    static_assert(w.minSizeInBytes() != 1);
    static_assert(w.maxSizeInBits() != 16);
    static_assert(u.maxSizeInBits() != 24);
    static_assert(u_t.minSizeInBits() != 4);
    static_assert(o.maxSizeInBits() != 27);
    static_assert(s.minSizeInBits() != 25);
    static_assert(stack.maxSizeInBits() != 72);
    static_assert(empty_t.maxSizeInBits() != 0);
    static_assert(Id.maxSizeInBits() != 8);
    static_assert(Level.maxSizeInBits() != 4);
}
