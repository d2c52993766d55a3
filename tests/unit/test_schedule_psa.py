"""PSA's pipes: which there are, what a packet takes from one to the next, which programs may send it round again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from macsad import compilation
from macsad.compilation import Request
from macsad.resources import share
from transpiler.codegen.generate import generate
from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import Bridge, Program
from transpiler.passes.pipeline import optimise
from transpiler.schedule.pipeline import Deparse, Parse
from transpiler.schedule.psa import PASS_ON, plan, preserved_lists, second_lives
from transpiler.schedule.scheduler import Options, schedule
from transpiler.targets.find import builtin

PACKETS = Path(__file__).parents[1] / "packets"


@pytest.fixture(scope="module", params=["psa_externs", "psa_stages", "psa_paths"])
def program(request: pytest.FixtureRequest) -> Program:
    return optimise(compilation.load(Request(PACKETS / f"{request.param}.p4")))


def test_an_egress_that_does_nothing_parses_nothing(program: Program) -> None:
    ingress, egress = plan(program)
    assert ingress.renews and any(isinstance(item, Parse) for item in ingress.items)
    if program.name == "psa_externs":
        assert egress.items == (PASS_ON,)
        assert not egress.renews
    else:
        assert egress.renews
        assert [type(item) for item in egress.items if isinstance(item, Parse | Deparse)] == [Parse, Deparse]


def test_what_bridges_hold_is_kept_and_nothing_else_from_pipe_to_pipe(program: Program) -> None:
    kept = {at.owner for at in schedule(program, Options(cut=lambda table: False)).kept}
    assert kept == {owner for fields in preserved_lists(program) for owner, _ in fields}


def test_what_no_pipe_takes_along_has_no_code() -> None:
    """Ingress hands on what an egress that does nothing does not take."""
    program = optimise(compilation.load(Request(PACKETS / "psa_externs.p4")))
    handed_on = program.variables[0].name
    program = replace(program, bridges=(Bridge("normal", (handed_on,), (), program.span),))
    assert "macs_preserve" not in generate(program, builtin(), share("templates"), Diagnostics()).c


def test_ports_of_tables_may_recirculate(program: Program) -> None:
    assert second_lives(program)
