"""@entry_restriction: the language, and entries that fit it."""

from __future__ import annotations

from pathlib import Path

import generated
import pytest
import switches

from macsad import generation
from macsad.compilation import Request
from macsad.generation import Made
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.hlir.program import MatchKind
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact, Match, Prefix, Range, Ternary
from transpiler.interpreter.tables import Call
from transpiler.traffic.committed import Committed
from transpiler.traffic.constraints import RestrictionError, read
from transpiler.traffic.mended import fitted
from transpiler.traffic.plan import Wishes
from transpiler.traffic.planning import plan
from transpiler.traffic.restrictions import Field, Rule

PROGRAM = Path(__file__).with_name("restricted.p4")
BESIDE = Path(__file__).with_name("beside.p4")
KEYS = {
    "x": (MatchKind.EXACT, 8), "y": (MatchKind.EXACT, 8), "h.t": (MatchKind.TERNARY, 8), "o": (MatchKind.OPTIONAL, 8),
    "p": (MatchKind.LPM, 32), "r": (MatchKind.RANGE, 16),
}  # fmt: skip
ENTRY = {
    "x": (5,), "y": (9,), "h.t": (6, 0x0E), "o": (0, 0), "p": (0x0A000000, 8), "r": (10, 20), "::priority": (3,),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("true || true && false", True),  # && binds stronger
        ("(true || true) && false", False),
        ("false -> false || false", True),  # -> binds weaker than ||
        ("(false -> false) && false", False),
        ("true -> false", False),
        ("!false && x == 5", True),
        ("!(x == 5)", False),
        ("x == 5; y == 8", False),
        ("x == 5; y == 9;", True),
        ("x::value == 0x05", True),
        ("x < y", True),
        ("x == -251", True),  # numbers are as wide as the key
        ("x >= 0b101 && x <= 0d5", True),
        ("h.t == 6", False),  # a key alone is all of it: value and mask
        ("h.t != 6", True),
        ("h.t::value == 6 && h.t::mask == 0xe", True),
        ("h.t::mask == -1", False),
        ("o::mask == 0 && o::value == 0", True),
        ("o == 0", False),
        ("p::prefix_length == 8 && p::value == 0x0a000000", True),
        ("p == 0x0a000000", False),
        ("-p::prefix_length < -7", True),
        ("r::low == 10 && r::high == 20", True),
        ("r == 10", False),
        ("::priority >= 3", True),
        ("p::value == ipv4('10.0.0.0')", True),
        ("p::value < ipv4('9.255.255.255') || p::value < ipv6('::1')", False),
        ("x::value == mac('00:00:00:00:00:05')", True),
        ("(x == 5; y == 9) -> (y == 9; false)", False),
        ("// x == 4\n x /* == 4; */ == 5", True),
    ],
)
def test_the_language(text: str, holds: bool) -> None:
    assert read(text, KEYS).holds(ENTRY) is holds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at its end: a key, a number or '('"),
        ("x == 1;\nz == 2", "line 2 of it, before 'z': the table has no such key"),
        ("x::mask == 0", "before 'mask': x has no such part, but value"),
        ("x == 1 y == 2", "before 'y': an operator is missing"),
        ("(x == 1", "at its end: ')' is missing"),
        ("x", "at its end: a condition is missing"),
        ("x && true", "a condition is missing"),
        ("x == 1 == 1", "need parentheses"),
        ("true -> true -> true", "needs parentheses"),
        ("h.t < 4", "compares numbers"),
        ("x == p::value", "different types"),
        ("x == true", "different types"),
        ("x == h.t", "different types"),  # as wide, but matched otherwise
        ("o != h.t", "different types"),
        ("-x == 1", "- is for numbers alone"),
        ("::size == 1", "before 'size'"),
        ("x = 1", "before '='"),
        ("true < false", "compares numbers"),
        ("x == ipv4('10.0.0')", "the text of the ipv4 address is missing"),
        ("x == mac('0:0:0:0:0:5')", "the text of the mac address is missing"),
        ("x == ipv6(1)", "the text of the ipv6 address is missing"),
        ("(" * 10_000 + "true" + ")" * 10_000, "more than 100 parentheses"),
        ("!" * 10_000 + "true", "more than 100 parentheses or signs"),
        ("x == " + "9" * 10_000, "more than 500 digits"),
    ],
)
def test_what_cannot_be_read_is_located(text: str, said: str) -> None:
    with pytest.raises(RestrictionError) as caught:
        read(text, KEYS)
    assert said in str(caught.value)


def test_long_conditions_are_no_deep_ones() -> None:
    assert read(" && ".join(["x == 5"] * 10_000), KEYS).holds(ENTRY)
    assert read(";".join(["x == 5"] * 10_000), KEYS).holds(ENTRY)
    assert not read(" || ".join(["x == 6"] * 10_000), KEYS).holds(ENTRY)


def test_entries_fit_and_frames_hit_them(tmp_path: Path) -> None:
    program = switches.load(PROGRAM)
    made = generation.make(Request(PROGRAM), program, generated.order(tmp_path, entries=200))
    lines = generated.commands(tmp_path)
    written = {name: [] for name in ("I.acl", "I.ranges", "I.routes", "I.classes")}
    for words in lines:
        written[words[1]].append(generated.keys_of(program.table[words[1]], words[3 : words.index("=>")]))
    for is_ip, is_ipv4, ttl, protocol, _ in written["I.acl"]:
        assert all(isinstance(match, Ternary) for match in (is_ip, is_ipv4, ttl, protocol))
        assert not (is_ip.mask and is_ipv4.mask)
        assert is_ipv4.value == is_ipv4.mask
        assert not ttl.mask or is_ip.value == 1 or is_ipv4.value == 1
        assert protocol.mask in (0, 0xFF)
    assert all(isinstance(match, Range) and match.low < 0x8000 for (match,) in written["I.ranges"])
    for (match,) in written["I.routes"]:
        assert isinstance(match, Prefix) and match.length >= 12 and match.value >= 0x80000000
    assert not {Exact(0), Exact(7), Exact(0x1F)} & {match for (match,) in written["I.classes"]}
    counts = {one.table.name: (one.count, one.left_out) for one in made.plan.tables}
    assert {name: count for name, (count, _) in counts.items()} == {name: len(keys) for name, keys in written.items()}
    assert counts["I.acl"][1] == 0 and counts["I.routes"][1] > 0  # masks are mended, values are left out
    switch = Switch(program)
    generated.load(switch, program, lines)
    ratios, _ = generated.run(switch, generated.frames(tmp_path))
    assert ratios["I.acl"] == 1.0 and all(ratio > 0.2 for ratio in ratios.values())
    told = generation.data(made, program)["tables"]
    assert {one["name"]: one["left_out"] for one in told} == {name: left for name, (_, left) in counts.items()}


def ruled(folder: Path, rule: str) -> Path:
    """A program with a rule for a table that only single frames hit."""
    text = BESIDE.read_text().replace("table marks", f'@entry_restriction("{rule}") table marks')
    keys = 'key = { hdr.tag.more: exact @name("more"); hdr.tag.isValid(): optional @name("tagged"); }'
    (folder / "ruled.p4").write_text(text.replace("key = { hdr.tag.more: exact; }", keys))
    return folder / "ruled.p4"


def marks(folder: Path, rule: str) -> tuple[Made, list[tuple[Match, ...]], dict[str, float]]:
    """What was made; the keys of that table's entries; the part of each table's lookups that hit."""
    path = ruled(folder, rule)
    program = switches.load(path)
    made = generation.make(Request(path), program, generated.order(folder, entries=20))
    lines = generated.commands(folder)
    table = program.table["MyIngress.marks"]
    keys = [generated.keys_of(table, words[3 : words.index("=>")]) for words in lines if words[1] == table.name]
    switch = Switch(program)
    generated.load(switch, program, lines)
    return made, keys, generated.run(switch, generated.frames(folder))[0]


def test_entries_of_single_frames_match_less_where_the_rule_forbids_whole_keys(tmp_path: Path) -> None:
    made, keys, ratios = marks(tmp_path, "tagged::mask == 0 || more == 77")
    assert made.alone == ["MyIngress.marks"] and ratios["MyIngress.marks"] > 0
    assert keys and all(tagged == Ternary(0, 0) for _, tagged in keys)


def test_single_frames_have_no_entries_where_the_rule_forbids_their_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, keys, _ = marks(tmp_path, "more == 77")
    assert made.alone == [] and not keys
    assert "hit table MyIngress.marks beside the others: there are no entries for it" in capsys.readouterr().err


def test_an_entry_that_matches_more_takes_no_key_from_others(tmp_path: Path) -> None:
    program = switches.load(ruled(tmp_path, "tagged::mask == 0"))
    committed = Committed(plan(program, Wishes({None: 20}), Diagnostics(), lambda done, total: None))
    name, call, other = "MyIngress.marks", Call("MyIngress.mark", (1,)), Call("MyIngress.mark", (2,))
    committed.add({(name, (5, 1)): None})
    assert committed.needed({(name, (5, 0)): call}) == ({}, {name})  # it would match the key that is to be missed
    assert committed.needed({(name, (6, 0)): call, (name, (6, 1)): other}) == ({}, {name})
    entries, forbidden = committed.needed({(name, (6, 0)): call, (name, (6, 1)): call})
    assert list(entries) == [(name, (6, 0))] and not forbidden  # one does for both
    committed.add({(name, (6, 0)): call})
    assert committed[name, (6, 1)] == call and (name, (7, 1)) not in committed


def test_conditions_say_how_near_they_are() -> None:
    """Several keys must change at once, so that one of these holds: the way goes by the part that holds."""
    alternatives = "(o::mask != 0 && x == 1) || (h.t::mask == 0 && o::mask == 0 && x == 5)"
    (clause,) = read(alternatives, KEYS).clauses
    near = [
        clause({**ENTRY, "h.t": (0, mask), "o": (0, other)}) for mask, other in ((7, 255), (0, 255), (7, 0), (0, 0))
    ]
    assert near == [pytest.approx(degree) for degree in (1 / 2, 2 / 3, 2 / 3, 1)]
    assert not read(f"!({alternatives})", KEYS).holds({**ENTRY, "h.t": (0, 0)})
    assert read(f"!({alternatives})", KEYS).holds(ENTRY)


def test_masks_are_changed_until_a_rule_holds() -> None:
    keys = {f"k{number}": (MatchKind.TERNARY, 8) for number in range(6)}
    fields = tuple(Field(name, kind, width) for name, (kind, width) in keys.items())
    others = " && ".join(f"k{number}::mask == 0" for number in range(1, 6))
    rule = Rule(read(f"(k1::mask == -1 && k0 == 7 && k2 != 9) || (k0 == 8 && {others})", keys), fields)
    assert fitted(rule, (8, 1, 2, 3, 4, 5)) == (255, 0, 0, 0, 0, 0)
    assert fitted(rule, (7, 1, 2, 3, 4, 5)) == (255,) * 6
    assert fitted(rule, (9, 1, 2, 3, 4, 5)) is None


def test_where_no_entry_is_allowed_the_error_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.p4"
    rule = "only::value == 1; only::value == 2"
    table = f'@entry_restriction("{rule}") table one {{ key = {{ h.ipv4.ttl: exact @name("only"); }} actions = {{ mark; }} }}'
    text = PROGRAM.read_text()
    start = text.index("    @entry_restriction")
    body = "    apply { one.apply(); }\n}\ncontrol E("
    path.write_text(text[:start] + table + body + text[text.index("control E(") + len("control E(") :])
    with pytest.raises(Rejected):
        generation.make(Request(path), switches.load(path), generated.order(tmp_path))
    assert "can be made for, by entries that @entry_restriction allows in I.one" in capsys.readouterr().err


def test_a_rule_that_cannot_be_read_is_a_located_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = ruled(tmp_path, "tagged::mask == 0;\n other == 1")
    generation.make(Request(path), switches.load(path), generated.order(tmp_path, entries=20))
    line = next(at for at, text in enumerate(path.read_text().splitlines(), 1) if "@entry_restriction" in text)
    told = capsys.readouterr().err
    assert (
        f"ruled.p4:{line}:" in told
        and "the @entry_restriction of table MyIngress.marks is left out: line 2 of it" in told
    )
    assert "before 'other': the table has no such key" in told


def test_a_rule_says_nothing_of_what_a_selector_hashes(tmp_path: Path) -> None:
    """Such a key is part of no entry."""
    text = PROGRAM.read_text().replace(
        "action send", "action_selector(HashAlgorithm.crc16, 64, 16) members; action send"
    )
    text = text.replace("table routes {", "table routes { implementation = members;")
    path = tmp_path / "selected.p4"
    path.write_text(text.replace('h.ipv4.dst: lpm @name("to");', 'h.ipv4.dst: lpm @name("to"); h.ipv4.src: selector;'))
    program = switches.load(path)
    generation.make(Request(path), program, generated.order(tmp_path, entries=200))
    entries = [words[2 : words.index("=>")] for words in generated.commands(tmp_path) if words[1] == "I.routes"]
    matches = [match for entry in entries for match in generated.keys_of(program.table["I.routes"], entry)]
    assert len(matches) > 20
    assert all(isinstance(m, Prefix) and m.length >= 12 and m.value >= 0x80000000 for m in matches)
