// Where objects are made and stacks are shifted.
#include <core.p4>

header h_t { bit<8> a; }
extern Reg { Reg(); bit<8> get(); }
extern Act { Act(); abstract void run(); }
extern Any<T> { Any(); }
control plain() { apply { } }

parser p(packet_in packet, inout h_t[3] hs) {
    state start {
        Reg() r;
        hs.push_front(1);
        transition accept;
    }
}

control c(inout bit<8> x) {
    Act() act = { void run<T>() { } };
    Any<plain>() any;
    apply {
        Reg() r;
        x = r.get();
        act.run();
    }
}
