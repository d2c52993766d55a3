"""Random function bodies as C trees: what gcc makes of them, rewritten and printed, does what the trees say.

The oracle walks the tree as it was before any rewrite, so a rewrite that changes what a body does shows, and so does a printed
text that means something else: missing parentheses, a case that falls through."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from transpiler.codegen.c.build import FALSE, TRUE, all_of, call, cast, choose, infix, live
from transpiler.codegen.c.flatten import flattened
from transpiler.codegen.c.fold_flags import with_flags_folded
from transpiler.codegen.c.function import LIVE_MEMBER, Function, Variable
from transpiler.codegen.c.keep_unchanged import without_unchanged_stores
from transpiler.codegen.c.nodes import (
    Assign,
    Binary,
    Block,
    Body,
    Call,
    Case,
    Cast,
    Compound,
    Conditional,
    Declare,
    Do,
    Expression,
    Goto,
    If,
    Index,
    Label,
    Literal,
    Member,
    Name,
    Return,
    Statement,
    Switch,
    Unary,
    While,
)
from transpiler.codegen.c.printer import Printer, declaration
from transpiler.codegen.c.remove_dead_stores import Liveness, without_dead_stores
from transpiler.codegen.c.remove_jumps import without_jumps
from transpiler.codegen.c.start_with import with_first_values

FUNCTIONS, RUNS, WORD = 200, 3, (1 << 64) - 1
MEMBERS = ("a", "b", "c", "p")  # of the state; others read a, b and p
PURE, ACTS, STORES, SIZE = "macs_checksum_crc32", "macs_meter_execute", "macs_store_bytes", 8
VARIABLES = (
    *(Declare("uint64_t", name, Literal("0ull")) for name in ("x", "y", "z")),
    Declare("bool", "f", FALSE), Declare("bool", "g", TRUE),
    Declare("uint64_t", "p", live("p")),
)  # fmt: skip
SUPPORT = """
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct live { uint64_t a, b, c, p; };
static uint64_t macs_checksum_crc32(uint64_t of) { return of * 7 + 1; }
static uint64_t macs_meter_execute(uint64_t of) { printf(" %llu", (unsigned long long)of); return of % 5; }
static void macs_store_bytes(uint64_t *to, uint64_t value) { to[0] = value; }
"""


# --- bodies ---------------------------------------------------------------------------------------------------------------


class Maker:
    """Makes one function. A body may go to labels behind what it stands in; nothing follows a jump, as it is not reached."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.labels = 0
        self.shadowed = 0

    def function(self, number: int) -> Function:
        self.numbers, self.flags, self.arrays = ["x", "y", "z", "p"], ["f", "g"], list[str]()
        parts: list[Statement] = []
        for label in ("one", "two"):
            parts += [*self.body(2, (label, "two")), Label(label, self.cite())]
        parts += self.body(1, ())
        return Function(f"f{number}", VARIABLES, tuple(parts))

    def cite(self) -> str:
        return self.random.choice(("", "", "p.p4:1"))

    def body(self, depth: int, labels: tuple[str, ...]) -> Body:
        made = [self.statement(depth, labels) for _ in range(self.random.randint(1, 4))]
        if depth < 2 and self.random.random() < 0.3:
            made.append(self.jump(labels))
        return tuple(made)

    def jump(self, labels: tuple[str, ...]) -> Goto | Return:
        if labels and self.random.random() < 0.7:
            return Goto(self.random.choice(labels))
        return Return((self.simple(),) if self.random.random() < 0.5 else ())

    def statement(self, depth: int, labels: tuple[str, ...]) -> Statement:
        kind = self.random.randint(0, 9) if depth else 0
        inside = depth - 1
        if kind <= 4:
            return self.simple()
        if kind <= 6:
            return If(self.condition(), self.body(inside, labels), self.arm(inside, labels), self.cite())
        if kind == 7:
            return self.switch(inside, labels)
        return self.block(inside, labels) if kind == 8 else self.loop(inside, labels)

    def arm(self, depth: int, labels: tuple[str, ...]) -> Body:
        return self.body(depth, labels) if self.random.random() < 0.5 else ()

    def simple(self) -> Statement:
        random = self.random
        kind = random.randint(0, 8)
        if kind == 0:
            return Do(call(ACTS, self.number(1)))
        if kind == 1:
            return Assign(Name(random.choice(self.flags)), random.choice((TRUE, FALSE)))
        if kind == 2:
            return Assign(live("p"), Name("p"))
        if kind == 3 and self.arrays:
            to = infix(random.choice(self.arrays), "+", random.randrange(SIZE))
            return Do(call(STORES, to, self.number(1)))
        value = call(ACTS, self.number(1)) if random.random() < 0.15 else self.number(2)
        if kind <= 5:
            return Assign(live(random.choice(MEMBERS[:3])), value, self.cite())
        return Assign(Name(random.choice(self.numbers)), value, self.cite(), random.choice(("=", "=", "+=")))

    def switch(self, depth: int, labels: tuple[str, ...]) -> Switch:
        shared = self.body(depth, labels)
        numbers = self.random.sample(range(4), 3)
        cases = [Case((word(n),), self.random.choice((shared, self.body(depth, labels), ()))) for n in numbers]
        subject = call(ACTS, self.number(1)) if self.random.random() < 0.2 else infix(self.number(1), "&", word(3))
        return Switch(subject, (*cases, Case((), self.arm(depth, labels), default=True)), self.cite())

    def block(self, depth: int, labels: tuple[str, ...]) -> Block:
        """With variables of its own, that may have the name of one outside, or a label behind it, or neither."""
        outer = list(self.numbers), list(self.flags), list(self.arrays)
        self.labels += 1
        label = f"after{self.labels}" if self.random.random() < 0.5 else ""
        declared = self.declared()
        body = self.body(depth, (*labels, label) if label else labels)
        self.numbers, self.flags, self.arrays = outer
        return Block((*declared, *body), label, self.cite())

    def declared(self) -> Iterator[Declare]:
        match self.random.randint(0, 4):
            case 0:
                value = call(ACTS, self.number(1)) if self.random.random() < 0.3 else self.number(1)
                made = Declare("uint64_t", self.random.choice(("x", "w")), value)
                self.numbers.append(made.name)
            case 1:
                made = Declare("bool", self.random.choice(("f", "h")), self.condition())
                self.flags.append(made.name)
            case 2:
                made = Declare("uint64_t", "list", Compound("", (word(0),)), size=SIZE)
                self.arrays.append(made.name)
            case _:
                return iter(())
        return iter((made,))

    def loop(self, depth: int, labels: tuple[str, ...]) -> Block:
        """A few rounds."""
        self.labels += 1
        rounds = f"n{self.labels}"
        count = Assign(Name(rounds), word(1), operator="+=")
        condition = all_of("&&", [infix(rounds, "<", word(3)), self.condition()])
        return Block((Declare("uint64_t", rounds, word(0)), While(condition, (count, *self.body(depth, labels)))))

    # --- expressions

    def condition(self, depth: int = 2) -> Expression:
        random = self.random
        kind = random.randint(0, 5) if depth else 0
        if kind == 0:
            return Name(random.choice(self.flags))
        if kind == 1:
            return Unary("!", self.condition(depth - 1))
        if kind == 2:
            return infix(call(ACTS, self.number(1)), random.choice(("<", "!=")), word(2))
        if kind == 3:
            return infix(self.condition(depth - 1), random.choice(("&&", "||")), self.condition(depth - 1))
        return infix(self.number(1), random.choice(("<", "<=", ">", ">=", "==", "!=")), self.number(1))

    def number(self, depth: int) -> Expression:
        random = self.random
        match random.randint(0, 9) if depth else random.randint(0, 2):
            case 0:
                return word(random.randrange(9))
            case 1:
                return Name(random.choice(self.numbers))
            case 2:
                return self.stored()
            case 3:
                return choose(self.plain_condition(depth - 1), self.number(depth - 1), self.number(depth - 1))
            case 4:
                return cast(
                    "uint64_t", random.choice((cast("uint8_t", self.number(depth - 1)), self.plain_condition(0)))
                )
            case 5:
                return Unary(random.choice("-~"), self.number(depth - 1))
            case 6:
                return call(PURE, self.number(depth - 1))
            case 7:
                return infix(self.number(depth - 1), random.choice(("<<", ">>")), random.randrange(6))
        return infix(self.number(depth - 1), random.choice("+-*&|^"), self.number(depth - 1))

    def stored(self) -> Expression:
        if self.arrays and self.random.random() < 0.7:
            return Index(Name(self.random.choice(self.arrays)), Literal(str(self.random.randrange(SIZE))))
        return live(self.random.choice(MEMBERS[:3]))

    def plain_condition(self, depth: int) -> Expression:
        """Within a value, where nothing acts."""
        return infix(self.number(0), self.random.choice(("<", "==")), self.number(depth))


def word(number: int) -> Literal:
    return Literal(f"{number}ull")


# --- what they do -----------------------------------------------------------------------------------------------------------


class Jump(Exception):
    """To a label, or (None) out of the function."""

    def __init__(self, label: str | None) -> None:
        self.label = label


@dataclass
class Machine:
    """Runs a function as C11 has it, over numbers of 64 bits."""

    state: dict[str, int]
    log: list[int] = field(default_factory=list)
    scopes: list[dict[str, int | list[int]]] = field(default_factory=list)

    def run(self, function: Function) -> None:
        self.scopes = [{}]
        try:
            for variable in function.variables:
                self.step(variable)
            self.body(function.body)
        except Jump as jump:
            assert jump.label is None

    def body(self, body: Body) -> None:
        self.scopes.append({})
        depth, at = len(self.scopes), 0
        while at < len(body):
            try:
                self.step(body[at])
                at += 1
            except Jump as jump:
                del self.scopes[depth:]
                here = [n for n, s in enumerate(body) if isinstance(s, Label) and s.name == jump.label]
                if not here:
                    raise
                (at,) = here
        self.scopes.pop()

    def step(self, s: Statement) -> None:
        match s:
            case Declare(name=name, size=size, value=value) if value is not None:
                self.scopes[-1][name] = [0] * size if size else self.value(value)
            case Assign(target=target, value=value, operator=operator):
                number = self.value(value)
                self.store(target, number + self.value(target) if operator == "+=" else number)
            case Do(expression=Call(function=name, arguments=(to, value))) if name == STORES:
                assert isinstance(to, Binary) and isinstance(to.left, Name)
                self.scope(to.left.name)[to.left.name][self.value(to.right)] = self.value(value)  # type: ignore[index]
            case Do(expression=e):
                self.value(e)
            case If(condition=condition, then=then, otherwise=otherwise):
                self.body(then if self.value(condition) else otherwise)
            case Switch(subject=subject, cases=cases):
                number = self.value(subject)
                known = [case for case in cases if number in map(self.value, case.labels)]
                self.body((known or [case for case in cases if case.default])[0].body)
            case While(condition=condition, body=body):
                while self.value(condition):
                    self.body(body)
            case Block(body=body, label=label):
                self.block(body, label)
            case Goto(label=label):
                raise Jump(label)
            case Return(last=last):
                self.body(last)
                raise Jump(None)

    def block(self, body: Body, label: str) -> None:
        depth = len(self.scopes)
        try:
            self.body(body)
        except Jump as jump:
            if not label or jump.label != label:
                raise
            del self.scopes[depth:]

    def scope(self, name: str) -> dict[str, int | list[int]]:
        return next(scope for scope in reversed(self.scopes) if name in scope)

    def store(self, target: Expression, number: int) -> None:
        match target:
            case Name(name=name):
                self.scope(name)[name] = number & WORD
            case Member(name=name):
                self.state[name] = number & WORD

    def value(self, e: Expression) -> int:
        return self.exact(e) & WORD

    def exact(self, e: Expression) -> int:
        match e:
            case Literal(text=text):
                return int(e == TRUE) if e in (TRUE, FALSE) else int(text.removesuffix("ull"))
            case Name(name=name):
                return self.scope(name)[name]  # type: ignore[return-value]
            case Member(name=name):
                return self.state[name]
            case Index(of=Name(name=name), at=at):
                return self.scope(name)[name][self.value(at)]  # type: ignore[index]
            case Call(function=name, arguments=(of,)):
                number = self.value(of)
                if name == PURE:
                    return number * 7 + 1
                self.log.append(number)
                return number % 5
            case Unary(operator=operator, operand=inner):
                number = self.value(inner)
                return {"!": int(not number), "-": -number, "~": ~number}[operator]
            case Cast(type=type_, operand=inner):
                return self.value(inner) & (0xFF if type_ == "uint8_t" else WORD)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                return self.value(then if self.value(condition) else otherwise)
            case Binary(operator="&&" | "||" as operator, left=left, right=right):
                first = bool(self.value(left))
                return int(first if first is (operator == "||") else bool(self.value(right)))
            case Binary(operator=operator, left=left, right=right):
                a, b = self.value(left), self.value(right)
                return {
                    "+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b, "<<": a << (b & 63),
                    ">>": a >> (b & 63), "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b,
                }[operator]  # fmt: skip
        raise TypeError(e)


# --- compared ---------------------------------------------------------------------------------------------------------------


def rewritten(function: Function) -> Function:
    """By all rewrites, in the order in which code generation has them. Of the state only c is nobody's else."""
    function = with_flags_folded(without_unchanged_stores(function))
    liveness = Liveness()
    liveness.needed |= {Variable(LIVE_MEMBER, name) for name in MEMBERS if name != "c"}
    liveness.add(function)
    function = without_dead_stores(function, liveness.live())
    body = flattened(without_jumps(function.body))
    return with_first_values(Function(function.name, function.variables, body))


def text_of(function: Function) -> str:
    lines = [*map(declaration, function.variables), Printer().body(function.body)]
    return f"static void {function.name}(struct live *live) {{\n" + "\n".join(lines) + "\n}\n"


def begin(run: int) -> dict[str, int]:
    return {name: (run * 3 + n * 5) % 11 for n, name in enumerate(MEMBERS)}


def main_of(functions: list[Function]) -> str:
    lines = []
    for function in functions:
        for run in range(RUNS):
            values = ", ".join(map(str, begin(run).values()))
            lines.append(f"{{ struct live live = {{{values}}}; {function.name}(&live);")
            lines += [f'printf(" {n}=%llu", (unsigned long long)live.{n});' for n in MEMBERS if n != "c"]
            lines.append('printf("\\n"); }')
    return "int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n"


def expected(function: Function) -> Iterator[str]:
    for run in range(RUNS):
        machine = Machine(begin(run))
        machine.run(function)
        yield "".join([*(f" {n}" for n in machine.log), *(f" {n}={machine.state[n]}" for n in MEMBERS if n != "c")])


def test_rewritten_functions_do_the_same(tmp_path: Path) -> None:
    functions = [Maker(Random(seed)).function(seed) for seed in range(FUNCTIONS)]
    made = [rewritten(function) for function in functions]
    source = tmp_path / "functions.c"
    source.write_text(SUPPORT + "".join(map(text_of, made)) + main_of(made))
    subprocess.run(["gcc", "-std=c11", "-w", "-O0", source, "-o", tmp_path / "functions"], check=True)
    lines = subprocess.run([tmp_path / "functions"], capture_output=True, text=True, check=True).stdout.splitlines()
    wanted = [(function, line) for function in functions for line in expected(function)]
    assert len(lines) == len(wanted)
    for (function, line), got in zip(wanted, lines, strict=True):
        assert got == line, f"{text_of(function)}\nrewritten\n{text_of(made[functions.index(function)])}"
    assert sum(len(text_of(m)) < len(text_of(f)) for m, f in zip(made, functions, strict=True)) > FUNCTIONS / 2
