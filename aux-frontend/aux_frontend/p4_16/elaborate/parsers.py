"""Parsers to one state graph. P4-16 spec 1.2.5 section 13.

A sub-parser is inlined where it is applied: the state is cut there, the sub-parser's states go in between under names
of their own, its `accept` goes to the rest of the state and its `reject` rejects the packet.
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.elaborate import (
    bind,
    expressions,
    fold,
    instances,
    interface,
    layout,
    names,
    places,
    sets,
    variables,
    walk,
)
from aux_frontend.p4_16.elaborate.frames import Frame
from aux_frontend.p4_16.elaborate.scope import ParserObject, Scope, ValueSetObject
from aux_frontend.p4_16.elaborate.unit import MAX_CALL_DEPTH, Failure, Unit
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr

START = "start"


class ParserBuilder:
    """The states of one top-level parser. The body of the current state is `unit.out`."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.states: list[pr.ParserState] = []
        self._taken: set[str] = {pr.ACCEPT, pr.REJECT}
        self._current: tuple[str, Span] | None = None

    # --- states ------------------------------------------------------------------------------------------------------

    def reserve(self, name: str) -> str:
        """A state name that is not used yet."""
        name = self.unit.unique(name, self._taken)
        self._taken.add(name)
        return name

    def begin(self, name: str, span: Span) -> None:
        """Statements go to this state from now on."""
        self._current = name, span
        self.unit.out = []

    def end(self, transition: pr.Goto | pr.Select) -> None:
        """The current state is complete."""
        assert self._current is not None
        name, span = self._current
        self.states.append(pr.ParserState(name, tuple(self.unit.out), transition, span))
        self._current = None
        self.unit.out = []

    def go(self, state: str, span: Span) -> None:
        """The current state is complete, another follows."""
        self.end(pr.Goto(state, span))

    def fork(self, condition: ex.Expression, then: str, otherwise: str, span: Span) -> None:
        """The current state is complete, one of two follows."""
        truth = fold.boolean(True, span)
        cases = (
            pr.SelectCase((ex.ExactSet(truth, span),), then, span),
            pr.SelectCase((ex.AnySet(span),), otherwise, span),
        )
        self.end(pr.Select((condition,), cases, span))

    def rename(self, name: str) -> None:
        """Give the current state another name."""
        assert self._current is not None
        self._current = name, self._current[1]

    @property
    def current(self) -> str:
        assert self._current is not None
        return self._current[0]

    # --- parsers -----------------------------------------------------------------------------------------------------

    def names_of(self, parser: ParserObject, prefix: str) -> dict[ast.ParserState, str]:
        """Names for all states of a parser, `start` first."""
        states = sorted(parser.declaration.states, key=lambda s: s.name != START)
        if not states or states[0].name != START:
            span = parser.declaration.span
            raise self.unit.failure(span, f"parser '{parser.declaration.name}' has no state 'start'")
        return {state: self.reserve(f"{prefix}{state.name}") for state in states}

    def elaborate(self, scope: Scope, own: dict[ast.ParserState, str], accept: str) -> None:
        """All states of a parser but the beginning of the current one, which must be the first."""
        targets = {pr.ACCEPT: accept, pr.REJECT: pr.REJECT} | {s.name: name for s, name in own.items()}
        for position, (state, name) in enumerate(own.items()):
            if position:
                self.begin(name, state.span)
            walk.block(scope, state.body)
            self._transition(scope, state, targets)

    def initialise(self, scope: Scope, parser: ParserObject, fresh: bool) -> None:
        """What the declarations of variables do, in the current state."""
        for local in parser.declaration.locals:
            if isinstance(local, ast.VariableDeclaration):
                variables.initialise(scope, local, fresh)

    def _transition(self, scope: Scope, state: ast.ParserState, targets: dict[str, str]) -> None:
        match state.transition:
            case None:
                self.end(pr.Goto(pr.REJECT, state.span))
            case ast.Name(text=text, span=span):
                self.end(pr.Goto(targets[text], span))
            case ast.SelectExpression() as select:
                try:
                    transition: pr.Goto | pr.Select = self._select(scope, select, targets)
                except Failure:
                    if self.unit.exhausted:
                        raise
                    transition = pr.Goto(pr.REJECT, select.span)
                self.end(transition)

    def _select(self, scope: Scope, select: ast.SelectExpression, targets: dict[str, str]) -> pr.Goto | pr.Select:
        values = expressions.evaluate_all(scope, select.subjects)
        subjects = [leaf for value in values for leaf in places.scalar_leaves(value)]
        cases = tuple(
            pr.SelectCase(sets.key_sets(scope, case.keyset, values), targets[case.state.text], case.span)
            for case in select.cases
        )
        if cases and all(isinstance(keys, ex.AnySet) for keys in cases[0].keys):
            return pr.Goto(cases[0].state, cases[0].span)
        return pr.Select(tuple(subjects), cases, select.span)

    # --- sub-parsers -------------------------------------------------------------------------------------------------

    def apply(self, scope: Scope, node: ast.Call, resolved: ResolvedCall) -> None:
        """p.apply(…) in a state."""
        unit, span = self.unit, node.span
        parser = self._applied(scope, node, resolved)
        if len(unit.frames) >= MAX_CALL_DEPTH:
            raise unit.failure(span, f"parsers are nested deeper than {MAX_CALL_DEPTH}")
        callee = parser.constructor_scope.child()
        copies = bind.bind(scope, callee, resolved.passed(parser.declaration.parameters), parser.name, span)
        rest = self.reserve(f"{self.current}_after_{parser.declaration.name}")
        own = self.names_of(parser, f"{self._local_name(parser.name)}.")
        start = next(iter(own.values()))
        unit.frames.append(Frame(parser.name, "end"))
        try:
            prepare(unit, parser, callee)
            self.initialise(callee, parser, fresh=False)
            self.end(pr.Goto(start, span))
            self.begin(start, next(iter(own)).span)
            self.elaborate(callee, own, rest)
        finally:
            unit.frames.pop()
        self.begin(rest, span)
        bind.copy_out(callee, copies, span)

    def _local_name(self, name: str) -> str:
        return name.removeprefix(f"{self.unit.pipe}.")

    def _applied(self, scope: Scope, node: ast.Call, resolved: ResolvedCall) -> ParserObject:
        if resolved.receiver is not None:
            found = instances.object_of(scope, resolved.receiver)
            if isinstance(found, ParserObject):
                return found
            raise self.unit.failure(node.span, "only parsers can be applied here")
        assert isinstance(node.callee, ast.Member)
        type_ = scope.type_of(node.callee.base)
        if not isinstance(type_, ty.ParserType) or not isinstance(type_.declaration, ast.ParserDeclaration):
            raise self.unit.failure(node.span, "only parsers can be applied here")
        substitution = {parameter: scope.resolve(t) for parameter, t in resolved.substitution.items()}
        name = f"{self.unit.frames[-1].prefix}.{type_.declaration.name}"
        inner = instances.root(scope).child(substitution)
        return ParserObject(type_.declaration, substitution, name, inner)

    def branch(self, scope: Scope, condition: ex.Expression, node: ast.IfStatement) -> None:
        """An if with branches that apply parsers, or leave a loop of states: the branches become states."""
        name, span = self.current, node.span
        then, otherwise, rest = (self.reserve(f"{name}_{part}") for part in ("then", "else", "after_if"))
        self.fork(condition, then, otherwise, span)
        for state, body in ((then, node.then), (otherwise, node.otherwise)):
            self.begin(state, span)
            if body is not None:
                walk.block(scope, (body,))
            self.end(pr.Goto(rest, span))
        self.begin(rest, span)


def _returns_to_start(declaration: ast.ParserDeclaration) -> bool:
    for state in declaration.states:
        match state.transition:
            case ast.Name(text="start"):
                return True
            case ast.SelectExpression(cases=cases):
                if any(case.state.text == START for case in cases):
                    return True
    return False


def prepare(unit: Unit, parser: ParserObject, scope: Scope) -> None:
    """Storage, instances and value sets of a parser. One that is applied again gets variables of its own again."""
    made = parser.scope
    for local in parser.declaration.locals:
        match local:
            case ast.VariableDeclaration(name=name, type=type_, span=span):
                scope.bindings[local] = layout.allocate(
                    unit, f"{parser.name}.{name}", scope.type_ref(type_), pr.Storage.LOCAL, span
                )
            case ast.Instantiation() | ast.ValueSetDeclaration() if made is not None:
                scope.bindings[local] = made.bindings[local]
            case ast.Instantiation():
                instances.instantiate(scope, local, parser.name)
            case ast.ValueSetDeclaration():
                scope.bindings[local] = _value_set(unit, scope, local, parser.name)
    parser.scope = scope


_MATCH_KINDS = {kind.value: kind for kind in pr.MatchKind}


def _value_set(unit: Unit, scope: Scope, declaration: ast.ValueSetDeclaration, prefix: str) -> ValueSetObject:
    """A value set; of a struct or header it has one member a field, matched as the field's @match says."""
    name = unit.unique(names.full(prefix, declaration.name, declaration.annotations), unit.value_sets)
    element = layout.stripped(scope.type_ref(declaration.type))
    kinds: dict[str, pr.MatchKind] = {}
    if isinstance(element, ty.Struct | ty.Header) and element.declaration is not None:
        for field in element.declaration.fields:
            match_ = names.find(field.annotations, "match")
            if match_ is not None:
                kinds[field.name] = _MATCH_KINDS.get(match_.body.strip(), pr.MatchKind.EXACT)
    leaves = list(layout.leaves(element))
    types = []
    for _, leaf in leaves:
        scalar = layout.scalar_type(unit, leaf)
        if scalar is None:
            raise unit.failure(declaration.span, "a value set is of numbers, or of a struct of numbers")
        types.append(scalar)
    match_kinds = tuple(kinds.get(leaf, pr.MatchKind.EXACT) for leaf, _ in leaves)
    size = expressions.integer(scope, declaration.size)
    fields = interface.fields_of(unit, element, declaration.span) if isinstance(element, ty.Struct | ty.Header) else ()
    annotations = names.kept(unit, declaration.annotations)
    unit.value_sets[name] = pr.ValueSet(name, tuple(types), match_kinds, size, declaration.span, fields, annotations)
    return ValueSetObject(name, tuple(leaf for _, leaf in leaves))


def top_level(unit: Unit, parser: ParserObject, scope: Scope, role: pr.Role) -> pr.Parser:
    """A parser of the architecture's, whose parameters are bound in `scope`."""
    declaration = parser.declaration
    builder = ParserBuilder(unit)
    unit.pipe, unit.parser, unit.labels = parser.name, builder, {}
    unit.frames = [Frame(parser.name, "end", exit_scope=parser.name)]
    try:
        prepare(unit, parser, scope)
        own = builder.names_of(parser, "")
        start, span = next(iter(own.values())), next(iter(own)).span
        builder.begin(start, span)
        builder.initialise(scope, parser, fresh=True)
        if unit.out and _returns_to_start(declaration):  # initialised once, however often `start` is visited
            builder.rename(builder.reserve("begin"))
            builder.end(pr.Goto(start, span))
            builder.begin(start, span)
        builder.elaborate(scope, own, pr.ACCEPT)
    finally:
        unit.parser, unit.frames, unit.out = None, [], []
    return pr.Parser(parser.name, role, tuple(builder.states), declaration.span)
