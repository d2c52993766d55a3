"""Frames as a pcap file, many at a time.

Each frame is of a flow; a flow is an entry of each table that its kind of frame hits, and values of the bits that decide
about cells. With a hit ratio below 1, some frames have instead, table by table, a key that no entry has. One frame in 16 is a
point, if there are any: they take turns, and have sizes of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np

from transpiler.traffic.bits import Numbers, Rows, Wiring, mixed, to_rows
from transpiler.traffic.keys import KeySet
from transpiler.traffic.plan import Plan, Point, Stream, shares
from transpiler.traffic.replies import Reply
from transpiler.traffic.search import summed

CHUNK = 1 << 14
LEAST_FLOWS, MOST_FLOWS = 1 << 14, 1 << 20  # of which those are taken that hit all their tables
POINTS = 1 / 16  # of frames, which are points
IMIX = ((64, 7), (594, 4), (1518, 1))  # bytes and shares of the "simple IMIX" that router tests use
Advance = Callable[[int], None]
Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]


@dataclass(frozen=True)
class Traffic:
    """How many frames, of which sizes (bytes, share), which flows: `uniform`, `one`, or `zipf` with its exponent."""

    packets: int
    sizes: tuple[tuple[int, int], ...]
    flows: str = "uniform"
    exponent: float = 1.0


def smallest(plan: Plan) -> int:
    """Bytes of the longest headers: what all frames have room for."""
    return max(((stream.template.frame.shape.bits + 7) // 8 for stream in plan.streams), default=0)


@dataclass(frozen=True)
class Answers:
    """Where `replies` go: another pcap file."""

    replies: tuple[Reply, ...]
    out: BinaryIO


def write(
    plan: Plan, traffic: Traffic, out: BinaryIO, advance: Advance, answers: Answers | None = None
) -> dict[str, float]:
    """Write the pcap file; `advance(count)` is told of each part. Returns for each table the ratio of frames that hit it
    among those of the kinds that reach it."""
    chance = np.random.default_rng(plan.wishes.seed)
    pick = _picker(plan, traffic)
    out.write(_HEAD)
    if answers is not None:
        answers.out.write(_HEAD)
    writers = [_Writer(plan, stream, traffic) for stream in plan.streams]
    kinds_of_all: list[_Writer | _Alone] = [*writers, *([_Alone(plan.points)] if plan.points else [])]
    width = max([size for size, _ in traffic.sizes] + [len(point.template.frame.data) for point in plan.points])
    for first in range(0, traffic.packets, CHUNK):
        count = min(CHUNK, traffic.packets - first)
        kinds = chance.choice(len(writers), size=count, p=shares(plan.streams))
        if plan.points:
            kinds[chance.random(count) < POINTS] = len(writers)
        flows, sizes = pick(chance, first, count), _sizes(chance, traffic, count)
        rows = np.zeros((count, _RECORD.itemsize + width), dtype=np.uint8)
        for number, writer in enumerate(kinds_of_all):
            chosen = np.nonzero(kinds == number)[0]
            if len(chosen):
                made, sizes[chosen] = writer.frames(flows[chosen], sizes[chosen], chance)
                rows[chosen, _RECORD.itemsize : _RECORD.itemsize + made.shape[1]] = made
        out.write(_records(rows, sizes, first))
        if answers is not None:
            for reply in answers.replies:
                chosen = np.nonzero(kinds == reply.stream)[0]
                answers.out.write(_records(_answered(rows[chosen], reply.order), sizes[chosen], first))
        advance(count)
    return _ratios(writers)


def sample(plan: Plan, stream: Stream, traffic: Traffic) -> list[bytes]:
    """Some frames of a kind, which hit all entries that they can."""
    plan, chance = replace(plan, wishes=replace(plan.wishes, hit=1.0)), np.random.default_rng(plan.wishes.seed)
    flows = _picker(plan, traffic)(chance, 0, traffic.packets)
    rows, sizes = _Writer(plan, stream, traffic).frames(flows, _sizes(chance, traffic, traffic.packets), chance)
    return [row[:size].tobytes() for row, size in zip(rows, sizes.tolist(), strict=True)]


def _answered(rows: Rows, order: tuple[int, ...]) -> Rows:
    """The records of replies."""
    places = np.arange(rows.shape[1])
    places[_RECORD.itemsize : _RECORD.itemsize + len(order)] = np.array(order) + _RECORD.itemsize
    return rows[:, places]


def _ratios(writers: list[_Writer]) -> dict[str, float]:
    names = dict.fromkeys(name for writer in writers for name in writer.hits)
    return {
        n: sum(w.hits.get(n, 0) for w in writers) / max(1, sum(w.count for w in writers if n in w.hits)) for n in names
    }


def _picker(plan: Plan, traffic: Traffic) -> Callable[[np.random.Generator, int, int], Numbers]:
    """The flows of so many frames from one on. There are as many as the largest table has entries; where frames come to
    cells, not fewer than frames, and uniform ones are of a flow each."""
    flows = max((t.keys.count for t in plan.tables), default=1)
    stateful = any(stream.stateful for stream in plan.streams)
    if traffic.flows == "one":
        return lambda chance, first, count: np.zeros(count, dtype=np.uint64)
    if traffic.flows == "uniform" and stateful:
        return lambda chance, first, count: np.arange(first, first + count, dtype=np.uint64)
    if traffic.flows == "uniform":
        return lambda chance, first, count: chance.integers(flows, size=count, dtype=np.uint64)
    flows = max(flows, traffic.packets) if stateful else flows
    weights = np.cumsum(np.arange(1, flows + 1, dtype=np.float64) ** -traffic.exponent)
    return lambda chance, first, count: np.searchsorted(weights, chance.random(count) * weights[-1]).astype(np.uint64)


def _sizes(chance: np.random.Generator, traffic: Traffic, count: int) -> Numbers:
    sizes, shares = zip(*traffic.sizes, strict=True)
    return chance.choice(np.array(sizes, dtype=np.uint64), size=count, p=np.array(shares) / sum(shares))


# --- frames of one kind ----------------------------------------------------------------------------------------------


class _Writer:
    """Makes frames of one template; `hits` counts for each table the frames that have an entry's key."""

    def __init__(self, plan: Plan, stream: Stream, traffic: Traffic) -> None:
        self.plan, self.stream = plan, stream
        self.width = max(size for size, _ in traffic.sizes)
        data = summed(stream.template.frame.data, ())[: (stream.template.frame.shape.bits + 7) // 8]
        self.base = np.frombuffer(data.ljust(self.width, b"\0"), dtype=np.uint8)
        self.wirings = {name: Wiring(enumerate(places)) for name, places in stream.places.items()}
        self.varied = Wiring(enumerate(stream.varied or ()))
        self.hits = dict.fromkeys(stream.entries, 0)
        self.hosts = {n: made.keys.indifferent(self._held(n)) for n, made in stream.entries.items()}
        self.various = traffic.flows != "one"
        self.salt = plan.wishes.seed << 32
        self.count = 0
        self.agreeing = self._agreeing()

    def _agreeing(self) -> Numbers:
        """The numbers of flows whose entries of all tables can be hit together; all where none or all can."""
        most = max((made.keys.count for made in self.stream.entries.values()), default=1)
        flows = np.arange(min(max(most, LEAST_FLOWS), MOST_FLOWS), dtype=np.uint64)
        chosen: dict[str, tuple[Numbers, Flags]] = {}
        hits = [self._choose(name, flows, chosen, None)[1] for name in self.stream.entries]
        together = np.logical_and.reduce(hits) if hits else np.ones(1, dtype=np.bool_)
        return flows[together] if together.any() and not together.all() else flows[:0]

    def frames(self, flows: Numbers, sizes: Numbers, chance: np.random.Generator) -> tuple[Rows, Numbers]:
        """Frames of these flows and sizes, filled up with zeros to the widest, and their sizes."""
        rows = np.tile(self.base, (len(flows), 1))
        self.varied.copy(self._by_flow(flows, 0, len(self.stream.varied or ()) // 64 + 1), rows)
        chosen: dict[str, tuple[Numbers, Flags]] = {}
        agreeing = self.agreeing[flows % np.uint64(len(self.agreeing))] if len(self.agreeing) else flows
        for name in self.stream.entries:
            entries, hit = self._choose(name, agreeing, chosen, chance)
            keys = self.stream.entries[name].keys
            self.hits[name] += int(hit.sum())
            if not keys.own_count:
                continue
            own = self._with_hosts(name, entries, flows, chance)
            if not hit.all():
                missed = np.nonzero(~hit)[0]
                own[missed] = keys.missing(self._others(flows[missed], chance))
            self.wirings[name].copy(own, rows)
        self.count += len(flows)
        self._finish(rows, sizes)
        return rows, sizes

    def _held(self, name: str) -> set[int]:
        """The own bits of a table's key that other tables' entries match."""
        return {bit for made in self.stream.entries.values() for bit in made.keys.matches(name)}

    def _with_hosts(self, name: str, entries: Numbers, flows: Numbers, chance: np.random.Generator) -> Rows:
        """The own bits of entries; those that nothing matches, as the hosts of a prefix, are others in each frame, or in each
        flow."""
        keys, hosts = self.stream.entries[name].keys, self.hosts[name]
        own = keys.own(entries)
        if self.various and hosts.any():
            which, _ = keys.pattern_of(entries)
            if self.stream.stateful:
                other = self._by_flow(flows, keys.salt, own.shape[1] // 8)
            else:
                other = chance.integers(256, size=own.shape, dtype=np.uint8)
            own ^= other & hosts[which]
        return own

    def _others(self, flows: Numbers, chance: np.random.Generator) -> Numbers:
        """A number for each frame, or for each flow, where frames come to cells."""
        return (
            mixed(flows, self.salt)
            if self.stream.stateful
            else chance.integers(1 << 63, size=len(flows), dtype=np.uint64)
        )

    def _by_flow(self, flows: Numbers, salt: int, words: int) -> Rows:
        """So many words of bits that look random, and are the same in all frames of a flow."""
        return to_rows([mixed(flows, self.salt + (salt + 1) * 64 + word) for word in range(words)])

    def _choose(
        self, name: str, flows: Numbers, chosen: dict[str, tuple[Numbers, Flags]], chance: np.random.Generator | None
    ) -> tuple[Numbers, Flags]:
        """The entry of each flow in a table, and whether the frame is to hit it. A flow has the same number in tables of the
        same size, so that those whose keys depend on each other agree. No chance: frames are to hit all that they can."""
        if name in chosen:
            return chosen[name]
        keys = self.stream.entries[name].keys
        entries = flows * np.uint64(_SPREAD) % np.uint64(keys.count)
        hit = np.ones(len(flows), dtype=np.bool_)
        if keys.marks and keys.own_count and chance is not None:
            hit = chance.random(len(flows)) < self.plan.wishes.hit
        owner = keys.follows
        if owner is not None:
            entries, with_owner = self._choose(owner, flows, chosen, chance)
            hit = hit & with_owner & (entries < np.uint64(keys.count))
            entries = entries % np.uint64(keys.count)
        feeder = self.stream.feeders.get(name)
        if feeder is not None:
            table, groups = feeder
            source, with_feeder = self._choose(table, flows, chosen, chance)
            group = source % np.uint64(groups)
            hit = hit & with_feeder & (group < np.uint64(keys.groups))
            entries = _in_group(keys, entries, group % np.uint64(keys.groups))
        if owner is not None and feeder is not None:
            hit = hit & (entries % self._count(owner) == chosen[owner][0] % self._count(owner))
        made = self.stream.entries[name]
        if made.left_out:
            hit = hit & made.allowed(entries)
        chosen[name] = made.alike(entries), hit
        return chosen[name]

    def _count(self, name: str) -> np.uint64:
        return np.uint64(self.stream.entries[name].keys.count)

    def _finish(self, rows: Rows, sizes: Numbers) -> None:
        """Lengths and checksums."""
        frame = self.stream.template.frame
        for start, without in frame.known.lengths:
            if not any(bit in frame.shape.fixed for bit in range(start, start + 16)):
                value = (sizes - np.uint64(without)).astype(">u2")[:, None].view(np.uint8)
                Wiring((i, start + i) for i in range(16)).copy(value, rows)
        for checksum in frame.checksums:
            checksum.fill(rows)


class _Alone:
    """Sends points in turn."""

    def __init__(self, points: Sequence[Point]) -> None:
        data = [point.template.frame.data for point in points]
        width = max(len(one) for one in data)
        self.lengths = np.array([len(one) for one in data], dtype=np.uint64)
        self.rows = np.frombuffer(b"".join(one.ljust(width, b"\0") for one in data), dtype=np.uint8).reshape(-1, width)
        self.turn = 0

    def frames(self, flows: Numbers, sizes: Numbers, chance: np.random.Generator) -> tuple[Rows, Numbers]:
        """As many frames as there are flows, and their sizes."""
        which = (self.turn + np.arange(len(flows))) % len(self.rows)
        self.turn += len(flows)
        return self.rows[which], self.lengths[which]


_SPREAD = 0x9E3779B1  # a prime: neighbours among flows are no neighbours in tables


def _in_group(keys: KeySet, entries: Numbers, group: Numbers) -> Numbers:
    """The entry next to `entries` whose data bits are those of a group."""
    groups = np.uint64(keys.groups)
    moved = entries - entries % groups + group
    return np.where(moved < np.uint64(keys.count), moved, group)


# --- the file --------------------------------------------------------------------------------------------------------

# pcap, little-endian, microseconds, link type Ethernet. Source: draft-ietf-opsawg-pcap.
_HEAD = np.array([(0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)], dtype="<u4,<u2,<u2,<u4,<u4,<u4,<u4").tobytes()
_RECORD = np.dtype([("seconds", "<u4"), ("microseconds", "<u4"), ("captured", "<u4"), ("length", "<u4")])


def _records(rows: Rows, sizes: Numbers, first: int) -> bytes:
    """Records with their heads; a microsecond from frame to frame."""
    heads = np.zeros(len(rows), dtype=_RECORD)
    numbers = np.arange(first, first + len(rows), dtype=np.uint64)
    heads["seconds"], heads["microseconds"] = numbers // np.uint64(10**6), numbers % np.uint64(10**6)
    heads["captured"] = heads["length"] = sizes
    rows[:, : _RECORD.itemsize] = heads.view(np.uint8).reshape(len(rows), _RECORD.itemsize)
    used = np.arange(rows.shape[1]) < (sizes + np.uint64(_RECORD.itemsize))[:, None]
    return rows.tobytes() if used.all() else rows[used].tobytes()
