"""Follows a packet through statements with what is known of values as parities of its frame, and notes the indexes of registers
that it accesses."""

from __future__ import annotations

from collections.abc import Mapping

from transpiler.analysis.locations import VALIDITY, Location, Locator, actions_of, location_of
from transpiler.analysis.parities import Known, Value, constant, either, frame_bits, hash_of, number_of, value_of
from transpiler.hlir.expressions import HeaderPlace, HeaderRef, ListExpression, Text
from transpiler.hlir.program import Parser, Pipe, Program, Storage
from transpiler.hlir.statements import (
    ApplyTable,
    Assign,
    Block,
    Body,
    CallExtern,
    CopyHeader,
    If,
    Leave,
    SetValid,
    Statement,
    Switch,
    While,
)
from transpiler.hlir.types import Type, Varbit, width_of

Held = Mapping[Location, Value | None]  # None: nothing is known; what is not there is as it began
Accesses = Mapping[str, tuple[Value, ...]]  # of a register, the indexes

_FOUND_BY_THE_RUNTIME = (Storage.INTRINSIC, Storage.ACTION_DATA)


class Following:
    """Of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.locator = Locator(program)
        self.noted: dict[str, list[Value]] = {}
        self.left: dict[str, list[Held]] = {}  # what is held where a block is left, by its label

    # --- what is known -------------------------------------------------------------------------------------------------

    def at_begin(self) -> Held:
        """Of a packet that was received: zeros, but for what the architecture and tables fill in."""
        return {Location(v.name): None for v in self.program.variables if v.storage in _FOUND_BY_THE_RUNTIME}

    def known(self, held: Held) -> Known:
        return lambda location: held[location] if location in held else self._zero(location)

    def _zero(self, location: Location) -> Value | None:
        type_ = self._type(location)
        return None if isinstance(type_, Varbit) else constant(0, 1 if type_ is None else width_of(type_))

    def _type(self, location: Location) -> Type | None:
        """None: a header's validity."""
        if location.field == VALIDITY:
            return None
        if location.field:
            return self.program.header_type_of[location.owner].field(location.field).type
        return self.program.variable[location.owner].type

    def header(self, place: HeaderPlace, held: Held) -> str | None:
        """The header that a place is; None where that is not known or there is none."""
        if isinstance(place, HeaderRef):
            return place.name
        index = number_of(value_of(place.index, self.known(held)))
        stack = self.program.stack[place.stack]
        return stack.element(index) if index is not None and index < stack.size else None

    def extracted(self, name: str, first: int, held: Held) -> Held:
        """A header is read from there on, in bits of the frame."""
        made: dict[Location, Value | None] = {**held, Location(name, VALIDITY): (1,)}
        for field in self.program.header_type_of[name].fields:
            width = width_of(field.type)
            made[Location(name, field.name)] = frame_bits(first, width)
            first += width
        return made

    def looked_ahead(self, target: Location, first: int, width: int, held: Held) -> Held:
        return {**held, target: frame_bits(first, width)}

    # --- controls ------------------------------------------------------------------------------------------------------

    def accesses_of(self, pipes: tuple[Pipe, ...], held: Held) -> Accesses:
        """What packets access in these pipes, which begin with that."""
        self.noted = {}
        intrinsic = {Location(v.name): None for v in self.program.variables if v.storage in _FOUND_BY_THE_RUNTIME}
        held = {**held, **intrinsic}
        for pipe in pipes:
            if isinstance(pipe, Parser):  # what it finds was made by a deparser
                held = self._nothing()
                continue
            found = self.after(pipe.body, {**held, **intrinsic})
            held = held if found is None else found
        return {name: tuple(dict.fromkeys(indexes)) for name, indexes in self.noted.items()}

    def _nothing(self) -> Held:
        headers = (self.locator.whole(HeaderRef(name, self.program.span)) for name in self.program.header)
        variables = (Location(variable.name) for variable in self.program.variables)
        return dict.fromkeys((*variables, *frozenset().union(*headers)))

    def after(self, body: Body, held: Held | None) -> Held | None:
        """What is held behind a body; None where nobody comes there."""
        for statement in body:
            if held is None:
                return None
            held = self._after(statement, held)
        return held

    def behind(self, statement: Statement, held: Held) -> Held:
        """The same of a parser's statement."""
        found = self._after(statement, held)
        return held if found is None else found

    def _after(self, s: Statement, held: Held) -> Held | None:
        match s:
            case If(condition=condition, then=then, otherwise=otherwise):
                decided = number_of(value_of(condition, self.known(held)))
                if decided is not None:
                    return self.after(then if decided else otherwise, held)
                return self._one_of(self.after(then, held), self.after(otherwise, held))
            case Switch(subject=subject, cases=cases, default=default):
                number = number_of(value_of(subject, self.known(held)))
                arms = [case.body for case in cases if number is None or number in case.values]
                arms += [default] if number is None or not arms else []
                return self._one_of(*(self.after(arm, held) for arm in arms))
            case Block(label=label, body=body):
                outer = self.left.pop(label, [])
                end = self._one_of(self.after(body, held), *self.left.pop(label, []))
                self.left[label] = outer
                return end
            case Leave(label=label):
                self.left.setdefault(label, []).append(held)
                return None
            case While(body=body):
                anything = {**held, **dict.fromkeys(self.locator.written_in(body))}
                self.after(body, anything)
                return anything
            case ApplyTable():
                return self._applied(s, held)
        return self._alone(s, held)

    def _one_of(self, *arms: Held | None) -> Held | None:
        """What is known behind ways that meet."""
        reached = [arm for arm in arms if arm is not None]
        if len(reached) < 2:
            return reached[0] if reached else None
        first = reached[0]
        for other in reached[1:]:
            if other is first:
                continue
            merged: dict[Location, Value | None] = {}
            for location in first.keys() | other.keys():
                a, b = self.known(first)(location), self.known(other)(location)
                merged[location] = a if a == b else None if a is None or b is None else either(a, b)
            first = merged
        return first

    def _applied(self, s: ApplyTable, held: Held) -> Held | None:
        """Any action may be run, with any data, or none."""
        ends = [held, *(self.after(action.body, held) for action in actions_of(self.program, s.table))]
        made = self._one_of(*ends)
        assert made is not None
        outcome = (variable for variable in (s.hit, s.action) if variable is not None)
        return {**made, **{Location(variable.name): None for variable in outcome}}

    def _alone(self, s: Statement, held: Held) -> Held:
        known = self.known(held)
        match s:
            case Assign(target=target, value=value) if (location := location_of(target)) is not None:
                return {**held, location: None if isinstance(value.type, Varbit) else value_of(value, known)}
            case SetValid(header=HeaderRef(name=name), valid=valid):
                return {**held, Location(name, VALIDITY): (int(valid),)}
            case CopyHeader(target=HeaderRef(name=target), source=HeaderRef(name=source)):
                fields = (VALIDITY, *(f.name for f in self.program.header_type_of[target].fields))
                return {**held, **{Location(target, f): known(Location(source, f)) for f in fields}}
            case CallExtern():
                return self._called(s, held)
        return {**held, **dict.fromkeys(self.locator.written_in((s,)))}

    def _called(self, s: CallExtern, held: Held) -> Held:
        known = self.known(held)
        if s.method.startswith("register.") and s.instance is not None:
            self.noted.setdefault(s.instance, []).append(value_of(s.inputs[0], known))
        after = {**held, **dict.fromkeys(self.locator.written_in((s,)))}
        location = location_of(s.outputs[0]) if s.outputs else None
        if s.method == "hash.compute" and location is not None and isinstance(s.inputs[1], ListExpression):
            assert isinstance(s.inputs[0], Text)
            width = width_of(self._type(location) or s.inputs[0].type)
            after[location] = hash_of(s.inputs[0].value, s.inputs[1].items, width, known)
        return after
