"""PSA. Source: P4-16 Portable Switch Architecture 1.2, section 6."""

from __future__ import annotations

from enum import IntEnum

from transpiler.architectures.facts import Facts
from transpiler.hlir.program import Control, Parser, Role

FACTS = Facts(
    {
        Role.PARSER: Parser,
        Role.INGRESS: Control,
        Role.INGRESS_DEPARSER: Control,
        Role.EGRESS_PARSER: Parser,
        Role.EGRESS: Control,
        Role.DEPARSER: Control,
    },
    one_storage=False,
)
PORT_RECIRCULATE = 0xFFFFFFFA  # PSA_PORT_RECIRCULATE


class Path(IntEnum):
    """PSA_PacketPath_t: the way that a packet has come."""

    NORMAL = 0
    UNICAST = 1
    MULTICAST = 2
    CLONE_I2E = 3
    CLONE_E2E = 4
    RESUBMIT = 5
    RECIRCULATE = 6
