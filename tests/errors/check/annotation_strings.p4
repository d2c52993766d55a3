// What @name, @deprecated and @noWarn hold, what the other annotations hold, and twice.
#include <core.p4>

extern bit<8> later();
const bit<8> k = 3;
enum E { x }
@name("a.b" ++ ".c") action named() { }
@name("a" "b") action apart() { }
@name("") action empty() { }
@name(".") action dot() { }
@name(x) action word() { }
@name action bare() { }
@deprecated(1) action old() { }
@deprecated("long" ++ "ago") action older() { }
@noWarn(unused) action quiet() { }
@noWarn("unused") action silent() { }
@other(anything goes 1 + 2) action other() { }
@list[1, true, "text", k, k + 1, 8w3] action listed() { }
@list[E.x] action of_enum() { }
@list[later()] action of_call() { }
@list[absent] action of_nothing() { }
@list[{ 1, 2 }] action of_list() { }
@pairs[a = 1, b = "x"] action pairs() { }
@pairs[a = 1, b = 2, a = 3] action again() { }
@twice[1] @twice[2] action twice() { }
@twice(1) @twice(2) action plain_twice() { }
@both(1) @both[2] action both() { }
header m_t { @match(exact) bit<8> a; @match(exat) bit<8> b; @match(  lpm ) bit<8> c; @match[4] bit<8> d; }
