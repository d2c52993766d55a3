"""Walking and rewriting HLIR: the shape of each node, told once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from transpiler.hlir.expressions import (
    AnySet,
    Binary,
    Cast,
    Conditional,
    Const,
    ElementRef,
    ExactSet,
    Expression,
    FieldRef,
    HeaderPlace,
    HeaderRef,
    IsValid,
    KeySet,
    ListExpression,
    MaskSet,
    Place,
    RangeSet,
    Read,
    Slice,
    Text,
    Unary,
    ValueSetRef,
    VariableRef,
)
from transpiler.hlir.program import Control, Goto, Parser, ParserState, Program, Select
from transpiler.hlir.statements import (
    Advance,
    ApplyTable,
    Assign,
    Block,
    Body,
    CallExtern,
    CopyHeader,
    Emit,
    Extract,
    If,
    Leave,
    Lookahead,
    SetValid,
    Statement,
    Switch,
    Verify,
    While,
)


def index_of(place: Place | HeaderPlace) -> tuple[Expression, ...]:
    """The run-time index that a place is found with, if any."""
    match place:
        case ElementRef(index=index):
            return (index,)
        case FieldRef(header=header):
            return index_of(header)
    return ()


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions directly inside one."""
    match expression:
        case Const() | Text():
            return ()
        case Read(place=place):
            return index_of(place)
        case IsValid(header=header):
            return index_of(header)
        case Unary(operand=operand) | Slice(operand=operand) | Cast(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case ListExpression(items=items):
            return items


def walk_expression(expression: Expression) -> Iterator[Expression]:
    """The expression and everything inside it, outermost first."""
    yield expression
    for operand in operands(expression):
        yield from walk_expression(operand)


def bodies(statement: Statement) -> tuple[Body, ...]:
    """The bodies directly inside a statement."""
    match statement:
        case If(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Switch(cases=cases, default=default):
            return (*(case.body for case in cases), default)
        case Block(body=body) | While(body=body):
            return (body,)
    return ()


def walk(body: Body) -> Iterator[Statement]:
    """All statements of a body, nested ones included, in program order."""
    for statement in body:
        yield statement
        for inner in bodies(statement):
            yield from walk(inner)


def expressions(statement: Statement) -> tuple[Expression, ...]:
    """The expressions that a statement itself evaluates (not those of nested bodies), indices of its places included."""
    match statement:
        case Assign(target=target, value=value):
            return (value, *index_of(target))
        case SetValid(header=header) | Emit(header=header):
            return index_of(header)
        case CopyHeader(target=target, source=source):
            return (*index_of(target), *index_of(source))
        case If(condition=condition) | While(condition=condition):
            return (condition,)
        case Switch(subject=subject):
            return (subject,)
        case CallExtern(inputs=inputs, outputs=outputs, fields=fields):
            return (*inputs, *(index for place in (*outputs, *fields) for index in index_of(place)))
        case Extract(header=header, varbit_bits=varbit_bits):
            return (*index_of(header), *(() if varbit_bits is None else (varbit_bits,)))
        case Advance(bits=bits):
            return (bits,)
        case Verify(condition=condition, error=error):
            return (condition, error)
        case Block() | Leave() | ApplyTable() | Lookahead():
            return ()


def keyset_expressions(keyset: KeySet) -> tuple[Expression, ...]:
    """The expressions of a key set."""
    match keyset:
        case AnySet() | ValueSetRef():
            return ()
        case ExactSet(value=value):
            return (value,)
        case MaskSet(value=value, mask=mask):
            return (value, mask)
        case RangeSet(low=low, high=high):
            return (low, high)


def transition_expressions(state: ParserState) -> tuple[Expression, ...]:
    """What a parser state's transition evaluates."""
    match state.transition:
        case Goto():
            return ()
        case Select(subjects=subjects, cases=cases):
            sets = (keyset_expressions(key) for case in cases for key in case.keys)
            return (*subjects, *(e for group in sets for e in group))


def successors(state: ParserState) -> tuple[str, ...]:
    """The states that a transition may go to, in order, `accept` and `reject` included, no state twice."""
    match state.transition:
        case Goto(state=target):
            return (target,)
        case Select(cases=cases):
            return tuple(dict.fromkeys(case.state for case in cases))


Rewrite = Callable[[Expression], Expression]


def rewrite_expression(expression: Expression, rewrite: Rewrite) -> Expression:
    """Rewrite bottom-up: operands first, then `rewrite` on the node made of them."""

    def go(inner: Expression) -> Expression:
        return rewrite_expression(inner, rewrite)

    match expression:
        case Const() | Text():
            renewed: Expression = expression
        case Read(place=place):
            renewed = replace(expression, place=rewrite_place(place, rewrite))
        case IsValid(header=header):
            renewed = replace(expression, header=rewrite_header(header, rewrite))
        case Unary(operand=operand) | Slice(operand=operand) | Cast(operand=operand):
            renewed = replace(expression, operand=go(operand))
        case Binary(left=left, right=right):
            renewed = replace(expression, left=go(left), right=go(right))
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            renewed = replace(expression, condition=go(condition), then=go(then), otherwise=go(otherwise))
        case ListExpression(items=items):
            renewed = replace(expression, items=tuple(go(item) for item in items))
    return rewrite(renewed)


def rewrite_header(header: HeaderPlace, rewrite: Rewrite) -> HeaderPlace:
    """The header place with its index rewritten."""
    match header:
        case HeaderRef():
            return header
        case ElementRef(index=index):
            return replace(header, index=rewrite_expression(index, rewrite))


def rewrite_place(place: Place, rewrite: Rewrite) -> Place:
    """The place with the index inside it rewritten."""
    match place:
        case VariableRef():
            return place
        case FieldRef(header=header):
            return replace(place, header=rewrite_header(header, rewrite))


def rewrite_statement(statement: Statement, rewrite: Rewrite) -> Statement:
    """The statement with each expression that it evaluates itself rewritten; nested bodies are left as they are."""
    match statement:
        case Assign(target=target, value=value):
            return replace(statement, target=rewrite_place(target, rewrite), value=rewrite_expression(value, rewrite))
        case SetValid(header=header) | Emit(header=header):
            return replace(statement, header=rewrite_header(header, rewrite))
        case CopyHeader(target=to, source=source):
            return replace(statement, target=rewrite_header(to, rewrite), source=rewrite_header(source, rewrite))
        case If(condition=condition) | While(condition=condition):
            return replace(statement, condition=rewrite_expression(condition, rewrite))
        case Switch(subject=subject):
            return replace(statement, subject=rewrite_expression(subject, rewrite))
        case CallExtern(inputs=inputs, outputs=outputs, fields=fields):
            return replace(
                statement,
                inputs=tuple(rewrite_expression(e, rewrite) for e in inputs),
                outputs=tuple(rewrite_place(p, rewrite) for p in outputs),
                fields=tuple(rewrite_place(p, rewrite) for p in fields),
            )
        case Extract(header=header, varbit_bits=bits):
            width = None if bits is None else rewrite_expression(bits, rewrite)
            return replace(statement, header=rewrite_header(header, rewrite), varbit_bits=width)
        case Advance(bits=bits):
            return replace(statement, bits=rewrite_expression(bits, rewrite))
        case Verify(condition=condition, error=error):
            return replace(
                statement, condition=rewrite_expression(condition, rewrite), error=rewrite_expression(error, rewrite)
            )
        case Block() | Leave() | ApplyTable() | Lookahead():
            return statement


def rebuild(statement: Statement, inner: Callable[[Body], Body]) -> Statement:
    """The statement with `inner` applied to each body directly inside it."""
    match statement:
        case If(then=then, otherwise=otherwise):
            return replace(statement, then=inner(then), otherwise=inner(otherwise))
        case Switch(cases=cases, default=default):
            return replace(
                statement,
                cases=tuple(replace(case, body=inner(case.body)) for case in cases),
                default=inner(default),
            )
        case Block(body=body) | While(body=body):
            return replace(statement, body=inner(body))
    return statement


def program_bodies(program: Program) -> Iterator[Body]:
    """The body of every parser state, control and action."""
    for pipe in program.pipes:
        match pipe:
            case Parser(states=states):
                yield from (state.body for state in states)
            case Control(body=body):
                yield body
    yield from (action.body for action in program.actions)


def program_statements(program: Program) -> Iterator[Statement]:
    """Every statement of the program."""
    for body in program_bodies(program):
        yield from walk(body)


def program_expressions(program: Program) -> Iterator[Expression]:
    """Every expression that the program evaluates, outermost ones: statements, transitions, keys, entries."""
    for statement in program_statements(program):
        yield from expressions(statement)
    for pipe in program.pipes:
        for state in pipe.states if isinstance(pipe, Parser) else ():
            yield from transition_expressions(state)
    for table in program.tables:
        yield from (key.expression for key in table.keys)
        yield from table.default_action.arguments
        for entry in table.entries:
            yield from (e for key in entry.keys for e in keyset_expressions(key))
            yield from entry.call.arguments
