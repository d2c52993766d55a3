"""Tables that the command line declares constant: the same packets as with entries that are added, and who changes them is told
so."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import switches

from macsad import compilation
from macsad.compilation import Request
from macsad.const_tables import _number, _Wrong
from macsad.stf.compiled import CompiledDevice
from macsad.stf.device import Frame
from macsad.targets import Machine
from transpiler.diagnostics import Rejected
from transpiler.interpreter import Switch

PROGRAM = Path(__file__).parents[1] / "c" / "const_tables.p4"
EXACT = {"vrf", "late", "fwd"}
TABLES = ("vrf", "klass", "ports", "late", "fwd")
DEFAULTS = {"vrf": "set_vrf 3", "klass": "classify 3", "ports": "forward 2", "late": "classify 4", "fwd": "forward 3"}
KEYS, TYPES = (1, 2, 3, 0x80), (0x800, 0x801, 0x1234, 0)


def commands(seed: int) -> Iterator[str]:
    """Some entries for some tables; some have a default action alone."""
    some = random.Random(seed)
    priority = 0
    for table in TABLES:
        count = some.choice((0, 0, 1, 2, 5, 14))
        lines = set()
        for _ in range(count):
            key, type_, port, priority = some.choice(KEYS), some.choice(TYPES), some.randrange(4), priority + 1
            lines.add({
                "vrf": f"table_add vrf set_vrf {some.randrange(3)} => {port}",
                "klass": f"table_add klass classify {type_}&&&{some.choice((0, 0xFFFF, 0xFF))} "
                f"{key}&&&{some.choice((0, 0xFF))} => {port} {priority}",
                "ports": f"table_add ports forward 0/{some.choice((0, 46, 48))} {type_}->{max(type_, 0x900)} "
                f"=> {port} {priority}",
                "late": f"table_add late {some.choice(('classify', 'forward'))} {some.randrange(5)} => {port}",
                "fwd": f"table_add fwd forward {some.randrange(4)} {key} => {port}",
            }[table])  # fmt: skip
        # of exact keys that are equal the last one stays
        keyed = {
            line.partition("=>")[0].split(maxsplit=3)[3] if table in EXACT else line: line for line in sorted(lines)
        }
        yield from keyed.values()
        if some.random() < 0.7:
            yield f"table_set_default {table} {DEFAULTS[table]}"


def frames(seed: int) -> list[bytes]:
    some = random.Random(seed)
    return [
        some.choice(KEYS).to_bytes(6, "big") + some.choice((0, *KEYS)).to_bytes(6, "big") + some.choice(TYPES).to_bytes(2, "big")
        for _ in range(60)
    ]  # fmt: skip


def build(request: Request, folder: Path) -> Path:
    tools = compilation.toolchain(replace(request.wanted, native=True), Machine(switches.PLATFORM), optimise="-O1")
    return compilation.build(request, compilation.load(request), folder, tools)[0]


def by_port(sent: Iterable[Frame]) -> dict[int, list[bytes]]:
    """Only frames of one port are in an order."""
    found: dict[int, list[bytes]] = {}
    for port, data in sent:
        found.setdefault(port, []).append(data)
    return found


def sent(device: CompiledDevice, seed: int) -> list[dict[int, list[bytes]]]:
    found = []
    for port in (0, 1, 2):
        device.inject_all(port, frames(seed + port))
        found.append(by_port(device.collect()))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_same_packets(seed: int, tmp_path: Path) -> None:
    file = tmp_path / "entries.txt"
    lines = list(commands(seed))
    file.write_text("# what stays\n" + "\n".join(lines) + "\n")
    request = Request(PROGRAM, const_tables=file)
    constant = compilation.load(request)
    assert {t.name for t in constant.tables if t.const_entries} == {f"I.{line.split()[1]}" for line in lines}
    interpreter = Switch(constant)
    answers = ([one for data in frames(seed + port) for one in interpreter.process(port, data)] for port in (0, 1, 2))
    expected = list(map(by_port, answers))
    plain = switches.start(PROGRAM, range(4))
    device = CompiledDevice(constant, build(request, tmp_path), range(4), burst=32, sub_batch=8)
    try:
        for line in lines:
            plain._command(line)
        assert any(expected) and sent(plain, seed) == expected
        assert sent(device, seed) == expected
    finally:
        plain.close()
        device.close()


def test_who_changes_one_is_told_where_it_is_constant(tmp_path: Path) -> None:
    file = tmp_path / "entries.txt"
    file.write_text("\ntable_add vrf set_vrf 0 => 1\ntable_set_default late classify 4\n")
    request = Request(PROGRAM, const_tables=file)
    device = CompiledDevice(compilation.load(request), build(request, tmp_path), range(2), burst=32, sub_batch=8)
    try:
        for command, told in (
            ("table_add vrf set_vrf 1 => 1", r"the entries of table I.vrf are constant \(entries.txt:2\)"),
            ("table_add late classify 1 => 1", r"the entries of table I.late are constant \(entries.txt:3\)"),
            ("table_set_default vrf drop", "the default action of table I.vrf is constant"),
        ):
            with pytest.raises(Exception, match=told):
                device._command(command)
    finally:
        device.close()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("table_add nothing drop 1 =>", "there is no table nothing"),
        ("table_add vrf classify 1 => 1", "there is no action of that table classify"),
        ("table_add vrf set_vrf 512 => 1", "'512' is not a number of 9 bits"),
        ("table_add vrf set_vrf 1 =>", "set_vrf has 1 parameters, not 0"),
        ("table_add klass classify 1&&&1 => 1 1", "I.klass has 2 key fields"),
        ("table_add klass classify 1 2 =>", "an entry of I.klass has a priority"),
        ("table_add ports forward 0/49 1->2 => 1 1", "'0/49' is no prefix of 48 bits"),
        ("table_add ports forward 0/8 2->1 => 1 1", "'2->1' is no range"),
        ("table_add vrf set_vrf 0 => 2", "I.vrf already has an entry with this key"),
        ("table_clear vrf", "'table_clear': tables are constant by table_add and table_set_default alone"),
        ("table_add vrf", "table_add wants a table and an action"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(line: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "entries.txt"
    file.write_text(f"table_add vrf set_vrf 0 => 1\n{line}\n")
    with pytest.raises(Rejected) as rejected:
        compilation.load(Request(PROGRAM, const_tables=file))
    (message,) = rejected.value.diagnostics.messages
    assert told in message.message
    assert (message.span.file, message.span.line) == (str(file), 2)


@pytest.mark.parametrize(
    ("word", "bits", "value"),
    [
        ("7", 128, 7), ("0x10", 128, 16), ("::1", 128, 1), ("1::", 128, 1 << 112), ("ffff::ffff", 128, 0xFFFF << 112 | 0xFFFF),
        ("00:00:00:00:01:02", 48, 0x102), ("ff:ff:ff:ff:ff:ff", 48, (1 << 48) - 1), ("5", 48, 5), ("1.2.3.4", 32, 0x01020304),
        ("255.255.255.255", 32, (1 << 32) - 1), ("4294967295", 32, (1 << 32) - 1), ("0", 1, 0), ("1", 1, 1),
        ("1:2:a:B:5:60", 48, 0x01020A0B0560), ("::1.2.3.4", 128, 0x01020304), ("007", 8, 7), ("00", 8, 0), ("0X1f", 8, 31),
        ("0b101", 8, 5), ("0o17", 8, 15),
    ],
)  # fmt: skip
def test_numbers_and_addresses(word: str, bits: int, value: int) -> None:
    assert _number(word, bits) == value


@pytest.mark.parametrize(
    ("word", "bits"),
    [
        ("4294967296", 32), ("2", 1), ("-1", 8), ("1.2.3.4", 48), ("1.2.3", 32), ("1:2:3", 48), ("00:00:00:00:01:02", 128),
        ("::1", 48), ("::1", 32), ("x", 8), ("", 8), ("00:00:00:00:01:02", 32),
        ("1_0", 8), ("+1", 8), ("0x", 8), ("0b2", 8), ("1:2:3:4:5:6:7", 48), ("1:2:3:4:5", 48), ("001:2:3:4:5:6", 48),
        ("::5:6", 48), ("fe80::1%eth0", 128), ("1.2.3.256", 32), ("1.2.3.4.5", 32), ("\N{SUPERSCRIPT TWO}", 8),
    ],
)  # fmt: skip
def test_what_is_no_number_of_so_many_bits(word: str, bits: int) -> None:
    with pytest.raises(_Wrong, match=re.escape(f"'{word}' is not a number of {bits} bits")):
        _number(word, bits)


@pytest.mark.parametrize(
    "word", ["1:2:a:B:5:60", "007", "0X1f", "0b101", "0o17", "1_0", "+1", "1:2:3:4:5", "::5:6", "0x", "-0"]
)
def test_a_number_is_what_commands_take_for_one(word: str) -> None:
    """Of 48 bits: the first field of `ports`."""
    switch = switches.start(PROGRAM, range(1))
    try:
        reply = switch._client.command(f"table_add ports forward {word}/48 1->2 => 1 1")
        shown = switch._client.command("table_dump ports").text
    finally:
        switch.close()
    try:
        value = _number(word, 48)
    except _Wrong:
        assert not reply.ok, shown
    else:
        assert reply.ok and f"{value:012x}" in shown.replace(":", ""), shown
