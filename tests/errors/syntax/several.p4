#include <core.p4>
header h_t { bit<8 a; bit<8> b; }
control c(inout h_t h) {
    table t {
        key = { h.a exact; h.b: exact; }
        actions = { NoAction; 17; }
        size = ;
        size = 20;
    }
    apply {
        if (h.a == 1 { h.b = 2; }
        h.a = foo(1, 2;
        h.a = { 1, 2 3 };
        h.a + 1;
        h.b = h.a $ 2;
        for (i = 0; i < 3) { }
    }
}
foo bar baz;
bit<8> x = 2;
