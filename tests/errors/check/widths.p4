// Widths, sizes and constant arithmetic.
const bit<8> too_big = 256;
const bit<8> negative = -1;
const int zero = 0;
const int quotient = 5 / zero;
const int remainder = 5 % (zero - 3);
const bit<8> shifted = 8w1 << -1;
const int huge = 1 << 100000000;
typedef bit<(-4)> minus_t;
typedef bit<99999999999> wide_t;
typedef bit<too_big> fine_t;
typedef int<0> none_t;
header h_t { bit<8> a; }
struct s_t { h_t[0] none; h_t[zero - 1] minus; h_t[4] stack; }
struct d0_t { h_t[4000] h; }
struct d1_t { d0_t a; d0_t b; d0_t c; d0_t d; d0_t e; }
struct d2_t { d1_t a; d1_t b; d1_t c; d1_t d; }

control c(inout s_t s, inout bit<8> x, bit<8> width) {
    bit<width> w;
    apply {
        s.stack[4].a = 1;
        s.stack[x].a = 1;
        x = x / 0;
        x = x / x;
        x = 8w255 + 256;
        x = 9w511[8:1] + 8w256;
    }
}
