// Priorities of entries: which tables have them, what they may be, and those that follow from the one before.
#include <core.p4>

control c(in bit<8> n, in bool b)(bit<8> made) {
    action a() { }
    table exacts { key = { n : exact; } actions = { a; } default_action = a; entries = { priority = 1 : 1 : a; } }
    table prefixes { key = { n : lpm; } actions = { a; } default_action = a; entries = { priority = 1 : 1 : a; } }
    table first { key = { n : ternary; } actions = { a; } default_action = a; entries = { 1 : a; priority = 1 : 2 : a; } }
    table odd { key = { n : ternary; } actions = { a; } default_action = a;
        entries = { priority = 0 : 0 : a; priority = (-1) : 1 : a; priority = true : 2 : a; priority = n : 3 : a; priority = made : 4 : a;
                    priority = 0x7fffffff : 5 : a; priority = 0x80000000 : 6 : a; } }
    table down { key = { n : ternary; } actions = { a; } default_action = a; entries = { priority = 2 : 1 : a; 2 : a; 3 : a; 4 : a; } }
    table far { key = { n : ternary; } actions = { a; } default_action = a; priority_delta = 10; entries = { priority = 10 : 1 : a; 2 : a; 3 : a; } }
    table up { key = { n : ternary; } actions = { a; } default_action = a; largest_priority_wins = false;
        entries = { priority = 0x7ffffffe : 1 : a; 2 : a; 3 : a; } }
    table const_down { key = { n : ternary; } actions = { a; } default_action = a; const entries = { priority = 0 : 1 : a; 2 : a; } }
    table again { key = { n : ternary; } actions = { a; } default_action = a; const entries = { priority = 0 : 1 : a; priority = 1 : 2 : a; 3 : a; } }
    table plain { key = { n : ternary; } actions = { a; } default_action = a; const entries = { 1 : a; 2 : a; } }
    table zero { key = { n : ternary; } actions = { a; } default_action = a; priority_delta = 0; entries = { priority = 1 : 1 : a; } }
    table negative { key = { n : ternary; } actions = { a; } default_action = a; priority_delta = -1; entries = { priority = 1 : 1 : a; } }
    table texts { key = { n : ternary; } actions = { a; } default_action = a; priority_delta = b; largest_priority_wins = b; size = n; }
    table sizes { key = { n : ternary; } actions = { a; } default_action = a; size = made; }
    table large { key = { n : ternary; } actions = { a; } default_action = a; size = 0x80000000; }
    table small { key = { n : ternary; } actions = { a; } default_action = a; size = -1; }
    table fits { key = { n : ternary; } actions = { a; } default_action = a; size = 0x7fffffff; }
    table twice { key = { n : ternary; } actions = { a; } default_action = a; siz = 3; largest_priority_wins = 1; }
    apply { }
}
