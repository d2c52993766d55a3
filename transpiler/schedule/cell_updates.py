"""Regions that are one update of one cell: what the cell is to hold is computed of what it holds, and nothing else is touched.

r.read(v, i);  v = v + n;  r.write(i, v);           →      v = r.update(i, n, add);  v = v + n;
r.read(v, i);  if (v < n) { r.write(i, n); }        →      v = r.replace(i, v < n ? n : v);

An update of several workers at once is one atomic instruction, or a compare and swap. The statements of the region stay where
they are, behind it: they compute the same of the same value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from transpiler.analysis.locations import Location, Locator, location_of
from transpiler.analysis.values import same
from transpiler.hlir.expressions import (
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expression,
    FieldRef,
    HeaderRef,
    Place,
    Read,
    Text,
    Unary,
    UnaryOp,
    VariableRef,
)
from transpiler.hlir.program import Program
from transpiler.hlir.statements import ApplyTable, Assign, Body, CallExtern, If, Leave, Statement
from transpiler.hlir.traverse import rewrite_expression, walk, walk_expression
from transpiler.hlir.types import Bits

UPDATE, REPLACE = "register.update", "register.replace"
MOST_BITS = 64
INSTRUCTION_BITS = (8, 16, 32, 64)  # of cells whose sums wrap as the processor's
LARGEST = 64  # parts of the expression for what a cell is to hold

HELD = "held by the cell"  # in place of a variable's name: what the cell held, within what is computed of it
_WORDS = {BinaryOp.AND: "and", BinaryOp.OR: "or", BinaryOp.XOR: "xor"}
_NEUTRAL = {"add": 0, "or": 0, "xor": 0, "and": -1}

# what places hold by now, of what they held before; None: it is not known
Values = Mapping[Location, Expression | None]


def as_update(program: Program, region: Body) -> Body | None:
    """The region as an update and what follows it; None where it is not one update of one cell."""
    match region:
        case (CallExtern(method="register.read", outputs=(place,), inputs=(index,)) as read, *rest) if rest:
            maker = _Maker(program, Locator(program), read, index, place)
            return maker.update(tuple(rest))
    return None


@dataclass(frozen=True, slots=True)
class _Maker:
    program: Program
    locator: Locator
    read: CallExtern
    index: Expression
    place: Place

    def update(self, rest: Body) -> Body | None:
        *between, last = rest
        width = int(self.program.extern[str(self.read.instance)].attribute("width"))
        into = location_of(self.place)
        if width > MOST_BITS or into is None or into in self.locator.read_by(self.index) or _may_go_elsewhere(rest):
            return None
        if any(map(_accesses, between)):
            return None
        held = Read(VariableRef(HELD, self.read.span), Bits(width), self.read.span)
        values: dict[Location, Expression | None] = {into: held}
        for statement in between:
            values = self._behind(statement, values)
        value, left = self._written(last, values, held)
        if value is None or sum(1 for _ in walk_expression(value)) > LARGEST:
            return None
        return (self._call(value, width), *between, *left)

    def _written(
        self, last: Statement, values: dict[Location, Expression | None], held: Read
    ) -> tuple[Expression | None, Body]:
        """What the last statement leaves in the cell, and what is left of the statement."""
        match last:
            case CallExtern(method="register.write", inputs=(index, value)):
                return (self._in_terms(value, values) if self._is_here(index, values) else None), ()
            case If(condition=condition, then=then, otherwise=otherwise):
                decided = self._in_terms(condition, values)
                (a, then_left), (b, otherwise_left) = (self._arm(arm, values, held) for arm in (then, otherwise))
                if decided is None or a is None or b is None:
                    return None, ()
                left = (replace(last, then=then_left, otherwise=otherwise_left),) if then_left or otherwise_left else ()
                return Conditional(decided, a, b, held.type, last.span), left
        return None, ()

    def _arm(self, arm: Body, values: dict[Location, Expression | None], held: Read) -> tuple[Expression | None, Body]:
        """Likewise of an arm, which may leave the cell as it is."""
        at = next((n for n, s in enumerate(arm) if _accesses(s)), None)
        if at is None:
            return held, arm
        for statement in arm[:at]:
            values = self._behind(statement, values)
        value, left = self._written(arm[at], values, held)
        if any(map(_accesses, arm[at + 1 :])):
            return None, ()
        return value, (*arm[:at], *left, *arm[at + 1 :])

    def _call(self, value: Expression, width: int) -> CallExtern:
        """The update that leaves this value."""
        found = _operation(value)
        if found is not None and (found[0] != "add" or width in INSTRUCTION_BITS):
            name, operand = found
            inputs = (self.index, operand or Const(_NEUTRAL[name] % (1 << width), value.type, value.span))
            return replace(self.read, method=UPDATE, inputs=(*inputs, Text(name, self.read.span)))
        own = Read(self.place, value.type, self.read.span)
        named = rewrite_expression(value, lambda e: own if _is_held(e) else e)
        return replace(self.read, method=REPLACE, inputs=(self.index, named))

    def _is_here(self, index: Expression, values: Values) -> bool:
        """Whether an index is that of the cell that was read."""
        own = self._in_terms(index, values)
        return own is not None and same(own, self.index)

    def _in_terms(self, expression: Expression, values: Values) -> Expression | None:
        """An expression of what places held before; None where that is not known."""
        if any(location in values and values[location] is None for location in self.locator.read_by(expression)):
            return None
        if any(self._may_be(part, values) for part in walk_expression(expression)):
            return None

        def moved(e: Expression) -> Expression:
            location = location_of(e.place) if isinstance(e, Read) else None
            return (values.get(location) or e) if location is not None else e

        return rewrite_expression(expression, moved)

    def _may_be(self, e: Expression, values: Values) -> bool:
        """Whether it reads a place, found at run time only, that may be one of these."""
        runtime = isinstance(e, Read) and location_of(e.place) is None
        return runtime and bool(self.locator.read_by(e) & values.keys())

    def _behind(
        self, statement: Statement, values: dict[Location, Expression | None]
    ) -> dict[Location, Expression | None]:
        """What places hold behind a statement."""
        match statement:
            case Assign(target=target, value=value) if (location := location_of(target)) is not None:
                return {**values, location: self._in_terms(value, values)}
            case If(condition=condition, then=then, otherwise=otherwise):
                decided, arms = self._in_terms(condition, values), []
                for arm in (then, otherwise):
                    inside = values
                    for inner in arm:
                        inside = self._behind(inner, inside)
                    arms.append(inside)
                return {at: self._either(statement, at, decided, *arms) for at in arms[0].keys() | arms[1].keys()}
        return {**values, **dict.fromkeys(self.locator.written_in((statement,)))}

    def _either(
        self, branch: If, location: Location, decided: Expression | None, then: Values, otherwise: Values
    ) -> Expression | None:
        """What a place holds behind a branch."""
        a, b = (self._held_in(branch, location, arm) for arm in (then, otherwise))
        if a is None or b is None or same(a, b):
            return a if a is not None and b is not None else None
        return Conditional(decided, a, b, a.type, branch.span) if decided is not None else None

    def _held_in(self, branch: If, location: Location, values: Values) -> Expression | None:
        if location in values:
            return values[location]
        owner = self.program.variable.get(location.owner)
        if location.field:
            header = HeaderRef(location.owner, branch.span)
            type_ = self.program.header_type_of[location.owner].field(location.field).type
            return Read(FieldRef(header, location.field, branch.span), type_, branch.span)
        return Read(VariableRef(location.owner, branch.span), owner.type, branch.span) if owner is not None else None


def _may_go_elsewhere(body: Body) -> bool:
    """Whether what stands behind may not be reached, or tables run actions that nobody has looked at."""
    return any(isinstance(statement, Leave | ApplyTable) for statement in walk(body))


def _accesses(statement: Statement) -> bool:
    return any(
        isinstance(s, CallExtern) and s.method in ("register.read", "register.write") for s in walk((statement,))
    )


def _is_held(e: Expression) -> bool:
    return isinstance(e, Read) and isinstance(e.place, VariableRef) and e.place.name == HELD


def _asks(e: Expression) -> bool:
    return any(map(_is_held, walk_expression(e)))


def _operation(value: Expression) -> tuple[str, Expression | None] | None:
    """The instruction that a value is the outcome of, and its operand: none where the cell stays as it is."""
    if not _asks(value):
        return "swap", value
    match value:
        case Binary(op=BinaryOp.ADD | BinaryOp.SUB as op, left=left, right=right) if not _asks(right):
            return _added(op, left, right, value)
        case Binary(op=BinaryOp.ADD, left=left, right=right) if not _asks(left):
            return _added(BinaryOp.ADD, right, left, value)
        case Binary(op=BinaryOp.AND | BinaryOp.OR | BinaryOp.XOR as op, left=left, right=right):
            if _is_held(left) and not _asks(right):
                return _WORDS[op], right
            if _is_held(right) and not _asks(left):
                return _WORDS[op], left
        case Conditional(condition=condition, then=then, otherwise=otherwise) if not _asks(condition):
            return _chosen(value, then, otherwise)
    return None


def _added(op: BinaryOp, sum_: Expression, more: Expression, whole: Binary) -> tuple[str, Expression | None] | None:
    """Sums of sums, too."""
    if _is_held(sum_):
        return "add", more if op is BinaryOp.ADD else Unary(UnaryOp.NEGATE, more, whole.type, whole.span)
    inner = _operation(sum_)
    if inner is None or inner[0] != "add" or inner[1] is None:
        return None
    return "add", Binary(op, inner[1], more, whole.type, whole.span)


def _chosen(whole: Conditional, then: Expression, otherwise: Expression) -> tuple[str, Expression | None] | None:
    """One operation with one operand or another; with the neutral one where the cell stays as it is."""
    a, b = ((None if _is_held(arm) else _operation(arm)) for arm in (then, otherwise))
    names = {found[0] for arm, found in ((then, a), (otherwise, b)) if found is not None}
    if len(names) != 1 or any(found is None and not _is_held(arm) for arm, found in ((then, a), (otherwise, b))):
        return None
    (name,) = names
    if name not in _NEUTRAL:
        return None
    neutral = Const(_NEUTRAL[name] % (1 << whole.type.width), whole.type, whole.span)  # type: ignore[union-attr]
    first, second = (found[1] if found is not None and found[1] is not None else neutral for found in (a, b))
    return name, Conditional(whole.condition, first, second, whole.type, whole.span)
