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
        "the rewrites of the program before it is scheduled (--no-pass leaves out one)",
        "fewer instructions, fields and branches; costs compile time",
    )
    stages: bool = _on(
        "the split into stages at table lookups, which keeps the lookups of many packets in flight at once",
        "cache misses overlap; costs a list of packets for each stage",
    )
    small_tables: bool = _on(
        "immediate access to tables, registers and meters that are so small that they stay in the cache",
        "no stage, and no list of packets, where there is no miss to wait for",
    )
    state: bool = _on(
        "stages at accesses to large registers and meters, whose cells are prefetched for many packets",
        "their misses overlap; costs a list of packets for each stage",
    )
    follow: bool = _on(
        "following of entries: members of action profiles and selectors, and cells of direct meters, to which the entries of "
        "tables lead, are fetched for many packets before their work",
        "their misses overlap; costs up to three short loops over the packets of a stage",
    )
    bundles: bool = _on(
        "bundles of large registers that packets access at the same indexes: their cells of one index are in one cache line",
        "one miss in place of one for each register; costs memory where the cells of a bundle do not fill a power of two",
    )
    defer_counts: bool = _on(
        "deferred counts: those of a burst are added together, and a large counter's are prefetched",
        "the loads of the next packets do not wait for them, and their misses overlap",
    )
    atomic_updates: bool = _on(
        "atomic updates, one instruction or a compare and swap, of registers of which packets update one cell at a time",
        "no lock where there are several workers",
    )
    tallies: bool = _on(
        "tallies: what packets in a row add to one cell of a register that they only add to is added up, and added at once "
        "where there are several workers",
        "the cache line of a cell that all workers add to moves from core to core once a burst; costs a comparison a packet",
    )
    lock_stripes: bool = _on(
        "a lock for each stripe of a register's indexes, where all indexes are known when they are needed",
        "several workers wait for each other at the same cell only; costs up to 512 KiB for each group of registers",
    )
    sharding: bool = _on(
        "sharding of registers whose indexes frames tell: each cell belongs to a worker, and ports steer frames to it",
        "no lock and no atomic instruction where there are several workers; costs the choice of a worker for each frame, and "
        "packets of a flow that differ in the index may overtake each other",
    )
    concurrent_lookups: bool = _on(
        "concurrent lookups: tables that do not depend on each other are looked up in the same stage",
        "their misses overlap, and there are fewer stages",
    )
    decision_cache: bool = _on(
        "the cache of decisions, in programs of many tables: packets that agree in all that a stretch of lookups reads are "
        "decided once, until a table changes; direct and indirect counters stay exact",
        "one lookup in place of many for packets of flows that come often; costs a key and a lookup a packet, and up to a MiB "
        "for each worker; left off while the packets that find a decision save less than all pay for looking",
    )
    ready_decisions: bool = _on(
        "ready decisions: a decision of that cache keeps the beginning of the frame as it is sent, where nothing but computation "
        "and the deparser is behind the stretch",
        "for packets that find it nothing of the program runs any more: their frames are written at once; costs a bit of the key "
        "for each header that the parser extracts, and tests of values behind the stretch that the decision may not tell",
    )
    look_first: bool = _on(
        "looking first: what a packet carries from stage to stage is filled in when it has found no ready decision",
        "for packets that find one only the key is made of what is parsed; others are parsed twice",
    )
    merge: bool = _on(
        "the merge of ingress and egress into one pipeline where they share their state, for packets that are not "
        "replicated",
        "no step between them, and the program can run to completion",
    )
    run_to_completion: bool = _on(
        "run to completion: a received burst goes through the whole program of one pipeline before the next is received",
        "no lists of packets between pipelines; a burst to one port is sent as a whole; packets that are multicast or "
        "recirculated leave the burst for a replication pipeline",
    )
    software_pipelining: bool = _on(
        "software pipelining: the lookups of a burst start before the burst in front of it is finished",
        "no burst begins or ends with waiting for memory; costs latency, as a packet waits for the next reception, and "
        "a busy switch holds two bursts; for programs that run to completion, whose first lookups are in exact_packed "
        "or exact_hash, at b of 2 and more",
    )
    locals: bool = _on(
        "local variables for values that no later stage reads, in place of members of the packet's state",
        "registers in place of memory; dead stores are removed",
    )
    reread: bool = _on(
        "rereading: a header field that nobody has changed is read in the frame where it is used, in programs whose packets "
        "take more than 32 values from stage to stage; their other values stay in memory",
        "fewer values are loaded and stored at each stage, and a packet's state takes fewer cache lines; costs a test "
        "whether the header was received",
    )
    constant_propagation: bool = _on(
        "constant propagation across stages: of values that are the same on every path, valid headers, and drops",
        "fewer tests, and fewer live values between stages",
    )
    in_place: bool = _on(
        "deparsing in place: headers that did not move stay in the frame, and only changed fields are stored",
        "headers are not copied; costs a comparison of their offsets",
    )
    sums: bool = _on(
        "the sums of Internet checksums over fields where they are, without packing them into bytes first",
        "no stores and loads of packed bytes; one addition a field",
    )
    empty_tables: bool = _on(
        "passing over tables that are empty when a burst begins, in programs of many tables: packets run the default action",
        "no key, no hash, no prefetch; costs a branch in tables with entries, and the first entry waits for the bursts in "
        "flight",
    )
    key_words: bool = _on(
        "words of eight bytes by which the key of a lookup that is made at once is stored, as it is read",
        "a load of eight bytes waits for no smaller stores; fewer stores",
    )
    inline_stages: bool = _on(
        "the inlining of each stage into the loop over its packets, however large it is, in programs of more than 32 live values",
        "no registers to save for a call; costs compile time",
    )
    early_drops: bool = _on(
        "what a profile of packets says of drops (--profile): tables and conditions that drop come before those that do not "
        "depend on them, and what they drop goes no further",
        "dropped packets cost no more lookups; costs a test a packet",
    )
    hot_actions: bool = _on(
        "what a profile of packets says of actions (--profile): the one that most packets of a table run is asked for first",
        "one test that is predicted well",
    )
    packed_entries: bool = _on(
        "packed entries: an entry of an exact table is one 64-bit word where key and action data fit (exact_packed)",
        "eight entries a cache line, one miss a lookup in place of two",
    )
    compare: bool = _on(
        "comparisons with constants in place of tables with few entries that never change: `const entries` (compare)",
        "no lookup",
    )
    direct: bool = _on(
        "arrays indexed by the key, for exact keys of up to 16 bits (exact_direct, exact_index)",
        "no hash, one or two loads a lookup; costs an element for each possible key",
    )
    bulk: bool = _on(
        "bulk lookups: a table gets the keys of all packets of a stage in one call (exact_index, exact_hash, "
        "exact_packed, lpm_dir24, lpm_trie, ternary_cells)",
        "vector code, and more misses in flight",
    )
    simd: bool = _on(
        "vector instructions that compare all entries of a bucket or group at once, and the processor's instructions for "
        "CRCs",
        "one comparison in place of eight; a multiplication in place of eight loads",
    )
    few_entries: bool = _on(
        "the scan of ternary tables that hold few entries: all entries are compared with those words of the key in which "
        "some entry has a mask (ternary_cells)",
        "a table of up to 16 entries costs a few instructions a packet; costs a branch in tables with more",
    )
    one_mask: bool = _on(
        "the hash of ternary tables whose entries all have the same mask: the masked key is looked up as an exact one "
        "(ternary_cells)",
        "one cache line a lookup, and no work for bytes without a mask; costs a branch in tables whose masks differ, and up to "
        "512 bytes an entry",
    )
    tidy_tables: bool = _on(
        "the tidying of ternary tables whose entries have changed, before the first packet and when they have not changed for a "
        "second (ternary_cells)",
        "entries that were added last are found as fast as others; costs the control thread 2 to 10 ms for a table of 1,000 "
        "entries",
    )
    prefetch: bool = _on(
        "the prefetch of a table's cache lines before they are read",
        "the misses of a sub-batch overlap; costs an instruction a line",
    )
    read_ahead: bool = _on(
        "the prefetch of the headers of the next packets of a burst",
        "frames are in the cache when they are parsed; costs an instruction a packet",
    )
    stage_clocks: bool = _on(
        "the clocks of stages: in about a thousand bursts a second each step of a worker is timed (`macsad ctl stats --stages`)",
        "shows where the time of a running switch goes; costs a test a step and burst",
    )
    huge_pages: bool = _on(
        "huge pages for tables, where the system has them",
        "fewer TLB misses; memory is allocated in pieces of 2 MiB",
    )
    transmit_buffer: bool = _on(
        "the buffer of each transmit port, which sends packets a burst at a time",
        "one call of the port for many packets",
    )
    interleave: bool = _on(
        "one call of ODP's crypto API for the payloads of many packets, whose chains of blocks it interleaves",
        "a core's AES units work on 8 or 16 packets at once, and wait for none",
    )
    native: bool = _on(
        "instructions that only processors such as this machine's have",
        "wider vectors, newer instructions; the binary may not run elsewhere",
        of_program=False,
    )
    self_described_buffers: bool = _on(
        "self-described buffers (linux): the description of a packet lies in the packet's own buffer",
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
        return replace(self, self_described_buffers=self.self_described_buffers or platform != "linux")

    @property
    def of_build(self) -> tuple[bool, ...]:
        """Which of `OF_BUILD` are done, in its order."""
        return tuple(getattr(self, name.replace("-", "_")) for name in OF_BUILD)

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
# other names that the command line takes, for scripts that use them
SYNONYMS: dict[str, str] = {
    "together": "concurrent-lookups",
    "straight": "run-to-completion",
    "overlap": "software-pipelining",
    "facts": "constant-propagation",
    "words": "packed-entries",
    "sdb": "self-described-buffers",
}
ALL = Optimisations()
NONE = ALL.without(NAMES)
