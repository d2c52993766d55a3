"""What is proved to be out of reach of any packet, and what is not: conditions, cases of parsers, actions of tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import switches

pytest.importorskip("z3")

from transpiler.testgen.cover import Coverage
from transpiler.testgen.proofs import ALWAYS, BEHIND, NEVER, NO_ENTRY, NO_TRANSITION, proofs


def found(folder: Path, body: str, cases: str, on: str = "h.h.a", table: str = "", part: str = "") -> dict[str, str]:
    """What is proved, and why. `body`: of ingress, which has `table`; `cases`: of the parser's select on `on`; `part`: what a
    control does that ingress may apply."""
    file = folder / "p.p4"
    text = f"""#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> a; int<8> s; bit<8> b; }}
header v_t {{ varbit<32> v; }}
struct headers_t {{ h_t h; h_t[2] hs; v_t v; }}
struct meta_t {{ bool flag; bit<8> m; }}
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {{
    value_set<bit<8>>(4) vs;
    state start {{ p.extract(h.h); transition select({on}) {{ {cases} }} }}
    state one {{ m.m = 1; transition select(h.h.b) {{ 1: two; default: accept; }} }}
    state two {{ m.m = 9; transition accept; }}
}}
control V(inout headers_t h, inout meta_t m) {{ apply {{ }} }}
control W(inout meta_t m, in bit<8> n) {{ apply {{ {part} }} }}
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{
    action x() {{ m.m = 2; }}
    action y() {{ if (m.m == 2) {{ m.m = 3; }} }}
    {table}
    apply {{
{body}
    }}
}}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{ apply {{ }} }}
control C(inout headers_t h, inout meta_t m) {{ apply {{ }} }}
control D(packet_out p, in headers_t h) {{ apply {{ }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
    file.write_text(text)
    program = switches.load(file)
    coverage = Coverage(program)
    lines = text.splitlines()

    def told(number: int) -> str:
        """From where the item stands to the end of what it is."""
        span = coverage.items[number].span
        return f"{coverage.items[number].kind} {re.split('[;{]', lines[span.line - 1][span.column - 1 :])[0].strip()}"

    return {
        f"{told(number)} {coverage.items[number].what}".strip(): why
        for number, why in proofs(program, coverage).items()
    }


LATER_STATES = dict.fromkeys(
    (
        "state one one", "statement = 1", "branch 1: two case -> two", "branch default: accept case -> accept",
        "state two two", "statement = 9",
    ),
    NO_TRANSITION,
)  # fmt: skip


@pytest.mark.parametrize(
    ("condition", "never"),
    [
        ("h.h.a < 0", True),
        ("h.h.a >= 0", False),
        ("h.h.a < 5", None),
        ("h.h.a > 9 && h.h.a < 5", True),
        ("h.h.s < 0", None),
        ("h.h.s < -128", True),
        ("m.flag || !m.flag", False),
        ("h.h.a ++ h.h.b > 0xff", None),
        ("h.h.isValid() && h.h.a < 0", None),
        ("h.hs[h.h.a].a < 0", None),
        ("(h.h.a < 5 ? 8w0 : 8w1) == 2", None),
    ],
)
def test_conditions(condition: str, never: bool | None, tmp_path: Path) -> None:
    """Of one that never holds nothing behind it is reached, of one that always does nothing else; of the validity of headers, of
    elements by an index, and of values that are chosen nobody knows."""
    body = f"if ({condition}) {{ m.m = 5; if (m.m == 3) {{ m.m = 6; }} }} else {{ m.m = 7; }}"
    then = ("statement = 5", "statement == 3)", "branch == 3) if true", "branch == 3) if false", "statement = 6")
    proved = found(tmp_path, body, "1: one; default: two;")
    arms = {item: why for item, why in proved.items() if item.startswith("branch") and "== 3)" not in item}
    behind = {item: why for item, why in proved.items() if item not in arms}
    why = {True: ("if true", NEVER), False: ("if false", ALWAYS)}
    assert [(item.partition(") ")[2], why) for item, why in arms.items()] == ([] if never is None else [why[never]])
    assert behind == ({} if never is None else dict.fromkeys(then, NEVER) if never else {"statement = 7": ALWAYS})


@pytest.mark.parametrize(
    ("on", "cases", "dead"),
    [
        ("h.h.a", "1: one; 1: accept; default: two;", ["1: accept"]),
        ("h.h.a", "0 .. 3: one; 3: accept; 4: accept; default: two;", ["3: accept"]),
        ("h.h.a", "0x10 &&& 0xf0: one; 0x1f: accept; 0x2f: accept; default: two;", ["0x1f: accept"]),
        ("h.h.a", "0 .. 127: one; 128 .. 255: two; default: accept;", ["default: accept"]),
        ("h.h.a", "0 .. 127: one; 128 .. 255: two;", ["select(h.h.a) no case"]),
        ("h.h.a", "1: one; 128 .. 255: two;", []),
        ("h.h.s", "-1 .. 1: one; 0: accept; 2: accept; default: two;", ["0: accept"]),
        ("h.h.a, h.h.b", "(1, _): one; (1, 2): accept; (2, 1): accept; default: two;", ["(1, 2): accept"]),
        ("h.h.a", "1: one; 1: accept; vs: two; 1: two;", ["1: accept"]),
        ("(h.h.isValid() ? h.h.a : 1)", "1: one; 1: two; default: accept;", []),
    ],
)
def test_cases(on: str, cases: str, dead: list[str], tmp_path: Path) -> None:
    """Those of which the cases before take all; behind a value set nobody knows."""
    proved = found(tmp_path, "", cases, on)
    assert set(proved.values()) <= {BEHIND}
    assert [item.removeprefix("branch ").partition(" case ->")[0] for item in proved] == dead


def test_states_that_nothing_leads_to(tmp_path: Path) -> None:
    proved = found(tmp_path, "", "1: accept; 1: one; default: accept;")
    assert proved.pop("branch 1: one case -> one") == BEHIND
    assert proved == LATER_STATES


@pytest.mark.parametrize(
    ("actions", "properties", "used"),
    [
        ("x; y;", "const default_action = x(); const entries = { 1: x(); }", False),
        ("x; y;", "const default_action = y(); const entries = { 1: x(); }", True),
        ("x; y;", "const default_action = x(); const entries = { 1: x(); 2: y(); }", True),
        ("x; y;", "default_action = x(); const entries = { 1: x(); }", True),
        ("x; @tableonly y;", "default_action = x(); const entries = { 1: x(); }", False),
        ("x; y;", "const default_action = x(); entries = { 1: x(); }", True),
        ("x; y;", "const default_action = x();", True),
        ("x; @defaultonly y;", "const default_action = x();", False),
    ],
)
def test_actions(actions: str, properties: str, used: bool, tmp_path: Path) -> None:
    """An action is run by an entry, or as the default action, that is there or that the control plane may set."""
    table = f"table t {{ key = {{ h.h.a: exact; }} actions = {{ {actions} }} {properties} }}"
    proved = found(tmp_path, "t.apply();", "1: one; default: two;", table=table)
    items = ("statement == 2)", "statement = 3", "branch == 2) if true", "branch == 2) if false")
    assert proved == ({} if used else dict.fromkeys(items, NO_ENTRY))


@pytest.mark.parametrize(
    "part",
    [
        "m.m = n;", "if (n == 1) { m.m = 3; } else { m.m = 4; }", "switch (n) { 1: { m.m = 3; } default: { m.m = 4; } }",
        "if (n == 2) { exit; } m.m = 5;", "for (bit<8> i = 0; i < n; i = i + 1) { m.m = i; }",
    ],
)  # fmt: skip
def test_a_place_in_several_copies_is_out_of_reach_in_all_of_them_or_not_at_all(part: str, tmp_path: Path) -> None:
    never, alive = "if (h.h.a < 0) { w.apply(m, h.h.b); }", "w.apply(m, h.h.a);"

    def proved(*body: str) -> dict[str, str]:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        return found(folder, " ".join(body), "1: one; default: two;", table="W() w;", part=part)

    own = ["branch < 0) if true", "statement apply(m, h.h.b)"]
    behind = proved(never)
    assert set(behind.values()) == {NEVER} and behind.keys() - set(own)
    assert sorted(proved(never, alive)) == sorted(proved(alive, never)) == own


@pytest.mark.parametrize("always_first", [False, True])
def test_of_what_is_out_of_reach_in_each_copy_the_first_reason_is_told(always_first: bool, tmp_path: Path) -> None:
    never, always = "if (h.h.a < 0) {{ w.apply(m, h.h.{0}); }}", "if (h.h.a >= 0) {{ }} else {{ w.apply(m, h.h.{0}); }}"
    texts = [
        text.format(name) for text, name in zip((always, never) if always_first else (never, always), "ab", strict=True)
    ]
    proved = found(tmp_path, " ".join(texts), "1: one; default: two;", table="W() w;", part="m.m = n;")
    assert proved["statement = n"] == (ALWAYS if always_first else NEVER)
    assert sorted(why for item, why in proved.items() if "apply" in item) == sorted([NEVER, ALWAYS])
