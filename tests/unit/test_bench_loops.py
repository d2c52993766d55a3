"""What bench/production_loop.py measures, and what it divides by what; and where scripts have their files."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from bench_scripts import ROOT, sample, script


@pytest.fixture(scope="module")
def loop() -> Any:
    return script("production_loop")


def test_each_program_has_its_loop(loop: Any) -> None:
    assert {path.stem for path in loop.LOOPS.glob("*.h")} >= set(loop.PROGRAMS)


def test_frames_that_a_switch_sends(loop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second port receives a file without frames."""
    packets = tmp_path / "in.pcap"
    packets.write_bytes(bytes(range(100)))
    ran: list[list[str]] = []

    def run(words: list[str], *, check: bool, capture_output: bool, cwd: Path) -> None:
        assert check and capture_output and cwd == tmp_path
        ran.append(words)
        for number in range(2):
            (tmp_path / f"sent-{number}.pcap").write_bytes(b"sent %d" % number)

    monkeypatch.setattr(loop, "run", run)
    made = SimpleNamespace(packets=packets, entries=tmp_path / "entries")
    assert loop.sent(Path("switch"), made, tmp_path) == (b"sent 0", b"sent 1")
    assert (tmp_path / "nothing.pcap").read_bytes() == bytes(range(24))
    assert ran[0][:5] == ["switch", "--entries", str(made.entries), "--batch", "64"] and ran[0][-1] == "--until-end"
    assert ran[0][6:9:2] == [
        f"0=pcap:{packets},{tmp_path}/sent-0.pcap",
        f"1=pcap:{tmp_path}/nothing.pcap,{tmp_path}/sent-1.pcap",
    ]


@pytest.fixture
def measured(loop: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Nothing runs: a packet takes the program 100 ns, the loop 50, a lookup 20, of which there are half a one a packet."""
    seen: dict[str, Any] = {"frames": {"p": (b"a", b"b"), "l": (b"a", b"b")}}

    def measure(turns: list[Any], rounds: int, seconds: float, advance: Any) -> dict[Any, Any]:
        seen["rounds"], seen["turns"] = (rounds, seconds), turns
        times = {"program": 100, "loop": 50, "lookup": 20}
        return {turn.key: [sample(times[turn.key[0]])] * rounds for turn in turns}

    def make(request: Any, program: Any, order: Any) -> Any:
        seen["order"] = order
        return SimpleNamespace()

    monkeypatch.setattr(loop, "build", lambda name, request, folder: {"program": "p", "loop": "l"})
    monkeypatch.setattr(loop.compilation, "load", lambda request: None)
    monkeypatch.setattr(loop.generation, "make", make)
    monkeypatch.setattr(loop, "sent", lambda binary, made, folder: seen["frames"][binary])
    monkeypatch.setattr(loop, "started", lambda binary, made, folder, closing: binary)
    looked = tuple(SimpleNamespace(number=number, each=0.25) for number in (4, 7))
    monkeypatch.setattr(loop, "alone", lambda request, made, folder, closing: ("probe", looked))
    monkeypatch.setattr(loop, "measure", measure)
    return seen


def test_a_program_and_its_loop_in_turn(loop: Any, measured: dict[str, Any]) -> None:
    """At 2 cycles a nanosecond."""
    said = loop.figures("up4", None, Path("x"), False)
    assert said == (
        "up4 200 cycles a packet, the bare loop 100, its lookups alone 20: the loop is 2.00 times as fast; same frames sent"
    )
    assert measured["rounds"] == (15, 0.1)
    keys = [(turn.key, turn.what, turn.number) for turn in measured["turns"]]
    assert keys[:2] == [(("program", 0), "", 64), (("loop", 0), "", 64)]
    assert keys[2:] == [(("lookup", 4), "lookup", 4), (("lookup", 7), "lookup", 7)]
    order = measured["order"]
    assert (order.entries, order.packets, order.hit, order.ports, order.port, order.seed) == (
        1000,
        10_000,
        1.0,
        2,
        0,
        1,
    )
    loop.figures("up4", None, Path("x"), True)
    assert measured["rounds"] == (3, 0.02)


def test_a_loop_that_sends_other_frames_is_no_figure(loop: Any, measured: dict[str, Any]) -> None:
    measured["frames"]["l"] = (b"a", b"")
    with pytest.raises(click.ClickException, match="the loop sends other frames than up4"):
        loop.figures("up4", None, Path("x"), True)


@pytest.mark.parametrize("file", sorted((ROOT / "bench").glob("*.py")), ids=lambda file: file.stem)
def test_files_of_scripts_lie_in_the_project(file: Path) -> None:
    """Figures in build/bench; all else is there."""
    known: dict[str, Any] = {"Path": Path, "__file__": str(file)}
    for statement in ast.parse(file.read_text()).body:
        assigned = ast.unparse(statement.value) if isinstance(statement, ast.Assign) else ""
        if "__file__" in assigned or "ROOT" in assigned:
            before = set(known)
            exec(compile(ast.Module([statement], []), str(file), "exec"), known)
            for name in set(known) - before - {"__builtins__"}:
                path = known[name]
                assert path.is_relative_to(ROOT), name
                assert path.exists() or path.is_relative_to(ROOT / "build" / "bench"), name
