"""What tables must do for replies: what one kind of frames wants stays for the next, and a reply comes only behind its frame."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir.types import Bits
from transpiler.interpreter.tables import Call
from transpiler.traffic import replies
from transpiler.traffic.keys import Own
from transpiler.traffic.parser_paths import Shape
from transpiler.traffic.plan import Wishes
from transpiler.traffic.probe import Observation
from transpiler.traffic.replies import SAMPLES, SMALL, _is_constant, _pinned, _Search, answered
from transpiler.traffic.search import Frame
from transpiler.traffic.wellknown import Known, exchanged

FRAME = bytes(12) + b"\x08\x00\x45" + bytes(8) + b"\x11\0\0" + b"ssssdddd" + b"aabb" + bytes(30)
WISHES = Wishes(port=0)
ONE, TWO = Call("one", (1,)), Call("two", (2, 3))


@dataclass(frozen=True)
class Made:
    """A table's entries."""

    name: str
    bits: tuple[Any, ...] = (0, 1)
    call: Call = ONE
    ports: frozenset[int] = frozenset()
    rigid: frozenset[int] = frozenset()
    implementation: str | None = None

    @property
    def keys(self) -> Any:
        return SimpleNamespace(bits=self.bits)

    @property
    def table(self) -> Any:
        return SimpleNamespace(name=self.name, implementation=self.implementation)


@dataclass(frozen=True)
class Stream:
    template: Any
    entries: dict[str, Made]
    places: Any = None
    varied: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Plan:
    program: Any
    streams: tuple[Stream, ...]
    tables: tuple[Made, ...]
    wishes: Any


def template(*applied: tuple[str, tuple[int, ...]], state: bool = True, **outcomes: Call | None) -> Any:
    frame = Frame(Shape(len(FRAME) * 8, {}, {}), FRAME, (), Known())
    return SimpleNamespace(
        frame=frame, seen=SimpleNamespace(applied=applied), outcomes=outcomes, state=frozenset({"r"} if state else ()),
        hits=tuple(outcomes),
    )  # fmt: skip


def test_what_is_the_same_for_all_frames_can_be_chosen() -> None:
    """A key of constants, but of no action profile. The port to leave by is chosen for each entry."""
    assert _is_constant(Made("t", ())) and _is_constant(Made("t")) and not _is_constant(Made("t", (0, Own(0))))  # type: ignore[arg-type]
    assert not _is_constant(Made("t", implementation="p"))  # type: ignore[arg-type]
    made: Any = _pinned(Made("t", ports=frozenset({1}), rigid=frozenset({1})), Call("three", (1, 2, 3)))  # type: ignore[arg-type]
    assert (made.call, made.rigid) == (Call("three", (1, 2, 3)), {0, 2})


def test_what_one_kind_wants_stays_for_all_that_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The entries of all kinds before it; kinds without replies change nothing."""
    first, second, shared, other = Made("a"), Made("b"), Made("c"), Made("d", (Own(0),))
    streams = tuple(
        Stream(template((one.name, (at,)), ("c", (7,)), ("d", (8,))), {one.name: one, "c": shared, "d": other})
        for at, one in enumerate((first, second, first, first))
    )
    asked: list[Any] = []
    last = {("a", (3,)): TWO, ("c", (7,)): TWO}
    found = iter([
        ({("a", (0,)): ONE, ("c", (7,)): TWO}, {("c", (9,)): ONE}), ({("b", (1,)): ONE, ("c", (7,)): TWO}, {("x", (1,)): TWO}),
        None, (last, {("e", (1,)): ONE}),
    ])  # fmt: skip

    class Search:
        def __init__(self, plan: Any, stream: Any, port: int, fixed: Any) -> None:
            asked.append((stream, port, dict(fixed)))

        def found(self) -> Any:
            return next(found)

    monkeypatch.setattr(replies, "_Search", Search)
    diagnostics = Diagnostics()
    plan: Any = Plan(SimpleNamespace(span=Span("p.p4", 1, 1)), streams, (first, second, shared, other), WISHES)
    made: Any = answered(plan, 5, diagnostics)
    before = {("a", (0,)): ONE, ("c", (7,)): TWO, ("c", (9,)): ONE}
    both = before | {("b", (1,)): ONE, ("x", (1,)): TWO}
    assert [one[:2] for one in asked] == [(stream, 5) for stream in streams]
    assert [one[2] for one in asked] == [{}, before, both, both]
    assert [(one.stream, one.order, one.entries) for one in made.replies] == [
        (0, exchanged(FRAME), {("c", (9,)): ONE}), (1, exchanged(FRAME), {("x", (1,)): TWO}),
        (3, exchanged(FRAME), {("e", (1,)): ONE}),
    ]  # fmt: skip
    calls = {one.name: (one.call, one.rigid) for one in made.plan.tables}
    assert calls == {"a": (TWO, {0, 1}), "b": (ONE, {0}), "c": (TWO, {0, 1}), "d": (ONE, frozenset())}
    for stream in made.plan.streams:
        assert all(one in made.plan.tables for one in stream.entries.values())
    assert not diagnostics.messages


def test_where_there_are_no_replies_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "_Search", lambda *_: SimpleNamespace(found=lambda: None))
    diagnostics = Diagnostics()
    plan: Any = Plan(SimpleNamespace(span=Span("p.p4", 3, 1)), (Stream(template(), {}),), (), WISHES)
    assert answered(plan, 1, diagnostics) == replies.Answered(plan)
    [message] = diagnostics.messages
    assert (message.severity.value, message.code, str(message.span)) == ("warning", "traffic", "p.p4:3:1")
    assert message.message == "no replies: none comes out only behind the frame that it answers"


class Chance:
    """It draws what it is told."""

    def __init__(self, *drawn: float) -> None:
        self.drawn = list(drawn)

    def random(self) -> float:
        return self.drawn.pop(0)


def searching(stream: Stream, **more: Any) -> Any:
    made: Any = _Search.__new__(_Search)
    made.stream, made.fixed, made.port, made.base = stream, {}, 1, {"x": None}
    made.constant, made.others = list(stream.entries), [SimpleNamespace(name="t")]
    program = SimpleNamespace(table={name: SimpleNamespace(name=name) for name in "abt"})
    made.plan = Plan(program, (stream,), (), WISHES)
    for name, value in more.items():
        setattr(made, name, value)
    return made


def test_tables_do_what_they_were_found_to_do_most_often() -> None:
    """What other kinds want already goes before."""
    stream = Stream(template(("a", (1,)), ("b", (2,)), a=ONE, b=TWO), {"a": Made("a"), "b": Made("b")})
    made = searching(stream, chance=Chance(0.5, 0.74, 0.75, 0.5, 0.9), _any=lambda table: Call(f"any {table.name}", ()))
    assert made._there() == {"a": ONE, "b": TWO}
    assert made._there() == {"a": Call("any a", ()), "b": TWO}
    made.fixed = {("a", (1,)): TWO}
    made._any = lambda table: None
    assert made._there() is None


@pytest.mark.parametrize("width", [1, 2, 48])
def test_any_action_has_small_arguments(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = searching(Stream(template(), {}), chance=Random(1))
    made.plan.program.action = {"one": SimpleNamespace(parameters=("x",))}
    made.plan.program.variable = {"x": SimpleNamespace(type=Bits(width))}
    monkeypatch.setattr(replies, "uses", lambda program, table: None)
    monkeypatch.setattr(replies, "any_outcome", lambda of, chance: Call("one", (99,)))
    drawn = {made._any(SimpleNamespace()).arguments[0] for _ in range(80)}
    assert drawn == set(range(min(SMALL, 1 << width)))
    monkeypatch.setattr(replies, "any_outcome", lambda of, chance: None)
    assert made._any(SimpleNamespace()) is None


def answers(monkeypatch: pytest.MonkeyPatch, **more: Any) -> Any:
    """What a reply meets; `alone`: what it does by itself, `out`: the ports of the frame, `then`: what it does behind that."""
    monkeypatch.setattr(replies, "single", lambda table, key, call: None if call in more.get("forbidden", ()) else call)
    runs: list[Any] = []
    applied = (("a", (1,)), ("t", (4,)), ("b", (5,)))
    alone = more.get("alone", Observation((), (), True))
    then = more.get("then", Observation(applied, (0,), True))

    def run(data: bytes, outcomes: Any, fixed: Any = None, port: int | None = None) -> Any:
        runs.append((data, dict(outcomes), fixed, port))
        return alone if fixed is not None else SimpleNamespace(ports=more.get("out", (1,)))

    stream = Stream(template(("a", (1,)), a=ONE), {"a": Made("a")})
    probe = SimpleNamespace(run=run, then=lambda data, outcomes, fixed, port: runs.append((data, fixed, port)) or then)
    made = searching(stream, probe=probe, fixed=more.get("fixed", {}))
    found = made._answers(stream.template.frame, {"a": TWO}, {"t": ONE, "b": None}, more.get("before", {}))
    return found, runs


def test_a_reply_comes_out_behind_its_frame_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    found, runs = answers(monkeypatch)
    assert found == {("t", (4,)): ONE}  # what it misses needs no entry, and what the frame meets has one
    reply = bytes(FRAME[at] for at in exchanged(FRAME))
    own = {("a", (1,)): TWO}
    assert runs == [(reply, {"t": ONE, "b": None}, own, 1), (FRAME, {"x": None, "a": TWO}, None, None), (reply, own, 1)]
    applied = (("t", (4,)),)
    for refused in (
        {"alone": Observation((), (0,), True)}, {"alone": Observation((), (), False)}, {"out": ()}, {"out": (1, 2)},
        {"then": Observation(applied, (), True)}, {"then": Observation(applied, (1,), True)},
        {"then": Observation(applied, (0, 0), True)}, {"forbidden": (ONE,)},
    ):  # fmt: skip
        assert answers(monkeypatch, **refused)[0] is None


def test_keys_that_other_frames_have_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the first frame's reply met is there, what others want, too, and what the frame's tables do goes before that."""
    found, runs = answers(monkeypatch, before={("b", (5,)): TWO}, fixed={("t", (4,)): TWO, ("a", (1,)): ONE})
    assert found == {("t", (4,)): TWO, ("b", (5,)): TWO}
    assert runs[0][1] == {"t": None, "b": None} and runs[0][2] == {("t", (4,)): TWO, ("a", (1,)): TWO, ("b", (5,)): TWO}


def test_what_suits_one_frame_must_suit_others_of_its_kind() -> None:
    stream = Stream(template(("a", (1,)), a=ONE), {"a": Made("a")}, {"a": (3, 4)}, (5, 6))
    met = {("t", (4,)): ONE}
    tries: list[Any] = []

    def suits(frame: Any, there: Any, back: Any, before: Any) -> Any:
        tries.append((frame, dict(before)))
        return met if len(tries) != 3 else {}

    made = searching(
        stream, _there=lambda: {"a": TWO}, _any=lambda table: ONE, _answers=suits, _alike=lambda frame: ["x", "y"]
    )
    assert made.found() == ({("a", (1,)): TWO}, met)
    assert [one[0] for one in tries] == [stream.template.frame, "x", "y", stream.template.frame, "x", "y"]
    assert [one[1] for one in tries] == [{}, met, met] * 2
    without = Stream(template(state=False), {})
    assert searching(without).found() is None
    made._there = lambda: None
    assert made.found() is None and len(tries) == 6


def test_other_frames_of_a_kind_differ_in_the_bits_that_are_its_own() -> None:
    stream = Stream(template(), {}, {"a": (3, 4), "b": (11,)}, (5, 6))
    frames = searching(stream, chance=Random(1))._alike(stream.template.frame)
    assert len(frames) == SAMPLES and len({frame.data for frame in frames}) > 8
    turned = {
        bit for frame in frames for bit in range(80) if (frame.data[bit // 8] ^ FRAME[bit // 8]) >> (7 - bit % 8) & 1
    }
    assert turned == {3, 4, 5, 6, 11} and all(frame.data[2:] == FRAME[2:] for frame in frames)
