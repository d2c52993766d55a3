"""The deparser → C.

Headers that lie where they were received stay there: only the fields that the program wrote are stored back. One walk goes from
the last header to the first. As long as a header ends where the one behind it begins, it stays where it is, whatever becomes of
the headers in front of it. From the first one on that does not, headers are put together in a list, as they were in the frame,
or zeros. Then the frame gets longer or shorter at its front, and begins with the list. Fields are stored while a header is still
in the frame, or is in the list: at once, or behind the walk, where a header may be taken from where another one lies (copies,
headers that are emitted twice, assigned varbits). Headers in front of the payload that no program can move against it
(`settled_headers`) stay where they are even so, and where all are such, nothing looks whether the layout has changed.
Sunk fields (schedule/sinking.py) are stored where the packet's way through the program has written them.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

from transpiler.analysis.layout import settled_headers
from transpiler.analysis.locations import Location
from transpiler.codegen.c.build import FALSE, NULL, TRUE, all_of, call, cast, infix, negated, operand, packet, plus
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
)
from transpiler.codegen.outcome import Outcome
from transpiler.codegen.packing import stored
from transpiler.codegen.places import at
from transpiler.codegen.statements import Statements
from transpiler.codegen.storage import Slot
from transpiler.externs.table import CUTTING, KEEPING
from transpiler.hlir.expressions import HeaderPlace, HeaderRef
from transpiler.hlir.program import Control
from transpiler.hlir.statements import CopyHeader, Emit, Statement
from transpiler.hlir.traverse import program_statements, walk
from transpiler.hlir.types import Bits, Field, HeaderType, Varbit
from transpiler.schedule.pipeline import calls

_CUT = CUTTING | {"clone.egress"}  # by the program, or as the clone session says
LIST, USED, FRONT, TO = (Name(name) for name in ("list", "used", "front", "to"))


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
        headers = [e.header for e in emits]
        guards = [self._valid(e.header) if plain else Name(f"emits_{n}") for n, e in enumerate(emits)]
        may_move = any(self._assigned(header) is not None for header in headers) or calls(self.program, KEEPING)
        settled = None if may_move or not self.in_place else settled_headers(self.program)
        first = len(headers) - (settled or 0)
        if not headers:
            made = self._without_headers()
        elif first or settled is None:
            made = self._walk(guards, headers, first)
        else:
            made = tuple(
                If(guard, self._at(self._in_frame(header), stores))
                for guard, header in zip(guards, headers, strict=True)
                if (stores := self._stores(header))
            )
        return (*made, self._truncate()) if calls(self.program, _CUT) else made

    def _truncate(self) -> If:
        """Cut the frame, unless it is recirculated as it is."""
        cut = If(call("macs_layout_truncate", "packet"), self.lost)
        asked = infix("MACS_TRUNCATE", "|", "MACS_RECIRCULATE")
        ends = infix(infix(Member(packet("requests"), "flags"), "&", asked), "==", "MACS_TRUNCATE")
        return If(ends, (cut, self._nothing()))

    def _nothing(self) -> If:
        return If(infix(packet("length"), "==", 0), self.nothing_left)

    def _without_headers(self) -> Body:
        offset = packet("payload_offset")
        without = If(call("macs_layout_resize", "packet", offset, 0), self.lost)
        return (If(infix(offset, "!=", 0), (without, self._nothing())),)

    def _walk(self, guards: list[Expression], headers: list[HeaderPlace], first: int) -> Body:
        """From the last header to the first. Those from number `first` on stay where they are in any case."""
        capacity = max(1, sum(map(self._maximum, headers[:first])))
        late = self._shares_bytes(headers)
        walked: list[CStatement] = []
        behind: list[CStatement] = []
        places: list[CStatement] = []
        for number, (guard, header) in reversed([*enumerate(zip(guards, headers, strict=True))]):
            stores = self._stores(header)
            to = Name(f"to_{number}") if late and number < first else TO
            if number >= first:
                stay = Assign(FRONT, self._size(header), operator="-=")
                walked.append(If(guard, (stay, *self._at(self._in_frame(header), stores))))
                continue
            place = self._place_of(header, capacity, to if stores else None)
            if late:
                places += [Declare("uint8_t *", to.name, NULL)] if stores else []
                if done := (*self._note_assigned(header), *self._at(to, stores)):
                    behind.append(If(guard, done))
            elif stores:
                place = (Declare("uint8_t *", to.name), *place, *stores)
            walked.append(If(guard, place))
        resized = If(call("macs_layout_resize", "packet", FRONT, infix(capacity, "-", USED)), self.lost)
        put = Do(call("memcpy", packet("data"), infix(LIST, "+", USED), infix(capacity, "-", USED)))
        change = (resized, self._nothing(), put)
        changed = infix(infix(FRONT, "!=", 0), "||", infix(USED, "!=", capacity))
        return (
            Declare("uint8_t", LIST.name, size=capacity),
            Declare("uint32_t", USED.name, operand(capacity)),
            Declare("uint32_t", FRONT.name, packet("payload_offset")),
            *places,
            *walked,
            *behind,
            *((If(changed, change),) if self.in_place else change),
        )

    def _shares_bytes(self, headers: list[HeaderPlace]) -> bool:
        """Whether bytes of the frame may be those of several headers; one that goes out twice is stored twice alike."""
        copied = any(isinstance(s, CopyHeader) for s in program_statements(self.program))
        return copied or any(self._assigned(header) is not None for header in headers)

    def _place_of(self, header: HeaderPlace, capacity: int, to: Name | None) -> Body:
        """Where a header goes, into `to`: it stays, or is put at the front of the list."""
        place = self._slot_of_place(header)
        taken: list[CStatement] = [Assign(USED, self._size(header), operator="-="), *self._taken(header)]
        kept: list[CStatement] = [Assign(FRONT, place)]
        if to is not None:
            taken.insert(1, Assign(to, infix(LIST, "+", USED)))
            kept.append(Assign(to, infix(packet("data"), "+", place)))
        if not self.in_place:
            return tuple(taken)
        stays = infix(infix(USED, "==", capacity), "&&", infix(infix(place, "+", self._size(header)), "==", FRONT))
        if (field := self._assigned(header)) is not None:
            stays = infix(stays, "&&", infix(field, "==", self.render.received_varbit(header)))
        return (If(stays, tuple(kept), tuple(taken)),)

    def _take(self, header: HeaderPlace) -> Body:
        """Put a header as it is in the frame where the list begins."""
        place, field, out = self._slot_of_place(header), self._assigned(header), infix(LIST, "+", USED)
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

    def _stores(self, header: HeaderPlace) -> Body:
        """Store the fields that the program may have written, from `to` on."""
        owner = self.storage.access(header).owner
        made: list[CStatement] = []
        offset, behind = 0, False
        run: list[tuple[Field, int]] = []  # what is stored, without a byte's end between, and its offsets
        for field in self.program.header_type_of[owner].fields:
            if isinstance(field.type, Varbit):
                behind = True
                continue
            if self._is_stored(owner, field):
                run.append((field, offset))
            offset += field.type.width
            if run and offset % 8 == 0:
                bytes_ = self.render.element(self.storage.varbit_bytes(owner), header) if behind else None
                base = TO if bytes_ is None else infix(TO, "+", bytes_)
                made += self._store_run(header, run, base, offset)
                run = []
        return _joined(made)

    def _in_frame(self, header: HeaderPlace) -> Expression:
        """The address of a header that lies where it was received."""
        fixed = self.storage.place(self.storage.access(header).owner)
        place = self._slot_of_place(header) if fixed is None else operand(fixed)
        return packet("data") if place == operand(0) else infix(packet("data"), "+", place)

    def _at(self, address: Expression, stores: Body) -> Body:
        return (Declare("uint8_t *", TO.name, address, constant=True), *stores) if stores else ()

    def _taken(self, header: HeaderPlace) -> Body:
        """Put a header as it is in the frame where the list begins, but where all of its bytes are stored."""
        owner = self.storage.access(header).owner
        fields = self.program.header_type_of[owner].fields
        if any(isinstance(field.type, Varbit) or not self._is_stored(owner, field) for field in fields):
            return self._take(header)
        sunk = self._flags(owner, fields)
        return (If(negated(all_of("&&", sunk)), self._take(header)),) if sunk else ()

    def _flags(self, owner: str, fields: Iterable[Field]) -> list[Expression]:
        """Whether all the sunk ones of the fields were written; none where none is sunk."""
        slots = (self._written(owner, field) for field in fields)
        return list(dict.fromkeys(self.scope.read(slot) for slot in slots if slot is not None))

    def _written(self, owner: str, field: Field) -> Slot | None:
        return self.storage.written(owner, field.name, self.scope.sunk)

    def _is_stored(self, owner: str, field: Field) -> bool:
        return self.storage.is_stored(owner, field.name) and Location(owner, field.name) not in self.scope.received

    def _store_run(self, header: HeaderPlace, run: list[tuple[Field, int]], base: Expression, end: int) -> Body:
        """Fields that end with a byte; those that fill whole bytes together are stored together."""
        first = run[0][1]
        widths = [field.type.width for field, _ in run if isinstance(field.type, Bits)]
        owner = self.storage.access(header).owner
        each = tuple(made for field, offset in run for made in self._store_written(header, field, offset, base))
        if len(run) == 1 or first % 8 or end - first > 64 or sum(widths) != end - first:
            return each
        sunk = self._flags(owner, [field for field, _ in run])
        parts: list[Expression] = []
        for (field, offset), width in zip(run, widths, strict=True):
            value = self.render.element(self.storage.field(owner, field.name), header)
            shift = end - offset - width
            parts.append(infix(cast("uint64_t", value), "<<", shift) if shift else value)
        whole = Do(call("macs_store_bytes", plus(base, first // 8), (end - first) // 8, all_of("|", parts)))
        if not sunk:
            return (whole,)
        alike = len(sunk) == 1 and all(self._written(owner, field) is not None for field, _ in run)
        return (If(all_of("&&", sunk), (whole,), () if alike else each),)

    def _store_written(self, header: HeaderPlace, field: Field, offset: int, base: Expression) -> Body:
        """A sunk field is stored where it was written."""
        owner = self.storage.access(header).owner
        value = self.render.element(self.storage.field(owner, field.name), header)
        store = stored(base, offset, field.type, value)
        written = self._written(owner, field)
        return (store,) if written is None else (If(self.scope.read(written), (store,)),)

    def _valid(self, header: HeaderPlace) -> Expression:
        if isinstance(header, HeaderRef) and header.name in self._sure:
            return TRUE
        return self.render.element(self.storage.valid(self.storage.access(header).owner), header)

    def _slot_of_place(self, header: HeaderPlace) -> Expression:
        return self.render.element(self.storage.at(self.storage.access(header).owner), header)

    def _size(self, header: HeaderPlace) -> Expression:
        owner = self.storage.access(header).owner
        fixed = self.program.header_type_of[owner].fixed_bits // 8
        if not self.storage.has_varbit(owner):
            return Literal(f"{fixed}u")
        if (field := self._assigned(header)) is not None:
            return infix(Literal(f"{fixed}u"), "+", call("macs_varbit_bytes", field))
        return infix(Literal(f"{fixed}u"), "+", self.render.element(self.storage.varbit_bytes(owner), header))

    def _maximum(self, header: HeaderPlace) -> int:
        return maximum_bytes(self.program.header_type_of[self.storage.access(header).owner])


def _joined(stores: list[CStatement]) -> Body:
    """The stores, those in a row that are made on one condition behind one test."""
    made: list[CStatement] = []
    for store in stores:
        match made[-1:], store:
            case [If(condition=one, then=before, otherwise=())], If(condition=other, then=then, otherwise=()) if (
                one == other
            ):
                made[-1] = If(one, (*before, *then))
            case _:
                made.append(store)
    return tuple(made)


def maximum_bytes(layout: HeaderType) -> int:
    """The most that a header may take on the wire."""
    return layout.fixed_bits // 8 + sum(f.type.max_width // 8 for f in layout.fields if isinstance(f.type, Varbit))
