"""Random programs of which this file reckons what they do to a frame, to hold all executions against.

Headers of numbers come in; statements over them and over variables; the results go out in front of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from random import Random

from layout import Node, block, render
from oracle import Build, Failure, Subject
from reckon import OPERATORS, Called, Env, Known, Names, expression, number, wrapped
from scope import BOOL, WIDE, WIDTHS, Type, bits, literal
from strategies import Scenario

STANDARD = "inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm"
FRAMES = 12
BATCHES = ((1, 1), (32, 8))


@dataclass(frozen=True, slots=True)
class Left(Exception):
    """A return, with what is returned."""

    value: int


@dataclass(frozen=True, slots=True)
class Step:
    """A statement: its text, what it does."""

    node: Node
    run: Callable[[Env], None]


@dataclass(frozen=True, slots=True)
class Reckoned:
    """A program; `wide` and `out` are the fields of its two headers."""

    wide: tuple[tuple[str, Type], ...]
    out: tuple[tuple[str, Type], ...]
    functions: tuple[Node, ...]
    steps: tuple[Step, ...]

    def nodes(self) -> tuple[Node, ...]:
        def header(name: str, fields: tuple[tuple[str, Type], ...]) -> Node:
            return block(f"header {name} {{", [f"{t} {n};" for n, t in fields])

        zeros: list[Node] = [f"hdr.o.{name} = {literal(t, 0)};" for name, t in self.out]
        body = ["hdr.o.setValid();", *zeros, *(step.node for step in self.steps), "sm.egress_spec = 1;"]
        return (
            "#include <core.p4>",
            "#include <v1model.p4>",
            header("in_t", self.wide),
            header("out_t", self.out),
            "struct headers_t { out_t o; in_t i; }",
            "struct meta_t { }",
            *self.functions,
            block(
                f"parser P(packet_in packet, {STANDARD.replace('inout headers', 'out headers')}) {{",
                [
                    block("state start {", ["packet.extract(hdr.i);", "transition accept;"]),
                ],
            ),
            "control V(inout headers_t hdr, inout meta_t meta) { apply { } }",
            block(f"control I({STANDARD}) {{", [block("apply {", body)]),
            f"control E({STANDARD}) {{ apply {{ }} }}",
            "control C(inout headers_t hdr, inout meta_t meta) { apply { } }",
            "control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }",
            "V1Switch(P(), V(), I(), E(), C(), D()) main;",
        )

    def answer(self, frame: bytes) -> bytes:
        """What comes of a frame that is as long as the header, or longer."""
        env = {f"hdr.o.{name}": 0 for name, _ in self.out}
        rest = width = sum(t.width for _, t in self.wide)
        whole = int.from_bytes(frame[: width // 8], "big")
        for name, type_ in self.wide:
            rest -= type_.width
            env[f"hdr.i.{name}"] = wrapped(whole >> rest, type_)
        for step in self.steps:
            step.run(env)
        return _packed(env, "hdr.o.", self.out) + _packed(env, "hdr.i.", self.wide) + frame[width // 8 :]


def _packed(env: Env, prefix: str, fields: tuple[tuple[str, Type], ...]) -> bytes:
    value = width = 0
    for name, type_ in fields:
        value, width = value << type_.width | env[prefix + name], width + type_.width
    return value.to_bytes(width // 8, "big")


# --- making ----------------------------------------------------------------------------------------------------------


class Maker:
    """Makes one program."""

    def __init__(self, seed: int, size: int) -> None:
        self.random = Random(seed)
        self.size = size
        self.counter = count(1)
        self.functions: list[Called] = []

    def make(self) -> Reckoned:
        wide, out = self._fields(6), self._fields(3 + self.size)
        texts = [self._function() for _ in range(self.random.randint(0, 2))]
        names = Names(self.random, {}, set(), self.functions)
        for prefix, fields in (("hdr.i.", wide), ("hdr.o.", out)):
            for name, type_ in fields:
                names.types[prefix + name] = type_
                names.writable.add(prefix + name)
        steps = [step for _ in range(4 + 3 * self.size) for step in self._statement(names, 2)]
        return Reckoned(wide, out, tuple(texts), tuple(steps))

    def _fields(self, most: int) -> tuple[tuple[str, Type], ...]:
        """Fields that are whole bytes together."""
        made = []
        for i in range(self.random.randint(2, most)):
            kind = self.random.choice(("bit", "bit", "int"))
            width = self.random.choice(WIDTHS if self.random.random() < 0.9 else WIDE)
            made.append((f"f{i}", Type(kind, width + (kind == "int"))))
        if rest := -sum(t.width for _, t in made) % 8:
            made.append(("rest", bits(rest)))
        return tuple(made)

    def _function(self) -> Node:
        """A function of numbers, which may write its arguments and return early."""
        names = Names(self.random, {}, set(), list(self.functions))
        parameters = []
        for _ in range(self.random.randint(1, 3)):
            direction, name, type_ = self.random.choice(("in", "inout")), f"p{next(self.counter)}", names.type()
            parameters.append((direction, name, type_))
            names.types[name] = type_
            if direction == "inout":
                names.writable.add(name)
        result = names.type()
        steps = [step for _ in range(self.random.randint(1, 3)) for step in self._statement(names, 1)]
        if self.random.random() < 0.5:
            steps.append(self._early(names, result))
        last = expression(names, result, 2)

        def run(env: Env) -> int:
            try:
                for step in steps:
                    step.run(env)
            except Left as left:
                return left.value
            return last.worth(env)

        name = f"f{next(self.counter)}"
        self.functions.append(Called(name, tuple(parameters), result, run))
        texts = ", ".join(f"{direction} {t} {n}" for direction, n, t in parameters)
        return block(f"{result} {name}({texts}) {{", [*(s.node for s in steps), f"return {last.text};"])

    def _early(self, names: Names, result: Type) -> Step:
        condition, value = expression(names, BOOL, 2), expression(names, result, 2)

        def run(env: Env) -> None:
            if condition.worth(env):
                raise Left(value.worth(env))

        return Step(block(f"if ({condition.text}) {{", [f"return {value.text};"]), run)

    # --- statements --------------------------------------------------------------------------------------------------

    def _statement(self, names: Names, depth: int) -> list[Step]:
        kinds = [self._assign] * 4 + [self._compound, self._slice, self._local]
        if depth > 0:
            kinds += [self._if, self._if, self._switch, self._for]
        return [self.random.choice(kinds)(names, depth)]

    def _target(self, names: Names) -> str | None:
        return self.random.choice(sorted(names.writable)) if names.writable else None

    def _assign(self, names: Names, depth: int) -> Step:
        target = self._target(names)
        return (
            self._local(names, depth)
            if target is None
            else _assigned(target, expression(names, names.types[target], 3))
        )

    def _local(self, names: Names, depth: int) -> Step:
        type_, name = names.type(), f"v{next(self.counter)}"
        step = _assigned(name, expression(names, type_, 3))
        names.types[name] = type_
        names.writable.add(name)
        return Step(f"{type_} {step.node}", step.run)

    def _compound(self, names: Names, depth: int) -> Step:
        target = self._target(names)
        if target is None:
            return self._local(names, depth)
        type_, operator = names.types[target], self.random.choice(tuple(OPERATORS))
        value = expression(names, type_, 2)

        def run(env: Env) -> None:
            before = number(env[target], type_)
            env[target] = OPERATORS[operator](before, number(value.worth(env), type_), type_)

        return Step(f"{target} {operator}= {value.text};", run)

    def _slice(self, names: Names, depth: int) -> Step:
        target = self._target(names)
        if target is None or names.types[target].width < 2:
            return self._assign(names, depth)
        low = self.random.randrange(names.types[target].width)
        high = self.random.randint(low, names.types[target].width - 1)
        value, hole = expression(names, bits(high - low + 1), 2), ((1 << (high - low + 1)) - 1) << low

        def run(env: Env) -> None:
            new = value.worth(env) << low
            env[target] = env[target] & ~hole | new

        return Step(f"{target}[{high}:{low}] = {value.text};", run)

    def _block(self, names: Names, depth: int) -> tuple[Step, ...]:
        inner = replace(names, types=dict(names.types), writable=set(names.writable))
        return tuple(s for _ in range(self.random.randint(1, 2)) for s in self._statement(inner, depth - 1))

    def _if(self, names: Names, depth: int) -> Step:
        condition, yes, no = expression(names, BOOL, 2), self._block(names, depth), self._block(names, depth)

        def run(env: Env) -> None:
            for step in yes if condition.worth(env) else no:
                step.run(env)

        first = block(f"if ({condition.text}) {{", _nodes(yes))
        return Step(replace(first, body=(*first.body, block("} else {", _nodes(no), ""))), run)

    def _switch(self, names: Names, depth: int) -> Step:
        type_ = names.type("bit")
        subject = expression(names, type_, 2)
        near = [0, 1, 2, 3, self.random.getrandbits(type_.width)]
        labels = sorted({wrapped(self.random.choice(near), type_) for _ in range(3)})
        arms = {label: self._block(names, depth) for label in labels}
        default = self._block(names, depth)

        def run(env: Env) -> None:
            for step in arms.get(subject.worth(env), default):
                step.run(env)

        cases: list[Node] = [block(f"{label}: {{", _nodes(steps)) for label, steps in arms.items()]
        return Step(block(f"switch ({subject.text}) {{", [*cases, block("default: {", _nodes(default))]), run)

    def _for(self, names: Names, depth: int) -> Step:
        """A few rounds, which an `if` may end."""
        name, last = f"i{next(self.counter)}", self.random.randint(0, 3)
        inner = replace(names, types={**names.types, name: bits(8)}, writable=set(names.writable))
        steps, end = self._block(inner, depth), expression(inner, BOOL, 1)

        def run(env: Env) -> None:
            for env[name] in range(last + 1):
                for step in steps:
                    step.run(env)
                if end.worth(env):
                    break

        leave = block(f"if ({end.text}) {{", ["break;"])
        return Step(block(f"for (bit<8> {name} in 0 .. {last}) {{", [*_nodes(steps), leave]), run)


def _assigned(target: str, value: Known) -> Step:
    def run(env: Env) -> None:
        env[target] = value.worth(env)

    return Step(f"{target} = {value.text};", run)


def _nodes(steps: tuple[Step, ...]) -> list[Node]:
    return [step.node for step in steps]


# --- comparing -------------------------------------------------------------------------------------------------------


def examine(made: Reckoned, folder: Path, seed: int, build: Build | None = None) -> Failure | None:
    """Whether the interpreter, before and after passes, and, with a build, the switch do what was reckoned."""
    subject = Subject.of_text(folder, render(made.nodes()))
    if failure := subject.read():
        return failure
    scenario = Scenario((), (), tuple((0, frame) for frame in _frames(made, Random(seed))))
    wanted = [made.answer(frame) for _, frame in scenario.packets]
    if failure := _compare(wanted, subject.expected(scenario).frames, "interpreter", scenario):
        return failure
    if (failure := subject.passes_differ(scenario)) or build is None:
        return failure
    failure = subject.compile(build) or subject.switch_differs(scenario, BATCHES)
    return replace(failure, build=build) if failure else None


def _compare(wanted: list[bytes], frames: dict[int, list[bytes]], who: str, scenario: Scenario) -> Failure | None:
    for (_, sent), expected, got in zip(scenario.packets, wanted, frames.get(1, []), strict=False):
        if expected != got:
            said = f"of {sent.hex()} {expected.hex()} was reckoned, {got.hex()} came"
            return Failure("reckoned", f"{who}: {said}", replace(scenario, packets=((0, sent),)))
    if len(wanted) != len(frames.get(1, [])):
        return Failure("reckoned", f"{who}: {len(wanted)} frames were sent, {len(frames.get(1, []))} came", scenario)
    return None


def _frames(made: Reckoned, random: Random) -> list[bytes]:
    size = sum(t.width for _, t in made.wide) // 8
    ends = [b"\0" * size, b"\xff" * size, (b"\x80" + b"\0" * size)[:size]]
    return ends + [random.randbytes(size + random.choice((0, 0, 3))) for _ in range(FRAMES - len(ends))]


def smallest(made: Reckoned, failure: Failure, folder: Path, seed: int) -> tuple[Reckoned, Failure]:
    """Take away statements as long as the same step fails."""
    at = 0
    while at < len(made.steps):
        less = replace(made, steps=made.steps[:at] + made.steps[at + 1 :])
        again = examine(less, folder, seed, failure.build if failure.step in ("switch", "compiler") else None)
        if again is not None and again.step == failure.step:
            made, failure = less, again
        else:
            at += 1
    return made, failure
