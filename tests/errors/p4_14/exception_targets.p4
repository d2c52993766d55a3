header_type byte_t { fields { v : 8; } }
header byte_t first;

parser start { extract(first); return ingress; }
parser other { return ingress; }

parser_exception p4_pe_out_of_packet { return other; }
parser_exception mine { return nowhere; }
control ingress { }
