"""Random parsers: states that extract, look ahead, verify, call sub-parsers, and select what comes next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from calls import constants, control_arguments
from context import Context, Control
from expressions import expression
from keysets import keyset
from layout import Block, Node, block
from scope import BOOL, Header, Scope, Stack, Type, bits
from statements import body
from world import ERRORS, World

HEAD = "parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {"


@dataclass
class Sets:
    """A parser's value sets: name and type."""

    known: list[tuple[str, Type]] = field(default_factory=list)


@dataclass
class State:
    """A state that is being made. `consumes`: a way back to it, or to one before, takes in something each time."""

    world: World
    scope: Scope
    context: Context
    waiting: list[str]  # headers that no state extracts yet
    sets: Sets
    instances: list[tuple[str, Control]]
    consumes: bool = False


def parser(world: World) -> Block:
    """The program's parser."""
    number = world.random.randint(1, 2 + world.size)
    waiting = [h.text for h in world.headers]
    world.random.shuffle(waiting)
    instances = [(world.fresh("sub"), p) for p in world.parsers for _ in range(world.random.choice((1, 1, 2)))]
    scope = world.scope()
    declared: list[Node] = [f"{p.name}({constants(scope, p)}) {name};" for name, p in instances]
    sets = Sets()
    if world.chance(0.25):
        name, type_ = world.fresh("set"), bits(world.random.choice((1, 4, 8, 8, 16, 33)))
        sets.known.append((name, type_))
        declared.append(f"value_set<{type_}>(4) {name};")
    states = []
    for i in range(number):
        inner = world.scope()
        inner.places += world.ingress[:2]
        state = State(world, inner, Context(world.names, parser=True), waiting, sets, instances)
        states.append(_state(state, i, number))
    return block(HEAD, [*declared, *states])


def sub_parser(world: World) -> Node:
    """A parser with parameters of its own, which another one calls."""
    scope, kind = world.bare(), world.random.choice([t for t in world.layouts if t not in world.variable])
    result = world.random.choice(world.places).type if world.places else scope.type()
    constant = (bits(8),) if world.chance(0.6) else ()
    scope.add_header(Header("h", kind))
    scope.add("r", result)
    if constant:
        scope.add("k", constant[0], writable=False)
    number = world.random.randint(1, 2)
    waiting = ["h"]
    states: list[Node] = []
    for i in range(number):
        state = State(world, scope.inner(), Context(world.names, parser=True), waiting, Sets(), [])
        first: list[Node] = [] if i else [f"r = {scope.literal(result)};"]
        states.append(_state(state, i, number, first))
    found = Control(world.fresh("Sub"), (("inout", kind), ("out", result)), constant)
    world.parsers.append(found)
    optional = "(bit<8> k)" if constant else ""
    return block(f"parser {found.name}(packet_in packet, inout {kind} h, out {result} r){optional} {{", states)


# --- states ----------------------------------------------------------------------------------------------------------


def _state(state: State, number: int, states: int, first: list[Node] | None = None) -> Node:
    made: list[Node] = list(first or [])
    for _ in range(state.world.random.randint(1, 3)):
        made += state.world.random.choice(_STEPS)(state)
    onward = [f"s{i}" for i in range(number + 1, states)] + ["accept", "accept"]
    back = [f"s{i}" for i in range(1, number + 1)] if state.consumes else []
    if state.world.chance(0.2):
        onward.append("reject")
    name = f"s{number}" if number else "start"
    return block(f"state {name} {{", [*made, *_transition(state, onward, back)])


def _extract(state: State) -> list[Node]:
    """A header that nothing extracts yet, maybe with a part of variable length."""
    if not state.waiting:
        return []
    header = state.waiting.pop()
    state.consumes = True
    known = {h.text: h.type for h in state.world.headers}
    if known.get(header) not in state.world.variable:
        return [f"packet.extract({header});"]
    width = bits(state.world.random.choice((1, 2, 3)))
    return [f"packet.extract({header}, (bit<32>)({expression(state.scope, width, 1)} ++ 3w0));"]


def _next(state: State) -> list[Node]:
    """The next element of a stack; of a stack of unions one of its members."""
    if not state.scope.stacks:
        return []
    stack: Stack = state.world.random.choice(state.scope.stacks)
    state.consumes = True
    if stack.members:
        name, _ = state.world.random.choice(stack.members)
        return [f"packet.extract({stack.text}.next.{name});"]
    made: list[Node] = [f"packet.extract({stack.text}.next);"]
    for name, type_ in state.scope.layouts[stack.type]:
        state.scope.add(f"{stack.text}.last.{name}", type_, writable=False)
    if state.world.chance(0.3):
        state.scope.add(f"{stack.text}.lastIndex", bits(32), writable=False)
    return made


def _member(state: State) -> list[Node]:
    """A member of a union."""
    if not state.scope.unions:
        return []
    union = state.world.random.choice(state.scope.unions)
    name, _ = state.world.random.choice(union.members)
    state.consumes = True
    return [f"packet.extract({union.text}.{name});"]


def _skip(state: State) -> list[Node]:
    """Extraction into nothing."""
    kind = state.world.random.choice([t for t in state.world.layouts if t not in state.world.variable])
    state.consumes = True
    return [f"packet.extract<{kind}>(_);"]


def _advance(state: State) -> list[Node]:
    amount = state.world.random.choice(("8", "16", f"(bit<32>)({expression(state.scope, bits(4), 1)} ++ 3w0)"))
    state.consumes = state.consumes or amount.isdigit()
    return [f"packet.advance({amount});"]


def _lookahead(state: State) -> list[Node]:
    name = state.context.fresh("v")
    if state.world.chance(0.25):
        kind = state.world.random.choice([t for t in state.world.layouts if t not in state.world.variable])
        for field_name, type_ in state.world.layouts[kind]:
            state.scope.add(f"{name}.{field_name}", type_)
        return [f"{kind} {name} = packet.lookahead<{kind}>();"]
    type_ = bits(state.scope.width())
    state.scope.add(name, type_)
    return [f"{type_} {name} = packet.lookahead<{type_}>();"]


def _verify(state: State) -> list[Node]:
    error = state.world.random.choice(ERRORS[1:])
    return [f"verify({expression(state.scope, BOOL)}, error.{error});"]


def _assign(state: State) -> list[Node]:
    state.scope.writable_headers = False
    return body(state.scope, state.context, 1, 1)


def _call(state: State) -> list[Node]:
    if not state.instances:
        return []
    name, called = state.world.random.choice(state.instances)
    given = control_arguments(state.scope, called)
    return [f"{name}.apply({', '.join(['packet', *given])});"] if given is not None else []


_STEPS: tuple[Callable[[State], list[Node]], ...] = (
    *(_extract,) * 6,
    *(_next,) * 3,
    *(_member, _member, _call, _call),
    *(_advance, _lookahead, _verify, _assign, _skip),
)


# --- transitions -----------------------------------------------------------------------------------------------------


def _transition(state: State, onward: list[str], back: list[str]) -> list[Node]:
    """Somewhere, by a select mostly; its first case leads onward, so that a parser has an end."""
    random, scope = state.world.random, state.scope.inner(pure=True)
    if state.world.chance(0.2):
        return [f"transition {random.choice(onward)};"]
    subjects = [_subject(state, scope) for _ in range(random.choice((1, 1, 1, 2)))]
    cases: list[Node] = []
    for _ in range(random.randint(1, 4)):
        keys = [keyset(scope, t, random.choice(("exact", "exact", "ternary", "range", "any"))) for _, t in subjects]
        joined = keys[0] if len(keys) == 1 else f"({', '.join(keys)})"
        cases.append(f"{joined} : {random.choice(onward + back if cases else onward)};")
    sets = [name for name, type_ in state.sets.known if [type_] == [t for _, t in subjects]]
    if sets:
        cases.insert(state.world.upto(len(cases)), f"{sets[0]} : {random.choice(onward)};")
    if state.world.chance(0.7):
        cases.append(f"default : {random.choice(onward + back)};")
    return [block(f"transition select({', '.join(text for text, _ in subjects)}) {{", cases)]


def _subject(state: State, scope: Scope) -> tuple[str, Type]:
    random = state.world.random
    if state.sets.known and state.world.chance(0.5):
        _, type_ = state.sets.known[0]
        return expression(scope, type_, 1), type_
    known = [p for p in scope.places if (p.type.numeric or p.type.members) and not p.text.startswith("meta")]
    if known and state.world.chance(0.8):
        place = random.choice(known[-12:])
        return place.text, place.type
    if state.world.chance(0.4):
        width = random.choice((1, 4, 8, 16))
        return f"packet.lookahead<bit<{width}>>()", bits(width)
    type_ = random.choice((bits(scope.width()), BOOL))
    return expression(scope, type_, 1), type_
