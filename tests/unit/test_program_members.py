"""What generated C tells the runtime of a program: struct macs_program, whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import switches

from macsad.resources import share
from transpiler.codegen.generate import decide, generate
from transpiler.codegen.render import tidy
from transpiler.diagnostics import Diagnostics
from transpiler.targets.find import builtin

TESTS = Path(__file__).parents[1]
V1MODEL = "{.ingress_clone = 1, .egress_clone = 2, .recirculated = 4, .replicated = 5, .resubmitted = 6}"  # BMv2's
PSA = (
    "{.replicated = 2, .ingress_clone = 3, .egress_clone = 4, .resubmitted = 5, .recirculated = 6}"  # PSA_PacketPath_t
)
PIPES = {"ingress": "ingress_pipe", "clone": "clone_pipe", "egress": "egress_pipe"}
MERGED = {"run_to_completion": "ingress_burst"}
ASKS = {"reads_ahead": "true", "uses_requests": "true"}


def counted(name: str, count: int) -> dict[str, str]:
    """A number, and arrays where it is one."""
    found = {f"{name}_count": str(count)}
    return found | ({f"{name}_descs": f"{name}_descs", f"{name}s": f"{name}s"} if count else {})


def places(count: int) -> dict[str, str]:
    return {"place_count": str(count), "places": "places"} if count else {}


@pytest.mark.parametrize(
    ("path", "parsed", "grown", "instances", "tables", "externs", "clocks", "others"),
    [
        ("system/sharded", 42, 0, V1MODEL, 0, 3, 4, MERGED | {"lock_count": "2", "locks": "locks", "steering": "&steering"}),
        ("packets/ciphers", 2, 3, V1MODEL, 0, 0, 3, PIPES | ASKS | places(1) | {"cipher": "&macs_cipher"}),
        (
            "golden/codegen/cached", 10, 0, V1MODEL, 9, 3, 7,
            MERGED
            | places(3)
            | {"uses_time": "true", "decisions": "&(const struct macs_decisions_shape){1, 15, 6, 9}"},
        ),
        (
            "packets/queues", 23, 0, V1MODEL, 0, 0, 3,
            PIPES | ASKS | places(1) | {"uses_time": "true", "waited_at": "offsetof(struct state, waited)"},
        ),
        ("packets/value_sets", 13, 0, V1MODEL, 4, 0, 2, MERGED),
        (
            "packets/psa_paths", 16, 2, PSA, 0, 0, 2,
            {name: PIPES[name] for name in ("ingress", "egress")}
            | ASKS
            | places(2)
            | {"tells_service": "true", "recirculate_port": "0xfffffffau"},
        ),
    ],
)  # fmt: skip
def test_what_the_runtime_is_told(
    path: str, parsed: int, grown: int, instances: str, tables: int, externs: int, clocks: int, others: dict[str, str]
) -> None:
    """The bytes that it parses at most and by which a frame may grow; value sets are tables."""
    program = switches.load(TESTS / f"{path}.p4")
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    found = re.search(r"struct macs_program \w+ = \{\n(.*?)\n\};", c, re.DOTALL)
    assert found is not None
    name = path.rpartition("/")[2]
    assert dict(re.findall(r"^    \.(\w+) = (.*),$", found[1], re.MULTILINE)) == {
        "name": f'"{name}"', "source": f'"{name}.p4"', "state_bytes": "sizeof(struct state)", "parse_bytes": str(parsed),
        "grow_bytes": str(grown), "instances": instances, "clock_count": str(clocks), "clock_descs": "clock_descs",
        **counted("table", tables), **counted("extern", externs), **others,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("value_sets", [["burst"]]),
        ("pna_paths", [["packets"]]),  # its packets ask for more, in the one pipe that they pass
        ("psa_flooding", [["burst", "packets"], ["packets"]]),  # those that ask leave it for the other one
    ],
)
def test_who_is_run_to_completion(name: str, forms: list[list[str]]) -> None:
    planned = decide(switches.load(TESTS / "packets" / f"{name}.p4"), builtin(), Diagnostics()).planned
    assert [[made.form.value for made in plan.passes] for plan in planned.plans] == forms


def test_c_is_tidy() -> None:
    """No blanks at line ends, no two empty lines in a row; none behind what opens, none before what closes."""
    text = "\n\na;  \n\n\n\nb {\n\n    c;\n\n}\n\nlabel:\n\n    d;\n\n/* e */\n\nf;\n  \n    }\n\n\n"
    assert tidy(text) == "a;\n\nb {\n    c;\n}\n\nlabel:\n    d;\n\n/* e */\nf;\n    }\n"
