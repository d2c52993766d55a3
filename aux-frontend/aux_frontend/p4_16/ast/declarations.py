"""Declarations, parts of parsers and tables, the program."""

from __future__ import annotations

from dataclasses import field

from aux_frontend.p4_16.ast.expressions import Annotation, Argument, Declaration, Expression, Name, Node, TypeRef, node
from aux_frontend.p4_16.ast.statements import BlockStatement, Statement


@node
class Parameter(Declaration):
    """direction: "in", "out", "inout" or "" """

    direction: str
    type: TypeRef
    default: Expression | None = None


@node
class TypeParameter(Declaration):
    pass


@node
class ConstDeclaration(Declaration):
    type: TypeRef
    value: Expression


@node
class VariableDeclaration(Declaration):
    type: TypeRef
    initializer: Expression | None


@node
class Instantiation(Declaration):
    """type(arguments) name; or with an initializer { … } of declarations (abstract methods)."""

    type: TypeRef
    arguments: tuple[Argument, ...]
    initializer: tuple[Declaration, ...] | None = None


@node
class FieldDeclaration(Declaration):
    type: TypeRef


@node
class HeaderDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    fields: tuple[FieldDeclaration, ...]


@node
class HeaderUnionDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    fields: tuple[FieldDeclaration, ...]


@node
class StructDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    fields: tuple[FieldDeclaration, ...]


@node
class EnumMember(Declaration):
    value: Expression | None = None


@node
class EnumDeclaration(Declaration):
    """`underlying` None: an enum without representation."""

    underlying: TypeRef | None
    members: tuple[EnumMember, ...]


@node
class ErrorDeclaration(Declaration):
    """error { … }; name is "error"."""

    members: tuple[Name, ...]


@node
class MatchKindDeclaration(Declaration):
    """match_kind { … }; name is "match_kind"."""

    members: tuple[Name, ...]


@node
class TypedefDeclaration(Declaration):
    """typedef T name, or `type T name` when distinct."""

    type: TypeRef | Declaration
    distinct: bool


@node
class MethodPrototype(Declaration):
    """A method of an extern; the constructor has the extern's name and `result` None."""

    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]
    result: TypeRef | None
    abstract: bool


@node
class ExternDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    methods: tuple[MethodPrototype, ...]


@node
class FunctionPrototype(Declaration):
    """extern R f<T>(…);"""

    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]
    result: TypeRef


@node
class FunctionDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]
    result: TypeRef
    body: BlockStatement


@node
class ActionDeclaration(Declaration):
    parameters: tuple[Parameter, ...]
    body: BlockStatement


@node
class ParserTypeDeclaration(Declaration):
    """parser P<T>(…);"""

    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]


@node
class ControlTypeDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]


@node
class PackageDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]


@node
class SelectCase(Node):
    """keyset: state. A keyset of several keys is a ListExpression."""

    keyset: Expression
    state: Name


@node
class SelectExpression(Expression):
    subjects: tuple[Expression, ...]
    cases: tuple[SelectCase, ...]


@node
class ParserState(Declaration):
    """`transition` None: an implicit `transition reject`; a Name: direct."""

    body: tuple[Statement | Declaration, ...]
    transition: Name | SelectExpression | None


@node
class ParserDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]
    constructor_parameters: tuple[Parameter, ...]
    locals: tuple[Declaration, ...]
    states: tuple[ParserState, ...]


@node
class ValueSetDeclaration(Declaration):
    """value_set<T>(size) name;"""

    type: TypeRef
    size: Expression


@node
class ControlDeclaration(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]
    constructor_parameters: tuple[Parameter, ...]
    locals: tuple[Declaration, ...]
    body: BlockStatement


@node
class KeyElement(Node):
    annotations: tuple[Annotation, ...]
    expression: Expression
    match_kind: Name


@node
class ActionRef(Node):
    """An element of a table's actions, or its default_action: a Path or a Call of one (partial arguments)."""

    annotations: tuple[Annotation, ...]
    expression: Expression


@node
class Entry(Node):
    """priority=…: keyset : action; keyset of several keys is a ListExpression."""

    annotations: tuple[Annotation, ...]
    is_const: bool
    priority: Expression | None
    keyset: Expression
    action: ActionRef


@node
class TableProperty(Node):
    """Any other property: name = expression; is_const as written."""

    annotations: tuple[Annotation, ...]
    name: str
    is_const: bool
    value: Expression


@node
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


@node
class Program(Node):
    declarations: tuple[Declaration, ...]
