"""Drawings: what is in them, that Graphviz takes them, and the verb's options and exit codes."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import click
import networkx
import pytest
from hlir_builder import AT, Builder, any_, apply, binary, const, emit, exact, extract, goto, if_, state, valid

from macsad import cli, drawings
from macsad.compilation import Request, decide, load
from transpiler.analysis import dependencies as deps
from transpiler.analysis.dependencies import DEPENDENCIES, dependency_graph
from transpiler.analysis.locations import VALIDITY, Location
from transpiler.analysis.uses import STATE_OF_EXTERN
from transpiler.diagnostics import Span
from transpiler.graph import control, dot, graphviz, json_form, parser, plan, tables
from transpiler.graph.drawing import Drawing, Edge, EdgeKind, Group, Node, NodeKind
from transpiler.graph.text import LINE, LINES, cut, folded, key_sets, last, location, plain, some
from transpiler.hlir.program import Select, SelectCase
from transpiler.hlir.statements import While

GOLDEN = Path(__file__).parents[1] / "golden"
L2FWD = Path(__file__).parents[2] / "apps" / "l2fwd" / "l2fwd.p4"
ROUTER = GOLDEN / "p4_16" / "router.p4"
DRAW = {"parser": parser.draw, "control": control.draw, "tables": tables.draw}
TABLE = '<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="3">'
CELL, BREAK = '<TD ALIGN="LEFT" BALIGN="LEFT">', '<BR ALIGN="LEFT"/>'
needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def drawing(kind: str, file: Path = ROUTER) -> Drawing:
    return DRAW[kind](load(Request(file, warnings=("no-all",))))


def edges(made: Drawing) -> set[tuple[str, str, str]]:
    """(from, to, label's first line), nodes by title or first line."""
    names = {n.id: n.title or n.sections[0][0] for group in made.groups for n in group.nodes}
    return {(names[e.source], names[e.target], (e.label or ("",))[0]) for e in made.edges}


def test_a_parser() -> None:
    made = drawing("parser")
    assert edges(made) >= {("start", "ipv4", "0x800"), ("start", "accept", "default"), ("ipv4", "accept", "")}
    (group,) = made.groups
    assert [node.title for node in group.nodes] == ["start", "ipv4", "accept", "reject"]
    start = group.nodes[0]
    assert start.sections == (("extract(hdr.eth)",), ("select hdr.eth.type",))
    assert start.span is not None and start.span.file.endswith("router.p4")


def test_final_states_that_nothing_leads_to_are_not_drawn() -> None:
    (group,) = drawing("parser", L2FWD).groups
    assert [node.title for node in group.nodes] == ["start", "accept"]


def test_controls() -> None:
    made = drawing("control")
    assert [group.title.split()[0] for group in made.groups] == [
        "verify_checksum", "ingress", "compute_checksum", "deparser",
    ]  # fmt: skip
    assert ("hdr.ipv4.ttl <= 1", "Routing.routes", "false") in edges(made)
    routes = next(n for g in made.groups for n in g.nodes if n.title == "Routing.routes")
    assert routes.kind is NodeKind.TABLE
    assert routes.sections == (("hdr.ipv4.dst: lpm",), ("route", "drop *"))


def test_tables() -> None:
    made = drawing("tables")
    (group,) = made.groups
    assert group.title.startswith("ingress")
    assert ("Routing.routes", "Routing.nexthops", "match:") in edges(made)
    assert ("Routing.routes.hit", "Routing.nexthops", "true") in edges(made)
    (match,) = [e for e in made.edges if e.kind is EdgeKind.MATCH and e.label[1] == "meta.nexthop"]
    assert match.label == ("match:", "meta.nexthop")


def test_dependencies_on_what_is_not_drawn_are_not_drawn() -> None:
    """Statements that only read before a table writes, or only run where a condition holds."""
    b = Builder()
    b.header("h", "h_t", a=8, b=8, c=8)
    b.variable("m.x", 8)
    b.action("put", b.set("m.x", 1))
    b.table("t", [("h.a", "exact")], ["put"])
    body = [b.set("h.b", b.get("m.x")), apply("t"), if_(valid("h"), [b.set("h.c", 1)])]
    program = b.build([state("start", [extract("h")], goto("accept"))], body, deparser=[emit("h")])
    found = {
        (a.kind.value, b.kind.value)
        for a, b, _ in dependency_graph(program).edges(*DEPENDENCIES)
        if a.scope == "Ingress"
    }
    assert found == {("straight", "table"), ("condition", "straight")}
    made = tables.draw(program)
    assert [len(group.nodes) for group in made.groups] == [2] and made.edges == ()


def test_what_orders_tables() -> None:
    """Who reads first is not overtaken by who writes. What a chain of dependencies that are as strong implies is left out."""
    b = Builder()
    b.header("h", "h_t", k=8, x=8, y=8)
    for name, *written in (("asks",), ("puts_x", "h.x"), ("puts_y", "h.y"), ("puts_both", "h.x", "h.y")):
        b.action(name, *(b.set(field, number) for number, field in enumerate(written, 1)))
    for name, key, action in (
        ("reader", "h.x", "asks"), ("first", "h.k", "puts_x"), ("second", "h.k", "puts_both"), ("third", "h.k", "puts_y"),
        ("last", "h.y", "asks"),
    ):  # fmt: skip
        b.table(name, [(key, "exact")], [action])
    order = ("reader", "first", "second", "third", "last")
    program = b.build(
        [state("start", [extract("h")], goto("accept"))], [apply(name) for name in order], deparser=[emit("h")]
    )
    made = tables.draw(program)
    names = {node.id: node.title for group in made.groups for node in group.nodes}
    assert [(names[e.source], names[e.target], e.kind, e.label, e.back) for e in made.edges] == [
        ("reader", "first", EdgeKind.REVERSE_READ, ("reverse-read:", "h.x"), False),  # and so the second one
        ("first", "second", EdgeKind.ACTION, ("action:", "h.x"), False),
        ("second", "third", EdgeKind.ACTION, ("action:", "h.y"), False),
        ("second", "last", EdgeKind.MATCH, ("match:", "h.y"), False),  # the third one follows it for a weaker reason
        ("third", "last", EdgeKind.MATCH, ("match:", "h.y"), False),
    ]


def test_what_a_state_does() -> None:
    """What stands within statements, too; what is selected by is cut where it is long."""
    b = Builder()
    b.header("h", "h_t", a=8)
    names = [f"metadata.{name * 5}" for name in ("one", "two", "three")]
    for name in names:
        b.variable(name, 8)
    body = [extract("h"), if_(valid("h"), [b.set("h.a", 7)], [b.set("h.a", 8)])]
    subjects = tuple(map(b.get, names))
    where = Select(subjects, (SelectCase((any_(),) * 3, "accept", AT),), AT)
    (group,) = parser.draw(b.build([state("start", body, where)])).groups
    assert group.nodes[0].sections == (
        ("extract(h)", "if (h.isValid()) {", "h.a = 7", "h.a = 8"),
        (f"select {names[0]}, {names[1]}, {names[2]}"[: LINE - 1] + "…",),
    )


def test_of_programs_without_tables_what_decides_is_drawn() -> None:
    """Of a run of statements that takes part three lines; nothing of controls that decide nothing."""
    b = Builder()
    b.header("h", "h_t", a=8, b=8, c=8, d=8)
    ingress = [*(b.set(f"h.{name}", number) for number, name in enumerate("abcd", 1)), if_(valid("h"), [])]
    egress = [if_(binary("==", b.get("h.a"), const(1, 8)), [])]
    compute = [b.set("h.b", 7)]
    start = [state("start", [extract("h")], goto("accept"))]
    made = tables.draw(b.build(start, ingress, egress, [emit("h")], compute_checksum=compute))
    assert [(group.id, [node.sections for node in group.nodes]) for group in made.groups] == [
        ("Ingress", [(("h.isValid()",),)]),
        ("Egress", [(("h.a == 1",),)]),
    ]
    asked = [*ingress[:-1], if_(binary("==", b.get("h.d"), const(1, 8)), [])]
    (group, _) = tables.draw(b.build(start, asked, egress, [emit("h")])).groups
    assert [node.sections for node in group.nodes] == [(("h.a = 1", "h.b = 2", "… 2 more"),), (("h.d == 1",),)]


def test_a_loop_without_statements_leads_back() -> None:
    b = Builder()
    b.header("h", "h_t", a=8)
    program = b.build([state("start", [extract("h")], goto("accept"))], [While(valid("h"), (), AT)])
    assert [(edge.label, edge.back) for edge in control.draw(program).edges if edge.source == edge.target] == [
        (("true",), True)
    ]


def test_a_loop_does_not_turn_the_drawing_upside_down() -> None:
    made = drawing("parser", GOLDEN / "p4_16" / "label_stack.p4")
    assert [e.back for e in made.edges if e.source == e.target] == [True]


@pytest.mark.parametrize("kind", DRAW)
def test_json(kind: str) -> None:
    made = json.loads(json_form.write(drawing(kind)))
    ids = {node["id"] for node in made["nodes"]}
    assert len(ids) == len(made["nodes"]) > 0
    assert {end for edge in made["edges"] for end in (edge["from"], edge["to"])} <= ids
    assert {node["group"] for node in made["nodes"]} == {group["id"] for group in made["groups"]}
    assert any(node["at"] and node["at"]["line"] > 1 for node in made["nodes"])


def test_json_of_a_drawing() -> None:
    """All of it: lines of all sections, a place of the program or null, an edge with a label of two lines and one without."""
    table = Node("a", NodeKind.TABLE, "t", (("k: exact", "l: lpm"), ("go",)), Span("p.p4", 3, 4))
    made = Drawing(
        "p: tables",
        (
            Group("I", "ingress  I", (table, Node("b", NodeKind.EXIT, "end"))),
            Group("E", "egress  E", (), Span("q.p4", 5, 6)),
        ),
        (Edge("a", "b", EdgeKind.REVERSE_READ, ("reverse-read:", "h.x")), Edge("b", "a", back=True)),
    )
    assert json.loads(json_form.write(made)) == {
        "title": "p: tables",
        "groups": [
            {"id": "I", "name": "ingress  I", "at": None},
            {"id": "E", "name": "egress  E", "at": {"file": "q.p4", "line": 5, "column": 6}},
        ],
        "nodes": [
            {"id": "a", "kind": "table", "name": "t", "lines": ["k: exact", "l: lpm", "go"], "group": "I",
             "at": {"file": "p.p4", "line": 3, "column": 4}},
            {"id": "b", "kind": "exit", "name": "end", "lines": [], "group": "I", "at": None},
        ],
        "edges": [
            {"from": "a", "to": "b", "kind": "reverse-read", "label": ["reverse-read:", "h.x"]},
            {"from": "b", "to": "a", "kind": "flow", "label": []},
        ],
    }  # fmt: skip
    assert json_form.write(made).endswith("}\n")


@pytest.mark.parametrize(
    ("edge", "attributes"),
    [
        (Edge("a", "b"), 'color="#546e7a"'),
        (Edge("b", "a", back=True), 'color="#546e7a" constraint=false'),
        (
            Edge("a", "b", label=("x < 1", "y")),
            'label=<  x &lt; 1 <BR ALIGN="LEFT"/>  y <BR ALIGN="LEFT"/>> color="#546e7a"',
        ),
        (Edge("a", "b", EdgeKind.MATCH), 'color="#c62828" fontcolor="#c62828" penwidth=2'),
        (Edge("a", "b", EdgeKind.ACTION), 'color="#6a1b9a" fontcolor="#6a1b9a" penwidth=1.5'),
        (Edge("a", "b", EdgeKind.SUCCESSOR), 'color="#2e7d32" fontcolor="#2e7d32" style=dashed'),
        (
            Edge("b", "a", EdgeKind.REVERSE_READ, back=True),
            'color="#90a4ae" constraint=false fontcolor="#607d8b" style=dotted',
        ),
    ],
)
def test_an_edge_in_dot(edge: Edge, attributes: str) -> None:
    nodes = (Node("a", NodeKind.TABLE, "a"), Node("b", NodeKind.TABLE, "b"))
    ends = "n0 -> n1" if edge.source == "a" else "n1 -> n0"
    assert f"\t{ends} [{attributes}]\n" in dot.write(Drawing("d", (Group("g", "g", nodes),), (edge,)))


def hostile(text: str = 'a"b\\n<B>&amp;]]>{|}\n') -> Drawing:
    """Names and texts with all that DOT and HTML give a meaning."""
    nodes = tuple(Node(f"{text}{kind.value}", kind, text, ((text, ""), (text,))) for kind in NodeKind)
    ways = tuple(Edge(nodes[0].id, node.id, kind, (text,)) for node, kind in zip(nodes, EdgeKind, strict=False))
    return Drawing(text, (Group("g", text, nodes),), ways)


def test_text_on_edges_gives_way_in_a_large_drawing() -> None:
    nodes = tuple(Node(str(i), NodeKind.TABLE, f"t{i}") for i in range(dot.LARGE + 2))
    ways = tuple(Edge(str(i), str(i + 1), EdgeKind.MATCH, ('"x"',)) for i in range(dot.LARGE + 1))
    text = dot.write(Drawing("large", (Group("g", "g", nodes),), ways))
    assert 'edgetooltip="\\"x\\""' in text and "label=<  " not in text
    assert "label=<  " in dot.write(Drawing("small", (Group("g", "g", nodes),), ways[:1]))


@pytest.mark.parametrize(("edges", "shown"), [(300, True), (301, False)])
def test_how_large_a_drawing_may_be_to_have_text_on_edges(edges: int, shown: bool) -> None:
    ways = (Edge("a", "a", EdgeKind.MATCH, ("x", "y")),) * edges
    text = dot.write(Drawing("large", (Group("g", "g", (Node("a", NodeKind.TABLE, "t"),)),), ways))
    assert (text.count('label=<  x <BR ALIGN="LEFT"/>  y <BR ALIGN="LEFT"/>>'), text.count('edgetooltip="x y"')) == (
        (len(ways), 0) if shown else (0, len(ways))
    )
    assert ("nslimit" in text) is not shown


AT_LINE = Span("p.p4", 3, 4)


@pytest.mark.parametrize(
    ("node", "attributes"),
    [
        (
            Node("a", NodeKind.ENTRY, "in"),
            'label=in color="#455a64" fillcolor="#455a64" fontcolor=white shape=box style="rounded,filled" tooltip=in',
        ),
        (
            Node("a", NodeKind.CONDITION, "", (("x < 1", "&& y"), ("z",))),
            'label=<x &lt; 1<BR/>&amp;&amp; y<BR/>z> color="#2e7d32" fillcolor="#e8f5e9" margin="0.2,0.1" shape=box '
            'style="filled,diagonals" tooltip=condition',
        ),
        (
            Node("a", NodeKind.CONDITION, ""),  # Graphviz takes no label of HTML without text
            'label=< > color="#2e7d32" fillcolor="#e8f5e9" margin="0.2,0.1" shape=box style="filled,diagonals" tooltip=condition',
        ),
        (
            Node("a", NodeKind.TABLE, "t", (("k: exact",), ("a", "b")), AT_LINE),
            f'label=<{TABLE}<TR>{CELL}<B>t</B></TD></TR><HR/><TR>{CELL}k: exact{BREAK}</TD></TR><HR/>'
            f'<TR>{CELL}a{BREAK}b{BREAK}</TD></TR></TABLE>> color="#ef8f00" fillcolor="#fff8e1" shape=box style=filled '
            'tooltip="p.p4:3:4"',
        ),
        (
            Node("a", NodeKind.STATEMENTS, "", (("x = 1",),)),
            f'label=<{TABLE}<TR>{CELL}x = 1{BREAK}</TD></TR></TABLE>> color="#90a4ae" fillcolor="#fafafa" shape=box '
            'style="rounded,filled" tooltip=statements',
        ),
    ],
)  # fmt: skip
def test_a_node_in_dot(node: Node, attributes: str) -> None:
    assert f"\t\tn0 [{attributes}]\n" in dot.write(Drawing("d", (Group("g", "g", (node,)),), ()))


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (subprocess.TimeoutExpired("dot", 60), 0, "dot took more than 60 s: write .dot and draw it yourself"),
        (OSError(8, "Exec format error"), 0, "/bin/dot does not run: Exec format error"),
        (None, 1, "dot failed: syntax error in line 3 \ufffd"),
    ],
)
def test_what_graphviz_does_not_draw_is_told(
    raised: Exception | None, code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, object, object]] = []

    def run(words: list[str], **options: object) -> subprocess.CompletedProcess[bytes]:
        asked.append((words, options["input"], options["timeout"]))
        if raised is not None:
            raise raised
        return subprocess.CompletedProcess(words, code, b"<svg", b"  syntax error in line 3 \xff\n")

    monkeypatch.setattr(graphviz.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(graphviz.subprocess, "run", run)
    with pytest.raises(graphviz.GraphvizError) as told:
        graphviz.render("digraph \udcff {}", "png")
    assert str(told.value) == message and asked == [(["/bin/dot", "-Tpng"], b"digraph ? {}", 60)]


def test_a_drawing_in_each_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """Why nothing is drawn is told."""
    drawing = Drawing("d", (Group("g", "a µ b", ()),), ())
    assert "a µ b".encode() in drawings.content(drawing, ".dot") and drawings.content(drawing, ".json").startswith(b"{")
    monkeypatch.setattr(drawings, "render", lambda text, form: f"{form} of {text[:7]}".encode())
    assert [drawings.content(drawing, form) for form in (".svg", ".png")] == [b"svg of digraph", b"png of digraph"]

    def fails(text: str, form: str) -> bytes:
        raise graphviz.GraphvizError("dot failed")

    monkeypatch.setattr(drawings, "render", fails)
    with pytest.raises(click.ClickException, match=r"^dot failed$"):
        drawings.content(drawing, ".svg")
    assert [drawings.form_of(Path(f"x{form}"), "-o") for form in drawings.FORMS] == [".dot", ".json", ".svg", ".png"]
    for name in ("x", "x.SVG", "x.svg.gz", ".svg"):
        with pytest.raises(click.BadParameter) as bad:
            drawings.form_of(Path(name), "--draw")
        assert (bad.value.message, bad.value.param_hint) == (
            f"{name} ends in none of .dot, .json, .svg, .png",
            "--draw",
        )


def test_a_program_without_tables() -> None:
    made = drawing("tables", GOLDEN / "p4_16" / "order.p4")
    assert "while I.i_1 < 3" in {node.sections[0][0] for group in made.groups for node in group.nodes}


@needs_dot
@pytest.mark.parametrize(
    "made", [hostile(), hostile("<b>(</b>"), *map(drawing, DRAW)], ids=["hostile", "brackets", *DRAW]
)
def test_graphviz_draws_it(made: Drawing) -> None:
    assert b"<svg" in graphviz.render(dot.write(made), "svg")


def test_json_comes_from_the_command(tmp_path: Path) -> None:
    assert cli.call(["graph", str(L2FWD), "-o", str(tmp_path / "g.json")]) == 0
    assert (tmp_path / "g.json").read_text() == json_form.write(drawing("control", L2FWD))


def test_without_graphviz_the_package_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, *more: None if name == "dot" else which(name, *more))
    with pytest.raises(graphviz.GraphvizError, match="apt-get install graphviz"):
        graphviz.render("digraph {}", "svg")
    assert cli.call(["graph", str(ROUTER), "-o", str(tmp_path / "r.svg")]) == cli.NO
    errors = [line for line in capfd.readouterr().err.splitlines() if "warning" not in line]
    assert any(line.startswith("Error: ") and "apt-get install graphviz" in line for line in errors)
    assert not (tmp_path / "r.svg").exists()


def test_text_is_short() -> None:
    assert plain("8w0x1f &&& 8s-1 ++ 16w7") == "0x1f &&& -1 ++ 7"
    assert folded("(a.b == 1) && (c.d == 2) && e.isValid()", 12) == ("a.b == 1", "&& c.d == 2", "&& e.isValid()")


def test_how_short_text_is() -> None:
    """What is just as long as it may be stays."""
    assert cut("x" * LINE) == "x" * LINE and cut("x" * (LINE + 1)) == "x" * (LINE - 1) + "…"
    lines = tuple(map(str, range(LINES + 1)))
    assert some(lines[:-1]) == lines[:-1] and some(lines) == (*lines[: LINES - 1], "… 2 more")
    assert some(["x" * (LINE + 1)], 1) == ("x" * (LINE - 1) + "…",)
    assert folded("aa && bb", 8) == ("aa && bb",) and folded("aa && bb", 7) == ("aa", "&& bb")
    assert folded("a || (b == 1) && c", 99) == ("a || b == 1 && c",)
    assert last("a.b.c") == "c" and last("c") == "c"


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (Location("m.x"), "m.x"),
        (Location("h", "f"), "h.f"),
        (Location("h", VALIDITY), "h.isValid()"),
        (Location("r", STATE_OF_EXTERN), "r"),
    ],
)
def test_what_locations_are_called(where: Location, text: str) -> None:
    assert location(where) == text


def test_sets_that_take_everything_are_the_default() -> None:
    assert key_sets([any_(), any_()]) == "default" and key_sets([exact(0x1F, 8), any_()]) == "0x1f, _"


# --- the verb --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", DRAW)
def test_dot_goes_to_standard_output(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["graph", str(ROUTER), "--kind", kind]) == 0
    assert capfd.readouterr().out == dot.write(drawing(kind))


@needs_dot
@pytest.mark.parametrize(
    ("form", "start"), [("dot", b"digraph"), ("json", b"{"), ("svg", b"<?xml"), ("png", b"\x89PNG")]
)
def test_files(form: str, start: bytes, tmp_path: Path) -> None:
    file = tmp_path / f"r.{form}"
    assert cli.call(["graph", str(ROUTER), "-o", str(file)]) == 0
    assert file.read_bytes().startswith(start)


def test_an_unknown_form_is_wrong_usage(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["graph", str(ROUTER), "-o", str(tmp_path / "r.pdf")]) == cli.USAGE
    assert ".svg" in capfd.readouterr().err


def test_a_folder_that_is_not_there(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["graph", str(ROUTER), "-o", str(tmp_path / "none" / "r.dot")]) == cli.NO
    assert "No such file" in capfd.readouterr().err


# --- plans -----------------------------------------------------------------------------------------------------------


def plan_of(capfd: pytest.CaptureFixture[str], *options: str) -> str:
    assert cli.call(["graph", str(L2FWD), "--kind", "plan", *options]) == 0
    return capfd.readouterr().out


def test_a_plan_goes_to_standard_output_as_text(capfd: pytest.CaptureFixture[str]) -> None:
    assert plan_of(capfd) == (GOLDEN / "graph" / "l2fwd.plan").read_text()


@pytest.mark.parametrize(
    ("switch", "gone", "come"),
    [
        ("--no-bulk", "hashed as an array", "b packets at a time"),
        ("--no-software-pipelining", "prologue", "run to completion"),
        ("--no-run-to-completion", "software pipelined", "egress, by pipeline"),
        ("--no-read-ahead", "prefetch the headers", ""),
        ("--no-stages", "gather", "looked up within a stage"),
        ("--no-concurrent-lookups", "gather    L2Ingress.smac, L2Ingress.dmac", "gather    L2Ingress.smac:"),
        ("--no-packed-entries", "exact_packed", "exact_hash"),
        ("--kernel=smac=linear", "L2Ingress.smac (exact_packed)", "L2Ingress.smac (linear)"),
    ],
)
def test_a_plan_shows_what_switches_change(
    switch: str, gone: str, come: str, capfd: pytest.CaptureFixture[str]
) -> None:
    before, after = plan_of(capfd), plan_of(capfd, switch)
    assert gone in before and gone not in after
    assert come in after and (not come or come not in before)


@pytest.mark.parametrize("option", ["--no-bulk", "--no-optimise", "--kernel=smac=linear", "--target=software"])
def test_what_is_for_plans_alone_is_wrong_usage_elsewhere(option: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["graph", str(L2FWD), option]) == cli.USAGE
    told = "how a switch is made does not matter to --kind control: that is for --kind plan"
    assert told in " ".join(capfd.readouterr().err.split())


@needs_dot
@pytest.mark.parametrize(
    ("form", "start"), [("dot", b"digraph"), ("json", b"{"), ("svg", b"<?xml"), ("png", b"\x89PNG")]
)
def test_files_of_a_plan(form: str, start: bytes, tmp_path: Path) -> None:
    file = tmp_path / f"p.{form}"
    assert cli.call(["graph", str(L2FWD), "--kind", "plan", "-o", str(file)]) == 0
    assert file.read_bytes().startswith(start)


def test_a_plan_of_what_the_target_lacks_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "p.p4"
    program.write_text(L2FWD.read_text().replace("exact", "range"))
    assert cli.call(["graph", str(program), "--kind", "plan", "--kernel", "smac=exact_hash"]) == cli.NO
    assert "cannot hold" in capfd.readouterr().err


def test_steps_are_drawn_in_their_order() -> None:
    request = Request(L2FWD, warnings=("no-all",))
    made = plan.draw(decide(request, load(request)).planned)
    assert [group.title for group in made.groups][:2] == [
        "ingress, software pipelined: prologue",
        "ingress, software pipelined: epilogue",
    ]
    assert [node.title for node in made.groups[0].nodes] == ["receive", "gather", "start"]
    assert made.groups[0].nodes[1].sections[1] == ("hdr.ethernet.dst", "hdr.ethernet.src")
    assert [(e.source, e.target) for e in made.edges][:2] == [
        ("ingress/prologue/0", "ingress/prologue/1"),
        ("ingress/prologue/1", "ingress/prologue/2"),
    ]
    run = next(node for node in made.groups[1].nodes if node.title == "run")
    assert "next burst" in " ".join(run.sections[0])


@pytest.mark.parametrize("seed", range(20))
def test_the_dependencies_that_others_imply(seed: int) -> None:
    """Those that a graph without ways back has more than its transitive reduction; ways back count for nothing."""
    rng = random.Random(seed)
    places = [deps.NodeId(deps.NodeKind.TABLE, scope, str(number)) for scope in "ab" for number in range(8, 13)]
    pairs = [(a, b) for a in places for b in places if a.scope == b.scope and rng.random() < 0.4]
    forward = networkx.DiGraph([(a, b) for a, b in pairs if int(a.name) < int(b.name)])
    rng.shuffle(pairs)
    assert tables._implied(pairs) == set(forward.edges) - set(networkx.transitive_reduction(forward).edges)
