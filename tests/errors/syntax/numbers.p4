const bit<8> a = 8w0xZZ;
const bit<8> b = 0b102;
const bit<8> c = 8w_;
const bit<8> d = 12abc;
const bit<8> e = 8w0b_1010_1010;
