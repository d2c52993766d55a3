"""Random P4-14 programs, from a seed and a size: a parser graph, actions of primitives, tables with hit, miss and action
cases, state. Smaller than the P4-16 ones, as both languages meet at HLIR."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from random import Random

from layout import Block, Node, block
from scope import WIDTHS

TWO = ("modify_field", "add_to_field", "subtract_from_field", "bit_not")
THREE = ("add", "subtract", "bit_and", "bit_or", "bit_xor", "bit_nand", "bit_nor", "bit_xnor", "min", "max")
CROSSED = ("bit_andca", "bit_andcb", "bit_orca", "bit_orcb")
ALGORITHMS = ("crc16", "crc32", "csum16", "xor16")
DATA_WIDTHS = (8, 9, 16)
KINDS = ("exact", "exact", "ternary", "lpm", "range")


@dataclass(frozen=True, slots=True)
class Field:
    text: str
    width: int
    writable: bool = True
    signed: bool = False


@dataclass
class World:
    """What the program has declared so far."""

    random: Random
    size: int
    names: count[int] = field(default_factory=lambda: count(1))
    layouts: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    signed: set[tuple[str, str]] = field(default_factory=set)  # header type, field
    headers: dict[str, str] = field(default_factory=dict)  # name: type
    stacks: dict[str, tuple[str, int]] = field(default_factory=dict)  # name: type, size
    metadata: list[Field] = field(default_factory=list)
    actions: dict[str, int] = field(default_factory=dict)  # name: number of parameters
    tables: list[tuple[str, list[str]]] = field(default_factory=list)  # not applied yet
    registers: list[str] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)
    meters: list[str] = field(default_factory=list)
    calculations: list[str] = field(default_factory=list)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self, prefix: str) -> str:
        return f"{prefix}{next(self.names)}"

    def fields(self) -> list[Field]:
        found = list(self.metadata)
        for name, type_ in self.instances():
            found += self.members(name, type_)
        return found

    def members(self, name: str, type_: str) -> list[Field]:
        return [Field(f"{name}.{f}", width, signed=(type_, f) in self.signed) for f, width in self.layouts[type_]]

    def instances(self) -> list[tuple[str, str]]:
        """Every header, elements of stacks too, with its type."""
        elements = [(f"{name}[{i}]", t) for name, (t, size) in self.stacks.items() for i in range(size)]
        return [*self.headers.items(), *elements]

    def value(self, width: int) -> int:
        top = (1 << width) - 1
        return self.random.choice((0, 1, 2, top, top >> 1, self.random.getrandbits(width))) & top

    def operand(self, width: int) -> str:
        """A field, of any width, or a number."""
        if self.chance(0.7):
            return self.random.choice(self.fields()).text
        return f"{self.value(width):#x}"


def make(seed: int, size: int) -> tuple[Node, ...]:
    """The program of a seed; size 0 is small, 3 large."""
    world = World(Random(seed), size)
    parts: list[Node] = [*_types(world), *_parser(world), *_calculations(world), *_state(world)]
    parts += [_action(world) for _ in range(world.random.randint(2, 4 + size))]
    parts += ["action go_to(port) { modify_field(standard_metadata.egress_spec, port); }"]
    world.actions["go_to"] = 1
    for _ in range(world.random.randint(1, 2 + size)):
        parts += _table(world)
    parts += ["table out { actions { go_to; } default_action : go_to(1); }"]
    parts.append(block("control ingress {", ["apply(out);", *_body(world, 2 + size, 2)]))
    return (*parts, block("control egress {", _body(world, 1, 1)))


# --- declarations ----------------------------------------------------------------------------------------------------


def _types(world: World) -> list[Node]:
    made: list[Node] = []
    for i in range(world.random.randint(1, 2 + world.size)):
        layout = [(f"f{j}", world.random.choice(WIDTHS)) for j in range(world.random.randint(1, 4))]
        if rest := -sum(width for _, width in layout) % 8:
            layout.append(("rest", rest))
        made.append(_header_type(world, f"h{i}_t", layout))
    types = list(world.layouts)
    for i in range(world.random.randint(1, 2 + world.size)):
        world.headers[f"a{i}"] = world.random.choice(types)
        made.append(f"header {world.headers[f'a{i}']} a{i};")
    if world.chance(0.5):
        world.stacks["s"] = world.random.choice(types), world.random.randint(2, 4)
        made.append(f"header {world.stacks['s'][0]} s[{world.stacks['s'][1]}];")
    notes = [(f"m{i}", world.random.choice(WIDTHS)) for i in range(world.random.randint(2, 4))]
    made.append(_header_type(world, "notes_t", [*notes, ("n", 16), ("colour", 8)]))
    world.metadata = world.members("notes", "notes_t")
    del world.layouts["notes_t"]
    world.metadata += [Field("standard_metadata.ingress_port", 9, False)]
    return [*made, f"metadata notes_t notes {{ n : {world.value(16)}; }};"]


def _header_type(world: World, name: str, layout: list[tuple[str, int]]) -> Node:
    world.layouts[name] = layout
    lines: list[Node] = []
    for f, width in layout:
        marks = world.random.choice(("", "", "", "", " (saturating)", " (signed)", " (signed, saturating)"))
        lines.append(f"{f} : {width}{marks if width > 1 else ''};")
        if width > 1 and "(signed" in marks:
            world.signed.add((name, f))
    return block(f"header_type {name} {{", [block("fields {", lines)])


def _parser(world: World) -> list[Node]:
    """States that extract each header once; only a stack's leads back, and takes in something each time."""
    waiting, states = list(world.headers), list[Node]()
    number = min(len(waiting), 1 + world.random.randint(0, 1 + world.size))
    for i in range(number):
        name, onward = "start" if not i else f"p{i}", ["ingress", *(f"p{j}" for j in range(i + 1, number))]
        header = waiting.pop()
        lines: list[Node] = [f"extract({header});"]
        latest = world.layouts[world.headers[header]]
        if world.stacks and world.chance(0.3):
            lines.append("extract(s[next]);")
            latest = world.layouts[world.stacks["s"][0]]
            if i:
                onward.append(name)
        if world.chance(0.2):
            target = next(f for f in world.metadata if f.writable)
            lines.append(f"set_metadata({target.text}, {world.value(min(target.width, 8))});")
        states.append(block(f"parser {name} {{", [*lines, *_transition(world, onward, latest)]))
    if world.stacks and world.chance(0.5):
        states.append("parser_exception p4_pe_index_out_of_bounds { set_metadata(notes.colour, 7); return ingress; }")
    return states


def _transition(world: World, onward: list[str], latest: list[tuple[str, int]]) -> list[Node]:
    narrow = [(f"latest.{name}", width) for name, width in latest if width <= 32]
    look = world.random.choice((4, 8))
    subject, width = world.random.choice(narrow) if narrow and world.chance(0.8) else (f"current(0, {look})", look)
    ends = onward[:-1] or onward  # without the state itself: the parser must come to an end
    if world.chance(0.2):
        return [f"return {world.random.choice(ends)};"]
    cases: dict[str, Node] = {}
    for _ in range(world.random.randint(1, 3)):
        label = f"{world.value(width):#x}"
        label += f" mask {world.value(width):#x}" if world.chance(0.3) else ""
        cases[label] = f"{label} : {world.random.choice(onward)};"
    return [
        block(
            f"return select({subject}) {{",
            [*cases.values(), f"default : {world.random.choice(ends)};"],
        )
    ]


def _calculations(world: World) -> list[Node]:
    """Field lists, calculations over them, a checksum that is calculated from one."""
    made: list[Node] = []
    for _ in range(world.random.randint(0, 2)):
        items = world.random.sample(world.fields(), min(3, len(world.fields())))
        fields, name = world.fresh("list"), world.fresh("calc")
        made.append(block(f"field_list {fields} {{", [f"{item.text};" for item in items]))
        algorithm = world.random.choice(ALGORITHMS)
        width = 32 if algorithm == "crc32" else 16
        properties = [f"input {{ {fields}; }}", f"algorithm : {algorithm};", f"output_width : {width};"]
        made.append(block(f"field_list_calculation {name} {{", list[Node](properties)))
        world.calculations.append(name)
    targets = [f"{h}.{f}" for h, t in world.headers.items() for f, width in world.layouts[t] if width == 16]
    if targets and world.calculations and world.chance(0.5):
        target = world.random.choice(targets)
        line = f"{world.random.choice(('update', 'verify'))} {world.calculations[0]} if ({_condition(world)});"
        made.append(block(f"calculated_field {target} {{", [line]))
    return made


def _state(world: World) -> list[Node]:
    made: list[Node] = []
    if world.chance(0.5):
        world.registers.append(world.fresh("r"))
        made.append(f"register {world.registers[0]} {{ width : 16; instance_count : 4; }}")
    if world.chance(0.5):
        world.counters.append(world.fresh("c"))
        kind = world.random.choice(("packets", "bytes", "packets_and_bytes"))
        made.append(f"counter {world.counters[0]} {{ type : {kind}; instance_count : 4; }}")
    if world.chance(0.3):
        world.meters.append(world.fresh("me"))
        made.append(f"meter {world.meters[0]} {{ type : packets; instance_count : 4; }}")
    return made


# --- actions ---------------------------------------------------------------------------------------------------------


def _action(world: World) -> Node:
    name, parameters = world.fresh("act"), [world.fresh("p") for _ in range(world.random.choice((0, 0, 1, 2)))]
    lines: list[Node] = []
    for _ in range(world.random.randint(1, 4)):
        lines.append(_primitive(world, parameters))
    for parameter in parameters:  # one that is not used has no width
        lines.append(f"modify_field({_target(world).text}, {parameter});")
    world.actions[name] = len(parameters)
    return block(f"action {name}({', '.join(parameters)}) {{", lines)


def _target(world: World) -> Field:
    return world.random.choice([f for f in world.fields() if f.writable])


def _primitive(world: World, parameters: list[str]) -> str:
    target = _target(world)
    index = f"{world.random.randrange(5)}" if world.chance(0.5) else world.operand(2)
    one, two = world.operand(target.width), world.operand(target.width)
    instance, type_ = world.random.choice(world.instances())
    kinds = [f"{world.random.choice(TWO)}({target.text}, {one});"] * 3
    kinds += [f"{world.random.choice(THREE + CROSSED)}({target.text}, {one}, {two});"] * 3
    kinds.append(f"modify_field({target.text}, {one}, {world.value(target.width):#x});")
    kinds.append(
        f"{world.random.choice(('shift_left', 'shift_right'))}({target.text}, {one}, {world.random.randrange(9)});"
    )
    kinds.append(f"{world.random.choice(('add_header', 'remove_header'))}({instance});")
    same = [name for name, other in world.instances() if other == type_ and name != instance]
    kinds += [f"copy_header({instance}, {world.random.choice(same)});"] if same else []
    pair = [f for f in world.fields() if f.writable and f.width == target.width and f != target]
    kinds += [f"swap({target.text}, {world.random.choice(pair).text});"] if pair else []
    kinds += [f"{world.random.choice(('push', 'pop'))}({name}, {world.random.randint(1, 3)});" for name in world.stacks]
    for register in world.registers:
        kinds += [f"register_read({target.text}, {register}, {index});", f"register_write({register}, {index}, {one});"]
    kinds += [f"count({counter}, {index});" for counter in world.counters]
    kinds += [f"execute_meter({meter}, {index}, notes.colour);" for meter in world.meters]
    for calculation in world.calculations:
        limit = 1 << world.random.randint(1, 16)
        kinds.append(f"modify_field_with_hash_based_offset({target.text}, {world.value(4)}, {calculation}, {limit});")
    kinds += (
        ["drop();", "no_op();", "exit();", f"truncate({world.random.randint(4, 40)});"] if world.chance(0.3) else []
    )
    called = [name for name, n in world.actions.items() if not n]
    kinds += [f"{world.random.choice(called)}();"] if called else []
    return world.random.choice(kinds)


# --- tables and controls ---------------------------------------------------------------------------------------------


def _table(world: World) -> list[Node]:
    name, made = world.fresh("t"), list[Node]()
    kinds = world.random.choice((("exact",), KINDS, ("exact", "lpm")))
    keys: dict[str, str] = {}
    for _ in range(world.random.choice((0, 1, 1, 2, 3))):
        kind = world.random.choice(kinds)
        if kind == "lpm" and "lpm" in keys.values():
            kind = "exact"
        chosen = world.random.choice(world.fields())
        kind = "exact" if kind == "range" and chosen.signed else kind
        if world.chance(0.15):
            keys[world.random.choice(world.instances())[0]] = "valid"
            continue
        mask = f" mask {world.value(chosen.width) | 1:#x}" if kind == "exact" and world.chance(0.15) else ""
        if not any(text.split()[0] == chosen.text for text in keys):
            keys[f"{chosen.text}{mask}"] = kind
    listed = world.random.sample(sorted(world.actions), min(len(world.actions), world.random.randint(1, 4)))
    properties: list[Node] = []
    if keys:
        properties.append(block("reads {", [f"{text} : {kind};" for text, kind in keys.items()]))
    properties.append(block("actions {", [f"{action};" for action in listed]))
    if world.chance(0.5):
        given = ", ".join(str(world.random.randrange(2)) for _ in range(world.actions[listed[0]]))
        properties.append(f"default_action : {listed[0]}({given});")
    if keys and world.chance(0.3):
        made.append(f"counter {world.fresh('d')} {{ type : packets_and_bytes; direct : {name}; }}")
    properties.append(f"size : {world.random.choice((16, 64))};")
    world.tables.append((name, listed))
    return [block(f"table {name} {{", properties), *made]


def _condition(world: World) -> str:
    one = world.random.choice(world.fields())
    test = f"{one.text} {world.random.choice(('==', '!=', '<', '<=', '>', '>='))} {world.operand(min(one.width, 16))}"
    match world.random.choice(("test", "test", "valid", "and", "not", "masked")):
        case "valid":
            return f"valid({world.random.choice(world.instances())[0]})"
        case "and":
            return f"{test} {world.random.choice(('and', 'or'))} valid({world.random.choice(world.instances())[0]})"
        case "not":
            return f"not ({test})"
        case "masked":
            return f"({one.text} & {world.value(min(one.width, 16)):#x}) == {world.value(min(one.width, 8)):#x}"
    return test


def _body(world: World, size: int, depth: int) -> list[Node]:
    """Statements of a control; each table is applied once in a program."""
    made: list[Node] = []
    for _ in range(size):
        if depth and world.chance(0.4):
            first = block(f"if ({_condition(world)}) {{", _body(world, 1, depth - 1))
            if world.chance(0.4) and (more := _body(world, 1, depth - 1)):
                first = Block(first.head, (*first.body, Block("} else {", tuple(more), "")))
            made.append(first)
        elif world.tables:
            made.append(_apply(world, depth))
    return made


def _apply(world: World, depth: int) -> Node:
    name, listed = world.tables.pop(0)
    if not depth or not world.tables or world.chance(0.5):
        return f"apply({name});"
    cases: tuple[str, ...]
    if world.chance(0.5):
        cases = world.random.choice((("hit",), ("miss",), ("hit", "miss")))
    else:
        cases = (*world.random.sample(listed, min(2, len(listed))), "default")[: world.random.randint(1, 3)]
    return block(f"apply({name}) {{", [block(f"{case} {{", _body(world, 1, depth - 1)) for case in cases])
