"""The side effects of the backend's functions that generated code calls.

A call is of one of three kinds: it is pure; it only writes to what some of its arguments point to; or it has other side
effects, so that it is never removed.
"""

from __future__ import annotations

from transpiler.codegen.c.nodes import Call, Expression
from transpiler.codegen.c.walk import walk_expression

# by function: the numbers of the arguments that it writes through
_WRITES = {
    "macs_store_bytes": (0,),
    "macs_store_bits": (0,),
    "memset": (0,),
    "macs_append_bits": (0, 1),
    "macs_varbit_append_bits": (1, 2),
    "macs_register_read": (2,),
}
_ACTS = frozenset(
    {
        "macs_meter_execute",
        "macs_meter_execute_aware",
        "macs_random_next",
        "macs_random_range",
        "macs_learn",
        "macs_learned_word",
        "macs_layout_resize",
        "macs_layout_truncate",
        "macs_loop_ends",
        *(
            f"macs_register_{name}{bits}"
            for name in ("add", "and", "or", "xor", "swap", "replace")
            for bits in (8, 16, 32, 64)
        ),
    }
)


def written_arguments(call: Call) -> tuple[int, ...] | None:
    """The arguments that a call, a statement of its own, only writes through; None where it does more or else."""
    if call.function.startswith("macs_w") and call.function.endswith("_store"):
        return (0,)
    return _WRITES.get(call.function)


def acts(e: Expression) -> bool:
    """Whether evaluating an expression has side effects."""
    return any(isinstance(part, Call) and part.function in _ACTS for part in walk_expression(e))
