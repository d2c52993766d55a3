"""packet_length in egress, of v1model: the length received, with the headers that setValid and setInvalid have put in and
taken out since. Source: BMv2's add_header and remove_header (targets/simple_switch/primitives.cpp); copies of headers do
not count there, nor here.

    hdr.x.setValid();   →   if (!hdr.x.isValid()) { grown = grown + 4; } hdr.x.setValid();
    egress { …          →   egress { packet_length = packet_length + grown; …

Only where egress looks at it. A clone made at egress goes on with what its maker has come to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.traverse import expressions, program_statements, rebuild, walk, walk_expression
from transpiler.hlir.types import Bits

GROWN = "$grown"
_WIDTH = Bits(32)
_BEFORE = (pr.Role.PARSER, pr.Role.VERIFY_CHECKSUM, pr.Role.INGRESS)


def with_lengths(program: pr.Program) -> pr.Program:
    """The program with what it needs to know of its packets' lengths."""
    length = program.intrinsic.get("packet_length")
    if length is None or not _is_read(program, length):
        return program
    clones = any(isinstance(s, st.CallExtern) and s.method == "clone.egress" for s in program_statements(program))
    roles = {*_BEFORE, pr.Role.EGRESS} if clones else set(_BEFORE)
    counted = _Counting(program, roles).program()
    if counted is program:
        return program
    variable = pr.Variable(GROWN, _WIDTH, pr.Storage.METADATA, program.span)
    pipes = tuple(_begun(pipe, program, length) for pipe in counted.pipes)
    return replace(counted, variables=(*counted.variables, variable), pipes=pipes)


def _is_read(program: pr.Program, length: str) -> bool:
    egress = program.pipe(pr.Role.EGRESS)
    if not isinstance(egress, pr.Control):
        return False
    return any(
        isinstance(part, ex.Read) and part.place == ex.VariableRef(length, part.place.span)
        for statement in _run(program, egress.body)
        for root in _looked_at(program, statement)
        for part in walk_expression(root)
    )


def _run(program: pr.Program, body: st.Body) -> Iterator[st.Statement]:
    """The statements of a body and of the actions of its tables."""
    for statement in walk(body):
        yield statement
        if isinstance(statement, st.ApplyTable):
            for name in _actions(program, statement.table):
                yield from walk(program.action[name].body)


def _actions(program: pr.Program, table: str) -> tuple[str, ...]:
    declared = program.table[table]
    sharing = [
        t for t in program.tables if t is declared or (t.implementation and t.implementation == declared.implementation)
    ]
    return tuple({n for t in sharing for n in (*(use.action for use in t.actions), t.default_action.action)})


def _looked_at(program: pr.Program, statement: st.Statement) -> Iterator[ex.Expression]:
    yield from expressions(statement)
    match statement:
        case st.ApplyTable(table=table):
            yield from (key.expression for key in program.table[table].keys)
        case st.CallExtern(fields=fields):
            yield from (ex.Read(place, _WIDTH, place.span) for place in fields)


class _Counting:
    """Puts the counting in: into the pipes of some roles, and the actions that they run."""

    def __init__(self, old: pr.Program, roles: set[pr.Role]) -> None:
        self.old = old
        self.roles = roles

    def program(self) -> pr.Program:
        """The same program where nothing is to be counted."""
        pipes = tuple(self._pipe(pipe) for pipe in self.old.pipes)
        bodies = [pipe.body for pipe in self.old.pipes if isinstance(pipe, pr.Control) and pipe.role in self.roles]
        tables = {s.table for body in bodies for s in walk(body) if isinstance(s, st.ApplyTable)}
        run = {name for table in tables for name in _actions(self.old, table)}
        actions = tuple(
            replace(action, body=self._body(action.body)) if action.name in run else action
            for action in self.old.actions
        )
        return (
            self.old
            if (pipes, actions) == (self.old.pipes, self.old.actions)
            else replace(self.old, pipes=pipes, actions=actions)
        )

    def _pipe(self, pipe: pr.Pipe) -> pr.Pipe:
        if pipe.role not in self.roles:
            return pipe
        if isinstance(pipe, pr.Control):
            return replace(pipe, body=self._body(pipe.body))
        return replace(pipe, states=tuple(replace(state, body=self._body(state.body)) for state in pipe.states))

    def _body(self, body: st.Body) -> st.Body:
        return tuple(made for statement in body for made in self._statement(rebuild(statement, self._body)))

    def _statement(self, statement: st.Statement) -> st.Body:
        match statement:
            case st.SetValid(header=header, valid=valid, span=span) if not self._is_local(header):
                is_valid = ex.IsValid(header, span)
                changes = ex.Unary(ex.UnaryOp.NOT, is_valid, is_valid.type, span) if valid else is_valid
                return st.If(changes, (self._grow(header, valid),), (), span), statement
            case st.CallExtern(method="clone.egress", fields=fields, span=span):
                return (replace(statement, fields=(*fields, ex.VariableRef(GROWN, span))),)
        return (statement,)

    def _is_local(self, header: ex.HeaderPlace) -> bool:
        """Whether it is a temporary of a control, which is no part of the packet."""
        if isinstance(header, ex.ElementRef):
            return self.old.header[self.old.stack[header.stack].element(0)].local
        return self.old.header[header.name].local

    def _grow(self, header: ex.HeaderPlace, valid: bool) -> st.Statement:
        name = header.stack if isinstance(header, ex.ElementRef) else header.name
        size = self.old.header_type_of[name].fixed_bits // 8
        span = header.span
        place = ex.VariableRef(GROWN, span)
        op = ex.BinaryOp.ADD if valid else ex.BinaryOp.SUB
        sum_ = ex.Binary(op, ex.Read(place, _WIDTH, span), ex.Const(size, _WIDTH, span), _WIDTH, span)
        return st.Assign(place, sum_, span)


def _begun(pipe: pr.Pipe, program: pr.Program, length: str) -> pr.Pipe:
    if pipe.role is not pr.Role.EGRESS or not isinstance(pipe, pr.Control):
        return pipe
    place, type_ = ex.VariableRef(length, pipe.span), program.variable[length].type
    assert isinstance(type_, Bits)
    grown: ex.Expression = ex.Read(ex.VariableRef(GROWN, pipe.span), _WIDTH, pipe.span)
    if type_ != _WIDTH:  # P4-14 programs may declare it as they like
        grown = ex.Cast(grown, type_, pipe.span)
    sum_ = ex.Binary(ex.BinaryOp.ADD, ex.Read(place, type_, pipe.span), grown, type_, pipe.span)
    return replace(pipe, body=(st.Assign(place, sum_, pipe.span), *pipe.body))
