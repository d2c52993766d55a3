"""What idle switches take of a machine: python bench/idle.py [--switches N] [--seconds S] [--command NAME] [PROGRAM].

So many switches run beside each other in a network namespace, each with two interfaces and its servers, as a Mininet starts
them. Told are the processor's time and the memory of one, in the mean, with all processes that belong to it: proportional (a page
that several processes have is divided among them; the sum over all is what the machine has less) and resident (each counts
such a page as its own). `--command`: BMv2's own, where that is installed; PROGRAM is then its JSON. Without it, macsad's.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import grpc

from macsad.shims.write import write

ROOT = Path(__file__).parents[1]
INSIDE = "MACSAD_IDLE_INSIDE"  # set in the namespace
FIRST_THRIFT, FIRST_GRPC = 19090, 29559
WAIT_S, SETTLE_S = 300.0, 3.0
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """Of a process: seconds of the processor, KiB."""

    seconds: float
    proportional: int
    resident: int
    private: int

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


def usage_of(process: int) -> Usage:
    after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    sizes = {"Pss": 0, "Rss": 0, "Private_Clean": 0, "Private_Dirty": 0}
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]:
        name, _, rest = line.partition(":")
        if name in sizes:
            sizes[name] = int(rest.split()[0])
    private = sizes["Private_Clean"] + sizes["Private_Dirty"]
    return Usage((int(after_name[11]) + int(after_name[12])) / TICKS, sizes["Pss"], sizes["Rss"], private)


def with_children(process: int) -> list[int]:
    """A process and all that come from it."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(one for child in children for one in with_children(int(child)))]


def interfaces(count: int) -> None:
    """Switch N has sNa and sNb, whose other ends are up, too."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for number in range(count):
        for port in "ab":
            one, other = f"s{number}{port}", f"h{number}{port}"
            subprocess.run(["ip", "link", "add", one, "type", "veth", "peer", "name", other], check=True)
            for end in (one, other):
                Path(f"/proc/sys/net/ipv6/conf/{end}/disable_ipv6").write_text("1")
                subprocess.run(["ip", "link", "set", end, "up"], check=True)


@contextmanager
def switch(command: str, program: Path, number: int) -> Iterator[subprocess.Popen[bytes]]:
    thrift, grpc_at = FIRST_THRIFT + number, f"127.0.0.1:{FIRST_GRPC + number}"
    words = [command, "-i", f"1@s{number}a", "-i", f"2@s{number}b", "--thrift-port", str(thrift)]
    words += ["--device-id", str(number), str(program)]
    words += ["--", "--grpc-server-addr", grpc_at] if "grpc" in command else []
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)


def wait_for(process: subprocess.Popen[bytes], command: str, number: int) -> None:
    """Until it takes connections, and answers if it has P4Runtime: from then on there is nothing more to do."""
    port, end = (FIRST_GRPC if "grpc" in command else FIRST_THRIFT) + number, time.monotonic() + WAIT_S
    while time.monotonic() < end:
        if process.poll() is not None:
            raise SystemExit(f"{command} has ended with {process.returncode}")
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            break
        time.sleep(0.05)
    if "grpc" in command:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            channel.unary_unary("/p4.v1.P4Runtime/Capabilities")(b"", timeout=WAIT_S)


def measure(command: str, program: Path, count: int, seconds: float) -> None:
    with ExitStack() as stack:
        begin = time.monotonic()
        leaders = [stack.enter_context(switch(command, program, number)) for number in range(count)]
        for number, leader in enumerate(leaders):
            wait_for(leader, command, number)
        print(f"all answer after {time.monotonic() - begin:.1f} s", flush=True)
        time.sleep(SETTLE_S)
        processes = [[(one, usage_of(one)) for one in with_children(leader.pid)] for leader in leaders]
        begin = time.monotonic()
        time.sleep(seconds)
        passed = time.monotonic() - begin
        for name, place in (("the command with its servers", 0), ("what it has started", 1)):
            told(name, [one for group in processes for one in (group[:1], group[1:])[place]], count, passed)
        told("together", [one for group in processes for one in group], count, passed)


def told(name: str, before: list[tuple[int, Usage]], count: int, passed: float) -> None:
    """In the mean of the switches."""
    if not before:
        return
    now = sum((usage_of(process) for process, _ in before), Usage(0, 0, 0, 0))
    spent = now.seconds - sum(usage.seconds for _, usage in before)
    share = spent / passed / count
    mib = [value / count / 1024 for value in (now.proportional, now.resident, now.private)]
    print(f"{name}: {share:.2%} of a core; MiB: {mib[0]:.1f} proportional, {mib[1]:.1f} resident, {mib[2]:.1f} its own")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=Path, default=ROOT / "apps" / "l2fwd" / "l2fwd.p4")
    parser.add_argument("--switches", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--command", default="")
    arguments = parser.parse_args()
    if INSIDE not in os.environ:
        inside = {**os.environ, INSIDE: "1"}
        os.execvpe("unshare", ["unshare", "-n", sys.executable, *sys.argv], inside)
    with tempfile.TemporaryDirectory() as folder:
        interfaces(arguments.switches)
        command = arguments.command or "simple_switch_grpc"
        if "/" not in command and not arguments.command:
            write(Path(folder))
            command = str(Path(folder) / command)
        print(f"{arguments.switches} idle switches, each with two interfaces; one of them, in the mean:", flush=True)
        measure(command, arguments.program.resolve(), arguments.switches, arguments.seconds)


if __name__ == "__main__":
    main()
