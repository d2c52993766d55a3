"""Which stretches of a control may be decided once, and what a decision is keyed by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hlir_builder import AT, const, true

from macsad import compilation
from macsad.compilation import Request
from transpiler.hlir.expressions import VariableRef
from transpiler.hlir.program import Architecture, Program, Role
from transpiler.hlir.statements import Assign, Block, CallExtern, If, Statement
from transpiler.hlir.traverse import program_bodies, program_statements, walk
from transpiler.schedule import decisions
from transpiler.schedule.decisions import Cached, counters_noted, with_decisions
from transpiler.schedule.stretch import with_run

TABLES = 9
BODY = "".join(f"t{n}.apply(); " for n in range(TABLES))


def program(
    folder: Path, body: str = BODY, action: str = "", declarations: str = "", property_: str = "", key: str = "h.h.b"
) -> Program:
    """A control with tables t0 to t8, whose keys are `key`; `action`: more of what their action does."""
    tables = "".join(
        f"table t{n} {{ key = {{ {key}: exact; }} actions = {{ put; NoAction; }} default_action = NoAction(); {property_} }}\n"
        for n in range(TABLES)
    )
    path = folder / "p.p4"
    path.write_text(f"""#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> a; bit<8> b; bit<8> c; bit<8> d; }}
struct headers_t {{ h_t h; h_t[2] s; h_t g; }}
struct meta_t {{ bit<8> m; bit<8> n; bit<8> parsed; }}
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {{
    state start {{ p.extract(h.h); m.parsed = h.h.d; transition accept; }}
}}
control V(inout headers_t h, inout meta_t m) {{ apply {{ }} }}
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{
    register<bit<8>>(4) r;
    counter(4, CounterType.packets) k;
    {declarations}
    action put(bit<8> x) {{ m.m = x; {action} }}
    {tables}
    apply {{ {body} }}
}}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{ apply {{ h.h.a = m.m; }} }}
control C(inout headers_t h, inout meta_t m) {{ apply {{ }} }}
control D(packet_out p, in headers_t h) {{ apply {{ p.emit(h.h); p.emit(h.g); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
""")
    return compilation.load(Request(path))


def bits(cached: Cached | None) -> tuple[int, int, int]:
    assert cached is not None
    return cached.lookups, cached.key_bits, cached.kept_bits


def test_a_stretch(tmp_path: Path) -> None:
    """The key is what tables match: metadata that nothing has set are zero, so that m.m, which a miss leaves, is no part."""
    cached = with_decisions(program(tmp_path))
    assert bits(cached) == (TABLES, 8, 8)
    assert cached is not None
    calls = [s.method for s in program_statements(cached.program) if isinstance(s, CallExtern)]
    assert calls == ["decisions.on", "decisions.place", "decisions.recall", "decisions.value", "decisions.remember"]


def test_what_is_around_it_stays_outside(tmp_path: Path) -> None:
    around = f"r.write(0, h.h.c); m.n = h.h.c; {BODY} h.h.c = h.h.d; k.count((bit<32>)h.h.d);"
    assert bits(with_decisions(program(tmp_path, around))) == (TABLES, 8, 8)


def test_what_is_written_on_some_ways_only(tmp_path: Path) -> None:
    """A flag tells whether it was, one for all that are written together; what is read, and validity, is part of the key."""
    assert bits(with_decisions(program(tmp_path, action="h.h.c = x;"))) == (TABLES, 8, 8 + 8 + 1)
    assert bits(with_decisions(program(tmp_path, action="h.h.c = x; h.h.d = x;"))) == (TABLES, 8, 8 + 16 + 1)
    apart = "if (x == 1) { h.h.c = x; } h.h.d = x;"
    assert bits(with_decisions(program(tmp_path, action=apart))) == (TABLES, 8, 8 + 16 + 2)
    assert bits(with_decisions(program(tmp_path, action="h.h.c = h.h.c + x;"))) == (TABLES, 16, 16)
    assert bits(with_decisions(program(tmp_path, action="m.parsed = x;"))) == (TABLES, 8, 8)  # nobody reads it
    assert bits(with_decisions(program(tmp_path, action="h.g.setValid();"))) == (TABLES, 9, 9)


def test_what_a_hash_writes_on_some_ways_only(tmp_path: Path) -> None:
    hashed = "if (x == 1) { hash(h.h.c, HashAlgorithm.crc16, 8w0, {h.h.b}, 16w256); } else { h.h.c = x; } h.h.d = x;"
    assert bits(with_decisions(program(tmp_path, action=hashed))) == (TABLES, 9, 8 + 16 + 2)


def test_what_is_surely_written_is_not(tmp_path: Path) -> None:
    split = BODY.replace("t5.apply();", "h.h.c = m.m; t5.apply();")
    assert bits(with_decisions(program(tmp_path, split))) == (TABLES, 8, 16)


def test_counters_are_noted(tmp_path: Path) -> None:
    cached = with_decisions(program(tmp_path, action="k.count((bit<32>)h.h.c);"))
    assert cached is not None and cached.counts == TABLES and counters_noted(cached.program) == {"I.k"}
    elsewhere = "k.count(1); " + BODY
    assert with_decisions(program(tmp_path, elsewhere, action="k.count((bit<32>)h.h.c);")) is None


def test_every_direct_counter_of_a_table_is_noted(tmp_path: Path) -> None:
    """P4-14 may give a table several. A counter whose count a program calls (PSA) is counted by its calls only."""
    tables = "".join(
        f"direct_counter(CounterType.packets) c{n}; "
        f"table u{n} {{ key = {{ h.h.b: exact; }} actions = {{ NoAction; }} counters = c{n}; }} "
        for n in range(TABLES)
    )
    made = program(tmp_path, BODY + BODY.replace("t", "u"), declarations=tables)
    one = made.extern["I.c0"]
    called = replace(one, name="I.called", attributes=(*one.attributes, ("automatic", 0)))
    made = replace(made, externs=(*made.externs, replace(one, name="I.more"), called))
    for direct, counts in (((), 0), (("I.more",), 1), (("I.more", "I.called"), 1)):
        own = {"I.u0": direct, "I.u3": ()}
        found = with_decisions(
            replace(made, tables=tuple(replace(t, direct=(*t.direct, *own.get(t.name, ()))) for t in made.tables))
        )
        assert found is not None and found.counts == TABLES + counts
        assert counters_noted(found.program) == {*(f"I.c{n}" for n in range(TABLES)), *direct}


@pytest.mark.parametrize(
    "action",
    [
        "r.write(0, x);",
        "r.read(m.n, 0);",
        "random(m.n, 0, 9);",
        "digest(1, {x});",
        "clone(CloneType.I2E, 5);",
        "h.s[m.m].setValid();",
        "h.s[m.m].a = 1;",
        "m.n = h.s[m.m].a;",
        "if (h.s[m.m].isValid()) { m.n = 1; }",
        "h.g = h.h;",
        "log_msg(\"here\");",
        "hash(m.n, HashAlgorithm.random, 8w0, {h.h.a}, 8w9);",
    ],
)  # fmt: skip
def test_what_keeps_state_is_not_decided(action: str, tmp_path: Path) -> None:
    assert with_decisions(program(tmp_path, action=action)) is None


def test_packets_whose_assertions_fail_are_not_remembered(tmp_path: Path) -> None:
    """Neither by a table's action nor by the control itself."""
    body = BODY.replace("t5.apply();", "assert(m.m != 8); t5.apply();")
    cached = with_decisions(program(tmp_path, body, action="assert(x != 9);"))
    assert cached is not None and cached.lookups == TABLES
    forgetting = [
        number
        for body in program_bodies(cached.program)
        for run in (tuple(walk(body)),)
        for number, s in enumerate(run)
        if isinstance(s, CallExtern) and s.method == "assert.check" and _forgets(run[number - 1])
    ]
    assert len(forgetting) == 2


def _forgets(statement: Statement) -> bool:
    return isinstance(statement, CallExtern) and statement.method == "decisions.forget"


def test_a_hash_may_be_decided(tmp_path: Path) -> None:
    """It leaves out headers that are not there."""
    hashed = "hash(m.m, HashAlgorithm.crc16, 8w0, {h.h.c}, 16w256);"
    assert bits(with_decisions(program(tmp_path, action=hashed))) == (TABLES, 17, 8)


def test_tables_that_are_not_decided(tmp_path: Path) -> None:
    """Members that are drawn, entries that time out, meters of entries, keys of elements that are chosen at run time."""
    keys = "h.h.b: exact; h.h.a: selector; h.h.c"
    for algorithm, decided in (("random", False), ("crc16", True)):
        selector = f"action_selector(HashAlgorithm.{algorithm}, 8, 8) p;"
        made = program(tmp_path, declarations=selector, property_="implementation = p;", key=keys)
        assert (with_decisions(made) is not None) == decided
    assert with_decisions(program(tmp_path, property_="support_timeout = true;")) is None
    for key in ("h.s[h.h.c].b", "h.s[h.h.c].isValid()"):
        assert with_decisions(program(tmp_path, key=key)) is None
    assert with_decisions(program(tmp_path, key="h.s[1].b")) is not None
    meters = "".join(f"direct_meter<bit<8>>(MeterType.packets) w{n}; " for n in range(TABLES))
    for number in range(TABLES):
        meters += f"table u{number} {{ key = {{ h.h.b: exact; }} actions = {{ NoAction; }} meters = w{number}; }} "
    assert with_decisions(program(tmp_path, BODY.replace("t", "u"), declarations=meters)) is None


@pytest.mark.parametrize("algorithm", ["crc16_custom", "crc32_custom"])
def test_members_by_a_hash_that_can_be_changed_are_not_decided(algorithm: str, tmp_path: Path) -> None:
    selector = f"action_selector(HashAlgorithm.{algorithm}, 8, 8) p;"
    keys = "h.h.b: exact; h.h.a: selector; h.h.c"
    assert with_decisions(program(tmp_path, declarations=selector, property_="implementation = p;", key=keys)) is None


def test_of_two_stretches_the_one_with_more_lookups(tmp_path: Path) -> None:
    few = BODY.replace("t0.apply();", "")
    for first, second in ((few, BODY), (BODY, few)):
        assert bits(with_decisions(program(tmp_path, f"{first} r.write(0, m.m); {second}")))[0] == TABLES


def test_a_stretch_that_reads_nothing(tmp_path: Path) -> None:
    """All of its keys are zero in every packet: there is nothing to find a decision by."""
    assert with_decisions(program(tmp_path, key="m.n")) is None


def test_a_group_without_members_writes_nothing(tmp_path: Path) -> None:
    """What the one action of a table writes is surely written; not where entries name members: a flag tells whether it was."""
    only = "action only(bit<8> x) { h.h.c = x; } "
    for profile, property_, kept in (("", "", 8), ("action_profile(8) p; ", "implementation = p;", 8 + 1)):
        tables = "".join(
            f"table u{n} {{ key = {{ h.h.b: exact; }} actions = {{ only; }} default_action = only(1); {property_} }} "
            for n in range(TABLES)
        )
        made = program(tmp_path, BODY.replace("t", "u"), declarations=only + profile + tables)
        assert bits(with_decisions(made)) == (TABLES, 8, kept)


def test_what_is_behind_a_return_is_not_surely_written(tmp_path: Path) -> None:
    """So what a packet that returns has there before is part of the key, beside what decides whether it does."""
    body = BODY.replace("t4.apply();", "set(); h.h.c = m.parsed; t4.apply();")
    sets = "action set() { if (h.h.a == 1) { return; } m.parsed = 5; }"
    assert bits(with_decisions(program(tmp_path, body, declarations=sets))) == (TABLES, 8 + 8 + 8, 8 + 8)
    always = "action set() { if (h.h.a == 1) { m.n = 1; } m.parsed = 5; }"
    assert bits(with_decisions(program(tmp_path, body, declarations=always))) == (TABLES, 8 + 8, 8 + 8)


def test_caches_are_for_architectures_whose_metadata_are_zero_at_first(tmp_path: Path) -> None:
    made = program(tmp_path)
    assert with_decisions(replace(made, architecture=Architecture.PSA)) is None
    assert with_decisions(replace(made, pipes=tuple(p for p in made.pipes if p.role is not Role.INGRESS))) is None


def test_a_run_of_a_body_is_replaced() -> None:
    """The way to it tells statements by their numbers, and which of their bodies."""
    a, b, c, new = (Assign(VariableRef(name, AT), const(1, 8), AT) for name in "abcn")
    assert with_run((a, b, c), (), 1, 1, (new,)) == (a, new, c)
    assert with_run((a, b, c), (), 0, 2, ()) == (c,)
    inner = If(true(), (a, b), (b, c), AT)
    for which, made in enumerate((If(true(), (a, new), (b, c), AT), If(true(), (a, b), (b, new), AT))):
        assert with_run((a, inner, b, c), ((1, which),), 1, 1, (new,)) == (a, made, b, c)
    outer = Block("out", (a, inner), AT)
    made = Block("out", (a, If(true(), (a, b), (new, c), AT)), AT)
    assert with_run((outer, c, b), ((0, 0), (1, 1)), 0, 1, (new,)) == (made, c, b)


def test_too_few_lookups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = BODY.replace("t0.apply();", "").replace("t1.apply();", "")
    assert with_decisions(program(tmp_path, few)) is None
    monkeypatch.setattr(decisions, "LOOKUPS_MIN", 7)
    assert with_decisions(program(tmp_path, few)) is not None


def test_a_stretch_leaves_no_block_that_it_is_inside_of(tmp_path: Path) -> None:
    early = BODY.replace("t1.apply();", "if (m.m == 3) { return; } t1.apply();")
    assert bits(with_decisions(program(tmp_path, early)))[0] == TABLES
    assert bits(with_decisions(program(tmp_path, early + "r.write(0, m.m);")))[0] == TABLES - 1


def test_a_stretch_inside_a_branch(tmp_path: Path) -> None:
    found = with_decisions(program(tmp_path, f"if (h.h.a == 1) {{ {BODY} r.write(0, m.m); }} else {{ m.n = 1; }}"))
    assert found is not None
    outer = next(s for s in program_statements(found.program) if isinstance(s, If))
    assert [s.method for s in outer.then if isinstance(s, CallExtern)] == [
        "decisions.on",
        "register.write",
    ]
