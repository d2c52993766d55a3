"""What there is to cover in a program: its items, which of them are one, and what is not counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import switches
from hlir_builder import Builder, extract, goto, state

pytest.importorskip("z3")

from transpiler.diagnostics import Span
from transpiler.hlir import statements as st
from transpiler.hlir.program import Parser
from transpiler.hlir.traverse import program_bodies, walk
from transpiler.interpreter import Switch
from transpiler.testgen.cover import BRANCH, STATE, Coverage, possible

LIBRARY = """
action in_library(inout bit<8> x) { if (x == 1) { x = 2; } else { x = 3; } }
parser Inner(packet_in p) {
    bit<8> k;
    state start { k = p.lookahead<bit<8>>(); transition select(k) { 1: accept; default: accept; } }
}
"""
PROGRAM = """
#include <core.p4>
#include <v1model.p4>
#include "library.p4"
enum bit<8> Kind { one = 1, two = 2 }
header h_t { bit<8> a; bit<8> b; }
header sum_t { bit<16> sum; }
struct H { h_t h; sum_t s; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    Inner() inner;
    state start {
        inner.apply(p);
        p.extract(h.h);
        verify(h.h.a != 0, error.NoMatch);
        transition select(h.h.a) { 1: more; 2: more; }
    }
    state more { transition select(h.h.b) { 1: accept; default: accept; } }
}
control V(inout H h, inout M m) {
    apply { verify_checksum(h.s.isValid(), { h.h.a }, h.s.sum, HashAlgorithm.csum16); }
}
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action set(bit<8> v) { h.h.b = v; }
    action only() { h.h.b = 9; }
    table t { key = { h.h.a : exact; } actions = { set; @defaultonly only; } default_action = only; }
    table fixed {
        key = { h.h.a : exact; }
        actions = { set; only; }
        const entries = { 1: set(1); 2: set(2); }
        default_action = only;
    }
    table keyless { actions = { set; only; } default_action = only; }
    apply {
        in_library(h.h.a);
        switch (h.h.a) { 1: { h.h.b = 1; } 2: 3: { h.h.b = 2; } default: { } }
        switch ((Kind) h.h.a) { Kind.one: { h.h.b = 4; } }
        t.apply();
        fixed.apply();
        keyless.apply();
        for (bit<8> i in 0 .. h.h.b) { h.h.a = h.h.a + i; }
        for (bit<8> j = 0; j < 2; j = j + 1) { h.h.b = j; }
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control C(inout H h, inout M m) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cover")
    (made / "library.p4").write_text(LIBRARY)
    (made / "main.p4").write_text(PROGRAM)
    return made


def test_branches_are_named(folder: Path) -> None:
    coverage = Coverage(switches.load(folder / "main.p4"), str(folder / "library.p4"))
    names = [item.what for item in coverage.items if item.kind == BRANCH]
    selects = ["case -> more", "case -> more", "no case", "case -> accept", "case -> accept"]
    assert [name for name in names if name.startswith(("case ->", "no case"))] == selects
    assert {name for name in names if name.startswith("case ")} >= {"case 0x1", "case 0x2 0x3", "case default"}
    assert {"verify holds", "verify fails", "loop", "end of the loop"} <= set(names)
    assert not {"if true", "if false"} & set(names)  # the condition of a checksum is a part of the call
    assert [name for name in names if name.startswith("I.")] == [
        "I.keyless: miss with I.set", "I.keyless: miss with I.only", "I.fixed: hit with I.set", "I.fixed: miss",
        "I.t: hit with I.set", "I.t: miss",
    ]  # fmt: skip
    assert len(coverage.items) == len(set(coverage.items)) == len(coverage.number)
    assert coverage.outcome_items("I.t").keys() == {("I.set", True), ("", False)}
    states = {str(item).partition(": ")[2] for item in coverage.items if item.kind == STATE}
    assert states >= {"state start", "state more"}


def test_what_stands_in_files_that_are_left_out_does_not_count(folder: Path) -> None:
    """Nor is it taken for something else."""
    program, library = switches.load(folder / "main.p4"), str(folder / "library.p4")
    whole, coverage = Coverage(program), Coverage(program, library)
    assert not any(item.span.file == library for item in coverage.items)
    assert {item.what for item in whole.items if item.span.file == library} >= {"if true", "if false", "start"}
    there = [s for body in program_bodies(program) for s in walk(body) if s.span.file == library]
    assert there and {coverage.statement_item(s) for s in there} == {-1}
    assert {item for s in there for item in coverage.arms_of(s).values()} == {-1}
    states = [s for pipe in program.pipes if isinstance(pipe, Parser) for s in pipe.states if s.span.file == library]
    assert states and {coverage.state_item(s) for s in states} == {-1}
    for counted in (whole, coverage):
        watch = Coverage.Watching(counted)
        Switch(program, watch=watch).process(0, bytes((1, 0, 9)))
        assert min(watch.seen) >= 0
        seen = {counted.items[number].span.file == library for number in watch.seen}
        assert seen == ({True, False} if counted is whole else {False})
        assert counted.items[0].kind != STATE or 0 in watch.seen


def test_blocks_and_what_leaves_them_are_no_statements_of_a_user() -> None:
    b = Builder()
    b.variable("x", 8)
    inner = (b.set("x", 1), st.Leave("end", Span("t.p4", 7, 1)))
    made = b.build([state("start", [], goto("accept"))], ingress=[st.Block("end", inner, Span("t.p4", 6, 1))])
    assert [str(item) for item in Coverage(made).items] == ["t.p4:1:1: state start", "t.p4:1:1: statement"]


@pytest.mark.parametrize(
    ("given", "counted"),
    [
        ({}, [("a", False), ("b", False)]), ({"const_default": True}, [("b", False)]),
        ({"keys": [("h.a", "exact")]}, [("a", True), ("b", True), ("", False)]),
        ({"keys": [("h.a", "exact")], "const_entries": True}, [("", False)]),
    ],
)  # fmt: skip
def test_outcomes_of_a_table_that_count(given: dict[str, Any], counted: list[tuple[str, bool]]) -> None:
    """Without keys each action that may be its default; of constant entries only what they run."""
    b = Builder()
    b.header("h", "h_t", a=8)
    for name in "ab":
        b.action(name)
    b.table("t", given.pop("keys", []), ["a", "b"], "b", **given)
    made = b.build([state("start", [extract("h")], goto("accept"))]).table["t"]
    assert list(possible(made)) == counted
    only = tuple(replace(use, table_only=use.action == "a", default_only=use.action == "b") for use in made.actions)
    kept = [one for one in counted if one != (("b", True) if made.keys else ("a", False))]
    assert list(possible(replace(made, actions=only))) == kept


def test_what_a_packet_covers(folder: Path) -> None:
    program = switches.load(folder / "main.p4")
    coverage = Coverage(program, str(folder / "library.p4"))
    watch = Coverage.Watching(coverage)
    Switch(program, watch=watch).process(0, bytes((5, 1, 9)))
    seen = {coverage.items[number].what for number in watch.seen if coverage.items[number].kind == BRANCH}
    assert seen == {
        "verify holds",
        "no case",
        "case default",
        "case 0x2 0x3",
        "I.t: miss",
        "I.fixed: miss",
        "I.keyless: miss with I.only",
        "loop",
        "end of the loop",
    }
    assert not {"verify fails", "I.t: hit with I.set", "I.keyless: miss with I.set"} & seen
