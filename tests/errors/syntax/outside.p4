/* What stands in controls and parsers only: each is told of once. */
table t { key = { a: exact; } }
if (true) { }
switch (a) { }
return 1;
for (bit<8> i in 0..3) { }
transition accept;
