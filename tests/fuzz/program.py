"""Random well-typed v1model programs, from a seed and a size."""

from __future__ import annotations

from itertools import count
from random import Random

from layout import Node, block
from scope import BOOL, Function, Header, Place, Scope, Stack, Type, bits
from statements import Action, Context, Control, Register, body

INTRINSIC = (
    Place("sm.ingress_port", bits(9), False),
    Place("sm.packet_length", bits(32), False),
    Place("sm.checksum_error", bits(1), False),
)
EGRESS = (
    Place("sm.egress_port", bits(9), False),
    Place("sm.instance_type", bits(32), False),
    Place("sm.egress_rid", bits(16), False),
)
ERRORS = ("NoError", "PacketTooShort", "NoMatch", "StackOutOfBounds", "ParserTimeout", "Odd", "Even")
HEAD = ("#include <core.p4>", "#include <v1model.p4>", "error { Odd, Even }")
STANDARD = "inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm"


class Maker:
    """Makes one program."""

    def __init__(self, seed: int, size: int) -> None:
        self.random = Random(seed)
        self.size = size
        self.names = count(1)
        self.layouts: dict[str, list[tuple[str, Type]]] = {}
        self.headers: list[Header] = []
        self.stacks: list[Stack] = []
        self.metadata: list[Place] = []
        self.functions: list[Function] = []
        self.controls: list[Control] = []
        self.variable: set[str] = set()
        self.lives = self.random.random() < 0.25  # then no registers: what they hold would depend on when those come

    def upto(self, most: int) -> int:
        return self.random.randint(0, most)

    def scope(self, *, headers: bool = True) -> Scope:
        """Everything that a control reaches by `hdr` and `meta`."""
        scope = Scope(self.random, layouts=self.layouts, functions=list(self.functions))
        scope.variable = frozenset(self.variable)
        if headers:
            scope.places += self.metadata
            scope.stacks += self.stacks
            for header in self.headers:
                scope.add_header(header)
            for stack in self.stacks:
                for i in range(stack.size):
                    scope.headers.append(Header(f"{stack.text}[{i}]", stack.type))
        return scope

    def make(self) -> tuple[Node, ...]:
        """The program."""
        parts: list[Node] = [*HEAD, *self._types()]
        for _ in range(self.upto(1 + self.size)):
            parts.append(self._function())
        parts.append(self._parser())
        for _ in range(self.upto(2)):
            parts.append(self._nested())
        parts += [self._verify(), self._pipe("I"), self._pipe("E"), self._update(), self._deparser()]
        return (*parts, "V1Switch(P(), V(), I(), E(), C(), D()) main;")

    # --- types -------------------------------------------------------------------------------------------------------

    def _types(self) -> list[Node]:
        made: list[Node] = []
        for i in range(self.random.randint(1, 2 + self.size)):
            fields = self._fields()
            self.layouts[f"h{i}_t"] = fields
            made.append(block(f"header h{i}_t {{", [f"{t} {name};" for name, t in fields]))
        fixed = list(self.layouts)
        if self.random.random() < 0.3:
            fields = self._fields()
            self.layouts["v_t"] = fields
            self.variable.add("v_t")
            most = self.random.choice((8, 40, 56, 320))
            made.append(block("header v_t {", [*(f"{t} {name};" for name, t in fields), f"varbit<{most}> tail;"]))
        types = list(self.layouts)
        members: list[Node] = []
        for i in range(self.random.randint(1, 2 + self.size)):
            self.headers.append(Header(f"hdr.a{i}", self.random.choice(types)))
            members.append(f"{self.headers[-1].type} a{i};")
        for i in range(self.upto(2)):
            self.stacks.append(Stack(f"hdr.s{i}", self.random.choice(fixed), self.random.randint(1, 4)))
            members.append(f"{self.stacks[-1].type}[{self.stacks[-1].size}] s{i};")
        inner = self._members("meta.inner.", 2)
        outer = self._members("meta.", 3)
        made.append(block("struct inner_t {", [f"{p.type} {p.text.split('.')[-1]};" for p in inner]))
        made.append(
            block(
                "struct meta_t {",
                [*(f"{self._kept()}{p.type} {p.text.split('.')[-1]};" for p in outer), "inner_t inner;"],
            )
        )
        made.append(block("struct headers_t {", members))
        self.metadata = [*inner, *outer]
        return made

    def _kept(self) -> str:
        """Lists of fields that packets keep in their second lives."""
        return self.random.choice(("", "@field_list(1) ", "@field_list(2) ", "@field_list(1, 2) "))

    def _fields(self) -> list[tuple[str, Type]]:
        """Fields that are whole bytes together."""
        scope, fields = Scope(self.random), []
        for i in range(self.random.randint(1, 5)):
            width = scope.width()
            fields.append((f"f{i}", Type("int", width + 1) if self.random.random() < 0.1 else bits(width)))
        if rest := -sum(t.width for _, t in fields) % 8:
            fields.insert(self.upto(len(fields)), ("rest", bits(rest)))
        return fields

    def _members(self, prefix: str, most: int) -> list[Place]:
        scope = Scope(self.random)
        return [Place(f"{prefix}m{i}", scope.type()) for i in range(self.random.randint(1, most))]

    # --- functions ---------------------------------------------------------------------------------------------------

    def _function(self) -> Node:
        scope, context = self.scope(headers=False), Context(self.names)
        parameters, texts = [], []
        for _ in range(self.random.randint(1, 3)):
            direction, name, type_ = (
                self.random.choice(("in", "in", "in", "inout", "out")),
                context.fresh("p"),
                scope.type(),
            )
            parameters.append((direction, type_))
            texts.append(f"{direction} {type_} {name}")
            scope.places.append(Place(name, type_, direction != "in"))
        result = None if self.random.random() < 0.2 else scope.type()
        first: list[Node] = [
            f"{p.text} = {scope.literal(t)};" for p, (d, t) in zip(scope.places, parameters, strict=True) if d == "out"
        ]
        made = body(scope, context, self.random.randint(1, 3), 1)
        if result is not None and self.random.random() < 0.4:
            early = block(f"if ({scope.expression(BOOL)}) {{", [f"return {scope.expression(result)};"])
            made.insert(len(made), early)
        last: list[Node] = [f"return {scope.expression(result)};"] if result is not None else []
        function = Function(context.fresh("f"), result, tuple(parameters))
        self.functions.append(function)
        return block(f"{result or 'void'} {function.name}({', '.join(texts)}) {{", [*first, *made, *last])

    # --- the parser --------------------------------------------------------------------------------------------------

    def _parser(self) -> Node:
        number = self.random.randint(1, 2 + self.size)
        waiting = [h.text for h in self.headers]
        self.random.shuffle(waiting)
        states = []
        for i in range(number):
            states.append(self._state(i, number, waiting))
        head = "parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {"
        return block(head, states)

    def _state(self, number: int, states: int, waiting: list[str]) -> Node:
        scope, context = self.scope(), Context(self.names, parser=True)
        scope.places += INTRINSIC[:2]
        made: list[Node] = []
        consumes = False
        for _ in range(self.random.randint(1, 2)):
            what = self.random.choice(("extract",) * 5 + ("next", "next", "advance", "lookahead", "verify", "assign"))
            if what == "extract" and waiting:
                header = waiting.pop()
                variable = next(h.type for h in self.headers if h.text == header) in self.variable
                length = f", (bit<32>)({scope.expression(bits(self.random.choice((1, 2, 3))), 1)} ++ 3w0)"
                made.append(f"packet.extract({header}{length if variable else ''});")
                consumes = True
            elif what == "next" and self.stacks:
                stack = self.random.choice(self.stacks)
                made.append(f"packet.extract({stack.text}.next);")
                scope.add_header(Header(f"{stack.text}.last", stack.type))
                scope.headers.pop()
                consumes = True
            elif what == "advance":
                amount = self.random.choice(("8", "16", f"(bit<32>)({scope.expression(bits(4), 1)} ++ 3w0)"))
                made.append(f"packet.advance({amount});")
                consumes = consumes or amount.isdigit()
            elif what == "lookahead":
                type_, name = bits(scope.width()), context.fresh("v")
                made.append(f"{type_} {name} = packet.lookahead<{type_}>();")
                scope.places.append(Place(name, type_))
            elif what == "verify":
                made.append(f"verify({scope.expression(BOOL)}, error.{self.random.choice(ERRORS[1:])});")
            else:
                scope.writable_headers = False
                made += body(scope, context, 1, 1)
        onward = [f"s{i}" for i in range(number + 1, states)] + ["accept", "accept"]
        back = [f"s{i}" for i in range(1, number + 1)] if consumes else []  # a loop takes in something each time round
        if self.random.random() < 0.2:
            onward.append("reject")
        name = f"s{number}" if number else "start"
        return block(f"state {name} {{", [*made, *self._transition(scope, onward, back)])

    def _transition(self, scope: Scope, onward: list[str], back: list[str]) -> list[Node]:
        """Somewhere, by a select mostly; its first case leads onward, so that a parser has an end."""
        if self.random.random() < 0.25:
            return [f"transition {self.random.choice(onward)};"]
        known = [p for p in scope.places if p.type.kind == "bit" and not p.text.startswith("meta")]
        subjects = []
        for _ in range(self.random.choice((1, 1, 1, 2))):
            if known and self.random.random() < 0.8:
                place = self.random.choice(known[-12:])
                subjects.append((place.text, place.type))
            elif self.random.random() < 0.4:
                width = self.random.choice((1, 4, 8, 16))
                subjects.append((f"packet.lookahead<bit<{width}>>()", bits(width)))
            else:
                type_ = bits(scope.width())
                subjects.append((scope.expression(type_, 1), type_))
        cases: list[Node] = []
        for _ in range(self.random.randint(1, 4)):
            keys = [
                keyset(scope, t, self.random.choice(("exact", "exact", "ternary", "range", "any"))) for _, t in subjects
            ]
            joined = keys[0] if len(keys) == 1 else f"({', '.join(keys)})"
            cases.append(f"{joined} : {self.random.choice(onward + back if cases else onward)};")
        if self.random.random() < 0.7:
            cases.append(f"default : {self.random.choice(onward + back)};")
        return [block(f"transition select({', '.join(text for text, _ in subjects)}) {{", cases)]

    # --- controls ----------------------------------------------------------------------------------------------------

    def _nested(self) -> Node:
        """A control with parameters of its own."""
        scope, context = self.scope(headers=False), Context(self.names, leaves="return exit")
        parameters: list[tuple[str, Type | str]] = []
        texts: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            name = context.fresh("p")
            if self.random.random() < 0.4:
                kind = self.random.choice(list(self.layouts))
                parameters.append(("inout", kind))
                texts.append(f"inout {kind} {name}")
                scope.add_header(Header(name, kind))
            else:
                type_ = self.random.choice(self.metadata).type if self.random.random() < 0.7 else scope.type()
                direction = self.random.choice(("in", "inout", "out"))
                parameters.append((direction, type_))
                texts.append(f"{direction} {type_} {name}")
                scope.places.append(Place(name, type_, direction != "in"))
        first: list[Node] = [
            f"{text.split()[-1]} = {scope.literal(t)};"
            for text, (d, t) in zip(texts, parameters, strict=True)
            if d == "out" and isinstance(t, Type)
        ]
        control = Control(context.fresh("N"), tuple(parameters))
        declared = self._declarations(scope, context)
        made = body(scope, context, self.random.randint(1, 2 + self.size), 2)
        self.controls.append(control)
        return block(f"control {control.name}({', '.join(texts)}) {{", [*declared, block("apply {", [*first, *made])])

    def _pipe(self, name: str) -> Node:
        ingress = name == "I"
        scope = self.scope()
        scope.places += INTRINSIC if ingress else INTRINSIC[:1] + EGRESS
        context = Context(self.names, externs=True, leaves="return exit", metadata="ingress" if ingress else "egress")
        context.lives = self.lives
        for control in self.controls:
            if self.random.random() < 0.6:
                context.controls += [(context.fresh("n"), control) for _ in range(self.random.choice((1, 1, 2)))]
        declared: list[Node] = [f"{control.name}() {instance};" for instance, control in context.controls]
        declared += self._declarations(scope, context)
        made: list[Node] = []
        if ingress:
            made.append(f"sm.egress_spec = {self.random.choice(('1', '2', '(7w0 ++ sm.ingress_port[1:0])'))};")
            if self.random.random() < 0.5:
                error = self.random.choice(ERRORS)
                made.append(block(f"if (sm.parser_error == error.{error}) {{", ["sm.egress_spec = 3;"]))
        if ingress or self.random.random() < 0.7:
            made += body(scope, context, self.random.randint(1, 3 + 3 * self.size), 2)
            made += [f"{table}.apply();" for table, _ in context.tables]
        if ingress and self.random.random() < 0.7:
            made.append("sm.egress_spec = 7w0 ++ sm.egress_spec[1:0];")  # dropped packets tell nothing
        return block(f"control {name}({STANDARD}) {{", [*declared, block("apply {", made)])

    def _declarations(self, scope: Scope, context: Context) -> list[Node]:
        """Registers, counters, variables, actions and tables of a control."""
        made: list[Node] = []
        for _ in range(0 if self.lives else self.upto(1)):
            type_ = bits(self.random.choice((1, 7, 8, 16, 32, 48, 64)))
            register = Register(context.fresh("r"), type_, self.random.choice((1, 4, 16)))
            context.registers.append(register)
            made.append(f"register<{type_}>({register.size}) {register.name};")
        for _ in range(self.upto(1)):
            kind = self.random.choice(("packets", "bytes", "packets_and_bytes"))
            context.counters.append((context.fresh("c"), 8))
            made.append(f"counter(8, CounterType.{kind}) {context.counters[-1][0]};")
        for _ in range(self.upto(2)):
            type_, name = scope.type(), context.fresh("v")
            made.append(f"{type_} {name} = {scope.literal(type_)};")
            scope.places.append(Place(name, type_))
        actions: list[Action] = []
        for _ in range(self.random.randint(1, 2 + self.size)):
            actions.append(self._action(scope, context, made))
        context.actions += actions
        for _ in range(self.upto(1 + self.size)):
            self._table(scope, context, actions, made)
        return made

    def _action(self, scope: Scope, context: Context, made: list[Node]) -> Action:
        inner = scope.inner()
        own = Context(self.names, leaves=self.random.choice(("", "return", "exit")), metadata=context.metadata)
        own.registers, own.counters = context.registers, context.counters
        own.actions, own.externs = list(context.actions), context.externs
        parameters: list[tuple[str, Type]] = []
        texts = []
        for _ in range(self.upto(2)):
            parameters.append((self.random.choice(("in", "inout")), scope.type()))
        for _ in range(self.upto(2)):
            parameters.append(("", bits(self.random.choice((1, 8, 9, 9, 16, 33, 48, 70)))))
        if self.random.random() < 0.6:
            parameters = [(d, t) for d, t in parameters if not d]
        for direction, type_ in parameters:
            name = context.fresh("p")
            texts.append(f"{direction} {type_} {name}".strip())
            inner.places.append(Place(name, type_, direction == "inout"))
        action = Action(context.fresh("act"), tuple(parameters))
        first: list[Node] = []
        nine = [t.split()[-1] for t in texts if t.startswith("bit<9>")]
        if nine and context.metadata == "ingress":
            first.append(f"sm.egress_spec = {nine[0]};")
        made.append(
            block(
                f"action {action.name}({', '.join(texts)}) {{",
                [*first, *body(inner, own, self.random.randint(1, 3), 1)],
            )
        )
        context.actions.append(action)
        context.actions.pop()
        return action

    # --- tables ------------------------------------------------------------------------------------------------------

    def _table(self, scope: Scope, context: Context, actions: list[Action], made: list[Node]) -> None:
        name = context.fresh("t")
        keys = self._keys(scope)
        listed: list[tuple[str, Action]] = []
        for action in self.random.sample(actions, self.random.randint(1, len(actions))):
            bound = [(d, t) for d, t in action.parameters if d]
            given = []
            for direction, type_ in bound:
                known = [p.text for p in scope.places if p.writable and p.type == type_]
                if direction == "in":
                    given.append(scope.expression(type_, 1))
                elif known:
                    given.append(self.random.choice(known))
            if len(given) == len(bound) and not any("apply" in g for g in given):
                listed.append((f"{action.name}({', '.join(given)})" if bound else action.name, action))
        properties: list[Node] = []
        if keys:
            properties.append(
                block(
                    "key = {",
                    [f"{text} : {kind}{f' @name({chr(34)}k{i}{chr(34)})'};" for i, (text, _, kind) in enumerate(keys)],
                )
            )
        runs = [text for text, _ in listed]
        properties.append(f"actions = {{ {' '.join(f'{text};' for text in runs)} NoAction; }}")
        if keys and listed and self.random.random() < 0.4:
            properties.append(self._entries(scope, keys, listed))
        if listed and self.random.random() < 0.6:
            text, action = self.random.choice(listed)
            const = self.random.choice(("", "const "))
            properties.append(f"{const}default_action = {self._run(scope, text, action)};")
        if keys and self.random.random() < 0.3:
            counter = context.fresh("d")
            made.append(f"direct_counter(CounterType.packets_and_bytes) {counter};")
            properties.append(f"counters = {counter};")
        if keys and self.random.random() < 0.5:
            properties.append(f"size = {self.random.choice((16, 64, 1024))};")
        made.append(block(f"table {name} {{", properties))
        context.tables.append((name, [action.name for _, action in listed] + ["NoAction"]))

    def _keys(self, scope: Scope) -> list[tuple[str, Type, str]]:
        keys, lpm = [], False
        kinds = self.random.choice(
            (
                ("exact",),
                ("exact", "lpm"),
                ("lpm",),
                ("exact", "ternary", "lpm", "optional"),
                ("range", "ternary", "exact"),
            )
        )
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 2, 3))):
            kind = self.random.choice(kinds)
            if kind == "lpm" and lpm:
                kind = "exact"
            lpm = lpm or kind == "lpm"
            known = [p for p in scope.places if p.type.kind == "bit"]
            if known and self.random.random() < 0.7:
                place = self.random.choice(known)
                keys.append((place.text, place.type, kind))
            elif self.random.random() < 0.3 and kind == "exact":
                keys.append((scope.expression(BOOL, 1), BOOL, kind))
            else:
                type_ = bits(self.random.choice((1, 4, 8, 16, 33, 64, 70, 128)))
                keys.append((scope.expression(type_, 1), type_, kind))
        return keys

    def _entries(self, scope: Scope, keys: list[tuple[str, Type, str]], listed: list[tuple[str, Action]]) -> Node:
        lines: dict[str, Node] = {}
        for _ in range(self.random.randint(1, 4)):
            parts = [keyset(scope, t, kind) for _, t, kind in keys]
            text = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
            lines.setdefault(text, f"{text} : {self._run(scope, *self.random.choice(listed))};")
        return block("const entries = {", list(lines.values()))

    def _run(self, scope: Scope, text: str, action: Action) -> str:
        """A call of an action as tables have it: what has no direction is constant."""
        values = [
            scope.literal(t) if t.width != 9 else str(self.random.randrange(4)) for d, t in action.parameters if not d
        ]
        head = (
            text[:-1] + ", "
            if text.endswith(")") and values
            else text.removesuffix(")")
            if text.endswith(")")
            else text + "("
        )
        return f"{head}{', '.join(values)})"

    # --- the rest ----------------------------------------------------------------------------------------------------

    def _checked(self, only: str, call: str) -> list[Node]:
        """A checksum over some fields of a header, where one has a field for it."""
        found = [(h, n) for h in self.headers for n, t in self.layouts[h.type] if t == bits(16)]
        if not found or self.random.random() < 0.3:
            return []
        header, name = self.random.choice(found)
        others = [f"{header.text}.{n}" for n, t in self.layouts[header.type] if n != name and t.kind == "bit"]
        if not others:
            return []
        data = ", ".join(others)
        return [f"{call}({header.text}.isValid(), {{ {data} }}, {header.text}.{name}, HashAlgorithm.csum16);"]

    def _verify(self) -> Node:
        made = self._checked("V", "verify_checksum")
        return block("control V(inout headers_t hdr, inout meta_t meta) {", [block("apply {", made)])

    def _update(self) -> Node:
        made = self._checked("C", "update_checksum")
        return block("control C(inout headers_t hdr, inout meta_t meta) {", [block("apply {", made)])

    def _deparser(self) -> Node:
        emits = [f"packet.emit({h.text});" for h in (*self.headers, *self.stacks)]
        if self.random.random() < 0.3:
            self.random.shuffle(emits)
        if self.random.random() < 0.2:
            emits = emits[:-1]
        return block("control D(packet_out packet, in headers_t hdr) {", [block("apply {", list(emits))])


def keyset(scope: Scope, type_: Type, kind: str) -> str:
    """A key of a select case or an entry."""
    if type_ == BOOL:
        return scope.literal(BOOL)
    value, other = scope.value(type_.width), scope.value(type_.width)
    if kind == "any" or (kind != "exact" and scope.chance(0.15)):
        return "_"
    if kind == "ternary" and scope.chance(0.8):
        return f"{value:#x} &&& {other:#x}"
    if kind == "range" and scope.chance(0.8):
        return f"{min(value, other)} .. {max(value, other)}"
    if kind == "lpm" and scope.chance(0.8):
        length = scope.random.randint(0, type_.width)
        prefix = ((1 << length) - 1) << (type_.width - length)
        return f"{value & prefix:#x} &&& {prefix:#x}"
    return f"{value:#x}"


def make(seed: int, size: int = 2) -> tuple[Node, ...]:
    """The program of a seed; size 0 is small, 3 large."""
    return Maker(seed, size).make()
