// Names of the control plane are told apart in a program of any package; an action that no table has is none of them.
#include <core.p4>
extern Cell { Cell(); void put(in bit<8> x); }
control Block(inout bit<8> x);
package Own(Block block);
control c(inout bit<8> x) {
    @name("same") action called() { x = 1; }
    @name("same") action called_too() { x = 2; }
    @name("same") action listed() { x = 3; }
    @name("same") table t { key = { x : exact; } actions = { listed; } default_action = listed; }
    @name("same") table u { key = { x : exact; } actions = { listed; } default_action = listed; }
    @name("same") table unused { key = { x : exact; } actions = { listed; } default_action = listed; }
    @name("cells") Cell() first;
    @name("cells") Cell() second;
    @name("cells") Cell() unused_too;
    apply {
        first.put(x);
        second.put(x);
        called();
        called_too();
        t.apply();
        u.apply();
    }
}
control apart(inout bit<8> x) {
    @name("same") table t { key = { x : exact; } actions = { NoAction; } }
    @name("same") table u { key = { x : exact; } actions = { NoAction; } }
    apply {
        t.apply();
        u.apply();
    }
}
Own(apart()) another;
Own(c()) main;
