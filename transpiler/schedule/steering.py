"""Which worker a frame is for, so that each cell of a register is touched by one worker alone: such registers are *sharded*.

A register is sharded if some bits of its index are parities of the frame's bits (analysis/parities.py), on each way through the
parser: the same bits of the index, wherever a packet accesses it. These bits are the number of the worker. As they are a
function of the index, packets that meet in a cell have the same worker, whatever else is in them, and no lock is needed.
Registers are sharded together where the same parities do for all.

The ways through the parser are a tree: each node compares a byte of the frame or its length, each leaf has the *columns*, the
parities of which the worker's number is made. It is a table for the runtime (macs/steer.h), which computes it for each frame or
has a port do so.

Refused are programs whose packets begin anew, since what they are then is no function of the frame, and parsers that look at
more than bytes at fixed places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

from transpiler.analysis.parities import Parity
from transpiler.hlir.program import Program
from transpiler.schedule.architectures import describe
from transpiler.schedule.steering_paths import Leaf, Longer, Same, Tree, Unsteerable, paths
from transpiler.schedule.steering_values import Accesses

COLUMNS = 8
MOST = 1000  # nodes and leaves

Column = Mapping[int, int]  # of each leaf on which it matters, a parity


@dataclass(frozen=True, slots=True)
class Node:
    """Compares byte `at`, of which `mask` counts, with `value`; without a mask, asks whether the frame has `at` bytes. `yes`
    and `no`: the numbers of nodes, behind these those of leaves."""

    at: int
    mask: int
    value: int
    yes: int
    no: int


@dataclass(frozen=True, slots=True)
class Columns:
    """Of a leaf: `constant` has a bit for each column; `terms`: bytes of the frame with the bits of each that count, of column
    n those of byte n of the second number."""

    constant: int
    terms: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Steering:
    """`sharded`: registers; `nodes` and `leaves`: the tree, whose root is number 0; `columns`: how many there are. `refused`: why
    the others are not, by register, "" for all."""

    sharded: frozenset[str] = frozenset()
    nodes: tuple[Node, ...] = ()
    leaves: tuple[Columns, ...] = ()
    columns: int = 0
    refused: Mapping[str, str] | None = None

    def why_not(self, register: str) -> str:
        reasons = self.refused or {}
        return reasons.get(register, reasons.get("", ""))


UNSTEERED = Steering()


def steering(program: Program, groups: tuple[frozenset[str], ...]) -> Steering:
    """Find the worker's number for a program. `groups`: registers that are kept together, whose regions ask for it."""
    if not groups:
        return UNSTEERED
    if describe(program).second_passes(program):
        return Steering(refused={"": "packets may begin anew, on the worker that they are on"})
    try:
        tree, leaves = paths(program)
    except Unsteerable as reason:
        return Steering(refused={"": str(reason)})
    found = {group: _columns_of(group, leaves) for group in groups}
    chosen, kept = max((_together(first, found) for first in groups), key=lambda made: len(made[0]))
    refused = {
        register: _reason(found[group], bool(chosen)) for group in groups if group not in chosen for register in group
    }
    if not chosen:
        return Steering(refused=refused)
    nodes, made = _flat(tree, [_leaf(kept, number) for number in range(len(leaves))])
    if len(nodes) + len(made) > MOST:
        return Steering(refused={"": "the parser has too many ways"})
    return Steering(frozenset().union(*chosen), nodes, made, len(kept), refused)


def _reason(columns: tuple[Column, ...], others: bool) -> str:
    if not columns:
        return "no bits of its indexes are known from the frame alone, wherever it is accessed"
    return "its indexes have no bits that are those of the sharded ones" if others else ""


# --- columns ---------------------------------------------------------------------------------------------------------


def _columns_of(group: frozenset[str], leaves: tuple[Accesses, ...]) -> tuple[Column, ...]:
    """The parities that are bits of the indexes of all registers of a group that are accessed."""
    each = [_columns_of_one(name, leaves) for name in sorted(group) if any(name in accesses for accesses in leaves)]
    return reduce(_joined, each) if each else ()


def _columns_of_one(register: str, leaves: tuple[Accesses, ...]) -> tuple[Column, ...]:
    """The bits of a register's indexes that may be columns, the lowest first."""
    touched = [(number, accesses[register]) for number, accesses in enumerate(leaves) if register in accesses]
    width = min(len(index) for _, indexes in touched for index in indexes)
    columns: list[Column] = []
    for bit in range(width):
        column = {number: _agreed(indexes, bit) for number, indexes in touched}
        known = {number: parity for number, parity in column.items() if parity is not None}
        if len(known) == len(column) and any(parity > 1 for parity in known.values()) and known not in columns:
            columns.append(known)
    return tuple(columns)


def _agreed(indexes: tuple[tuple[Parity, ...], ...], bit: int) -> Parity:
    """What a bit of all these indexes is."""
    first = indexes[0][bit]
    return first if all(index[bit] == first for index in indexes) else None


def _together(
    first: frozenset[str], found: Mapping[frozenset[str], tuple[Column, ...]]
) -> tuple[tuple[frozenset[str], ...], tuple[Column, ...]]:
    """The groups that can be sharded with this one, and the columns of all."""
    kept = found[first][:COLUMNS]
    if not kept:
        return (), ()
    groups = [first]
    for group, columns in found.items():
        joined = _joined(kept, columns) if group != first else ()
        if joined:
            groups.append(group)
            kept = joined
    return tuple(groups), kept


def _joined(kept: tuple[Column, ...], others: tuple[Column, ...]) -> tuple[Column, ...]:
    """Those of the columns that are columns of a second group, too."""
    made: list[Column] = []
    for column in kept:
        fitting = (o for o in others if all(o[leaf] == column[leaf] for leaf in o.keys() & column.keys()))
        if (other := next(fitting, None)) is not None:
            made.append({**column, **other})
    return tuple(made)


def _leaf(columns: tuple[Column, ...], number: int) -> Columns:
    """Of packets that touch nothing the worker does not matter: they get the first one."""
    constant, terms = 0, dict[int, int]()
    for n, column in enumerate(columns):
        parity = column.get(number, 0)
        constant |= (parity & 1) << n
        for position in _ones(parity >> 1):
            at = position // 8
            terms[at] = terms.get(at, 0) | 0x80 >> position % 8 << 8 * n
    return Columns(constant, tuple(sorted(terms.items())))


def _ones(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


# --- the tree as a table -----------------------------------------------------------------------------------------------


def _flat(tree: Tree, columns: list[Columns]) -> tuple[tuple[Node, ...], tuple[Columns, ...]]:
    """Nodes whose ways all end alike are left out."""
    leaves: list[Columns] = list(dict.fromkeys(columns))
    nodes: list[tuple[int, int, int, int, int]] = []  # leaves as negative numbers
    seen: dict[tuple[int, int, int, int, int], int] = {}
    numbers: dict[int, int] = {}  # by the identity of what the tree has in several places

    def number(part: Tree) -> int:
        if isinstance(part, Leaf):
            return ~leaves.index(columns[part.number])
        if id(part) not in numbers:
            numbers[id(part)] = compared(part)
        return numbers[id(part)]

    def compared(part: Longer | Same) -> int:
        yes, no = number(part.yes), number(part.no)
        if yes == no:
            return yes
        node = (part.at, part.mask, part.value, yes, no) if isinstance(part, Same) else (part.bytes, 0, 0, yes, no)
        if node not in seen:
            seen[node] = len(nodes)
            nodes.append(node)
        return seen[node]

    root = number(tree)
    count = len(nodes)

    def renumbered(to: int) -> int:  # the root is made last, and is to be the first
        return count + ~to if to < 0 else count - 1 - to

    if root < 0:
        return (), (leaves[~root],)
    made = [Node(at, mask, value, renumbered(yes), renumbered(no)) for at, mask, value, yes, no in reversed(nodes)]
    return tuple(made), tuple(leaves)
