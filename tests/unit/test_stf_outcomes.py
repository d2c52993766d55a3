"""What an STF test finds, where, on a device whose answers are made up; where words of its text stand; what its names mean."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hlir_builder import Builder, extract, goto, state

from macsad.stf import statements as st
from macsad.stf.interpreted import InterpretedDevice
from macsad.stf.lexer import tokens
from macsad.stf.names import find, find_key
from macsad.stf.plan import AddEntry, CounterCheck, DeviceCommand, RegisterCheck, RemoveEntries, SetDefaultAction
from macsad.stf.runner import Runner
from transpiler.diagnostics import Diagnostics, Span
from transpiler.interpreter.replication import Session

# --- words -----------------------------------------------------------------------------------------------------------


def words(text: str) -> list[tuple[str, str, int, int]]:
    """Kind, text, line, column."""
    diagnostics = Diagnostics()
    found = tokens(text, "t.stf", diagnostics)
    assert not diagnostics.messages
    return [(one.kind, one.text, one.span.line, one.span.column) for one in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [("end", "", 1, 1)]),
        ("\n", [("newline", "\n", 1, 1), ("end", "", 2, 1)]),
        ("#", [("end", "", 1, 2)]),
        ("packet", [("name", "packet", 1, 1), ("data", "", 1, 7), ("end", "", 1, 7)]),
        ("packet#", [("name", "packet", 1, 1), ("data", "", 1, 7), ("end", "", 1, 8)]),
        (" Expect 1 ab # c", [("name", "Expect", 1, 2), ("data", " 1 ab ", 1, 8), ("end", "", 1, 17)]),
        ("expect 1 # x\npacket", [("name", "expect", 1, 1), ("data", " 1 ", 1, 7), ("newline", "\n", 1, 13),
                                  ("name", "packet", 2, 1), ("data", "", 2, 7), ("end", "", 2, 7)]),
        ('"a" packet', [("name", "a", 1, 1), ("name", "packet", 1, 5), ("end", "", 1, 11)]),
        ("add packet", [("name", "add", 1, 1), ("name", "packet", 1, 5), ("end", "", 1, 11)]),
        ('"a b" 0x*f', [("name", "a b", 1, 1), ("number", "0x*f", 1, 7), ("end", "", 1, 11)]),
        ("1..2 <= &&&\n # x\n\r=",
         [("number", "1", 1, 1), ("symbol", "..", 1, 2), ("number", "2", 1, 4), ("symbol", "<=", 1, 6),
          ("symbol", "&&&", 1, 9), ("newline", "\n", 1, 12), ("newline", "\n", 2, 5), ("symbol", "=", 3, 2), ("end", "", 3, 3)]),
    ],
)  # fmt: skip
def test_words_stand_where_they_are_written(text: str, found: list[tuple[str, str, int, int]]) -> None:
    """What is behind `packet` and `expect` at the beginning of a line is theirs up to a comment."""
    assert words(text) == found


def test_what_cannot_be_read_is_passed_over() -> None:
    diagnostics = Diagnostics()
    found = tokens("a ? b\n ;;", "t.stf", diagnostics)
    assert [one.text for one in found] == ["a", "b", "\n", ""]
    assert [str(one.span) for one in diagnostics.messages] == ["t.stf:1:3", "t.stf:2:2", "t.stf:2:3"]


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I.a", "I.a"), ("a", "I.a"), ("J.x.b", "J.x.b"), ("x.b", "J.x.b"), ("able", "I.table"),
        ("b", "table 'b' may be I.b or J.x.b"), ("e", "table 'e' may be I.size or I.table"),
        ("I.tabel", "there is no table 'I.tabel'; did you mean 'I.table'?"), ("zzz", "there is no table 'zzz'"),
    ],
)  # fmt: skip
def test_a_name_may_be_an_end_that_no_other_has(text: str, found: str) -> None:
    """Behind a dot before any other end."""
    diagnostics = Diagnostics()
    candidates = ["I.a", "I.b", "J.x.b", "I.table", "I.size", "I.banana"]
    made = find(st.Name(text, Span("t", 1, 1)), iter(candidates), "table", diagnostics)
    assert (made or diagnostics.messages[0].message) == found and bool(made) is not bool(diagnostics.messages)


@pytest.mark.parametrize(
    ("text", "keys", "found"),
    [
        ("hdr.a.f", ("x.a.f", "hdr.a.f"), 1), ("a.f", ("x.b.f", "hdr.a.f"), 1), ("f", ("hdr.a.ff", "hdr.a.f"), 1),
        ("f", ("a.f", "b.f"), "key 'f' may be a.f or b.f"), ("g", ("a.f",), "its keys are: a.f"), ("g", (), "its keys are: none"),
        ("a.f", ("a.f$", "b.a.f"), 0), ("b", ("a.b.$valid$", "f"), 0), ("b.isValid()", ("f", "a.b.$valid$"), 1),
        ("b.$valid", ("f", "a.b.$valid$"), 1), ("b.valid", ("f", "a.b.isValid()"), 1),
        ("valid", ("f", "a.b.$valid$"), 1), ("valid", ("a.b.$valid$", "a.c.$valid$"), "has no key 'valid'"),
        ("valid", ("a.valid", "a.b.$valid$", "c"), "has no key 'valid'"),
    ],
)  # fmt: skip
def test_keys_by_their_ends_and_validity_in_its_spellings(text: str, keys: tuple[str, ...], found: int | str) -> None:
    diagnostics = Diagnostics()
    made = find_key(st.Name(text, Span("t", 1, 1)), list(keys), "I.t", diagnostics)
    if isinstance(found, int):
        assert made == found and not diagnostics.messages
    else:
        assert made is None and found in diagnostics.messages[0].message


# --- outcomes --------------------------------------------------------------------------------------------------------


class Device:
    """What goes in at a port comes out at once at each that the port is said to go to. `asked`: other requests."""

    def __init__(self, ways: dict[int, list[tuple[int, bytes]]] | None = None, **answers: Any) -> None:
        self.ways, self.answers = ways or {}, answers
        self.out: list[tuple[int, bytes]] = []
        self.asked: list[tuple[Any, ...]] = []

    def inject(self, port: int, data: bytes) -> None:
        self.out += self.ways.get(port, [(port, data)])

    def collect(self) -> list[tuple[int, bytes]]:
        came, self.out = self.out, []
        return came

    def __getattr__(self, name: str) -> Any:
        def ask(*arguments: Any, **named: Any) -> Any:
            self.asked.append((name, *arguments, *named.values()))
            return self.answers.get(name)

        return ask


def at(line: int) -> Span:
    return Span("t", line, 1)


def packet(line: int, port: int, data: bytes = b"\1") -> st.SendPacket:
    return st.SendPacket(port, data, at(line))


def expect(line: int, port: int, digits: str | None = None, exact: bool = True) -> st.Expect:
    return st.Expect(port, digits, exact, at(line))


def ran(device: Device, *steps: Any, tables: Any = (), externs: Any = None) -> tuple[Runner, list[tuple[int, str]]]:
    """The run, and of each failure its line and what it says."""
    diagnostics = Diagnostics()
    program: Any = SimpleNamespace(tables=tables, extern=externs or {})
    runner = Runner(program, device, diagnostics)  # type: ignore[arg-type]
    runner.run(steps)
    return runner, [(one.span.line, one.message) for one in diagnostics.messages]


@pytest.mark.parametrize(
    ("steps", "failures"),
    [
        ([packet(1, 0), expect(2, 0, "01")], []),
        ([expect(1, 0), packet(2, 0)], []),
        ([packet(1, 0), packet(2, 0), expect(3, 0)], [(3, "an unexpected packet of 1 bytes on port 0")]),
        ([packet(1, 0), expect(2, 0), packet(3, 0), expect(4, 0, "02")], [(4, "packet 2 on port 0 is not as expected")]),
        ([expect(1, 5), packet(2, 0), expect(3, 0), expect(4, 5)],
         [(1, "packet 1 on port 5 did not come: 0 came"), (4, "packet 2 on port 5 did not come: 0 came")]),
        ([packet(1, 0), expect(2, 0), expect(3, 0)], [(3, "packet 2 on port 0 did not come: 1 came")]),
        ([packet(1, 0), expect(2, 0), expect(3, 0), packet(4, 0), packet(5, 0)],
         [(3, "an unexpected packet of 1 bytes on port 0")]),
        ([packet(1, 0), packet(2, 1)],
         [(1, "an unexpected packet of 1 bytes on port 0"), (2, "an unexpected packet of 1 bytes on port 1")]),
    ],
)  # fmt: skip
def test_frames_are_those_that_are_expected_in_order(steps: list[Any], failures: list[tuple[int, str]]) -> None:
    """One too many is told at the last that is expected of its port, else at the last that went in there."""
    runner, told = ran(Device(), *steps)
    assert told == failures
    assert runner.result.packets == sum(isinstance(one, st.SendPacket) for one in steps)
    assert runner.result.expected == sum(isinstance(one, st.Expect) for one in steps)


def test_a_frame_too_many_at_a_port_where_none_went_in() -> None:
    """Then at the first that went in anywhere; at ports that the test does not mention frames are lost."""
    device = Device({0: [(2, b"\1\2"), (9, b"\3")], 2: []})
    assert ran(device, packet(1, 0), packet(2, 0))[1] == []
    device = Device({0: [(1, b"\1\2")], 1: []})
    assert ran(device, packet(1, 0), packet(2, 1))[1] == [(2, "an unexpected packet of 2 bytes on port 1")]
    device = Device({0: [(1, b"\1\2")]})
    steps = [packet(1, 0), expect(2, 1), packet(3, 0)]
    assert ran(device, *steps)[1] == [(2, "an unexpected packet of 2 bytes on port 1")]


@pytest.mark.parametrize(
    ("steps", "failures"),
    [
        ([packet(1, 0), st.NoPacket(at(2)), expect(3, 1), expect(4, 0)], []),
        ([packet(1, 1), expect(2, 1), st.NoPacket(at(3))], [(3, "a packet came out of port 1, and none should")]),
        ([packet(1, 1), packet(2, 0), st.NoPacket(at(3)), expect(4, 1), expect(5, 0)], []),
        ([st.NoPacket(at(1))], []),
    ],
)  # fmt: skip
def test_no_packet_is_of_the_packet_before_it(steps: list[Any], failures: list[tuple[int, str]]) -> None:
    device = Device({0: []})
    told = [one for one in ran(device, *steps)[1] if "did not come" not in one[1]]
    assert told == failures


@pytest.mark.parametrize(
    ("operator", "holds"),
    [("==", (False, True, False)), ("!=", (True, False, True)), ("<", (True, False, False)), ("<=", (True, True, False)),
     (">", (False, False, True)), (">=", (False, True, True))],
)  # fmt: skip
def test_checks_compare_what_is_there_with_what_is_written(operator: str, holds: tuple[bool, ...]) -> None:
    for there, held in zip((4, 5, 6), holds, strict=True):
        check = st.CheckRegister(st.Name("r", at(1)), st.Number(2, 0, 0, at(1)), operator, 5, at(1))
        device = Device(register_read=there, counter=(there, 99))
        (_, failures) = ran(device, RegisterCheck("I.r", check))
        said = f"register I.r(2): {operator} 5 is expected, it has {there}"
        assert device.asked == [("register_read", "I.r", 2)] and failures == ([] if held else [(1, said)])
        count = st.CheckCounter(st.Name("c", at(1)), st.Number(7, 0, 0, at(1)), "packets", operator, 5, at(1))
        (_, failures) = ran(device, CounterCheck("I.c", 7, count))
        said = f"counter I.c: packets {operator} 5 is expected, it has {there}"
        assert failures == ([] if held else [(1, said)])


def test_bytes_of_a_counter_are_checked_where_they_are_asked_for() -> None:
    count = st.CheckCounter(st.Name("c", at(1)), st.Number(7, 0, 0, at(1)), "bytes", "==", 5, at(1))
    assert ran(Device(counter=(5, 99)), CounterCheck("I.c", 7, count))[1] == [
        (1, "counter I.c: bytes == 5 is expected, it has 99")
    ]


def command(word: str, *numbers: int, name: str = "I.x", rates: tuple[st.Rate, ...] = ()) -> DeviceCommand:
    written = tuple(st.Number(number, 0, 0, at(1)) for number in numbers)
    return DeviceCommand(word, name, st.Command(word, None, written, rates, at(1)))


RATES = (st.Rate(0.5, 3), st.Rate(1.5, 4))
PAIRS = ((0.5, 3), (1.5, 4))


@pytest.mark.parametrize(
    ("step", "asked"),
    [
        (command("mirroring_add", 1, 2), [("mirroring_add", 1, 2)]),
        (command("mirroring_add_mc", 1, 2), [("mirroring_add_group", 1, 2)]),
        (command("mirroring_delete", 1), [("mirroring_delete", 1)]), (command("mirroring_get", 1), []),
        (command("port_host", 3), [("port_direction", 3, True)]), (command("port_net", 3), [("port_direction", 3, False)]),
        (command("mc_mgrp_create", 4), [("group_create", 4)]),
        (command("mc_node_create", 4, 5, 6), [("node_create", 4, (5, 6))]),
        (command("mc_node_update", 4, 5, 6), [("node_update", 4, (5, 6))]),
        (command("mc_node_associate", 4, 5), [("node_associate", 4, 5)]),
        (command("counter_write", 1, 2, 3), [("counter_write", "I.x", 1, 2, 3)]),
        (command("register_write", 1, 2), [("register_write", "I.x", 1, 2)]),
        (command("register_reset"), [("register_reset", "I.x")]), (command("meter_get_rates", 1), []),
        (command("meter_set_rates", 2, rates=RATES), [("meter_set_rates", "I.x", 2, *PAIRS)]),
        (command("meter_array_set_rates", rates=RATES), [("meter_set_rates", "I.x", at, *PAIRS) for at in range(3)]),
    ],
)  # fmt: skip
def test_commands_ask_the_device(step: DeviceCommand, asked: list[tuple[Any, ...]]) -> None:
    meter = SimpleNamespace(kind="meter", attribute={"size": 3}.get)
    device = Device()
    runner, failures = ran(device, step, externs={"I.x": meter})
    assert (device.asked, failures, runner.result.notes) == (asked, [], [])


NOTHING = st.Name("x", at(1))


@pytest.mark.parametrize(
    ("step", "asks"),
    [
        (AddEntry("I.t", (), ("I.go", ()), 0, None, at(2)), "add_entry"),
        (SetDefaultAction("I.t", "I.go", (), at(2)), "set_default"),
        (RemoveEntries(None, at(2)), "clear_table"),
        (RegisterCheck("I.r", st.CheckRegister(NOTHING, st.Number(2, 0, 0, at(2)), "==", 5, at(2))), "register_read"),
        (CounterCheck("I.c", 7, st.CheckCounter(NOTHING, NOTHING, "packets", "==", 5, at(2))), "counter"),
        (command("register_write", 1, 2), "register_write"),
        (packet(2, 1), "inject"),
        (st.Wait(at(2)), None),
        (st.NoPacket(at(2)), None),
    ],
)
def test_packets_are_dealt_with_before_what_follows_them(step: Any, asks: str | None) -> None:
    """A switch processes them when it comes to it: what changes or reads its state waits for that."""
    did: list[str] = []

    class Slow(Device):
        def inject(self, port: int, data: bytes) -> None:
            did.append("inject")

        def collect(self) -> list[tuple[int, bytes]]:
            did.append("collect")
            return []

        def __getattr__(self, name: str) -> Any:
            return lambda *arguments: did.append(name) or (5, 5) if name == "counter" else did.append(name) or 5

    ran(Slow(), packet(1, 0), step, tables=[SimpleNamespace(name="I.t", keys="k", const_entries=())])
    behind = ["collect", *([asks] if asks else [])]
    assert did == ["collect", "inject", *behind, "collect"]


def test_what_is_read_is_noted() -> None:
    device = Device(counter=(5, 300), register_read=7)
    runner, _ = ran(device, command("counter_read", 4), command("register_read", 6))
    assert device.asked == [("counter", "I.x", 4), ("register_read", "I.x", 6)]
    assert runner.result.notes == ["t:1:1: counter_read I.x: 5 packets, 300 bytes", "t:1:1: register_read I.x: 7"]


def test_a_direct_meter_has_no_array() -> None:
    direct = SimpleNamespace(kind="direct_meter", attribute=None)
    (_, failures) = ran(Device(), command("meter_array_set_rates", rates=RATES), externs={"I.x": direct})
    assert failures == [(1, "I.x is a direct meter: it has no array of rates")]


def test_all_entries_are_those_that_are_not_constant() -> None:
    tables = [SimpleNamespace(name=name, keys=keys, const_entries=const)
              for name, keys, const in (("a", "k", ()), ("b", "", ()), ("c", "k", "e"))]  # fmt: skip
    device = Device()
    ran(device, RemoveEntries(None, at(1)), tables=tables)
    assert device.asked == [("clear_table", "a")]


def test_clone_sessions_of_the_interpreter_are_whole_unless_a_length_is_given() -> None:
    b = Builder()
    b.header("hdr.h", "h_t", f=8)
    device = InterpretedDevice(b.build([state("start", [extract("hdr.h")], goto("accept"))]))
    device.mirroring_add(5, 3)
    device.mirroring_add_group(6, 9)
    device.mirroring_add(7, 3, 64, 2)
    device.mirroring_add_group(8, 9, 65, 3)
    assert device.switch.replication.sessions == {
        5: Session(3, None, 0, 0), 6: Session(None, 9, 0, 0), 7: Session(3, None, 64, 2),
        8: Session(None, 9, 65, 3),
    }  # fmt: skip
    device.mirroring_delete(5)
    assert set(device.switch.replication.sessions) == {6, 7, 8}


def test_what_could_not_be_made_is_not_used() -> None:
    """An entry of a member that was refused, and a removal of an entry that was."""
    name = st.Name("x", at(2))
    table = AddEntry("I.t", (), "m", 0, None, at(1))
    (_, failures) = ran(Device(), table)
    assert failures == [(1, "the member or group 'm' could not be made")]
    (_, failures) = ran(Device(), RemoveEntries("e", at(2)))
    assert failures == [(2, "the entry 'e' could not be added")]
    count = st.CheckCounter(name, None, "packets", "==", 5, at(3))  # type: ignore[arg-type]
    (_, failures) = ran(Device(counter=(5, 300)), CounterCheck("I.c", "e", count))
    assert failures == [(3, "the entry 'e' could not be added")]


def test_what_the_interpreter_is_asked() -> None:
    b = Builder()
    b.header("hdr.h", "h_t", f=8)
    b.extern("I.c", "counter", size=4, unit="packets_and_bytes")
    b.extern("I.r", "register", size=4, width=16)
    device = InterpretedDevice(b.build([state("start", [extract("hdr.h")], goto("accept"))]))
    device.counter_write("I.c", 2, 5, 300)
    assert (device.counter("I.c", 2), device.counter("I.c", 1)) == ((5, 300), (0, 0))
    device.register_write("I.r", 3, 0x102)
    assert (device.register_read("I.r", 3), device.register_read("I.r", 2)) == (0x102, 0)
    device.register_reset("I.r")
    assert device.register_read("I.r", 3) == 0
    device.group_create(7)
    node = device.node_create(9, (1, 2))
    device.node_associate(7, node)
    assert device.switch.replication.copies(7) == [(1, 9), (2, 9)]
    device.node_update(node, (3,))
    assert device.switch.replication.copies(7) == [(3, 9)]
    device.port_direction(4, host=True)
    assert device.digests() == []
