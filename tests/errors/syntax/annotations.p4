@name("with (brackets) and $ any # text")
@deprecated("x") const bit<8> a = 1;
@kv[a = 1, b] const bit<8> b = 1;
@list[1, 2 3] const bit<8> c = 1;
@ const bit<8> d = 1;
@pragma
const bit<8> e = 1;
control c() { apply { @unlikely if (true) { } } }
@open("to the end
const bit<8> f = 1;
