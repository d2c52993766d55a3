"""What programs of both languages have in common that are for v1model; what P4-16 alone has is in p4_16/architectures/v1model."""
