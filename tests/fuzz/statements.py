"""Random statements of controls, actions, functions and parser states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from layout import Block, Node, block
from scope import BOOL, Header, Place, Scope, Type, bits, convert


@dataclass(frozen=True, slots=True)
class Action:
    """An action; what has a direction is given where it is called, the rest by the control plane too."""

    name: str
    parameters: tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True)
class Register:
    name: str
    type: Type
    size: int


@dataclass(frozen=True, slots=True)
class Control:
    """A control that others instantiate: each parameter is (direction, type), a header's type by name."""

    name: str
    parameters: tuple[tuple[str, Type | str], ...]


@dataclass
class Context:
    """Where statements stand: what else than values can be named, and what is allowed."""

    names: count[int]
    actions: list[Action] = field(default_factory=list)
    tables: list[tuple[str, list[str]]] = field(default_factory=list)  # each is applied once
    registers: list[Register] = field(default_factory=list)
    counters: list[tuple[str, int]] = field(default_factory=list)
    controls: list[tuple[str, Control]] = field(default_factory=list)
    externs: bool = False  # hash, truncate, exit
    result: Type | None = None  # of the function that this is the body of
    leaves: str = ""  # "return" and "exit", where they may stand
    loop: bool = False
    metadata: str = ""  # "ingress" or "egress": standard metadata may be written
    parser: bool = False
    lives: bool = False  # clones, resubmitted and recirculated packets

    def fresh(self, prefix: str) -> str:
        return f"{prefix}{next(self.names)}"


def body(scope: Scope, context: Context, size: int, depth: int = 2) -> list[Node]:
    """Up to `size` statements."""
    made: list[Node] = []
    for _ in range(size):
        made += _statement(scope, context, depth)
    return made


_COMMON = ("assign",) * 8 + (
    "local",
    "local",
    "compound",
    "slice",
    "validity",
    "copy",
    "push",
    "list",
    "call",
    "procedure",
)
_BLOCKS = ("if", "if", "if", "switch", "for", "block")
_CONTROL = ("apply",) * 5 + (
    "hit",
    "hit",
    "action_run",
    "action_run",
    "register",
    "register",
    "count",
    "nested",
    "nested",
)


def _statement(scope: Scope, context: Context, depth: int) -> list[Node]:
    kinds = list(_COMMON) + (list(_BLOCKS) if depth > 0 else [])
    if context.tables or context.registers or context.controls:
        kinds += _CONTROL
    if context.externs:
        kinds += ["hash", "truncate", "hash"]
    if context.lives:
        kinds += ["life", "life"]
    if context.leaves or context.loop or context.metadata:
        kinds += ["leave", "metadata", "metadata"]
    for _ in range(8):
        maker: Callable[[Scope, Context, int], list[Node]] = _MAKERS[scope.random.choice(kinds)]
        if made := maker(scope, context, depth):
            return made
    return []


def writable(scope: Scope) -> Place | None:
    known = [p for p in scope.places if p.writable]
    return scope.random.choice(known) if known else None


def _assign(scope: Scope, context: Context, depth: int) -> list[Node]:
    if scope.stacks and scope.writable_headers and scope.chance(0.15):
        stack = scope.random.choice(scope.stacks)
        name, type_ = scope.random.choice(scope.layouts[stack.type])
        return [f"{stack.text}[{scope._index(stack)}].{name} = {scope.expression(type_)};"]
    place = writable(scope)
    return [f"{place.text} = {scope.expression(place.type, scope.random.choice((1, 2, 2, 3)))};"] if place else []


def _compound(scope: Scope, context: Context, depth: int) -> list[Node]:
    place = writable(scope)
    if place is None or place.type == BOOL:
        return []
    operator = scope.random.choice(("+=", "-=", "*=", "&=", "|=", "^=", "|+|=", "|-|="))
    if scope.chance(0.2):
        return [f"{place.text} {scope.random.choice(('<<=', '>>='))} {scope.expression(bits(4), 1)};"]
    return [f"{place.text} {operator} {scope.expression(place.type, 1)};"]


def _local(scope: Scope, context: Context, depth: int) -> list[Node]:
    type_, name = scope.type(), context.fresh("v")
    line = f"{type_} {name} = {scope.expression(type_)};"
    scope.places.append(Place(name, type_))
    return [line]


def _slice(scope: Scope, context: Context, depth: int) -> list[Node]:
    place = writable(scope)
    if place is None or place.type == BOOL or place.type.width < 2:
        return []
    low = scope.random.randrange(place.type.width)
    high = scope.random.randint(low, place.type.width - 1)
    return [f"{place.text}[{high}:{low}] = {scope.expression(bits(high - low + 1), 1)};"]


def _validity(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not scope.headers or not scope.writable_headers:
        return []
    target = scope.random.choice(scope.headers).text
    if scope.stacks and scope.chance(0.3):
        stack = scope.random.choice(scope.stacks)
        target = f"{stack.text}[{scope._index(stack)}]"
    return [f"{target}.{scope.random.choice(('setValid', 'setInvalid'))}();"]


def _copy(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not scope.headers or not scope.writable_headers:
        return []
    one = scope.random.choice(scope.headers)
    other = scope.random.choice([h for h in scope.headers if h.type == one.type])
    stacks = [s for s in scope.stacks if s.type == one.type]
    if stacks and scope.chance(0.5):
        stack = scope.random.choice(stacks)
        pair = [f"{stack.text}[{scope._index(stack)}]", one.text]
        scope.random.shuffle(pair)
        return [f"{pair[0]} = {pair[1]};"]
    return [f"{one.text} = {other.text};"] if one != other else []


def _list(scope: Scope, context: Context, depth: int) -> list[Node]:
    known = [h for h in scope.headers if h.type not in scope.variable]
    if not known or not scope.writable_headers:
        return []
    header = scope.random.choice(known)
    fields = scope.layouts[header.type]
    if scope.chance(0.5):
        return [f"{header.text} = {{ {', '.join(scope.expression(t, 1) for _, t in fields)} }};"]
    return [f"{header.text} = {{ {', '.join(f'{n} = {scope.expression(t, 1)}' for n, t in fields)} }};"]


def _push(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not scope.stacks or not scope.writable_headers:
        return []
    stack = scope.random.choice(scope.stacks)
    if scope.chance(0.2):
        others = [s for s in scope.stacks if (s.type, s.size) == (stack.type, stack.size) and s != stack]
        return [f"{stack.text} = {scope.random.choice(others).text};"] if others else []
    return [f"{stack.text}.{scope.random.choice(('push_front', 'pop_front'))}({scope.random.randint(1, stack.size)});"]


def _arguments(scope: Scope, parameters: tuple[tuple[str, Type], ...]) -> list[str] | None:
    """Arguments for parameters; what is written gets names that differ."""
    made, taken = [], set()
    for direction, type_ in parameters:
        if direction in ("in", ""):
            made.append(scope.expression(type_, 1))
            continue
        known = [p.text for p in scope.places if p.writable and p.type == type_ and p.text not in taken]
        if not known:
            return None
        made.append(scope.random.choice(known))
        taken.add(made[-1])
    return made


def _call(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not context.actions:
        return []
    action = scope.random.choice(context.actions)
    arguments = _arguments(scope, action.parameters)
    return [f"{action.name}({', '.join(arguments)});"] if arguments is not None else []


def _procedure(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not scope.functions or scope.pure:
        return []
    function = scope.random.choice(scope.functions)
    arguments = _arguments(scope, function.parameters)
    if arguments is None:
        return []
    call = f"{function.name}({', '.join(arguments)})"
    place = writable(scope)
    if function.result is None or place is None or scope.chance(0.2):
        return [f"{call};"]
    if place.type.kind == function.result.kind == "bit" and scope.chance(0.3):
        call = f"({scope.expression(function.result, 1)} + {call})"
    return [f"{place.text} = {convert(call, function.result, place.type)};"]


def _if(scope: Scope, context: Context, depth: int) -> list[Node]:
    made: list[Node] = [block(f"if ({scope.expression(BOOL)}) {{", _inner(scope, context, depth))]
    if scope.chance(0.2):
        made[-1] = Block(made[-1].head, made[-1].body, f"}} else if ({scope.expression(BOOL)}) {{")  # type: ignore[union-attr]
        return [_with_tail(made[-1], body(scope.inner(), context, 2, depth - 1))]
    if scope.chance(0.4):
        return [_with_tail(Block(made[-1].head, made[-1].body, "} else {"), _inner(scope, context, depth))]  # type: ignore[union-attr]
    return made


def _with_tail(first: Node, more: list[Node]) -> Block:
    """`if (…) { … } else { … }` as one block, its second half a block among the lines of the first."""
    assert isinstance(first, Block)
    return Block(first.head, (*first.body, Block(first.tail, tuple(more), "")), "}")


def _inner(scope: Scope, context: Context, depth: int) -> list[Node]:
    return body(scope.inner(), context, scope.random.randint(1, 3), depth - 1)


def _block(scope: Scope, context: Context, depth: int) -> list[Node]:
    return [block("{", _inner(scope, context, depth))]


def _switch(scope: Scope, context: Context, depth: int) -> list[Node]:
    known = [p for p in scope.places if p.type.kind == "bit"]
    if not known or context.parser:
        return []
    place = scope.random.choice(known)
    labels = sorted({scope.value(place.type.width) for _ in range(scope.random.randint(1, 4))})
    cases: list[Node] = []
    for label in labels:
        if scope.chance(0.2) and label != labels[-1]:
            cases.append(f"{label} :")
        else:
            cases.append(block(f"{label} : {{", _inner(scope, context, depth)))
    if scope.chance(0.5):
        cases.append(block("default : {", _inner(scope, context, depth)))
    return [block(f"switch ({place.text}) {{", cases)]


def _for(scope: Scope, context: Context, depth: int) -> list[Node]:
    name, inner = context.fresh("i"), scope.inner()
    type_ = bits(scope.random.choice((4, 8, 16)))
    inner.places.append(Place(name, type_, writable=False))
    before, context.loop = context.loop, True
    made = body(inner, context, scope.random.randint(1, 2), depth - 2)
    context.loop = before
    most = scope.random.randint(1, 4)
    if scope.chance(0.4):
        return [block(f"for ({type_} {name} in {scope.random.randint(0, 2)} .. {most + 2}) {{", made)]
    step = scope.random.choice((f"{name} = {name} + 1", f"{name} += 1"))
    return [block(f"for ({type_} {name} = 0; {name} < {most}; {step}) {{", made)]


def _leave(scope: Scope, context: Context, depth: int) -> list[Node]:
    words = (["break;", "continue;"] if context.loop else []) + [f"{w};" for w in context.leaves.split()]
    if not words or scope.chance(0.5):
        return []
    return [block(f"if ({scope.expression(BOOL)}) {{", [scope.random.choice(words)])]


def _metadata(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not context.metadata or scope.chance(0.5):
        return []
    if context.metadata == "egress":
        return [block(f"if ({scope.expression(BOOL)}) {{", ["mark_to_drop(sm);"])]
    what = scope.random.choice(("drop", "group", "port", "port", "port"))
    if what == "drop":
        return [block(f"if ({scope.expression(BOOL)}) {{", ["mark_to_drop(sm);"])]
    if what == "group":
        return [block(f"if ({scope.expression(BOOL)}) {{", [f"sm.mcast_grp = {scope.random.randint(0, 4)};"])]
    port = scope.random.choice((str(scope.random.randrange(4)), f"(7w0 ++ {scope.expression(bits(2))})"))
    return [f"sm.egress_spec = {port};"]


def _hash(scope: Scope, context: Context, depth: int) -> list[Node]:
    targets = [p for p in scope.places if p.writable and p.type.kind == "bit" and p.type.width <= 64]
    fields = [p for p in scope.places if p.type.kind == "bit"]
    if not targets or not fields:
        return []
    target = scope.random.choice(targets)
    data = ", ".join(p.text for p in scope.random.choices(fields, k=scope.random.randint(1, 4)))
    algorithm = scope.random.choice(("crc16", "crc32", "csum16", "xor16", "identity"))
    base, most = (scope.literal(bits(target.type.width)) for _ in range(2))
    return [f"hash({target.text}, HashAlgorithm.{algorithm}, {base}, {{ {data} }}, {most});"]


def _truncate(scope: Scope, context: Context, depth: int) -> list[Node]:
    if scope.chance(0.8):
        return []
    return [block(f"if ({scope.expression(BOOL)}) {{", [f"truncate({scope.random.randint(1, 40)});"])]


def _life(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A second life of a packet, that is in its first."""
    fields = scope.random.choice((1, 2))
    if context.metadata == "ingress":
        call = scope.random.choice(
            (f"resubmit_preserving_field_list({fields});", f"clone_preserving_field_list(CloneType.I2E, 5, {fields});")
        )
    else:
        session = scope.random.choice((5, 6))
        call = scope.random.choice(
            (
                f"recirculate_preserving_field_list({fields});",
                f"clone_preserving_field_list(CloneType.E2E, {session}, {fields});",
            )
        )
    return [block(f"if (sm.instance_type == 0 && {scope.expression(BOOL, 1)}) {{", [call])]


# --- what only controls have -----------------------------------------------------------------------------------------


def _apply(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not context.tables:
        return []
    name, _ = context.tables.pop(0)
    return [f"{name}.apply();"]


def _hit(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not context.tables or depth <= 0:
        return []
    name, _ = context.tables.pop(0)
    head = scope.random.choice(
        (f"if ({name}.apply().hit) {{", f"if ({name}.apply().miss) {{", f"if (!{name}.apply().hit) {{")
    )
    made = block(head, _inner(scope, context, depth))
    if scope.chance(0.4):
        return [_with_tail(Block(made.head, made.body, "} else {"), _inner(scope, context, depth))]
    return [made]


def _action_run(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not context.tables or depth <= 0:
        return []
    name, actions = context.tables.pop(0)
    chosen = scope.random.sample(actions, scope.random.randint(1, len(actions)))
    cases: list[Node] = [block(f"{action} : {{", _inner(scope, context, depth)) for action in chosen]
    if scope.chance(0.4):
        cases.append(block("default : {", _inner(scope, context, depth)))
    return [block(f"switch ({name}.apply().action_run) {{", cases)]


def _register(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not context.registers:
        return []
    register = scope.random.choice(context.registers)
    index = f"(bit<32>){scope.expression(bits(scope.random.choice((1, 2, 3, 4))), 1)}"
    read = [p for p in scope.places if p.writable and p.type == register.type]
    if not read or scope.chance(0.4):
        return [f"{register.name}.write({index}, {scope.expression(register.type, 1)});"]
    place = scope.random.choice(read).text
    made: list[Node] = [f"{register.name}.read({place}, {index});"]
    if scope.chance(0.5):
        made += [f"{register.name}.write({index}, {place} + {scope.expression(register.type, 1)});"]
    return made


def _count(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not context.counters:
        return []
    name, _ = scope.random.choice(context.counters)
    return [f"{name}.count((bit<32>){scope.expression(bits(scope.random.choice((1, 2, 3, 4))), 1)});"]


def _nested(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not context.controls:
        return []
    instance, control = scope.random.choice(context.controls)
    arguments: list[str] = []
    for direction, type_ in control.parameters:
        if isinstance(type_, str):
            known = [h.text for h in scope.headers if h.type == type_ and h.text not in arguments]
        elif direction == "in":
            known = [scope.expression(type_, 1)]
        else:
            known = [p.text for p in scope.places if p.writable and p.type == type_ and p.text not in arguments]
        if not known:
            return []
        arguments.append(scope.random.choice(known))
    headers = [a for a, (_, t) in zip(arguments, control.parameters, strict=True) if isinstance(t, str)]
    written = [
        a for a, (d, t) in zip(arguments, control.parameters, strict=True) if not isinstance(t, str) and d != "in"
    ]
    if any(w.startswith(f"{h}.") for h in headers for w in written):
        return []
    return [f"{instance}.apply({', '.join(arguments)});"]


_MAKERS: dict[str, Callable[[Scope, Context, int], list[Node]]] = {
    "assign": _assign,
    "compound": _compound,
    "local": _local,
    "slice": _slice,
    "validity": _validity,
    "copy": _copy,
    "list": _list,
    "push": _push,
    "call": _call,
    "procedure": _procedure,
    "if": _if,
    "switch": _switch,
    "for": _for,
    "block": _block,
    "leave": _leave,
    "metadata": _metadata,
    "hash": _hash,
    "truncate": _truncate,
    "life": _life,
    "apply": _apply,
    "hit": _hit,
    "action_run": _action_run,
    "register": _register,
    "count": _count,
    "nested": _nested,
}

__all__ = ["Action", "Context", "Control", "Header", "Register", "body", "writable"]
