#include <core.p4>

header h_t {
    bit<8> a
    bit<8> b;
    bit<8> c bit<8> d;
}

control c(inout h_t h) {
    action set() {
        h.a = 1
    }
    apply {
        set()
        h.b = h.a + 1;
    }
}
