"""The parser: states, extraction, select, value sets and exceptions as an HLIR parser. Specification 1.0.5 section 4."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.assign import Assigner
from aux_frontend.p4_14.builder import ERRORS, INDEX, number
from aux_frontend.p4_14.intrinsics import DEFAULT_EXCEPTION
from aux_frontend.p4_14.parser_graph import START, exits, latest_at_entry
from aux_frontend.p4_14.primitives import Primitives
from aux_frontend.p4_14.scope import InstanceInfo, Layout
from aux_frontend.p4_14.selects import Selects
from aux_frontend.p4_14.values import Env, Invalid, Values, minus_one
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits, Bool

FLAG = Bits(1)
DROP, ENTRY = "$parser.drop", "$parser.entry"  # variables that tell ingress what the parser decided
_DROP_STATE = "$drop"


@dataclass
class _State:
    """A state in the making."""

    env: Env
    body: list[st.Statement] = field(default_factory=list)


class ParserStates:
    """`entries`: the control functions that the parser leads to, in order; more than one are told apart by ENTRY."""

    def __init__(self, values: Values, primitives: Primitives) -> None:
        self.values = values
        self.scope = values.scope
        self.builder = values.builder
        self.primitives = primitives
        self.assigner = Assigner(values)
        self.selects = Selects(values)
        self.entries = self._find_entries()
        self._extra: dict[str, pr.ParserState] = {}

    def _find_entries(self) -> list[str]:
        states = (*self.scope.states.values(), *self.scope.exceptions.values())
        targets = {go.target.text: go.target for state in states for go in exits(state) if not go.error}
        for name, target in targets.items():
            if name in self.scope.states and name in self.scope.controls:
                notes = (
                    (found.name.span, "declared here") for found in (self.scope.states[name], self.scope.controls[name])
                )
                self.scope.error(target.span, f"'{name}' is a parser state and a control function", *notes)
        for handler in self.scope.exceptions.values():
            for go in exits(handler):
                if not go.error and go.target.text in self.scope.states:
                    what = f"a parser exception returns to a control function; '{go.target.text}' is a parser state"
                    self.scope.error(go.target.span, what)
        return [name for name in targets if name not in self.scope.states and name in self.scope.controls]

    def elaborate(self, file: str) -> pr.Parser:
        """All states, `start` first. A program without start, or without a way out of it, is reported."""
        start = self.scope.states.get(START)
        span = start.name.span if start is not None else Span(file, 1, 1)
        if start is None:
            self.scope.error(span, "the program has no parser state 'start'")
        elif not self.entries:
            self.scope.error(span, "no parser state leads to a control function")
        latest = latest_at_entry(self.scope)
        ordered = [s for s in (start,) if s is not None] + [s for s in self.scope.states.values() if s is not start]
        states = [self._state(item, latest.get(item.name.text)) for item in ordered]
        states += [self._state(item, None) for item in self.scope.exceptions.values()]
        if start is not None:
            if self._is_target(START):
                states.insert(0, self._once(states[0].name, span))
            else:
                states[0] = replace(states[0], body=(*self._initial_values(span), *states[0].body))
        return pr.Parser("parser", pr.Role.PARSER, (*states, *self._extra.values()), span)

    def _is_target(self, name: str) -> bool:
        return any(go.target.text == name for state in self.scope.states.values() for go in exits(state))

    def _once(self, start: str, span: Span) -> pr.ParserState:
        """What is done once, when `start` itself is part of a loop."""
        return pr.ParserState("$begin", self._initial_values(span), pr.Goto(start, span), span)

    def _initial_values(self, span: Span) -> st.Body:
        """Metadata with initial values (section 2.2), unless a resubmitted or cloned packet brought its own."""
        body: list[st.Statement] = []
        for name, (place, value) in self.primitives.initial_values().items():
            assign = st.Assign(place, value, value.span)
            mark = f"{name}.$kept"
            if mark in self.builder.variables:
                kept = ex.Read(ex.VariableRef(mark, span), FLAG, span)
                fresh = ex.Binary(ex.BinaryOp.EQ, kept, number(0, FLAG, span), Bool(), span)
                body.append(st.If(fresh, (assign,), (), span))
            else:
                body.append(assign)
        return tuple(body)

    # --- states ------------------------------------------------------------------------------------------------------

    def _name(self, declaration: ast.ParserState) -> str:
        name = declaration.name.text
        if declaration.exception:
            return f"$exception.{name}"
        return f"${name}" if name in (pr.ACCEPT, pr.REJECT) else name

    def _state(self, declaration: ast.ParserState, latest: ast.Ref | None) -> pr.ParserState:
        state = _State(Env("parser", next_index=self._next_index))
        state.env = replace(state.env, lookahead=lambda o, w, s: self._lookahead(state, o, w, s))
        if latest is not None:
            self._set_latest(state, latest)
        for item in declaration.statements:
            try:
                if isinstance(item, ast.Extract):
                    self._extract(state, item)
                else:
                    self._set_metadata(state, item)
            except Invalid:
                continue
        transition = self._transition(state, declaration)
        return pr.ParserState(self._name(declaration), tuple(state.body), transition, declaration.name.span)

    def exception_body(self, declaration: ast.ParserState) -> st.Body:
        """What a handler does before it returns, for exceptions that come from the architecture."""
        state = _State(Env("control"))
        for item in declaration.statements:
            try:
                if isinstance(item, ast.SetMetadata):
                    self._set_metadata(state, item)
            except Invalid:
                continue
        return tuple(state.body)

    def _set_metadata(self, state: _State, item: ast.SetMetadata) -> None:
        """Section 4.4 asks for a metadata field; p4c and BMv2 let a parser set a header's too, and programs rely on it."""
        slot = self.values.slot(item.target, state.env, "a field")
        state.body += self.assigner.assign(slot, self.values.operand(item.value, state.env), item.span)

    def _lookahead(self, state: _State, offset: int, width: int, span: Span) -> ex.Expression:
        type_ = Bits(offset + width)
        target = self.builder.shared(f"$current.{offset}.{width}", type_, pr.Storage.LOCAL, span)
        state.body.append(st.Lookahead(target, type_, span))
        value = ex.Read(target, type_, span)
        return ex.Slice(value, width - 1, 0, span) if offset else value

    # --- extraction --------------------------------------------------------------------------------------------------

    def _next_index(self, instance: InstanceInfo, span: Span) -> ex.VariableRef:
        return self.builder.shared(f"{instance.name}.$next", INDEX, pr.Storage.LOCAL, span)

    def _set_latest(self, state: _State, ref: ast.Ref) -> None:
        instance = self.scope.headers.get(ref.name.text)
        if instance is None or (instance.size is None) != (ref.index is None):
            return
        if instance.size is None:
            place: ex.HeaderPlace = ex.HeaderRef(instance.name, ref.span)
        elif _is_next(ref):
            following = ex.Read(self._next_index(instance, ref.span), INDEX, ref.span)
            place = ex.ElementRef(instance.name, minus_one(following), ref.span)
        else:
            try:
                place, _ = self.values.header(ref, state.env)
            except Invalid:
                return
        state.env = replace(state.env, latest=(place, instance))

    def _extract(self, state: _State, item: ast.Extract) -> None:
        ref = item.header
        instance = self.scope.headers.get(ref.name.text)
        if instance is not None and instance.size is not None and _is_next(ref):
            following = self._next_index(instance, ref.span)
            value = ex.Read(following, INDEX, ref.span)
            error = ex.Const(ERRORS.members.index("StackOutOfBounds"), ERRORS, ref.span)
            inside = ex.Binary(ex.BinaryOp.LT, value, number(instance.size, INDEX, ref.span), Bool(), ref.span)
            state.body.append(st.Verify(inside, error, ref.span))
            place: ex.HeaderPlace = ex.ElementRef(instance.name, value, ref.span)
            self._set_latest(state, ref)
            self._take(state, place, instance.layout, item.span)
            one = ex.Binary(ex.BinaryOp.ADD, value, number(1, INDEX, ref.span), INDEX, ref.span)
            state.body.append(st.Assign(following, one, ref.span))
        else:
            place, instance = self.values.header(ref, state.env)
            self._set_latest(state, ref)
            self._take(state, place, instance.layout, item.span)

    def _take(self, state: _State, place: ex.HeaderPlace, layout: Layout, span: Span) -> None:
        bits: ex.Expression | None = None
        if layout.length is not None:
            bits = self._flexible_bits(state, layout, span)
        state.body.append(st.Extract(place, bits, span))

    def _flexible_bits(self, state: _State, layout: Layout, span: Span) -> ex.Expression:
        """The run-time width of the flexible field: the length expression in bytes, less the other fields.

        The fields that it is made of are read ahead of the extraction, so they must come before the flexible one.
        """
        assert layout.length is not None
        prefix: list[tuple[str, int]] = []
        for info in layout.fields.values():
            if not isinstance(info.type, Bits):
                break
            prefix.append((info.name, info.type.width))
        total = sum(width for _, width in prefix)
        names: dict[str, ex.Expression] = {}
        if total:
            type_ = Bits(total)
            ahead = self.builder.shared(f"$length.{layout.name}", type_, pr.Storage.LOCAL, span)
            state.body.append(st.Lookahead(ahead, type_, span))
            high = total - 1
            for name, width in prefix:
                value = ex.Slice(ex.Read(ahead, type_, span), high, high - width + 1, span)
                names[name] = ex.Cast(value, INDEX, span)
                high -= width
        self._check_length(layout.length, layout, set(names))
        length = self.values.number(layout.length, INDEX, Env("parser", names))
        eight, fixed = number(3, Bits(2), span), number(layout.fixed_bits, INDEX, span)
        in_bits = ex.Binary(ex.BinaryOp.SHL, length, eight, INDEX, span)
        return ex.Binary(ex.BinaryOp.SUB, in_bits, fixed, INDEX, span)

    def _check_length(self, expression: ast.Expression, layout: Layout, before: set[str]) -> None:
        match expression:
            case ast.Ref(name=name) if name.text in layout.fields and name.text not in before:
                raise self.values.fail(
                    name.span, "a length can only be made of fields before the one of variable width"
                )
            case ast.Unary(operand=operand):
                self._check_length(operand, layout, before)
            case ast.Binary(left=left, right=right):
                self._check_length(left, layout, before)
                self._check_length(right, layout, before)

    # --- ways out ----------------------------------------------------------------------------------------------------

    def _transition(self, state: _State, declaration: ast.ParserState) -> pr.Goto | pr.Select:
        span = declaration.name.span
        match declaration.exit:
            case None:
                kind = "parser exception" if declaration.exception else "parser state"
                self.scope.error(
                    span, f"{kind} '{declaration.name.text}' does not say where it leads: return is missing"
                )
                return pr.Goto(pr.ACCEPT, span)
            case ast.Go() as go:
                return pr.Goto(self._target(go), go.span)
            case ast.Select() as select:
                default = self._unhandled()
                try:
                    return self.selects.elaborate(select, state.env, self._target, default)
                except Invalid:
                    return pr.Goto(pr.ACCEPT, span)

    def _unhandled(self) -> str | None:
        """The state for values that no case has, when the program handles that exception."""
        for name in ("p4_pe_unhandled_select", DEFAULT_EXCEPTION):
            if name in self.scope.exceptions:
                return self._name(self.scope.exceptions[name])
        return None

    def _target(self, go: ast.Go) -> str:
        name = go.target.text
        if go.drop:
            return self._decision(_DROP_STATE, DROP, 1, go.span)
        if go.error:
            if name in self.scope.exceptions:
                return self._name(self.scope.exceptions[name])
            if not name.startswith("p4_pe_"):
                self.scope.error(go.target.span, f"parser exception '{name}' is not declared")
            return self._decision(_DROP_STATE, DROP, 1, go.span)  # an exception without handler drops: section 4.6
        if name in self.scope.states:
            return self._name(self.scope.states[name])
        if name in self.scope.controls:
            if len(self.entries) == 1:
                return pr.ACCEPT
            return self._decision(f"$enter.{name}", ENTRY, self.entries.index(name), go.span)
        self.scope.error(go.target.span, f"'{name}' is neither a parser state nor a control function")
        return pr.ACCEPT

    def _decision(self, state: str, variable: str, value: int, span: Span) -> str:
        """A state that leaves a number for ingress and ends parsing."""
        if state not in self._extra:
            type_ = FLAG if variable == DROP else Bits(16)
            place = self.builder.shared(variable, type_, pr.Storage.METADATA, span)
            body = (st.Assign(place, ex.Const(value, type_, span), span),)
            self._extra[state] = pr.ParserState(state, body, pr.Goto(pr.ACCEPT, span), span)
        return state


def _is_next(ref: ast.Ref) -> bool:
    return isinstance(ref.index, ast.Ref) and ref.index.index is None and ref.index.name.text == "next"
