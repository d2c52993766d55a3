"""The C names, views and hashes of a program's extern instances. What calls of them become is extern_calls.py."""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.analysis.locations import actions_of
from transpiler.codegen.apply import INDEX, OWN_INDEX, SELECTED
from transpiler.codegen.c.build import NULL, address, call, infix, operand, packed, packet, plus
from transpiler.codegen.c.nodes import (
    Assign,
    Body,
    Compound,
    Declare,
    Do,
    Expression as C,
    Index,
    Literal,
    Member,
    Name,
    Statement,
)
from transpiler.codegen.ctypes import bytes_of, literal
from transpiler.codegen.expressions import Expressions
from transpiler.codegen.follow import Led
from transpiler.codegen.given import COUNTS, LOCKS, REGISTERS
from transpiler.codegen.names import Names
from transpiler.codegen.outside import Outside
from transpiler.codegen.pack_words import BYTES, goes_in_words, pack_words
from transpiler.codegen.packing import (
    USED,
    flattened,
    pack_dense,
    pack_varying,
    unaligned,
    varies,
)
from transpiler.codegen.sums import can_be_summed, sum_of
from transpiler.codegen.tables import cite
from transpiler.codegen.views import NOWHERE, CellsView, DigestFieldView, ExternView, LocksView
from transpiler.externs.decisions import KIND as DECISIONS
from transpiler.externs.table import KINDS, METHODS
from transpiler.hlir import interface
from transpiler.hlir.expressions import Expression, FieldRef, Read
from transpiler.hlir.program import ExternInstance, MatchKind, Program, Table
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.traverse import program_statements, walk
from transpiler.hlir.types import Bits, width_of
from transpiler.schedule.atomic_regions import Group, Kept
from transpiler.schedule.bundles import Bundle
from transpiler.schedule.decisions import counters_noted
from transpiler.schedule.leads import followed_cells
from transpiler.schedule.state import state_cells
from transpiler.targets.target import Counter

UNITS = {"packets": "MACS_PACKETS", "bytes": "MACS_BYTES", "packets_and_bytes": "MACS_PACKETS_AND_BYTES"}
PROFILES = frozenset({"action_profile", "action_selector"})
NO_PAYLOAD: tuple[C, C] = (NULL, Literal("0"))


class Externs:
    """The C names, views and calls of a program's extern instances. `sums`: as Lowering has it; `deferred`: whether
    counts are; `large_counters`: those whose cells are prefetched then; `groups`: of registers that are locked together; `words`:
    tables whose entries are words; `bundles`: of registers whose cells lie together."""

    def __init__(
        self,
        program: Program,
        names: Names,
        *,
        sums: bool = True,
        deferred: bool = True,
        large_counters: frozenset[str] = frozenset(),
        groups: tuple[Group, ...] = (),
        words: frozenset[str] = frozenset(),
        bundles: tuple[Bundle, ...] = (),
    ) -> None:
        self.bundled = {name: (bundle, at) for bundle in bundles for name, at in bundle.registers}
        self.words = words
        self.sums = sums
        self.deferred = deferred
        self.large_counters = large_counters
        self.groups = groups
        self.program = program
        self.names = names
        self._tables = {name: table for table in program.tables for name in table.direct}
        self._profiled = {t.implementation: t for t in reversed(program.tables) if t.implementation is not None}
        self.instances = tuple(
            e for e in program.externs if KINDS[e.kind].c and (e.kind not in PROFILES or e.name in self._profiled)
        )
        self.number = {e.name: i for i, e in enumerate(self.instances)}
        self.noted = counters_noted(program)

    def state(self, instance: str) -> C:
        """The C expression for an instance's state."""
        return Index(Name("externs"), Name(self.constant(instance)))

    def cells(self, instance: str) -> tuple[C, ...]:
        """The arguments by which a function finds cells: an instance's state; the burst's copy of a register, and its shape."""
        extern = self.program.extern[instance]
        if extern.kind == DECISIONS:
            return (Name("worker"),)
        if extern.kind != "register":
            return (self.state(instance),)
        numbers = (int(extern.attribute("size")), self._stride(extern))
        register = address(Index(REGISTERS, Name(self.constant(instance))))
        return register, Compound("struct macs_register_shape", tuple(map(operand, numbers)))

    def constant(self, instance: str) -> str:
        return self.names(f"{instance}.extern")

    def view(self, extern: ExternInstance) -> ExternView:
        attributes = dict(extern.attributes)
        table = self._tables.get(extern.name)
        size = str(table.size + 1) if table else str(attributes.get("size", 0))
        table = table or self._profiled.get(extern.name)
        fields = self._fields(extern)
        width = int(attributes.get("width", 0)) if extern.kind in ("register", "custom_crc") else 0
        bits = sum(f.bits for f in fields) if fields else width
        return ExternView(
            name=self.constant(extern.name),
            control_name=Outside(extern.name),
            number=self.number[extern.name],
            kind=KINDS[extern.kind].c,
            size=size,
            bits=bits,
            unit=UNITS.get(str(attributes.get("unit", "")), "0"),
            table=Outside(table.name if table else ""),
            fields=fields,
            initial=_words(int(attributes.get("initial", 0)), bits) if extern.kind == "register" else (),
            cite=cite(extern.span.file, extern.span.line),
            locks=self.group(extern.name),
            cells=self._cells(extern),
        )

    def _cells(self, extern: ExternInstance) -> CellsView | None:
        if extern.kind != "register":
            return None
        at = self.bundled[extern.name][1] if extern.name in self.bundled else 0
        return CellsView(self.constant(self.leader(extern.name)), at, self._stride(extern))

    def _stride(self, register: ExternInstance) -> int:
        """Bytes from index to index."""
        bundled = self.bundled.get(register.name)
        return bundled[0].stride if bundled is not None else state_cells(self.program, register)[1]

    def leader(self, register: str) -> str:
        """The register that has the memory of its bundle; itself where it is in none."""
        return self.bundled[register][0].registers[0][0] if register in self.bundled else register

    def own(self, counters: tuple[Counter, ...]) -> tuple[ExternView, ...]:
        """Those of the target: macs_target_NAME in C, which no name of a program becomes."""
        return tuple(
            ExternView(
                name=f"macs_target_{counter.name}",
                control_name=Outside(f"target.{counter.name}"),
                number=number,
                kind=KINDS["counter"].c,
                size=str(counter.size),
                bits=0,
                unit=UNITS["packets_and_bytes"],
                table=NOWHERE,
                fields=(),
                initial=(),
                cite=Outside("the target's"),
            )
            for number, counter in enumerate(counters, len(self.instances))
        )

    def _fields(self, extern: ExternInstance) -> tuple[DigestFieldView, ...]:
        """What the control plane meets in a record of a digest, and in an element of a register that has several fields."""
        if extern.kind == "digest":
            return self._record(extern.name)
        if extern.kind != "register" or extern.data is None:
            return ()
        definitions = {definition.name: definition for definition in self.program.interface.definitions}
        found = tuple(interface.scalars(extern.data, definitions))
        if len(found) < 2 or sum(bits for _, bits in found) != extern.attribute("width"):
            return ()
        return tuple(DigestFieldView(Outside(name), bits) for name, bits in found)

    def _record(self, digest: str) -> tuple[DigestFieldView, ...]:
        """The fields of a digest's record, from its first use."""
        for statement in program_statements(self.program):
            if isinstance(statement, CallExtern) and statement.instance == digest:
                values = flattened(statement.inputs[0])
                given = str(dict(self.program.extern[digest].attributes).get("fields", ""))
                names = given.split(",") if given else [_name_of(v, i) for i, v in enumerate(values)]
                return tuple(DigestFieldView(Outside(n), width_of(v.type)) for n, v in zip(names, values, strict=True))
        return ()

    def owner(self, instance: str) -> str:
        """The table of a direct instance."""
        return self._tables[instance].name

    def own_index(self, instance: str, table: str) -> C:
        """The C of a direct instance's element while an action of `table` runs: the entry that was hit; that of the
        default action where another table's action runs."""
        owner = self._tables[instance]
        if owner.name != table:
            return operand(owner.size)
        return OWN_INDEX if owner.implementation is not None or table in self.words else INDEX

    def colour(self, instance: str) -> Name:
        """The C variable for the colour that a direct meter gave when its table was hit."""
        return Name(f"colour_{self.number[instance]}")

    def profile(self, table: Table) -> C | None:
        """The state of the action profile that a table's entries may refer to."""
        return self.state(table.implementation) if table.implementation is not None else None

    def led_to(self, render: Expressions, table: Table) -> Led:
        """What the entries of a table lead to, as they are followed."""
        cells: list[C] = [self.prefetch(name, OWN_INDEX).expression for name in followed_cells(self.program, table)]
        if table.ages:
            cells.append(call("macs_ages_prefetch", self._ages(table), OWN_INDEX))
        return Led(tuple(cells), self.profile(table), self.selection(render, table))

    def selection(self, render: Expressions, table: Table, gathered: C | None = None) -> Body:
        """Leave in `selected` the hash by which a group's member is chosen: of the bytes that `gather` has left."""
        if (instance := self._selector(table)) is None:
            return ()
        algorithm, values = str(instance.attribute("algorithm")), _selector_values(table)
        size = self._packed_bytes(algorithm, values) if gathered is not None else None
        made: Body = ()
        if size is not None and gathered is not None:
            result: C = call(f"macs_checksum_{algorithm}", _bytes_of(gathered, operand(size)))
        else:
            made, result = self.hash(render, algorithm, values)
        width = int(instance.attribute("width"))
        chosen = infix(result, "&", literal((1 << width) - 1, Bits(width))) if width < 64 else result
        return (*made, Assign(SELECTED, chosen))

    def gather(self, render: Expressions, table: Table, buffer: C) -> tuple[Body, int]:
        """Pack what a group's member is chosen by while other packets' lookups start: bytes that are hashed just after
        they were stored are not there yet. The statements and the number of bytes; none where nothing is packed."""
        if (instance := self._selector(table)) is None:
            return (), 0
        values = _selector_values(table)
        size = self._packed_bytes(str(instance.attribute("algorithm")), values)
        if size is None:
            return (), 0
        clear = (Do(call("memset", buffer, 0, size)),) if unaligned(values) else ()
        return (*clear, *pack_dense(render, buffer, values)[0]), size

    def _selector(self, table: Table) -> ExternInstance | None:
        """The action selector that a table has."""
        instance = self.program.extern[table.implementation] if table.implementation is not None else None
        return instance if instance is not None and instance.kind == "action_selector" else None

    def _packed_bytes(self, algorithm: str, values: tuple[Expression, ...]) -> int | None:
        """How many bytes the hash is made of; None where nothing is packed."""
        if algorithm == "random" or not values or self._summed(algorithm, values):
            return None
        return bytes_of(sum(width_of(value.type) for value in values))

    def _summed(self, algorithm: str, values: tuple[Expression, ...]) -> bool:
        return self.sums and algorithm == "csum16" and can_be_summed(values)

    def hash(
        self,
        render: Expressions,
        algorithm: str,
        values: tuple[Expression, ...],
        payload: tuple[C, C] = NO_PAYLOAD,
        before: C | None = None,
    ) -> tuple[Body, C]:
        """The statements that pack values into `list`, which they declare, or add them up, and their hash, a uint64_t.
        `before`: the hash that it extends."""
        if algorithm == "random":
            return (), call("macs_random_next", "worker")
        if payload == NO_PAYLOAD and self._summed(algorithm, values):
            return sum_of(render, values, before)
        varying, buffer = varies(values), Name("list")
        if not varying and goes_in_words(values):
            return self._hash_of_words(render, algorithm, values, payload, before)
        stores, bits = (pack_varying if varying else pack_dense)(render, buffer, values)
        size = bytes_of(bits)
        zeros = packed([Literal("0")]) if unaligned(values) and not varying else None
        declare = Declare("uint8_t", "list", zeros, size=max(size, 1))
        hashed = _bytes_of(buffer, operand(size), payload)
        if varying:
            stores = (Declare("uint32_t", USED.name, Literal("0")), *stores)
            hashed = _bytes_of(buffer, infix(infix(USED, "+", 7), "/", 8), payload)
        return (declare, *stores), _hashed(algorithm, hashed, before)

    def _hash_of_words(
        self,
        render: Expressions,
        algorithm: str,
        values: tuple[Expression, ...],
        payload: tuple[C, C],
        before: C | None,
    ) -> tuple[Body, C]:
        """CRCs begin with what there is beside whole words, other hashes end with it."""
        buffer, size = Name("list"), bytes_of(sum(width_of(value.type) for value in values))
        skipped = -size % BYTES if algorithm.startswith("crc") else 0
        stores, words = pack_words(render, buffer, values, skipped)
        declare = Declare("uint8_t", "list", size=BYTES * words)
        hashed = _bytes_of(plus(buffer, skipped), operand(size), payload)
        return (declare, *stores), _hashed(algorithm, hashed, before)

    def prefetch(self, instance: str, index: C) -> Do:
        """A statement that prefetches a cell."""
        extern = self.program.extern[instance]
        function = KINDS[extern.kind].prefetch
        assert function is not None, extern.kind
        return Do(call(function(extern), *self.cells(instance), index))

    def group(self, register: str) -> int | None:
        """The number of the group that a register is locked with; None of one that needs no lock."""
        return next((n for n, group in enumerate(self.groups) if register in group.registers), None)

    def locks(self, register: str) -> C:
        """The C expression for the locks of its group."""
        return address(Index(LOCKS, Literal(str(self.group(register)))))

    def is_striped(self, register: str) -> bool:
        number = self.group(register)
        return number is not None and self.groups[number].kept is Kept.STRIPES

    @property
    def lock_views(self) -> tuple[LocksView, ...]:
        return tuple(self._lock_view(group) for group in self.groups)

    def _lock_view(self, group: Group) -> LocksView:
        of = sorted(group.registers)
        size = max(int(self.program.extern[name].attribute("size")) for name in of)
        stripes = {Kept.UPDATES: 0, Kept.STRIPES: max(size, 1), Kept.LOCK: 1}
        return LocksView(stripes[group.kept], Outside(", ".join(of)), group.sharded)

    def count(self, counter: str, index: C, length: C, cite: str, *, hit: bool = False) -> Do:
        """A statement that counts a packet; behind a cache of decisions it notes what it counts, with the packet's number in
        the burst. `hit`: by an entry's own index, which is in range."""
        does = ("defer_hit" if hit else "defer") if self.deferred else "hit" if hit else "add"
        far = (Literal("true" if counter in self.large_counters else "false"),) if self.deferred else ()
        if counter in self.noted:
            return Do(call(f"macs_decisions_{does}", self.state(counter), "worker", index, length, *far, "index"), cite)
        counts = address(Index(COUNTS, Name(self.constant(counter))))
        worker = (Name("worker"),) if self.deferred else ()
        return Do(call(f"macs_counts_{does}", counts, *worker, index, length, *far), cite)

    def on_hit(self, table: Table, cite: str) -> tuple[Body, Body]:
        """What the direct instances of a table that work by themselves declare before, and do on a hit; the entry's age."""
        declared: list[Statement] = []
        done: list[Statement] = []
        for name in table.direct:
            if not self.program.extern[name].attribute("automatic"):
                continue
            index, length = self.hit_index(table), packet("length")
            arguments = (self.state(name), "worker", index, length)
            if self.program.extern[name].kind == "direct_counter":
                done.append(self.count(name, index, length, cite, hit=not table.learns))
            elif any(s.instance == name for s in calls_in_actions(self.program, table)):
                colour = self.colour(name)
                declared.append(Declare("uint64_t", colour.name, Name("MACS_NO_COLOUR")))
                done.append(Assign(colour, call("macs_meter_execute", *arguments), cite))
            else:
                done.append(Do(call("macs_meter_execute", *arguments), cite))
        if table.ages and not table.deletes:
            done.append(Do(call("macs_ages_hit", self._ages(table), "worker", self.hit_index(table)), cite))
        return tuple(declared), tuple(done)

    def hit_index(self, table: Table) -> C:
        """Of the entry that was hit, before a member of a profile takes its place."""
        return OWN_INDEX if table.name in self.words else INDEX

    def _ages(self, table: Table) -> C:
        return Member(Index(Name("tables"), Name(f"TABLE_{self.names(table.name)}")), "ages")


def _hashed(algorithm: str, of: C, before: C | None) -> C:
    if before is not None:
        return call(f"macs_extend_{algorithm}", before, of)
    return call(f"macs_checksum_{algorithm}", of)


def _bytes_of(buffer: C, size: C, payload: tuple[C, C] = NO_PAYLOAD) -> C:
    """What a hash is made of, struct macs_bytes: bytes, and those of a payload behind them."""
    return Compound("struct macs_bytes", (buffer, size, *payload))


def _words(value: int, bits: int) -> tuple[str, ...]:
    """A number as C words of 64 bits, least significant first; none of zero."""
    return tuple(f"UINT64_C({value >> at & (1 << 64) - 1:#x})" for at in range(0, bits, 64)) if value else ()


def headers(program: Program) -> frozenset[str]:
    """The C headers of the methods that a program calls, but for the backend's."""
    calls = (s for s in program_statements(program) if isinstance(s, CallExtern))
    return frozenset(METHODS[call.method].header for call in calls) - {""}


def calls_in_actions(program: Program, table: Table) -> Iterator[CallExtern]:
    """The extern calls of the actions that a table may run."""
    for action in actions_of(program, table.name):
        for statement in walk(action.body):
            if isinstance(statement, CallExtern):
                yield statement


def _selector_values(table: Table) -> tuple[Expression, ...]:
    return tuple(key.expression for key in table.keys if key.match_kind is MatchKind.SELECTOR)


def _name_of(value: Expression, number: int) -> str:
    """A control-plane name for a digest's field: that of what it is read from."""
    if isinstance(value, Read):
        return value.place.field if isinstance(value.place, FieldRef) else value.place.name.rpartition(".")[2]
    return f"field{number}"
