"""`make demo`: compiles apps/l3fwd, lets a file of IPv4 packets through the switch, and shows what came out where."""

from __future__ import annotations

import ipaddress
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
APP = ROOT / "apps" / "l3fwd"
FOLDER = ROOT / "build" / "demo"
PORTS = (0, 1, 2, 3)
FRAMES, REPEATED = 200_000, 20_000_000
# What is sent: destination, TTL, what is wrong with it.
KINDS = (
    ("10.0.3.4", 64, ""),
    ("10.1.3.4", 64, ""),
    ("10.1.200.7", 64, ""),
    ("10.2.9.9", 17, ""),
    ("192.0.2.33", 64, ""),
    ("10.1.66.6", 64, ""),
    ("172.16.0.1", 64, ""),
    ("10.2.1.1", 1, ""),
    ("10.0.1.1", 64, "checksum"),
)
NOTES = ("", "", "longer prefix", "", "", "route says drop", "no route", "TTL expired", "wrong checksum")
ETHERNET, IPV4 = struct.Struct("!6s6sH"), struct.Struct("!BBHHHBBH4s4s")


def frame(number: int) -> bytes:
    """The numbered frame: 60 bytes, an IPv4 header whose id says which of KINDS it is."""
    kind = number % len(KINDS)
    destination, ttl, wrong = KINDS[kind]
    addresses = ipaddress.IPv4Address("198.51.100.1").packed, ipaddress.IPv4Address(destination).packed
    header = IPV4.pack(0x45, 0, 46, kind, 0, ttl, 17, 0, *addresses)
    total = sum(struct.unpack("!10H", header)) + (wrong == "checksum")
    checksum = ~(total % 0xFFFF) & 0xFFFF
    header = IPV4.pack(0x45, 0, 46, kind, 0, ttl, 17, checksum, *addresses)
    return ETHERNET.pack(b"\x02\0\0\0\x01\0", b"\x02\0\0\0\0\x10", 0x0800) + header + bytes(26)


def write_pcap(path: Path) -> None:
    frames = [frame(number) for number in range(len(KINDS))]
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for number in range(FRAMES):
            data = frames[number % len(frames)]
            file.write(struct.pack("<IIII", 0, number, len(data), len(data)) + data)


def read_pcap(path: Path) -> Iterator[bytes]:
    data, at = path.read_bytes(), 24
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at + 8)
        yield data[at + 16 : at + 16 + length]
        at += 16 + length


def out(port: int) -> Path:
    return FOLDER / f"out{port}.pcap"


def show() -> Table:
    """What went in beside what came out, a row for each kind of packet."""
    seen: Counter[tuple[int, int, str, int]] = Counter()
    for port in PORTS:
        for data in read_pcap(out(port)):
            _, _, _, kind, _, ttl, _, _, _, _ = IPV4.unpack_from(data, ETHERNET.size)
            seen[kind, port, data[:6].hex(":"), ttl] += 1
    table = Table(
        "in", "to", "TTL", "out", "port", "to MAC address", "TTL", "", box=None, pad_edge=False, padding=(0, 1)
    )
    for kind, (destination, ttl, _) in enumerate(KINDS):
        sent = sum(1 for number in range(FRAMES) if number % len(KINDS) == kind)
        came = [(key, count) for key, count in sorted(seen.items()) if key[0] == kind]
        left = [f"{sent:,}", destination, str(ttl)]
        for (_, port, mac, ttl_out), count in came:
            table.add_row(*left, f"{count:,}", str(port), mac, str(ttl_out), NOTES[kind])
        if not came:
            table.add_row(*left, "0", "-", "-", "-", NOTES[kind])
    return table


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False)
    program, source = APP / "l3fwd.p4", FOLDER / "in.pcap"
    console.print(f"[bold]macsad build {program.relative_to(ROOT)}[/bold]")
    command = [str(Path(sys.executable).with_name("macsad")), "build", str(program), "-o", str(FOLDER)]
    if code := subprocess.run(command, check=False).returncode:
        return code
    write_pcap(source)
    ports = [f"--port={port}=pcap:{source if port == 0 else ''},{out(port)}" for port in PORTS]
    console.print(f"[bold]{FRAMES:,} packets in at port 0, four ports out[/bold]")
    through_files = run_switch(*ports)
    console.print(show())
    console.print(*through_files, sep="\n")
    console.print(f"[bold]the same packets from memory, {REPEATED:,} of them[/bold]")
    memory = [f"--port={port}={f'mem:{source},loop' if port == 0 else f'null:{port}'}" for port in PORTS]
    console.print(run_switch(*memory, f"--count={REPEATED}")[-1])
    return 0


def run_switch(*options: str) -> list[str]:
    """Run the switch to its end; the two last lines that it prints: packets accounted for, packets per second."""
    command = [str(FOLDER / "l3fwd"), *options, "--entries", str(APP / "entries.txt")]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout.splitlines()[-2:]


if __name__ == "__main__":
    sys.exit(main())
