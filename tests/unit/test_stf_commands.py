"""What a test asks of a compiled switch, as commands, and what it takes from the answers."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import switches

from macsad import protocol
from macsad.protocol import Reply
from macsad.stf.compiled import CompiledDevice
from transpiler.interpreter import ControlError
from transpiler.interpreter.matches import Exact, Match, Prefix, Range, Ternary

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<12> b; bit<4> c; }
struct H { h_t h; }
struct M { }
struct set_t { bit<8> a; bit<12> b; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    value_set<set_t>(4) known;
    state start { p.extract(h.h); transition select(h.h.a, h.h.b) { known: accept; default: accept; } }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action go(bit<9> port, bit<8> more) {
        s.egress_spec = port;
        digest<tuple<bit<12>, bit<8>>>(1, { h.h.b, more });
    }
    table plain { key = { h.h.a: exact; h.h.b: lpm; } actions = { go; } }
    table ranked { key = { h.h.a: ternary; h.h.b: range; h.h.c: optional; } actions = { go; } }
    apply { plain.apply(); ranked.apply(); }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


class Client:
    """Answers each command with what `answers` has for its first word."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: dict[str, Any] = {}

    def command(self, line: str) -> Reply:
        self.asked.append(line)
        answer = self.answers.get(line.split()[0], "Entry has been added with handle 7\n")
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Reply) else Reply(True, answer)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file: Path = tmp_path_factory.mktemp("commands") / "program.p4"
    file.write_text(PROGRAM)
    return switches.load(file)


@pytest.fixture
def device(program: Any) -> Any:
    made: Any = CompiledDevice.__new__(CompiledDevice)
    made.program, made._client, made._records = program, Client(), 0
    return made


@pytest.mark.parametrize(
    ("table", "matches", "words"),
    [
        ("I.plain", (Exact(5), Prefix(0x120, 8)), "0x5 0x120/8 => 0x1 0xff"),
        ("I.plain", (Exact(5), None), "0x5 0x0/0 => 0x1 0xff"),
        ("I.ranked", (Ternary(5, 0xF), Range(1, 9), Exact(3)), "0x5&&&0xf 0x1->0x9 0x3 => 0x1 0xff 2147483637"),
        ("I.ranked", (None, None, None), "* 0x0->0xfff * => 0x1 0xff 2147483637"),
        ("I.ranked", (Exact(5), Range(1, 1), Ternary(0, 0)), "0x5&&&0xff 0x1->0x1 * => 0x1 0xff 2147483637"),
        ("I.ranked", (Ternary(0, 0), None, Ternary(3, 0xF)), "* 0x0->0xfff 0x3 => 0x1 0xff 2147483637"),
    ],
)
def test_entries(device: Any, table: str, matches: tuple[Match | None, ...], words: str) -> None:
    """The larger a priority is, the smaller that of the commands."""
    assert device.add_entry(table, matches, "I.go", (1, 255), 10) == 7
    assert device._client.asked == [f"table_add {table} I.go {words}"]


def test_what_a_kind_of_match_does_not_have(device: Any) -> None:
    for matches in ((None, Prefix(0, 8)), (Ternary(5, 1), Prefix(0, 8)), (Exact(5), Range(1, 2))):
        with pytest.raises(ControlError):
            device.add_entry("I.plain", matches, "I.go", (1, 255), 0)
    assert not device._client.asked


def test_entries_of_members_and_of_groups(device: Any) -> None:
    device.add_indirect_entry("I.plain", (Exact(1), Prefix(0, 4)), 3, 0, group=False)
    device.add_indirect_entry("I.plain", (Exact(1), Prefix(0, 4)), 4, 0, group=True)
    assert device._client.asked == [
        "table_indirect_add I.plain 0x1 0x0/4 => 3", "table_indirect_add_with_group I.plain 0x1 0x0/4 => 4",
    ]  # fmt: skip


def test_commands_of_all_kinds(device: Any) -> None:
    device._client.answers = {"register_read": "r[2]= 99", "counter_read": "c[1]= (560 bytes, 7 packets)"}
    assert device.register_read("r", 2) == 99
    assert device.counter("c", 1) == (7, 560)
    assert device.member_create("p", "I.go", (1, 16)) == 7
    assert device.selector_group_create("p", [4, 5]) == 7
    assert device.node_create(3, (1, 2)) == 7
    for call, arguments in (
        (device.counter_write, ("c", 1, 7, 560)), (device.register_write, ("r", 2, 5)), (device.register_reset, ("r",)),
        (device.meter_set_rates, ("m", 0, (0.25, 10), (1e-7, 20))), (device.meter_set_rates, ("m", 1, (0.123456789, 1), (9, 2))),
        (device.mirroring_add, (1, 2)),
        (device.mirroring_add, (1, 2, 64, 3)), (device.mirroring_add_group, (1, 9, 64, 3)), (device.mirroring_delete, (1,)),
        (device.group_create, (9,)), (device.node_update, (0, (4,))), (device.node_associate, (9, 0)),
        (device.set_default, ("I.plain", "I.go", (1, 2))), (device.remove_entry, ("I.plain", 7)),
        (device.clear_table, ("I.plain",)),
    ):  # fmt: skip
        call(*arguments)
    device.port_direction(1, host=True)
    device.port_direction(2, host=False)
    assert device._client.asked == [
        "register_read r 2", "counter_read c 1", "act_prof_create_member p I.go 0x1 0x10", "act_prof_create_group p",
        "act_prof_add_member_to_group p 4 7", "act_prof_add_member_to_group p 5 7", "mc_node_create 3 1 2",
        "counter_write c 1 7 560", "register_write r 2 5", "register_reset r", "meter_set_rates m 0 0.25:10 1e-07:20",
        "meter_set_rates m 1 0.123456789:1 9:2",
        "mirroring_add 1 2 0 0", "mirroring_add 1 2 64 3", "mirroring_add_mc 1 9 64 3", "mirroring_delete 1",
        "mc_mgrp_create 9", "mc_node_update 0 4", "mc_node_associate 9 0", "table_set_default I.plain I.go 0x1 0x2",
        "table_delete I.plain 7", "table_clear I.plain", "port_host 1", "port_net 2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("nothing", "counter_read answered: nothing"),
        (Reply(False, " no such counter\n"), "no such counter"),
        (protocol.ControlError("refused"), "refused"),
        (TimeoutError(), "the switch has not answered for 30 seconds"),
        (BrokenPipeError("gone"), "the connection to the switch broke: gone"),
    ],
)
def test_what_is_no_answer(device: Any, answer: Any, message: str) -> None:
    device._client.answers = {"counter_read": answer}
    with pytest.raises(ControlError) as raised:
        device.counter("c", 1)
    assert str(raised.value) == message


def test_an_answer_without_a_number(device: Any) -> None:
    device._client.answers = {"register_read": "r[2]= none"}
    with pytest.raises(ControlError, match="register_read answered: "):
        device.register_read("r", 2)


def test_digests_are_whole(device: Any) -> None:
    """Fields in whole bytes, each record once; some that are lost or do not come are no answer."""
    (name,) = (one.name for one in device.program.externs if one.kind == "digest")
    stats = {"digests": 3, "digests_lost": 0}
    pushes = iter([protocol.Digest(name, (b"\x0f\xff\1", b"\0\2\3")), protocol.Digest(name, (b"\0\0\0",)), None])
    device._client.stats, device._client.digest = (lambda: stats), (lambda seconds: next(pushes))
    assert device.digests() == [(name, (0xFFF, 1)), (name, (2, 3)), (name, (0, 0))]
    assert device.digests() == []
    stats["digests"] = 4
    with pytest.raises(ControlError, match="4 digests were sent, 3 came"):
        device.digests()
    stats["digests_lost"] = 1
    with pytest.raises(ControlError, match="1 digests were lost"):
        device.digests()


def test_frames_are_taken_in_until_there_is_no_room_for_long(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    room, given, now = iter([2, 0, 1, *[0] * 100]), [], 0.0

    def inject(port: int, frames: list[bytes]) -> int:
        given.append((port, list(frames)))
        return next(room)

    def sleep(seconds: float) -> None:
        nonlocal now
        now += 1.0

    device._client.inject = inject
    monkeypatch.setattr("macsad.stf.compiled.time", SimpleNamespace(monotonic=lambda: now, sleep=sleep))
    device.inject_all(3, [b"a", b"b", b"c"])
    assert given == [(3, [b"a", b"b", b"c"]), (3, [b"c"]), (3, [b"c"])]
    with pytest.raises(ControlError, match="does not take in its frames"):
        device.inject(3, b"d")


def test_a_member_of_a_value_set_has_its_fields_in_order(device: Any) -> None:
    (known,) = device.program.value_set
    device.value_set_add(known, (Exact(5), Exact(0x123)))
    assert device._client.asked == [f"pvs_add {known} 0x5 0x123"]


def test_a_sub_batch_is_no_larger_than_a_burst(device: Any) -> None:
    asked: list[tuple[int, int]] = []
    device._client.set_batch = lambda *sizes: asked.append(sizes)
    for sizes in ((8, 4), (8, 8), (4, 8)):
        device.set_batch(*sizes)
    assert asked == [(8, 4), (8, 8), (4, 4)]


def binary(folder: Path, script: str) -> Path:
    made = folder / "switch"
    made.write_text(f"#!/bin/sh\n{script}\n")
    made.chmod(0o755)
    return made


def test_how_a_switch_is_started(program: Any, tmp_path: Path) -> None:
    """One that ends at once says what it was given, and the last of its words are told."""
    says = binary(tmp_path, 'shift 2; echo "$@" >&2; exit 3')
    for ports, given in (({7, 2}, "--port 2=ctl: --port 7=ctl:"), ((), "--port 0=ctl:")):
        with pytest.raises(ControlError) as raised:
            CompiledDevice(program, says, ports, burst=4, sub_batch=8, seed=5)
        assert str(raised.value) == (
            f"the switch did not start (exit 3):\n--seed 5 --parent {os.getpid()} --buffers 2048 --burst 4 --sub-batch 4 {given}"
        )
    with pytest.raises(ControlError) as raised:
        CompiledDevice(program, binary(tmp_path, "exit 1"), [], wrapper=["sh"])
    assert str(raised.value) == "the switch did not start (exit 1)"
    with pytest.raises(ControlError) as raised:
        CompiledDevice(program, binary(tmp_path, "yes 1234567 | head -600 >&2; echo end >&2; exit 1"), [])
    _, _, words = str(raised.value).partition("\n")
    assert len(words) == 4000 and words.endswith("1234567\nend")
    with pytest.raises(ControlError, match=r"cannot start .*none"):
        CompiledDevice(program, tmp_path / "none", [])


@pytest.mark.parametrize(("code", "running"), [(0, True), (0, False), (1, True), (1, False), (-6, True)])
def test_a_switch_that_does_not_end_cleanly_is_told(device: Any, tmp_path: Path, code: int, running: bool) -> None:
    """As sanitizers end it, by its exit code; whether it has ended by itself or when it was asked to."""
    did: list[str] = []
    process = SimpleNamespace(
        poll=lambda: None if running else code, communicate=lambda **_: did.append("ended"), wait=lambda: code,
        kill=lambda: did.append("killed"), returncode=code,
    )  # fmt: skip
    (tmp_path / "stderr").write_text("a leak\n")
    device._process, device._errors = process, tmp_path / "stderr"
    device._folder = SimpleNamespace(cleanup=lambda: did.append("removed"))
    device._client.shutdown, device._client.close = (lambda: did.append("asked")), (lambda: did.append("closed"))
    ended = [*(["asked", "ended"] if running else []), "closed"]
    if code == 0:
        device.close()
        assert did == [*ended, "removed"]
    else:
        with pytest.raises(ControlError) as raised:
            device.close()
        assert str(raised.value) == f"the switch did not end cleanly (exit {code}):\na leak"
        assert did[: len(ended)] == ended and did[-1] == "removed"


def test_digests_are_asked_for_where_there_are_any(monkeypatch: pytest.MonkeyPatch, program: Any) -> None:
    asked: list[str] = []
    client = SimpleNamespace(subscribe=lambda: asked.append("subscribe"))
    monkeypatch.setattr(CompiledDevice, "_connect", lambda self, path: client)
    monkeypatch.setattr("macsad.stf.compiled.subprocess.Popen", lambda *_, **__: None)
    none = SimpleNamespace(externs=[one for one in program.externs if one.kind != "digest"])
    more = SimpleNamespace(externs=[*program.externs, SimpleNamespace(kind="counter")])
    for one, count in ((program, 1), (none, 0), (more, 1)):
        CompiledDevice(one, Path("switch"), [0])
        assert asked == ["subscribe"] * count
        asked.clear()
