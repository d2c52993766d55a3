"""Tallies: a worker adds up what its packets add to one cell of a register, and makes one addition of it.

(void)macs_register_add32(&registers[R], …, index, n);    →    macs_register_tally32(&tallies[0], &registers[R], …, index, n);

An addition at a cell that several workers update moves its cache line from core to core. Additions commute, so nobody sees
whether they were one, if no packet reads the register: a register has a tally where all its accesses are additions whose
results nobody uses. A tally is settled where it comes to another cell, and when its stage is done with its packets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from transpiler.codegen.c.build import address
from transpiler.codegen.c.function import Function
from transpiler.codegen.c.nodes import Body, Call, Cast, Do, Expression, Index, Literal, Name, Statement, Unary
from transpiler.codegen.c.walk import all_expressions, map_bodies, walk

TALLIES, NOTHING = Name("tallies"), Name("MACS_NO_TALLY")  # of a stage; what each begins with
ADD, TALLY, SETTLE, PREFETCH = (f"macs_register_{name}" for name in ("add", "tally", "settle", "prefetch"))


def tallied(functions: Iterable[Function]) -> frozenset[Expression]:
    """The C of the states of registers that have tallies."""
    accesses, additions = Counter[Expression](), Counter[Expression]()
    for function in functions:
        accesses.update(_accessed((*function.variables, *function.body)))
        additions.update(call.arguments[0] for call in _additions(function.body))
    return frozenset(register for register, number in additions.items() if number == accesses[register])


def with_tallies(function: Function, registers: frozenset[Expression]) -> Function:
    """The function with tallies in place of the additions to these registers."""
    found = (call.arguments[0] for call in _additions(function.body) if call.arguments[0] in registers)
    numbers = {register: number for number, register in enumerate(dict.fromkeys(found))}
    return replace(function, body=_with_tallies(function.body, numbers)) if numbers else function


def settlements(body: Body, tallies: Name, registers: Name) -> tuple[Call, ...]:
    """The calls that settle the tallies of a body, each once; `tallies`, `registers`: names of these where the calls stand."""
    made: dict[Call, None] = {}
    for e in all_expressions(body):
        match e:
            case Call(
                function=name,
                arguments=(Unary(operand=Index(at=at)), Unary(operand=Index(at=register)), shape, *_),
            ) if name.startswith(TALLY):
                arguments = (address(Index(tallies, at)), address(Index(registers, register)), shape)
                made[Call(f"{SETTLE}{name.removeprefix(TALLY)}", arguments)] = None
    return tuple(made)


def _with_tallies(body: Body, numbers: Mapping[Expression, int]) -> Body:
    return tuple(_with_tally(statement, numbers) for statement in body)


def _with_tally(s: Statement, numbers: Mapping[Expression, int]) -> Statement:
    call = _addition(s)
    if isinstance(s, Do) and call is not None and call.arguments[0] in numbers:
        tally = Index(TALLIES, Literal(str(numbers[call.arguments[0]])))
        function = f"{TALLY}{call.function.removeprefix(ADD)}"
        return replace(s, expression=Call(function, (address(tally), *call.arguments)))
    return map_bodies(s, lambda inner: _with_tallies(inner, numbers))


def _addition(s: Statement) -> Call | None:
    """The addition whose result a statement leaves unused."""
    match s:
        case Do(expression=Cast(type="void", operand=Call(function=name) as call)) if name.startswith(ADD):
            return call
    return None


def _additions(body: Body) -> Iterator[Call]:
    return (call for s in walk(body) if (call := _addition(s)) is not None)


def _accessed(body: Body) -> Iterator[Expression]:
    """The registers of all accesses of a body."""
    for e in all_expressions(body):
        if isinstance(e, Call) and e.function.startswith("macs_register_") and not e.function.startswith(PREFETCH):
            yield e.arguments[0]
