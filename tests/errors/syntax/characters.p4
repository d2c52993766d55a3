const string b = "café";
const bit<8> c = 1 $ 2;
const bit<8> d = café;
#frobnicate it
const bit<8> e = Ã©;
const string two_lines = "a
  b";
const bit<8> f = 1  2;
const bit<8> _ = 3;
const string a = "no end;
