"""Nodes, types as written, and expressions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

from transpiler.diagnostics import Span

_Class = TypeVar("_Class", bound=type)


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def node(cls: _Class) -> _Class:
    return dataclass(frozen=True, eq=False, slots=True)(cls)  # type: ignore[return-value]


@node
class Node:
    span: Span


@node
class Name(Node):
    """An identifier where it is declared or used as a member name."""

    text: str


@node
class Annotation(Node):
    """@name, @name(tokens) or @name[expressions or key=value]; `body` is the source text between the brackets."""

    name: str
    body: str
    structured: tuple[Expression | KeyValue, ...] | None = None  # None: not the [] form


@node
class KeyValue(Node):
    name: str
    value: Expression


@node
class Declaration(Node):
    """Everything with a name of its own; span is that of the name. `declarations.py` has the kinds."""

    annotations: tuple[Annotation, ...]
    name: str


# --- types -----------------------------------------------------------------------------------------------------------


@node
class TypeRef(Node):
    """Base of types as written."""


@node
class BaseType(TypeRef):
    """bool, error, string, match_kind, void, int (no width), `_` (don't care): `name` is that word."""

    name: str


@node
class SizedType(TypeRef):
    """bit<…>, int<…>, varbit<…>; plain `bit` is bit<1>."""

    name: str
    width: Expression


@node
class NamedType(TypeRef):
    """A type name, `.name` when absolute."""

    name: str
    absolute: bool = False


@node
class SpecializedType(TypeRef):
    base: NamedType
    arguments: tuple[TypeRef, ...]


@node
class StackType(TypeRef):
    element: TypeRef
    size: Expression


@node
class TupleType(TypeRef):
    elements: tuple[TypeRef, ...]


@node
class ListType(TypeRef):
    """list<T>"""

    element: TypeRef


# --- expressions -----------------------------------------------------------------------------------------------------


@node
class Expression(Node):
    pass


@node
class IntLiteral(Expression):
    """`width` None: arbitrary precision; the value is never negative (minus is an operator)."""

    value: int
    width: int | None
    signed: bool


@node
class BoolLiteral(Expression):
    value: bool


@node
class StringLiteral(Expression):
    value: str


@node
class Path(Expression):
    """A name in an expression, `.name` when absolute."""

    name: str
    absolute: bool = False


@node
class TypeExpression(Expression):
    """A type where an expression may stand: the base of a Member (`E.member`, `error.NoError`, `H.minSizeInBytes()`) or the
    callee of a constructor call."""

    type: TypeRef


@node
class This(Expression):
    pass


@node
class Member(Expression):
    """base.name; span is that of the name."""

    base: Expression
    name: str


@node
class Index(Expression):
    base: Expression
    index: Expression


@node
class SliceExpression(Expression):
    """base[high:low]; also the `+:` form: base[low +: width] has plus True, high = the low index, low = the width."""

    base: Expression
    high: Expression
    low: Expression
    plus: bool


@node
class Argument(Node):
    """A call argument: named, positional (name None), or `_` (value None)."""

    name: str | None
    value: Expression | None


@node
class Call(Expression):
    """callee<types>(arguments): function, method, action, extern; also a constructor call when the callee is a TypeExpression."""

    callee: Expression
    type_arguments: tuple[TypeRef, ...]
    arguments: tuple[Argument, ...]


@node
class UnaryExpression(Expression):
    """operator: "-" "+" "!" "~" """

    operator: str
    operand: Expression


@node
class BinaryExpression(Expression):
    """operator as written: + - * / % |+| |-| << >> & | ^ ++ == != < <= > >= && ||"""

    operator: str
    left: Expression
    right: Expression


@node
class ConditionalExpression(Expression):
    condition: Expression
    then: Expression
    otherwise: Expression


@node
class CastExpression(Expression):
    type: TypeRef
    operand: Expression


@node
class ListExpression(Expression):
    """{ a, b } or { a, b, ... }"""

    items: tuple[Expression, ...]
    dots: bool = False


@node
class StructExpression(Expression):
    """{ name = value, … } or (T){ … }'s inside, `...` at the end when dots."""

    fields: tuple[KeyValue, ...]
    dots: bool = False


@node
class InvalidExpression(Expression):
    """{#}: an invalid header or header union."""


@node
class DefaultExpression(Expression):
    """`default` in a select case, a switch label or a key set; also `...` as a whole initializer when dots."""

    dots: bool = False


@node
class DontCare(Expression):
    """_"""


@node
class MaskExpression(Expression):
    value: Expression
    mask: Expression


@node
class RangeExpression(Expression):
    low: Expression
    high: Expression
