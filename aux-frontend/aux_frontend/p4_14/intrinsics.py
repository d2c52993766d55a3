"""The metadata that the switch gives and takes: standard_metadata, intrinsic_metadata, queueing_metadata.

Specification 1.0.5 section 6 for standard_metadata; docs/simple_switch.md of BMv2 for the other two, which a program
declares itself and whose fields count only under these names. Widths of what is stored are those of v1model.
"""

from __future__ import annotations

STANDARD_TYPE = "standard_metadata_t"

# fields of standard_metadata, in order, with their declared widths in bits
STANDARD_FIELDS: tuple[tuple[str, int], ...] = (
    ("ingress_port", 9),
    ("packet_length", 32),
    ("egress_spec", 9),
    ("egress_port", 9),
    ("egress_instance", 16),
    ("instance_type", 32),
    ("parser_status", 8),
    ("parser_error_location", 8),
    ("clone_spec", 32),
    ("checksum_error", 1),
)

# those of STANDARD_FIELDS of which the specification leaves open what they hold, and BMv2 gives them nothing
UNFILLED = ("parser_error_location", "clone_spec")

# predefined parser exceptions (section 4.6.1) → members of the error enum that raise them
STANDARD_EXCEPTIONS: dict[str, str] = {
    "p4_pe_index_out_of_bounds": "StackOutOfBounds",
    "p4_pe_out_of_packet": "PacketTooShort",
    "p4_pe_header_too_long": "HeaderTooShort",
    "p4_pe_header_too_short": "HeaderTooShort",
    "p4_pe_unhandled_select": "NoMatch",
}
CHECKSUM_EXCEPTION, DEFAULT_EXCEPTION = "p4_pe_checksum", "p4_pe_default"
