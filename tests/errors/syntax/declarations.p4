type struct s_t { bit<8> a; } new_t;
typedef bit<> nothing_t;
typedef varbit none_t;
typedef bit<8> ;
enum bit<8> e_t { a = 1 b = 2 }
error { One Two }
extern ext<T> { ext(); m(); void n(in T t) }
extern void f<T(in T t);
package pack(bit<8>);
parser p() { start { transition accept; } state other { transition a } state more { return; } state last { transition a; b = 1; } }
control no_apply() { }
control two() { apply { } bit<8> late; }
table t { }
