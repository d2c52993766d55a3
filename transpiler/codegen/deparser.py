"""The deparser → statement views.

Headers that lie where they were received stay there: only the fields that the program wrote are stored back. If the
layout changed, headers are taken out of the frame first, as they were there, or zeros, the frame gets longer or shorter,
and they are put in front of it again. Headers in front of the payload that no program can move against it
(`settled_headers`) stay where they are even so, and where all are such, nothing looks whether the layout has changed.
Late fields (schedule/late.py) are stored where the packet's way through the program has written them.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from transpiler.analysis.layout import settled_headers
from transpiler.codegen.ctypes import c_type, is_wide
from transpiler.codegen.outcome import Outcome
from transpiler.codegen.statements import Statements, at
from transpiler.codegen.tables import cite
from transpiler.codegen.views import BlockView, IfView, Line, View, Views
from transpiler.hlir.expressions import HeaderPlace, HeaderRef
from transpiler.hlir.program import Control
from transpiler.hlir.statements import Emit, Statement
from transpiler.hlir.traverse import walk
from transpiler.hlir.types import Bits, Field, HeaderType, Varbit
from transpiler.schedule.pipeline import calls
from transpiler.schedule.v1model import SECOND_LIVES

TRUE = "true"


class DeparserStatements(Statements):
    """Statements of a deparser: Emit notes in `emits_N` whether header number N goes out.

    `in_place`: whether headers stay where they are when none has moved; `outcome`: how a frame is dropped."""

    def __init__(self, *arguments: Any, in_place: bool, outcome: Outcome) -> None:
        super().__init__(*arguments)
        self.in_place = in_place
        self.lost = outcome.drop("NO_BUFFER")
        self.nothing_left = outcome.drop()

    def statement(self, statement: Statement) -> Views:
        if isinstance(statement, Emit):
            if self._numbers is None:
                return ()
            number = next(self._numbers)
            return (Line(f"emits_{number} = {self._valid(statement.header)};", at(statement.span)),)
        return super().statement(statement)

    def deparse(self, control: Control, valid: frozenset[str], then: Views = (), *, ends: bool = False) -> Views:
        """The whole deparser as a block; `valid`: headers that surely are; `then` stands between its own statements and the
        change of the frame, which there is none of where it `ends` the packet's way."""
        self._sure = valid
        emits = [s for s in walk(control.body) if isinstance(s, Emit)]
        self._numbers = None if ends else count()  # in program order, in which both `walk` and rendering go
        straight = all(isinstance(s, Emit) for s in control.body)
        views: list[View] = []
        if not straight:
            views += [Line(f"bool emits_{n} = false;") for n in range(0 if ends else len(emits))]
            views += self.body(control.body)
        views += then
        if not ends:
            views += self._change(emits, straight)
        return (BlockView(tuple(views), "", cite(control.span.file, control.span.line), part="deparser.c.j2"),)

    def _change(self, emits: list[Emit], straight: bool) -> Views:
        """The change of the frame. `straight`: a header goes out where it is valid."""
        views = list(self._places_of_repeated(emits))
        headers = [e.header for e in emits]

        def guard(number: int) -> str:
            """Whether that header goes out: asked for only where it matters, as what nobody asks for has no variable."""
            return self._valid(headers[number]) if straight else f"emits_{number}"

        may_move = any(map(self._assigned, headers)) or calls(self.program, SECOND_LIVES)
        settled = None if may_move or not self.in_place else settled_headers(self.program)
        first = len(headers) - (settled or 0)
        if first or settled is None:
            views += self._move([guard(number) for number in range(len(emits))], headers, first)
        stores = [self._store_back(number, header, moved=0 < first <= number) for number, header in enumerate(headers)]
        if first > 0 and any(stores[first:]):
            views.append(Line("const uint32_t grown = head - front;"))
        for number, stored in enumerate(stores):
            if stored:
                views += _where(guard(number), stored)
        if calls(self.program, frozenset({"truncate.request"})):
            cut = IfView("macs_layout_truncate(packet)", self.lost, ())
            nothing = IfView("packet->length == 0", self.nothing_left, ())
            ends = "(packet->requests.flags & (MACS_TRUNCATE | MACS_RECIRCULATE)) == MACS_TRUNCATE"
            views.append(IfView(ends, (cut, nothing), ()))
        return tuple(views)

    def _move(self, guards: list[str], headers: list[HeaderPlace], first: int) -> Views:
        """Bring the headers that go out before number `first` to the head of the frame, if they do not stand there
        already."""
        if not headers:
            without = IfView("macs_layout_resize(packet, packet->payload_offset, 0)", self.lost, ())
            change: Views = (without, IfView("packet->length == 0", self.nothing_left, ()))
            return (IfView("packet->payload_offset != 0", change, ()),)
        views: list[View] = [Line("uint32_t head = 0;")]
        if self.in_place:
            views.append(Line("bool moved = false;"))
        for number in range(first):
            place, size = self._place(number, headers[number]), self._size(headers[number])
            changed = f"{place} != head"
            if (field := self._assigned(headers[number])) is not None:
                changed += f" || {field} != {self.render.received_varbit(headers[number])}"
            check = (Line(f"moved |= {changed};"),) if self.in_place else ()
            views += _where(guards[number], (*check, Line(f"head += {size};")))
        views.append(Line("uint32_t front = packet->payload_offset;"))
        for number in range(first, len(headers)):
            views += _where(guards[number], (Line(f"front -= {self._size(headers[number])};"),))
        gather = self._gather(guards[:first], headers[:first])
        if not self.in_place:
            return (*views, BlockView(gather, ""))
        return (*views, IfView("moved || head != front", gather, ()))

    def _places_of_repeated(self, emits: list[Emit]) -> Views:
        """A header that is emitted more than once may come to lie in several places: each emission has its own."""
        places = [self.storage.access(e.header) for e in emits]
        self._repeated = frozenset(n for n, place in enumerate(places) if places.count(place) > 1)
        own = [(n, self._slot_of_place(e.header)) for n, e in enumerate(emits) if n in self._repeated]
        return tuple(Line(f"uint16_t place_{n} = {slot};") for n, slot in own)

    def _gather(self, guards: list[str], headers: list[HeaderPlace]) -> Views:
        capacity = max(1, sum(map(self._maximum, headers)))
        taken: list[View] = []
        put: list[View] = []
        at = 0
        for number, (guard, header) in enumerate(zip(guards, headers, strict=True)):
            out = f"list + {at}" if at else "list"
            taken += _where(guard, self._take(number, header, out))
            place = self._place(number, header)
            line = Line(f"{place} = macs_layout_put(packet, &used, {out}, {self._size(header)});")
            put += _where(guard, (line, *self._note_assigned(header)))
            at += self._maximum(header)
        resize = IfView("macs_layout_resize(packet, front, head)", self.lost, ())
        nothing = IfView("packet->length == 0", self.nothing_left, ())
        return (Line(f"uint8_t list[{capacity}] = {{0}};"), *taken, resize, nothing, Line("uint32_t used = 0;"), *put)

    def _take(self, number: int, header: HeaderPlace, out: str) -> Views:
        place, field = self._place(number, header), self._assigned(header)
        if field is None:
            return (Line(f"macs_layout_take(packet, {out}, {place}, {self._size(header)});"),)
        owner = self.storage.access(header).owner
        before, fixed = self.storage.varbit_offset(owner), self.program.header_type_of[owner].fixed_bits // 8
        bytes_ = self.render.element(self.storage.varbit_bytes(owner), header)
        arguments = f"{place}, {before}, {bytes_}, {field}, {fixed - before}"
        return (Line(f"macs_layout_take_varbit(packet, {out}, {arguments});"),)

    def _note_assigned(self, header: HeaderPlace) -> Views:
        """The varbit in the frame is the one that was assigned."""
        if (field := self._assigned(header)) is None:
            return ()
        bytes_ = self.render.element(self.storage.varbit_bytes(self.storage.access(header).owner), header)
        return (Line(f"{bytes_} = (uint16_t)macs_varbit_bytes({field});"),)

    def _assigned(self, header: HeaderPlace) -> str | None:
        """The C place of the value of the header's varbit field if the program assigns it."""
        owner = self.storage.access(header).owner
        field = self.storage.assigned_varbit(owner)
        return None if field is None else self.render.element(self.storage.field(owner, field), header).text

    def _store_back(self, number: int, header: HeaderPlace, moved: bool) -> Views:
        """`moved`: the frame has grown in front of the header, which has not moved: by `grown` bytes, modulo 2^32."""
        owner = self.storage.access(header).owner
        views: list[View] = []
        offset, behind = 0, False
        run: list[tuple[Field, int]] = []  # what is stored, without a byte's end between, and its offsets
        for field in self.program.header_type_of[owner].fields:
            if isinstance(field.type, Varbit):
                behind = True
                continue
            if self.storage.is_stored(owner, field.name):
                run.append((field, offset))
            offset += field.type.width
            if run and offset % 8 == 0:
                base = f"to + {self.render.element(self.storage.varbit_bytes(owner), header)}" if behind else "to"
                views += self._store_run(header, run, base, offset)
                run = []
        if not views:
            return ()
        fixed = self.storage.place(self.storage.access(header).owner)
        place = self._place(number, header) if fixed is None else str(fixed)
        if moved:
            place = f"(uint16_t)({place} + grown)"
        return (Line(f"uint8_t *const to = packet->data{f' + {place}' if place != '0' else ''};"), *views)

    def _store_run(self, header: HeaderPlace, run: list[tuple[Field, int]], base: str, end: int) -> Views:
        """Fields that end with a byte; those that fill whole bytes together are stored together."""
        first = run[0][1]
        widths = [field.type.width for field, _ in run if isinstance(field.type, Bits)]
        owner = self.storage.access(header).owner
        each = tuple(view for field, offset in run for view in self._store_written(header, field, offset, base))
        if len(run) == 1 or first % 8 or end - first > 64 or sum(widths) != end - first:
            return each
        late = [slot for field, _ in run if (slot := self.storage.written(owner, field.name)) is not None]
        if any(slot.name in self.scope.idle for slot in late):
            return each
        parts = []
        for (field, offset), width in zip(run, widths, strict=True):
            value = self.render.element(self.storage.field(owner, field.name), header)
            shift = end - offset - width
            parts.append(f"(uint64_t){value} << {shift}" if shift else f"{value}")
        at = f" + {first // 8}" if first else ""
        whole = Line(f"macs_store_bytes({base}{at}, {(end - first) // 8}, {' | '.join(parts)});")
        written = " && ".join(self.scope.read(slot) for slot in late)
        return (IfView(written, (whole,), each),) if late else (whole,)

    def _store_written(self, header: HeaderPlace, field: Field, offset: int, base: str) -> Views:
        """A late field is stored where it was written."""
        written = self.storage.written(self.storage.access(header).owner, field.name)
        if written is None:
            return (self._store(header, field, offset, base),)
        if written.name in self.scope.idle:
            return ()
        return (IfView(self.scope.read(written), (self._store(header, field, offset, base),), ()),)

    def _store(self, header: HeaderPlace, field: Field, offset: int, base: str) -> Line:
        assert isinstance(field.type, Bits)
        owner = self.storage.access(header).owner
        value = self.render.element(self.storage.field(owner, field.name), header)
        width = field.type.width
        if is_wide(field.type):
            return Line(f"{c_type(field.type)}_store({base}, {offset}, {width}, {value});")
        if offset % 8 == 0 and width % 8 == 0:
            return Line(f"macs_store_bytes({base}{f' + {offset // 8}' if offset else ''}, {width // 8}, {value});")
        return Line(f"macs_store_bits({base}, {offset}, {width}, {value});")

    def _valid(self, header: HeaderPlace) -> str:
        if isinstance(header, HeaderRef) and header.name in self._sure:
            return TRUE
        return self.render.element(self.storage.valid(self.storage.access(header).owner), header).text

    def _place(self, number: int, header: HeaderPlace) -> str:
        return f"place_{number}" if number in self._repeated else self._slot_of_place(header)

    def _slot_of_place(self, header: HeaderPlace) -> str:
        return self.render.element(self.storage.at(self.storage.access(header).owner), header).text

    def _size(self, header: HeaderPlace) -> str:
        owner = self.storage.access(header).owner
        fixed = self.program.header_type_of[owner].fixed_bits // 8
        if not self.storage.has_varbit(owner):
            return str(fixed)
        if (field := self._assigned(header)) is not None:
            return f"{fixed}u + macs_varbit_bytes({field})"
        return f"{fixed}u + {self.render.element(self.storage.varbit_bytes(owner), header)}"

    def _maximum(self, header: HeaderPlace) -> int:
        return maximum_bytes(self.program.header_type_of[self.storage.access(header).owner])


def _where(guard: str, views: Views) -> Views:
    return (BlockView(views, "") if guard == TRUE else IfView(guard, views, ()),)


def maximum_bytes(layout: HeaderType) -> int:
    """The most that a header may take on the wire."""
    return layout.fixed_bits // 8 + sum(f.type.max_width // 8 for f in layout.fields if isinstance(f.type, Varbit))
