/* Parsers: value sets, lengths, ways out. */
header_type opt_t {
    fields { kind : 8; data : *; after : 8; }
    length : after + 2;
    max_length : 40;
}
header_type open_t { fields { data : *; } }
header opt_t opt;
header_type meta_t { fields { x : 8; } }
metadata meta_t meta;
parser_value_set pvs;

parser start {
    set_metadata(meta.x, latest.kind);
    extract(opt);
    set_metadata(opt, 1);
    return select(latest.kind, meta.x) {
        pvs mask 1 : endless;
        1, 2, 3 : endless;
        0x12345 : endless;
        default : parse_error my_error;
    }
}
parser endless { }
parser lost { return ingress; }
