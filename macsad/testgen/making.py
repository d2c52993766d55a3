"""The logic of `macsad testgen`: searches with a progress bar, writes the tests, checks each on the interpreter."""

from __future__ import annotations

import io
import time
from dataclasses import dataclass
from pathlib import Path

import click
from aux_frontend.preprocess import P4INCLUDE

from macsad import simulate
from macsad.compilation import Request
from macsad.outputs import apart, written
from macsad.progress import counting
from macsad.testgen import text
from macsad.testgen.report import order
from transpiler.hlir.program import Program
from transpiler.recursion import deep_recursion
from transpiler.testgen.generate import Generated, generate
from transpiler.testgen.scenario import Scenario


@dataclass(frozen=True)
class Order:
    """The options of `macsad testgen`. `output`: a folder, or one FILE.stf for all tests."""

    output: Path
    seconds: float
    seed: int
    at_most: int | None


@dataclass(frozen=True)
class Made:
    """`files`: that of each test."""

    generated: Generated
    files: tuple[str, ...]


@deep_recursion()
def make(request: Request, program: Program, order: Order) -> Made:
    """Find tests and write them. Raises: click.ClickException."""
    with counting("looking for tests") as advance:
        made = generate(
            program, order.seconds, seed=order.seed, at_most=order.at_most, left_out=str(P4INCLUDE), told=advance,
            clock=time.monotonic,
        )  # fmt: skip
    one = order.output.suffix == ".stf"
    places = _places(order.output, request.path.stem, made.tests, one)
    if one and any(program.extern[meter].kind == "direct_meter" for test in made.tests for meter, _, _ in test.meters):
        raise click.UsageError(f"tests with rates of direct meters need a file each: give a folder, not {order.output}")
    apart(dict.fromkeys(places), request.inputs)
    texts = _texts(program, made, alone=not one)
    if one:
        ends = [text.ending(program, test, number) for number, test in enumerate(made.tests)]
        parts = [part for body, end in zip(texts, ends, strict=True) for part in (body, end)][:-1]
        _write(order.output, "\n".join(parts))
    else:
        for place, body in zip(places, texts, strict=True):
            _write(place, body)
    for place in dict.fromkeys(places):
        _confirm(program, place)
    return Made(made, tuple(map(str, places)))


def _places(output: Path, stem: str, tests: tuple[Scenario, ...], one: bool) -> list[Path]:
    width = len(str(len(tests)))
    return [output if one else output / f"{stem}-{number:0{width}}.stf" for number in range(1, len(tests) + 1)]


def _texts(program: Program, made: Generated, *, alone: bool) -> list[str]:
    texts, before, left = [], set[int](), text.Before(alone)
    for number, test in enumerate(made.tests):
        news = sorted((made.coverage.items[n] for n in test.covered - before), key=lambda item: order(item.span))
        texts.append(text.stf(program, test, news, number, text.Before() if alone else left))
        before |= test.covered
    return texts


def _write(place: Path, content: str) -> None:
    with written(place, makes_folder=True) as beside:
        beside.write_text(content)


def _confirm(program: Program, place: Path) -> None:
    """Run what was written: it says what the interpreter does, if the text is read as it was meant."""
    out = io.StringIO()
    if simulate.run(program, place, out=out):
        raise AssertionError(f"{place} does not pass on the interpreter:\n{out.getvalue()}")
