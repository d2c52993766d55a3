"""v1model, and so P4-14. Source: BMv2's simple_switch documentation; the P4-14 specification 1.0.5, section 6."""

from __future__ import annotations

from enum import IntEnum

from transpiler.architectures.facts import Facts
from transpiler.hlir.program import Control, Parser, Role

FACTS = Facts(
    {
        Role.PARSER: Parser,
        Role.VERIFY_CHECKSUM: Control,
        Role.INGRESS: Control,
        Role.EGRESS: Control,
        Role.COMPUTE_CHECKSUM: Control,
        Role.DEPARSER: Control,
    },
    one_storage=True,
)
DROP_PORT = 511  # egress_spec of a packet to drop


class Instance(IntEnum):
    """The intrinsic value instance_type: how a packet came to be."""

    NORMAL = 0
    INGRESS_CLONE = 1
    EGRESS_CLONE = 2
    COALESCED = 3
    RECIRCULATED = 4
    REPLICATED = 5
    RESUBMITTED = 6
