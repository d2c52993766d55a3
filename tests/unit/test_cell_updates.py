"""Regions that are one update of one cell: which are, as what, and that they leave what they would have left."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hlir_builder import AT, Builder, binary, const, emit, extract, goto, if_, state, valid

from transpiler.externs.register import Register
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Program
from transpiler.hlir.traverse import program_statements, walk_expression
from transpiler.hlir.types import Bits
from transpiler.interpreter import Switch
from transpiler.schedule.atomic_regions import Kept, with_atomic_regions
from transpiler.schedule.cell_updates import REPLACE, UPDATE
from transpiler.schedule.order import statements_of
from transpiler.schedule.scheduler import Options, schedule
from transpiler.verifier import verify

Body = Sequence[st.Statement]


class Case(Builder):
    """A header h of k0 … k3, variables v and w, a register r."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.width = width
        self.header("h", "h_t", **{f"k{i}": width for i in range(4)})
        self.variable("v", width)
        self.variable("w", width)
        self.extern("r", "register", size=4, width=width)
        self.extern("q", "register", size=4, width=width)
        self.v, self.k = self.get("v"), self.get("h.k1")

    def read(self, register: str = "r", index: int = 1) -> st.CallExtern:
        return self.call("register.read", register, const(index, 32), out="v")

    def write(self, value: ex.Expression, register: str = "r", index: int = 1) -> st.CallExtern:
        return self.call("register.write", register, const(index, 32), value)

    def op(self, operator: str, a: ex.Expression, b: ex.Expression) -> ex.Expression:
        return binary(operator, a, b)

    def program(self, body: Body) -> Program:
        keep = self.set("h.k3", self.get("v"))  # what was read shows in the packet
        return self.build([state("start", [extract("h")], goto("accept"))], [*body, keep], (), [emit("h")])


def plus(c: Case) -> Body:
    return [c.read(), c.write(c.op("+", c.v, c.k))]


def minus_in_a_variable(c: Case) -> Body:
    return [c.read(), c.set("v", c.op("-", c.v, c.k)), c.write(c.v)]


def sum_of_sums(c: Case) -> Body:
    return [c.read(), c.set("v", c.op("+", c.k, c.v)), c.set("w", c.op("-", c.v, c.get("h.k2"))), c.write(c.get("w"))]


def both(c: Case) -> Body:
    return [c.read(), c.write(c.op("&", c.k, c.v))]


def either(c: Case) -> Body:
    return [c.read(), c.write(c.op("|", c.v, c.k))]


def differs(c: Case) -> Body:
    return [c.read(), c.write(c.op("^", c.v, c.k))]


def exchange(c: Case) -> Body:
    return [c.read(), c.write(c.k)]


def plus_if(c: Case) -> Body:
    return [c.read(), if_(c.op("<", c.k, c.get("h.k2")), [c.write(c.op("+", c.v, c.k))], [c.set("v", 7)])]


def plus_or_minus(c: Case) -> Body:
    test = c.op("<", c.k, c.get("h.k2"))
    return [c.read(), if_(test, [c.write(c.op("+", c.v, c.k))], [c.write(c.op("-", c.v, c.k))])]


def greatest(c: Case) -> Body:
    return [c.read(), if_(c.op("<", c.v, c.k), [c.write(c.k)])]


def smallest_in_a_variable(c: Case) -> Body:
    return [c.read(), if_(c.op(">", c.v, c.k), [c.set("v", c.k)]), c.write(c.v)]


def saturating(c: Case) -> Body:
    return [c.read(), c.write(c.op("|+|", c.v, c.k))]


def average(c: Case) -> Body:
    return [c.read(), c.set("v", c.op("+", c.op(">>", c.v, const(1, 8)), c.op(">>", c.k, const(1, 8)))), c.write(c.v)]


def once(c: Case) -> Body:
    return [c.read(), if_(c.op("==", c.v, const(0, c.width)), [c.write(c.k), c.set("w", 1)], [c.set("w", c.v)])]


INSTRUCTIONS = {
    plus: "add",
    minus_in_a_variable: "add",
    sum_of_sums: "add",
    plus_if: "add",
    plus_or_minus: "add",
    both: "and",
    either: "or",
    differs: "xor",
    exchange: "swap",
}
REPLACEMENTS = (greatest, smallest_in_a_variable, saturating, average, once)


def calls(program: Program) -> list[st.CallExtern]:
    return [s for s in program_statements(program) if isinstance(s, st.CallExtern)]


def same_as_before(program: Program, made: Program, width: int) -> None:
    """Both leave the same in registers and packets."""
    before, after, random = Switch(program), Switch(made), Random(1)
    for _ in range(60):
        values = [random.choice((0, 1, 2, random.randrange(1 << width))) for _ in range(4)]
        frame = sum(v << width * at for at, v in enumerate(values)).to_bytes(4 * width // 8, "big")
        assert before.process(0, frame) == after.process(0, frame)
        left = [switch.store.state("r", Register).elements for switch in (before, after)]
        assert left[0] == {cell: value for cell, value in left[1].items() if value or cell in left[0]}


@pytest.mark.parametrize("make", [*INSTRUCTIONS, *REPLACEMENTS])
@pytest.mark.parametrize("width", [8, 14])
def test_an_update(make: object, width: int) -> None:
    """Sums of a width that the processor has not are replacements."""
    case = Case(width)
    program = case.program(make(case))  # type: ignore[operator]
    made = with_atomic_regions(program)
    assert not verify(made.program) and [group.kept for group in made.groups] == [Kept.UPDATES]
    (call,) = calls(made.program)
    name = INSTRUCTIONS.get(make)  # type: ignore[call-overload]
    if name is None or (name == "add" and width == 14):
        assert call.method == REPLACE
    else:
        assert call.method == UPDATE and call.inputs[2] == ex.Text(name, AT)
    same_as_before(program, made.program, width)


@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("arm", ["then", "otherwise"])
@pytest.mark.parametrize(
    ("op", "name", "neutral"), [("+", "add", 0), ("-", "add", 0), ("|", "or", 0), ("^", "xor", 0), ("&", "and", -1)]
)
def test_the_operand_where_the_cell_stays_as_it_is(op: str, name: str, neutral: int, arm: str, width: int) -> None:
    """It is the one that changes no value: all ones of an `and`, 0 of the others."""
    case = Case(width)
    written, test = [case.write(case.op(op, case.v, case.k))], case.op("<", case.k, case.get("h.k2"))
    program = case.program([case.read(), if_(test, *((written,) if arm == "then" else ([], written)))])
    made = with_atomic_regions(program)
    (call,) = calls(made.program)
    assert call.method == UPDATE and call.inputs[2] == ex.Text(name, AT)
    chosen = call.inputs[1]
    assert isinstance(chosen, ex.Conditional)
    left = chosen.otherwise if arm == "then" else chosen.then
    assert isinstance(left, ex.Const) and left.value == neutral % (1 << width) and left.type == Bits(width)
    before, after = Switch(program), Switch(made.program)
    for held in (0, 1, 0xA5, (1 << width) - 1):
        for first, second in ((3, 5), (5, 3)):  # by the test, and not
            frame = b"".join(value.to_bytes(width // 8, "big") for value in (0, first, second, 0))
            for switch in (before, after):
                switch.store.state("r", Register).elements[1] = held
            assert before.process(0, frame) == after.process(0, frame)
            cells = [switch.store.state("r", Register).elements[1] for switch in (before, after)]
            assert cells[0] == cells[1]
            assert cells[0] == held or (first < second) == (arm == "then")


@pytest.mark.parametrize("op", ["&", "|", "^", "-", "*"])
@pytest.mark.parametrize("form", ["inside", "left and right", "right and left", "from it"])
def test_what_is_no_instruction_is_a_replacement(op: str, form: str) -> None:
    """The cell is not by itself on one side, with nothing of it on the other."""
    case = Case()
    v, k = case.v, case.k
    left, right = {
        "inside": (k, case.op("+", v, const(1, 8))),
        "left and right": (v, case.op("+", v, k)),
        "right and left": (case.op("+", v, k), v),
        "from it": (case.op(">>", v, const(1, 8)), k),
    }[form]
    program = case.program([case.read(), case.write(case.op(op, left, right))])
    made = with_atomic_regions(program)
    assert [call.method for call in calls(made.program)] == [REPLACE]
    same_as_before(program, made.program, 8)


def leaves(c: Case) -> Body:
    return [st.Block("out", (c.read(), if_(valid("h"), [st.Leave("out", AT)]), c.write(c.k)), AT)]


def another_cell(c: Case) -> Body:
    return [c.read(index=0), c.write(c.v, index=1)]


def another_register(c: Case) -> Body:
    return [c.read(), c.write(c.v, "q")]


def twice_in_an_arm(c: Case) -> Body:
    return [c.read(), if_(valid("h"), [c.write(c.k), c.write(c.op("+", c.v, c.k))])]


def twice(c: Case) -> Body:
    return [c.read(), c.write(c.k), c.write(c.op("+", c.v, c.k))]


def drawn(c: Case) -> Body:
    """What it writes is drawn in between."""
    draw = c.call("random.range", None, const(0, c.width), const(9, c.width), out="w")
    return [c.read(), draw, c.write(c.get("w"))]


def drawn_in_an_arm(c: Case) -> Body:
    draw = c.call("random.range", None, const(0, c.width), const(9, c.width), out="w")
    return [c.read(), if_(valid("h"), [draw]), c.write(c.get("w"))]


def drawn_in_the_other_arm(c: Case) -> Body:
    draw = c.call("random.range", None, const(0, c.width), const(9, c.width), out="w")
    return [c.read(), if_(valid("h"), [c.set("w", 1)], [draw]), c.write(c.get("w"))]


def read_twice(c: Case) -> Body:
    again = c.call("register.read", "r", const(1, 32), out="w")
    return [c.read(), again, c.write(c.op("+", c.v, c.get("w")))]


def read_again_in_an_arm(c: Case) -> Body:
    again = c.call("register.read", "r", const(1, 32), out="w")
    return [c.read(), if_(valid("h"), [c.write(c.k), again])]


def found_at_run_time(c: Case) -> Body:
    """It writes an element of a stack that may be the one that was assigned what the cell held."""
    c.stack("s", "s_t", 2, f=c.width)
    chosen = ex.Read(ex.FieldRef(ex.ElementRef("s", c.get("h.k0"), AT), "f", AT), Bits(c.width), AT)
    return [c.read(), c.set("s[0].f", c.v), c.write(chosen)]


def looped(c: Case) -> Body:
    again = st.While(
        c.op("<", c.get("w"), const(3, c.width)), (c.set("w", c.op("+", c.get("w"), const(1, c.width))),), AT
    )
    return [c.read(), again, c.write(c.get("w"))]


def own_index(c: Case) -> Body:
    v = ex.Cast(c.v, Bits(32), AT)
    return [c.call("register.read", "r", v, out="v"), c.call("register.write", "r", v, c.k)]


@pytest.mark.parametrize(
    "make",
    [
        leaves,
        another_cell,
        another_register,
        twice,
        twice_in_an_arm,
        drawn,
        drawn_in_an_arm,
        drawn_in_the_other_arm,
        read_twice,
        read_again_in_an_arm,
        found_at_run_time,
        looped,
        own_index,
    ],
)
def test_no_update(make: object) -> None:
    case = Case()
    made = with_atomic_regions(case.program(make(case)))  # type: ignore[operator]
    assert made.groups and not made.updated
    assert not {UPDATE, REPLACE} & {call.method for call in calls(made.program)}


class Regions:
    """Regions at random: values are computed, in branches too, and then the cell is written, in some of the branches."""

    def __init__(self, case: Case, random: Random) -> None:
        self.case, self.random = case, random

    def value(self, depth: int = 2) -> ex.Expression:
        c, random = self.case, self.random
        if not depth or random.random() < 0.3:
            return random.choice((c.v, c.v, c.get("w"), c.k, c.get("h.k0"), const(random.randrange(4), c.width)))
        return c.op(random.choice("+-&|^"), self.value(depth - 1), self.value(depth - 1))

    def test(self) -> ex.Expression:
        return self.case.op(self.random.choice(("<", "==", ">=")), self.value(1), self.value(1))

    def computes(self, depth: int = 2) -> list[st.Statement]:
        made: list[st.Statement] = []
        for _ in range(self.random.randrange(3)):
            if depth and self.random.random() < 0.4:
                made.append(if_(self.test(), self.computes(depth - 1), self.computes(depth - 1)))
            else:
                made.append(self.case.set(self.random.choice(("v", "w", "h.k0", "h.k2")), self.value()))
        return made

    def writes(self, depth: int = 2) -> st.Statement:
        if not depth or self.random.random() < 0.4:
            return self.case.write(self.value())
        return if_(self.test(), self.arm(depth - 1), self.arm(depth - 1) if self.random.random() < 0.6 else [])

    def arm(self, depth: int) -> list[st.Statement]:
        return [*self.computes(1), self.writes(depth), *self.computes(1)]


@pytest.mark.parametrize("group", range(5))
def test_updates_at_random(group: int) -> None:
    """Whatever is computed of what: registers and packets are as before."""
    updates = 0
    for seed in range(12):
        case = Case()
        regions = Regions(case, Random(100 * group + seed))
        program = case.program([case.set("w", case.k), case.read(), *regions.computes(), regions.writes()])
        made = with_atomic_regions(program)
        assert not verify(made.program)
        updates += {UPDATE, REPLACE} >= {call.method for call in calls(made.program)}
        same_as_before(program, made.program, 8)
    assert updates >= 6


def test_what_else_is_called_within_a_region_stays_where_it_is() -> None:
    case = Case()
    case.extern("c", "counter", size=4, unit="packets")
    count = case.call("counter.count", "c", const(1, 32))
    made = with_atomic_regions(case.program([case.read(), count, case.write(case.op("+", case.v, case.k))]))
    assert [call.method for call in calls(made.program)] == [UPDATE, "counter.count"]


def test_a_register_is_kept_in_one_way() -> None:
    """Where one region holds cells of it, all do."""
    case = Case()
    made = with_atomic_regions(case.program([if_(valid("h"), plus(case), twice(case))]))
    assert [group.kept for group in made.groups] == [Kept.STRIPES]
    assert [call.method for call in calls(made.program)].count("region.hold") == 2


def test_single_accesses_beside_updates_are_as_they_are() -> None:
    case = Case()
    made = with_atomic_regions(
        case.program([if_(valid("h"), plus(case), [if_(valid("h"), [case.read()], [case.write(case.k)])])])
    )
    assert [call.method for call in calls(made.program)] == [UPDATE, "register.read", "register.write"]


def test_an_update_is_made_of_what_the_cell_held_not_of_what_was_known_before() -> None:
    """A variable that is zero before the region is what the cell held within it."""
    c = Case()
    body = [c.read(), if_(c.op("<", c.v, c.k), [c.set("v", c.k)]), c.write(c.v)]
    made = with_atomic_regions(c.program(body)).program
    (pipe, *_) = schedule(made, Options(constant_propagation=True)).pipes
    (call,) = (s for stage in pipe.stages for s in statements_of(stage.code) if isinstance(s, st.CallExtern))
    assert call.method == REPLACE
    value = call.inputs[1]
    assert isinstance(value, ex.Conditional) and c.v in walk_expression(value.condition)
