"""What is generated for programs: kinds of frames, the keys of tables, single frames, the commands that fill the tables, as text
beside (`--update-golden` writes it anew). Without z3, whose answers differ from version to version."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import switches

from transpiler.diagnostics import Diagnostics
from transpiler.interpreter.tables import Call
from transpiler.traffic import planning, points
from transpiler.traffic.entries import write
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.keys import Data, KeyBit, Own, Shared, Unknown
from transpiler.traffic.plan import Plan, Stream, Wishes
from transpiler.traffic.planning import plan
from transpiler.traffic.replies import Reply, answered
from transpiler.traffic.ways import ways

HERE = Path(__file__).parent / "traffic"
TESTS, APPS = HERE.parents[1], HERE.parents[2] / "apps"
PROGRAMS: dict[str, tuple[Path, dict[str, Any]]] = {
    "action_data": (HERE / "action_data.p4", {"ports": 3}),
    "balancer": (APPS / "balancer" / "balancer.p4", {"ports": 4}),
    "beside": (TESTS / "traffic" / "beside.p4", {"seed": 3}),
    "copied": (TESTS / "traffic" / "copied.p4", {"port": 1, "ports": 3}),
    "firewall": (APPS / "firewall" / "firewall.p4", {}),
    "port_types": (TESTS / "traffic" / "port_types.p4", {}),
    "profiles": (TESTS / "packets" / "profiles.p4", {"hit": 0.5}),
    "references": (HERE / "references.p4", {"seed": 5}),
    "restricted": (TESTS / "traffic" / "restricted.p4", {"entries": {None: 12}}),
    "shared_tables": (HERE / "shared_tables.p4", {"hit": 0.9}),
    "router": (APPS / "router" / "router.p4", {"hit": 0.75, "lengths": {None: "16-24"}}),
    "tables": (TESTS / "packets" / "tables.p4", {"hit": 0.5, "entries": {None: 9}}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_generated(name: str, golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (planning, points):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    path, wanted = PROGRAMS[name]
    diagnostics, wishes = Diagnostics(), Wishes(**{"entries": {None: 6}, **wanted})
    made, replies = plan(switches.load(path), wishes, diagnostics, lambda done, total: None), ()
    if name == "firewall":
        both = answered(made, wishes.outward, diagnostics)
        made, replies = both.plan, both.replies
    out = io.BytesIO()
    write(made, out, lambda count: None, replies)
    said = [f"{message.severity.value}: {message.message}" for message in diagnostics.messages]
    lines = (*said, *told(made), *map(told_of_reply, replies), "", *out.getvalue().decode().splitlines())
    golden(HERE / f"{name}.txt", "\n".join(lines) + "\n")


def told(made: Plan) -> Iterator[str]:
    numbers = {id(one): number for number, one in enumerate(made.tables)}
    for stream in made.streams:
        yield from told_of_stream(stream, numbers)
    for number, one in enumerate(made.tables):
        yield from told_of_table(number, one)
    for point in made.points:
        yield f"single frame {frame(point.template.frame.data)}: to {point.template.seen.ports}"
        yield from (f"    {table} {key}: {call_of(call)}" for (table, key), call in point.entries.items())
    for parameter, fed in made.feeds.items():
        yield f"{parameter} is in a key of {fed.keys.table}: {fed.bits}"
    for parameter, named in made.named.items():
        yield f"{parameter} is one of {named.values}, turn {named.turn}"
    yield f"copies: {made.copies}; room is left: {made.spares}"
    shares = sorted((span.line, share) for span, share in ways(made).items())
    yield "come to lines: " + ", ".join(f"{line} {share:.3f}" for line, share in dict.fromkeys(shares))


def told_of_stream(stream: Stream, numbers: Mapping[int, int]) -> Iterator[str]:
    seen, shape = stream.template.seen, stream.template.frame.shape
    yield f"frames {frame(stream.template.frame.data)}: {shape.bits} bits, weight {stream.weight:.4f}"
    yield f"    fixed {ranges(shape.fixed)}; varied {stream.varied and ranges(stream.varied)}; cells {stream.cells}"
    yield f"    to {seen.ports}, itself {seen.forwarded}, copies {seen.copies}, feeders {dict(stream.feeders)}"
    for name, key in seen.applied:
        one = stream.entries.get(name)
        entries = "none" if one is None else f"{numbers[id(one)]} at {ranges(stream.places[name])}"
        yield f"    {name} {key}: {call_of(stream.template.outcomes.get(name))}, entries {entries}"


def told_of_table(number: int, one: TableEntries) -> Iterator[str]:
    keys = one.keys
    yield f"entries {number} of {one.table.name}: {one.count}, left out {one.left_out}, {call_of(one.call)}"
    yield f"    ports {sorted(one.ports)}, rigid {sorted(one.rigid)}, indexes {dict(one.indexes)}, follows {keys.follows}"
    yield f"    marks {keys.marks}, part {keys.part}, groups {keys.groups}, fed {[(k.table, bits) for k, bits in keys.fed]}"
    yield f"    key {', '.join(pieces(keys.bits))}"
    for pattern in keys.patterns:
        masks = " ".join(f"{mask:#x}" for mask in one.masks(pattern.cares))
        yield f"    {pattern.count} with {masks}"


def told_of_reply(reply: Reply) -> str:
    entries = "; ".join(f"{table} {key}: {call_of(call)}" for (table, key), call in reply.entries.items())
    return f"reply to kind {reply.stream}: bytes {ranges(reply.order)}; {entries}"


def frame(data: bytes) -> str:
    return data.rstrip(b"\0").hex() + f"+{len(data) - len(data.rstrip(bytes(1)))}"


def call_of(call: Call | None) -> str:
    return "a miss" if call is None else f"{call.action}{call.arguments}"


def ranges(numbers: Iterable[int]) -> str:
    """Those that follow each other as one."""
    result = []
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        result.append(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]))
    return " ".join(result) or "none"


def pieces(bits: Iterable[KeyBit]) -> Iterator[str]:
    """The bits of a key, those of one source together."""

    def source(bit: KeyBit) -> str:
        match bit:
            case Own():
                return "own"
            case Shared(table=table):
                return f"as {table}"
            case Data():
                return "data"
            case Unknown():
                return "unknown"
        return f"constant {bit}"

    for name, group in groupby(bits, source):
        run = list(group)
        indexes = [bit.index for bit in run if isinstance(bit, Own | Shared | Data)]
        yield f"{name} {ranges(indexes)}" if indexes else f"{name} x {len(run)}"
