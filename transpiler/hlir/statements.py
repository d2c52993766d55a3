"""HLIR statements. A body is a tuple of them; control flow is structured, and leaves a labelled block from within it."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.diagnostics import Span
from transpiler.hlir.expressions import Expression, HeaderPlace, Place, VariableRef
from transpiler.hlir.types import Bits


@dataclass(frozen=True, slots=True)
class Assign:
    """target = value, of one type. Assigning a slice is written by the frontend as read, combine, assign."""

    target: Place
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class SetValid:
    """Make a header valid or invalid. Its fields' storage keeps what it holds."""

    header: HeaderPlace
    valid: bool
    span: Span


@dataclass(frozen=True, slots=True)
class CopyHeader:
    """target = source: validity and all fields, of one header type. Stack push and pop are written with it."""

    target: HeaderPlace
    source: HeaderPlace
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: Body
    otherwise: Body
    span: Span


@dataclass(frozen=True, slots=True)
class SwitchCase:
    values: tuple[int, ...]
    body: Body
    span: Span


@dataclass(frozen=True, slots=True)
class Switch:
    """The case that has the subject's value, or `default`. No fall-through. Subjects: enums (action_run), bits, ints."""

    subject: Expression
    cases: tuple[SwitchCase, ...]
    default: Body
    span: Span


@dataclass(frozen=True, slots=True)
class Block:
    """A labelled body: `Leave(label)` inside it goes to its end. Carries return, exit and break of P4."""

    label: str
    body: Body
    span: Span


@dataclass(frozen=True, slots=True)
class Leave:
    """Go to the end of the enclosing Block of that label (unique in its parser or control)."""

    label: str
    span: Span


@dataclass(frozen=True, slots=True)
class While:
    """Repeat body as long as condition holds; break and continue are Blocks around and inside it."""

    condition: Expression
    body: Body
    span: Span


@dataclass(frozen=True, slots=True)
class ApplyTable:
    """Match and run the chosen action. `hit` (bool) and `action` (the table's action enum) receive the outcome, if asked for."""

    table: str
    hit: VariableRef | None
    action: VariableRef | None
    span: Span


@dataclass(frozen=True, slots=True)
class CallExtern:
    """An extern's method, by its name in the table of externs ("register.read").

    `instance` names an ExternInstance, or is None for a free function. `inputs` are values; `outputs` receive results.
    `fields` are places passed as such: a clone's preserved fields, a digest's record.
    """

    method: str
    instance: str | None
    inputs: tuple[Expression, ...]
    outputs: tuple[Place, ...]
    span: Span
    fields: tuple[Place, ...] = ()


# --- in parsers ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Extract:
    """Read the header at the cursor, make it valid, go past it. Too short a packet: reject with PacketTooShort.

    `varbit_bits` is the run-time width of its varbit field: above the maximum HeaderTooShort, not whole bytes
    ParserInvalidArgument. P4-16 spec section 12.8.1 and 12.8.2.
    """

    header: HeaderPlace
    varbit_bits: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Lookahead:
    """Read `type.width` bits at the cursor into a variable without moving. Too short a packet: PacketTooShort."""

    target: VariableRef
    type: Bits
    span: Span


@dataclass(frozen=True, slots=True)
class Advance:
    """Move the cursor by `bits`; the bits passed are not part of the payload. Beyond the end: PacketTooShort."""

    bits: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Verify:
    """Unless condition holds, reject with the error (type Enum "error")."""

    condition: Expression
    error: Expression
    span: Span


# --- in deparsers ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Emit:
    """Append the header to the packet if it is valid."""

    header: HeaderPlace
    span: Span


Statement = (
    Assign
    | SetValid
    | CopyHeader
    | If
    | Switch
    | Block
    | Leave
    | While
    | ApplyTable
    | CallExtern
    | Extract
    | Lookahead
    | Advance
    | Verify
    | Emit
)
Body = tuple[Statement, ...]
