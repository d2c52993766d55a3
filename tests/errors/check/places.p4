// What may stand where.
#include <core.p4>

header h_t { bit<8> a; }
struct s_t { h_t h; h_t[2] stack; bit<8> x; }

control leaf(inout s_t s) { apply { } }
parser sub(packet_in p, out h_t h) { state start { transition accept; } }
leaf() top_leaf;

bit<8> function(inout s_t s) {
    exit;
    break;
    return s.x;
}

parser p(packet_in packet, out s_t s) {
    leaf() l;
    state start {
        verify(s.x == 1, error.NoMatch);
        transition accept;
    }
}

control c(inout s_t s) {
    sub() parser_instance;
    bit<8> v;
    action a() {
        t.apply();
        leaf.apply(s);
        s.x = function(s);
        verify(s.x == 1, error.NoMatch);
    }
    table t {
        key = { s.x : exact; }
        actions = { a; }
    }
    table late { actions = { after; } }
    action after() { t.apply(); return 3; }
    action bad(bit<8> data, in bit<8> directed) { }
    apply {
        verify(s.x == 1, error.NoMatch);
        s.stack.next.a = 1;
        s.h = s.stack.last;
        continue;
        return s.x;
        bool hit = t.apply().hit;
        if (t.apply().action_run == 1) { }
    }
}
