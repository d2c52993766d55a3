// Arguments with a direction are the same in the action list and where the action is used; a table's actions otherwise.
#include <core.p4>

header h_t { bit<8> a; bit<8> b; }
struct pair_t { bit<8> x; bit<8> y; }
bit<8> f(in bit<8> x) { return x; }
bit<8> g(in bit<8> x) { return x; }
action outer() { }
action both() { }
control c(inout h_t h, inout h_t[2] s, inout bit<8> n, in bit<8> m, in bool b) {
    action set(inout bit<8> x, bit<8> v) { x = v; }
    action see(in bit<8> x, bit<8> v) { n = x + v; }
    action test(in bool x) { n = (bit<8>) (bit<1>) x; }
    action take(in pair_t p) { n = p.x; }
    action named(in bit<8> x, in bit<8> y) { n = x + y; }
    action own(bit<8> v) { n = v; }
    action bare() { n = 1; }
    action both() { n = 2; }
    bit<8> spare = 1;
    table fields { key = { n : exact; } actions = { set(h.a); bare; }
        const entries = { 1 : set(h.a, 1); 2 : set(h.b, 2); 3 : set(3); 4 : set(n, 4); 5 : bare; } default_action = set(h.a, m); }
    table stacks { key = { n : exact; } actions = { set(s[0].a); bare; }
        const entries = { 1 : set(s[0].a, 1); 2 : set(s[1].a, 2); 3 : set(s[n[0:0]].a, 2); } default_action = set(4); }
    table sums { key = { n : exact; } actions = { see(n + m); bare; }
        const entries = { 1 : see(n + m, 1); 2 : see(n - m, 2); 3 : see(m + n, 2); 4 : see(n, 4); 5 : see(n + m + 1, 5); } default_action = bare; }
    table signs { key = { n : exact; } actions = { see(-n); bare; }
        const entries = { 1 : see(-n, 1); 2 : see(~n, 2); 3 : see(-m, 3); } default_action = bare; }
    table calls { key = { n : exact; } actions = { see(f(n)); bare; }
        const entries = { 1 : see(f(n), 1); 2 : see(g(n), 2); 3 : see(f(m), 3); } default_action = bare; }
    table numbers { key = { n : exact; } actions = { see(2 + 1); bare; }
        const entries = { 1 : see(3, 1); 2 : see(4, 2); 3 : see(n, 3); } default_action = bare; }
    table choices { key = { n : exact; } actions = { see(b ? n : m); bare; }
        const entries = { 1 : see(b ? n : m, 1); 2 : see(b ? m : n, 2); 3 : see(!b ? n : m, 3); } default_action = bare; }
    table slices { key = { n : exact; } actions = { see(4w0 ++ n[3:0]); bare; }
        const entries = { 1 : see(4w0 ++ n[3:0], 1); 2 : see(4w0 ++ n[4:1], 2); 3 : see(4w1 ++ n[3:0], 3); } default_action = bare; }
    table structures { key = { n : exact; } actions = { take({ x = n, y = m }); bare; }
        const entries = { 1 : take({ x = n, y = m }); 2 : take({ y = m, x = n }); 3 : take({ x = m, y = n }); 4 : take({ n, m }); } default_action = bare; }
    table orders { key = { n : exact; } actions = { named(y = n, x = m); bare; }
        const entries = { 1 : named(m, n); 2 : named(x = m, y = n); 3 : named(n, m); } default_action = bare; }
    table names { key = { n : exact; } actions = { set(.spare); see(f(f(n))); bare; own; nothing; n; set(h.b); test(); own(1); bare(_); }
        const entries = { 1 : own(); 2 : own(1, 2); 3 : own(m); 4 : own(_); 5 : bear; 6 : n; 7 : see(f(f(n)), 7); 8 : see(f(n), 8); 9 : test(true); }
        default_action = own(1); }
    table others { key = { n : exact; } actions = { bare; both; } const entries = { 1 : outer; 2 : own(1); 3 : .both; 4 : both; } default_action = .both; }
    apply { fields.apply(); stacks.apply(); sums.apply(); signs.apply(); calls.apply(); numbers.apply(); choices.apply(); slices.apply();
            structures.apply(); orders.apply(); names.apply(); }
}
