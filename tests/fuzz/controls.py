"""Random controls: those of the architecture, and those that they have instances of."""

from __future__ import annotations

from calls import constants
from context import Action, Context, Control, Register
from expressions import expression
from functions import literals
from layout import Block, Node, block
from scope import BOOL, Header, Kind, Scope, Type, bits
from statements import body
from tables import Profiles, table
from world import ERRORS, World

STANDARD = "inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm"
DATA_WIDTHS = (1, 8, 9, 9, 16, 33, 48, 70)  # 9: a port
LITTLE_DATA = (1, 3, 8, 9, 9)  # which fits a word with the key


def nested(world: World) -> Node:
    """A control with parameters of its own, and maybe of its constructor. It may have instances of earlier ones."""
    scope, context = world.bare(), Context(world.names, leaves=("return", "exit"))
    parameters: list[tuple[str, Kind | str]] = []
    texts: list[str] = []
    first: list[Node] = []
    for _ in range(world.random.randint(1, 3)):
        name = context.fresh("p")
        if world.chance(0.4):
            kind = world.random.choice(list(world.layouts))
            parameters.append(("inout", kind))
            texts.append(f"inout {kind} {name}")
            scope.add_header(Header(name, kind))
            continue
        direction = world.random.choice(("in", "inout", "out"))
        type_ = _parameter_type(world, scope)
        parameters.append((direction, type_))
        texts.append(f"{direction} {type_} {name}")
        scope.add(name, type_, direction != "in")
        if direction == "out":
            first.append(f"{name} = {literals(scope, type_)};")
    given = tuple(scope.type() for _ in range(world.random.choice((0, 0, 1, 2))))
    constructor = []
    for type_ in given:
        scope.add(name := context.fresh("k"), type_, writable=False)
        constructor.append(f"{type_} {name}")
    declared = [*_instances(world, scope, context, 0.3), *declarations(world, scope, context)]
    made = body(scope, context, world.random.randint(1, 2 + world.size), 2)
    control = Control(context.fresh("N"), tuple(parameters), given)
    world.controls.append(control)
    optional = f"({', '.join(constructor)})" if given else ""
    head = f"control {control.name}({', '.join(texts)}){optional} {{"
    return block(head, [*declared, block("apply {", [*first, *made])])


def _parameter_type(world: World, scope: Scope) -> Kind:
    """Mostly one that there is something of to give."""
    if world.records and world.chance(0.25):
        return world.random.choice(world.records).type
    return world.random.choice(world.places).type if world.places and world.chance(0.8) else scope.kind()


def pipe(world: World, name: str) -> Block:
    """Ingress (I) or egress (E)."""
    ingress = name == "I"
    scope = world.scope()
    scope.places += world.ingress if ingress else world.egress
    context = Context(world.names, externs=world.externs, leaves=("return", "exit"), recirculates=world.recirculates)
    context.metadata = "ingress" if ingress else "egress"
    declared = [*_instances(world, scope, context, 0.6), *declarations(world, scope, context)]
    made = _beginning(world) if ingress else []
    if ingress or world.chance(0.7):
        made += body(scope, context, world.random.randint(1, 3 + 3 * world.size), 2)
        made += [f"{left.name}.apply();" for left in context.tables]
    if ingress and world.chance(0.7):
        made.append("sm.egress_spec = 7w0 ++ sm.egress_spec[1:0];")  # dropped packets tell nothing
    return block(f"control {name}({STANDARD}) {{", [*declared, block("apply {", made)])


def _beginning(world: World) -> list[Node]:
    made: list[Node] = [f"sm.egress_spec = {world.random.choice(('1', '2', '(7w0 ++ sm.ingress_port[1:0])'))};"]
    if world.chance(0.5):
        made.append(block(f"if (sm.parser_error == error.{world.random.choice(ERRORS)}) {{", ["sm.egress_spec = 3;"]))
    return made


# --- what a control declares -----------------------------------------------------------------------------------------


def _instances(world: World, scope: Scope, context: Context, probability: float) -> list[Node]:
    """Instances of controls; one without constructor parameters may be applied by its type's name."""
    made: list[Node] = []
    for control in world.controls:
        if not world.chance(probability):
            continue
        if not control.constants and world.chance(0.2):
            context.controls.append((control.name, control))
            continue
        for _ in range(world.random.choice((1, 1, 2))):
            name = context.fresh("n")
            context.controls.append((name, control))
            made.append(f"{control.name}({constants(scope, control)}) {name};")
    return made


def declarations(world: World, scope: Scope, context: Context) -> list[Node]:
    """Registers, counters, meters, variables, actions and tables of a control."""
    made: list[Node] = _state(world, context)
    for _ in range(world.upto(2)):
        type_, name = scope.kind(), context.fresh("v")
        if isinstance(type_, Type) or not type_.is_tuple or world.chance(0.5):
            made.append(f"{type_} {name} = {literals(scope, type_)};")
            scope.add(name, type_)
    for _ in range(world.random.randint(1, 2 + world.size)):
        context.actions.append(_action(world, scope, context, made))
    profiles = Profiles()
    for _ in range(world.upto(1 + world.size)):
        table(world, scope, context, profiles, made)
    return made


def _state(world: World, context: Context) -> list[Node]:
    """What outlives a packet."""
    made: list[Node] = []
    for _ in range(0 if world.recirculates else world.upto(1)):
        kind = world.random.choice(("bit", "bit", "int"))
        type_ = Type(kind, world.random.choice((2, 7, 8, 16, 32, 48, 64)))
        register = Register(context.fresh("r"), type_, world.random.choice((1, 4, 16)))
        context.registers.append(register)
        made.append(f"register<{type_}>({register.size}) {register.name};")
    for _ in range(world.upto(1)):
        kind = world.random.choice(("packets", "bytes", "packets_and_bytes"))
        context.counters.append(context.fresh("c"))
        made.append(f"counter(8, CounterType.{kind}) {context.counters[-1]};")
    if not world.recirculates and world.chance(0.2):
        context.meters.append(context.fresh("me"))
        made.append(f"meter(4, MeterType.packets) {context.meters[-1]};")
    return made


def _action(world: World, scope: Scope, context: Context, made: list[Node]) -> Action:
    """An action; those before it may be called in it."""
    inner = scope.inner()
    own = Context(world.names, leaves=world.random.choice(((), ("return",), ("exit",))), metadata=context.metadata)
    own.registers, own.counters, own.meters = context.registers, context.counters, context.meters
    own.actions, own.externs = list(context.actions), context.externs
    directed = [(world.random.choice(("in", "inout")), scope.type()) for _ in range(world.upto(2))]
    data = [("", _data_type(world, scope)) for _ in range(world.upto(2))]
    parameters = tuple(data if world.chance(0.6) else directed + data)
    texts, first = [], list[Node]()
    for direction, type_ in parameters:
        name = context.fresh("p")
        texts.append(f"{direction} {type_} {name}".strip())
        inner.add(name, type_, direction == "inout")
        if type_ == bits(9) and not direction and context.metadata == "ingress" and not first:
            first.append(f"sm.egress_spec = {name};")
    action = Action(context.fresh("act"), parameters)
    lines = [*first, *body(inner, own, world.random.randint(1, 3), 1)]
    made.append(block(f"action {action.name}({', '.join(texts)}) {{", lines))
    return action


def _data_type(world: World, scope: Scope) -> Type:
    coded = [t for t in world.named if isinstance(t, Type) and t.kind == "coded"]
    if coded and world.chance(0.15):
        return world.random.choice(coded)
    return BOOL if world.chance(0.05) else bits(world.random.choice(LITTLE_DATA if world.pipelined else DATA_WIDTHS))


# --- checksums and the deparser --------------------------------------------------------------------------------------


def checksums(world: World, name: str, call: str) -> Node:
    """A control that verifies or updates checksums: over some fields of a header that has a field for one."""
    made: list[Node] = []
    for _ in range(world.random.choice((0, 1, 1, 2))):
        algorithm, width = world.random.choice((("csum16", 16), ("csum16", 16), ("crc16", 16), ("crc32", 32)))
        found = [(h, n) for h in world.headers for n, t in world.layouts[h.type] if t == bits(width)]
        if not found:
            continue
        header, field = world.random.choice(found)
        others = [f"{header.text}.{n}" for n, t in world.layouts[header.type] if n != field and t.kind == "bit"]
        condition = expression(world.scope().inner(pure=True), BOOL, 1) if world.chance(0.3) else "true"
        if others:
            data = f"{header.text}.isValid() && {condition}, {{ {', '.join(others)} }}, {header.text}.{field}"
            payload = "_with_payload" if world.chance(0.2) else ""
            made.append(f"{call}{payload}({data}, HashAlgorithm.{algorithm});")
    return block(f"control {name}(inout headers_t hdr, inout meta_t meta) {{", [block("apply {", made)])


def deparser(world: World) -> Block:
    """In order, mostly; all at once, now and then."""
    emits = [f"packet.emit({h.text});" for h in (*world.headers, *world.unions, *world.stacks)]
    if world.chance(0.3):
        world.random.shuffle(emits)
    if world.chance(0.2):
        emits = emits[:-1]
    elif world.chance(0.15):
        emits = ["packet.emit(hdr);"]
    return block("control D(packet_out packet, in headers_t hdr) {", [block("apply {", list(emits))])
