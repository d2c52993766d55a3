"""Where the frames of a measured switch come from and go to: memory, so that no device is measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from macsad.bench.contestants import BenchError

# Of each platform, the usual one first.
FEEDS = {"linux": ("mem",), "dpdk": ("pcap", "null")}
PACKETS = {"pcap": 65_536}  # different frames at most unless asked for: DPDK keeps each in a packet of the pool
BUFFERS = 8192  # packets that the switch holds at most, beside what a device keeps
ROOM = 2048  # bytes of a packet over DPDK: as much as DPDK's own programs have


@dataclass(frozen=True)
class Feed:
    """`source` and `sink`: the names of ports 0 and 1. `devices`: over DPDK, the same as DPDK's own programs name them."""

    platform: str
    source: str
    sink: str
    buffers: int = BUFFERS
    max_frame: int = 9216
    devices: tuple[str, ...] = ()

    @property
    def options(self) -> list[str]:
        """For a switch."""
        ports = ["--port", f"0={self.source}", "--port", f"1={self.sink}"]
        return [*ports, "--buffers", str(self.buffers), "--max-frame", str(self.max_frame)]

    @property
    def arguments(self) -> list[str]:
        """For the programs of bench/ that forward."""
        return [self.source, self.sink, str(self.buffers), str(self.max_frame)]

    @property
    def huge_bytes(self) -> int:
        """What the packets take of the huge pages at least."""
        return self.buffers * self.max_frame if self.devices else 0


def named(platform: str, name: str | None) -> str:
    """A feed that the platform has; None is the usual one. Raises: BenchError."""
    if platform not in FEEDS:
        raise BenchError(f"ports differ among implementations of platform {platform}: measure {_either(FEEDS)}")
    if name is not None and name not in FEEDS[platform]:
        raise BenchError(f"platform {platform} has no feed {name}: choose {_either(FEEDS[platform])}")
    return name or FEEDS[platform][0]


def feed(
    platform: str, name: str, frames: Path, count: int, size: int, workers: int, replies: Path | None = None
) -> Feed:
    """A feed that `named` has answered: `count` frames of `size` bytes at most in a file, for so many workers. `replies`: frames
    that come in at the other port, from memory."""
    if platform == "linux":
        return Feed(platform, f"mem:{frames},loop", f"mem:{replies},loop" if replies is not None else "null:")
    if replies is not None:
        raise BenchError("replies come from memory: measure them on platform linux")
    queues = ",".join([f"rx_pcap={frames}"] * workers)  # each gets all of them
    source = f"net_null1,size={size}" if name == "null" else f"net_pcap0,{queues},infinite_rx=1"
    devices = (source, "net_null0,no-rx=1")
    held = 0 if name == "null" else count * workers
    ports = [f"dpdk:{device}" for device in devices]
    return Feed(platform, ports[0], ports[1], BUFFERS + held, max(ROOM, size), devices)


def _either(names: Iterable[str]) -> str:
    return " or ".join(names)
