"""What an architecture asks of a program's pipes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from macsad.frontends import frontend_for
from transpiler.architectures import facts
from transpiler.architectures.facts import PARTS, Facts, part
from transpiler.architectures.pna.facts import Direction
from transpiler.architectures.psa.facts import PORT_RECIRCULATE, Path as PacketPath
from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source
from transpiler.hlir.program import Architecture, Control, Parser, Program, Role
from transpiler.interpreter.paths import Paths
from transpiler.schedule.pipeline import Description, Step
from transpiler.verifier import Malformed

L2FWD = Path(__file__).parents[2] / "apps" / "l2fwd" / "l2fwd.p4"


@pytest.fixture(scope="module")
def program() -> Program:
    return frontend_for(L2FWD, None).load(Source(L2FWD), Diagnostics())


def violations(program: Program) -> str:
    with pytest.raises(Malformed) as caught:
        facts.verify(program)
    return "\n".join(caught.value.violations)


def test_a_program_may_lack_pipes(program: Program) -> None:
    facts.verify(program)
    for left_out in program.pipes:
        facts.verify(replace(program, pipes=tuple(p for p in program.pipes if p is not left_out)))


def test_pipes_of_another_architecture(program: Program) -> None:
    said = violations(replace(program, architecture=Architecture.PSA))
    assert "l2fwd.p4" in said
    assert "psa has no verify_checksum" in said and "psa has no compute_checksum" in said


def test_a_parser_is_a_parser_and_a_control_a_control(program: Program) -> None:
    at = program.span
    pipes = (Control("p", Role.PARSER, (), at), Parser("i", Role.INGRESS, (), at))
    assert violations(replace(program, pipes=pipes)).splitlines() == [
        f"{at}: the parser is not a parser",
        f"{at}: the ingress is not a control",
    ]


def test_pipes_stand_in_the_order_of_packets(program: Program) -> None:
    said = violations(replace(program, pipes=program.pipes[::-1]))
    assert "the parser stands behind what packets pass after it" in said
    assert "the deparser stands" not in said
    first, *others = program.pipes
    one_late = violations(replace(program, pipes=(*others, first)))
    assert one_late.splitlines() == [f"{first.span}: the parser stands behind what packets pass after it"]
    early = violations(replace(program, pipes=(program.pipes[-1], *program.pipes[:-1])))
    assert len(early.splitlines()) == len(program.pipes) - 1


@pytest.mark.parametrize("architecture", list(Architecture))
def test_a_folder_has_all_parts_of_an_architecture(architecture: Architecture) -> None:
    found = {name: part(architecture, name) for name in PARTS}
    assert isinstance(found["facts"].FACTS, Facts)
    assert isinstance(found["pipes"].DESCRIPTION, Description)
    assert found["steps"].DECISIONS and all(isinstance(step, Step) for step in found["steps"].DECISIONS)
    assert issubclass(found["paths"].PATHS, Paths)


def test_numbers_that_programs_are_told() -> None:
    """psa.p4 of PSA 1.2 and pna.p4 of PNA 0.7: members of an enum count from 0."""
    paths = [PacketPath.NORMAL, PacketPath.UNICAST, PacketPath.MULTICAST, PacketPath.CLONE_I2E, PacketPath.CLONE_E2E]
    assert [*paths, PacketPath.RESUBMIT, PacketPath.RECIRCULATE] == list(range(7))
    assert [Direction.NET_TO_HOST, Direction.HOST_TO_NET] == [0, 1] and PORT_RECIRCULATE == 0xFFFFFFFA
