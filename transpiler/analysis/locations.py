"""Locations: the units of storage that statements read and write.

A location is a scalar variable, a field of a header instance, or a header instance's validity. A stack element with a
run-time index stands for that location of every element.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from transpiler.hlir.expressions import (
    ElementRef,
    Expression,
    FieldRef,
    HeaderPlace,
    HeaderRef,
    IsValid,
    Place,
    Read,
    VariableRef,
)
from transpiler.hlir.program import Action, Program, Table, TableKey
from transpiler.hlir.statements import (
    ApplyTable,
    Assign,
    Body,
    CallExtern,
    CopyHeader,
    Emit,
    Extract,
    Lookahead,
    SetValid,
    Statement,
)
from transpiler.hlir.traverse import expressions, walk, walk_expression

VALIDITY = "$valid"


class Location(NamedTuple):
    """`field` is "" for a variable, VALIDITY for a header's validity, else the name of a header's field."""

    owner: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class Access:
    """What a statement reads and writes by itself. `killed` are the writes that surely happen, to the whole location."""

    reads: frozenset[Location]
    writes: frozenset[Location]
    killed: frozenset[Location]


def location_of(place: Place) -> Location | None:
    """The one location of a place, None where an index decides at run time."""
    match place:
        case VariableRef(name=name):
            return Location(name)
        case FieldRef(header=HeaderRef(name=name), field=field):
            return Location(name, field)
    return None


class Locator:
    """Maps places and statements of one program to locations."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._found: dict[int, tuple[Statement, Access]] = {}  # by the statement's identity, which it keeps alive

    def headers(self, place: HeaderPlace) -> tuple[str, ...]:
        """The header instances that a place may mean."""
        match place:
            case HeaderRef(name=name):
                return (name,)
            case ElementRef(stack=name):
                stack = self.program.stack[name]
                return tuple(stack.element(i) for i in range(stack.size))

    def place(self, place: Place) -> frozenset[Location]:
        """The locations that a place may mean: one unless a stack index is known only at run time."""
        match place:
            case VariableRef(name=name):
                return frozenset({Location(name)})
            case FieldRef(header=header, field=field):
                return frozenset(Location(name, field) for name in self.headers(header))

    def validity(self, place: HeaderPlace) -> frozenset[Location]:
        return frozenset(Location(name, VALIDITY) for name in self.headers(place))

    def whole(self, place: HeaderPlace) -> frozenset[Location]:
        """Validity and every field."""
        fields = [f.name for name in self.headers(place) for f in self.program.header_type_of[name].fields]
        names = self.headers(place)
        return self.validity(place) | {Location(name, field) for name in names for field in fields}

    def read_by(self, expression: Expression) -> frozenset[Location]:
        """Everything that an expression reads."""
        found: set[Location] = set()
        for part in walk_expression(expression):
            match part:
                case Read(place=place):
                    found |= self.place(place)
                case IsValid(header=header):
                    found |= self.validity(header)
        return frozenset(found)

    def read_by_keys(self, keys: tuple[TableKey, ...]) -> frozenset[Location]:
        return frozenset().union(*(self.read_by(key.expression) for key in keys))

    def access(self, statement: Statement) -> Access:
        """What a statement itself does, without nested bodies and without the actions of an applied table."""
        found = self._found.get(id(statement))
        if found is None:
            found = self._found[id(statement)] = statement, self._access(statement)
        return found[1]

    def _access(self, statement: Statement) -> Access:
        reads: set[Location] = set().union(*(self.read_by(e) for e in expressions(statement)))
        writes: frozenset[Location] = frozenset()
        match statement:
            case Assign(target=target):
                writes = self.place(target)
            case SetValid(header=header):
                writes = self.validity(header)
            case CopyHeader(target=header, source=source):
                reads |= self.whole(source)
                writes = self.whole(header)
            case Extract(header=header):
                writes = self.whole(header)
            case Emit(header=header):
                reads |= self.whole(header)
            case Lookahead(target=variable):
                writes = self.place(variable)
            case ApplyTable(table=table, hit=hit, action=action):
                reads |= self.read_by_keys(self.program.table[table].keys)
                writes = frozenset(Location(v.name) for v in (hit, action) if v is not None)
            case CallExtern(outputs=outputs, fields=fields):
                writes = frozenset().union(*(self.place(p) for p in outputs))
                reads = reads.union(*(self.place(p) for p in fields))
        return Access(frozenset(reads), writes, writes if self._certain(statement) else frozenset())

    @staticmethod
    def _certain(statement: Statement) -> bool:
        match statement:
            case Assign(target=FieldRef(header=ElementRef())):
                return False
            case SetValid(header=ElementRef()) | CopyHeader(target=ElementRef()) | Extract():
                return False  # an extract that fails writes nothing
            case CallExtern(outputs=outputs):
                return not any(isinstance(p, FieldRef) and isinstance(p.header, ElementRef) for p in outputs)
        return True

    def written_in(self, body: Body) -> frozenset[Location]:
        """Everything that a body may write, the actions of its tables included."""
        found: set[Location] = set()
        for statement in walk(body):
            found |= self.access(statement).writes
            if isinstance(statement, ApplyTable):
                found |= self.written_by_actions(statement.table)
        return frozenset(found)

    def written_by_actions(self, table: str) -> frozenset[Location]:
        return frozenset().union(*(self.written_in(action.body) for action in actions_of(self.program, table)))


def sharing_tables(program: Program, table: Table) -> tuple[Table, ...]:
    """The tables with the action profile of this one, in the program's order; without a profile it alone."""
    profile = table.implementation
    return (table,) if profile is None else tuple(t for t in program.tables if t.implementation == profile)


def actions_of(program: Program, table: str) -> tuple[Action, ...]:
    """The actions that a table may run, in the order of its action list, then the default action where it is not there.

    Tables that share an action profile may run each other's, as the profile's members are of all of them.
    """
    tables = sharing_tables(program, program.table[table])
    listed = [use.action for t in tables for use in t.actions]
    names = dict.fromkeys([*listed, *(t.default_action.action for t in tables)])
    return tuple(program.action[name] for name in names)
