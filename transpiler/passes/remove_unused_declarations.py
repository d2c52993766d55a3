"""Remove declarations that nothing names any more: headers, stacks, header types, variables, externs, value sets.

Before: header t h; header t spare; bit<8> x; register r;  control: h.a = 1;      After: header t h;  control: h.a = 1;

Intrinsic metadata stay, the architecture uses them; so does the action data of an action that stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from transpiler.hlir.expressions import (
    ElementRef,
    FieldRef,
    HeaderPlace,
    HeaderRef,
    IsValid,
    Place,
    Read,
    ValueSetRef,
    VariableRef,
)
from transpiler.hlir.program import Parser, Program, Select
from transpiler.hlir.statements import (
    ApplyTable,
    Assign,
    CallExtern,
    CopyHeader,
    Emit,
    Extract,
    Lookahead,
    SetValid,
    Statement,
)
from transpiler.hlir.traverse import program_expressions, program_statements, walk_expression


def run(program: Program) -> Program:
    """The program with the declarations that it names, in their old order."""
    named = _named(program)
    headers = set(named.headers)
    stacks = tuple(
        s for s in program.stacks if s.name in headers or any(s.element(i) in headers for i in range(s.size))
    )
    headers |= {stack.element(i) for stack in stacks for i in range(stack.size)}
    kept = tuple(header for header in program.headers if header.name in headers)
    types = {header.type for header in kept} | {stack.type for stack in stacks}
    return replace(
        program,
        headers=kept,
        stacks=stacks,
        header_types=tuple(layout for layout in program.header_types if layout.name in types),
        variables=tuple(variable for variable in program.variables if variable.name in named.variables),
        externs=tuple(extern for extern in program.externs if extern.name in named.externs),
        value_sets=tuple(value_set for value_set in program.value_sets if value_set.name in named.value_sets),
    )


@dataclass
class _Names:
    headers: set[str] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    externs: set[str] = field(default_factory=set)
    value_sets: set[str] = field(default_factory=set)

    def place(self, place: Place) -> None:
        match place:
            case VariableRef(name=name):
                self.variables.add(name)
            case FieldRef(header=header):
                self.header(header)

    def header(self, header: HeaderPlace) -> None:
        match header:
            case HeaderRef(name=name) | ElementRef(stack=name):
                self.headers.add(name)


def _named(program: Program) -> _Names:
    named = _Names()
    named.variables |= {variable for _, variable in program.intrinsics}
    named.variables |= {variable for bridge in program.bridges for variable in bridge.variables}
    named.headers |= {header for bridge in program.bridges for header in bridge.headers}
    named.variables |= {parameter for action in program.actions for parameter in action.parameters}
    named.externs |= {name for table in program.tables for name in (*table.direct, table.implementation) if name}
    named.value_sets |= set(_value_sets(program))
    for statement in program_statements(program):
        _statement(named, statement)
    for root in program_expressions(program):
        for expression in walk_expression(root):
            match expression:
                case Read(place=place):
                    named.place(place)
                case IsValid(header=header):
                    named.header(header)
    return named


def _statement(named: _Names, statement: Statement) -> None:
    """The places that a statement itself names; its expressions come on their own."""
    match statement:
        case Assign(target=target):
            named.place(target)
        case Lookahead(target=variable):
            named.place(variable)
        case SetValid(header=header) | Emit(header=header) | Extract(header=header):
            named.header(header)
        case CopyHeader(target=to, source=source):
            named.header(to)
            named.header(source)
        case ApplyTable(hit=hit, action=action):
            named.variables |= {result.name for result in (hit, action) if result is not None}
        case CallExtern(instance=instance, outputs=outputs, fields=fields):
            named.externs |= {instance} if instance else set()
            for place in (*outputs, *fields):
                named.place(place)


def _value_sets(program: Program) -> Iterator[str]:
    for pipe in program.pipes:
        for state in pipe.states if isinstance(pipe, Parser) else ():
            if isinstance(state.transition, Select):
                keys = (key for case in state.transition.cases for key in case.keys)
                yield from (key.name for key in keys if isinstance(key, ValueSetRef))
