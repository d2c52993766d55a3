"""The primitive actions and what their arguments are. Specification 1.0.5 section 9.1 and appendix; p4c's additions."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Arg(enum.Enum):
    FIELD = "a field"  # that is written
    VALUE = "a value"
    HEADER = "a header"
    STACK = "a header stack"
    COUNT = "a constant"
    LIST = "a field list"
    CALCULATION = "a field list calculation"
    COUNTER = "a counter"
    METER = "a meter"
    REGISTER = "a register"


F, V, H = Arg.FIELD, Arg.VALUE, Arg.HEADER


@dataclass(frozen=True, slots=True)
class Signature:
    """`required` of the arguments must be given. like_first: values take the type of the field that is written."""

    args: tuple[Arg, ...]
    required: int
    like_first: bool = True


def _signature(*args: Arg, optional: int = 0, like_first: bool = True) -> Signature:
    return Signature(args, len(args) - optional, like_first)


BINARY = ("add", "subtract", "bit_and", "bit_or", "bit_xor", "bit_nand", "bit_nor", "bit_xnor", "bit_andca", "bit_andcb",
          "bit_orca", "bit_orcb", "min", "max", "shift_left", "shift_right")  # fmt: skip

SIGNATURES: dict[str, Signature] = {name: _signature(F, V, V) for name in BINARY} | {
    "modify_field": _signature(F, V, V, optional=1),
    "modify_field_conditionally": _signature(F, V, V),
    "modify_field_with_shift": _signature(F, V, V, V),
    "add_to_field": _signature(F, V),
    "subtract_from_field": _signature(F, V),
    "bit_not": _signature(F, V),
    "modify_field_with_hash_based_offset": _signature(F, V, Arg.CALCULATION, V),
    "modify_field_rng_uniform": _signature(F, V, V),
    "modify_field_from_rng": _signature(F, V, V, optional=1),
    "swap": _signature(F, F),
    "drop": _signature(),
    "mark_for_drop": _signature(),
    "no_op": _signature(),
    "exit": _signature(),
    "truncate": _signature(V, like_first=False),
    "add_header": _signature(H),
    "remove_header": _signature(H),
    "copy_header": _signature(H, H),
    "push": _signature(Arg.STACK, Arg.COUNT, optional=1),
    "pop": _signature(Arg.STACK, Arg.COUNT, optional=1),
    "count": _signature(Arg.COUNTER, V, like_first=False),
    "execute_meter": _signature(Arg.METER, V, F, V, optional=1, like_first=False),
    "register_read": _signature(F, Arg.REGISTER, V, like_first=False),
    "register_write": _signature(Arg.REGISTER, V, V, like_first=False),
    "generate_digest": _signature(V, Arg.LIST, like_first=False),
    "resubmit": _signature(Arg.LIST, optional=1),
    "recirculate": _signature(Arg.LIST, optional=1),
    "clone_ingress_pkt_to_egress": _signature(V, Arg.LIST, optional=1, like_first=False),
    "clone_egress_pkt_to_egress": _signature(V, Arg.LIST, optional=1, like_first=False),
    "clone_i2e": _signature(V, Arg.LIST, optional=1, like_first=False),
    "clone_e2e": _signature(V, Arg.LIST, optional=1, like_first=False),
    "clone_ingress_pkt_to_ingress": _signature(V, Arg.LIST, optional=1, like_first=False),
    "clone_egress_pkt_to_ingress": _signature(V, Arg.LIST, optional=1, like_first=False),
}
