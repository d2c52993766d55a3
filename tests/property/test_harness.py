"""The harness itself: its packets reach the program, its scenarios tell a wrong switch from a right one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import switches
from harness import difference, outcome
from hlir_builder import Builder, apply, emit, extract, goto, state
from hypothesis import HealthCheck, Phase, given, settings, strategies as some
from strategies import Scenario, frames, parser_hints, scenarios

from macsad.stf.interpreted import InterpretedDevice
from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.interpreter.tables import RuntimeTable
from transpiler.interpreter.trace import Event

PACKETS = Path(__file__).parents[1] / "packets"
PORTS = (0, 1, 2, 3)
PROGRAMS = ("tables", "parsing", "state", "paths", "arithmetic")
RELAXED = settings(deadline=None, suppress_health_check=list(HealthCheck))
QUICK = settings(RELAXED, max_examples=12)
SEARCH = settings(RELAXED, database=None, derandomize=True, phases=[Phase.generate])


def load(name: str) -> Program:
    return switches.load(PACKETS / f"{name}.p4")


@pytest.mark.parametrize("name", PROGRAMS)
@settings(QUICK)
@given(data=some.data())
def test_the_interpreter_repeats_itself(name: str, data: some.DataObject) -> None:
    program = load(name)
    scenario: Scenario = data.draw(scenarios(program, PORTS))
    first, second = (outcome(program, InterpretedDevice(program), scenario, PORTS) for _ in range(2))
    assert difference(first, second) == ""


def small(kinds: tuple[str, ...]) -> Program:
    """One table over 16-bit keys of these kinds; its action sends to a port."""
    b = Builder()
    b.header("h", "h_t", **{f"k{i}": 16 for i in range(len(kinds))})
    b.variable("I.to.port", 9)
    b.action("I.to", b.set("sm.egress_spec", b.get("I.to.port")), port=9)
    b.table("I.t", [(f"h.k{i}", kind) for i, kind in enumerate(kinds)], ["I.to"])
    start = state("start", [extract("h")], goto("accept"))
    return b.build([start], [apply("I.t")], deparser=[emit("h")])


def reached(program: Program, *kinds: str, examples: int = 200) -> tuple[set[str], ...]:
    """What events of each kind some random scenarios lead to."""
    seen: dict[str, set[str]] = {kind: set() for kind in kinds}

    @settings(SEARCH, max_examples=examples)
    @given(data=some.data())
    def look(data: some.DataObject) -> None:
        def note(event: Event) -> None:
            if event.kind in seen:
                seen[event.kind].add(event.text)

        outcome(program, InterpretedDevice(program, trace=note), data.draw(scenarios(program, PORTS)), PORTS)

    look()
    return tuple(seen.values())


def test_packets_reach_every_state_and_error_of_the_parser() -> None:
    program = load("parsing")
    states, told = reached(program, "state", "error")
    assert states == {"start", "options", "next", "labels", "peek", "skip"}
    errors = {text.split()[0] for text in told}
    assert {"error.PacketTooShort", "error.NoMatch", "error.BadVersion", "error.StackOutOfBounds"} <= errors


@pytest.mark.parametrize(
    "kinds",
    [("exact", "exact"), ("lpm",), ("exact", "lpm"), ("ternary", "ternary"), ("range", "optional")],
    ids="-".join,
)
def test_packets_hit_and_miss_entries(kinds: tuple[str, ...]) -> None:
    (tables,) = reached(small(kinds), "table", examples=120)
    outcomes = [text.split(": ")[1] for text in tables]
    assert sum(text.startswith("hit entry") for text in outcomes) > 10
    assert sum(text.startswith("miss") for text in outcomes) > 10


class SmallestWins(InterpretedDevice):
    """A switch that takes the smaller priority, as a careless one would."""

    def add_entry(self, table, matches, action, arguments, priority):  # type: ignore[no-untyped-def]
        return super().add_entry(table, matches, action, arguments, 2000 - priority)


class ForgetsTheLastByte(InterpretedDevice):
    """A switch that loses the end of long frames."""

    def collect(self) -> list[tuple[int, bytes]]:
        return [(port, frame[:-1] if len(frame) > 5 else frame) for port, frame in super().collect()]


@pytest.mark.parametrize("wrong", [SmallestWins, ForgetsTheLastByte])
def test_a_wrong_switch_is_found(wrong: type[InterpretedDevice]) -> None:
    program = small(("ternary",))

    @settings(SEARCH, max_examples=200)
    @given(data=some.data())
    def compare(data: some.DataObject) -> None:
        scenario = data.draw(scenarios(program, PORTS))
        right = outcome(program, InterpretedDevice(program), scenario, PORTS)
        assert difference(right, outcome(program, wrong(program), scenario, PORTS)) == ""

    with pytest.raises(AssertionError, match="port"):
        compare()


def test_a_difference_in_state_is_told() -> None:
    program = load("state")
    scenario = Scenario((), (), ((0, bytes.fromhex("0105fefa")),))
    right = outcome(program, InterpretedDevice(program), scenario, PORTS)
    name = next(iter(right.registers))
    wrong = replace(right, registers={name: [9] * 16})
    assert difference(right, wrong).startswith(f"register {name}: [0, 5, ")
    assert right.counters["I.slots"][1] == (1, 4)


@settings(QUICK)
@given(data=some.data())
def test_frames_are_neither_empty_nor_endless(data: some.DataObject) -> None:
    program = load("parsing")
    frame = data.draw(frames(program, parser_hints(program)))
    assert 1 <= len(frame) <= 1000
    Switch(program).process(0, frame)


def test_scenarios_have_no_duplicate_keys() -> None:
    program = load("tables")

    @settings(QUICK)
    @given(data=some.data())
    def look(data: some.DataObject) -> None:
        tables = {t.name: RuntimeTable(program, t) for t in program.tables}
        for entry in data.draw(scenarios(program, PORTS)).entries:
            assert tables[entry.table].normalise(entry.matches) == entry.matches

    look()
