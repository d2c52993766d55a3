header_type byte_t { fields { v : 8; } }
header byte_t first;
header byte_t second;
metadata byte_t notes;

parser start { extract(first); return ingress; }
parser other { extract(second); return ingress; }

parser_exception p4_pe_out_of_packet {
    extract(second);
    return ingress;
}
parser_exception p4_pe_default {
    set_metadata(notes.v, 1);
    return select(first.v) {
        1 : ingress;
        default : ingress;
    }
}
control ingress { }
