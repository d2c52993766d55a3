"""The metadata that the switch gives and takes: standard_metadata, intrinsic_metadata, queueing_metadata.

Specification 1.0.5 section 6 for standard_metadata; docs/simple_switch.md of BMv2 for the other two, which a program
declares itself and whose fields count only under these names. Widths of what is stored are those of v1model.
"""

from __future__ import annotations

from transpiler.hlir.types import Bits

STANDARD = "standard_metadata"
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

# (instance, field) → the architecture's name of the intrinsic value, and how it is stored
INTRINSICS: dict[tuple[str, str], tuple[str, Bits]] = {
    (STANDARD, "ingress_port"): ("ingress_port", Bits(9)),
    (STANDARD, "packet_length"): ("packet_length", Bits(32)),
    (STANDARD, "egress_spec"): ("egress_spec", Bits(9)),
    (STANDARD, "egress_port"): ("egress_port", Bits(9)),
    (STANDARD, "egress_instance"): ("egress_rid", Bits(16)),
    (STANDARD, "instance_type"): ("instance_type", Bits(32)),
    (STANDARD, "checksum_error"): ("checksum_error", Bits(1)),
    ("intrinsic_metadata", "ingress_global_timestamp"): ("ingress_global_timestamp", Bits(48)),
    ("intrinsic_metadata", "egress_global_timestamp"): ("egress_global_timestamp", Bits(48)),
    ("intrinsic_metadata", "mcast_grp"): ("mcast_grp", Bits(16)),
    ("intrinsic_metadata", "egress_rid"): ("egress_rid", Bits(16)),
    ("intrinsic_metadata", "priority"): ("priority", Bits(3)),
    ("queueing_metadata", "enq_timestamp"): ("enq_timestamp", Bits(32)),
    ("queueing_metadata", "enq_qdepth"): ("enq_qdepth", Bits(19)),
    ("queueing_metadata", "deq_timedelta"): ("deq_timedelta", Bits(32)),
    ("queueing_metadata", "deq_qdepth"): ("deq_qdepth", Bits(19)),
    ("queueing_metadata", "qid"): ("qid", Bits(8)),
}

# predefined parser exceptions (section 4.6.1) → members of the error enum that raise them
STANDARD_EXCEPTIONS: dict[str, str] = {
    "p4_pe_index_out_of_bounds": "StackOutOfBounds",
    "p4_pe_out_of_packet": "PacketTooShort",
    "p4_pe_header_too_long": "HeaderTooShort",
    "p4_pe_header_too_short": "HeaderTooShort",
    "p4_pe_unhandled_select": "NoMatch",
}
CHECKSUM_EXCEPTION, DEFAULT_EXCEPTION = "p4_pe_checksum", "p4_pe_default"
