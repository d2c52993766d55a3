#define LIMIT 10 20
#define ASSIGN(target, value) target = value +
#define TWICE(x) x, \
    x

control c(inout bit<8> a) {
    apply {
        a   =   LIMIT;
        /* before */ a /* middle */ =  ) ; // after
        ASSIGN(a,
               3);
        a = f(TWICE(1   2));
    }
}
