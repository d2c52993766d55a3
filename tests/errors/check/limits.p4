header_union u_t { h_t a; }
header h_t { bit<1048577> wide; }
header k_t { bit<1048576> wide; varbit<1048577> v; }
const bit<8> c = 1048577w1;
const bit<1048576> d = 1048576w1;
const bit<8> e = (bit<8>) 0w0;
header z_t { bit<0> none; int<0> no_sign; int<1> sign; }
struct s_t { bit<-1> negative; bit<8w4> sized; bit<true> flag; }
