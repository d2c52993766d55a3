"""What moves in front of what, by a profile: from which share of dropped packets on, past what, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from aux_frontend.p4_16.frontend import P4_16

from transpiler.analysis.packet_profile import PacketProfile, packet_profile, place_of
from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source
from transpiler.hlir.program import Control, Program, Role
from transpiler.hlir.statements import ApplyTable, Block, Body, If, Leave, Statement, Switch
from transpiler.hlir.traverse import walk
from transpiler.schedule.early_drops import with_early_drops

SOURCE = """
#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> a; bit<8> b; bit<8> c; bit<8> d; }}
struct headers_t {{ h_t h; }}
struct meta_t {{ bit<8> m; }}
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{
    state start {{ p.extract(hdr.h); transition accept; }}
}}
control V(inout headers_t hdr, inout meta_t m) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{
    counter(8, CounterType.packets) seen;
    action drop() {{ mark_to_drop(s); }}
    action go_on() {{ }}
    action mark() {{ m.m = 1; }}
    action send(bit<9> port) {{ s.egress_spec = port; }}
    table first {{ key = {{ hdr.h.a: exact; }} actions = {{ go_on; mark; send; drop; }} }}
    table second {{ key = {{ hdr.h.b: exact; }} actions = {{ go_on; drop; }} }}
    table third {{ key = {{ hdr.h.c: exact; }} actions = {{ go_on; drop; }} }}
    table plain {{ key = {{ hdr.h.d: exact; }} actions = {{ go_on; }} }}
    direct_counter(CounterType.packets) counted_by;
    action_profile(4) profile;
    table counted {{ key = {{ hdr.h.d: exact; }} actions = {{ go_on; }} counters = counted_by; }}
    table ageing {{ key = {{ hdr.h.d: exact; }} actions = {{ go_on; }} support_timeout = true; }}
    table profiled {{ key = {{ hdr.h.d: exact; }} actions = {{ go_on; drop; }} implementation = profile; }}
    table marked {{ key = {{ m.m: exact; }} actions = {{ go_on; drop; }} }}
    apply {{
{body}
    }}
}}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{ apply {{ }} }}
control C(inout headers_t hdr, inout meta_t m) {{ apply {{ }} }}
control D(packet_out p, in headers_t hdr) {{ apply {{ p.emit(hdr.h); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""

Load = Callable[..., Program]


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Load:
    folder = tmp_path_factory.mktemp("drops")

    @cache
    def loaded(*body: str) -> Program:
        file = folder / "drops.p4"
        file.write_text(SOURCE.format(body="\n".join(body)))
        return P4_16().load(Source(Path(file)), Diagnostics())

    return loaded


def seen(dropped: dict[str, int], branches: dict[str, list[int]] | None = None, **clocks: float) -> PacketProfile:
    """Of 1000 packets at each table, those dropped."""
    tables = {
        f"I.{name}": {"hits": 1000, "misses": 0, "actions": {"I.drop": count, "I.go_on": 1000 - count}}
        | ({"clocks": clocks[name]} if name in clocks else {})
        for name, count in dropped.items()
    }
    return packet_profile({"version": 1, "packets": 1000, "tables": tables, "branches": branches or {}})


def body_of(program: Program) -> Body:
    return next(p.body for p in program.pipes if isinstance(p, Control) and p.role is Role.INGRESS)


def order(program: Program) -> list[str]:
    """The tables and conditions of ingress, with `!` behind those whose dropped packets leave."""
    body = body_of(program)
    while len(body) == 1 and isinstance(body[0], Block):
        body = body[0].body
    told: list[str] = []
    for statement in body:
        leaves = any(isinstance(s, Leave) for s in walk((statement,)))
        if isinstance(statement, ApplyTable):
            told.append(statement.table.removeprefix("I."))
        elif isinstance(statement, Switch):
            told[-1] += "!" * leaves
        elif isinstance(statement, If):
            told.append("if" + "!" * leaves)
    return told


THREE = ("first.apply();", "second.apply();", "third.apply();")


@pytest.mark.parametrize(
    ("dropped", "clocks", "wanted"),
    [
        ({}, {}, None),
        ({"third": 49}, {}, None),
        ({"third": 50}, {}, ["third!", "first", "second"]),  # LEAST of all packets
        ({"first": 50}, {}, ["first!", "second", "third"]),
        ({"second": 500, "third": 499}, {}, ["second!", "third!", "first"]),
        ({"second": 499, "third": 500}, {}, ["third!", "second!", "first"]),
        (
            {"second": 500, "third": 500},
            {},
            ["second!", "third!", "first"],
        ),  # of those alike none is moved past the other
        ({"first": 100, "second": 100, "third": 100}, {}, ["first!", "second!", "third"]),  # no lookup behind the last
        ({"second": 500, "third": 500}, {"second": 20.0, "third": 10.0}, ["third!", "second!", "first"]),
        ({"second": 500, "third": 400}, {"second": 20.0, "third": 10.0}, ["third!", "second!", "first"]),
        ({"second": 500, "third": 200}, {"second": 20.0, "third": 10.0}, ["second!", "third!", "first"]),
        ({"second": 500, "third": 400}, {"second": 0.5, "third": 0.1}, ["second!", "third!", "first"]),  # 1 at least
    ],
)
def test_what_drops_most_for_its_cost_is_first(
    dropped: dict[str, int], clocks: dict[str, float], wanted: list[str] | None, load: Load
) -> None:
    program = load(*THREE)
    made = with_early_drops(program, seen(dropped, **clocks))
    assert (made is program) if wanted is None else (order(made) == wanted)


HALF = {"first": 500, "third": 500, "second": 500, "marked": 500, "profiled": 500}


@pytest.mark.parametrize(
    ("body", "dropped", "wanted"),
    [
        (("first.apply();", "marked.apply();"), ("marked",), ["first", "marked"]),  # it reads what the first one writes
        (("second.apply();", "marked.apply();"), ("marked",), ["marked!", "second"]),
        (("seen.count(1);", "second.apply();", "third.apply();"), ("third",), ["third!", "second"]),
        (("second.apply();", "seen.count(1);", "third.apply();"), ("third",), ["second", "third"]),  # counts them
        (("second.apply();", "third.apply();", "seen.count(1);"), ("third",), ["second", "third"]),  # so does that
        (("second.apply();", "third.apply();", "s.egress_spec = 3;"), ("third",), ["second", "third"]),  # revives them
        (("second.apply();", "third.apply();", "s.egress_spec = 511;"), ("third",), ["third!", "second"]),
        (("second.apply();", "third.apply();", "hdr.h.d = 3;"), ("third",), ["third!", "second"]),
        (("second.apply();", "hdr.h.c = 3;", "third.apply();"), ("third",), ["second", "third"]),  # its key
        (("second.apply();", "hdr.h.d = 3;", "third.apply();"), ("third",), ["third!", "second"]),
        (
            ("if (hdr.h.d == 1) { first.apply(); exit; }", "third.apply();", "second.apply();"),
            ("third",),
            ["if!", "third!", "second"],
        ),  # who leaves there comes to neither
        (
            ("if (hdr.h.d == 1) { first.apply(); }", "third.apply();", "second.apply();"),
            ("third",),
            ["third!", "if", "second"],
        ),
        (("plain.apply();", "hdr.h.d = hdr.h.c;", "first.apply();"), ("first",), ["first!", "plain"]),
        (("plain.apply();", "hdr.h.d = m.m;", "first.apply();"), ("first",), ["plain", "first"]),  # it may mark m.m
        (("plain.apply();", "m.m = 3;", "first.apply();"), ("first",), ["plain", "first"]),
        (("second.apply();", "first.apply();"), ("first",), ["second", "first"]),  # both may write the port
        (("counted.apply();", "third.apply();"), ("third",), ["counted", "third"]),  # it counts them
        (("ageing.apply();", "third.apply();"), ("third",), ["ageing", "third"]),  # it notes the time of their hits
        (("profiled.apply();", "third.apply();"), ("third",), ["profiled", "third"]),
        (("profiled.apply();", "second.apply();"), ("profiled",), ["profiled", "second"]),  # nor is it told what ran
        (
            ("second.apply();", "for (bit<8> i in 1 .. 2) { hdr.h.d = i; }", "third.apply();"),
            ("third",),
            ["second", "third"],
        ),
        (("hdr.h.b = 3;", "third.apply();"), ("third",), ["third"]),  # no lookup before it, nor behind it
    ],
)
def test_what_is_moved_past_what(
    body: tuple[str, ...], dropped: tuple[str, ...], wanted: list[str], load: Load
) -> None:
    program = load(*body)
    made = with_early_drops(program, seen({name: HALF[name] for name in dropped}))
    assert order(made) == wanted
    assert (made is program) == (not any(name.endswith("!") for name in wanted))


@pytest.mark.parametrize(
    ("condition", "took", "wanted"),
    [
        ("if (hdr.h.d == 1) { drop(); }", (50, 950), ["if!", "second"]),
        ("if (hdr.h.d == 1) { drop(); }", (49, 951), None),
        ("if (hdr.h.d == 1) { } else { drop(); }", (950, 50), ["if!", "second"]),
        ("if (hdr.h.d == 1) { } else { drop(); }", (951, 49), None),
        ("if (hdr.h.d == 1) { drop(); } else { drop(); }", (500, 500), None),  # all are dropped: no condition
        ("if (hdr.h.d == 1) { drop(); s.egress_spec = 2; }", (500, 500), None),
        ("if (hdr.h.d == 1) { s.egress_spec = 2; drop(); }", (500, 500), ["if!", "second"]),
        ("if (hdr.h.d == 1) { drop(); } else { exit; } hdr.h.c = 2;", (500, 500), None),  # others leave
    ],
)
def test_conditions_that_drop(condition: str, took: tuple[int, int], wanted: list[str] | None, load: Load) -> None:
    program = load("second.apply();", condition)
    place = next(place_of(s.span) for s in walk(body_of(program)) if isinstance(s, If))
    made = with_early_drops(program, seen({}, {place: list(took)}))
    assert (made is program) if wanted is None else (order(made) == wanted)


def test_only_the_packets_that_it_dropped_leave(load: Load) -> None:
    program = load("second.apply();", "third.apply();")
    made = with_early_drops(program, seen({"third": 500}))
    (block,) = body_of(made)
    assert isinstance(block, Block) and block.label == "dropped_early"
    applied, switch = block.body[:2]
    assert isinstance(applied, ApplyTable) and isinstance(switch, Switch)
    actions = [use.action for use in program.table["I.third"].actions]
    (case,) = switch.cases
    assert [actions[number] for number in case.values] == ["I.drop"]
    assert case.body == (Leave("dropped_early", applied.span),) and switch.default == ()
    assert [v.name for v in made.variables if v not in program.variables] == ["I.third.did"]


def test_a_table_that_drops_in_two_places_has_a_variable_for_each(load: Load) -> None:
    both = "third.apply(); second.apply();"
    program = load(f"if (hdr.h.d == 1) {{ {both} }} else {{ if (hdr.h.d == 2) {{ {both} }} else {{ {both} }} }}")
    made = with_early_drops(program, seen({"third": 500}))
    names = ["I.third.did", "I.third.did_", "I.third.did__"]
    assert [v.name for v in made.variables if v not in program.variables] == names
    given = [s.action.name for s in statements(made) if isinstance(s, ApplyTable) and s.action is not None]
    assert given == names
    asked = [s.subject.place.name for s in statements(made) if isinstance(s, Switch)]  # type: ignore[union-attr]
    assert asked == given


def test_what_the_program_asks_for_is_still_told(load: Load) -> None:
    """One variable tells the program and the new switch what the table did."""
    program = load("switch (third.apply().action_run) { go_on: { hdr.h.d = 9; } default: { } }", "second.apply();")
    made = with_early_drops(program, seen({"third": 500}))
    assert made is not program and made.variables == program.variables
    (asked,) = (s.action for s in statements(program) if isinstance(s, ApplyTable) and s.action is not None)
    (told,) = (s.action for s in statements(made) if isinstance(s, ApplyTable) and s.action is not None)
    assert told == asked
    subjects = [s.subject.place.name for s in statements(made) if isinstance(s, Switch)]  # type: ignore[union-attr]
    assert subjects == [asked.name] * 2


def test_the_block_that_they_leave_has_a_label_of_its_own(load: Load) -> None:
    program = load("second.apply();", "third.apply();")
    body = (Block("dropped_early", body_of(program), program.span),)
    pipes = tuple(replace(p, body=body) if p.role is Role.INGRESS else p for p in program.pipes)
    (block,) = body_of(with_early_drops(replace(program, pipes=pipes), seen({"third": 500})))  # type: ignore[arg-type]
    assert isinstance(block, Block) and block.label == "dropped_early_"
    assert [s.label for s in walk(block.body) if isinstance(s, Block | Leave)] == ["dropped_early", "dropped_early_"]


def statements(program: Program) -> list[Statement]:
    return list(walk(body_of(program)))


def test_packets_are_all_that_counts(load: Load) -> None:
    program = load(*THREE)
    assert with_early_drops(program, PacketProfile(0, seen({"third": 500}).tables)) is program
    assert len(statements(with_early_drops(program, seen({"third": 500})))) > len(statements(program))
