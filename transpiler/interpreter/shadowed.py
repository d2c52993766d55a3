"""Numbers that something else goes with, which is computed along with them: what symbolic execution runs the interpreter on."""

from __future__ import annotations

from typing import Protocol

from transpiler.hlir.expressions import BinaryOp, UnaryOp
from transpiler.hlir.types import Type


class Arithmetic(Protocol):
    """HLIR's operators on stored values, as `hlir.arithmetic` has them."""

    def unary(self, op: UnaryOp, value: int, type_: Type) -> int: ...
    def binary(self, op: BinaryOp, a: int, b: int, left: Type, right: Type) -> int: ...
    def cast(self, value: int, source: Type, target: Type) -> int: ...
    def bits_of(self, value: int, high: int, low: int) -> int: ...


class Shadowed(int):
    """A number whose shadow is computed, by its own arithmetic, wherever the number is."""

    @property
    def arithmetic(self) -> Arithmetic:
        raise NotImplementedError

    def settled(self) -> int:
        """The number alone: what follows is so for this one only."""
        raise NotImplementedError


def settled(value: int) -> int:
    """The number alone, where it says which thing is meant."""
    return value.settled() if isinstance(value, Shadowed) else value
