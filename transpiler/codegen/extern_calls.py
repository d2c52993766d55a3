"""Extern calls: the C of each stands in `transpiler.externs`, here is what it is made with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from transpiler.codegen.apply import MISSED
from transpiler.codegen.c.build import address, call, cast
from transpiler.codegen.c.integers import WORD, limbs, natural
from transpiler.codegen.c.nodes import (
    Assign,
    Block,
    Body,
    Declare,
    Do,
    Expression as C,
    Index,
    Member,
    Name,
    Statement,
)
from transpiler.codegen.ctypes import c_type
from transpiler.codegen.expressions import Expressions, low_limb, trimmed
from transpiler.codegen.externs import NO_PAYLOAD, Externs
from transpiler.codegen.pack_words import pack_words
from transpiler.codegen.packing import flattened, pack_padded, stored
from transpiler.codegen.tables import Tables
from transpiler.externs.table import METHODS
from transpiler.hlir.expressions import ElementRef, FieldRef, Place, Read, Text
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.types import Type, width_of
from transpiler.schedule.architectures import preserved_lists
from transpiler.schedule.pipeline import preserved_fields

Assigner = Callable[[Place, C], Body]  # writes a C value to a place


def lowered(
    externs: Externs,
    tables: Tables,
    render: Expressions,
    statement: CallExtern,
    assign: Assigner,
    table: str,
    cite: str,
) -> Body:
    """The statements of a call. `table`: whose action runs, for its `entry`, or empty."""
    return METHODS[statement.method].c(Call(externs, tables, render, statement, assign, table, cite))


class Call:
    """See `externs.row.Compiled`."""

    def __init__(
        self,
        externs: Externs,
        tables: Tables,
        render: Expressions,
        statement: CallExtern,
        assign: Assigner,
        table: str,
        cite: str,
    ) -> None:
        self.externs, self.tables, self.render, self.statement = externs, tables, render, statement
        self.assign, self.table, self.cite = assign, table, cite

    @property
    def instance(self) -> str:
        assert self.statement.instance is not None, self.statement.method
        return self.statement.instance

    @property
    def state(self) -> C:
        return self.externs.state(self.instance)

    @property
    def cells(self) -> tuple[C, ...]:
        return self.externs.cells(self.instance)

    @property
    def own_index(self) -> C:
        return self.externs.own_index(self.instance, self.table)

    @property
    def colour(self) -> Name | None:
        return self.externs.colour(self.instance) if self.externs.owner(self.instance) == self.table else None

    @property
    def preserved(self) -> int:
        return preserved_lists(self.externs.program).index(preserved_fields(self.statement))

    @property
    def locks(self) -> C:
        return self.externs.locks(self.instance)

    def held(self, position: int) -> tuple[C, ...]:
        if not self.externs.is_striped(self.instance):
            return ()
        return tuple(self.render.amount(index) for index in flattened(self.statement.inputs[position]))

    # --- inputs ------------------------------------------------------------------------------------------------------

    def input(self, position: int) -> C:
        return self.render(self.statement.inputs[position])

    def text(self, position: int) -> str:
        given = self.statement.inputs[position]
        assert isinstance(given, Text)
        return given.value

    def amount(self, position: int) -> C:
        return self.render.amount(self.statement.inputs[position])

    def width(self, position: int) -> int:
        return width_of(self.statement.inputs[position].type)

    def words(self, position: int) -> tuple[C, ...]:
        values = flattened(self.statement.inputs[position])
        return tuple(low_limb(self.render(v)) if width_of(v.type) > WORD else self.render(v) for v in values)

    def stored(self, position: int, place: C) -> Statement:
        return stored(place, 0, self.statement.inputs[position].type, self.input(position))

    def padded(self, position: int, buffer: C) -> tuple[Body, int]:
        return pack_padded(self.render, buffer, flattened(self.statement.inputs[position]))

    def packed_words(self, position: int, buffer: C) -> tuple[Body, int]:
        return pack_words(self.render, buffer, flattened(self.statement.inputs[position]), 0)

    # --- entries -----------------------------------------------------------------------------------------------------

    def add_entry(self, action: int, data: int, profile: int) -> Body:
        name, added = self.text(action), Name("added")
        values = flattened(self.statement.inputs[data])
        member = Member(added, self.tables.member(self.table, name))
        filled = [
            Assign(Member(member, view.member), self.render(value))
            for view, value in zip(self.tables.parameters(self.table, name), values, strict=True)
        ]
        head = Member(added, "head")
        number = Assign(Member(head, "action"), Name(self.tables.constant(self.table, name)))
        ref = self.tables.ref(self.table)  # what its parameters do not set is as in the default entry
        declare = Declare(ref.entry_type, added.name, Name(f"{ref.name}_default"))
        done = call("macs_learn", "worker", self._table, MISSED, address(head), self.amount(profile))
        return (Block((declare, number, *filled, *self.assign_effect(done)), cite=self.cite),)

    def restart_timer(self, profile: C | None) -> Body:
        index = self.externs.hit_index(self.externs.program.table[self.table])
        if profile is None:
            return (Do(call("macs_restart_timer", "worker", self._table, index), self.cite),)
        return (Do(call("macs_set_expire_time", "worker", self._table, index, profile), self.cite),)

    @property
    def _table(self) -> C:
        """The table whose action runs."""
        return address(Index(Name("tables"), Name(f"TABLE_{self.tables.ref(self.table).name}")))

    # --- outputs -----------------------------------------------------------------------------------------------------

    @property
    def _output_type(self) -> Type:
        place = self.statement.outputs[0]
        if isinstance(place, FieldRef):
            owner = self.render.storage.access(place.header).owner
            return self.externs.program.header_type_of[owner].field(place.field).type
        return self.externs.program.variable[place.name].type

    @property
    def output_width(self) -> int:
        return width_of(self._output_type)

    def number(self, value: C) -> C:
        if self.output_width > WORD:
            return call(f"macs_w{limbs(self.output_width)}_of", value)
        return self.trimmed(value)

    def trimmed(self, value: C) -> C:
        return trimmed(value, self.output_width)

    def assign_output(self, value: C) -> Body:
        return self.assign(self.statement.outputs[0], value)

    def assign_effect(self, value: C) -> Body:
        place = self.statement.outputs[0]
        if isinstance(place, FieldRef) and isinstance(place.header, ElementRef):  # written only where it is in range
            result = Name("result")
            made = Declare(c_type(self._output_type), "result", value, constant=True)
            return (Block((made, *self.assign_output(result)), cite=self.cite),)
        first, *more = self.assign_output(value)
        return (replace(first, cite=self.cite), *more) if isinstance(first, Assign) else (first, *more)

    def assigns_itself(self, position: int) -> bool:
        given = self.statement.inputs[position]
        return isinstance(given, Read) and given.place == self.statement.outputs[0]

    # --- statements --------------------------------------------------------------------------------------------------

    def do(self, function: str, *arguments: C | str | int) -> Body:
        return (Do(call(function, *arguments), self.cite),)

    def count(self, index: C, length: C) -> Body:
        return (self.externs.count(self.instance, index, length, self.cite),)

    def hash(self, algorithm: int, values: int, payload: tuple[C, C] | None = None, before: C | None = None) -> Body:
        name = self.statement.inputs[algorithm]
        assert isinstance(name, Text)
        return self._hash(name.value, values, payload, before)

    def custom_crc(self, values: int, payload: tuple[C, C] | None = None) -> Body:
        width = self.externs.program.extern[self.instance].attribute("width")
        return self._hash(f"crc{width}_as_set", values, payload, self.state)

    def _hash(self, algorithm: str, values: int, payload: tuple[C, C] | None, before: C | None) -> Body:
        items = flattened(self.statement.inputs[values])
        made, result = self.externs.hash(self.render, algorithm, items, payload or NO_PAYLOAD, before)
        width = self.output_width
        value = cast(f"uint{natural(width)}_t", result) if width == WORD else self.number(result)
        return (Block((*made, *self.assign_output(value)), cite=self.cite),)
