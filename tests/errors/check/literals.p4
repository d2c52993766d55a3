// Numbers that are written: what fits in what, and what a message calls them.
#include <core.p4>

extern void take(in bit<8> x);
extern void sign(in int<8> x);
void widths() {
    take(8w255);
    take(8w256);
    sign(8s127);
    sign(8s128);
    sign(8s255);
    sign(8s256);
    take(255);
    take(256);
    take(-1);
    take(-128);
    take(-129);
    sign(127);
    sign(128);
    sign(-128);
    sign(-129);
    take(3 == 3 ? 8w1 : 8w300);
}
const bit<1> one = 1w1;
const bit<0> none = 0;
const int<1> low = -1;
const int<1> high = 1;
const int zero = 0s1;
const bit<8> huge = 1 << 255;
const bit<8> larger = 1 << 256;
const bit<8> below = -(1 << 256);
const bit<4> wide = (bit<4>) 16;
const bit<4> taken = (bit<4>) 8w255;
header of_size { bit<(1 << 20)> fits; }
header too_wide { bit<((1 << 20) + 1)> more; }
header of_bool { bit<(true && true)> odd; }
header of_text { bit<("a" ++ "b")> odd; }
const bit<8> too_wide_literal = 1048577w1[7:0];
