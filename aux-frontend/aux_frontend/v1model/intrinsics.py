"""The metadata that simple_switch gives and takes, by the names that BMv2 has for them: those of P4-14 programs, and those
that BMv2's JSON has aliases for. Source: behavioral-model, docs/simple_switch.md.
"""

from __future__ import annotations

from transpiler.hlir.types import Bits

STANDARD = "standard_metadata"

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
