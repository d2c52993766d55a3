"""Statements."""

from __future__ import annotations

from aux_frontend.p4_16.ast.expressions import Annotation, Call, Declaration, Expression, Name, Node, TypeRef, node


@node
class Statement(Node):
    pass


@node
class EmptyStatement(Statement):
    pass


@node
class BlockStatement(Statement):
    annotations: tuple[Annotation, ...]
    body: tuple[Statement | Declaration, ...]


@node
class AssignmentStatement(Statement):
    """target operator value; operator is "=" or one of += -= |+|= … (P4-16 1.2.5)."""

    target: Expression
    operator: str
    value: Expression


@node
class CallStatement(Statement):
    """A call for its effect, t.apply() included; also direct application `C.apply()` of a control or parser type."""

    call: Call


@node
class IfStatement(Statement):
    condition: Expression
    then: Statement
    otherwise: Statement | None


@node
class SwitchLabelled(Node):
    """labels: body; body None falls through to the next one. A label is an Expression or DefaultExpression."""

    labels: tuple[Expression, ...]
    body: BlockStatement | None


@node
class SwitchStatement(Statement):
    subject: Expression
    cases: tuple[SwitchLabelled, ...]


@node
class ReturnStatement(Statement):
    value: Expression | None


@node
class ExitStatement(Statement):
    pass


@node
class BreakStatement(Statement):
    pass


@node
class ContinueStatement(Statement):
    pass


@node
class ForStatement(Statement):
    annotations: tuple[Annotation, ...]
    init: tuple[Statement | Declaration, ...]
    condition: Expression
    update: tuple[Statement, ...]
    body: Statement


@node
class ForInStatement(Statement):
    """for (type name in collection) or for (name in collection) when type is None; the collection may be a RangeExpression."""

    annotations: tuple[Annotation, ...]
    type: TypeRef | None
    name: Name
    collection: Expression
    body: Statement
