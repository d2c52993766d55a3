"""Random programs of the size of production ones: 50 tables and 300 fields at size 2. Their shape is that of such programs: a
chain of headers, metadata that tables write and later tables match, a few statements between lookups.
"""

from __future__ import annotations

from random import Random

from layout import Node, block

TABLES = (12, 25, 50, 100)  # by size
WIDTHS = (1, 2, 3, 4, 4, 7, 8, 8, 9, 12, 16, 16, 24, 32, 48, 64, 128)
KINDS = ("exact", "exact", "exact", "ternary", "lpm", "range", "optional")
TINY = 4  # values of keys in constant entries
HEADERS = 8
Place = tuple[str, int]  # a field, its bits


def make(seed: int, size: int = 2) -> tuple[Node, ...]:
    """The program of a seed."""
    return _Maker(Random(seed), TABLES[size]).program()


class _Maker:
    def __init__(self, random: Random, tables: int) -> None:
        self.random = random
        self.tables = tables
        self.headers = [self._fields(f"hdr.h{i}.f", tables * 3 // HEADERS) for i in range(HEADERS)]
        self.metadata = self._fields("meta.m", tables * 3)
        self.known: list[Place] = []  # of the control that is being made

    def _fields(self, prefix: str, count: int) -> list[Place]:
        return [(f"{prefix}{i}", self.random.choice(WIDTHS)) for i in range(count)]

    def program(self) -> tuple[Node, ...]:
        kinds = [block(f"header h{i}_t {{", self._members(fields, True)) for i, fields in enumerate(self.headers)]
        headers = block("struct headers_t {", [f"h{i}_t h{i};" for i in range(HEADERS)])
        metadata = block("struct meta_t {", self._members(self.metadata, False))
        return (
            "#include <core.p4>", "#include <v1model.p4>", *kinds, headers, metadata, self._parser(),
            "control V(inout headers_t hdr, inout meta_t meta) { apply { } }",
            self._control("I", self.tables * 4 // 5), self._control("E", self.tables - self.tables * 4 // 5),
            "control C(inout headers_t hdr, inout meta_t meta) { apply { } }",
            block("control D(packet_out p, in headers_t hdr) {", [block("apply {", ["p.emit(hdr);"])]),
            "V1Switch(P(), V(), I(), E(), C(), D()) main;",
        )  # fmt: skip

    def _members(self, fields: list[Place], whole: bool) -> list[Node]:
        lines: list[Node] = [f"bit<{width}> {name.rpartition('.')[2]};" for name, width in fields]
        if whole:
            lines += ["bit<8> next;", f"bit<{-sum(width for _, width in fields) % 8 or 8}> rest;"]
        return lines

    def _parser(self) -> Node:
        """From each header to one of two later ones, or to the end."""
        states = [block("state start {", ["transition s0;"])]
        for i in range(HEADERS):
            later = [f"s{j}" for j in range(i + 1, HEADERS)] or ["accept"]
            first, second = self.random.choice(later[:2]), self.random.choice(later)
            cases: list[Node] = [f"0: {first};", f"1: {second};", "2 &&& 0xfe: accept;", f"default: {later[0]};"]
            lines: list[Node] = [f"p.extract(hdr.h{i});", block(f"transition select(hdr.h{i}.next) {{", cases)]
            states.append(block(f"state s{i} {{", lines))
        takes = "packet_in p, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm"
        return block(f"parser P({takes}) {{", list(states))

    # --- controls ----------------------------------------------------------------------------------------------------

    def _control(self, name: str, count: int) -> Node:
        self.known = [*self.metadata, *(field for fields in self.headers for field in fields)]
        actions = [self._action(f"a{i}", name) for i in range(max(2, count * 2 // 3))]
        tables = [self._table(f"t{i}", [f"a{j}" for j in range(len(actions))]) for i in range(count)]
        state: list[Node] = [f"register<bit<{self.metadata[0][1]}>>(16) r;"]
        order = [f"t{i}" for i in range(count)]
        body = block("apply {", self._body(order, 2))
        takes = "inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm"
        return block(f"control {name}({takes}) {{", [*state, *actions, *tables, body])

    def _action(self, name: str, control: str) -> Node:
        parameters = [(f"p{i}", self.random.choice(WIDTHS)) for i in range(self.random.randint(0, 4))]
        lines: list[Node] = [self._assignment(parameters) for _ in range(self.random.randint(0, 4))]
        if control == "I" and self.random.random() < 0.3:
            lines.append(self.random.choice(("sm.egress_spec = sm.egress_spec ^ 1;", "mark_to_drop(sm);")))
        if self.random.random() < 0.1:
            lines.append(f"hdr.h{self.random.randrange(HEADERS)}.set{self.random.choice(('Valid', 'Invalid'))}();")
        return block(f"action {name}({', '.join(f'bit<{w}> {n}' for n, w in parameters)}) {{", lines)

    def _table(self, name: str, actions: list[str]) -> Node:
        kinds = [self.random.choice(KINDS) for _ in range(self.random.randint(1, 4))]
        while kinds.count("lpm") > 1:
            kinds.remove("lpm")
        keys = [self.random.choice(self.known) for _ in kinds]
        listed = "; ".join(f"{field}: {kind}" for (field, _), kind in zip(keys, kinds, strict=True))
        chosen = self.random.sample(actions, min(len(actions), self.random.randint(1, 3)))
        lines: list[Node] = [f"key = {{ {listed}; }}", f"actions = {{ {'; '.join(chosen)}; @defaultonly NoAction; }}"]
        return block(
            f"table {name} {{",
            [*lines, "default_action = NoAction();", f"size = {self.random.choice((16, 512, 4096))};"],
        )

    def _body(self, tables: list[str], depth: int) -> list[Node]:
        """Applies these tables, each at most once on a packet's way."""
        lines: list[Node] = []
        while tables:
            first, tables = tables[0], tables[1:]
            lines += self._applied(first)
            if self.random.random() < 0.5:
                lines.append(self._assignment([]))
            if depth and len(tables) > 3 and self.random.random() < 0.25:
                count = self.random.randint(1, min(8, len(tables)))
                inner, tables = tables[:count], tables[count:]
                half = self.random.randint(0, count)
                lines.append(block(f"if ({self._condition()}) {{", self._body(inner[:half], depth - 1)))
                lines.append(block("else {", self._body(inner[half:], depth - 1)))
        return lines

    def _applied(self, table: str) -> list[Node]:
        choice = self.random.random()
        if choice < 0.6:
            return [f"{table}.apply();"]
        then = [self._assignment([])]
        if choice < 0.9:
            return [block(f"if ({table}.apply().{self.random.choice(('hit', 'miss'))}) {{", list(then))]
        return [f"r.read({self.metadata[0][0]}, (bit<32>) sm.ingress_port);", f"{table}.apply();",
                f"r.write((bit<32>) sm.ingress_port, {self.metadata[0][0]});"]  # fmt: skip

    # --- expressions -------------------------------------------------------------------------------------------------

    def _assignment(self, more: list[Place]) -> str:
        target, width = self.random.choice(self.known)
        source, bits = self.random.choice([*self.known, *more * 40])
        value = source if bits == width else f"(bit<{width}>) {source}"
        choice = self.random.random()
        if choice < 0.2:
            value = f"{self.random.randrange(min(TINY, 1 << width))}"
        elif choice < 0.4:
            value = f"{target} {self.random.choice('+^&|')} ({value})"
        return f"{target} = {value};"

    def _condition(self) -> str:
        if self.random.random() < 0.4:
            return f"hdr.h{self.random.randrange(HEADERS)}.isValid()"
        field, width = self.random.choice(self.known)
        return f"{field} {self.random.choice(('==', '!=', '<'))} {self.random.randrange(min(TINY, 1 << width))}"
