// What is expected at each place of a state, of a table, of a statement, of an expression.
parser sets(packet_in p) { value_set bit<8>>(4) one; }
parser closed(packet_in p) { value_set<bit<8>(4) two; }
parser sized(packet_in p) { value_set<bit<8>> three; }
parser named(packet_in p) { value_set<bit<8>>(4); }
parser ended(packet_in p) { value_set<bit<8>>(4) four }
parser unnamed(packet_in p) { state { transition accept; } }
parser subjects(packet_in p) { state s { transition select x; } }
parser subjects_end(packet_in p) { state s { transition select(x; } }
parser cases(packet_in p) { state s { transition select(x); } }
parser colon(packet_in p) { state s { transition select(x) { 1 accept; } } }
parser target(packet_in p) { state s { transition select(x) { 1: ; } } }
parser end(packet_in p) { state s { transition select(x) { 1: accept } } }
parser nothing(packet_in p) { state s { transition ; } }
control unnamed_table(inout bit<8> x) { table { actions = { } } apply { } }
control no_kind(inout bit<8> x) { table t { key = { x : ; } } apply { } }
control no_colon(inout bit<8> x) { table t { key = { x exact; } } apply { } }
control no_semicolon(inout bit<8> x) { table t { key = { x : exact } } apply { } }
control no_equals(inout bit<8> x) { table t { default_action NoAction; } apply { } }
control entry_end(inout bit<8> x) { table t { entries = { 1: NoAction() } } apply { } }
control priority_equals(inout bit<8> x) { table t { entries = { priority 3: 1: NoAction(); } } apply { } }
control priority_colon(inout bit<8> x) { table t { entries = { priority = 3 } } apply { } }
control no_name(inout bit<8> x) { bit<8> = 1; apply { } }
control no_end(inout bit<8> x) { bit<8> v apply { } }
control instance_name(inout bit<8> x) { c() ; apply { } }
control instance_end(inout bit<8> x) { c() one apply { } }
control no_apply(inout bit<8> x) { 5 apply { } }
control statements(inout bit<8> x) {
    apply {
        switch x { }
        switch (x;
        switch (x) 1;
        x = x[1;
        x = x[2:1;
        x = x.;
        x = (x + 1;
        x = (bit<8> x;
        x = x == 1 ? 2;
        x = { 1, a = 2 };
        f(= 1);
        if x;
        if (x;
        for bit<8> i;
        bit<8> 5;
        const bit<8> k;
        x = f<bit<8>(1);
        x[1:0] 1;
        return 1
    }
}
control labels(inout bit<8> x) { apply { switch (x) { 1 { } } } }
control for_in(inout bit<8> x) { apply { for (bit<8> in 1 .. 2) { } } }
control for_end(inout bit<8> x) { apply { for (bit<8> i = 0; i < 3; i = i + 1 { } } }
control for_over(inout bit<8> x) { apply { for (bit<8> i in 1 .. 2 { } } }
