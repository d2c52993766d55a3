"""A generated test as STF text: what sets it up, the frame, what comes out, and what undoes it for one behind it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hlir_builder import Builder, apply, emit, extract, goto, state

pytest.importorskip("z3")

from macsad.testgen import report
from macsad.testgen.making import _places, _texts
from macsad.testgen.text import Before, _name, ending, stf
from transpiler.diagnostics import Span
from transpiler.hlir.program import Program
from transpiler.testgen.choices import Chosen
from transpiler.testgen.cover import Item
from transpiler.testgen.generate import Generated
from transpiler.testgen.scenario import Scenario, Sent
from transpiler.testgen.unreached import Reason
from transpiler.testgen.walk import PORT_LIMIT

FRAME = b"\x01\xab"


@pytest.fixture(scope="module")
def program() -> Program:
    b = Builder()
    b.header("h", "h_t", a=8, b=16, c=4, d=4)
    b.action("I.put", v=8, w=16)
    b.action("I.none")
    b.extern("I.profile", "action_profile", size=4)
    b.extern("I.selector", "action_selector", size=4, algorithm="crc16", width=14)
    b.extern("I.cells", "register", size=4, width=8)
    b.extern("I.first", "register", size=4, width=8, initial=7)
    b.extern("I.rates", "meter", size=4, unit="bytes")
    b.table("I.exact", [("h.a", "exact")], ["I.put", "I.none"], default="I.none")
    b.table("I.kinds", [("h.a", "lpm"), ("h.b", "ternary"), ("h.c", "range"), ("h.d", "optional")], ["I.put"])
    b.table("I.members", [("h.a", "exact")], ["I.put"], implementation="I.profile")
    b.table("I.groups", [("h.a", "exact"), ("h.b", "selector")], ["I.put"], implementation="I.selector")
    tables = ("I.exact", "I.kinds", "I.members", "I.groups")
    start = state("start", [extract("h")], goto("accept"))
    return b.build([start], ingress=[apply(name) for name in tables], deparser=[emit("h")])


def lines(program: Program, before: Before | None = None, number: int = 3, news: Any = (), **what: Any) -> list[str]:
    text = stf(program, Scenario(5, FRAME, **what), news, number, before or Before())
    assert text.endswith("\n")
    return text.splitlines()


PUT = "put(v:0x7, w:0x102)"


@pytest.mark.parametrize(
    ("what", "before_the_packet"),
    [
        ({"entries": (Chosen("I.exact", (0x1F,), "I.put", (7, 0x102)),)}, [f"add I.exact h.a:0x1f I.{PUT}"]),
        ({"entries": (Chosen("I.exact", (0,), "I.none", ()),)}, ["add I.exact h.a:0x0 I.none()"]),
        ({"entries": (Chosen("I.kinds", (1, 2, 3, 4), "I.put", (7, 0x102)),)},
         [f"add I.kinds 1 h.a:0x1 h.b:0x2 h.c:0x3..0x3 h.d:0x4 I.{PUT}"]),
        ({"entries": (Chosen("I.kinds", (0, 0, 0, 0), "I.put", (0, 0)),)},
         ["add I.kinds 1 h.a:0x0 h.b:0x0 h.c:0x0..0x0 h.d:0x0 I.put(v:0x0, w:0x0)"]),
        ({"entries": (Chosen("I.exact", (1,), "I.none", ()), Chosen("I.members", (2,), "I.put", (7, 0x102)))},
         ["add I.exact h.a:0x1 I.none()", f"member I.profile I.{PUT} = member3_1", "add I.members h.a:0x2 $member3_1"]),
        ({"entries": (Chosen("I.groups", (2,), "I.put", (7, 0x102)),)},
         [f"member I.selector I.{PUT} = member3_0", "group I.selector $member3_0 = group3_0", "add I.groups h.a:0x2 $group3_0"]),
        ({"defaults": (("I.exact", "I.put", (7, 0x102)),)}, [f"setdefault I.exact I.{PUT}"]),
        ({"registers": (("I.cells", 2, 0), ("I.cells", 3, 0x55), ("I.first", 0, 7), ("I.first", 1, 0))},
         ["register_write I.cells 3 0x55", "register_write I.first 1 0x0"]),
        ({"meters": (("I.rates", 1, 1), ("I.rates", 2, 2), ("I.rates", 3, 0))},
         ["meter_set_rates I.rates 1 0:0 1000:1000000", "meter_set_rates I.rates 2 0:0 0:0",
          "meter_set_rates I.rates 3 1000:1000000 1000:1000000"]),
        ({"host": True, "sessions": (9,)}, ["port_host 5", "mirroring_add 9 4"]),
        ({"groups": (6, 8)},
         ["mc_mgrp_create 6", "mc_node_create 2 2", "mc_node_associate 6 0", "mc_node_create 3 3", "mc_node_associate 6 1",
          "mc_mgrp_create 8", "mc_node_create 2 2", "mc_node_associate 8 2", "mc_node_create 3 3", "mc_node_associate 8 3"]),
    ],
)  # fmt: skip
def test_what_is_set_up(what: dict[str, Any], before_the_packet: list[str], program: Program) -> None:
    assert lines(program, **what) == [*before_the_packet, "packet 5 01AB", "no_packet"]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ((Sent(2, b"\x0a\xff"), Sent(1, b"\x01", frozenset({0}))), ["expect 2 0AFF$", "expect 1 **$"]),
        ((Sent(1, b"\1\2\3\4", frozenset({1, 2})),), ["expect 1 01****04$"]),
        ((Sent(PORT_LIMIT - 1, b"\1"),), [f"expect {PORT_LIMIT - 1} 01$"]),
        ((Sent(PORT_LIMIT, b"\1"),), [f"# it goes to port {PORT_LIMIT}, which is not there", "no_packet"]),
        ((Sent(9999, b"\1"), Sent(8888, b"\1"), Sent(9999, b"\2"), Sent(1, b"\3")),
         ["expect 1 03$", "# it goes to port 8888, which is not there", "# it goes to port 9999, which is not there"]),
    ],
)  # fmt: skip
def test_what_comes_out(sent: tuple[Sent, ...], said: list[str], program: Program) -> None:
    assert lines(program, sent=sent) == ["packet 5 01AB", *said]


def test_what_a_test_covers_stands_above_it(program: Program) -> None:
    news = [Item("statement", Span("p.p4", 3, 7)), Item("branch", Span("p.p4", 4, 1), "if true")]
    assert lines(program, news=news)[:2] == ["# p.p4:3:7: statement", "# p.p4:4:1: branch if true"]


def test_tests_of_one_file_know_what_those_before_have_left(program: Program) -> None:
    """Groups that are there, whose nodes are counted on; cells may hold anything."""
    before = Before(alone=False)
    assert len(lines(program, before, groups=(6,))) == 7
    assert lines(program, before, groups=(6, 8), registers=(("I.cells", 2, 0),)) == [
        "mc_mgrp_create 8", "mc_node_create 2 2", "mc_node_associate 8 2", "mc_node_create 3 3", "mc_node_associate 8 3",
        "register_write I.cells 2 0x0", "packet 5 01AB", "no_packet",
    ]  # fmt: skip
    assert before.groups == [6, 8]


def test_what_undoes_a_test(program: Program) -> None:
    what: dict[str, Any] = {
        "defaults": (("I.exact", "I.put", (7, 0x102)),), "sessions": (9, 3), "host": True, "meters": (("I.rates", 2, 2),),
    }  # fmt: skip
    assert ending(program, Scenario(5, FRAME, **what), 3).splitlines() == [
        "wait", "remove all", "setdefault I.exact I.none()", "mirroring_delete 9", "mirroring_delete 3", "port_net 5",
        "meter_set_rates I.rates 2 1000:1000000 1000:1000000",
    ]  # fmt: skip
    assert ending(program, Scenario(5, FRAME), 3) == "wait\nremove all\n"
    assert ending(program, Scenario(0, FRAME, host=True), 3) == "wait\nremove all\nport_net 0\n"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("h.a", "h.a"),
        ("h.$valid$", "h.$valid$"),
        ("$x", '"$x"'),
        ("h.a b", '"h.a b"'),
        ("h[1].a", '"h[1].a"'),
        ("1a", '"1a"'),
    ],
)
def test_names_that_may_be_read_as_something_else_are_quoted(name: str, written: str) -> None:
    assert _name(name) == written


@pytest.mark.parametrize(
    ("count", "first", "last"), [(1, "p-1.stf", "p-1.stf"), (9, "p-1.stf", "p-9.stf"), (10, "p-01.stf", "p-10.stf"),
                                 (100, "p-001.stf", "p-100.stf")],
)  # fmt: skip
def test_files_are_numbered_so_that_they_sort(count: int, first: str, last: str) -> None:
    places = _places(Path("out"), "p", (Scenario(5, FRAME),) * count, one=False)
    assert (places[0], places[-1], len(places)) == (Path("out", first), Path("out", last), count)
    assert places == sorted(places)
    assert _places(Path("all.stf"), "p", (Scenario(5, FRAME),) * count, one=True) == [Path("all.stf")] * count


def generated(items: list[Item], covered: list[set[int]], unreached: dict[int, Reason], complete: bool) -> Generated:
    coverage: Any = SimpleNamespace(items=items)
    tests = tuple(Scenario(5, FRAME, covered=frozenset(one)) for one in covered)
    return Generated(coverage, tests, frozenset().union(*covered), unreached, 1234, 56, complete, 1.23456)


def test_the_report_in_full() -> None:
    """What is not covered in the order of the source, whatever its number."""
    at = [Span("p.p4", 9, 5), Span("b.p4", 9, 7), Span("b.p4", 9, 3), Span("p.p4", 2, 1), Span("p.p4", 10, 1)]
    items = [Item("state", at[0], "start"), Item("branch", at[1], "if true"), Item("branch", at[2], "if \x1b"),
             Item("statement", at[3]), Item("statement", at[4]), Item("statement", Span("b.p4", 2, 4))]  # fmt: skip
    reasons = {
        5: Reason(True, "dead"),
        4: Reason(False, "no time"),
        3: Reason(True, "unreachable: never"),
        1: Reason(True, "unreachable"),
    }
    reasons[2] = Reason(False, "more tests than were asked for")
    reasons[5] = Reason(True, "dead")
    made = generated(items, [{0}, {0}], reasons, False)
    assert report.text(made, ["a.stf", "b.stf"]).splitlines() == [
        "2 tests, found among 1234 packets in 1.2 s",
        "lines: 1 of 4 (25.0%); 2 cannot be reached",
        "branches: 0 of 2 (0.0%); 1 cannot be reached",
        "b.p4:2:4: statement: dead",
        "b.p4:9:3: branch if \\x1b: more tests than were asked for",
        "b.p4:9:7: branch if true: unreachable",
        "p.p4:2:1: statement: unreachable: never",
        "p.p4:10:1: statement: no time",
        "a.stf",
        "b.stf",
    ]
    start = {"kind": "state", "what": "start", "place": "p.p4:9:5"}
    assert report.data(made, ["a.stf", "b.stf"]) == {
        "lines": {"covered": 1, "total": 4, "unreachable": 2},
        "branches": {"covered": 0, "total": 2, "unreachable": 1},
        "tests": [{"file": "a.stf", "covers": [start]}, {"file": "b.stf", "covers": [start]}],
        "uncovered": [
            {"kind": "statement", "what": "", "place": "b.p4:2:4", "proved": True, "reason": "dead"},
            {"kind": "branch", "what": "if \x1b", "place": "b.p4:9:3", "proved": False,
             "reason": "more tests than were asked for"},
            {"kind": "branch", "what": "if true", "place": "b.p4:9:7", "proved": True, "reason": "unreachable"},
            {"kind": "statement", "what": "", "place": "p.p4:2:1", "proved": True, "reason": "unreachable: never"},
            {"kind": "statement", "what": "", "place": "p.p4:10:1", "proved": False, "reason": "no time"},
        ],
        "packets": 1234, "queries": 56, "complete": False, "seconds": 1.235,
    }  # fmt: skip
    whole = generated([items[0]], [{0}], {}, True)
    assert report.text(whole, ["a.stf"]).splitlines()[1:] == ["lines: 1 of 1 (100.0%)", "branches: 0 of 0", "a.stf"]
    assert report.data(whole, ["a.stf"])["complete"] is True


def test_tests_of_one_file_follow_each_other_and_those_of_their_own_do_not(program: Program) -> None:
    """What one covers stands above the first that does; groups are made once for each switch, that is for each file."""
    items = [Item("statement", Span("p.p4", line, 1)) for line in (7, 3, 5)]
    coverage: Any = SimpleNamespace(items=items)
    tests = tuple(
        Scenario(5, FRAME, groups=groups, covered=frozenset(covered))
        for groups, covered in (((6,), (0, 1)), ((6, 8), (1, 2)), ((8,), (0, 1, 2)))
    )
    made = Generated(coverage, tests, frozenset((0, 1, 2)), {}, 1, 1, True, 1.0)
    news: tuple[list[str], ...] = (["# p.p4:3:1: statement", "# p.p4:7:1: statement"], ["# p.p4:5:1: statement"], [])

    def group(number: int, first: int) -> list[str]:
        nodes = [("2 2", first), ("3 3", first + 1)]
        return [f"mc_mgrp_create {number}"] + [
            line for ports, node in nodes for line in (f"mc_node_create {ports}", f"mc_node_associate {number} {node}")
        ]

    end = ["packet 5 01AB", "no_packet"]
    both = [text.splitlines() for text in _texts(program, made, alone=False)]
    assert both == [[*news[0], *group(6, 0), *end], [*news[1], *group(8, 2), *end], end]
    each = [text.splitlines() for text in _texts(program, made, alone=True)]
    assert each == [
        [*news[0], *group(6, 0), *end], [*news[1], *group(6, 0), *group(8, 2), *end], [*group(8, 0), *end],
    ]  # fmt: skip
