"""Optimisations by name. Each can be left out, and the packets that the switch sends stay the same.

The one list: options of the command, docs/optimisations.md and the tests are made from the fields of `Optimisations`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any


def _on(does: str, gain: str, *, of_program: bool = True) -> bool:
    """An optimisation: what it does, what it gains and costs. If not `of_program` it leaves the program's C as it is, and
    changes how that is compiled or linked."""
    made: bool = field(default=True, metadata={"does": does, "gain": gain, "of_program": of_program})
    return made


@dataclass(frozen=True, slots=True)
class Optimisations:
    """The optimisations that are done. `without_passes`: names of passes (passes/pipeline.py) that are left out."""

    passes: bool = _on(
        "all rewrites of the program (see --no-pass)",
        "fewer instructions, fields and branches; costs compile time",
    )
    stages: bool = _on(
        "stages: the program is split at table lookups, so that lookups of many packets are in flight at once",
        "cache misses overlap; costs a list of packets for each stage",
    )
    small_tables: bool = _on(
        "immediate lookups in tables, and accesses to registers and meters, so small that they stay in the cache, without a "
        "stage of their own",
        "no list of packets where there is no miss to wait for",
    )
    state: bool = _on(
        "stages for accesses to large registers and meters: the cells of many packets are prefetched before the first of "
        "them is worked on",
        "their misses overlap; costs a list of packets for each stage",
    )
    defer_counts: bool = _on(
        "deferring counts of large counters: the line of a count is prefetched, the addition is made later in the burst",
        "their misses overlap; costs a list of counts a burst",
    )
    together: bool = _on(
        "starting independent lookups in the same stage",
        "their misses overlap, and there are fewer stages",
    )
    merge: bool = _on(
        "one pipeline for ingress and egress where they share their state, for packets that are not replicated",
        "no step between them, and the program can run to completion",
    )
    straight: bool = _on(
        "run to completion: programs of one pipeline process a received burst as a whole; packets that are multicast "
        "or recirculated leave it for a replication pipeline",
        "no lists of packets between pipelines; a burst to one port is sent as a whole",
    )
    overlap: bool = _on(
        "software pipelining: the prologue of a burst (receive, parse, hash keys) runs before the epilogue of the "
        "previous one; for programs that run to completion and look up hashed keys first (exact_packed, exact_hash), "
        "at b of 2 and more",
        "no burst begins or ends with waiting for memory; a packet waits for the next reception, and a busy switch "
        "holds two bursts",
    )
    locals: bool = _on(
        "local variables for values that no later stage reads, in place of the packet's state",
        "registers in place of memory; dead stores are removed",
    )
    facts: bool = _on(
        "facts that hold at the start of a stage and inside it: valid headers, values set on every path, dropped "
        "packets",
        "fewer tests, and fewer live values between stages",
    )
    in_place: bool = _on(
        "deparsing in place: headers that did not move stay in the frame, and only changed fields are stored",
        "headers are not copied; costs a comparison of their offsets",
    )
    sums: bool = _on(
        "summing the fields of an Internet checksum where they are, without packing them into bytes first",
        "no stores and loads of packed bytes; one addition a field",
    )
    words: bool = _on(
        "entries of exact tables as one 64-bit word where key and action data fit (exact_packed)",
        "eight entries a cache line, one miss a lookup in place of two",
    )
    compare: bool = _on(
        "code in place of tables with few entries that never change: `const entries` (compare)",
        "comparisons with constants in place of a lookup",
    )
    direct: bool = _on(
        "arrays indexed by the key, for exact keys of up to 16 bits (exact_direct, exact_index)",
        "no hash, one or two loads a lookup; costs an element for each possible key",
    )
    bulk: bool = _on(
        "bulk lookups: a stage passes the keys of all packets to the table at once (exact_index, exact_hash, "
        "lpm_dir24, lpm_trie, ternary_cells); for exact_packed it hashes all keys first, and prefetches entries "
        "while it processes earlier packets",
        "vector code, and more misses in flight",
    )
    simd: bool = _on(
        "comparing the entries of a bucket or group by vector instructions, CRCs by the instructions that the processor "
        "has for them",
        "one comparison in place of eight; a multiplication in place of eight loads",
    )
    prefetch: bool = _on(
        "prefetching the cache lines of a table before their use",
        "the misses of a sub-batch overlap; costs an instruction a line",
    )
    read_ahead: bool = _on(
        "prefetching the headers of the next packets of a burst",
        "frames are in the cache when they are parsed; costs an instruction a packet",
    )
    huge_pages: bool = _on(
        "tables on huge pages, where the system has them",
        "fewer TLB misses; memory is allocated in pieces of 2 MiB",
    )
    transmit_buffer: bool = _on(
        "gathering packets by port and sending a burst at a time",
        "one call of the port for many packets",
    )
    native: bool = _on(
        "code for the processor of this machine; without it, for any processor of the architecture",
        "wider vectors, newer instructions; the binary may not run elsewhere",
        of_program=False,
    )
    sdb: bool = _on(
        "self-described buffers (linux): a packet's description is in its own buffer, bound once",
        "one object a packet to allocate and free, nothing to bind; AF_XDP receives into packets without a copy",
        of_program=False,
    )
    without_passes: frozenset[str] = frozenset()

    def without(self, names: Iterable[str]) -> Optimisations:
        """These without the named ones, which are of `NAMES` or passes."""
        named = frozenset(names)
        changes: dict[str, Any] = {name.replace("-", "_"): False for name in named.intersection(NAMES)}
        return replace(self, without_passes=self.without_passes | named.difference(NAMES), **changes)

    def as_far_as(self, platform: str) -> Optimisations:
        """These, and those that the platform always does."""
        return replace(self, sdb=self.sdb or platform != "linux")

    @property
    def of_build(self) -> tuple[bool, ...]:
        """Which of `OF_BUILD` are done, in its order."""
        return tuple(getattr(self, name) for name in OF_BUILD)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The names of those that are not done."""
        return tuple(name for name in NAMES if not getattr(self, name.replace("-", "_")))


_SWITCHES = tuple(f for f in fields(Optimisations) if f.metadata)
NAMES: tuple[str, ...] = tuple(f.name.replace("_", "-") for f in _SWITCHES)
DOES: dict[str, str] = {name: f.metadata["does"] for name, f in zip(NAMES, _SWITCHES, strict=True)}
GAIN: dict[str, str] = {name: f.metadata["gain"] for name, f in zip(NAMES, _SWITCHES, strict=True)}
OF_BUILD: tuple[str, ...] = tuple(
    name for name, f in zip(NAMES, _SWITCHES, strict=True) if not f.metadata["of_program"]
)
ALL = Optimisations()
NONE = ALL.without(NAMES)
