"""State that may miss the cache. An access to a cell of a large register or meter is split, as a lookup is: the cell is
prefetched, and accessed some packets later.

An *access* is a register or meter, and the expression for the cell's index. A prefetch is a hint: it may be too early, for a
cell that is not used, or missing. The access itself stays at its place in the program, and is done packet by packet in the
order of the burst.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from transpiler.analysis.locations import Location, Locator, actions_of
from transpiler.analysis.values import same
from transpiler.externs.row import Kind
from transpiler.externs.table import KINDS, METHODS
from transpiler.hlir.expressions import Const, Expression, ListExpression, Text
from transpiler.hlir.program import ExternInstance, Program
from transpiler.hlir.statements import ApplyTable, Body, CallExtern, Statement
from transpiler.hlir.traverse import bodies, walk
from transpiler.hlir.types import Bits

HOLD = "region.hold"  # the method that makes a region atomic, see atomic_regions.py


@dataclass(frozen=True, slots=True)
class StateAccess:
    """Of the cell with that index, of a register or meter by its name."""

    instance: str
    index: Expression


def state_bytes(program: Program, extern: ExternInstance) -> int:
    """The memory of the cells of a register, meter or counter (of a counter for each worker); 0 of every other extern."""
    cells, each = state_cells(program, extern)
    return cells * each


def state_cells(program: Program, extern: ExternInstance) -> tuple[int, int]:
    """How many cells a register, meter or counter has, and the bytes of one; none of every other extern. A direct one has a
    cell for each entry of its table."""
    cell_bytes = KINDS[extern.kind].cell_bytes
    if cell_bytes is None:
        return 0, 0
    owner = next((table for table in program.tables if extern.name in table.direct), None)
    return (int(dict(extern.attributes).get("size", 0)) if owner is None else owner.size + 1), cell_bytes(extern)


def large_state(program: Program, near_bytes: int) -> frozenset[str]:
    """The registers and meters with an index that are larger than what stays in the cache."""
    return _large(program, near_bytes, lambda kind: kind.prefetch is not None and not kind.direct)


def large_counters(program: Program, near_bytes: int) -> frozenset[str]:
    """The counters, direct ones too, of which that holds."""
    return _large(program, near_bytes, lambda kind: kind.deferred)


def _large(program: Program, near_bytes: int, wanted: Callable[[Kind], bool]) -> frozenset[str]:
    of_kinds = (extern for extern in program.externs if wanted(KINDS[extern.kind]))
    return frozenset(extern.name for extern in of_kinds if state_bytes(program, extern) > near_bytes)


def own_accesses(statement: Statement) -> tuple[StateAccess, ...]:
    """The accesses that a statement makes by itself. A hold is one to each register that it holds, of no cell of its own."""
    if not isinstance(statement, CallExtern) or statement.instance is None:
        return ()
    if statement.method == HOLD:
        nowhere = Const(0, Bits(32), statement.span)
        return tuple(StateAccess(name, nowhere) for name in held_registers(statement))
    kind = METHODS[statement.method].instance_kind
    if kind is None or KINDS[kind].prefetch is None or KINDS[kind].direct:
        return ()
    return (StateAccess(statement.instance, statement.inputs[0]),)


def held_registers(hold: CallExtern) -> tuple[str, ...]:
    """The registers that a hold is for."""
    names = hold.inputs[1]
    assert isinstance(names, ListExpression)
    return tuple(name.value for name in names.items if isinstance(name, Text))


@dataclass(frozen=True, slots=True)
class StateOf:
    """The accesses to `large` registers and meters of a program, by their names."""

    program: Program
    large: frozenset[str] = frozenset()

    def accesses(self, statement: Statement) -> Iterator[tuple[StateAccess, bool]]:
        """Those in a statement, and whether each is outside of a table's actions."""
        for inner in walk((statement,)):
            yield from ((access, True) for access in own_accesses(inner) if access.instance in self.large)
            if isinstance(inner, ApplyTable):
                for action in actions_of(self.program, inner.table):
                    made = (access for s in walk(action.body) for access in own_accesses(s))
                    yield from ((access, False) for access in made if access.instance in self.large)

    def started_before(self, body: Body) -> tuple[StateAccess, ...]:
        """The accesses in a body whose cells are known before it begins, each once."""
        locator = Locator(self.program)
        written: set[Location] = set()
        found: list[StateAccess] = []
        for statement in body:
            if bodies(statement):
                written |= locator.written_in((statement,))
            for access, outside in self.accesses(statement):
                reads = locator.read_by(access.index)
                known = outside and not isinstance(access.index, Const) and not reads & written
                if known and not any(same(access, other) for other in found):
                    found.append(access)
            written |= locator.written_in((statement,))
        return tuple(found)
