"""Random v1model programs in HLIR: controls full of tables, branches, blocks that are left, registers, logs; and, where that is
asked for, packets that are cloned, resubmitted, recirculated, replicated and dropped."""

from __future__ import annotations

from random import Random

from hlir_builder import (
    AT,
    Builder,
    any_,
    apply,
    binary,
    const,
    emit,
    exact,
    extract,
    goto,
    h,
    if_,
    select,
    state,
    valid,
)

from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bool
from transpiler.interpreter.replication import Replication, Session

FIELDS = ("a.x", "a.y", "a.z", "o.x", "o.y", "s[0].x", "s[1].x", "m0", "m1", "m2")
LOCALS = ("l0", "l1")  # of ingress: what is local belongs to one control
HEADERS = ("o", "s[0]", "s[1]", "o2")
REGISTERS = ("r0", "r1")
GROUPS = {1: ((1, (2, 3)), (2, (1,))), 2: ()}  # (replication id, ports) of the nodes of a group
SESSIONS = {0: Session(3), 1: Session(2, 1), 2: Session(None, 2)}
KEPT = ("m0", "m1", "m2", "o.x", "a.z")
DROP = 511


def replication() -> Replication:
    """The groups and clone sessions that the programs ask for; session 3 is not there."""
    made = Replication()
    for group, nodes in GROUPS.items():
        made.create_group(group)
        for rid, ports in nodes:
            made.associate(group, made.create_node(rid, ports))
    made.sessions.update(SESSIONS)
    return made


class Maker:
    """Makes one program; `tables` is how many tables it declares, `size` how many statements a body has. `asks`: of what it may
    ask for packets, "clone", "resubmit", "recirculate" and "replicate"."""

    def __init__(
        self, random: Random, tables: int = 4, size: int = 4, stateful: bool = True, asks: tuple[str, ...] = ()
    ) -> None:
        self.random = random
        self.b = Builder()
        self.size = size
        self.stateful = stateful
        self.asks, self.pipe = asks, "ingress"
        self.labels = 0
        self.fields = FIELDS
        self.tables = [f"t{i}" for i in range(tables)]

    def program(self, two_pipes: bool = False) -> pr.Program:
        b = self.b
        b.header("a", "a_t", x=8, y=8, z=8)
        b.header("o", "o_t", x=8, y=8)
        b.header("o2", "o_t")
        b.stack("s", "s_t", 2, x=8)
        for name in ("m0", "m1", "m2"):
            b.variable(name, 8)
        for name in LOCALS:
            b.variable(name, 8, pr.Storage.LOCAL)
        b.variable("rounds", 8)
        b.variable("passes", 8)
        b.variable("hit", Bool())
        for name in REGISTERS:
            b.extern(name, "register", size=4, width=8)
        b.extern("c", "counter", size=4, unit="packets_and_bytes")
        self._tables()
        self.fields = FIELDS + LOCALS
        ingress = [self._port(), *self._body(3, ())]
        self.fields, self.pipe = FIELDS, "egress"
        egress = self._body(2, ()) if self.random.random() < 0.7 else []
        if two_pipes:
            ingress.append(b.set("sm.mcast_grp", ex.Cast(self._zero(), b.type_of("sm.mcast_grp"), AT)))
        parser = [
            state("start", [extract("a")], select(b.get("a.x"), (exact(1, 8), "more"), (any_(), "accept"))),
            state("more", [extract("o"), extract("s[0]")], goto("accept")),
        ]
        return b.build(parser, ingress, egress, [emit(n) for n in ("a", "o", "s[0]", "s[1]")])

    def _zero(self) -> ex.Expression:
        """Zero, which no analysis finds out: it may be any group."""
        return binary(">>", binary(">>", self.b.get("a.z"), const(4, 8)), const(4, 8))

    def _port(self) -> st.Assign:
        return self.b.set("sm.egress_spec", ex.Cast(self.b.get("a.y"), self.b.type_of("sm.egress_spec"), AT))

    def _tables(self) -> None:
        random, b = self.random, self.b
        names = [f"act{i}" for i in range(4)]
        for name in names:
            b.variable(f"{name}.p", 8, pr.Storage.ACTION_DATA)
            body = [self._simple((f"{name}.p",)) for _ in range(random.randint(0, 3))]
            b.actions.append(pr.Action(name, (f"{name}.p",), tuple(body), AT))
        for table in self.tables:
            keys = [(random.choice(FIELDS), random.choice(("exact", "ternary"))) for _ in range(random.randint(1, 2))]
            keys = list(dict(keys).items())
            some = random.sample(names, 2)
            found = {tuple(random.randint(0, 3) for _ in keys) for _ in range(random.randint(0, 5))}
            entries = [
                b.entry([exact(v, 8) for v in key], random.choice(some), [random.randint(0, 3)], priority)
                for priority, key in enumerate(sorted(found))
            ]
            b.table(table, keys, some, entries=entries, const_entries=True)

    def _body(self, depth: int, labels: tuple[str, ...]) -> list[st.Statement]:
        return [self._statement(depth, labels) for _ in range(self.random.randint(1, self.size))]

    def _statement(self, depth: int, labels: tuple[str, ...]) -> st.Statement:
        random = self.random
        if self.asks and random.random() < 0.2:
            return self._request()
        choice = random.random()
        if depth and choice < 0.15:
            otherwise = self._body(depth - 1, labels) if random.random() < 0.6 else []
            return if_(self._condition(), self._body(depth - 1, labels), otherwise)
        if depth and choice < 0.22:
            return self._switch(depth, labels)
        if depth and choice < 0.3:
            self.labels += 1
            label = f"b{self.labels}"
            return st.Block(label, tuple(self._body(depth - 1, (*labels, label))), AT)
        if labels and choice < 0.38:
            return if_(self._condition(), [st.Leave(random.choice(labels), AT)])
        if depth and choice < 0.41:
            return self._loop()
        if choice < 0.65:
            return apply(random.choice(self.tables), "hit" if random.random() < 0.4 else None)
        return self._simple(())

    def _switch(self, depth: int, labels: tuple[str, ...]) -> st.Switch:
        cases = ((0,), (1, 3))
        made = (st.SwitchCase(values, tuple(self._body(depth - 1, labels)), AT) for values in cases)
        return st.Switch(self._value(()), tuple(made), tuple(self._body(depth - 1, labels)), AT)

    def _loop(self) -> st.Block:
        """Up to three rounds, with an early way out."""
        self.labels += 1
        label = f"b{self.labels}"
        inner = [apply(self.random.choice(self.tables))] if self.random.random() < 0.5 else []
        out = if_(self._condition(), [st.Leave(label, AT)])
        body = (*inner, self.b.set("rounds", binary("|+|", self.b.get("rounds"), const(50, 8))), out)
        loop = st.While(binary("<", self.b.get("rounds"), const(255, 8)), body, AT)
        return st.Block(label, (loop,), AT)

    def _simple(self, extra: tuple[str, ...]) -> st.Statement:
        random, b = self.random, self.b
        choice = random.random()
        if choice < 0.5 or (choice >= 0.7 and not self.stateful):
            return b.set(random.choice(self.fields), self._value(extra))
        if choice < 0.6:
            return st.SetValid(h(random.choice(HEADERS)), random.random() < 0.6, AT)
        if choice < 0.65:
            return st.CopyHeader(h("o2"), h("o"), AT) if random.random() < 0.5 else st.CopyHeader(h("o"), h("o2"), AT)
        if choice < 0.67:
            return self._indexed()
        if choice < 0.7:
            source, target = random.sample(("s[0]", "s[1]"), 2)
            return st.CopyHeader(h(target), h(source), AT)
        if choice < 0.85:
            register, index = random.choice(REGISTERS), const(random.randint(0, 4), 32)
            if random.random() < 0.5:
                return b.call("register.read", register, index, out=random.choice(self.fields))
            return b.call("register.write", register, index, self._value(extra))
        if choice < 0.93:
            return b.call("counter.count", "c", ex.Cast(self._value(extra), b.type_of("sm.packet_length"), AT))
        return b.call("log.message", None, ex.Text("{}", AT), ex.ListExpression((self._value(extra),), AT))

    def _request(self) -> st.Statement:
        """Something that is asked for a packet: for one that was received, or in up to three passes; seldom in more."""
        random, b = self.random, self.b
        asked = random.choice((*self.asks, *self.asks, "drop", "count"))
        sometimes = (
            binary("!=", b.get("a.z"), const(random.randrange(4), 8)) if random.random() < 0.5 else self._condition()
        )
        first = binary("==", b.get("sm.instance_type"), const(0, 32))
        if asked == "drop":
            return if_(self._condition(), [b.set("sm.egress_spec", DROP if random.random() < 0.7 else 1)])
        if asked == "count":
            return b.call("counter.count", "c", ex.Cast(self._value(()), b.type_of("sm.packet_length"), AT))
        if asked == "replicate":
            return if_(sometimes, [b.set("sm.mcast_grp", random.choice((0, 1, 1, 2, 3)))])
        kept = random.sample(KEPT, random.randint(0, 3))
        if self.pipe == "egress" or random.random() < 0.5:  # there it is a normal packet in all passes
            first = binary("<", b.get("passes"), const(3 if random.random() < 0.97 else 20, 8))
            kept.append("passes")
        more = b.set("passes", binary("|+|", b.get("passes"), const(1, 8)))
        return if_(binary("&&", sometimes, first), [more, self._call(asked, kept)])

    def _call(self, asked: str, kept: list[str]) -> st.Statement:
        """The extern call; resubmit counts in ingress only."""
        random, b = self.random, self.b
        if asked == "clone":
            session = ex.Cast(self._value(()), b.type_of("sm.packet_length"), AT)
            return b.call(f"clone.{self.pipe}", None, session, fields=kept)
        if asked == "resubmit" and self.pipe == "egress":
            asked = "recirculate" if "recirculate" in self.asks else "resubmit"
        return b.call(f"{asked}.request", None, fields=random.sample(kept, len(kept)))

    def _indexed(self) -> st.Statement:
        """Something with a stack element whose index is known at run time only, and now and then out of range."""
        random, b = self.random, self.b
        element = ex.ElementRef("s", b.get(random.choice(self.fields)), AT)
        choice = random.randrange(4)
        if choice == 0:
            return st.CopyHeader(element, h(random.choice(("s[0]", "s[1]"))), AT)
        if choice == 1:
            return st.CopyHeader(h(random.choice(("s[0]", "s[1]"))), element, AT)
        if choice == 2:
            return st.SetValid(element, random.random() < 0.5, AT)
        return st.Assign(ex.FieldRef(element, "x", AT), self._value(()), AT)

    def _value(self, extra: tuple[str, ...]) -> ex.Expression:
        random, b = self.random, self.b
        choice = random.random()
        if choice < 0.25:
            return const(random.randint(0, 3), 8)
        if choice < 0.8:
            return b.get(random.choice((*self.fields, *extra, *extra, *extra)))
        return binary(
            random.choice(("+", "&", "^")), b.get(random.choice(self.fields)), b.get(random.choice(self.fields))
        )

    def _condition(self) -> ex.Expression:
        random, b = self.random, self.b
        choice = random.random()
        if choice < 0.25:
            return valid(random.choice(HEADERS))
        if choice < 0.5:
            return b.get("hit")
        return binary(random.choice(("==", "<", "!=")), self._value(()), self._value(()))


def frames(random: Random, count: int) -> list[bytes]:
    """Frames that the random programs' parsers and tables know something of, some too short."""
    made = []
    for _ in range(count):
        frame = bytes(random.choice((0, 1, 1, 2, 3)) for _ in range(random.choice((2, 3, 5, 6, 6, 6, 7, 9))))
        made.append(frame)
    return made
