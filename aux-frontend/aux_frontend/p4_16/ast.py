"""P4-16 syntax tree: what the parser makes, nothing resolved. Names follow the grammar of the P4-16 spec 1.2.5, appendix G.

Nodes are frozen and compared by identity (eq=False): the checker keeps what it finds in side tables keyed by node.
`span` covers the token that a message about the node should point at (a name, an operator), not the whole text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

from transpiler.diagnostics import Span

_Class = TypeVar("_Class", bound=type)


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def _node(cls: _Class) -> _Class:
    return dataclass(frozen=True, eq=False, slots=True)(cls)  # type: ignore[return-value]


@_node
class Node:
    span: Span


@_node
class Name(Node):
    """An identifier where it is declared or used as a member name."""

    text: str


@_node
class Annotation(Node):
    """@name, @name(tokens) or @name[expressions or key=value]; `body` is the source text between the brackets."""

    name: str
    body: str
    structured: tuple[Expression | KeyValue, ...] | None = None  # None: not the [] form


@_node
class KeyValue(Node):
    name: str
    value: Expression


# --- types -----------------------------------------------------------------------------------------------------------


@_node
class TypeRef(Node):
    """Base of types as written."""


@_node
class BaseType(TypeRef):
    """bool, error, string, match_kind, void, int (no width), `_` (don't care): `name` is that word."""

    name: str


@_node
class SizedType(TypeRef):
    """bit<…>, int<…>, varbit<…>; plain `bit` is bit<1>."""

    name: str
    width: Expression


@_node
class NamedType(TypeRef):
    """A type name, `.name` when absolute."""

    name: str
    absolute: bool = False


@_node
class SpecializedType(TypeRef):
    base: NamedType
    arguments: tuple[TypeRef, ...]


@_node
class StackType(TypeRef):
    element: TypeRef
    size: Expression


@_node
class TupleType(TypeRef):
    elements: tuple[TypeRef, ...]


@_node
class ListType(TypeRef):
    """list<T>"""

    element: TypeRef


# --- expressions -----------------------------------------------------------------------------------------------------


@_node
class Expression(Node):
    pass


@_node
class IntLiteral(Expression):
    """`width` None: arbitrary precision; the value is never negative (minus is an operator)."""

    value: int
    width: int | None
    signed: bool


@_node
class BoolLiteral(Expression):
    value: bool


@_node
class StringLiteral(Expression):
    value: str


@_node
class Path(Expression):
    """A name in an expression, `.name` when absolute."""

    name: str
    absolute: bool = False


@_node
class TypeExpression(Expression):
    """A type where an expression may stand: the base of a Member (`E.member`, `error.NoError`, `H.minSizeInBytes()`) or the
    callee of a constructor call."""

    type: TypeRef


@_node
class This(Expression):
    pass


@_node
class Member(Expression):
    """base.name; span is that of the name."""

    base: Expression
    name: str


@_node
class Index(Expression):
    base: Expression
    index: Expression


@_node
class SliceExpression(Expression):
    """base[high:low]; also the `+:` form: base[low +: width] has plus True, high = the low index, low = the width."""

    base: Expression
    high: Expression
    low: Expression
    plus: bool = False


@_node
class Argument(Node):
    """A call argument: named, positional (name None), or `_` (value None)."""

    name: str | None
    value: Expression | None


@_node
class Call(Expression):
    """callee<types>(arguments): function, method, action, extern; also a constructor call when the callee is a TypeExpression."""

    callee: Expression
    type_arguments: tuple[TypeRef, ...]
    arguments: tuple[Argument, ...]


@_node
class UnaryExpression(Expression):
    """operator: "-" "+" "!" "~" """

    operator: str
    operand: Expression


@_node
class BinaryExpression(Expression):
    """operator as written: + - * / % |+| |-| << >> & | ^ ++ == != < <= > >= && ||"""

    operator: str
    left: Expression
    right: Expression


@_node
class ConditionalExpression(Expression):
    condition: Expression
    then: Expression
    otherwise: Expression


@_node
class CastExpression(Expression):
    type: TypeRef
    operand: Expression


@_node
class ListExpression(Expression):
    """{ a, b } or { a, b, ... }"""

    items: tuple[Expression, ...]
    dots: bool = False


@_node
class StructExpression(Expression):
    """{ name = value, … } or (T){ … }'s inside, `...` at the end when dots."""

    fields: tuple[KeyValue, ...]
    dots: bool = False


@_node
class InvalidExpression(Expression):
    """{#}: an invalid header or header union."""


@_node
class DefaultExpression(Expression):
    """`default` in a select case, a switch label or a key set; also `...` as a whole initializer when dots."""

    dots: bool = False


@_node
class DontCare(Expression):
    """_"""


@_node
class MaskExpression(Expression):
    value: Expression
    mask: Expression


@_node
class RangeExpression(Expression):
    low: Expression
    high: Expression


# --- statements ------------------------------------------------------------------------------------------------------


@_node
class Statement(Node):
    pass


@_node
class EmptyStatement(Statement):
    pass


@_node
class BlockStatement(Statement):
    annotations: tuple[Annotation, ...]
    body: tuple[Statement | Declaration, ...]


@_node
class AssignmentStatement(Statement):
    """target operator value; operator is "=" or one of += -= |+|= … (P4-16 1.2.5)."""

    target: Expression
    operator: str
    value: Expression


@_node
class CallStatement(Statement):
    """A call for its effect, t.apply() included; also direct application `C.apply()` of a control or parser type."""

    call: Call


@_node
class IfStatement(Statement):
    condition: Expression
    then: Statement
    otherwise: Statement | None


@_node
class SwitchLabelled(Node):
    """labels: body; body None falls through to the next one. A label is an Expression or DefaultExpression."""

    labels: tuple[Expression, ...]
    body: BlockStatement | None


@_node
class SwitchStatement(Statement):
    subject: Expression
    cases: tuple[SwitchLabelled, ...]


@_node
class ReturnStatement(Statement):
    value: Expression | None


@_node
class ExitStatement(Statement):
    pass


@_node
class BreakStatement(Statement):
    pass


@_node
class ContinueStatement(Statement):
    pass


@_node
class ForStatement(Statement):
    annotations: tuple[Annotation, ...]
    init: tuple[Statement | Declaration, ...]
    condition: Expression
    update: tuple[Statement, ...]
    body: Statement


@_node
class ForInStatement(Statement):
    """for (type name in collection) or for (name in collection) when type is None; the collection may be a RangeExpression."""

    annotations: tuple[Annotation, ...]
    type: TypeRef | None
    name: Name
    collection: Expression
    body: Statement


# --- declarations ----------------------------------------------------------------------------------------------------


@_node
class Declaration(Node):
    """Everything with a name of its own; span is that of the name."""

    annotations: tuple[Annotation, ...]
    name: str


@_node
class Parameter(Declaration):
    """direction: "in", "out", "inout" or "" """

    direction: str
    type: TypeRef
    default: Expression | None = None


@_node
class TypeParameter(Declaration):
    pass


@_node
class ConstDeclaration(Declaration):
    type: TypeRef
    value: Expression


@_node
class VariableDeclaration(Declaration):
    type: TypeRef
    initializer: Expression | None


@_node
class Instantiation(Declaration):
    """type(arguments) name; or with an initializer { … } of declarations (abstract methods)."""

    type: TypeRef
    arguments: tuple[Argument, ...]
    initializer: tuple[Declaration, ...] | None = None


@_node
class FieldDeclaration(Declaration):
    type: TypeRef


@_node
class HeaderDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    fields: tuple[FieldDeclaration, ...]


@_node
class HeaderUnionDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    fields: tuple[FieldDeclaration, ...]


@_node
class StructDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    fields: tuple[FieldDeclaration, ...]


@_node
class EnumMember(Declaration):
    value: Expression | None = None


@_node
class EnumDeclaration(Declaration):
    """`underlying` None: an enum without representation."""

    underlying: TypeRef | None
    members: tuple[EnumMember, ...]


@_node
class ErrorDeclaration(Declaration):
    """error { … }; name is "error"."""

    members: tuple[Name, ...]


@_node
class MatchKindDeclaration(Declaration):
    """match_kind { … }; name is "match_kind"."""

    members: tuple[Name, ...]


@_node
class TypedefDeclaration(Declaration):
    """typedef T name, or `type T name` when distinct."""

    type: TypeRef | Declaration
    distinct: bool


@_node
class MethodPrototype(Declaration):
    """A method of an extern; the constructor has the extern's name and `result` None."""

    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]
    result: TypeRef | None
    abstract: bool = False


@_node
class ExternDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    methods: tuple[MethodPrototype, ...]


@_node
class FunctionPrototype(Declaration):
    """extern R f<T>(…);"""

    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]
    result: TypeRef


@_node
class FunctionDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]
    result: TypeRef
    body: BlockStatement


@_node
class ActionDeclaration(Declaration):
    parameters: tuple[Parameter, ...]
    body: BlockStatement


@_node
class ParserTypeDeclaration(Declaration):
    """parser P<T>(…);"""

    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]


@_node
class ControlTypeDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]


@_node
class PackageDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]


@_node
class SelectCase(Node):
    """keyset: state. A keyset of several keys is a ListExpression."""

    keyset: Expression
    state: Name


@_node
class SelectExpression(Expression):
    subjects: tuple[Expression, ...]
    cases: tuple[SelectCase, ...]


@_node
class ParserState(Declaration):
    """`transition` None: an implicit `transition reject`; a Name: direct."""

    body: tuple[Statement | Declaration, ...]
    transition: Name | SelectExpression | None


@_node
class ParserDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]
    constructor_parameters: tuple[Parameter, ...]
    locals: tuple[Declaration, ...]
    states: tuple[ParserState, ...]


@_node
class ValueSetDeclaration(Declaration):
    """value_set<T>(size) name;"""

    type: TypeRef
    size: Expression


@_node
class ControlDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]
    constructor_parameters: tuple[Parameter, ...]
    locals: tuple[Declaration, ...]
    body: BlockStatement


@_node
class KeyElement(Node):
    annotations: tuple[Annotation, ...]
    expression: Expression
    match_kind: Name


@_node
class ActionRef(Node):
    """An element of a table's actions, or its default_action: a Path or a Call of one (partial arguments)."""

    annotations: tuple[Annotation, ...]
    expression: Expression


@_node
class Entry(Node):
    """priority=…: keyset : action; keyset of several keys is a ListExpression."""

    annotations: tuple[Annotation, ...]
    is_const: bool
    priority: Expression | None
    keyset: Expression
    action: ActionRef


@_node
class TableProperty(Node):
    """Any other property: name = expression; is_const as written."""

    annotations: tuple[Annotation, ...]
    name: str
    is_const: bool
    value: Expression


@_node
class TableDeclaration(Declaration):
    """None where the program has no such property. default_action stands in `default_action`, size and the like in
    `properties`."""

    keys: tuple[KeyElement, ...] | None
    actions: tuple[ActionRef, ...] | None
    entries: tuple[Entry, ...] | None
    const_entries: bool
    default_action: ActionRef | None
    const_default: bool
    properties: tuple[TableProperty, ...] = field(default=())


@_node
class Program(Node):
    declarations: tuple[Declaration, ...]
