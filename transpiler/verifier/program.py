"""Says whether an HLIR program is well-formed; run after a frontend and, in tests, after every pass.

Checked here: declarations (`Declarations`), and through `bodies.BodyVerifier` every statement and expression.
A violation is a fault of the compiler, never of the user's program, so it raises instead of reporting a diagnostic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from transpiler.diagnostics import Span
from transpiler.externs.table import KINDS
from transpiler.hlir import expressions as ex, program as pr
from transpiler.hlir.types import Bits, Bool, Enum, HeaderType, Varbit
from transpiler.verifier.bodies import BodyVerifier, Problem

MAX_WIDTH = 1 << 16  # bits of one value; beyond it something upstream lost count


class Malformed(Exception):
    """The program breaks rules of HLIR; `violations` lists them all, each with its place in the source."""

    def __init__(self, violations: tuple[str, ...]) -> None:
        super().__init__("malformed HLIR:\n" + "\n".join(violations))
        self.violations = violations


def verify(program: pr.Program) -> None:
    """Check everything. Raises: Malformed with every violation found."""
    violations: list[str] = []

    def problem(span: Span, text: str) -> None:
        violations.append(f"{span}: {text}")

    _verify_declarations(program, problem)
    if not violations:  # bodies are looked at only when names can be trusted
        _verify_pipes(program, problem)
    if violations:
        raise Malformed(tuple(violations))


# --- declarations ----------------------------------------------------------------------------------------------------


class _Named(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def span(self) -> Span: ...


def _verify_declarations(program: pr.Program, problem: Problem) -> None:
    groups: tuple[tuple[str, tuple[_Named, ...]], ...] = (
        ("header type", program.header_types),
        ("header", (*program.headers, *program.stacks)),
        ("variable", program.variables),
        ("extern", program.externs),
        ("value set", program.value_sets),
        ("action", program.actions),
        ("table", program.tables),
        ("pipe", program.pipes),
    )
    for kind, named in groups:
        _unique(kind, ((item.name, item.span) for item in named), problem)
    _unique("role", ((p.role.value, p.span) for p in program.pipes), problem)
    for header_type in program.header_types:
        _verify_header_type(header_type, problem)
    _verify_headers(program, problem)
    for variable in program.variables:
        if isinstance(variable.type, Bits) and not 0 <= variable.type.width <= MAX_WIDTH:
            problem(variable.span, f"variable {variable.name} has {variable.type}")
        if not isinstance(variable.type, Bits | Bool | Enum | Varbit):
            problem(variable.span, f"variable {variable.name} cannot hold {variable.type}")
    for instance in program.externs:
        _verify_extern(instance, problem)
    variables = {v.name for v in program.variables if v.storage is pr.Storage.INTRINSIC}
    for name, variable_name in program.intrinsics:
        if variable_name not in variables:
            problem(program.span, f"intrinsic {name}: {variable_name} is not an intrinsic variable")
    _unique("intrinsic", ((name, program.span) for name, _ in program.intrinsics), problem)
    _verify_bridges(program, problem)
    if program.errors.name != "error" or program.errors.members[: len(pr.CORE_ERRORS)] != pr.CORE_ERRORS:
        problem(program.span, "errors do not begin with those of core.p4")


def _verify_bridges(program: pr.Program, problem: Problem) -> None:
    _unique("bridge", ((bridge.path, bridge.span) for bridge in program.bridges), problem)
    for bridge in program.bridges:
        for name in bridge.variables:
            variable = program.variable.get(name)
            if variable is None or variable.storage is not pr.Storage.INTRINSIC:
                problem(bridge.span, f"bridge {bridge.path}: {name} is not an intrinsic variable")
        for name in bridge.headers:
            header = program.header.get(name)
            if header is None or header.local:
                problem(bridge.span, f"bridge {bridge.path}: {name} is not a header of the packet")


def _unique(kind: str, names: Iterable[tuple[str, Span]], problem: Problem) -> None:
    seen: set[str] = set()
    for name, span in names:
        if not name or name in seen:
            problem(span, f"{kind} name {name!r} is empty or used twice")
        seen.add(name)


def _verify_header_type(header: HeaderType, problem: Problem) -> None:
    _unique(f"field of {header.name}", ((f.name, f.span) for f in header.fields), problem)
    varbits = 0
    for field in header.fields:
        match field.type:
            case Bits(width=width) if 0 < width <= MAX_WIDTH:
                pass
            case Varbit(max_width=width) if 0 < width <= MAX_WIDTH:
                varbits += 1
            case _:
                problem(field.span, f"field {header.name}.{field.name} cannot be {field.type}")
    if varbits > 1:
        problem(header.span, f"header type {header.name} has {varbits} varbit fields")


def _verify_headers(program: pr.Program, problem: Problem) -> None:
    types = {t.name for t in program.header_types}
    headers = {h.name: h for h in program.headers}
    instances: tuple[pr.Header | pr.HeaderStack, ...] = (*program.headers, *program.stacks)
    for declared in instances:
        if declared.type not in types:
            problem(declared.span, f"{declared.name} has the unknown header type {declared.type}")
    for stack in program.stacks:
        if stack.size <= 0:
            problem(stack.span, f"stack {stack.name} has {stack.size} elements")
        for index in range(stack.size):
            element = headers.get(stack.element(index))
            if element is None or element.type != stack.type:
                problem(stack.span, f"{stack.element(index)} is not a header of type {stack.type}")


def _verify_extern(instance: pr.ExternInstance, problem: Problem) -> None:
    if instance.kind not in KINDS:
        problem(instance.span, f"{instance.name} is of the unknown extern kind {instance.kind}")
        return
    missing = set(KINDS[instance.kind].attributes) - {name for name, _ in instance.attributes}
    for name in sorted(missing):
        problem(instance.span, f"{instance.kind} {instance.name} lacks the attribute {name}")
    if not 0 <= (size := int(dict(instance.attributes).get("size", 0))) <= pr.MAX_SIZE:
        problem(instance.span, f"{instance.name} has size {size}")


# --- what runs -------------------------------------------------------------------------------------------------------

DEPARSERS = (pr.Role.DEPARSER, pr.Role.INGRESS_DEPARSER)


def _verify_pipes(program: pr.Program, problem: Problem) -> None:
    for action in program.actions:
        _verify_action(program, action, problem)
    for table in program.tables:
        _verify_table(program, table, problem)
    for pipe in program.pipes:
        bodies = BodyVerifier(program, problem)
        match pipe:
            case pr.Control(body=body):
                place = "deparser" if pipe.role in DEPARSERS else "control"
                bodies.check(body, place)
            case pr.Parser():
                _verify_parser(pipe, bodies, problem)


def _verify_parser(parser: pr.Parser, bodies: BodyVerifier, problem: Problem) -> None:
    _unique(f"state of {parser.name}", ((s.name, s.span) for s in parser.states), problem)
    states = {s.name for s in parser.states}
    reserved = states & {pr.ACCEPT, pr.REJECT}
    if not states or reserved:
        problem(parser.span, f"parser {parser.name} has no state, or one named like a final state")
    states |= {pr.ACCEPT, pr.REJECT}
    for state in parser.states:
        bodies.check(state.body, "parser")
        match state.transition:
            case pr.Goto(state=target, span=span):
                if target not in states:
                    problem(span, f"transition to the unknown state {target}")
            case pr.Select(subjects=subjects, cases=cases):
                for subject in subjects:
                    bodies.expression(subject)
                for case in cases:
                    if case.state not in states:
                        problem(case.span, f"transition to the unknown state {case.state}")
                    bodies.key_sets(case.keys, subjects, case.span)


def _verify_action(program: pr.Program, action: pr.Action, problem: Problem) -> None:
    for name in action.parameters:
        variable = program.variable.get(name)
        if variable is None or variable.storage is not pr.Storage.ACTION_DATA:
            problem(action.span, f"parameter {name} of {action.name} is not an action data variable")
    BodyVerifier(program, problem).check(action.body, "action")


def _verify_table(program: pr.Program, table: pr.Table, problem: Problem) -> None:
    bodies = BodyVerifier(program, problem)
    for key in table.keys:
        bodies.expression(key.expression)
    _unique(f"action of {table.name}", ((use.action, use.span) for use in table.actions), problem)
    uses = {use.action: use for use in table.actions}
    for use in table.actions:
        if use.action not in program.action:
            problem(use.span, f"table {table.name} uses the unknown action {use.action}")
    _verify_call(program, table, table.default_action, uses, problem)
    if not 0 <= table.size <= pr.MAX_SIZE:
        problem(table.span, f"table {table.name} has size {table.size}")
    _verify_table_externs(program, table, problem)
    matched = [key for key in table.keys if key.match_kind is not pr.MatchKind.SELECTOR]
    for entry in table.entries:
        _verify_call(program, table, entry.call, uses, problem)
        bodies.key_sets(entry.keys, tuple(key.expression for key in matched), entry.span)
        for keys in entry.keys:
            if not all(isinstance(part, ex.Const) for part in _parts(keys)):
                problem(entry.span, f"an entry of {table.name} has a key that is not constant")


def _parts(keys: ex.KeySet) -> tuple[ex.Expression, ...]:
    match keys:
        case ex.ExactSet(value=value):
            return (value,)
        case ex.MaskSet(value=value, mask=mask):
            return (value, mask)
        case ex.RangeSet(low=low, high=high):
            return (low, high)
    return ()


def _verify_call(
    program: pr.Program, table: pr.Table, call: pr.ActionCall, uses: dict[str, pr.ActionUse], problem: Problem
) -> None:
    action = program.action.get(call.action)
    if action is None or call.action not in uses:
        problem(call.span, f"{call.action} is not an action of table {table.name}")
        return
    types = tuple(program.variable[p].type for p in action.parameters if p in program.variable)
    if tuple(argument.type for argument in call.arguments) != types:
        problem(call.span, f"arguments of {call.action} do not fit its parameters")


def _verify_table_externs(program: pr.Program, table: pr.Table, problem: Problem) -> None:
    def expect(name: str, fits: Callable[[str], bool]) -> None:
        instance = program.extern.get(name)
        if instance is None or not fits(instance.kind):
            problem(table.span, f"table {table.name} cannot use {name}")

    for name in table.direct:
        expect(name, lambda kind: kind.startswith("direct_"))
    if table.implementation is not None:
        expect(table.implementation, lambda kind: kind in ("action_profile", "action_selector"))
