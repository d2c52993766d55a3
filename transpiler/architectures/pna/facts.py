"""PNA as p4c's DPDK backend has it. Source: P4 Portable NIC Architecture 0.7, sections 3 to 6; its pre control: version 0.5."""

from __future__ import annotations

from enum import IntEnum

from transpiler.architectures.facts import Facts
from transpiler.hlir.program import Control, Parser, Role

FACTS = Facts(
    {
        Role.PARSER: Parser,
        Role.PRE_CONTROL: Control,
        Role.MAIN_CONTROL: Control,
        Role.DEPARSER: Control,
    },
    one_storage=True,
)
# intrinsic values that the program cannot name: what the functions of the main control leave
DROPPED, RECIRCULATED, PORT, NEXT_PASS = "drop", "recirculate", "output_port", "next_pass"
MIRROR_SLOTS = 4  # mirror_packet has slots 0 … 3
NO_MIRROR = 0  # the session that is reserved: a slot with it makes no copy


def mirror(slot: int) -> str:
    """The one that has the session of a mirror slot."""
    return f"mirror_{slot}"


class Direction(IntEnum):
    """PNA_Direction_t: what the port is of that a packet was received from."""

    NET_TO_HOST = 0
    HOST_TO_NET = 1


class Instance(IntEnum):
    """How a packet came to be, to the runtime."""

    RECEIVED = 0
    RECIRCULATED = 1
    MIRRORED = 2
