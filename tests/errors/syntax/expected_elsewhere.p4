// What is expected at further places: after parameters, in lists, in loops, in initializers of instances.
parser no_parameters { state start { transition accept; } }
parser second(packet_in p b) { state start { transition accept; } }
parser only(packet_in p) state start { transition accept; }
parser made(packet_in p)(bit<8> n { state start { transition accept; } }
parser other(packet_in p) { action a() { } }
parser local(packet_in p) { bit<8> ; }
parser local_end(packet_in p) { bit<8>[2] { } }
parser set_size(packet_in p) { value_set<bit<8>>(4 four; }
parser state_name(packet_in p) { state 1 { transition accept; } }
parser state_begin(packet_in p) { state begins transition accept; }
parser after_transition(packet_in p) { state s { transition accept; bit<8> x; } }
parser returns(packet_in p) { state s { return; } }
parser no_state(packet_in p) { start { transition accept; } }
parser key_set(packet_in p) { state s { transition select(x, y) { (1 2): accept; } } }
control no_constructor(inout bit<8> x)(bit<8> { apply { } }
control no_body(inout bit<8> x) apply { }
control applied(inout bit<8> x) { apply; }
control applied_twice(inout bit<8> x) { apply { } apply { } }
control never_applied(inout bit<8> x) { }
control local_kind(inout bit<8> x) { bit<8> 5; apply { } }
control array(inout bit<8> x) { bit<8> a[2; apply { } }
control constant(inout bit<8> x) { const 5; apply { } }
control table_begin(inout bit<8> x) { table t key = { } apply { } }
control table_property(inout bit<8> x) { table t { 5; } apply { } }
control table_value(inout bit<8> x) { table t { size = 5 } apply { } }
control table_braces(inout bit<8> x) { table t { key = x; } apply { } }
control table_action(inout bit<8> x) { table t { actions = { 5; } } apply { } }
control table_action_end(inout bit<8> x) { table t { actions = { a b; } } apply { } }
control table_default(inout bit<8> x) { table t { default_action = 5; } apply { } }
control table_default_end(inout bit<8> x) { table t { default_action = a() } apply { } }
control table_const(inout bit<8> x) { table t { const actions = { } } apply { } }
control table_entry(inout bit<8> x) { table t { entries = { 1 a(); } } apply { } }
control instance(inout bit<8> x) { ext() e = 5; apply { } }
control instance_method(inout bit<8> x) { ext() e = { 5; }; apply { } }
control instance_name(inout bit<8> x) { ext() e = { bit<8> (; }; apply { } }
control method_name(inout bit<8> x) { ext() e = { bit<8> 5() { } }; apply { } }
control method_body(inout bit<8> x) { ext() e = { void f() ; }; apply { } }
control method_parameters(inout bit<8> x) { ext() e = { void f(in bit<8> a b) { } }; apply { } }
struct field_type { 5 a; }
struct field_name { bit<8> 5; }
struct field_end { bit<8> a }
enum member { one, 5 }
