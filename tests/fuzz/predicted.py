"""Random programs whose effect on frames Python predicts. All executions are compared with the prediction. This finds faults
that the compiler and the interpreter share, as one frontend serves both.

A header of numbers and a stack come in. A parser, ingress and egress work on them, on metadata and on standard metadata, in
up to three passes of a packet. The results go out in front of the frame. `makers.py` makes the programs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from known import ELEMENT, ELEMENTS, STACK, Env, Known, wrapped
from layout import Node, block, render
from oracle import Build, Failure, Subject
from scope import Type, bits, literal
from steps import Step, nodes, run_all
from strategies import Scenario

STANDARD = "inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm"
STANDARD_FIELDS = {  # in bits, as v1model has them; times apart
    "ingress_port": 9,
    "egress_spec": 9,
    "egress_port": 9,
    "instance_type": 32,
    "packet_length": 32,
    "enq_qdepth": 19,
    "deq_timedelta": 32,
    "deq_qdepth": 19,
    "mcast_grp": 16,
    "egress_rid": 16,
    "checksum_error": 1,
    "priority": 3,
}
FRAMES = 12
BATCHES = ((1, 1), (32, 8))
NORMAL, RECIRCULATED, RESUBMITTED = 0, 4, 6
OF_RECIRCULATE, OF_RESUBMIT = 1, 2  # field lists
AGAIN = {OF_RECIRCULATE: "$recirculated", OF_RESUBMIT: "$resubmitted"}  # names of requests in the environment
REGISTER, CELLS = "$cells", 4  # what outlives a packet
Fields = tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True)
class Predicted:
    """A program; `wide` and `out` are the fields of its two headers, `meta` its metadata with the field lists that keep them.
    `declared` stands in front of the parser, `inside` in ingress; `select`: subjects, the cases with the states that they
    lead to."""

    wide: Fields
    out: Fields
    meta: tuple[tuple[str, Type, tuple[int, ...]], ...]
    declared: tuple[Node, ...]
    inside: tuple[Node, ...]
    parsing: tuple[Step, ...]
    select: tuple[tuple[Known, ...], tuple[tuple[tuple[int, ...], Step], ...]]
    steps: tuple[Step, ...]
    later: tuple[Step, ...]

    def nodes(self) -> tuple[Node, ...]:
        def header(name: str, fields: Fields) -> Node:
            return block(f"header {name} {{", [f"{t} {n};" for n, t in fields])

        zeros: list[Node] = [f"hdr.o.{name} = {literal(t, 0)};" for name, t in self.out]
        ingress = ["hdr.o.setValid();", *zeros, *nodes(self.steps), "sm.egress_spec = 1;", "sm.mcast_grp = 0;"]
        lists = [f"@field_list({', '.join(map(str, kept))}) " if kept else "" for _, _, kept in self.meta]
        metadata: list[Node] = [f"{kept}{t} {n};" for kept, (n, t, _) in zip(lists, self.meta, strict=True)]
        return (
            "#include <core.p4>",
            "#include <v1model.p4>",
            header("in_t", self.wide),
            header("out_t", self.out),
            header("one_t", (("v", ELEMENT),)),
            f"struct headers_t {{ out_t o; in_t i; one_t[{ELEMENTS}] s; }}",
            block("struct meta_t {", metadata),
            *self.declared,
            block(f"parser P(packet_in packet, {STANDARD.replace('inout headers', 'out headers')}) {{", self._states()),
            "control V(inout headers_t hdr, inout meta_t meta) { apply { } }",
            block(f"control I({STANDARD}) {{", [*self.inside, block("apply {", ingress)]),
            block(f"control E({STANDARD}) {{", [block("apply {", [*nodes(self.later), "sm.egress_spec = 0;"])]),
            "control C(inout headers_t hdr, inout meta_t meta) { apply { } }",
            "control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }",
            "V1Switch(P(), V(), I(), E(), C(), D()) main;",
        )

    def _states(self) -> list[Node]:
        subjects, cases = self.select
        chosen: list[Node] = [f"({', '.join(map(str, keys))}): s{n};" for n, (keys, _) in enumerate(cases)]
        select = block(f"transition select({', '.join(s.text for s in subjects)}) {{", [*chosen, "default: accept;"])
        taken: list[Node] = ["packet.extract(hdr.i);", *["packet.extract(hdr.s.next);"] * ELEMENTS]
        states = [block(f"state s{n} {{", [step.node, "transition accept;"]) for n, (_, step) in enumerate(cases)]
        return ["Sub() sub;", block("state start {", [*taken, *nodes(self.parsing), select]), *states]

    @property
    def size(self) -> int:
        """Bytes that the parser takes."""
        return sum(t.width for _, t in self.wide) // 8 + ELEMENTS

    # --- what it does ------------------------------------------------------------------------------------------------

    def answers(self, packets: Iterable[tuple[int, bytes]]) -> list[bytes]:
        """What comes of frames at ports, each as long as the headers, or longer."""
        memory = {f"{REGISTER}.{i}": 0 for i in range(CELLS)}
        return [self._life(port, frame, NORMAL, {}, memory) for port, frame in packets]

    def _life(self, port: int, frame: bytes, instance: int, kept: Env, memory: Env) -> bytes:
        env = self._received(port, frame, instance) | kept | memory
        self._parse(env)
        run_all(self.steps, env)
        memory.update({name: env[name] for name in memory})
        if env.pop(AGAIN[OF_RESUBMIT], 0):
            return self._life(port, frame, RESUBMITTED, self._kept(env, OF_RESUBMIT), memory)
        lost = ("egress_spec", "mcast_grp", "egress_rid", "instance_type", "enq_qdepth", "deq_timedelta", "deq_qdepth")
        length = len(frame) + sum(t.width for _, t in self.out) // 8  # with the header that ingress has put in
        env.update({f"sm.{name}": 0 for name in lost} | {"sm.egress_port": 1, "sm.packet_length": length})
        run_all(self.later, env)
        memory.update({name: env[name] for name in memory})
        stack = bytes(env[f"{STACK}[{i}].v"] for i in range(ELEMENTS))
        sent = _packed(env, "hdr.o.", self.out) + _packed(env, "hdr.i.", self.wide) + stack + frame[self.size :]
        if env.get(AGAIN[OF_RECIRCULATE]):
            return self._life(port, sent, RECIRCULATED, self._kept(env, OF_RECIRCULATE), memory)
        return sent

    def _received(self, port: int, frame: bytes, instance: int) -> Env:
        env = {f"hdr.o.{name}": 0 for name, _ in self.out} | {f"meta.{name}": 0 for name, _, _ in self.meta}
        env |= {f"sm.{name}": 0 for name in STANDARD_FIELDS}
        env |= {"sm.ingress_port": port, "sm.packet_length": len(frame), "sm.instance_type": instance}
        rest = sum(t.width for _, t in self.wide)
        whole = int.from_bytes(frame[: rest // 8], "big")
        env |= {f"{STACK}[{i}].v": frame[rest // 8 + i] for i in range(ELEMENTS)}
        for name, type_ in self.wide:
            rest -= type_.width
            env[f"hdr.i.{name}"] = wrapped(whole >> rest, type_)
        return env

    def _parse(self, env: Env) -> None:
        run_all(self.parsing, env)
        subjects, cases = self.select
        found = tuple(subject.worth(env) for subject in subjects)
        for keys, step in cases:
            if keys == found:
                step.run(env)
                return

    def _kept(self, env: Env, number: int) -> Env:
        return {f"meta.{name}": env[f"meta.{name}"] for name, _, lists in self.meta if number in lists}


def another_pass(number: int, passes: str, condition: Known) -> Step:
    """Resubmit or recirculate, once in all passes of a packet, under a condition; `passes`: a field that both lists keep."""
    method = {OF_RECIRCULATE: "recirculate", OF_RESUBMIT: "resubmit"}[number]
    call = f"{method}_preserving_field_list({number});"

    def run(env: Env) -> None:
        if not env[passes] & number and condition.worth(env):
            env.update({passes: env[passes] | number, AGAIN[number]: 1})

    head = f"if (({passes} & {number}) == 0 && {condition.text}) {{"
    return Step(block(head, [f"{passes} = {passes} | {number};", call]), run)


def _packed(env: Env, prefix: str, fields: Fields) -> bytes:
    value = width = 0
    for name, type_ in fields:
        value, width = value << type_.width | env[prefix + name], width + type_.width
    return value.to_bytes(width // 8, "big")


# --- comparing -------------------------------------------------------------------------------------------------------


def examine(made: Predicted, folder: Path, seed: int, build: Build | None = None) -> Failure | None:
    """Whether the interpreter, before and after passes, and, with a build, the switch do what was predicted."""
    subject = Subject.of_text(folder, render(made.nodes()))
    if failure := subject.read():
        return failure
    scenario = Scenario((), (), tuple(_frames(made, Random(seed))))
    wanted = made.answers(scenario.packets)
    if failure := _compare(wanted, subject.expected(scenario).frames, "interpreter", scenario):
        return failure
    if (failure := subject.passes_differ(scenario)) or build is None:
        return failure
    failure = subject.compile(build) or subject.switch_differs(scenario, BATCHES)
    return replace(failure, build=build) if failure else None


def _compare(wanted: list[bytes], frames: dict[int, list[bytes]], who: str, scenario: Scenario) -> Failure | None:
    got = frames.get(1, [])
    for at, ((_, sent), expected, came) in enumerate(zip(scenario.packets, wanted, got, strict=False), 1):
        if expected != came:
            said = f"of {sent.hex()} {expected.hex()} was predicted, {came.hex()} came"
            return Failure("predicted", f"{who}: {said}", replace(scenario, packets=scenario.packets[:at]))
    if len(wanted) != len(got):
        return Failure("predicted", f"{who}: {len(wanted)} frames were sent, {len(got)} came", scenario)
    return None


def _frames(made: Predicted, random: Random) -> list[tuple[int, bytes]]:
    ends = [b"\0" * made.size, b"\xff" * made.size, (b"\x80" + b"\0" * made.size)[: made.size]]
    others = [random.randbytes(made.size + random.choice((0, 0, 3))) for _ in range(FRAMES - len(ends))]
    return [(random.randrange(4), frame) for frame in ends + others]


def smallest(made: Predicted, failure: Failure, folder: Path, seed: int) -> tuple[Predicted, Failure]:
    """Take away statements as long as the same step fails."""
    for part in ("steps", "later", "parsing"):
        at = 0
        while at < len(whole := getattr(made, part)):
            less = replace(made, **{part: whole[:at] + whole[at + 1 :]})
            again_ = examine(less, folder, seed, failure.build if failure.step in ("switch", "compiler") else None)
            if again_ is not None and again_.step == failure.step:
                made, failure = less, again_
            else:
                at += 1
    return made, failure


PASSES = ("passes", bits(8), (OF_RECIRCULATE, OF_RESUBMIT))
