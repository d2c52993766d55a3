struct inner_t {
    bit<8>   a   b;
}
