"""The doors through which bytes from outside come in, each with a fuzz target (doors/*.c, libFuzzer) and a corpus made here.

A target is a program with the backend compiled in, sanitized and instrumented for coverage by clang. `pcap` reads capture
files; the others drive a switch of doors/doors.p4: `entries` a file of commands, `message` the control socket, `frame` ports.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from built_once import built_once

from macsad import compilation
from macsad.compilation import Request
from macsad.protocol import Message, Reading
from macsad.resources import share
from transpiler.toolchain.backend import archive, include_flags
from transpiler.toolchain.toolchain import Toolchain, find

HERE = Path(__file__).parent / "doors"
DOORS = ("entries", "message", "frame", "pcap")
COMPILER = "clang"
MEMORY_MB = 2048
INPUT_SECONDS = 10  # an input that takes longer is a fault
INPUT_BYTES = 16384


@dataclass(frozen=True)
class Outcome:
    """What a run of a target did: inputs tried, branches seen, what was wrong ("" when nothing was), and the file that
    holds the input that did it."""

    executions: int
    coverage: int
    wrong: str
    input: Path | None


def missing() -> str:
    """Why no target can be made here, or ""."""
    if shutil.which(COMPILER) is None:
        return f"{COMPILER} is not installed"
    program = "#include <stdint.h>\n#include <stddef.h>\nint LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) {return !d && n;}"
    command = [COMPILER, "-fsanitize=fuzzer,address", "-x", "c", "-", "-o", os.devnull]
    tried = subprocess.run(command, input=program, capture_output=True, text=True, check=False)
    return f"{COMPILER} has no libFuzzer: {tried.stderr.strip()[-200:]}" if tried.returncode else ""


def build(door: str) -> Path:
    """The target's program, compiled once in a run."""

    def make(folder: Path) -> None:
        parts = [HERE / f"{door}.c", *([] if door == "pcap" else sorted(_switch().glob("*.o"))), _library()]
        _compile("-fsanitize=fuzzer", f"-I{HERE}", *parts, *_tools().link_flags, "-o", folder / door)

    return built_once(("door", door), make) / door


def run(door: str, seconds: int, folder: Path, seed: int) -> Outcome:
    """Let a target look for inputs that hurt, beginning with the corpus."""
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(CORPORA[door]()):
        (corpus / f"made-{number:03}").write_bytes(content)
    options = {
        "max_total_time": seconds,
        "seed": seed or 1,
        "max_len": INPUT_BYTES,
        "timeout": INPUT_SECONDS,
        "rss_limit_mb": MEMORY_MB,
        "print_final_stats": 1,
        "verbosity": 1,
        "close_fd_mask": 2,  # what commands say is wrong goes nowhere; what libFuzzer and sanitizers say is kept
    }
    command = [str(build(door)), *(f"-{name}={value}" for name, value in options.items())]
    command += [f"-artifact_prefix={folder}/wrong-", f"-dict={_dictionary(door, folder)}", str(corpus)]
    environment = dict(os.environ, MACSAD_DOOR_ENTRIES=str(HERE / "entries.txt"), TMPDIR=str(folder))
    log = folder / "log"
    with log.open("wb") as file:
        done = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=file, env=environment, check=False, timeout=seconds + 300
        )
    said = log.read_text(errors="replace")
    executed = re.search(r"stat::number_of_executed_units: (\d+)", said)
    covered = re.findall(r"cov: (\d+)", said)
    wrong = said[-4000:] if done.returncode else ""
    return Outcome(
        int(executed[1]) if executed else 0,
        int(covered[-1]) if covered else 0,
        wrong,
        next(iter(sorted(folder.glob("wrong-*"))), None),
    )


# --- compiling --------------------------------------------------------------------------------------------------------


def _tools() -> Toolchain:
    return find("linux", compiler=COMPILER, optimise="-O1", sanitize=("fuzzer-no-link", "address", "undefined"))


def _library() -> Path:
    """The backend as an archive; libFuzzer's main() goes before its own."""
    return archive(share("aux-backend"), _tools())


def _switch() -> Path:
    """The generated C of doors.p4 and the switch around it, compiled."""

    def make(folder: Path) -> None:
        request = Request(HERE / "doors.p4")
        made = folder / "doors.c"
        made.write_text(compilation.generate_c(request, compilation.load(request)).c)
        for source in (made, HERE / "switch.c"):
            _compile("-c", source, "-o", folder / f"{source.stem}.o")

    return built_once("door switch", make)


def _compile(*arguments: str | Path) -> None:
    tools = _tools()
    flags = (*tools.all_flags, *include_flags(share("aux-backend"), tools))
    command = [*tools.compiler, *flags, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


# --- what fuzzing begins with -----------------------------------------------------------------------------------------


def _dictionary(door: str, folder: Path) -> Path:
    """Words that are worth putting in, as libFuzzer's dictionary."""
    words: list[bytes] = []
    if door in ("entries", "message"):
        words = sorted(set(re.findall(rb"[\w.]+|=>|&&&|->", (HERE / "entries.txt").read_bytes())))
    if door == "frame":
        words = [struct.pack(">H", kind) for kind in (0x0800, 0x86DD, 0x8847)]
    if door == "pcap":
        words = [struct.pack(">I", number) for number in (0xA1B2C3D4, 0xA1B23C4D, 0x0A0D0D0A, 0x1A2B3C4D)]
        words += [word[::-1] for word in words]
    file = folder / "dictionary"
    file.write_text("".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in words))
    return file


def _lines() -> list[bytes]:
    lines = (HERE / "entries.txt").read_bytes().splitlines(keepends=True)
    return [b"".join(lines), *(line for line in lines if line.strip() and not line.startswith(b"#"))]


def _messages() -> list[bytes]:
    def message(kind: int, payload: bytes = b"") -> bytes:
        return struct.pack(">IBBH", len(payload), kind, 0, 1) + payload

    frame = _frames()[0]
    inject = struct.pack(">H", 0) + struct.pack(">I", len(frame)) + frame
    made = [
        message(Message.SUBSCRIBE) + message(Message.INJECT, inject * 1) + message(Message.COLLECT),
        message(Message.SUBSCRIBE, b"\x03") + message(Message.READ, struct.pack(">BHII", Reading.AGES, 0, 0, 256)),
        message(Message.STATS) + message(Message.DESCRIBE) + message(Message.SET, struct.pack(">HH", 64, 8)),
        message(Message.BULK, b"\x03" + b"".join(_lines()[1:])),
        message(Message.SHUTDOWN),
        message(99, b"?") + message(Message.COMMAND, b"help"),
        struct.pack(">IBBH", 1 << 30, Message.COMMAND, 0, 0),
    ]
    return made + [message(Message.COMMAND, line.strip()) for line in _lines()[1:]]


def _frames() -> list[bytes]:
    """Frames that get through the parser of doors.p4, each in its own way."""
    station = bytes.fromhex("020000000001020000000002")
    ports = struct.pack(">HHHH", 1000, 2000, 8, 0)
    v4 = struct.pack(">BBHHHBBHII", 0x45, 0, 28, 1, 0, 64, 17, 0, 0x0A000001, 0x0A010203) + ports
    options = struct.pack(">BBHHHBBHII", 0x46, 1, 32, 1, 0, 64, 6, 0, 0x0A000001, 0x0A010203) + b"\x94\x04\0\0" + ports
    v6 = struct.pack(">IHBB", 6 << 28, 8, 17, 64) + bytes.fromhex("20010db8" + "00" * 11 + "01") * 2 + ports
    label = struct.pack(">I", 16 << 12 | 64)
    last = struct.pack(">I", 17 << 12 | 1 << 8 | 64)
    bodies = [
        (0x0800, v4), (0x0800, options), (0x0800, v4[:9] + b"\4" + v4[10:20] + v4), (0x86DD, v6), (0x8847, last + v4),
        (0x8847, label + last + v6), (0x8847, label * 4), (0x1234, b""), (0x8847, last + b"\xf0\x10" + v4),
    ]  # fmt: skip
    return [station + struct.pack(">H", kind) + body for kind, body in bodies]


def _bursts() -> list[bytes]:
    def packed(port: int, frame: bytes) -> bytes:
        return struct.pack("<BH", port, len(frame)) + frame

    frames = _frames()
    every = b"".join(packed(number, frame) for number, frame in enumerate(frames))
    return [b"\0" + packed(0, frame) for frame in frames] + [bytes([batch]) + every for batch in (0, 5, 11, 15)]


def _captures() -> list[bytes]:
    """In every format and byte order: frames of usual lengths, and of those around a packet's room in pcap.c."""
    lengths = [frame[:1] * length for frame, length in zip(_frames(), (1, 2047, 2048, 2049, 4000), strict=False)]
    made = [_classic(order, magic, frames) for frames in (_frames(), lengths) for order, magic in _CLASSIC]
    return made + [_pcapng(order, frames) for frames in (_frames(), lengths) for order in "<>"]


_CLASSIC = (("<", 0xA1B2C3D4), (">", 0xA1B2C3D4), ("<", 0xA1B23C4D))


def _classic(order: str, magic: int, frames: list[bytes]) -> bytes:
    head = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
    return head + b"".join(struct.pack(f"{order}IIII", 1, 2, len(frame), len(frame)) + frame for frame in frames)


def _pcapng(order: str, frames: list[bytes]) -> bytes:
    """A section, an interface with a resolution, each frame as an enhanced and as a simple packet block."""

    def block(kind: int, body: bytes) -> bytes:
        length = struct.pack(f"{order}I", 12 + len(body))
        return struct.pack(f"{order}I", kind) + length + body + length

    made = block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1))
    made += block(1, struct.pack(f"{order}HHIHHBxxxHH", 1, 0, 65535, 9, 1, 9, 0, 0))
    for frame in frames:
        padded = frame + bytes(-len(frame) % 4)
        made += block(6, struct.pack(f"{order}IIIII", 0, 0, 1, len(frame), len(frame)) + padded)
        made += block(3, struct.pack(f"{order}I", len(frame)) + padded)
    return made


CORPORA = {"entries": _lines, "message": _messages, "frame": _bursts, "pcap": _captures}
