const string b = "café";
const bit<8> c = 1 $ 2;
const bit<8> d = café;
#frobnicate it
const bit<8> e = Ã©;
const string two_lines = "a
  b";
const string a = "no end;
