"""Random tables: keys of all match kinds, actions, entries, default actions, what goes with entries."""

from __future__ import annotations

from dataclasses import dataclass, field

from context import Action, Context, Table
from expressions import expression
from keysets import keyset
from layout import Node, block
from scope import BOOL, Scope, Type, bits
from world import World

Key = tuple[str, Type, str]  # expression, type, match kind
Listed = tuple[str, Action]  # an action as a table lists it, with arguments for what has a direction

MIXES = (
    ("exact",),
    ("exact", "lpm"),
    ("lpm",),
    ("exact", "ternary", "lpm", "optional"),
    ("range", "ternary", "exact"),
    ("optional", "exact"),
)
PRIORITISED = {"ternary", "range", "optional"}
PROFILES = ("action_profile({size})", "action_selector(HashAlgorithm.{algorithm}, {size}, {width})")


@dataclass
class Profiles:
    """Action profiles that tables may share; each with the actions of the table that it was made for."""

    known: list[tuple[str, bool, list[Listed]]] = field(default_factory=list)  # name, is it a selector, actions


def table(world: World, scope: Scope, context: Context, profiles: Profiles, made: list[Node]) -> None:
    """Add a table, and what is declared before it, to a control."""
    name = context.fresh("t")
    keys = _pipelined_keys(scope) if world.pipelined else _keys(scope)
    less = 0.2 if world.pipelined else 1.0  # of what keeps entries from being words
    listed = _listed(scope, context)
    properties: list[Node] = []
    profile = _profile(world, context, profiles, listed, made) if keys and world.chance(0.2 * less) else None
    if profile is not None:
        implementation, selects, listed = profile
        if selects and scope.numbers():
            keys += [(p.text, p.type, "selector") for p in world.random.choices(scope.numbers(), k=2)]
        properties.append(f"implementation = {implementation};")
    elif keys and world.chance(0.3 * less):
        properties += _metered(world, context, scope, listed, made)
    if keys:
        lines: list[Node] = [f'{text} : {kind} @name("k{i}");' for i, (text, _, kind) in enumerate(keys)]
        properties.insert(0, block("key = {", lines))
    properties.append(_actions(world, listed, marked=profile is None))
    if profile is None:
        properties += _entries(world, scope, keys, listed)
        properties += _default(world, scope, listed)
    if keys and world.chance(0.3 * less):
        counter = context.fresh("d")
        kind = world.random.choice(("packets", "bytes", "packets_and_bytes"))
        made.append(f"direct_counter(CounterType.{kind}) {counter};")
        properties.append(f"counters = {counter};")
    if keys and world.chance(0.5):
        properties.append(f"size = {world.random.choice((16, 64, 1024))};")
    made.append(block(f"table {name} {{", properties))
    context.tables.append(Table(name, (*(action.name for _, action in listed), "NoAction")))


# --- keys ------------------------------------------------------------------------------------------------------------


def _keys(scope: Scope) -> list[Key]:
    keys: list[Key] = []
    scope = scope.inner(pure=True)
    kinds = scope.random.choice(MIXES)
    for _ in range(scope.random.choice((0, 1, 1, 1, 2, 2, 3, 4))):
        kind = scope.random.choice(kinds)
        if kind == "lpm" and any(k == "lpm" for _, _, k in keys):
            kind = "exact"
        keys.append(_key(scope, kind))
    return keys


def _pipelined_keys(scope: Scope) -> list[Key]:
    """One, too long for an array by key: most fit a word with a little data, some do not."""
    scope = scope.inner(pure=True)
    shortest, longest = scope.random.choice(((17, 33), (17, 33), (17, 48), (49, 128)))
    known = [p for p in scope.places if p.type.kind == "bit" and shortest <= p.type.width <= longest]
    if known and scope.chance(0.6):
        place = scope.random.choice(known)
        return [(place.text, place.type, "exact")]
    type_ = bits(scope.random.choice([w for w in (17, 19, 24, 31, 33, 64, 70, 128) if shortest <= w <= longest]))
    return [(expression(scope, type_, 1), type_, "exact")]


def _key(scope: Scope, kind: str) -> Key:
    known = [p for p in scope.places if p.type.kind == "bit" or (kind == "exact" and p.type.kind != "enum")]
    if known and scope.chance(0.7):
        place = scope.random.choice(known)
        return place.text, place.type, kind
    if kind in ("exact", "ternary") and scope.headers and scope.chance(0.2):
        return f"{scope.random.choice(scope.headers).text}.isValid()", BOOL, "exact"
    type_ = BOOL if kind == "exact" and scope.chance(0.2) else bits(scope.random.choice((1, 4, 8, 16, 33, 64, 70, 128)))
    return expression(scope, type_, 1), type_, kind


# --- actions ---------------------------------------------------------------------------------------------------------


def _listed(scope: Scope, context: Context) -> list[Listed]:
    """Some of the actions in reach, with arguments for their parameters with directions."""
    listed: list[Listed] = []
    scope = scope.inner(pure=True)
    for action in scope.random.sample(context.actions, min(len(context.actions), scope.random.randint(1, 4))):
        bound = [(d, t) for d, t in action.parameters if d]
        given = []
        for direction, type_ in bound:
            known = [p.text for p in scope.places if p.writable and p.type == type_]
            if direction == "in":
                given.append(expression(scope, type_, 1))
            elif known:
                given.append(scope.random.choice(known))
        if len(given) == len(bound):
            listed.append((f"{action.name}({', '.join(given)})" if bound else action.name, action))
    return listed


def _actions(world: World, listed: list[Listed], *, marked: bool) -> Node:
    """The list; without annotations where tables share a profile, since their lists must be the same."""
    lines: list[Node] = []
    for i, (text, _) in enumerate(listed):
        lines.append(f"{'@tableonly ' if i and marked and world.chance(0.1) else ''}{text};")
    lines.append(f"{'@defaultonly ' if marked and world.chance(0.3) else ''}NoAction;")
    return block("actions = {", lines)


def _run(scope: Scope, text: str, action: Action) -> str:
    """A call of an action as tables have it: what has no direction is constant."""
    values = [
        scope.literal(t) if t != bits(9) else str(scope.random.randrange(4)) for d, t in action.parameters if not d
    ]
    if not text.endswith(")"):
        return f"{text}({', '.join(values)})"
    return f"{text[:-1]}{', ' if values else ''}{', '.join(values)})"


def _default(world: World, scope: Scope, listed: list[Listed]) -> list[Node]:
    """Not an action that was listed with @tableonly: only the first is never."""
    if not listed or world.chance(0.4):
        return []
    text, action = listed[0]
    return [f"{world.random.choice(('', 'const '))}default_action = {_run(scope, text, action)};"]


# --- entries ---------------------------------------------------------------------------------------------------------


def _entries(world: World, scope: Scope, keys: list[Key], listed: list[Listed]) -> list[Node]:
    """Entries, constant or not, in tables where that has a meaning with priorities."""
    if not keys or not listed or world.chance(0.6):
        return []
    prioritised = any(kind in PRIORITISED for _, _, kind in keys)
    const = world.chance(0.6)
    numbered = prioritised and not const and world.chance(0.7)
    lines: dict[str, Node] = {}
    number = world.random.randint(1, 5)
    delta = world.random.choice((1, world.random.randint(1, 20)))
    lowest = number * delta  # no entry that follows another comes to a priority below 0
    for _ in range(number):
        parts = [keyset(scope, t, kind) for _, t, kind in keys]
        text = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
        head = (
            f"priority = {world.random.randint(lowest, 300)} : "
            if numbered and (not lines or world.chance(0.6))
            else ""
        )
        if not const and world.chance(0.2):
            head = f"const {head}"
        lines.setdefault(text, f"{head}{text} : {_run(scope, *world.random.choice(listed))};")
    made: list[Node] = [block(f"{'const ' if const else ''}entries = {{", list(lines.values()))]
    if numbered and world.chance(0.5):
        made += [f"largest_priority_wins = {world.random.choice(('true', 'false'))};"]
        made += [f"priority_delta = {delta};"] if delta > 1 else []
    return made


# --- what goes with entries ------------------------------------------------------------------------------------------


def _profile(
    world: World, context: Context, profiles: Profiles, listed: list[Listed], made: list[Node]
) -> tuple[str, bool, list[Listed]] | None:
    """A profile or selector: one that another table has, with its actions, or a new one."""
    if profiles.known and world.chance(0.3):
        return world.random.choice(profiles.known)
    name, kind = context.fresh("prof"), world.random.randrange(2)
    algorithm = world.random.choice(("crc16", "crc32", "csum16", "xor16"))
    text = PROFILES[kind].format(size=world.random.choice((16, 128)), algorithm=algorithm, width=14)
    made.append(f"{text} {name};")
    profiles.known.append((name, kind == 1, listed))
    return profiles.known[-1]


def _metered(world: World, context: Context, scope: Scope, listed: list[Listed], made: list[Node]) -> list[Node]:
    """A direct meter, and an action that reads it."""
    places = [p for p in scope.places if p.writable and p.type.kind == "bit" and 1 < p.type.width <= 64]
    if not places or world.recirculates:
        return []
    place = world.random.choice(places)
    meter, action = context.fresh("dm"), Action(context.fresh("act"), ())
    made.append(f"direct_meter<{place.type}>(MeterType.packets) {meter};")
    made.append(block(f"action {action.name}() {{", [f"{meter}.read({place.text});"]))
    listed.append((action.name, action))
    return [f"meters = {meter};"]
