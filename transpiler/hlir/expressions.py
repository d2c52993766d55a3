"""HLIR expressions and places. Expressions are pure: a call with an effect is a statement that leaves its result in a variable.

Every node is frozen, typed and has a span. Declarations are referred to by name; `Program` finds them.
Arithmetic is that of P4-16 spec 1.2.5 section 8: results wrap at the width of `type` unless the operator saturates.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from transpiler.diagnostics import Span
from transpiler.hlir.types import Bits, Bool, String, Type, Varbit

# --- places: what can be read and assigned ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VariableRef:
    """A scalar variable: metadata, local, intrinsic or action data."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class HeaderRef:
    """One header instance, elements of stacks with a constant index included (`hdr.vlan[0]`)."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class ElementRef:
    """A stack's element whose index is known at run time only. Out of range: reads give an invalid header of zeros and
    writes do nothing (P4-16 section 8.18 leaves it undefined)."""

    stack: str
    index: Expression
    span: Span


HeaderPlace = HeaderRef | ElementRef


@dataclass(frozen=True, slots=True)
class FieldRef:
    """A field of a header. The storage is there whether the header is valid or not, and zero when a packet begins."""

    header: HeaderPlace
    field: str
    span: Span


Place = VariableRef | FieldRef

# --- expressions -----------------------------------------------------------------------------------------------------


class UnaryOp(enum.Enum):
    NEGATE = "-"
    COMPLEMENT = "~"
    NOT = "!"


class BinaryOp(enum.Enum):
    """Operands of ADD … XOR and of comparisons have one type; shifts take any unsigned amount; CONCAT adds the widths.

    SHR is arithmetic on signed operands. DIV and MOD are unsigned; by zero they give 0 (undefined in P4).
    LAND and LOR have no order to keep, since operands are pure.
    """

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    MOD = "%"
    SADD = "|+|"
    SSUB = "|-|"
    AND = "&"
    OR = "|"
    XOR = "^"
    SHL = "<<"
    SHR = ">>"
    CONCAT = "++"
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    LAND = "&&"
    LOR = "||"


COMPARISONS = frozenset({BinaryOp.EQ, BinaryOp.NE, BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE})


@dataclass(frozen=True, slots=True)
class Const:
    """A literal: non-negative, below 2**width; 0 or 1 for bool; the ordinal for an enum."""

    value: int
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Text:
    """A string literal."""

    value: str
    span: Span

    @property
    def type(self) -> Type:
        return String()


@dataclass(frozen=True, slots=True)
class Read:
    """The value of a place."""

    place: Place
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class IsValid:
    """Whether a header is valid."""

    header: HeaderPlace
    span: Span

    @property
    def type(self) -> Type:
        return Bool()


@dataclass(frozen=True, slots=True)
class Unary:
    op: UnaryOp
    operand: Expression
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    op: BinaryOp
    left: Expression
    right: Expression
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Conditional:
    """condition ? then : otherwise"""

    condition: Expression
    then: Expression
    otherwise: Expression
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Slice:
    """operand[high:low], both ends included; the type is bit<high-low+1>."""

    operand: Expression
    high: int
    low: int
    span: Span

    @property
    def type(self) -> Type:
        return Bits(self.high - self.low + 1)


@dataclass(frozen=True, slots=True)
class Cast:
    """Between bits, ints and bool: truncates, or extends by the sign of the *operand's* type. Enums do not cast."""

    operand: Expression
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class ListExpression:
    """A list of values, an argument of hash, checksum, digest and the like: concatenated in order, no padding. In one that
    is hashed, a Conditional between lists is an item that is one or the other."""

    items: tuple[Expression, ...]
    span: Span

    @property
    def type(self) -> Type:
        return Varbit(0)


Expression = Const | Text | Read | IsValid | Unary | Binary | Conditional | Slice | Cast | ListExpression

# --- sets of values: select cases, table entries ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnySet:
    """`_` or `default`"""

    span: Span


@dataclass(frozen=True, slots=True)
class ExactSet:
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class MaskSet:
    """value &&& mask"""

    value: Expression
    mask: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class RangeSet:
    """low .. high, both ends included; order by the type of the key."""

    low: Expression
    high: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class ValueSetRef:
    """A parser value set, filled at run time: covers as many keys as the set has fields."""

    name: str
    span: Span


KeySet = AnySet | ExactSet | MaskSet | RangeSet | ValueSetRef
