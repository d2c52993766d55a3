"""What externs mean, at the edges: meters, registers, counters, hashes, and what their rows say of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from hlir_builder import AT

from transpiler.externs.algorithms import ALGORITHMS, CUSTOM, compute, extend
from transpiler.externs.counter import Counters
from transpiler.externs.meter import GREEN, RED, YELLOW, Meter, MeterArray
from transpiler.externs.register import UPDATES, Register, cell_bytes
from transpiler.externs.requests import Cipher, Requests
from transpiler.externs.row import DEFAULT_ENTRY, Effect, Interpreted
from transpiler.externs.table import CIPHERING, CUTTING, KEEPING, KINDS, METHODS, TIMED, is_direct
from transpiler.hlir.expressions import Place, VariableRef
from transpiler.hlir.program import ExternInstance

BYTES = [bytes((7 * i + j * j) & 0xFF for j in range(length)) for i in range(200) for length in (3, 8, 9)]


@pytest.mark.parametrize("name", [name for name, one in ALGORITHMS.items() if one.compute and one.bits])
def test_hashes_are_as_wide_as_they_say(name: str) -> None:
    """Among many values some have the highest bit, and none has more."""
    values = [compute(name, data) for data in BYTES]
    assert max(value.bit_length() for value in values if value is not None) == ALGORITHMS[name].bits
    assert CUSTOM.get(name, ALGORITHMS[name].bits) == ALGORITHMS[name].bits


@pytest.mark.parametrize("name", [name for name, one in ALGORITHMS.items() if one.extend])
def test_a_hash_is_extended_by_what_comes_behind(name: str) -> None:
    """What comes first has whole words of 16 bits, where an algorithm is made of these."""
    for data in BYTES[::20]:
        before = compute(name, data[:2])
        assert before is not None and extend(name, before, data[2:]) == compute(name, data)


def test_what_is_no_function_of_bytes() -> None:
    assert compute("random", b"a") is None and compute("none", b"a") is None
    assert compute("identity", bytes(range(1, 10))) == 0x0102030405060708 and compute("identity", b"\x01\x02") == 0x0102
    for name in ("identity", "random"):
        with pytest.raises(KeyError):
            extend(name, 0, b"a")
    assert {name for name, one in ALGORITHMS.items() if one.bits is None} == {"identity", "random"}


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        ([100], [GREEN]), ([101], [YELLOW]), ([200], [YELLOW]), ([201], [RED]), ([100, 100], [GREEN, YELLOW]),
        ([100, 101], [GREEN, RED]), ([50, 50, 1, 99, 1], [GREEN, GREEN, YELLOW, YELLOW, RED]), ([300, 100], [RED, GREEN]),
    ],
)  # fmt: skip
def test_a_meter_begins_with_full_buckets(units: list[int], expected: list[int]) -> None:
    """Of 100 units of the committed and 200 of the peak rate. What is red takes nothing, what is yellow from the peak alone."""
    meter = Meter()
    meter.set_rates((1.0, 100), (2.0, 200), 0)
    assert [meter.colour(one, 0) for one in units] == expected


def test_buckets_fill_with_time_up_to_their_burst() -> None:
    meter = Meter()
    meter.set_rates((1.0, 100), (2.0, 200), 50)
    assert meter.colour(100, 50) == GREEN
    assert meter.colour(10, 59) == YELLOW and meter.colour(10, 60) == GREEN
    assert (
        meter.colour(101, 10_000) == YELLOW and meter.colour(100, 10_000) == RED and meter.colour(99, 10_000) == GREEN
    )
    assert meter.colour(1, 9_000) == RED  # time does not go back


@pytest.mark.parametrize(
    ("before", "units", "after"),
    [
        (GREEN, 100, GREEN), (YELLOW, 100, YELLOW), (RED, 100, RED), (YELLOW, 201, RED), (GREEN, 150, YELLOW),
    ],
)  # fmt: skip
def test_a_colour_aware_meter_makes_nothing_better(before: int, units: int, after: int) -> None:
    meter = Meter()
    assert meter.colour(units, 0, before) == before  # without rates
    meter.set_rates((1.0, 100), (2.0, 200), 0)
    assert meter.colour(units, 0, before) == after
    assert meter.committed is not None and meter.committed.tokens == (0 if after == GREEN else 100)
    assert meter.peak is not None and meter.peak.tokens == (200 if after == RED else 200 - units)


def test_meters_count_bytes_or_packets() -> None:
    for unit, colour in (("bytes", RED), ("packets", GREEN)):
        array = MeterArray(unit, 4, {1: Meter()})
        array.meters[1].set_rates((1.0, 10), (2.0, 20), 0)
        assert array.colour(1, 1000, 0) == colour
        assert array.colour(2, 1000, 0, YELLOW) == YELLOW and array.colour(9, 1000, 0) == GREEN


def test_cells_of_registers() -> None:
    register = Register(8, 4, initial=9)
    assert [register.read(i) for i in (0, 3, 4)] == [9, 9, 0]
    for index in (0, 3, 4):
        register.write(index, 0x1FF)
    assert [register.read(i) for i in (0, 1, 3, 4)] == [0xFF, 9, 0xFF, 0]
    register.reset()
    assert [register.read(i) for i in (0, 1)] == [0, 0]


@pytest.mark.parametrize(
    ("name", "result"), [("add", 0x3C), ("and", 0x0C), ("or", 0x2E | 0x0E), ("xor", 0x22), ("swap", 0x0E)]
)
def test_updates_of_cells(name: str, result: int) -> None:
    held, operand = (0x2E, 0x0E) if name in ("add", "or", "swap") else (0x2C, 0x0E)
    assert UPDATES[name](held, operand) == result


@pytest.mark.parametrize(
    ("width", "size"),
    [(1, 1), (8, 1), (9, 2), (16, 2), (17, 4), (32, 4), (33, 8), (64, 8), (65, 16), (128, 16), (129, 24)],
)
def test_memory_of_a_cell(width: int, size: int) -> None:
    assert cell_bytes(width) == size


def test_counters_count_within_their_size() -> None:
    counters, direct = Counters(2), Counters()
    for index in (0, 1, 1, 2):
        counters.count(index, 60)
        direct.count(index, 60)
    assert {index: (one.packets, one.bytes) for index, one in counters.elements.items()} == {0: (1, 60), 1: (2, 120)}
    assert sorted(direct.elements) == [0, 1, 2]


def test_what_rows_say() -> None:
    """What reads leaves its state, what sees its output's place gives one; what has an element for each entry is direct."""
    assert {name for name, one in METHODS.items() if one.reads} == {"register.read"}
    assert {name for name, one in METHODS.items() if one.of_output} == {"register.replace"}
    assert all(METHODS[name].outputs for name, one in METHODS.items() if one.of_output or one.of_burst)
    assert {name for name in METHODS if is_direct(name)} == {name for name in METHODS if name.startswith("direct_")}
    assert {name for name, kind in KINDS.items() if kind.direct} == {"direct_counter", "direct_meter"}
    assert {name for name, kind in KINDS.items() if kind.deferred} == {"counter", "direct_counter"}
    assert {name.partition(".")[0] for name in KEEPING} == {"clone", "resubmit", "recirculate"}
    assert {"truncate.request"} == CUTTING and all(name.startswith("cipher.") for name in CIPHERING) and CIPHERING
    assert {name.partition(".")[0] for name in TIMED} == {"meter", "direct_meter", "entry", "assert", "log"}
    for name in KEEPING | CUTTING | CIPHERING:
        assert METHODS[name].effect is Effect.PACKET


@dataclass
class Call:
    """A call as the interpreter makes it: inputs by their position, of a packet of 60 bytes."""

    inputs: tuple[Any, ...] = ()
    requests: Requests = field(default_factory=Requests)
    fields: tuple[Place, ...] = ()
    kept: object = None
    length: int = 60
    entry: int = 7
    payload: bytes = b"6789"
    drawn: list[tuple[int, int]] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)

    def input(self, position: int) -> int:
        return int(self.inputs[position])

    def text(self, position: int) -> str:
        return str(self.inputs[position])

    def values(self, position: int, signed: bool = False) -> tuple[int, ...]:
        return tuple(number if signed else number & 0xFF for number in self.inputs[position])

    def state(self, type_: type) -> Any:
        assert isinstance(self.kept, type_)
        return self.kept

    def packed(self, position: int) -> bytes:
        return bytes(self.inputs[position])

    def random(self, low: int, high: int) -> int:
        self.drawn.append((low, high))
        return 3

    def output(self, value: int) -> None:
        self.outputs.append(value)

    def log(self, text: str) -> None:
        self.logged.append(text)


def run(method: str, call: Call) -> Call:
    METHODS[method].run(cast(Interpreted, call))
    return call


def made(kind: str, **attributes: int | str) -> Any:
    make = KINDS[kind].state
    assert make is not None
    return make(ExternInstance("x", kind, tuple(attributes.items()), AT))


ONE, OTHER = (VariableRef("one", AT),), (VariableRef("other", AT),)


def test_of_what_is_asked_for_the_last_call_of_each_kind_counts() -> None:
    asked = Requests()
    for session, kept in ((1, ONE), (2, OTHER)):
        for method in ("clone.ingress", "clone.egress", "resubmit.request", "recirculate.request"):
            run(method, Call((session,), asked, kept))
        run("cipher.encrypt" if session == 1 else "cipher.decrypt", Call((session, session + 1), asked))
    cipher = asked.cipher
    assert isinstance(cipher, Cipher) and (cipher.key[-2:], cipher.iv[-2:]) == (b"\0\2", b"\0\3")
    assert cipher.run is not None and len(cipher.key) == len(cipher.iv) == 16
    assert (asked.clone_ingress, asked.clone_egress) == ((2, OTHER), (2, OTHER))
    assert (asked.resubmit, asked.recirculate) == (OTHER, OTHER)


@pytest.mark.parametrize(("lengths", "cut"), [([9], 9), ([9, 5], 5), ([5, 9], 5), ([0, 9], 0), ([9, 0], 0)])
def test_of_lengths_the_smallest_counts(lengths: list[int], cut: int) -> None:
    asked = Requests()
    for length in lengths:
        run("truncate.request", Call((length,), asked))
    assert asked.truncate == cut


def test_what_counts_when_a_packet_leaves_egress() -> None:
    cipher = Cipher(lambda key, iv, data: data, b"k" * 16, b"i" * 16)
    asked = Requests((1, ONE), (2, ONE), ONE, OTHER, 5, cipher)
    assert asked.after_ingress() == Requests(recirculate=OTHER, truncate=5, cipher=cipher)


def test_lengths_that_are_given_are_counted_in_place_of_the_packet_s() -> None:
    counters, direct = made("counter", size=2, unit="bytes"), made("direct_counter", unit="bytes", automatic=0)
    run("counter.count", Call((1,), kept=counters))
    run("counter.count_length", Call((1, 5), kept=counters))
    run("counter.count_length", Call((2, 5), kept=counters))
    run("direct_counter.count", Call(kept=direct))
    run("direct_counter.count_length", Call((5,), kept=direct))
    counted = [{at: (one.packets, one.bytes) for at, one in kept.elements.items()} for kept in (counters, direct)]
    assert counted == [{1: (2, 65)}, {DEFAULT_ENTRY: (0, 0), 7: (2, 65)}]


def test_registers_begin_with_what_they_are_given() -> None:
    plain, given = made("register", size=3, width=8), made("register", size=3, width=8, initial=9)
    assert [run("register.read", Call((index,), kept=kept)).outputs for kept in (plain, given) for index in (2, 3)] == [
        [0], [0], [9], [0],
    ]  # fmt: skip
    assert run("register.update", Call((1, 3, "add"), kept=given)).outputs == [9] and given.read(1) == 12
    assert run("register.replace", Call((1, 4), kept=given)).outputs == [12] and given.read(1) == 4


@pytest.mark.parametrize(("width", "plain", "all_"), [(16, "crc16", 0xBB3D), (32, "crc32", 0xCBF43926)])
def test_hashes_of_lists_and_of_the_payload_behind_them(width: int, plain: str, all_: int) -> None:
    """Of 12345 and of 123456789, whose CRC the catalogue has."""
    kept = made("custom_crc", width=width)
    for behind, expected in (("", compute(plain, b"12345")), ("_with_payload", all_)):
        assert run(f"custom_crc.compute{behind}", Call((b"12345",), kept=kept)).outputs == [expected]
        assert run(f"hash.compute{behind}", Call((plain, b"12345"))).outputs == [expected]
    before = compute(plain, b"12")
    assert run("hash.extend", Call((plain, before, b"3456789"))).outputs == [all_]


def test_a_random_hash_may_have_any_of_64_bits() -> None:
    call = run("hash.compute", Call(("random", b"12345")))
    assert (call.outputs, call.drawn) == ([3], [(0, (1 << 64) - 1)])
    assert run("hash.compute", Call(("crc16", b"1"))).drawn == []


def test_a_clock_that_goes_back_takes_no_tokens() -> None:
    meter = Meter()
    meter.set_rates((1.0, 100), (2.0, 200), 50)
    assert [meter.colour(100, at) for at in (50, 40)] == [GREEN, YELLOW]


def test_values_stand_in_a_line_where_it_has_room_for_them() -> None:
    for line, values, logged in (
        ("a {} b {}", (1, -2), "a 1 b -2"), ("{} {} {}", (1, 2), "1 2 {}"), ("{}", (1, 2), "1"), ("none", (), "none"),
    ):  # fmt: skip
        assert run("log.message", Call((line, values))).logged == [logged]
