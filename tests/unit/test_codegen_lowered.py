"""What a program becomes before its C is made: locals that begin anew; caches and steering; settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import switches
from hlir_builder import AT, Builder, apply, binary, emit, extract, goto, if_, state

from macsad.resources import share
from transpiler.codegen.generate import generate
from transpiler.codegen.renew import renew_locals
from transpiler.configuration import BEST
from transpiler.diagnostics import Diagnostics
from transpiler.hlir.expressions import Cast
from transpiler.hlir.interface import Annotation
from transpiler.hlir.printer import print_body
from transpiler.hlir.program import ADD_ON_MISS, AUTO_DELETE, SUPPORT_TIMEOUT, Control, Role, Storage
from transpiler.hlir.statements import Statement
from transpiler.hlir.types import Bits, Bool
from transpiler.targets.find import builtin

B = Builder()
B.header("h", "h_t", a=8, b=8)
B.variable("exited", Bool(), Storage.LOCAL)
ASKED = if_(B.get("exited"), [B.set("h.a", 7)])
B.action("leave", B.set("exited", 1))
B.action("ask", B.set("exited", 1), ASKED)
for table, action in (("t", "leave"), ("u", "leave"), ("asks", "ask")):
    B.table(table, [("h.a", "exact")], [action])


@pytest.mark.parametrize(
    ("body", "begins"),
    [
        ([apply("u"), ASKED], True),
        ([apply("asks")], True),
        ([apply("u")], False),  # nobody asks there
        ([ASKED], False),  # and nobody else writes it here
    ],
)
def test_a_local_that_two_controls_share_begins_anew_in_each_that_reads_it(body: list[Statement], begins: bool) -> None:
    """Also where actions write or read it."""
    program = B.build(
        [state("start", [extract("h")], goto("accept"))], [apply("t"), ASKED], egress=body, deparser=[emit("h")]
    )
    controls = {pipe.role: print_body(pipe.body) for pipe in renew_locals(program).pipes if isinstance(pipe, Control)}
    written = body != [ASKED]
    assert controls[Role.INGRESS].startswith("exited = false;") == written
    assert controls[Role.EGRESS].startswith("exited = false;") == begins


TESTS = Path(__file__).parents[1]


def c_of(path: Path, **changes: Any) -> str:
    made = generate(switches.load(path), builtin(), share("templates"), Diagnostics(), replace(BEST, **changes))
    return made.c


@pytest.mark.parametrize(
    ("path", "word"),
    [(TESTS / "golden" / "codegen" / "cached.p4", "macs_decisions"), (TESTS / "system" / "sharded.p4", "steer")],
)
def test_who_is_cut_has_no_cache_of_decisions_and_is_not_steered(path: Path, word: str) -> None:
    """Its packets do not stay with one worker."""
    assert word in c_of(path)
    assert word not in c_of(path, cut="1")


@pytest.mark.parametrize(("name", "ciphers"), [("ciphers", True), ("parsers", False)])
def test_what_concerns_ciphers_is_told_of_programs_that_have_them(name: str, ciphers: bool) -> None:
    c = c_of(TESTS / "packets" / f"{name}.p4", settings=("ciphers_singly",))
    assert (".ciphers_singly = true" in c) == ciphers


def test_numbers_may_be_wider_than_all_fields() -> None:
    b = Builder()
    b.header("h", "h_t", a=64, b=40, c=8)
    joined = binary("++", b.get("h.a"), b.get("h.b"), Bits(104))
    chosen = Cast(binary(">>", joined, b.get("h.c")), Bits(64), AT)
    program = b.build([state("start", [extract("h")], goto("accept"))], [b.set("h.a", chosen)], deparser=[emit("h")])
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    assert "MACS_WIDE(2)" in c


@pytest.mark.parametrize(
    ("says", "headers"),
    [(None, set()), (SUPPORT_TIMEOUT, {"ages"}), (AUTO_DELETE, {"ages", "learn"}), (ADD_ON_MISS, {"learn"})],
)
def test_what_tables_need_whose_entries_come_and_go(says: str | None, headers: set[str]) -> None:
    b = Builder()
    b.header("h", "h_t", a=8)
    b.table("t", [("h.a", "exact")], [])
    b.tables = [replace(b.tables[0], annotations=(Annotation(says, "true", AT),) if says else ())]
    program = b.build([state("start", [extract("h")], goto("accept"))], [apply("t")], deparser=[emit("h")])
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    assert {name for name in ("ages", "learn") if f'#include "macs/{name}.h"' in c} == headers
