"""What is being executed while a program is elaborated: calls that are inlined, and loops. `return` and `exit` act on
frames, `break` and `continue` on loops."""

from __future__ import annotations

from dataclasses import dataclass, field

from aux_frontend.p4_16 import types as ty
from aux_frontend.p4_16.elaborate import values as va


@dataclass(eq=False, slots=True)
class Frame:
    """One execution. `label` ends it (made when first left); `pending`: results are still to be copied out when it ends.

    `action`: the body of an action; `isolated`: of a table's action, which cannot leave labels of the control around.
    """

    prefix: str
    base: str  # of the label: "return", "exit", …
    pending: bool = False
    isolated: bool = False
    action: bool = False
    exit_scope: str = ""  # of the outermost frame: the prefix of the variable that notes an exit
    label: str | None = None
    result: va.Location | None = None
    result_type: ty.Ty | None = None
    exits: bool = False  # an exit inside was noted in `exit_flag` and must go on after the copies
    loops: list[Loop] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Loop:
    """A loop: labels of `break` and `continue`, made when first used. One of parser states has `states` instead: where
    the next pass begins, and what comes after the last."""

    break_label: str | None = None
    continue_label: str | None = None
    states: tuple[str, str] | None = None
