struct s_t { bit<8> a; } }
struct t_t { bit<8> a; };
