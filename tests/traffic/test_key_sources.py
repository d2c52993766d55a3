"""Where the bits of keys come from, and what action data are for: found by turning over bits."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from transpiler.hlir.program import MatchKind
from transpiler.hlir.types import Bits
from transpiler.interpreter.tables import Call
from transpiler.traffic.parser_paths import Shape
from transpiler.traffic.probe import Observation
from transpiler.traffic.search import Frame, Template
from transpiler.traffic.sources import DataBit, _Experiment, trace
from transpiler.traffic.symbolic import ONE, UNKNOWN, ZERO
from transpiler.traffic.wellknown import Known

WIDTHS = {"x": 16, "y": 9, "z": 4}


def program(*keys: int) -> Any:
    """Table t with keys of these widths, whose action has x, y and z; arrays of 100 and 40 cells."""
    matched = [
        SimpleNamespace(match_kind=MatchKind.EXACT, expression=SimpleNamespace(type=Bits(width))) for width in keys
    ]
    sizes = {"r": 100, "q": 40}
    return SimpleNamespace(
        table={"t": SimpleNamespace(keys=matched)}, action={"put": SimpleNamespace(parameters=tuple(WIDTHS))},
        variable={name: SimpleNamespace(type=Bits(width)) for name, width in WIDTHS.items()},
        extern={name: SimpleNamespace(attribute=lambda _, size=size: str(size)) for name, size in sizes.items()},
    )  # fmt: skip


CALL = Call("put", (5, 1, 3))
SEEN = Observation((("t", (0b0101,)),), (1,), True, (("r", (5,)), ("q", (5,))))


def experiment(seen: Observation = SEEN, keys: tuple[int, ...] = (4,), run: Any = None) -> Any:
    frame = Frame(Shape(8, {}, {}), b"\x05" + bytes(63), (), Known())
    lead = Template(frame, {"t": CALL}, seen)
    return _Experiment(program(*keys), SimpleNamespace(run=run), lead)


@pytest.mark.parametrize(
    ("bit", "changed", "what"),
    [
        (DataBit("t", 0, 15), {}, {}),
        (DataBit("t", 0, 15), {"ports": ()}, {"rigid": {("t", 0)}}),  # it does not come out any more
        (DataBit("t", 0, 15), {"cells": (("r", ()), ("q", (5,)))}, {"rigid": {("t", 0)}}),  # there is no such cell
        (DataBit("t", 0, 15), {"cells": (("q", (5,)),)}, {"rigid": {("t", 0)}}),
        (DataBit("t", 1, 8), {"ports": (0,)}, {"ports": {("t", 1)}}),
        (DataBit("t", 1, 8), {"ports": (7,)}, {}),  # by another port, which is not that number
        (DataBit("t", 0, 15), {"ports": (0,)}, {}),
        (DataBit("t", 0, 15), {"cells": (("r", (4,)), ("q", (4,)))}, {"indexes": {("t", 0): 40}}),
        (DataBit("t", 0, 15), {"cells": (("r", (4,)), ("q", (5,)))}, {"indexes": {("t", 0): 100}}),
        (DataBit("t", 0, 14), {"cells": (("r", (4,)), ("q", (4,)))}, {}),  # another number than the parameter's
        (DataBit("t", 2, 3), {"cells": (("r", (4,)), ("q", (4,)))}, {}),
    ],
)
def test_what_a_parameter_is_for(bit: DataBit, changed: dict[str, Any], what: dict[str, Any]) -> None:
    made = experiment()
    made._note_use(bit, replace(SEEN, **changed))
    found = {"ports": made.sources.ports, "rigid": made.sources.rigid, "indexes": made.sources.indexes}
    assert found == {"ports": set(), "rigid": set(), "indexes": {}} | what


def test_the_smallest_array_bounds_an_index() -> None:
    """In whichever order they are come to."""
    for order in ((0, 1), (1, 0)):
        cells = [tuple((name, (at,)) for name in ("r", "q")) for at in (5, 4)]
        before, now = (tuple(one[place] for place in order) for one in cells)
        made = experiment(replace(SEEN, cells=before))
        made._note_use(DataBit("t", 0, 15), replace(SEEN, cells=now))
        assert made.sources.indexes == {("t", 0): 40}


def numbered(flips: Any, way: Any = lambda bits: True) -> tuple[bool, dict[Any, Any]]:
    """What is noted of a key of one bit that flips for some of the bits 10 to 12 turned over together."""
    made = experiment(replace(SEEN, applied=(("t", (0,)),)), (1,))

    def turned(bits: list[int]) -> Observation:
        return replace(SEEN, applied=(("t", (int(flips(set(bits))),)),), ports=(1,) if way(bits) else ())

    return made._numbered([10, 11, 12], turned), made.touching


@pytest.mark.parametrize(
    ("flips", "sources"),
    [
        (lambda bits: 10 in bits, [10]), (lambda bits: 11 in bits, [11]), (lambda bits: 12 in bits, [12]),
        (lambda bits: False, []),
        (lambda bits: len(bits & {10, 11}) == 1, [UNKNOWN]),  # a sum of two bits
        (lambda bits: len(bits) == 1, [UNKNOWN]),  # only where the others are turned over
        (lambda bits: True, [UNKNOWN]),
    ],
)  # fmt: skip
def test_a_bit_tells_its_number(flips: Any, sources: list[Any]) -> None:
    told, touching = numbered(flips)
    assert told and touching == ({("t", 0): sources} if sources else {})


def test_where_bits_lead_another_way_each_is_tried() -> None:
    assert numbered(lambda bits: 10 in bits, lambda bits: 12 not in bits)[0] is False


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (lambda frame, call: frame & 0x0F, [4, 5, 6, 7]),
        (lambda frame, call: frame >> 4, [0, 1, 2, 3]),
        (lambda frame, call: ~frame & 0x0F, [UNKNOWN] * 4),  # the other way round
        (lambda frame, call: 0b0110, [ZERO, ONE, ONE, ZERO]),
        (lambda frame, call: call[0] & 0x0F, [DataBit("t", 0, bit) for bit in range(12, 16)]),
        (lambda frame, call: call[2], [DataBit("t", 2, bit) for bit in range(4)]),
        (lambda frame, call: (frame & 0x0F) ^ (call[0] & 3), [4, 5, UNKNOWN, UNKNOWN]),
        (lambda frame, call: frame & 0x0C | call[0] & 3, [4, 5, DataBit("t", 0, 14), DataBit("t", 0, 15)]),
        (lambda frame, call: (frame & 0x0F) if call[2] == 3 else frame >> 4, [4, 5, 6, 7]),  # z chooses
    ],
)
def test_sources_of_a_key(key: Any, expected: list[Any]) -> None:
    """Of the frame, of action data, or always so; what several bits change is not known."""

    def run(data: bytes, outcomes: Any) -> Observation:
        return Observation((("t", (key(data[0], outcomes["t"].arguments) & 0x0F,)),), (1,), True)

    frame = Frame(Shape(8, {}, {}), b"\x05" + bytes(63), (), Known())
    lead = Template(frame, {"t": CALL}, run(frame.data, {"t": CALL}))
    made = trace(program(4), SimpleNamespace(run=run), lead)  # type: ignore[arg-type]
    assert made.keys == {"t": expected}
    assert made.rigid == (
        {("t", 2)} if isinstance(expected[0], int) and key(5, (5, 1, 2)) != key(5, (5, 1, 3)) else set()
    )


def test_bits_that_the_parser_has_fixed_or_that_lead_another_way_are_constant() -> None:
    def run(data: bytes, outcomes: Any) -> Observation:
        return Observation((("t", (data[0] & 0x0F,)),), () if data[0] & 2 else (1,), True)

    frame = Frame(Shape(8, {5: 1}, {}), b"\x05" + bytes(63), (), Known())
    lead = Template(frame, {"t": CALL}, run(frame.data, {"t": CALL}))
    assert trace(program(4), SimpleNamespace(run=run), lead).keys == {"t": [4, ONE, ZERO, 7]}  # type: ignore[arg-type]


def test_data_that_lead_another_way_stay_as_they_are() -> None:
    def run(data: bytes, outcomes: Any) -> Observation:
        x, _, z = outcomes["t"].arguments
        return Observation((("t", (x & 0x0C | z & 3,)),), (1,) if x & 4 and z & 1 else (), True)

    frame = Frame(Shape(8, {}, {}), b"\x05" + bytes(63), (), Known())
    lead = Template(frame, {"t": CALL}, run(frame.data, {"t": CALL}))
    made = trace(program(4), SimpleNamespace(run=run), lead)  # type: ignore[arg-type]
    assert made.rigid == {("t", 0), ("t", 2)} and made.keys == {"t": [ZERO, ONE, ONE, ONE]}


@pytest.mark.parametrize(("felt", "runs"), [("", 1), ("c", 5), ("ce", 9), ("abcdef", 9)])
def test_groups_of_bits_that_a_frame_feels(felt: str, runs: int) -> None:
    """All at once, and halves of those with which it does something else."""
    asked: list[str] = []

    def with_data(bits: list[str]) -> str:
        asked.append("".join(bits))
        return "".join(bit for bit in bits if bit in felt)

    made: Any = _Experiment.__new__(_Experiment)
    made.template, made._with_data = SimpleNamespace(seen=""), with_data
    groups = [["a"], ["b", "c"], ["d"], ["e"], ["f"]]
    found = made._felt(groups)
    assert found == [(group, "".join(b for b in group if b in felt)) for group in groups if set(group) & set(felt)]
    assert len(asked) == runs and asked[0] == "abcdef"
    assert made._felt([]) == [] and len(asked) == runs
