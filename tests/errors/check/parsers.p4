// The state graph and select.
#include <core.p4>

header h_t { bit<8> a; bit<16> b; }

parser no_start(packet_in p, out h_t h) {
    state begin { transition accept; }
}
parser endless(packet_in p, out h_t h) {
    state start { transition next; }
    state next { transition start; }
}
parser states(packet_in p, out h_t h) {
    value_set<bit<16>>(4) ports;
    state start {
        p.extract(h);
        transition select(h.a, h.b) {
            (1, 2): one;
            (1): one;
            (1, 2, 3): one;
            (true, _): one;
            (_, ports): one;
            (ports, _): one;
            (300, _): one;
            (1 &&& 3, h.b .. 7): nowhere;
            default: accept;
            (5, 5): reject;
        }
    }
    state one { transition select(h.a) { 5 .. 3: accept; h: accept; } }
    state one { transition accept; }
    state accept { transition accept; }
    state island { transition accept; }
}
