// More names, types and blocks that are not what they stand for.
#include <core.p4>
extern Again<T> { Again(); void copy(Again from); }
parser endless(packet_in packet) {
    state start { transition next; }
    state next { transition start; }
    state apart { transition accept; }
}
control c(inout bit<8> x, in bool b) {
    apply {
        x = b >> 1;
        x = x >> b;
    }
}
