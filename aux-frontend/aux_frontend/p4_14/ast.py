"""The syntax tree of P4-14, after the grammar of its specification 1.0.5. Names are unresolved; every node has a span."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier where it stands in the source."""

    text: str
    span: Span


# --- expressions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """A literal; `width` in bits when it is written (`8'0x1f`)."""

    value: int
    width: int | None
    span: Span


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Ref:
    """A name, or an element of a header stack: `index` is an expression; the words next and last are a Ref of that name."""

    name: Name
    index: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class FieldRef:
    """header.field; `latest.field` has the header named latest, `header.valid` the field named valid."""

    header: Ref
    field: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Valid:
    """valid(header), or valid(header.field): the validity of the header."""

    header: Ref
    field: FieldRef | None
    span: Span


@dataclass(frozen=True, slots=True)
class Current:
    """current(offset, width): bits ahead of the parser's position."""

    offset: Expression
    width: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    op: str  # - ~ !
    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    op: str  # as in C; and, or are && and ||
    left: Expression
    right: Expression
    span: Span


Expression = Number | Truth | Ref | FieldRef | Valid | Current | Unary | Binary

# --- headers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pragma:
    """@pragma name operands, a whole line; it belongs to the declaration after it."""

    name: str
    operands: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class FieldDeclaration:
    """`width` is None for `*`: as wide as the header's length leaves."""

    name: Name
    width: Expression | None
    signed: bool
    saturating: bool


@dataclass(frozen=True, slots=True)
class HeaderType:
    """Sections 2.1; length and max_length are in bytes."""

    name: Name
    fields: tuple[FieldDeclaration, ...]
    length: Expression | None
    max_length: Expression | None
    pragmas: tuple[Pragma, ...]


@dataclass(frozen=True, slots=True)
class Instance:
    """A header, a stack of headers (`size`), or metadata with initial values."""

    name: Name
    type: Name
    metadata: bool
    size: Expression | None
    initial: tuple[tuple[Name, Expression], ...]
    pragmas: tuple[Pragma, ...]


# --- field lists and calculations ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Payload:
    span: Span


@dataclass(frozen=True, slots=True)
class FieldList:
    """Entries: fields, whole headers, constants, other lists, and `payload`."""

    name: Name
    entries: tuple[Expression | Payload, ...]
    pragmas: tuple[Pragma, ...]


@dataclass(frozen=True, slots=True)
class Calculation:
    """field_list_calculation; the first of several algorithms is the one to use."""

    name: Name
    inputs: tuple[Name, ...]
    algorithms: tuple[Name, ...]
    output_width: Expression | None
    pragmas: tuple[Pragma, ...]


@dataclass(frozen=True, slots=True)
class CalculationUse:
    update: bool
    calculation: Name
    condition: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class CalculatedField:
    field: FieldRef
    uses: tuple[CalculationUse, ...]
    pragmas: tuple[Pragma, ...]


# --- parser ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ValueSet:
    name: Name
    pragmas: tuple[Pragma, ...]


@dataclass(frozen=True, slots=True)
class Extract:
    header: Ref
    span: Span


@dataclass(frozen=True, slots=True)
class SetMetadata:
    target: Expression
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class CaseValue:
    """value [mask m]; `value` is None for default."""

    value: Expression | None
    mask: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Go:
    """Where a parser state leads: a state, a control function, an exception (`error`), or nowhere (`drop`)."""

    target: Name
    error: bool
    drop: bool
    span: Span


@dataclass(frozen=True, slots=True)
class SelectCase:
    values: tuple[CaseValue, ...]
    go: Go
    span: Span


@dataclass(frozen=True, slots=True)
class Select:
    subjects: tuple[Expression, ...]
    cases: tuple[SelectCase, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ParserState:
    """A parser function, or a parser exception handler."""

    name: Name
    exception: bool
    statements: tuple[Extract | SetMetadata, ...]
    exit: Go | Select | None
    pragmas: tuple[Pragma, ...]


# --- stateful objects ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stateful:
    """A counter, meter or register; `direct` and `static` name a table."""

    kind: str
    name: Name
    unit: Name | None = None
    direct: Name | None = None
    static: Name | None = None
    instances: Expression | None = None
    width: Expression | None = None
    layout: Name | None = None
    result: FieldRef | None = None
    pre_color: FieldRef | None = None
    pragmas: tuple[Pragma, ...] = ()


# --- actions and tables ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """A primitive or compound action, or a method of an extern instance (`receiver`), with its arguments."""

    receiver: Name | None
    callee: Name
    arguments: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Action:
    name: Name
    parameters: tuple[Name, ...]
    body: tuple[Call, ...]
    pragmas: tuple[Pragma, ...]


@dataclass(frozen=True, slots=True)
class ActionProfile:
    name: Name
    actions: tuple[Name, ...]
    size: Expression | None
    selector: Name | None
    pragmas: tuple[Pragma, ...]


@dataclass(frozen=True, slots=True)
class ActionSelector:
    name: Name
    key: Name | None
    mode: Name | None
    type: Name | None
    pragmas: tuple[Pragma, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """subject [mask m] : match kind"""

    subject: Expression
    mask: Expression | None
    kind: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Table:
    """`default_arguments` is None when the default action is named without parentheses."""

    name: Name
    reads: tuple[Read, ...]
    actions: tuple[Name, ...]
    profile: Name | None
    default_action: Name | None
    default_arguments: tuple[Expression, ...] | None
    const_default: bool
    sizes: tuple[tuple[str, Expression], ...]
    properties: tuple[tuple[Name, Expression], ...]
    pragmas: tuple[Pragma, ...]


# --- control ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ApplyCase:
    """Labels: action names, or one of the words hit, miss, default."""

    labels: tuple[Name, ...]
    body: Statements


@dataclass(frozen=True, slots=True)
class Apply:
    table: Name
    cases: tuple[ApplyCase, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: Statements
    otherwise: Statements
    span: Span


@dataclass(frozen=True, slots=True)
class ControlCall:
    control: Name
    span: Span


Statement = Apply | If | ControlCall
Statements = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Control:
    name: Name
    body: Statements
    pragmas: tuple[Pragma, ...]


# --- externs of targets ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExternType:
    """extern_type or blackbox_type: what it offers; attributes and methods by name."""

    name: Name
    attributes: tuple[Name, ...]
    methods: tuple[tuple[Name, int], ...]  # name, number of parameters
    pragmas: tuple[Pragma, ...]


@dataclass(frozen=True, slots=True)
class ExternInstance:
    name: Name
    type: Name
    attributes: tuple[Name, ...]
    pragmas: tuple[Pragma, ...]


@dataclass(frozen=True, slots=True)
class Primitive:
    """primitive_action: a primitive of the target that the program declares itself."""

    name: Name
    parameters: tuple[Name, ...]
    pragmas: tuple[Pragma, ...]


Declaration = (
    HeaderType
    | Instance
    | FieldList
    | Calculation
    | CalculatedField
    | ValueSet
    | ParserState
    | Stateful
    | Action
    | ActionProfile
    | ActionSelector
    | Table
    | Control
    | ExternType
    | ExternInstance
    | Primitive
)
