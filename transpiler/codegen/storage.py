"""Where each location lives in the generated C: among the packet's live values, or as a local of its stage's function.

The elements of a header stack share arrays, one a field, so that a run-time index is a C index. Besides its fields a
header has slots for its validity, for where its bytes lie in the frame, and, with a varbit, for that field's length
as received. A varbit field has a slot for its value only if the program assigns it. A sunk field has one for whether
it was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile

from transpiler.analysis.layout import fixed_offsets, keeps_layout
from transpiler.analysis.locations import VALIDITY, Location
from transpiler.codegen.c.build import FALSE, packed
from transpiler.codegen.c.nodes import Expression, Literal, Name
from transpiler.codegen.ctypes import c_type, literal
from transpiler.codegen.in_frame import in_frame_where_valid
from transpiler.codegen.names import Names
from transpiler.externs.table import KEEPING
from transpiler.hlir.expressions import Expression as HlirExpression, HeaderPlace, HeaderRef
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bits, Bool, Type, Varbit, width_of
from transpiler.schedule.live import loaded_fields, stored_fields
from transpiler.schedule.pipeline import calls
from transpiler.schedule.stages import Schedule

PLACE = "$at"
VARBIT_BYTES = "$bytes"
WRITTEN = "$written"
NOWHERE = Name("MACS_NOWHERE")


@dataclass(frozen=True, slots=True)
class Slot:
    """A C variable; `size` > 0: an array of that many. `initial` is its value when a packet begins. `owner`: the HLIR
    name of the variable, header or stack that it is of; `field`: the field, "" of a variable, or what else of a header.
    `live`: it is part of the packet's state; `passed`: from stage to stage only, within a stage it is a local."""

    owner: str
    field: str
    name: str
    c_type: str
    size: int
    live: bool
    passed: bool
    initial: Expression

    @property
    def declaration(self) -> str:
        return f"{self.c_type} {self.name}{f'[{self.size}]' if self.size else ''}"

    @property
    def beginning(self) -> Expression:
        """What it begins with, each element of an array."""
        return packed([self.initial] * self.size) if self.size else self.initial

    @property
    def location(self) -> Location:
        """Of one that is no array."""
        return Location(self.owner, self.field)


@dataclass(frozen=True, slots=True)
class Access:
    """A header place as C sees it: the owner of its slots, and the index among its elements, if it has one.

    `index`: a constant, or an expression with `size` to check it against, or None for a header that is no element.
    """

    owner: str
    index: int | HlirExpression | None
    size: int


class Storage:
    """All slots of a program under a schedule."""

    def __init__(
        self,
        program: Program,
        schedule: Schedule,
        names: Names,
        sunk: frozenset[Location] = frozenset(),
        in_place: bool = False,
    ) -> None:
        """`sunk`: fields of which the deparser stores what its stage wrote, see schedule/sinking.py. `in_place`:
        as Lowering has it: headers that do not move may lie at offsets that are known."""
        self.program = program
        self.names = names
        self.sunk = sunk
        self.live = schedule.live - sunk
        self.stored = stored_fields(program)
        self.loaded = loaded_fields(program, self.stored - sunk)
        self.spread = schedule.spread
        self.given = schedule.given
        self.passes = schedule.passes
        self._element = {
            stack.element(i): (stack.name, i, stack.size) for stack in program.stacks for i in range(stack.size)
        }
        self._slots: dict[tuple[str, str], Slot] = {}
        self._passed: dict[Location, Slot | None] = {}
        self._fixed = self._fixed_offsets() if in_place else {}
        self.in_frame_where_valid = in_frame_where_valid(program)

    def access(self, place: HeaderPlace) -> Access:
        if isinstance(place, HeaderRef):
            owner, index, size = self._element.get(place.name, (place.name, None, 0))
            return Access(owner, index, size)
        size, type_ = self.program.stack[place.stack].size, place.index.type
        if isinstance(type_, Bits) and type_.signed:  # as an unsigned number one below zero is beyond all others
            size = min(size, 1 << type_.width - 1)
        return Access(place.stack, place.index, size)

    def variable(self, name: str) -> Slot:
        type_ = self.program.variable[name].type
        return self._slot(name, "", c_type(type_), 0, Location(name) in self.live, _zero(type_))

    def field(self, owner: str, field: str) -> Slot:
        """The slot of a field; of a varbit only if `assigned_varbit` names it."""
        type_ = self.program.header_type_of[owner].field(field).type
        return self._header_slot(owner, field, c_type(type_), _zero(type_))

    def valid(self, owner: str) -> Slot:
        return self._header_slot(owner, VALIDITY, "bool", FALSE)

    def passed(self, location: Location) -> Slot | None:
        """The slot of a location, where a stage passes it on to the next one."""
        if location not in self._passed:
            self._passed[location] = self._passed_slot(location)
        return self._passed[location]

    def _passed_slot(self, location: Location) -> Slot | None:
        owner, field = location.owner, location.field
        if owner in self._element or owner in self.program.stack:
            return None
        if not field:
            slot = self.variable(owner)
        elif field == VALIDITY:
            slot = self.valid(owner)
        elif isinstance(self.type_of(location), Varbit) and field != self.assigned_varbit(owner):
            return None
        else:
            slot = self.field(owner, field)
        return slot if slot.passed else None

    def locations(self, slot: Slot) -> frozenset[Location]:
        return frozenset(Location(name, slot.field) for name in self._members(slot.owner))

    def type_of(self, location: Location) -> Type:
        if location.field == VALIDITY:
            return Bool()
        if not location.field:
            return self.program.variable[location.owner].type
        return self.program.header_type_of[location.owner].field(location.field).type

    def at(self, owner: str) -> Slot:
        """Offset of the header's bytes in the frame, MACS_NOWHERE if it was not received."""
        size = self._size(owner)
        return self._slot(owner, PLACE, "uint16_t", size, self._is_spread(owner), NOWHERE)

    def place(self, owner: str) -> int | None:
        """The offset of a header that always lies there where a packet has it."""
        return self._fixed.get(owner)

    def varbit_bytes(self, owner: str) -> Slot:
        return self._slot(owner, VARBIT_BYTES, "uint16_t", self._size(owner), self._is_spread(owner), Literal("0"))

    def written(self, owner: str, field: str, sunk: Mapping[Location, Location]) -> Slot | None:
        """Of a field that is sunk in a function: whether it was written."""
        first = sunk.get(Location(owner, field))
        if first is None:
            return None
        return self._slot(owner, f"{first.field}{WRITTEN}", "bool", 0, False, FALSE)

    def has_varbit(self, owner: str) -> bool:
        return any(isinstance(f.type, Varbit) for f in self.program.header_type_of[owner].fields)

    def assigned_varbit(self, owner: str) -> str | None:
        """The varbit field of a header that the program assigns, if there is one."""
        names = (f.name for f in self.program.header_type_of[owner].fields if isinstance(f.type, Varbit))
        return next((name for name in names if self.is_stored(owner, name)), None)

    def varbit_offset(self, owner: str) -> int:
        """Bytes before the varbit field of a header."""
        fields = self.program.header_type_of[owner].fields
        before = takewhile(lambda field: not isinstance(field.type, Varbit), fields)
        return sum(width_of(field.type) for field in before) // 8

    def is_loaded(self, owner: str, field: str) -> bool:
        return any(Location(name, field) in self.loaded for name in self._members(owner))

    def is_stored(self, owner: str, field: str) -> bool:
        """Whether something other than an extract may have written that field of the header or of an element."""
        return any(Location(name, field) in self.stored for name in self._members(owner))

    def is_parsed(self, owner: str) -> bool:
        """Whether it is a header or stack of the parsed representation."""
        name = self._members(owner)[0] if owner in self.program.stack and self._members(owner) else owner
        return name in self.program.header and not self.program.header[name].local

    def live_slots(self) -> tuple[Slot, ...]:
        """The slots of the packet's state that were asked for so far, largest first so that the struct has no holes."""
        live = [slot for slot in self._slots.values() if slot.live]
        return tuple(sorted(live, key=lambda slot: (-_alignment(slot.c_type), slot.name)))

    def _fixed_offsets(self) -> dict[str, int]:
        """None where a header may move: see the deparser."""
        if not keeps_layout(self.program) or calls(self.program, KEEPING):
            return {}
        if any(self.assigned_varbit(header.name) is not None for header in self.program.headers):
            return {}
        offsets = fixed_offsets(self.program)
        return {name: offset for name, offset in offsets.items() if name not in self._element}

    def _members(self, owner: str) -> tuple[str, ...]:
        stack = self.program.stack.get(owner)
        return (owner,) if stack is None else tuple(stack.element(i) for i in range(stack.size))

    def _is_spread(self, owner: str) -> bool:
        return not self.spread.isdisjoint(self._members(owner))

    def _size(self, owner: str) -> int:
        stack = self.program.stack.get(owner)
        return 0 if stack is None else stack.size

    def _header_slot(self, owner: str, field: str, type_: str, zero: Expression) -> Slot:
        live = any(Location(name, field) in self.live for name in self._members(owner))
        return self._slot(owner, field, type_, self._size(owner), live, zero)

    def _slot(self, owner: str, field: str, type_: str, size: int, live: bool, initial: Expression) -> Slot:
        if (owner, field) not in self._slots:
            name = self.names(f"{owner}.{field}" if field else owner)
            passed = live and self.passes and not size and field not in (PLACE, VARBIT_BYTES)
            self._slots[owner, field] = Slot(owner, field, name, type_, size, live, passed, initial)
        return self._slots[owner, field]


def _zero(type_: Type) -> Expression:
    return literal(0, type_) if isinstance(type_, Bits | Bool) else Literal("0")


def _alignment(type_: str) -> int:
    if type_.startswith("macs_w"):
        return 8
    return {"uint64_t": 8, "uint32_t": 4, "macs_varbit": 4, "uint16_t": 2}.get(type_, 1)
