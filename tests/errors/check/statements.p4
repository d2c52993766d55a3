// Statements and declarations where they cannot stand, or of what they are not for.
#include <core.p4>

header h_t { bit<8> a; }
header wide_t { bit<8> a; varbit<32> v; }
struct s_t { h_t h; h_t[2] stack; bit<8> x; bool f; error e; }
enum empty_t { }
enum bit<8> run_time_t { one = wrong }
type bit<8> id_t;
extern Cell { Cell(); bit<8> get(); }
extern Abs { Abs(); abstract void f(); }
extern void take(Abs a);
control Block(inout bit<8> x);
package Pack(Block b);

const Cell object = 1;
bit<8> returns_nothing(in bit<8> x) { return; }
void returns_void() { return; }

control sub(inout bit<8> x) { apply { } }
control self_made(inout bit<8> x) { self_made() inner; apply { } }

parser p(packet_in packet, out s_t s, out wide_t wide) {
    value_set<Cell>(4) of_object;
    value_set<bit<8>>(0) of_none;
    Cell() cell;
    state start {
        s.stack.push_front(1);
        packet.extract(wide);
        packet.extract(s.h, 8);
        packet.extract(s.x);
        s.x = packet.lookahead<wide_t>().a;
        transition select(s.x, s.h, 3) {
            (1, _, _): accept;
            (of_none, _, _): accept;
            (1 &&& s.f, _, _): accept;
            (true, _, _): accept;
        }
    }
    state start { transition accept; }
    state accept { transition reject; }
    state cell { transition nowhere; }
}

control c(inout s_t s, packet_out packet) {
    sub[2]() subs;
    Pack(sub()) pack;
    bit<8> y = s.f;
    Cell[y]() sized;
    action other() { }
    action only() { }
    table t {
        key = { s.x : ternary; }
        actions = { NoAction; @defaultonly other; @tableonly only; }
        default_action = only;
        priority_delta = 0;
        largest_priority_wins = 1;
        size = true;
        entries = {
            priority = true: 1: NoAction();
            priority = y: 2: NoAction();
            priority = (-1): 3: NoAction();
            4: other();
        }
    }
    apply {
        Cell();
        sub(s.x);
        packet.emit(s.x);
        for (id_t i in 0 .. (id_t) 3) { }
        for (bit<8> i in s.x) { }
        for (bit<8> i in s.stack) { }
        for (bit<8> i = 0; i; i = i + 1) { }
        switch (s.h) { }
        switch (3) { 3: { } }
        switch (t.apply().action_run) { 1: { } .NoAction: { } }
        switch (s.x) { default: { } 1: { } }
        take(Abs());
        s.h = t;
        s.e = error.None;
    }
}
action main() { }
