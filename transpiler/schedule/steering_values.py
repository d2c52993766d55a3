"""Follows a packet through statements with what is known of values as parities of its frame, and notes the indexes of registers
that it accesses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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

# What is known of a packet. None: nothing is known; what is not there is as it began.
Held = Mapping[Location, Value | None]
Changes = dict[Location, Value | None]
Accesses = Mapping[str, tuple[Value, ...]]  # of a register, the indexes

_FOUND_BY_THE_RUNTIME = (Storage.INTRINSIC, Storage.ACTION_DATA)


class _Way:
    """What is known on one of the ways that begin where `base` is: the changes since. A program has thousands of locations, and
    an arm of an if changes few of them."""

    __slots__ = ("base", "changes")

    def __init__(self, base: _Way | None = None, changes: Held | None = None) -> None:
        self.base = base
        self.changes: Changes = dict(changes or {})

    def since(self, base: _Way) -> Changes:
        """All changes behind `base`, where the way began some ways ago."""
        if self is base:
            return {}
        assert self.base is not None
        return {**self.base.since(base), **self.changes}


class Following:
    """Of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.locator = Locator(program)
        self.noted: dict[str, list[Value]] = {}
        self.left: dict[str, tuple[_Way, list[Changes]]] = {}  # of a block, by its label: its begin, where it is left

    # --- what is known -------------------------------------------------------------------------------------------------

    def at_begin(self) -> Held:
        """Of a packet that was received: zeros, but for what the architecture and tables fill in."""
        return {Location(v.name): None for v in self.program.variables if v.storage in _FOUND_BY_THE_RUNTIME}

    def known(self, held: Held | _Way) -> Known:
        if isinstance(held, _Way):
            return lambda location: self._found(held, location)
        return lambda location: held[location] if location in held else self._zero(location)

    def _found(self, way: _Way, location: Location) -> Value | None:
        at: _Way | None = way
        while at is not None:
            if location in at.changes:
                return at.changes[location]
            at = at.base
        return self._zero(location)

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
        made: Changes = {**held, Location(name, VALIDITY): (1,)}
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
            way = _Way(None, {**held, **intrinsic})
            held = way.changes if self.after(pipe.body, way) else held
        return {name: tuple(dict.fromkeys(indexes)) for name, indexes in self.noted.items()}

    def _nothing(self) -> Changes:
        headers = (self.locator.whole(HeaderRef(name, self.program.span)) for name in self.program.header)
        variables = (Location(variable.name) for variable in self.program.variables)
        return dict.fromkeys((*variables, *frozenset().union(*headers)))

    def after(self, body: Body, way: _Way) -> bool:
        """Go on along a body; whether its end is reached."""
        return all(self._after(statement, way) for statement in body)

    def behind(self, statement: Statement, held: Held) -> Held:
        """What is held behind a statement of a parser."""
        way = _Way(None, held)
        return way.changes if self._after(statement, way) else held

    def _after(self, s: Statement, way: _Way) -> bool:
        match s:
            case If(condition=condition, then=then, otherwise=otherwise):
                decided = number_of(value_of(condition, self.known(way)))
                if decided is not None:
                    return self.after(then if decided else otherwise, way)
                return self._arms(way, (then, otherwise))
            case Switch(subject=subject, cases=cases, default=default):
                number = number_of(value_of(subject, self.known(way)))
                arms = [case.body for case in cases if number is None or number in case.values]
                return self._arms(way, (*arms, default) if number is None or not arms else arms)
            case Block(label=label, body=body):
                outer = self.left.get(label)
                left: list[Changes] = []
                self.left[label] = way, left
                inner = _Way(way)
                if self.after(body, inner):
                    left.append(inner.changes)
                if outer is None:
                    del self.left[label]
                else:
                    self.left[label] = outer
                return self._meet(way, left)
            case Leave(label=label):
                begin, left = self.left[label]
                left.append(way.since(begin))
                return False
            case While(body=body):
                way.changes.update(dict.fromkeys(self.locator.written_in(body)))
                self.after(body, _Way(way))
            case ApplyTable():
                bodies = (action.body for action in actions_of(self.program, s.table))
                self._arms(way, ((), *bodies))  # any action may be run, with any data, or none
                way.changes.update({Location(one.name): None for one in (s.hit, s.action) if one is not None})
            case _:
                self._alone(s, way)
        return True

    def _arms(self, way: _Way, bodies: Iterable[Body]) -> bool:
        """One of these is run."""
        arms = [(_Way(way), body) for body in bodies]
        return self._meet(way, [arm.changes for arm, body in arms if self.after(body, arm)])

    def _meet(self, way: _Way, arms: Sequence[Changes]) -> bool:
        """Ways that began here meet again; whether there are any."""
        before, merged = self.known(way), {}
        for location in dict.fromkeys(location for arm in arms for location in arm):
            values = [arm[location] if location in arm else before(location) for arm in arms]
            first = values[0]
            for other in values[1:]:
                if first != other:
                    first = None if first is None or other is None else either(first, other)
            merged[location] = first
        way.changes.update(merged)
        return bool(arms)

    def _alone(self, s: Statement, way: _Way) -> None:
        known, held = self.known(way), way.changes
        match s:
            case Assign(target=target, value=value) if (location := location_of(target)) is not None:
                held[location] = None if isinstance(value.type, Varbit) else value_of(value, known)
            case SetValid(header=HeaderRef(name=name), valid=valid):
                held[Location(name, VALIDITY)] = (int(valid),)
            case CopyHeader(target=HeaderRef(name=target), source=HeaderRef(name=source)):
                fields = (VALIDITY, *(f.name for f in self.program.header_type_of[target].fields))
                held.update({Location(target, f): known(Location(source, f)) for f in fields})
            case CallExtern():
                self._called(s, way)
            case _:
                held.update(dict.fromkeys(self.locator.written_in((s,))))

    def _called(self, s: CallExtern, way: _Way) -> None:
        known = self.known(way)
        if s.method.startswith("register.") and s.instance is not None:
            self.noted.setdefault(s.instance, []).append(value_of(s.inputs[0], known))
        found: Changes = dict.fromkeys(self.locator.written_in((s,)))
        location = location_of(s.outputs[0]) if s.outputs else None
        if s.method == "hash.compute" and location is not None and isinstance(s.inputs[1], ListExpression):
            assert isinstance(s.inputs[0], Text)
            width = width_of(self._type(location) or s.inputs[0].type)
            found[location] = hash_of(s.inputs[0].value, s.inputs[1].items, width, known)
        way.changes.update(found)
