#ifndef WANTED
#error "define WANTED first"
#endif
#define TWO(a, b) a + b
const bit<8> x = TWO(1, 2, 3);
#endif
#if 1
