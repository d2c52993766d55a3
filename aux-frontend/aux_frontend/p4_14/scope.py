"""What a program declares: one name space per kind, header layouts with their sizes, and compile-time constants.

Sections 2 and 1.5 of the specification. P4-14 lets a table, an action and a header share a name, so kinds are kept apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.intrinsics import STANDARD_FIELDS, STANDARD_TYPE
from aux_frontend.p4_14.lexer import MAX_WIDTH_BITS
from aux_frontend.v1model.intrinsics import STANDARD
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir import arithmetic
from transpiler.hlir.expressions import BinaryOp, UnaryOp
from transpiler.hlir.types import Bits, Varbit

MAX_STACK = 256
_PIPELINES = ("ingress", "egress")  # the control functions that a switch runs
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FieldInfo:
    name: str
    type: Bits | Varbit
    saturating: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Layout:
    """A header type with its widths known."""

    name: str
    fields: Mapping[str, FieldInfo]
    length: ast.Expression | None
    span: Span

    @property
    def fixed_bits(self) -> int:
        return sum(f.type.width for f in self.fields.values() if isinstance(f.type, Bits))


@dataclass(frozen=True, slots=True)
class InstanceInfo:
    """A header, a stack (`size` is not None) or metadata."""

    name: str
    layout: Layout
    metadata: bool
    size: int | None
    declaration: ast.Instance | None
    span: Span


@dataclass
class Scope:
    """All declarations by kind and name, in order of declaration."""

    diagnostics: Diagnostics
    layouts: dict[str, Layout] = field(default_factory=dict)
    headers: dict[str, InstanceInfo] = field(default_factory=dict)
    metadata: dict[str, InstanceInfo] = field(default_factory=dict)
    field_lists: dict[str, ast.FieldList] = field(default_factory=dict)
    calculations: dict[str, ast.Calculation] = field(default_factory=dict)
    calculated: list[ast.CalculatedField] = field(default_factory=list)
    value_sets: dict[str, ast.ValueSet] = field(default_factory=dict)
    states: dict[str, ast.ParserState] = field(default_factory=dict)
    exceptions: dict[str, ast.ParserState] = field(default_factory=dict)
    stateful: dict[tuple[str, str], ast.Stateful] = field(default_factory=dict)  # by (kind, name)
    actions: dict[str, ast.Action] = field(default_factory=dict)
    primitives: dict[str, ast.Primitive] = field(default_factory=dict)
    profiles: dict[str, ast.ActionProfile] = field(default_factory=dict)
    selectors: dict[str, ast.ActionSelector] = field(default_factory=dict)
    tables: dict[str, ast.Table] = field(default_factory=dict)
    controls: dict[str, ast.Control] = field(default_factory=dict)
    extern_types: dict[str, ast.ExternType] = field(default_factory=dict)
    externs: dict[str, ast.ExternInstance] = field(default_factory=dict)

    def error(self, span: Span, message: str, *notes: tuple[Span, str]) -> None:
        self.diagnostics.error(span, message, *notes)

    # --- constants ---------------------------------------------------------------------------------------------------

    def constant(self, expression: ast.Expression, what: str, low: int = 0, high: int = 1 << 32) -> int | None:
        """The value of a compile-time constant between `low` and `high`; None, with a message, when it is not one."""
        value = fold(expression)
        if value is None:
            self.error(expression.span, f"{what} must be a constant")
        elif not low <= value <= high:
            self.error(expression.span, f"{what} is {value}, but must be between {low} and {high}")
            value = None
        return value

    # --- look-up -----------------------------------------------------------------------------------------------------

    def instance(self, name: str) -> InstanceInfo | None:
        """The metadata or header of that name; where both have it, the metadata, since headers are asked for as such."""
        return self.metadata.get(name) or self.headers.get(name)

    def find(self, table: Mapping[str, T], name: ast.Name, what: str) -> T | None:
        """The declaration of that name, or None and a message."""
        found = table.get(name.text)
        if found is None:
            self.error(name.span, f"{what} '{name.text}' is not declared")
        return found


def fold(expression: ast.Expression) -> int | None:
    """The value of an expression of literals; None when it has anything else in it, or divides by zero."""
    match expression:
        case ast.Number(value=value):
            return value
        case ast.Unary(op=op, operand=operand) if op in "-~":
            inner = fold(operand)
            return None if inner is None else arithmetic.calculate_unary(UnaryOp(op), inner, None)
        case ast.Binary(op=op, left=left, right=right):
            a, b = fold(left), fold(right)
            return None if a is None or b is None else calculate(op, a, b)
    return None


def calculate(op: str, a: int, b: int) -> int | None:
    """a op b on integers; None when it has no value, or one wider than any field."""
    try:
        result = arithmetic.calculate(BinaryOp(op), a, b, None)
    except arithmetic.UndefinedError:
        return None
    return result if result.bit_length() <= MAX_WIDTH_BITS else None


# --- collecting ------------------------------------------------------------------------------------------------------


def collect(declarations: tuple[ast.Declaration, ...], diagnostics: Diagnostics) -> Scope:
    """Sort the declarations by kind, report those that are there twice, and size the headers."""
    scope = Scope(diagnostics)
    span = Span("<standard metadata>", 1, 1)
    fields = {name: FieldInfo(name, Bits(width), False, span) for name, width in STANDARD_FIELDS}
    scope.layouts[STANDARD_TYPE] = Layout(STANDARD_TYPE, fields, None, span)
    scope.metadata[STANDARD] = InstanceInfo(STANDARD, scope.layouts[STANDARD_TYPE], True, None, None, span)
    headers: dict[str, ast.Instance] = {}
    metadata: dict[str, ast.Instance] = {}
    header_types: dict[str, ast.HeaderType] = {}
    for declaration in declarations:
        match declaration:
            case ast.CalculatedField():
                scope.calculated.append(declaration)
                continue
            case ast.Stateful(kind=kind, name=name):
                if (kind, name.text) in scope.stateful:
                    scope.error(name.span, f"{kind} '{name.text}' is declared twice")
                scope.stateful[kind, name.text] = declaration
                continue
            case ast.HeaderType():
                _declare(scope, header_types, declaration, "header type")
            case ast.Instance(metadata=True):
                if not _is_standard(declaration):
                    _declare(scope, metadata, declaration, "metadata")
            case ast.Instance():
                _declare(scope, headers, declaration, "header")
            case _:
                _collect_other(scope, declaration)
    for header_type in header_types.values():
        scope.layouts.setdefault(header_type.name.text, _layout(scope, header_type))
    for instance in (*metadata.values(), *headers.values()):
        _instance(scope, instance)
    return scope


def _is_standard(declaration: ast.Instance) -> bool:
    """`metadata standard_metadata_t standard_metadata;` repeats what is declared anyway."""
    return declaration.metadata and declaration.name.text == STANDARD and declaration.type.text == STANDARD_TYPE


def _collect_other(scope: Scope, declaration: ast.Declaration) -> None:
    match declaration:
        case ast.FieldList():
            _declare(scope, scope.field_lists, declaration, "field list")
        case ast.Calculation():
            _declare(scope, scope.calculations, declaration, "field list calculation")
        case ast.ValueSet():
            _declare(scope, scope.value_sets, declaration, "parser value set")
        case ast.ParserState(exception=True):
            _declare(scope, scope.exceptions, declaration, "parser exception")
        case ast.ParserState():
            _declare(scope, scope.states, declaration, "parser state")
        case ast.Action():
            _declare(scope, scope.actions, declaration, "action")
        case ast.Primitive():
            _declare(scope, scope.primitives, declaration, "primitive action")
        case ast.ActionProfile():
            _declare(scope, scope.profiles, declaration, "action profile")
        case ast.ActionSelector():
            _declare(scope, scope.selectors, declaration, "action selector")
        case ast.Table():
            _declare(scope, scope.tables, declaration, "table")
        case ast.Control():
            _declare(scope, scope.controls, declaration, "control function")
        case ast.ExternType():
            _declare(scope, scope.extern_types, declaration, "extern type")
        case ast.ExternInstance():
            _declare(scope, scope.externs, declaration, "extern")


Named = TypeVar("Named", bound=ast.HeaderType | ast.Instance | ast.FieldList | ast.Calculation | ast.ValueSet
                | ast.ParserState | ast.Action | ast.Primitive | ast.ActionProfile | ast.ActionSelector | ast.Table
                | ast.Control | ast.ExternType | ast.ExternInstance)  # fmt: skip


def _declare(scope: Scope, table: dict[str, Named], declaration: Named, what: str) -> None:
    name = declaration.name
    if name.text in (STANDARD, STANDARD_TYPE):
        scope.error(name.span, f"'{name.text}' is predefined and cannot be the name of a {what}")
    elif name.text in _PIPELINES and not isinstance(declaration, ast.Control):
        scope.error(name.span, f"'{name.text}' can only be the name of a control function, not of a {what}")
    elif name.text in table:
        scope.error(name.span, f"{what} '{name.text}' is declared twice", (table[name.text].name.span, "first here"))
    else:
        table[name.text] = declaration


def _layout(scope: Scope, declaration: ast.HeaderType) -> Layout:
    fields: dict[str, FieldInfo] = {}
    flexible: ast.FieldDeclaration | None = None
    fixed = 0
    for item in declaration.fields:
        name = item.name
        if name.text in fields:
            scope.error(name.span, f"field '{name.text}' is declared twice", (fields[name.text].span, "first here"))
            continue
        width: int | None = None
        if item.width is None:
            if flexible is not None:
                scope.error(name.span, "a header type has at most one field of variable width")
            flexible = item
        else:
            width = scope.constant(item.width, f"the width of '{name.text}'", 1, MAX_WIDTH_BITS)
            fixed += width or 1
        fields[name.text] = FieldInfo(name.text, Bits(width or 1, item.signed), item.saturating, name.span)
    if flexible is not None:
        maximum = _flexible_bits(scope, declaration, flexible, fixed)
        old = fields[flexible.name.text]
        fields[flexible.name.text] = FieldInfo(old.name, Varbit(maximum), False, old.span)
    return Layout(declaration.name.text, fields, declaration.length if flexible else None, declaration.name.span)


def _flexible_bits(scope: Scope, declaration: ast.HeaderType, flexible: ast.FieldDeclaration, fixed: int) -> int:
    """The widest that the field of variable width can be: max_length less all other fields."""
    limit = declaration.max_length
    if limit is None and declaration.length is not None and fold(declaration.length) is not None:
        limit = declaration.length
    if limit is None or declaration.length is None:
        missing = "length" if declaration.length is None else "max_length"
        scope.error(flexible.name.span, f"a field of variable width needs the header type's {missing}")
        return 8
    length = scope.constant(limit, "max_length", 0, MAX_WIDTH_BITS // 8)
    if length is not None and length * 8 <= fixed:
        scope.error(limit.span, f"max_length is {length} bytes, but the other fields alone take {fixed} bits")
    return max((length or 1) * 8 - fixed, 8)


def _instance(scope: Scope, declaration: ast.Instance) -> None:
    name = declaration.name.text
    layout = scope.find(scope.layouts, declaration.type, "header type")
    size: int | None = None
    if declaration.size is not None:
        size = scope.constant(declaration.size, f"the size of stack '{name}'", 1, MAX_STACK) or 1
    if layout is None:
        layout = Layout(declaration.type.text, {}, None, declaration.type.span)
        scope.layouts.setdefault(declaration.type.text, layout)
    if not declaration.metadata and layout.length is None and layout.fixed_bits % 8:
        message = f"header '{name}' has {layout.fixed_bits} bits; headers of packets must be whole bytes"
        scope.error(declaration.name.span, message, (layout.span, "its type"))
    info = InstanceInfo(name, layout, declaration.metadata, size, declaration, declaration.name.span)
    (scope.metadata if declaration.metadata else scope.headers)[name] = info
    for field_name, value in declaration.initial:
        found = scope.find(layout.fields, field_name, f"field of '{name}'")
        if found is not None:
            width = found.type.width if isinstance(found.type, Bits) else MAX_WIDTH_BITS
            lowest, highest = -(1 << (width - 1)), arithmetic.ones(width)
            scope.constant(value, f"the initial value of '{field_name.text}'", lowest, highest)
