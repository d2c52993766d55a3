action a() { }
control c(inout bit<8> x) {
    table t {
        key = { x: exact; x }
        const key = { }
        actions { a; }
        actions = { a, b }
        default_action = a()();
        entries = { 1 : a(); 2 a(); priority=3: 3 : a; priority=x : a; }
        17 = 3;
    }
    apply { }
}
