typedef bit<8> byte;
control c(inout bit<8> a) {
    apply {
        if (a == 1) else a = 2;
        if (a == 1) bit<8> b = 1;
        a = byte;
        3 = a;
        f(a) = 1;
        switch (a) { 1: a = 1; 2: { } }
        return
    }
}
