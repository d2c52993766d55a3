"""What a call needs to know of what it calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.types import Ty


@dataclass(frozen=True, slots=True)
class Signature:
    """What a call needs to know of its target. `given`: type arguments that come with the receiver; `compile_time`:
    directionless arguments must be known at compile time; those of type int and string must be anyway."""

    name: str
    target: ast.Declaration | str
    type_parameters: tuple[ast.TypeParameter, ...]
    parameters: tuple[ast.Parameter, ...]
    result: Ty
    given: Mapping[ast.TypeParameter, Ty] = field(default_factory=dict)
    compile_time: bool = True
    declared: ast.Declaration | None = None
