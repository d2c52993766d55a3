"""Random type declarations: enums, new types, headers, unions, structs."""

from __future__ import annotations

from layout import Node, block
from scope import BOOL, Header, Kind, Record, Scope, Stack, Type, Union, bits
from world import ERROR, World


def types(world: World) -> list[Node]:
    """Declare everything; fills the world with what there is."""
    made: list[Node] = [*_enums(world), *_new_types(world)]
    made += _headers(world)
    made += _structs(world)
    made += [_headers_struct(world), _metadata(world)]
    return made


def _enums(world: World) -> list[Node]:
    made: list[Node] = []
    world.named.append(ERROR)
    if world.chance(0.6):
        members = [f"M{i}" for i in range(world.random.randint(1, 5))]
        world.named.append(Type("enum", 32, "E0", tuple(f"E0.{m}" for m in members)))
        made.append(f"enum E0 {{ {', '.join(members)} }}")
    if world.chance(0.6):
        scope, base = Scope(world.random), world.random.choice(("bit", "bit", "int"))
        width = scope.width() + 1
        values = sorted({scope.value(width) for _ in range(world.random.randint(1, 4))})
        coded = Type("coded", width, "E1", tuple(f"E1.N{i}" for i in range(len(values))), base)
        world.named.append(coded)
        signed = [v - (1 << width) if base == "int" and v >> (width - 1) else v for v in values]
        members = [f"N{i} = {v}" for i, v in enumerate(signed)]
        made.append(f"enum {base}<{width}> E1 {{ {', '.join(members)} }}")
    return made


def _new_types(world: World) -> list[Node]:
    if world.chance(0.7):
        return []
    width = Scope(world.random).width()
    world.named.append(Type("coded", width, "New_t"))
    return [f"type bit<{width}> New_t;"]


# --- headers ---------------------------------------------------------------------------------------------------------


def fields(world: World) -> list[tuple[str, Type]]:
    """Fields that are whole bytes together."""
    scope, made = Scope(world.random), []
    coded = [t for t in world.named if isinstance(t, Type) and t.kind == "coded"]
    for i in range(world.random.randint(1, 5)):
        width, other = scope.width(), world.random.random()
        type_ = Type("int", width + 1) if other < 0.1 else BOOL if other < 0.17 else bits(width)
        if coded and 0.17 < other < 0.3:
            type_ = world.random.choice(coded)
        made.append((f"f{i}", type_))
    if rest := -sum(t.width for _, t in made) % 8:
        made.insert(world.upto(len(made)), ("rest", bits(rest)))
    return made


def _header_type(world: World, name: str, tail: str = "") -> Node:
    world.layouts[name] = fields(world)
    lines: list[Node] = [f"{t} {field};" for field, t in world.layouts[name]]
    return block(f"header {name} {{", [*lines, *([tail] if tail else [])])


def _headers(world: World) -> list[Node]:
    made = [_header_type(world, f"h{i}_t") for i in range(world.random.randint(1, 2 + world.size))]
    fixed = list(world.layouts)
    if world.chance(0.3):
        world.variable.add("v_t")
        made.append(_header_type(world, "v_t", f"varbit<{world.random.choice((8, 40, 56, 320))}> tail;"))
    for i in range(world.random.randint(1, 2 + world.size)):
        world.headers.append(Header(f"hdr.a{i}", world.random.choice(list(world.layouts))))
    for i in range(world.upto(2)):
        world.stacks.append(Stack(f"hdr.s{i}", world.random.choice(fixed), world.random.randint(1, 4)))
    if world.chance(0.35):
        made.append(_union(world, fixed))
    return made


def _union(world: World, fixed: list[str]) -> Node:
    """A union type, instances of it, a stack of them."""
    members = tuple((f"m{i}", world.random.choice(fixed)) for i in range(world.random.randint(1, 3)))
    for i in range(world.random.randint(1, 2)):
        world.unions.append(Union(f"hdr.u{i}", "u_t", members))
    if world.chance(0.4):
        world.stacks.append(Stack("hdr.us", "u_t", world.random.randint(1, 3), members))
    return block("header_union u_t {", [f"{type_} {name};" for name, type_ in members])


def _headers_struct(world: World) -> Node:
    members: list[Node] = [f"{h.type} {_last(h.text)};" for h in (*world.headers, *world.unions)]
    members += [f"{s.type}[{s.size}] {_last(s.text)};" for s in world.stacks]
    return block("struct headers_t {", members)


def _last(text: str) -> str:
    return text.rsplit(".", 1)[-1]


# --- structs ---------------------------------------------------------------------------------------------------------


def _structs(world: World) -> list[Node]:
    """Struct types: the second may have the first in it."""
    made: list[Node] = []
    for i in range(world.random.randint(1, 2)):
        scope = world.bare()
        members: list[tuple[str, Kind]] = [(f"m{j}", scope.type()) for j in range(world.random.randint(1, 3))]
        if i:
            members.append(("inner", world.random.choice([t for t in world.named if isinstance(t, Record)])))
        record = Record(f"r{i}_t", tuple(members))
        world.named.append(record)
        made.append(block(f"struct {record} {{", [f"{t} {name};" for name, t in members]))
    return made


def _metadata(world: World) -> Node:
    """`meta`: numbers, structs; some are kept in the second passes of packets."""
    scope, lines = world.bare(), list[Node]()
    structs = [t for t in world.named if isinstance(t, Record)]
    members: list[Kind] = [scope.type() for _ in range(world.random.randint(1, 4))]
    members += [world.random.choice(structs) for _ in range(world.random.randint(1, 2))]
    for i, type_ in enumerate(members):
        scope.add(f"meta.m{i}", type_)
        kept = world.random.choice(("", "@field_list(1) ", "@field_list(2) ", "@field_list(1, 2) "))
        lines.append(f"{kept}{type_} m{i};")
    world.places, world.records = scope.places, scope.records
    return block("struct meta_t {", lines)
