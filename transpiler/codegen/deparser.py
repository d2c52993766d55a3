"""The deparser → C.

Headers that lie where they were received stay there: only the fields that the program wrote are stored back. If the
layout changed, headers are taken out of the frame first, as they were there, or zeros, the frame gets longer or shorter,
and they are put in front of it again. Headers in front of the payload that no program can move against it
(`settled_headers`) stay where they are even so, and where all are such, nothing looks whether the layout has changed.
Sunk fields (schedule/sinking.py) are stored where the packet's way through the program has written them.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from transpiler.analysis.layout import settled_headers
from transpiler.analysis.locations import Location
from transpiler.codegen.c.build import FALSE, TRUE, all_of, call, cast, infix, operand, packed, packet, plus
from transpiler.codegen.c.nodes import (
    Assign,
    Block,
    Body,
    Declare,
    Do,
    Expression,
    If,
    Literal,
    Member,
    Name,
    Statement as CStatement,
    Unary,
)
from transpiler.codegen.outcome import Outcome
from transpiler.codegen.packing import stored
from transpiler.codegen.places import at
from transpiler.codegen.statements import Statements
from transpiler.externs.table import CUTTING, KEEPING
from transpiler.hlir.expressions import HeaderPlace, HeaderRef
from transpiler.hlir.program import Control
from transpiler.hlir.statements import Emit, Statement
from transpiler.hlir.traverse import walk
from transpiler.hlir.types import Bits, Field, HeaderType, Varbit
from transpiler.schedule.pipeline import calls

HEAD, FRONT, GROWN, TO, MOVED = (Name(name) for name in ("head", "front", "grown", "to", "moved"))


class DeparserStatements(Statements):
    """Statements of a deparser: Emit notes in `emits_N` whether header number N goes out.

    `in_place`: whether headers stay where they are when none has moved; `outcome`: how a frame is dropped."""

    def __init__(self, *arguments: Any, in_place: bool, outcome: Outcome) -> None:
        super().__init__(*arguments)
        self.in_place = in_place
        self.lost = outcome.drop("NO_BUFFER")
        self.nothing_left = outcome.drop()

    def statement(self, statement: Statement) -> Body:
        if isinstance(statement, Emit):
            if self._numbers is None:
                return ()
            emits = Name(f"emits_{next(self._numbers)}")
            return (Assign(emits, self._valid(statement.header), at(statement.span)),)
        return super().statement(statement)

    def deparse(self, control: Control, valid: frozenset[str], then: Body = (), *, ends: bool = False) -> Body:
        """The whole deparser as a block; `valid`: headers that surely are; `then` stands between its own statements and the
        change of the frame, which there is none of where it `ends` the packet's way."""
        self._sure = valid
        emits = [s for s in walk(control.body) if isinstance(s, Emit)]
        self._numbers = None if ends else count()  # in program order, in which both `walk` and lowering go
        plain = all(isinstance(s, Emit) for s in control.body)
        made: list[CStatement] = []
        if not plain:
            made += [Declare("bool", f"emits_{n}", FALSE) for n in range(0 if ends else len(emits))]
            made += self.body(control.body)
        made += then
        if not ends:
            made += self._change(emits, plain)
        return (Block(tuple(made), cite=at(control.span), part="deparser.c.j2"),)

    def _change(self, emits: list[Emit], plain: bool) -> Body:
        """The change of the frame. `plain`: a header goes out where it is valid."""
        made = list(self._places_of_repeated(emits))
        headers = [e.header for e in emits]
        guards = [self._valid(e.header) if plain else Name(f"emits_{n}") for n, e in enumerate(emits)]
        may_move = any(self._assigned(header) is not None for header in headers) or calls(self.program, KEEPING)
        settled = None if may_move or not self.in_place else settled_headers(self.program)
        first = len(headers) - (settled or 0)
        if first or settled is None:
            made += self._move(guards, headers, first)
        stores = [self._store_back(number, header, moved=0 < first <= number) for number, header in enumerate(headers)]
        if first > 0:
            made.append(Declare("uint32_t", GROWN.name, infix(HEAD, "-", FRONT), constant=True))
        for guard, store in zip(guards, stores, strict=True):
            if store:
                made.append(If(guard, store))
        if calls(self.program, CUTTING):
            made.append(self._truncate())
        return tuple(made)

    def _truncate(self) -> If:
        """Cut the frame, unless it is recirculated as it is."""
        cut = If(call("macs_layout_truncate", "packet"), self.lost)
        asked = infix("MACS_TRUNCATE", "|", "MACS_RECIRCULATE")
        ends = infix(infix(Member(packet("requests"), "flags"), "&", asked), "==", "MACS_TRUNCATE")
        return If(ends, (cut, self._nothing()))

    def _nothing(self) -> If:
        return If(infix(packet("length"), "==", 0), self.nothing_left)

    def _move(self, guards: list[Expression], headers: list[HeaderPlace], first: int) -> Body:
        """Bring the headers that go out before number `first` to the head of the frame, if they do not stand there
        already."""
        offset = packet("payload_offset")
        if not headers:
            without = If(call("macs_layout_resize", "packet", offset, 0), self.lost)
            return (If(infix(offset, "!=", 0), (without, self._nothing())),)
        made: list[CStatement] = [Declare("uint32_t", HEAD.name, Literal("0")), Declare("bool", MOVED.name, FALSE)]
        for number in range(first):
            place, size = self._place(number, headers[number]), self._size(headers[number])
            changed = infix(place, "!=", HEAD)
            if (field := self._assigned(headers[number])) is not None:
                changed = infix(changed, "||", infix(field, "!=", self.render.received_varbit(headers[number])))
            moved = Assign(MOVED, changed, operator="|=")
            made.append(If(guards[number], (moved, Assign(HEAD, size, operator="+="))))
        made.append(Declare("uint32_t", FRONT.name, offset))
        for number in range(first, len(headers)):
            made.append(If(guards[number], (Assign(FRONT, self._size(headers[number]), operator="-="),)))
        gather = self._gather(guards[:first], headers[:first])
        if not self.in_place:
            return (*made, Block(gather))
        return (*made, If(infix(MOVED, "||", infix(HEAD, "!=", FRONT)), gather))

    def _places_of_repeated(self, emits: list[Emit]) -> Body:
        """A header that is emitted more than once may come to lie in several places: each emission has its own."""
        places = [self.storage.access(e.header) for e in emits]
        self._repeated = frozenset(n for n, place in enumerate(places) if places.count(place) > 1)
        own = [(n, self._slot_of_place(e.header)) for n, e in enumerate(emits) if n in self._repeated]
        return tuple(Declare("uint16_t", f"place_{n}", slot) for n, slot in own)

    def _gather(self, guards: list[Expression], headers: list[HeaderPlace]) -> Body:
        capacity = max(1, sum(map(self._maximum, headers)))
        buffer, used = Name("list"), Name("used")
        taken: list[CStatement] = []
        put: list[CStatement] = []
        offset = 0
        for number, (guard, header) in enumerate(zip(guards, headers, strict=True)):
            out = plus(buffer, offset)
            taken.append(If(guard, self._take(number, header, out)))
            placed = call("macs_layout_put", "packet", Unary("&", used), out, self._size(header))
            put.append(If(guard, (Assign(self._place(number, header), placed), *self._note_assigned(header))))
            offset += self._maximum(header)
        resize = If(call("macs_layout_resize", "packet", FRONT, HEAD), self.lost)
        declared = Declare("uint8_t", "list", packed([Literal("0")]), size=capacity)
        return (declared, *taken, resize, self._nothing(), Declare("uint32_t", "used", Literal("0")), *put)

    def _take(self, number: int, header: HeaderPlace, out: Expression) -> Body:
        place, field = self._place(number, header), self._assigned(header)
        if field is None:
            return (Do(call("macs_layout_take", "packet", out, place, self._size(header))),)
        owner = self.storage.access(header).owner
        before, fixed = self.storage.varbit_offset(owner), self.program.header_type_of[owner].fixed_bits // 8
        bytes_ = self.render.element(self.storage.varbit_bytes(owner), header)
        return (Do(call("macs_layout_take_varbit", "packet", out, place, before, bytes_, field, fixed - before)),)

    def _note_assigned(self, header: HeaderPlace) -> Body:
        """The varbit in the frame is the one that was assigned."""
        if (field := self._assigned(header)) is None:
            return ()
        bytes_ = self.render.element(self.storage.varbit_bytes(self.storage.access(header).owner), header)
        return (Assign(bytes_, cast("uint16_t", call("macs_varbit_bytes", field))),)

    def _assigned(self, header: HeaderPlace) -> Expression | None:
        """The C place of the value of the header's varbit field if the program assigns it."""
        owner = self.storage.access(header).owner
        field = self.storage.assigned_varbit(owner)
        return None if field is None else self.render.element(self.storage.field(owner, field), header)

    def _store_back(self, number: int, header: HeaderPlace, moved: bool) -> Body:
        """`moved`: the frame has grown in front of the header, which has not moved: by `grown` bytes, modulo 2^32."""
        owner = self.storage.access(header).owner
        made: list[CStatement] = []
        offset, behind = 0, False
        run: list[tuple[Field, int]] = []  # what is stored, without a byte's end between, and its offsets
        for field in self.program.header_type_of[owner].fields:
            if isinstance(field.type, Varbit):
                behind = True
                continue
            if self.storage.is_stored(owner, field.name) and Location(owner, field.name) not in self.scope.received:
                run.append((field, offset))
            offset += field.type.width
            if run and offset % 8 == 0:
                bytes_ = self.render.element(self.storage.varbit_bytes(owner), header) if behind else None
                base = TO if bytes_ is None else infix(TO, "+", bytes_)
                made += self._store_run(header, run, base, offset)
                run = []
        if not made:
            return ()
        fixed = self.storage.place(self.storage.access(header).owner)
        place = self._place(number, header) if fixed is None else operand(fixed)
        if moved:
            place = cast("uint16_t", infix(place, "+", GROWN))
        address = packet("data") if place == operand(0) else infix(packet("data"), "+", place)
        return (Declare("uint8_t *", TO.name, address, constant=True), *made)

    def _store_run(self, header: HeaderPlace, run: list[tuple[Field, int]], base: Expression, end: int) -> Body:
        """Fields that end with a byte; those that fill whole bytes together are stored together."""
        first = run[0][1]
        widths = [field.type.width for field, _ in run if isinstance(field.type, Bits)]
        owner = self.storage.access(header).owner
        each = tuple(made for field, offset in run for made in self._store_written(header, field, offset, base))
        if len(run) == 1 or first % 8 or end - first > 64 or sum(widths) != end - first:
            return each
        sunk = [slot for field, _ in run if (slot := self.storage.written(owner, field.name)) is not None]
        parts: list[Expression] = []
        for (field, offset), width in zip(run, widths, strict=True):
            value = self.render.element(self.storage.field(owner, field.name), header)
            shift = end - offset - width
            parts.append(infix(cast("uint64_t", value), "<<", shift) if shift else value)
        whole = Do(call("macs_store_bytes", plus(base, first // 8), (end - first) // 8, all_of("|", parts)))
        if not sunk:
            return (whole,)
        return (If(all_of("&&", [self.scope.read(slot) for slot in sunk]), (whole,), each),)

    def _store_written(self, header: HeaderPlace, field: Field, offset: int, base: Expression) -> Body:
        """A sunk field is stored where it was written."""
        owner = self.storage.access(header).owner
        value = self.render.element(self.storage.field(owner, field.name), header)
        store = stored(base, offset, field.type, value)
        written = self.storage.written(owner, field.name)
        return (store,) if written is None else (If(self.scope.read(written), (store,)),)

    def _valid(self, header: HeaderPlace) -> Expression:
        if isinstance(header, HeaderRef) and header.name in self._sure:
            return TRUE
        return self.render.element(self.storage.valid(self.storage.access(header).owner), header)

    def _place(self, number: int, header: HeaderPlace) -> Expression:
        return Name(f"place_{number}") if number in self._repeated else self._slot_of_place(header)

    def _slot_of_place(self, header: HeaderPlace) -> Expression:
        return self.render.element(self.storage.at(self.storage.access(header).owner), header)

    def _size(self, header: HeaderPlace) -> Expression:
        owner = self.storage.access(header).owner
        fixed = self.program.header_type_of[owner].fixed_bits // 8
        if not self.storage.has_varbit(owner):
            return operand(fixed)
        if (field := self._assigned(header)) is not None:
            return infix(Literal(f"{fixed}u"), "+", call("macs_varbit_bytes", field))
        return infix(Literal(f"{fixed}u"), "+", self.render.element(self.storage.varbit_bytes(owner), header))

    def _maximum(self, header: HeaderPlace) -> int:
        return maximum_bytes(self.program.header_type_of[self.storage.access(header).owner])


def maximum_bytes(layout: HeaderType) -> int:
    """The most that a header may take on the wire."""
    return layout.fixed_bits // 8 + sum(f.type.max_width // 8 for f in layout.fields if isinstance(f.type, Varbit))
