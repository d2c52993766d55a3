"""Compiled parsers and deparsers against the interpreter, frame by frame, each frame also cut off at every length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path

import pytest
import switches

from macsad.compilation import Request, generate_c
from macsad.resources import share
from macsad.stf.device import Device
from macsad.stf.interpreted import InterpretedDevice
from transpiler.codegen.generate import generate
from transpiler.diagnostics import Diagnostics
from transpiler.targets.find import builtin
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import compile_program

HERE = Path(__file__).parent / "codegen"
SANITIZE = ("address", "undefined")
SIZE = 16  # frames put in at a time


def cut(frames: Iterable[str]) -> list[bytes]:
    """The frames at every length but none."""
    whole = [bytes.fromhex(frame) for frame in frames]
    return [frame[:n] for frame in whole for n in range(1, len(frame) + 1)]


def sent(device: Device, frames: list[bytes]) -> Iterator[list[bytes]]:
    """What comes of each group of frames."""
    for first in range(0, len(frames), SIZE):
        device.inject_all(0, frames[first : first + SIZE])
        yield [frame for _, frame in device.collect()]


def agree(program: str, frames: list[bytes]) -> list[bytes]:
    """Check that the compiled switch sends what the interpreter sends. Returns that."""
    path = HERE / f"{program}.p4"
    compiled = switches.start(path, (0, 1), sanitize=SANITIZE)
    try:
        expected = list(sent(InterpretedDevice(switches.load(path)), frames))
        for number, (right, got) in enumerate(zip(expected, sent(compiled, frames), strict=True)):
            assert got == right, [f.hex() for f in frames[number * SIZE : (number + 1) * SIZE]]
    finally:
        compiled.close()
    return [frame for group in expected for frame in group]


PARSED = [
    "00 02 04 07 aa bb", "00 02 04 06 09 aa",  # a stack that ends, one that is too short
    "01 12 34 56",
    "02 00 11 22", "02 10 11 22 33 44", "02 09 11 22 33", "02 ff 11", "02 f8 11",  # advance 0, 16, 9, 255, 248 bits
    "03 00 aa bb cc", "03 08 aa bb cc dd", "03 40 aa 01 02 03 04 05 06 07 08 cc dd", "03 41 aa 01 02 03 04 05 06 07 08 09",
    "03 48 aa 01 02 03 04 05 06 07 08 09 0a 0b", "03 07 aa bb", "03 f8 aa bb cc",
    "04" + "00" * 15 + "01 aa", "04 55" + "12" * 15, "04" + "00" * 14 + "01 00 bb", "04 80" + "00" * 15, "04 81" + "00" * 15,
    "05 fd" + "00" * 10, "05 04" + "00" * 10, "05 05" + "ff" * 9 + "f7", "05 05" + "ff" * 9 + "f6", "05 05" + "00" * 9 + "09",
    "05 06" + "00" * 9 + "64", "05 06" + "ff" * 10, "05 80 80" + "00" * 9,
    "06 09", "06 08", "06 03", "06 04",
    "07 01 aa", "07 ff aa", "07 00 aa",  # 1, 255 and 256 rounds without progress
    "08 01 02", "08 03 77", "08 05 77 88",
    "09 01 01 01 ff aa", "09 02 55 01 ff", "09 00 ff", "09 01 00 ff", "09" + "01" * 300 + "ff",
    "0a 01", "0a 02 aa", "0a 03 aa",
    "0b 00 05 11 22 33 44 55 66 77", "0b f0 01 11 22 33 44 55 66", "0b 20 05 11 22 33 44 55 66 77", "0b 0f ff 11 22 33 44 55 66",
    "0f 01", "0f 03", "0f 05",
    "80 01", "bf", "c5 01 02", "d0 01", "0c", "0d aa", "0e",
]  # fmt: skip


def test_parsers() -> None:
    frames = cut(frame for frame in PARSED if len(frame) < 200)
    frames += [bytes.fromhex(frame) for frame in PARSED]
    errors = {frame[0] for frame in agree("parsers", frames)}
    assert errors == {0, 1, 2, 3, 4, 5, 6}


def test_a_state_is_sure_of_headers_that_it_has_extracted_itself() -> None:
    """Of others it asks, also where the state before it in the C has extracted them."""
    program = HERE.parents[1] / "packets" / "reread.p4"
    made = generate_c(Request(program), switches.load(program)).c
    states = dict(part.partition(":;")[::2] for part in made.split("parse_") if ":;" in part[:30])
    assert "hdr_tail_at != MACS_NOWHERE" in states["unsure"]


def changed(bits: Iterable[int], rest: str = "") -> str:
    what = sum(1 << bit for bit in bits)
    return f"{what:04x} 1234 5678 0211 0122 10 c1 c2 a5 {rest}"


def test_deparsers() -> None:
    one = [changed([bit], "f1f2f3") for bit in range(14)]
    frames = cut([one[0], one[3], one[12]])
    frames += [bytes.fromhex(frame) for frame in one]
    frames += [bytes.fromhex(changed(two, "f1")) for two in combinations(range(14), 2)]
    frames += [bytes.fromhex(changed(three)) for three in combinations(range(14), 3) if sum(three) % 3 == 0]
    out = agree("deparsers", frames)
    assert max(map(len, out)) > 256 + 16
    assert len(out) < len(frames)  # of some nothing is left


@pytest.mark.parametrize("rest", [0, 1, 200])
def test_frames_grow_and_shrink_around_their_payload(rest: int) -> None:
    frames = [
        bytes.fromhex(changed(bits)) + bytes(range(1, rest + 1)) for bits in ([], [5], [8], [5, 8], [2, 5, 11, 13])
    ]
    agree("deparsers", frames)


@pytest.mark.parametrize("rest", ["", "f1", "f1f2f3f4"])
def test_headers_that_are_added_and_removed(rest: str) -> None:
    """Each may stay where it is, or move, and have fields that are written."""
    out = agree("inserted", [bytes.fromhex(f"{what:02x} 1234 c1 d1d2 a5 5678 {rest}") for what in range(256)])
    assert bytes.fromhex(f"20 1234 c1 d1d2 ee 3678 {rest}") in out
    assert bytes.fromhex(f"09 1234 {'00' * 16} 09 c1 d1d2 a5 5678 7000 {rest}") in out
    assert len(out) == (256 if rest else 252)  # of four nothing is left


@pytest.mark.parametrize("rest", ["", "f1f2f3f4f5f6"])
def test_headers_that_go_out_twice(rest: str) -> None:
    out = agree("repeated", [bytes.fromhex(f"{what:02x} 123456 c1c2 d1d2 {rest}") for what in range(64)])
    assert bytes.fromhex(f"01 123556 c1c2d1d2 123556 c1c2d1d2 {rest}") in out


def test_options_that_nothing_changes() -> None:
    out = agree("options", cut(["00 40 aa", "35 40 01 02 03 aa bb", "f0 00" + "11" * 15 + "aa"]))
    assert bytes.fromhex("35 3f 01 02 03 aa bb") in out


def test_switches() -> None:
    subjects = [f"{value:032x}" for value in (0, 1, 2, 3, 1 << 127, (1 << 64) + 1)]
    out = agree("switches", [bytes.fromhex(s + low + "55") for s in subjects for low in ("00", "ff", "7f")])
    assert {frame[-1] & 3 for frame in out} == {1, 2, 3}


@pytest.mark.parametrize("path", [HERE.parents[1] / "packets" / "copies_unread.p4", HERE / "parsers.p4"])
def test_what_nobody_reads_is_not_there_before_passes(tmp_path: Path, path: Path) -> None:
    """Copies and hashes whose outcome is not read read nothing themselves, nor do cases of a select behind one that always
    holds: compilers warn of variables without a use."""
    program = switches.load(path)
    made = generate(program, builtin(), share("templates"), Diagnostics())
    (tmp_path / "program.c").write_text(made.c)
    tools = toolchain.find(optimise="-O0", sanitize=SANITIZE)
    compile_program(tmp_path / "program.c", tmp_path / "program", share("aux-backend"), tools)
