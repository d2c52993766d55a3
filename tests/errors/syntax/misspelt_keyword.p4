contrl c(inout bit<8> a) {
    apply { a = 1; }
}
heder h_t { bit<8> a; }
cosnt bit<8> b = 1;
parser p() { start { transition accept; } }
