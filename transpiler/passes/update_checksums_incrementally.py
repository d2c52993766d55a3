"""Update an Internet checksum from what it was verified with: only the fields that the program may have changed are added.

Before: verify { if (c) { x = sum({a, b, ttl}); } }          compute { if (c) { y = sum({a, b, ttl}); } }
After:  verify { if (c) { s = sum({a, b}); x = extend(s, {ttl}); } }    compute { if (c) { y = extend(s, {ttl}); } }

Sound, whatever checksum the packet came with: `s` is reckoned from its fields, not from its checksum, and
- `a` and `b` are written by no control and no action, so they have the same values in both places (a parser runs before);
- `c` reads only what none of these writes either: where the update runs, the verification has run in the same pass of the
  packet. A clone of a packet begins a pass without verification; programs that clone are left as they are;
- the sum is the same, bit by bit: addition modulo 65535 knows no order, and the folded sum is zero only if all words are
  (RFC 1071), with `s` or without. RFC 1624's doubt about 0xffff does not arise, since nothing is subtracted.
A checksum over the payload, too, has it in `s`: no payload changes between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from transpiler.analysis.locations import Location, Locator
from transpiler.architectures.facts import facts
from transpiler.hlir.expressions import Const, Expression, ListExpression, Read, Text, VariableRef
from transpiler.hlir.printer import expression as text_of
from transpiler.hlir.program import Control, Program, Role, Storage, Variable
from transpiler.hlir.statements import Body, CallExtern, If, Statement
from transpiler.hlir.traverse import bodies, program_statements, rebuild, walk
from transpiler.hlir.types import Bits, Bool, width_of

COMPUTE = ("hash.compute", "hash.compute_with_payload")
WORD_BITS = 16
WORTH_BITS = 48  # of the fields that do not change, at least

# Conditions that are true where a statement stands, as text; None where it is not certain that these lead there.
Conditions: TypeAlias = frozenset[str] | None
Change = Callable[[CallExtern, Conditions], Body]


def run(program: Program) -> Program:
    """The program with its checksum updates as short as they can be."""
    verify, compute = program.pipe(Role.VERIFY_CHECKSUM), program.pipe(Role.COMPUTE_CHECKSUM)
    if not facts(program).one_storage:
        return program
    if not isinstance(verify, Control) or not isinstance(compute, Control):
        return program
    if any(isinstance(s, CallExtern) and s.method.startswith("clone.") for s in program_statements(program)):
        return program
    return _Rewriting(program).program(verify, compute)


class _Rewriting:
    def __init__(self, program: Program) -> None:
        self.source = program
        self.locator = Locator(program)
        written = [s for pipe in program.pipes if isinstance(pipe, Control) for s in walk(pipe.body)]
        written += [s for action in program.actions for s in walk(action.body)]
        self.written = frozenset().union(*(self.locator.access(statement).writes for statement in written))
        self.verified: dict[str, Conditions] = {}  # by what a checksum covers: where it is verified first
        self.sums: dict[str, Variable] = {}  # likewise: what it has of fields that do not change
        self.made: set[str] = set()

    def program(self, verify: Control, compute: Control) -> Program:
        self._body(verify.body, frozenset(), self._note_verification, certain=True)
        self._body(compute.body, frozenset(), self._note_update)
        if not self.sums:
            return self.source
        verify = replace(verify, body=self._body(verify.body, frozenset(), self._verify, certain=True))
        compute = replace(compute, body=self._body(compute.body, frozenset(), self._update))
        new = {pipe.role: pipe for pipe in (verify, compute)}
        pipes = tuple(new.get(pipe.role, pipe) for pipe in self.source.pipes)
        return replace(self.source, pipes=pipes, variables=(*self.source.variables, *self.sums.values()))

    def _body(self, body: Body, known: Conditions, change: Change, certain: bool = False) -> Body:
        """The body with its checksums changed. `certain`: conditions are only told where nothing else decides."""
        made: list[Statement] = []
        for statement in body:
            elsewhere = None if certain else known
            match statement:
                case CallExtern(method=method, inputs=(Text(value="csum16"), _)) if method in COMPUTE:
                    made += change(statement, known)
                case If(condition=condition, then=then, otherwise=otherwise):
                    inner = elsewhere
                    if known is not None and self._is_stable(condition):
                        inner = known | {text_of(condition)}
                    then = self._body(then, inner, change, certain)
                    made.append(
                        replace(statement, then=then, otherwise=self._body(otherwise, elsewhere, change, certain))
                    )
                case _ if bodies(statement):
                    made.append(
                        rebuild(statement, partial(self._body, known=elsewhere, change=change, certain=certain))
                    )
                case _:
                    made.append(statement)
        return tuple(made)

    # --- which checksums ---------------------------------------------------------------------------------------------

    def _note_verification(self, call: CallExtern, known: Conditions) -> Body:
        if known is not None and self._can_be_split(call):
            self.verified.setdefault(_covered(call), known)
        return (call,)

    def _note_update(self, call: CallExtern, known: Conditions) -> Body:
        if self._is_after_verification(call, known) and _covered(call) not in self.sums:
            taken = {*self.source.variable, *(variable.name for variable in self.sums.values())}
            name = next(n for i in range(len(taken) + 1) if (n := f"checksum.sum_{i}") not in taken)
            self.sums[_covered(call)] = Variable(name, Bits(WORD_BITS), Storage.METADATA, call.span)
        return (call,)

    def _is_after_verification(self, call: CallExtern, known: Conditions) -> bool:
        needed = self.verified.get(_covered(call))
        return needed is not None and known is not None and needed <= known

    def _can_be_split(self, call: CallExtern) -> bool:
        values = _values(call)
        if not all(isinstance(value.type, Bits | Bool) for value in values):
            return False
        payload = call.method != "hash.compute"
        whole = sum(width_of(value.type) for value in values) % WORD_BITS == 0
        kept = sum(width_of(v.type) for v in values if not isinstance(v, Const) and self._is_stable(v))
        return whole if payload else kept >= WORTH_BITS

    def _is_stable(self, expression: Expression) -> bool:
        """Whether it has one value from the parser's end to that of the packet's life."""
        return all(map(self._keeps, self.locator.read_by(expression)))

    def _keeps(self, location: Location) -> bool:
        if location.field:
            lives = not self.source.header[location.owner].local
        else:
            lives = self.source.variable[location.owner].storage is Storage.METADATA
        return lives and location not in self.written

    # --- what becomes of them ----------------------------------------------------------------------------------------

    def _verify(self, call: CallExtern, known: Conditions) -> Body:
        covered = _covered(call)
        if known is None or covered not in self.sums or covered in self.made:
            return (call,)
        self.made.add(covered)
        values = tuple(map(self._is_stable, _values(call)))
        begun = replace(call, inputs=(call.inputs[0], part(call, values)), outputs=(self._sum(call),))
        return (begun, self._extended(call))

    def _update(self, call: CallExtern, known: Conditions) -> Body:
        return (self._extended(call),) if self._is_after_verification(call, known) else (call,)

    def _extended(self, call: CallExtern) -> CallExtern:
        rest = tuple(not self._is_stable(value) for value in _values(call))
        before = Read(self._sum(call), Bits(WORD_BITS), call.span)
        return replace(call, method="hash.extend", inputs=(call.inputs[0], before, part(call, rest)))

    def _sum(self, call: CallExtern) -> VariableRef:
        return VariableRef(self.sums[_covered(call)].name, call.span)


def _covered(call: CallExtern) -> str:
    """What it is the checksum of; the same text for the same values, wherever they stand."""
    return f"{call.method} {text_of(call.inputs[1])}"


def _values(call: CallExtern) -> tuple[Expression, ...]:
    def flat(expression: Expression) -> tuple[Expression, ...]:
        if isinstance(expression, ListExpression):
            return tuple(value for item in expression.items for value in flat(item))
        return (expression,)

    return flat(call.inputs[1])


def part(call: CallExtern, wanted: tuple[bool, ...]) -> ListExpression:
    """The wanted values, each where it lies in its 16-bit word; zeros in place of the others, but for whole words of them."""
    items: list[Expression] = []
    zeros = 0

    def fill() -> None:
        if zeros % WORD_BITS:
            items.append(Const(0, Bits(zeros % WORD_BITS), call.span))

    for value, is_wanted in zip(_values(call), wanted, strict=True):
        if is_wanted:
            fill()
            items.append(value)
        zeros = 0 if is_wanted else zeros + width_of(value.type)
    fill()
    return ListExpression(tuple(items) or (Const(0, Bits(WORD_BITS), call.span),), call.span)
