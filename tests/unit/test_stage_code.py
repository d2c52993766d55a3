"""What the code of a stage computes by lines, and which share of the packets comes there."""

from __future__ import annotations

import pytest
import switches

from transpiler.hlir.program import Program
from transpiler.model.code import CALL, LOOKUP, arrivals, work_of
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.stages import PipeSchedule

PROGRAM = """#include <core.p4>
#include <v1model.p4>
header h_t { bit<64> a; bit<64> b; bit<8> c; bit<8> d; bit<8> e; bit<8> f; }
struct headers_t { h_t h; h_t g; }
struct meta_t { bit<8> m; }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {
    state start {
        p.extract(h.h);
        transition select(h.h.c) { 1: more; 2: more; 3: accept; default: last; }
    }
    state more {
        p.extract(h.g);
        transition last;
    }
    state last {
        m.m = 3;
        transition accept;
    }
}
control V(inout headers_t h, inout meta_t m) { apply { } }
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    counter(4, CounterType.packets) k;
    action one(bit<8> x) {
        h.h.d = x;
    }
    action other() {
        h.h.e = 1;
    }
    table t {
        key = { h.h.d: exact; h.h.e: exact; }
        actions = { one; other; }
        default_action = other();
    }
    table later {
        key = { m.m: exact; }
        actions = { other; }
        default_action = other();
    }
    apply {
        if (h.h.f == 1) {
            h.h.f = h.h.d + h.h.e;
            if (h.h.d == 1) {
                h.h.b = 1;
            }
        } else {
            k.count(3);
        }
        t.apply();
        if (h.h.e == 9) {
            later.apply();
        }
    }
}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply { } }
control C(inout headers_t h, inout meta_t m) { apply { } }
control D(packet_out p, in headers_t h) {
    apply {
        p.emit(h.h);
    }
}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Program, PipeSchedule]:
    """In two stages for each lookup."""
    file = tmp_path_factory.mktemp("code") / "p.p4"
    file.write_text(PROGRAM)
    program = switches.load(file)
    return program, schedule(program, Options(lambda table: True)).pipes[0]


def lines(made: tuple[Program, PipeSchedule], name: str) -> dict[str, tuple[float, float, str, str]]:
    """For each line of a stage: operations, share, memory, and the line of the owner."""
    program, pipe = made
    (stage,) = (stage for stage in pipe.stages if stage.name == name)
    text = ["", *(line.strip() for line in PROGRAM.splitlines())]
    return {
        text[one.span.line]: (one.operations, one.likely, one.memory, text[one.owner.line] if one.owner else "")
        for one in work_of(program, pipe, stage)
    }


def test_the_parser_and_what_is_in_front_of_the_first_lookup(made: tuple[Program, PipeSchedule]) -> None:
    """Each way out of a state, and each arm, is taken as often as the others; headers are an operation a word."""
    words = 160 // 64
    third = pytest.approx(1 / 3)
    assert lines(made, "entry") == {
        "p.extract(h.h);": (1 + words, 1, "", "state start {"),
        "transition select(h.h.c) { 1: more; 2: more; 3: accept; default: last; }": (1 + 4, 1, "", "state start {"),
        "p.extract(h.g);": (1 + words, third, "", "state more {"),
        "transition last;": (1, third, "", "state more {"),
        "m.m = 3;": (1 + 1, pytest.approx(2 / 3), "", "state last {"),
        "transition accept;": (1, pytest.approx(2 / 3), "", "state last {"),
        "if (h.h.f == 1) {": (1 + 3, 1, "", ""),
        "h.h.f = h.h.d + h.h.e;": (1 + 3, 0.5, "", ""),
        "if (h.h.d == 1) {": (1 + 3, 0.5, "", ""),
        "h.h.b = 1;": (1 + 1, 0.25, "", ""),
        "k.count(3);": (1 + 1 + CALL, 0.5, "I.k", ""),
    }


def test_a_table_its_actions_and_what_is_behind(made: tuple[Program, PipeSchedule]) -> None:
    """Ways that join again come there together: both lines of later's stage are all of its packets'."""
    assert lines(made, "I.t") == {
        "t.apply();": (1 + 2 + LOOKUP, 1, "I.t", "t.apply();"),
        "h.h.d = x;": (2, 0.5, "", "action one(bit<8> x) {"),
        "h.h.e = 1;": (2, 0.5, "", "action other() {"),
        "if (h.h.e == 9) {": (4, 1, "", ""),
        "p.emit(h.h);": (3, 1, "", ""),
    }
    assert lines(made, "I.later") == {
        "later.apply();": (1 + 1 + LOOKUP, 1, "I.later", "later.apply();"),
        "h.h.e = 1;": (2, 1, "", "action other() {"),
        "p.emit(h.h);": (3, 1, "", ""),
    }


def test_how_many_packets_come_to_a_stage(made: tuple[Program, PipeSchedule]) -> None:
    assert arrivals(made[1]) == (1, 1, 0.5)
