"""Which decisions can be ready, and what the runtime is told of their frames."""

from __future__ import annotations

from pathlib import Path

import pytest

from macsad import compilation
from macsad.compilation import Request
from transpiler.externs.decisions import GOES, SENDS
from transpiler.hlir.printer import print_body
from transpiler.hlir.program import Control, Program, Role
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.traverse import program_statements
from transpiler.schedule import ready
from transpiler.schedule.decisions import Cached, with_decisions

TABLES = 9
BODY = "".join(f"t{n}.apply(); " for n in range(TABLES))
PARSER = """state start { p.extract(h.a); transition select(h.a.kind) { 1: second; 2: third; default: accept; } }
    state second { p.extract(h.b); transition third; }
    state third { p.extract(h.c); transition accept; }"""
EMITS = "p.emit(h.a); p.emit(h.b); p.emit(h.c);"


def program(folder: Path, parser: str = PARSER, emits: str = EMITS, body: str = BODY, behind: str = "") -> Program:
    """Nine tables by h.a.key, of which a decision has s.egress_spec, h.a.mark and h.b.x; `behind`: statements of egress."""
    tables = "".join(
        f"table t{n} {{ key = {{ h.a.key: exact; }} actions = {{ put; NoAction; }} default_action = NoAction(); }}\n"
        for n in range(TABLES)
    )
    path = folder / "p.p4"
    path.write_text(f"""#include <core.p4>
#include <v1model.p4>
header a_t {{ bit<8> kind; bit<8> key; bit<8> mark; bit<8> rest; }}
header b_t {{ bit<4> x; bit<4> y; bit<8> z; }}
header v_t {{ varbit<64> v; }}
header large_t {{ bit<8160> x; }}
struct headers_t {{ a_t a; b_t b; b_t c; b_t d; v_t v; b_t[2] s; large_t l; }}
struct meta_t {{ bit<8> m; bit<8> parsed; }}
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {{ {parser} }}
control V(inout headers_t h, inout meta_t m) {{ apply {{ if (m.parsed == 9) {{ m.parsed = 8; }} }} }}
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{
    register<bit<8>>(4) r;
    action put(bit<9> to, bit<8> mark) {{ s.egress_spec = to; h.a.mark = mark; h.b.x = 1; }}
    {tables}
    apply {{ {body} }}
}}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{
    register<bit<8>>(4) r;
    table other {{ key = {{ h.a.key: exact; }} actions = {{ NoAction; }} }}
    apply {{ {behind} }}
}}
control C(inout headers_t h, inout meta_t m) {{ apply {{ }} }}
control D(packet_out p, in headers_t h) {{ apply {{ {emits} }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
""")
    return compilation.load(Request(path))


def cached(program: Program) -> Cached:
    made = with_decisions(program, ready=True)
    assert made is not None
    return made


def test_what_the_runtime_is_told(tmp_path: Path) -> None:
    """Headers received in the order that they have in all frames, headers sent with their numbers among these, and a mask of
    what is told and changed, of what is told and left, and of each flag."""
    emits = "p.emit(h.a); p.emit(h.d); p.emit(h.b); p.emit(h.v); p.emit(h.c);"
    ready = cached(program(tmp_path, emits=emits, behind="h.c.z = 7;")).ready
    assert ready is not None
    assert [size for size, _ in ready.received] == [4, 2, 2]
    assert ready.sent == ((4, 0), (2, -1), (2, 1), (None, -1), (2, 2))
    assert [mask.hex(" ", -2) for mask in ready.masks] == [
        "0000 0000 0000 0000 0000",
        "00ff 0000 ffff 0000 0000",
        "0000 ff00 0000 f000 0000",
        "0000 0000 0000 0000 00ff",
    ]


@pytest.mark.parametrize(
    "emits",
    [
        "if (h.a.isValid()) { p.emit(h.a); }",
        "p.emit(h.a); p.emit(h.a);",
        "p.emit(h.a); p.emit(h.l); p.emit(h.b);",
    ],
    ids=["if", "twice", "more than 1024 bytes"],
)
def test_what_is_sent_must_be_known(emits: str, tmp_path: Path) -> None:
    assert cached(program(tmp_path, emits=emits)).ready is None
    assert cached(program(tmp_path, emits="p.emit(h.a); p.emit(h.l);")).ready is not None


@pytest.mark.parametrize(
    "parser",
    [
        "state start { p.extract(h.a); p.extract(h.s.next); transition accept; }",
        "state start { p.extract(h.a); p.advance(8); transition accept; }",
        """state start { p.extract(h.a); transition select(h.a.kind) { 1: one; default: other; } }
           state one { p.extract(h.b); p.extract(h.c); transition accept; }
           state other { p.extract(h.c); transition more; }
           state more { p.extract(h.b); transition accept; }""",
    ],
    ids=["stack", "between", "two orders"],
)
def test_headers_come_in_one_order(parser: str, tmp_path: Path) -> None:
    assert cached(program(tmp_path, parser=parser)).ready is None


@pytest.mark.parametrize(
    "behind", ["other.apply();", "r.write(0, h.a.key);", "truncate(32w8);", "recirculate_preserving_field_list(0);"]
)
def test_behind_it_is_computation_alone(behind: str, tmp_path: Path) -> None:
    assert cached(program(tmp_path, behind=behind)).ready is None


def test_where_headers_lie_is_known_in_front_of_it(tmp_path: Path) -> None:
    assert cached(program(tmp_path, body=f"h.b.setInvalid(); {BODY}")).ready is None
    assert cached(program(tmp_path, body=f"{BODY} h.b.setInvalid();")).ready is not None


def test_a_field_that_is_written_in_front_of_it_must_be_told(tmp_path: Path) -> None:
    """A decision tells of what is in its key, and of what it surely writes; of others only as they were received."""
    assert cached(program(tmp_path, body=f"h.a.rest = h.a.kind; {BODY}")).ready is None
    assert cached(program(tmp_path, body=f"h.a.key = h.a.kind; {BODY}")).ready is not None


def test_it_is_in_no_loop(tmp_path: Path) -> None:
    assert cached(program(tmp_path, body=f"for (bit<8> i in 1 .. 2) {{ {BODY} }}")).ready is None
    made = cached(program(tmp_path, body=f"if (h.a.kind == 1) {{ {BODY} }} else {{ m.m = 1; }}"))
    assert made.ready is not None


@pytest.mark.parametrize("emits", [EMITS, "p.emit(h.a);"])
@pytest.mark.parametrize("parser", [PARSER, "state start { p.extract(h.a); transition accept; }"])
def test_how_many_headers_there_may_be(
    emits: str, parser: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those received and of those sent: 64, a bit of a word each."""
    made, most = program(tmp_path, parser=parser, emits=emits), max(emits.count("emit"), parser.count("extract"))
    for limit, wanted in ((most - 1, False), (most, True)):
        monkeypatch.setattr(ready, "HEADERS_MAX", limit)
        assert (cached(made).ready is not None) == wanted


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("h.a.key == 1", ""),
        ("m.m == 1", ""),
        ("h.a.mark == 1", "if (decisions.wrote_0) { } else { decisions.unready(); }"),
        ("m.parsed == 1", "decisions.unready();"),
        ("m.parsed == 1 && h.a.key == 1", "decisions.unready();"),
        ("h.a.key == 1 && m.parsed == 1", "if (hdr.a.key == 8w1) { decisions.unready(); }"),
        ("h.a.key == 1 || m.parsed == 1", "if (hdr.a.key == 8w1) { } else { decisions.unready(); }"),
    ],
)
def test_where_a_packet_says_that_its_decision_tells_too_little(condition: str, told: str, tmp_path: Path) -> None:
    parser = PARSER.replace("p.extract(h.a);", "p.extract(h.a); m.parsed = h.a.rest;")
    made = cached(program(tmp_path, parser=parser, behind=f"if ({condition}) {{ h.c.z = 7; }}"))
    egress = made.program.pipe(Role.EGRESS)
    assert isinstance(egress, Control)
    before, *_ = " ".join(print_body(egress.body).split()).partition(" hdr.c.z = 8w7;")
    assert before.rpartition("if")[0].strip() == told
    old, new = (p.pipe(Role.VERIFY_CHECKSUM) for p in (program(tmp_path, parser=parser), made.program))
    assert old == new  # it is in front of the cache
    calls = [s.method for s in program_statements(made.program) if isinstance(s, CallExtern)]
    assert calls.count(GOES) == calls.count(SENDS) == 1
