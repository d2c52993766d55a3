// What is expected at further places: of types, functions, statements and expressions.
error { one two }
error one }
match_kind { 5 }
typedef bit<8> byte_t
type bit<8> new_t
extern bit<8> f(in bit<8> x)
extern bit<8> 5(in bit<8> x);
extern ext in bit<8> x
package pack bit<8> x);
action no_parameters { }
action second(bit<8> a b) { }
action first(5) { }
action unnamed(bit<8> ) { }
bit<8> function(in bit<8> a b) { return a; }
bit<8> no_body(in bit<8> a);
void f<5>() { }
void g<T>
const tuple<bit<8> = 1;
control statements(inout bit<8> x) {
    apply {
        for x;
        for (bit<8> i = 0, x = 1) { }
        for (; x < 3 ) { }
        for (; x < 3; x = x + 1; ) { }
        for (bit<8> i in 1 .. 2; ) { }
        for (; true; ) bit<8> i;
        for (bit<8> i in 1 .. 2) }
        if (x == 1) { } else bit<8> i;
    }
}
control more(inout bit<8> x) {
    apply {
        if (x == 1) { } else }
    }
control switches(inout bit<8> x) {
    apply {
        switch (x) { 1: x = 2; }
        switch (x) { 1 x; }
        f(x y);
        f(;
        x = { x y };
        x = { a = };
        x = { a = 1, ... 2 };
        x = f(a = 1;
        f<bit<8>;
        exit
    }
}
control words(inout bit<8> x) {
    apply {
        break
        continue x;
        x;
        x = bit<8>;
        x = x[1:2:3];
        x = (x;
        x = x.5;
        5 = x;
    }
}
@5 action annotated() { }
@name[1 2] action listed() { }
