"""The same program everywhere: apps on all platforms, kinds of ports and architectures, the same frames in, the same out.

    matrix.py [--only WORDS] [-v]

Frames and entries are generated for each app. Every cell must send the same bytes in the same order from each port as
the switch over pcap files on this machine does. Cells that cannot run here are holes, each with its reason. Exit code 0
only when no cell disagrees or fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests")]

import wires  # noqa: E402
from cells import APPS, ARCHITECTURES, PORTS, ROWS, Cell, environment_of, hole  # noqa: E402
from switch_harness import read_pcap, write_pcap  # noqa: E402

from macsad.control import Client  # noqa: E402
from macsad.protocol import ControlError  # noqa: E402
from transpiler.toolchain import toolchain  # noqa: E402

MACSAD = (sys.executable, "-c", "from macsad.cli import main; main()")
GENERATE = ("--entries", "50", "--packets", "200", "--hit", "0.9", "--ports", str(PORTS))
SIZES = (78, 591, 1510)  # bytes of a frame: with a VLAN tag that a program puts in, the longest is Ethernet's
LIMIT_S = 60.0
Sent = list[list[bytes]]  # frames of each port but the first


class Failed(Exception):
    """A cell that could not be run to its end."""


@dataclass
class Results:
    """`agree`, `differ` and `holes`: reasons by cell, empty for those that agree."""

    agree: list[Cell] = field(default_factory=list)
    differ: dict[Cell, str] = field(default_factory=dict)
    holes: dict[Cell, str] = field(default_factory=dict)

    def mark(self, cell: Cell) -> str:
        return "same" if cell in self.agree else "DIFFERS" if cell in self.differ else "-" if cell in self.holes else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cells in whose name all these words stand, as in 'router dpdk'")
    wanted = parser.parse_args()
    cells = [Cell(app, row, arch) for row in ROWS for arch in ARCHITECTURES for app in APPS]
    words = wanted.only.split()
    chosen = {cell for cell in cells if all(word in str(cell).split() for word in words)}
    apps = {cell.app for cell in chosen}
    cells = [cell for cell in cells if cell in chosen or (is_reference(cell) and cell.app in apps)]
    results = Results()
    with tempfile.TemporaryDirectory(prefix="macsad-matrix-") as folder:
        run(cells, Path(folder), results)
    report(results)
    return 1 if results.differ or not results.agree else 0


def is_reference(cell: Cell) -> bool:
    return cell.row is ROWS[0] and cell.arch == toolchain.host_arch()


def run(cells: list[Cell], folder: Path, results: Results) -> None:
    """All cells: the reference of each app first."""
    reasons = {(cell.row, cell.arch): "" for cell in cells}
    reasons = {key: hole(*key) for key in reasons}
    results.holes |= {cell: why for cell in cells if (why := reasons[cell.row, cell.arch])}
    cells = sorted((cell for cell in cells if cell not in results.holes), key=lambda cell: not is_reference(cell))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda app: generate(app, folder), {cell.app for cell in cells}))
        # one program for each backend first: the others find it compiled
        backends = {(cell.row.platform, cell.row.odp, cell.arch): cell for cell in cells}
        built = dict(zip(backends.values(), pool.map(lambda cell: build(cell, folder), backends.values()), strict=True))
        todo = {(cell.app, cell.row.platform, cell.row.odp, cell.arch): cell for cell in cells if cell not in built}
        list(pool.map(lambda cell: build(cell, folder), todo.values()))
    references: dict[str, Sent] = {}
    for cell in cells:
        try:
            sent = forward(cell, folder, references.get(cell.app))
            why = difference(references.setdefault(cell.app, sent), sent)
        except Failed as failure:
            why = str(failure)
        if why:
            results.differ[cell] = why
        else:
            results.agree.append(cell)
        print(f"{cell}: {why or 'same'}", file=sys.stderr, flush=True)


def source(app: str) -> Path:
    return ROOT / "apps" / app / f"{app}.p4"


def generate(app: str, folder: Path) -> None:
    """DIR/APP/entries.txt and packets.pcap, with frames of several sizes by turns."""
    frames = []
    for size in SIZES:
        said = macsad("gen", source(app), *GENERATE, "--size", size, "-o", folder / app)
        frames.append(read_pcap(folder / app / "packets.pcap") if not said else sys.exit(f"{app}: {said}"))
    write_pcap(folder / app / "packets.pcap", [frame for turn in zip(*frames, strict=True) for frame in turn])


def macsad(*words: object, environment: dict[str, str] | None = None) -> str:
    """What it says when it fails, else nothing."""
    done = subprocess.run([*MACSAD, *map(str, words)], capture_output=True, text=True, check=False, env=environment)
    return done.stderr.strip() if done.returncode else ""


def place(cell: Cell, folder: Path) -> Path:
    return folder / f"{cell.row.platform}{cell.row.odp}-{cell.arch}"


def build(cell: Cell, folder: Path) -> None:
    """What goes wrong is said when the binary is missed."""
    options = ("--platform", cell.row.platform, "--arch", cell.arch, "-O", "1", "-o", place(cell, folder))
    said = macsad("build", source(cell.app), *options, environment=environment_of(cell.row, cell.arch))
    if said:
        (place(cell, folder) / f"{cell.app}.why").write_text(said)


def forward(cell: Cell, folder: Path, reference: Sent | None) -> Sent:
    """Run a cell; what its ports have sent. Raises: Failed."""
    match cell.row.feed:
        case "files":
            return over_files(cell, folder)
        case "wires":
            with wires.veths(PORTS) as far, switch(cell, folder):
                return through(far, cell, folder, reference)
        case _:
            with switch(cell, folder):
                return through(wires.taps(PORTS), cell, folder, reference)


def through(interfaces: list[str], cell: Cell, folder: Path, reference: Sent | None) -> Sent:
    frames = read_pcap(folder / cell.app / "packets.pcap")
    return wires.through(interfaces, frames, [len(sent) for sent in reference or [[]] * (PORTS - 1)], LIMIT_S / 6)


def over_files(cell: Cell, folder: Path) -> Sent:
    """The input ends by itself; so does the switch."""
    outputs = [folder / f"out{number}.pcap" for number in range(PORTS)]
    for output in outputs:
        output.unlink(missing_ok=True)
    files = [folder / cell.app / "packets.pcap", *outputs[1:]]
    command, environment = command_of(cell, folder, files)
    try:
        done = subprocess.run([*command, "--until-idle=500"], capture_output=True, text=True, errors="replace",
                              timeout=LIMIT_S, check=False, env=environment)  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Failed(f"did not end within {LIMIT_S:.0f} s") from None
    if done.returncode:
        raise Failed(f"exit {done.returncode}: {done.stderr.strip()[-300:]}")
    return [read_pcap(output) if output.exists() else [] for output in outputs[1:]]


def command_of(cell: Cell, folder: Path, files: list[Path]) -> tuple[list[str], dict[str, str]]:
    """How to start a cell's switch. Raises: Failed, where it could not be built."""
    binary = place(cell, folder) / cell.app
    if not binary.exists():
        why = binary.with_suffix(".why")
        raise Failed(f"does not build: {why.read_text()[-300:] if why.exists() else ''}")
    environment = environment_of(cell.row, cell.arch)
    if cell.row.odp == "libodp-dpdk":  # its ports are devices that DPDK is given when it starts
        devices = [f"net_pcap{n},{'tx' if n else 'rx'}_pcap={file}" for n, file in enumerate(files)]
        environment["ODP_PLATFORM_PARAMS"] = " ".join(
            ["--no-pci --no-huge --no-shconf -m 1024", *(f"--vdev {d}" for d in devices)]
        )
    ports = [f"--port={n}={cell.row.port(n, file)}" for n, file in enumerate(files)]
    options = ["--entries", str(folder / cell.app / "entries.txt"), "--max-frame", "1518"]
    return [*toolchain.emulator(cell.arch), str(binary), *ports, *options], environment


@contextmanager
def switch(cell: Cell, folder: Path) -> Iterator[None]:
    """A cell's switch, running on its interfaces. Raises: Failed, where it does not start or does not end well."""
    listening = folder / "control"
    listening.unlink(missing_ok=True)
    command, environment = command_of(cell, folder, [Path()] * PORTS)
    with (folder / "said").open("w+") as said:
        process = subprocess.Popen([*command, "--socket", str(listening)], stdout=said, stderr=said, env=environment)
        try:
            if not starts(process, listening):
                raise Failed(f"does not start: {Path(said.name).read_text().strip()[-300:]}")
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                code = process.wait(LIMIT_S / 6)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
        if code:
            raise Failed(f"exit {code}: {Path(said.name).read_text().strip()[-300:]}")


def starts(process: subprocess.Popen[str], listening: Path) -> bool:
    """Wait until the switch answers."""
    end = time.monotonic() + LIMIT_S / 3
    while process.poll() is None and time.monotonic() < end:
        try:
            with Client.wait(listening, 0.2) as client:
                client.stats()  # answered when the ports are started, not before
        except (ControlError, OSError):
            continue
        return True
    return False


def difference(expected: Sent, sent: Sent) -> str:
    """In words; empty where there is none."""
    if not any(expected):
        return "nothing was sent"
    for port, (wanted, came) in enumerate(zip(expected, sent, strict=True), 1):
        if wanted != came:
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(wanted, came, strict=False)))
            return f"port {port}: {len(came)} frames instead of {len(wanted)}, frame {same} is the first that differs"
    return ""


def report(results: Results) -> None:
    """The table, the reasons, and a line that sums up."""
    cells = [*results.agree, *results.differ, *results.holes]
    width = max(len(app) for app in APPS) + 3
    for arch in ARCHITECTURES:
        print(f"\n{arch:<20}" + "".join(f"{app:<{width}}" for app in APPS))
        for row in ROWS:
            marks = {cell.app: results.mark(cell) for cell in cells if (cell.row, cell.arch) == (row, arch)}
            if marks:
                print(f"{row!s:<20}" + "".join(f"{marks.get(app, ''):<{width}}" for app in APPS).rstrip())
    print()
    for cell, why in results.differ.items():
        print(f"DIFFERS: {cell}: {why}")
    for (row, arch), why in {(str(cell.row), cell.arch): why for cell, why in results.holes.items()}.items():
        print(f"hole: {row} {arch}: {why}")
    print(
        f"matrix: {len(results.agree)} cells agree, {len(results.differ)} disagree, {len(results.holes)} holes of {len(cells)}"
    )


if __name__ == "__main__":
    if (
        os.geteuid() == 0
        and "MACSAD_MATRIX" not in os.environ
        and shutil.which("unshare")
        and subprocess.run(["unshare", "-n", "true"]).returncode == 0
    ):
        # interfaces of its own, which nothing else sees
        quiet = 'sysctl -qw net.ipv6.conf.default.disable_ipv6=1 2>/dev/null; ip link set lo up; exec "$@"'
        os.environ["MACSAD_MATRIX"] = "1"
        os.execvp("unshare", ["unshare", "-n", "sh", "-c", quiet, "matrix", sys.executable, *sys.argv])
    sys.exit(main())
