"""What makes a compiled switch fast, by name: each can be left out, and the packets are the same without it.

The one list: options of the command, docs/optimisations.md and the tests are made from the fields of `Optimisations`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any


def _on(does: str, gain: str, *, of_program: bool = True) -> bool:
    """An optimisation: what is done, and what that gains and costs. Not `of_program`: the program's C is the same, what
    it is compiled or linked with is not."""
    made: bool = field(default=True, metadata={"does": does, "gain": gain, "of_program": of_program})
    return made


@dataclass(frozen=True, slots=True)
class Optimisations:
    """Those that are done. `without_passes`: passes that are left out, by their names in passes/pipeline.py."""

    passes: bool = _on(
        "rewrites of the program, all of them (see --no-pass)",
        "fewer instructions, fields and branches; costs compile time",
    )
    stages: bool = _on(
        "stages: the program is cut at its lookups, so that those of many packets are in flight at once",
        "cache misses overlap; costs a set of packets for each stage",
    )
    small_tables: bool = _on(
        "lookups within a stage for tables that are so small that they stay in the cache",
        "no set of packets where there is nothing to wait for",
    )
    together: bool = _on(
        "starting lookups together that do not depend on each other",
        "their misses overlap, and there are fewer stages",
    )
    merge: bool = _on(
        "one pipe for ingress and egress (v1model), of packets that are not replicated",
        "no step between them, and one pipe can be straight",
    )
    straight: bool = _on(
        "handing received bursts to programs of one pipe as they are; what is multicast or recirculates has one aside",
        "no list of packets in between; a burst to one port goes out as a whole",
    )
    overlap: bool = _on(
        "finishing a burst when the next one has been received and parsed, in straight programs that look up hashed keys "
        "first (exact_packed, exact_hash), at b of 2 and more",
        "no burst begins or ends with waiting; a packet waits for the next reception, a busy switch holds two bursts",
    )
    locals: bool = _on(
        "locals for what no later stage reads, in place of the packet's state",
        "registers in place of memory; what nothing reads is gone",
    )
    facts: bool = _on(
        "what is known where a stage begins and inside it: headers that are valid there, values set on every way to it, "
        "packets that are dropped",
        "fewer tests, less kept from stage to stage",
    )
    in_place: bool = _on(
        "deparsing in place: headers that did not move stay in the frame, only what was written is stored back",
        "headers are not copied; costs a comparison of their places",
    )
    sums: bool = _on(
        "adding up what an Internet checksum covers where it is, in place of packed bytes",
        "nothing is stored and read again; one addition a field",
    )
    words: bool = _on(
        "entries of exact tables as one 64-bit word where key and action data fit (exact_packed)",
        "eight entries a cache line, one miss a lookup in place of two",
    )
    compare: bool = _on(
        "code for tables of few entries, which never change: `const entries` (compare)",
        "comparisons with constants in place of a lookup",
    )
    direct: bool = _on(
        "an array by key for exact keys of up to 16 bits (exact_direct, exact_index)",
        "no hash, one load a lookup or two; costs a cell for each key there can be",
    )
    bulk: bool = _on(
        "looking up the keys of all packets of a stage as an array (exact_index, exact_hash, lpm_dir24, lpm_trie, "
        "ternary_cells), or hashing them so and fetching the entries of some packets between the work on those before "
        "them (exact_packed)",
        "vector code; less between two fetches, so that more of them overlap; keys go down a trie together, and through "
        "rows of bits",
    )
    simd: bool = _on(
        "comparing buckets and groups of entries by vector instructions",
        "one comparison in place of eight",
    )
    prefetch: bool = _on(
        "fetching the cache lines of a table ahead of their use",
        "the misses of a sub-batch overlap; costs an instruction a line",
    )
    read_ahead: bool = _on(
        "fetching the headers of the next packets of a burst",
        "frames in memory are in the cache in time; costs an instruction a packet",
    )
    huge_pages: bool = _on(
        "tables on huge pages, where these can be had",
        "fewer misses of the TLB; memory is taken in pieces of 2 MiB",
    )
    transmit_buffer: bool = _on(
        "gathering packets by port and sending a burst at a time",
        "one call of the interface for many packets",
    )
    native: bool = _on(
        "code for the very processor that it is built on; without it, for any of the architecture",
        "wider vectors, newer instructions; such a binary may not run elsewhere",
        of_program=False,
    )
    sdb: bool = _on(
        "self-described buffers (linux): a packet's description stands in its own buffer, bound once for ever",
        "one object a packet to allocate and free, nothing to bind; AF_XDP receives into packets without a copy",
        of_program=False,
    )
    without_passes: frozenset[str] = frozenset()

    def without(self, names: Iterable[str]) -> Optimisations:
        """These less the named ones: of `NAMES`, else passes."""
        named = frozenset(names)
        changes: dict[str, Any] = {name.replace("-", "_"): False for name in named.intersection(NAMES)}
        return replace(self, without_passes=self.without_passes | named.difference(NAMES), **changes)

    def as_far_as(self, platform: str) -> Optimisations:
        """These, with those too that the platform cannot do without."""
        return replace(self, sdb=self.sdb or platform != "linux")

    @property
    def of_build(self) -> tuple[bool, ...]:
        """Which of those are done that leave the program's C as it is."""
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
