// What is expected at each place of a declaration.
header { bit<8> a; }
header h_t bit<8> a; }
enum { one }
enum bit<8> { one = 1 }
enum e_t one, two }
error { 1 }
package (bit<8> x);
package pack(bit<8> x)
extern { void f(); }
extern void (in bit<8> x);
extern void f in bit<8> x);
action (bit<8> x) { }
action a(bit<8> x) return; }
const = 1;
const bit<8> = 1;
const bit<8> one 1;
typedef tuple bit<8>> pair_t;
typedef list<bit<8>, bit<8>> rows_t;
control (inout bit<8> x) { apply { } }
control c(inout bit<8> x) apply { } }
parser (packet_in p) { state start { transition accept; } }
control lines(inout bit<8> x) {
    apply {
        x = 1
        x = ;
    }
}
@ action no_name() { }
struct s_t { bit<8> ; }
struct u_t { @x(1 bit<8> a; }
