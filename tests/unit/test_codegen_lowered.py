"""What a program becomes before its C is made: locals that begin anew; caches and steering; settings."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import switches
from hlir_builder import AT, Builder, apply, binary, emit, extract, goto, if_, state

from macsad.resources import share
from transpiler.codegen.generate import generate
from transpiler.codegen.lower import lower
from transpiler.codegen.renew import renew_locals
from transpiler.configuration import BEST
from transpiler.diagnostics import Diagnostics
from transpiler.hlir.expressions import Cast, Expression
from transpiler.hlir.interface import Annotation
from transpiler.hlir.printer import print_body
from transpiler.hlir.program import ADD_ON_MISS, AUTO_DELETE, SUPPORT_TIMEOUT, Control, Parser, Role, Storage
from transpiler.hlir.statements import Statement, Switch, SwitchCase
from transpiler.hlir.types import Bits, Bool
from transpiler.targets.find import builtin
from transpiler.verifier import verify

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


def switch(subject: Expression, *cases: tuple[tuple[int, ...], Statement], default: tuple[Statement, ...]) -> Switch:
    made = tuple(SwitchCase(values, (body,), AT) for values, body in cases)
    return Switch(subject, made, default, AT)


def test_switches_that_c_lacks_are_tests_one_behind_the_other() -> None:
    """Over bool and over more than 64 bits; wherever they stand. The others stay."""
    b = Builder()
    b.header("h", "h_t", a=8, narrow=64, wide=65)
    b.variable("m.b", Bool())
    one, two, three, four = (b.set("h.a", number) for number in (1, 2, 3, 4))
    wide = switch(b.get("h.wide"), ((1, 2), one), ((5,), two), default=(three,))
    truth = switch(b.get("m.b"), ((1,), wide), default=(four,))
    narrow = switch(b.get("h.narrow"), ((1, 2), truth), default=())
    b.action("act", truth)
    b.table("t", [("h.a", "exact")], ["act"])
    start = state("start", [extract("h"), truth], goto("accept"))
    program = b.build([start], [narrow, apply("t")], deparser=[emit("h")])
    made = lower(program)
    verify(made)
    (ingress,) = (pipe.body for pipe in made.pipes if isinstance(pipe, Control) and pipe.role is Role.INGRESS)
    (parser,) = (pipe for pipe in made.pipes if isinstance(pipe, Parser))
    bodies = [parser.states[0].body[1:], ingress, made.action["act"].body]
    lowered = """{outer}: {{
    if (m.b == true) {{
        {inner}: {{
            if ((h.wide == 65w1) || (h.wide == 65w2)) {{
                h.a = 8w1;
                leave {inner};
            }}
            if (h.wide == 65w5) {{
                h.a = 8w2;
                leave {inner};
            }}
            h.a = 8w3;
        }}
        leave {outer};
    }}
    h.a = 8w4;
}}"""
    texts = [print_body(body).strip() for body in bodies]
    assert texts[1].startswith("switch (h.narrow) {") and texts[1].endswith("apply t;")
    for text in texts:
        labels = re.findall(r"(switch_\d): ", text)
        wanted = lowered.format(outer=labels[0], inner=labels[1])
        assert "".join(wanted.split()) in "".join(text.split())
    assert len({label for text in texts for label in re.findall(r"(switch_\d): ", text)}) == 6
    only_narrow = b.build([state("start", [extract("h")], goto("accept"))], [replace(narrow, cases=())])
    assert lower(replace(only_narrow, actions=(), tables=())) == replace(only_narrow, actions=(), tables=())
