"""Tables, field lists, selects, parser exceptions and stateful objects of P4-14 at their edges. Specification 1.0.5."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from aux_frontend.p4_14.frontend import P4_14
from aux_frontend.p4_14.lexer import MAX_DIGITS, number_of
from test_p4_14_semantics import BYTES, forwards, load, run_action

from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source
from transpiler.hlir.printer import print_program
from transpiler.hlir.types import Bits
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact


def said(text: str, tmp_path: Path) -> str:
    """The messages of a program."""
    path, diagnostics = tmp_path / "said.p4", Diagnostics()
    path.write_text(text)
    with suppress(Rejected):
        P4_14().load(Source(path), diagnostics)
    return diagnostics.render()


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("control ingress { } $", "unexpected character '$'"), ("control ingress { } \x07", "unexpected character 'U+0007'"),
        ("control ingress { } ? /* y */", "unexpected character '?'"),
        ("control ingress { } \x7f", "unexpected character 'U+007F'"),
        ("control ingress { if (h.a == 0xfgh45) { } }", "'0xfgh45' is not a number\n"),
        (f"control ingress {{ if (h.a == 0x{'z' * 50}) {{ }} }}", f"'0x{'z' * 38}' is not a number\n"),
    ],
)  # fmt: skip
def test_characters_that_no_word_begins_with(text: str, message: str, tmp_path: Path) -> None:
    assert message in said(BYTES + text, tmp_path)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9" * MAX_DIGITS, int("9" * MAX_DIGITS)), ("9" * (MAX_DIGITS + 1), None), ("0X1f", 0x1F), ("0B11", 3), ("0o17", 15),
        ("0d17", 17), ("017", 17), ("0x", None), ("1f", None),
    ],
)  # fmt: skip
def test_numbers_without_width(text: str, value: int | None) -> None:
    assert number_of(text) == (None if value is None else (value, None))


@pytest.mark.parametrize(
    ("text", "found"), [("4'-3", (-3, 4)), ("4'+3", (3, 4)), ("4 ' 3", (3, 4)), ("4s0x3", (3, 4)), ("4w3", (3, 4))]
)
def test_numbers_with_width_and_sign(text: str, found: tuple[int, int]) -> None:
    assert number_of(text) == found


# --- tables ----------------------------------------------------------------------------------------------------------

TWO = "action one(v) { modify_field(h.a, v); } action two() { modify_field(h.b, 2); }"


def table(properties: str, declarations: str = "") -> str:
    return f"{BYTES}{declarations} {TWO} table t {{ {properties} }} control ingress {{ apply(t); }}"


@pytest.mark.parametrize(
    ("reads", "keys"),
    [
        ("h.a : exact;", ["h.a: exact"]), ("h.a : index;", ["h.a: exact"]), ("h.a mask 0x0f : ternary;", ["h.a & 8w15: ternary"]),
        ("h.a : lpm; h.b : range;", ["h.a: lpm", "h.b: range"]), ("h : valid;", ["h.isValid(): valid"]),
        ("h.a : valid;", ["h.isValid(): valid"]),
        ("h.a mask 0xff : exact;", ["h.a & 8w255: exact"]),
        ("h.a mask 0 : exact;", ["h.a & 8w0: exact"]),
    ],
)  # fmt: skip
def test_keys(reads: str, keys: list[str], tmp_path: Path) -> None:
    text = print_program(load(table(f"reads {{ {reads} }} actions {{ two; }}"), tmp_path))
    body = text.partition("key = {\n")[2].partition("}")[0].splitlines()
    found = [line.strip().rstrip(";").partition(" @name")[0] for line in body if line.strip()]
    assert [one.replace("0xf;", "15;").replace("8w0xf:", "8w15:").replace("8w0xff:", "8w255:") for one in found] == keys


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ("reads { h.a : best; } actions { two; }", "'best' is not a match kind: expected exact, index, lpm"),
        ("reads { h : exact; } actions { two; }", "expected a field: only match kind 'valid' takes a header"),
        ("reads { h.a mask 0x100 : exact; } actions { two; }", "a mask"),
        ("reads { h.a : exact; } actions { two; two; }", "action 'two' is there twice"),
        ("reads { h.a : exact; } actions { }", "table 't' has no actions"),
        ("reads { h.a : exact; } actions { one; } default_action : one;", "'one' takes 1 arguments, but 0 are given"),
        ("reads { h.a : exact; } actions { one; } default_action : one(256);", "an argument of a default action"),
        ("reads { h.a : exact; } actions { one; } default_action : one(-129);", "an argument of a default action"),
        ("reads { h.a : exact; } actions { two; } min_size : 9; max_size : 8;", "min_size is 9, but max_size only 8"),
        ("reads { h.a : exact; } actions { two; } other : 9;", "'other' of a table is not known"),
    ],
)
def test_what_is_told_of_a_table(properties: str, message: str, tmp_path: Path) -> None:
    assert message in said(table(properties), tmp_path)


def test_names_of_keys(tmp_path: Path) -> None:
    """As the program writes them."""
    reads = "h.a : exact; s[1].v : exact; s[1] : valid; h : valid; m.x mask 3 : exact;"
    made = load(
        table(f"reads {{ {reads} }} actions {{ two; }}", "header_type v_t { fields { v : 8; } } header v_t s[2];"),
        tmp_path,
    )
    assert [key.name for key in made.table["t"].keys] == ["h.a", "s[1].v", "s[1]", "h", "m.x"]


@pytest.mark.parametrize("sizes", ["min_size : 8; max_size : 8;", "min_size : 8;", "max_size : 8;"])
def test_bounds_of_its_size_that_fit(sizes: str, tmp_path: Path) -> None:
    assert load(table(f"reads {{ h.a : exact; }} actions {{ two; }} {sizes}"), tmp_path).table["t"].size == 8


@pytest.mark.parametrize(("argument", "value"), [("255", 255), ("-1", 255), ("-128", 128), ("0", 0)])
def test_arguments_of_a_default_action(argument: str, value: int, tmp_path: Path) -> None:
    program = load(table(f"reads {{ h.b : exact; }} actions {{ two; }} default_action : one({argument});"), tmp_path)
    uses = {use.action: use.default_only for use in program.table["t"].actions}
    assert uses == {"two": False, "one": True}
    assert Switch(program).process(1, b"\x05\x06\x07\x08") == [(0, bytes((value, 6, 7, 8)))]


def test_a_miss_does_nothing_also_where_the_program_has_such_a_name(tmp_path: Path) -> None:
    program = load(
        table("reads { h.a : exact; } actions { two; NoAction; }", "action NoAction() { modify_field(h.c, 1); }"),
        tmp_path,
    )
    assert program.table["t"].default_action.action == "NoAction_"
    assert program.action["NoAction_"].body == () and len(program.action["NoAction"].body) == 1


ONE_COUNTER = "counter c { type : bytes; instance_count : 1; }"
PROFILE = """
field_list over {{ h.a; m.y; }}
field_list_calculation by {{ input {{ over; }} algorithm : {algorithm}; output_width : {width}; }}
action_selector chooser {{ selection_key : by; }}
action_profile p {{ actions {{ one; two; }} {size} {selector} }}
"""


@pytest.mark.parametrize(
    ("size", "selector", "kind", "entries"),
    [
        ("size : 7;", "", "action_profile", 7), ("", "", "action_profile", 1024), ("size : 0;", "", "action_profile", 1024),
        ("size : 9;", "dynamic_action_selection : chooser;", "action_selector", 9),
    ],
)  # fmt: skip
def test_profiles_and_selectors(size: str, selector: str, kind: str, entries: int, tmp_path: Path) -> None:
    """One instance for all tables that have it; its actions are theirs, and a selector's fields are keys."""
    more = PROFILE.format(algorithm="crc16", width=14, size=size, selector=selector)
    text = f"{BYTES}{more} {TWO} table t {{ reads {{ h.b : exact; }} action_profile : p; }}"
    text += " table u { reads { h.c : exact; } action_profile : p; } control ingress { apply(t); apply(u); }"
    program = load(text, tmp_path)
    attributes = {"size": entries} | ({"algorithm": "crc16", "width": 14} if selector else {})
    assert [(one.name, one.kind, dict(one.attributes)) for one in program.externs] == [("p", kind, attributes)]
    for name, first in (("t", "h.b"), ("u", "h.c")):
        assert program.table[name].implementation == "p"
        assert [key.name for key in program.table[name].keys] == [first, *(["h.a", "m.y"] if selector else [])]
        assert [use.action for use in program.table[name].actions] == ["one", "two", "NoAction"]


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("action_profile p { actions { one; none; } }", "action 'none' is not declared"),
        ("action_profile p { actions { one; } dynamic_action_selection : none; }", "action selector 'none' is not declared"),
        ("action_selector s { selection_key : none; }", "field list calculation 'none' is not declared"),
        ("action_profile p { actions { one; } } table u { action_profile : p; }", None),
        ("action a() { one(1, 2); }", "'one' takes 1 arguments, but 2 are given"),
        ("primitive_action mine(x, y); action a() { mine(1); }", "'mine' takes 2 arguments, but 1 are given"),
        ("primitive_action mine(x); action a() { mine(1); }", "the primitive action 'mine' is not supported"),
        (f"{ONE_COUNTER} {ONE_COUNTER}", "counter 'c' is declared twice"),
        (f"{ONE_COUNTER} meter c {{ type : bytes; instance_count : 1; }}", None),
        ("counter c { type : bytes; instance_count : 1; static : none; }", "table 'none' is not declared"),
        ("metadata standard_metadata_t standard_metadata;", None),
        ("metadata standard_metadata_t other;", None),
        ("header h_t standard_metadata;", "'standard_metadata' is predefined"),
        ("parser more { return ingress; set_metadata(m.x, 1); }", "nothing may follow the return of a parser state"),
        ("parser more { extract(h); return select(h.a) { 1 mask h.b : ingress; } }", "must be a constant or a parser value set"),
    ],
)  # fmt: skip
def test_what_nothing_uses_is_looked_at(rest: str, message: str | None, tmp_path: Path) -> None:
    told = said(table("reads { h.a : exact; } actions { one; two; }", rest), tmp_path)
    assert told == "" if message is None else message in told


def test_all_that_no_switch_does_is_told(tmp_path: Path) -> None:
    told = said(
        table("actions { two; a; }", "action a() { clone_ingress_pkt_to_ingress(1); clone_egress_pkt_to_ingress(2); }"),
        tmp_path,
    )
    assert told.count("is not supported") == 2


@pytest.mark.parametrize("tables", [1, 2])
def test_a_meter_is_read_by_the_actions_of_its_own_table(tables: int, tmp_path: Path) -> None:
    """Also where only one other table shares the action."""
    text = f"{BYTES} meter mt {{ type : packets; direct : t; result : m.x; }} {TWO}"
    names = ("t", "u")[:tables]
    text += "".join(f"table {name} {{ reads {{ h.a : exact; }} actions {{ two; }} }} " for name in names)
    text += f"control ingress {{ {' '.join(f'apply({name});' for name in names)} }}"
    two = print_program(load(text, tmp_path)).partition("action two(")[2].partition("\n}\n")[0]
    assert ("$table" in two) is (tables == 2) and two.count("direct_meter.read") == 1
    assert two.index("direct_meter.read") < two.index("h.b = 8w2;")


def test_an_action_reads_the_meter_of_the_table_that_runs_it(tmp_path: Path) -> None:
    """One of a single table needs no question."""
    meters = "".join(
        f"meter {n} {{ type : packets; direct : {t}; result : m.x; }} " for n, t in (("mt", "t"), ("mu", "u"))
    )
    tables = "".join(
        f"table {n} {{ reads {{ h.{k} : exact; }} actions {{ {a}; }} }} "
        for n, k, a in (("t", "a", "two; three"), ("u", "b", "two"), ("v", "c", "two"))
    )
    text = f"{BYTES}{meters}{TWO} action three() {{ modify_field(h.c, m.x); }} {tables}"
    text += "control ingress { apply(t); apply(u); apply(v); }"
    program = load(text, tmp_path)
    printed = print_program(program)
    two = printed.partition("action two(")[2].partition("\n}\n")[0]
    assert [line.strip() for line in two.splitlines() if "$table" in line] == [
        "if ($table == 16w1) {",
        "if ($table == 16w2) {",
    ]
    three = printed.partition("action three(")[2].partition("\n}\n")[0]
    assert three.count("direct_meter.read") == 1 and "$table" not in three
    ingress = printed.partition("control ingress")[2].partition("\n}\n")[0]
    assert [line.strip() for line in ingress.splitlines() if "$table = " in line] == [
        f"$table = 16w{n};" for n in (1, 2, 3)
    ]


# --- field lists -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entries", "items"),
    [
        ("h.a; m.y;", "h.a, m.y"), ("h;", "h.a, h.b, h.c, h.d"), ("m;", "m.x, m.y"), ("inner; h.d;", "h.b, h.d"),
        ("8'0x11; h.a;", "8w0x11, h.a"), ("inner; inner;", "h.b, h.b"), ("s[1];", "s[1].v"), ("s;", "s[0].v, s[1].v"),
    ],
)  # fmt: skip
def test_what_a_field_list_is(entries: str, items: str, tmp_path: Path) -> None:
    declarations = f"""
    header_type v_t {{ fields {{ v : 8; }} }} header v_t s[2];
    field_list inner {{ h.b; }} field_list over {{ {entries} }}
    field_list_calculation sum {{ input {{ over; }} algorithm : crc16; output_width : 16; }}
    action put() {{ modify_field_with_hash_based_offset(m.y, 0, sum, 65536); }}"""
    program = load(
        f"{BYTES}{declarations} table t {{ actions {{ put; }} default_action : put; }} control ingress {{ apply(t); }}",
        tmp_path,
    )
    body = print_program(program).partition("action put(")[2].partition("\n}\n")[0]
    assert f"{{ {items} }}" in body


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("17;", "a constant in a field list needs a width"), ("none;", "'none' is not a header or a field list"),
        ("over;", "field list 'over' contains itself"), ("h.z;", "'z'"),
    ],
)  # fmt: skip
def test_field_lists_that_cannot_be(entries: str, message: str, tmp_path: Path) -> None:
    assert message in said(f"{BYTES} field_list over {{ {entries} }} control ingress {{ }}", tmp_path)


def lists(depth: int) -> str:
    inner = "".join(f"field_list l{i} {{ l{i + 1}; }} " for i in range(depth))
    return f"{BYTES} {inner} field_list l{depth} {{ h.a; }} control ingress {{ }}"


def test_how_deep_field_lists_are_within_each_other(tmp_path: Path) -> None:
    assert "error" not in said(lists(32), tmp_path)
    assert "is within more than 32 others" in said(lists(33), tmp_path)


@pytest.mark.parametrize("many", [4096, 4097])
def test_how_long_a_field_list_may_be(many: int, tmp_path: Path) -> None:
    entries = "h; " * (many // 4) + "h.a; " * (many % 4)
    assert (
        "a field list of more than 4096 fields"
        in said(f"{BYTES} field_list l {{ {entries} }} control ingress {{ }}", tmp_path)
    ) is (many > 4096)


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ("algorithm : crc16; output_width : 16;", "a field list calculation needs an input"),
        ("input { none; } algorithm : crc16; output_width : 16;", "field list 'none' is not declared"),
        ("input { l; } algorithm : crc16;", "a field list calculation needs an output_width"),
        ("input { l; } algorithm : best; output_width : 16;", "the algorithm 'best' is not supported"),
        ("input { l; } output_width : 16;", "a field list calculation needs an algorithm"),
        ("input { l; } algorithm : crc16; output_width : 0;", "output_width"),
        ("input { l; } algorithm : crc16; output_width : 4097;", "output_width"),
    ],
)
def test_calculations_that_cannot_be(properties: str, message: str, tmp_path: Path) -> None:
    calculation = (
        f"field_list l {{ h.a; }} field_list_calculation c {{ {properties} }} calculated_field h.b {{ update c; }}"
    )
    assert message in said(f"{BYTES} {calculation} control ingress {{ }}", tmp_path)


@pytest.mark.parametrize(
    ("use", "frame", "sent"),
    [
        ("update c;", "1234 0000", "1234 edcb"), ("update c if (h.a == 0x1234);", "1234 0000", "1234 edcb"),
        ("update c if (h.a == 0x1235);", "1234 0000", "1234 0000"), ("verify c;", "1234 edcb", "1234 edcb 0"),
        ("verify c;", "1234 edcc", "1234 edcc 1"), ("verify c if (h.a == 1);", "1234 edcc", "1234 edcc 0"),
        ("verify c; update c;", "1234 0000", "1234 edcb 1"),
    ],
)  # fmt: skip
def test_when_calculated_fields_are_verified_and_updated(use: str, frame: str, sent: str, tmp_path: Path) -> None:
    """What is wrong sets checksum_error, which is the port that the packet leaves by here."""
    program = f"""
    header_type h_t {{ fields {{ a : 16; b : 16; }} }} header h_t h;
    field_list l {{ h.a; }} field_list_calculation c {{ input {{ l; }} algorithm : csum16; output_width : 16; }}
    calculated_field h.b {{ {use} }}
    parser start {{ extract(h); return ingress; }}
    action out() {{ modify_field(standard_metadata.egress_spec, standard_metadata.checksum_error); }}
    table t {{ actions {{ out; }} default_action : out; }} control ingress {{ apply(t); }}
    """
    a, b, *wrong = sent.split()
    forwards(program, f"packet 3 {frame}\nexpect {(wrong or ['0'])[0]} {a} {b}\n", tmp_path)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("bit_nor(h.a, h.b, h.c);", "cc"), ("bit_xnor(h.a, h.b, h.c);", "ee"), ("bit_andca(h.a, h.b, h.c);", "11"),
        ("bit_andcb(h.a, h.b, h.c);", "00"), ("bit_orca(h.a, h.b, h.c);", "ff"), ("bit_orcb(h.a, h.b, h.c);", "ee"),
        ("max(h.a, h.c, h.b);", "33"), ("min(h.a, h.c, h.b);", "22"), ("max(h.a, h.b, h.b);", "22"), ("add(h.a, h.b, -2);", "20"),
        ("subtract(h.a, h.b, -2);", "24"), ("shift_left(h.a, h.b, 1);", "44"), ("shift_right(h.a, h.b, 1);", "11"),
        ("shift_right(h.a, 0x12300000000, 32);", "23"), ("shift_right(h.a, 0x180, h.b);", "00"),
        ("shift_left(h.a, 3, 70);", "00"),
        ("shift_left(h.a, h.b, n.two);", "88"), ("shift_right(h.a, h.b, n.two);", "08"),
        ("shift_left(h.a, h.b, n.minus);", "00"), ("shift_right(h.a, h.b, n.minus);", "00"),
        ("modify_field(h.a, 1 << h.c);", "00"),
        ("shift_right(h.a, 0x300, 4);", "30"), ("shift_left(h.a, 0x103, 1);", "06"), ("shift_right(h.a, m.y, 0);", "00"),
    ],
)  # fmt: skip
def test_binary_primitives(statement: str, expected: str, tmp_path: Path) -> None:
    """What a field shifts by has no sign."""
    signed = (
        "header_type n_t { fields { two : 8 (signed); minus : 8 (signed); } } metadata n_t n { two : 2; minus : -1; }"
    )
    run_action(statement, "11 22 33 44", f"{expected} 22 33 44", tmp_path, signed)


# --- the parser ------------------------------------------------------------------------------------------------------

RAISES = """
header_type h_t { fields { a : 8; } } header h_t h; header h_t g;
header_type m_t { fields { x : 8; } } metadata m_t m;
parser start { extract(h); return select(h.a) { 1 : ingress; 2 : other; 3 : parse_more; 4 : raise; } }
parser raise { return parse_error p4_pe_NAME; }
parser parse_more { extract(g); return ingress; }
action tell(v) { modify_field(standard_metadata.egress_spec, v); }
table t { actions { tell; } default_action : tell(5); }
table u { actions { tell; } default_action : tell(6); }
control ingress { apply(t); }
control other { apply(u); }
"""


@pytest.mark.parametrize(
    ("handlers", "name", "ports"),
    [
        # for a = 1, 2, 3 with another byte, 3 without one, 4 and 5
        ("", "default", [5, 6, 5, 5, None, 5]),
        ("parser_exception p4_pe_default { parser_drop; }", "default", [5, 6, 5, None, None, None]),
        ("parser_exception p4_pe_default { return other; }", "default", [5, 6, 5, 6, 6, 6]),
        ("parser_exception p4_pe_default { return ingress; }", "out_of_packet", [5, 6, 5, 5, None, 5]),
        ("parser_exception p4_pe_out_of_packet { return other; }", "out_of_packet", [5, 6, 5, 6, 6, 5]),
        ("parser_exception p4_pe_unhandled_select { return other; }", "out_of_packet", [5, 6, 5, 5, None, 6]),
        (
            "parser_exception p4_pe_out_of_packet { return other; } parser_exception p4_pe_default { return ingress; }",
            "mine", [5, 6, 5, 6, None, 5],
        ),
        (
            "parser_exception p4_pe_default { return ingress; } parser_exception p4_pe_unhandled_select { return other; }",
            "mine", [5, 6, 5, 5, None, 6],
        ),
        ("control third { } parser_exception p4_pe_out_of_packet { return third; }", "mine", [5, 6, 5, 0, None, 5]),
        ("parser_exception p4_pe_mine { drop; }", "mine", [5, 6, 5, 5, None, 5]),
        ("parser_exception p4_pe_mine { return other; }", "mine", [5, 6, 5, 5, 6, 5]),
    ],
)  # fmt: skip
def test_exceptions_go_to_their_handler_or_to_the_default_one(
    handlers: str, name: str, ports: list[int | None], tmp_path: Path
) -> None:
    """What a program raises itself, and what a parser raises. Without any handler the latter goes on with what was extracted, as
    in BMv2; what the program raises is dropped."""
    program = load(RAISES.replace("NAME", name) + handlers, tmp_path)
    switch = Switch(program)
    frames = (b"\x01", b"\x02", b"\x03\x00", b"\x03", b"\x04", b"\x05")
    assert [next((port for port, _ in switch.process(1, frame)), None) for frame in frames] == ports


@pytest.mark.parametrize(
    ("select", "frames"),
    [
        ("select(h.a, h.b) { 0x0102 : more; default : ingress; }", ["0102"]),
        ("select(h.a, h.b) { 1, 2 : more; default : ingress; }", ["0102"]),
        ("select(h.a, h.b) { 0x0102 mask 0xff0f : more; default : ingress; }", ["0102", "01f2"]),
        ("select(h.a, h.b) { default : ingress; 1, 2 : more; }", []),
        ("select(h.a, h.b) { 1, default : more; default : ingress; }", ["0102", "01f2"]),
        ("select(h.a, h.b) { default, 2 : more; default : ingress; }", ["0102", "0202", "1002"]),
        ("select(h.a, h.b) { 1 mask 0x11, 2 mask 0x0f : more; default : ingress; }", ["0102", "01f2"]),
        ("select(h.a, 7, h.b) { 1, 7, 2 : more; default : ingress; }", ["0102"]),
        ("select(h.a) { 1, 2 : more; default : ingress; }", ["0102", "01f2", "0202"]),
        ("select(h.a, h.b) { vs : ingress; 1, 2 : more; default : ingress; }", ["0102"]),
        ("select(current(0, 8)) { 0 : more; default : ingress; }", ["0102", "01f2", "0202", "1002"]),
        ("select(h.a, current(8, 8)) { 1, 5 : more; default : ingress; }", ["0102", "01f2"]),
        (
            "select(current(0, 8), current(8, 8)) { 0x0005 : more; default : ingress; }",
            ["0102", "01f2", "0202", "1002"],
        ),
        ("select(h.a) { 1 : drop; 2 : parser_drop; default : more; }", ["1002"]),
        ("select(h.a) { 0x10 mask 0xf0 : more; default : ingress; }", ["1002"]),
        ("select(h.b) { default : more; }", ["0102", "01f2", "0202", "1002"]),
        ("select(5) { 5 : more; default : ingress; }", ["0102", "01f2", "0202", "1002"]),
    ],
)
def test_cases_of_a_select(select: str, frames: list[str], tmp_path: Path) -> None:
    program = f"""{BYTES.replace("parser start { extract(h); return ingress; }", "")}
    parser start {{ extract(h); return {select} }}
    parser more {{ set_metadata(standard_metadata.egress_spec, 7); return ingress; }} control ingress {{ }}
    parser_value_set vs;
    """
    switch = Switch(load(program, tmp_path))
    every = ("0102", "01f2", "0202", "1002")
    ports = {one: [port for port, _ in switch.process(1, bytes.fromhex(f"{one} 0000 0005"))] for one in every}
    assert [one for one, port in ports.items() if port == [7]] == frames
    assert [one for one, port in ports.items() if not port] == (["0102", "01f2", "0202"] if "drop" in select else [])


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ("select(h.a, h.b) { 1, 2, 3 : ingress; }", "3 values for 2 expressions of the select"),
        ("select(h.a) { 256 : ingress; }", "0x100 does not fit the 8 bits that are selected on"),
        ("select(h.a) { none : ingress; }", "parser value set 'none' is not declared"),
        ("select(h.a) { vs mask 3 : ingress; }", "a value set cannot have a mask"),
        (
            "select(h.a) { vs : other; } } parser other { return select(m.y) { vs : ingress; }",
            "with values of other widths elsewhere",
        ),
        ("select(h.a) { -129 : ingress; }", "-0x81 does not fit the 8 bits that are selected on"),
        ("select(h.a) { 1 mask 256 : ingress; }", "0x100 does not fit the 8 bits that are selected on"),
        ("select(h.a, h.b) { vs, 1 : ingress; }", "it must be alone"),
        ("select(h.a) { 0 : nowhere; }", "'nowhere' is neither a parser state nor a control function"),
    ],
)
def test_selects_that_are_refused(select: str, message: str, tmp_path: Path) -> None:
    program = f"""{BYTES.replace("parser start { extract(h); return ingress; }", "")} parser_value_set vs;
    parser start {{ extract(h); return {select} }} control ingress {{ }}
    """
    assert message in said(program, tmp_path)


@pytest.mark.parametrize("value", ["255", "-1", "-128", "1 mask 255"])
def test_values_that_fit_are_not_warned_about(value: str, tmp_path: Path) -> None:
    assert (
        said(f"{BYTES} parser more {{ return select(h.a) {{ {value} : ingress; }} }} control ingress {{ }}", tmp_path)
        == ""
    )


def test_value_sets_stand_in_the_order_of_the_program(tmp_path: Path) -> None:
    text = BYTES.replace(
        "return ingress;", "return select(h.a) { second : ingress; first : ingress; default : ingress; }"
    )
    made = load(
        f"{text} parser_value_set first; parser_value_set second; parser_value_set never; control ingress {{ }}",
        tmp_path,
    )
    assert [one.name for one in made.value_sets] == ["first", "second"]


@pytest.mark.parametrize(
    ("pragma", "size"),
    [
        ("", 4),
        ("@pragma parser_value_set_size 9\n", 9),
        ("@pragma other 9\n", 4),
        ("@pragma parser_value_set_size 0\n", 0),
    ],
)
def test_how_many_values_a_set_has(pragma: str, size: int, tmp_path: Path) -> None:
    program = f"""{BYTES.replace("parser start { extract(h); return ingress; }", "")}
{pragma}parser_value_set vs;
    parser start {{ extract(h); return select(h.a, h.b) {{ vs : more; default : ingress; }} }}
    parser more {{ set_metadata(standard_metadata.egress_spec, 7); return ingress; }} control ingress {{ }}
    """
    made = load(program, tmp_path)
    assert (made.value_set["vs"].size, made.value_set["vs"].types) == (size, (Bits(16),))
    switch = Switch(made)
    if size:
        switch.value_set_add("vs", (Exact(0x102),))
    assert [switch.process(1, bytes((1, b, 0, 0)))[0][0] for b in (2, 3)] == [7 if size else 0, 0]


# --- stateful objects ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declaration", "kind", "attributes"),
    [
        (
            "counter o { type : bytes; instance_count : 3; min_width : 8; saturating; }",
            "counter",
            {"size": 3, "unit": "bytes"},
        ),
        (
            "counter o { type : packets_and_bytes; direct : t; }",
            "direct_counter",
            {"unit": "packets_and_bytes", "automatic": 1},
        ),
        ("meter o { type : packets; instance_count : 1; }", "meter", {"size": 1, "unit": "packets"}),
        ("meter o { type : bytes; direct : t; result : m.x; }", "direct_meter", {"unit": "bytes", "automatic": 1}),
        ("register o { width : 12; instance_count : 5; }", "register", {"size": 5, "width": 12}),
        ("register o { layout : h_t; static : t; instance_count : 2; }", "register", {"size": 2, "width": 32}),
        (
            "header_type b_t { fields { a : 4; b : 9; } } register o { layout : b_t; instance_count : 2; }",
            "register",
            {"size": 2, "width": 13},
        ),
    ],
)
def test_stateful_objects(declaration: str, kind: str, attributes: dict[str, object], tmp_path: Path) -> None:
    program = load(table("reads { h.a : exact; } actions { two; }", declaration), tmp_path)
    assert [(one.name, one.kind, dict(one.attributes)) for one in program.externs] == [("o", kind, attributes)]
    assert program.table["t"].direct == (("o",) if kind.startswith("direct") else ())


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("counter o { type : bytes; }", "counter 'o' needs an instance_count, or a direct table"),
        ("counter o { instance_count : 3; }", "counter 'o' needs a type"),
        ("counter o { type : frames; instance_count : 3; }", "expected packets or bytes or packets_and_bytes"),
        ("meter o { type : packets_and_bytes; instance_count : 3; }", "expected packets or bytes"),
        ("meter o { type : bytes; direct : t; }", "direct meter 'o' needs a result"),
        ("meter o { type : bytes; instance_count : 2; result : m.x; }", "'result' of meter 'o' has no effect"),
        ("meter o { type : bytes; instance_count : 2; pre_color : m.x; }", "pre_color of meters is not supported"),
        (
            "meter o { type : bytes; instance_count : 2; pre_color : m.none; }",
            "'none' is not a field of 'm' of type m_t",
        ),
        ("meter o { type : bytes; direct : t; result : m.none; }", "'none' is not a field of 'm' of type m_t"),
        ("counter o { type : bytes; direct : t; static : t; }", "a counter is either direct or static"),
        ("counter o { type : bytes; instance_count : 0; }", "instance_count"),
        ("register o { instance_count : 2; }", "register 'o' needs a width or a layout"),
        ("register o { width : 8; layout : h_t; instance_count : 2; }", "register 'o' has a width and a layout"),
        ("register o { width : 0; instance_count : 2; }", "the width of a register"),
        ("counter o { type : bytes; direct : none; }", "'none' is not declared"),
    ],
)
def test_stateful_objects_that_cannot_be(declaration: str, message: str, tmp_path: Path) -> None:
    assert message in said(table("reads { h.a : exact; } actions { two; }", declaration), tmp_path)


@pytest.mark.parametrize(
    ("call", "owner", "refused"),
    [
        ("count(o, 0);", "u", True), ("count(o, 0);", "t", False), ("outer();", "u", True), ("outer();", "t", False),
        ("register_write(r, 0, h.a);", "u", True), ("register_read(h.a, r, 0);", "u", True),
        ("register_read(h.a, r, 0);", "t", False),
        ("execute_meter(e, 0, h.a);", "u", True), ("modify_field(h.a, 1);", "u", False),
    ],
)  # fmt: skip
def test_what_is_static_is_for_the_actions_of_its_table(call: str, owner: str, refused: bool, tmp_path: Path) -> None:
    declarations = f"""
    counter o {{ type : bytes; static : {owner}; instance_count : 2; }}
    register r {{ width : 8; static : {owner}; instance_count : 2; }}
    meter e {{ type : bytes; static : {owner}; instance_count : 2; }}
    action outer() {{ count(o, 1); }} action uses() {{ {call} }}
    table u {{ actions {{ two; }} }}"""
    text = table("reads { h.a : exact; } actions { uses; }", declarations)
    assert ("is static to table" in said(text, tmp_path)) is refused


# --- headers and limits ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declaration", "problem"),
    [
        ("header h_t s[256];", None),
        ("header h_t s[257];", "the size of stack 's' is 257, but must be between 1 and 256"),
        ("header h_t s[0];", "the size of stack 's' is 0, but must be between 1 and 256"),
        ("header h_t s[1 << 3];", None),
        ("header_type w_t { fields { w : 16384; } } header w_t w;", None),
        (
            "header_type w_t { fields { w : 16392; } } header w_t w;",
            "the width of 'w' is 16392, but must be between 1 and 16384",
        ),
        ("header_type w_t { fields { w : 0; } } metadata w_t w;", "the width of 'w' is 0"),
        (
            "header_type w_t { fields { w : 7; } } header w_t w;",
            "header 'w' has 7 bits; headers of packets must be whole bytes",
        ),
        ("header_type w_t { fields { w : 7; } } metadata w_t w;", None),
        ("header_type w_t { fields { w : 8; w : 8; } } metadata w_t w;", "field 'w' is declared twice"),
        ("header_type w_t { fields { l : 8; v : *; } length : l; max_length : 2; } header w_t w;", None),
        ("header_type w_t { fields { l : 4; v : *; } length : l; max_length : 2; } header w_t w;", None),
        (
            "header_type w_t { fields { l : 8; v : *; } length : l; max_length : 1; } header w_t w;",
            "max_length is 1 bytes, but the other fields alone take 8 bits",
        ),
        ("header_type w_t { fields { l : 8; v : *; } length : l; max_length : 2048; } header w_t w;", None),
        (
            "header_type w_t { fields { l : 8; v : *; } length : l; max_length : 2049; } header w_t w;",
            "max_length is 2049, but must",
        ),
        (
            "header_type w_t { fields { l : 8; v : *; } length : l; } header w_t w;",
            "needs the header type's max_length",
        ),
        (
            "header_type w_t { fields { l : 8; v : *; } max_length : 4; } header w_t w;",
            "needs the header type's length",
        ),
        (
            "header_type w_t { fields { v : *; u : *; } length : 4; } header w_t w;",
            "at most one field of variable width",
        ),
        ("metadata h_t n { a : 255; b : -128; };", None),
        ("metadata h_t n { a : 256; };", "the initial value of 'a' is 256, but must be between -128 and 255"),
        ("metadata h_t n { a : -129; };", "the initial value of 'a' is -129"),
        ("metadata h_t n { z : 1; };", "field of 'n' 'z' is not declared"),
        ("header none_t n;", "header type 'none_t' is not declared"),
    ],
)
def test_limits_of_headers(declaration: str, problem: str | None, tmp_path: Path) -> None:
    told = said(f"{BYTES} {declaration} control ingress {{ }}", tmp_path)
    if problem is None:
        assert "error" not in told
    else:
        assert problem in told


@pytest.mark.parametrize(
    ("size", "entries"),
    [
        ("4 + 3 * 2", 10),
        ("(4 + 3) * 2", 14),
        ("0x10 >> 2", 4),
        ("7 / 2", 3),
        ("7 % 4", 3),
        ("-(-5)", 5),
        ("~(-9)", 8),
        ("6 & 5 | 8", 12),
        ("6 ^ 5", 3),
    ],
)
def test_sizes_are_computed(size: str, entries: int, tmp_path: Path) -> None:
    assert (
        load(table(f"reads {{ h.a : exact; }} actions {{ two; }} size : {size};"), tmp_path).table["t"].size == entries
    )


@pytest.mark.parametrize("size", ["7 / 0", "h.a", "1 << 20000"])
def test_sizes_that_have_no_value(size: str, tmp_path: Path) -> None:
    assert "error" in said(table(f"reads {{ h.a : exact; }} actions {{ two; }} size : {size};"), tmp_path)


# --- values ----------------------------------------------------------------------------------------------------------


def test_fields_may_be_typed(tmp_path: Path) -> None:
    """bit<w> and int<w>, a bit alone is one; also beside those of P4-14."""
    text = "header_type w_t { fields { bit<5> p; int<9> q; bit r; s : 1 (signed); } } metadata w_t w;"
    action = "action put() { modify_field(w.p, 1); modify_field(w.q, 1); modify_field(w.r, 1); modify_field(w.s, 1); }"
    program = load(table("reads { h.a : exact; } actions { put; }", f"{text} {action}"), tmp_path)
    found = {name: str(variable.type) for name, variable in program.variable.items() if name.startswith("w.")}
    assert found == {"w.p": "bit<5>", "w.q": "int<9>", "w.r": "bit<1>", "w.s": "int<1>"}
    for wrong in ("int q;", "byte q;", "bit<> q;", "bit<5 q;"):
        assert "error" in said(f"{BYTES} header_type w_t {{ fields {{ {wrong} }} }} control ingress {{ }}", tmp_path)


@pytest.mark.parametrize(("width", "fits"), [(0, False), (1, True), (16384, True), (16385, False)])
def test_widths_of_numbers(width: int, fits: bool, tmp_path: Path) -> None:
    told = said(
        table("reads { h.a : exact; } actions { put; }", f"action put() {{ modify_field(h.a, {width}'1); }}"), tmp_path
    )
    assert (f"a width of {width} bits: it must be between 1 and 16384" in told) is not fits


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("1", True), ("0", False), ("h.a", True), ("h.b", False), ("h.c - 2", False), ("h.valid == 1", True), ("true", True),
        ("not false", True), ("valid(h) and h.b == 0", True), ("h.a > 1 or h.b > 0", False), ("!(h.a == 1)", False),
        ("g.valid == 0", True),
        ("h.a + 255 == 0", True), ("(h.a << 1) == h.c", True), ("h.a != h.c", True), ("-1 < 0", True), ("-1 > 0", False),
        ("2 == 2", True), ("2 != 2", False), ("1 << 33 >= 1", True), ("-1", True), ("h.a < 256", True), ("h.a == 257", False),
        ("(1 << h.c) << 20 != 0", True), ("false or h.a == 1", True), ("h.b == 1 and h.a == 1 or h.c == 2", True),
    ],
)  # fmt: skip
def test_conditions(condition: str, holds: bool, tmp_path: Path) -> None:
    """A number is true unless it is zero. The packet has a = 1, b = 0 and c = 2; g is not there."""
    text = f"{BYTES} header h_t g; {TWO} table t {{ actions {{ two; }} default_action : two; }}"
    program = load(f"{text} control ingress {{ if ({condition}) {{ apply(t); }} }}", tmp_path)
    assert Switch(program).process(1, bytes((1, 0, 2, 0))) == [(0, bytes((1, 2 if holds else 0, 2, 0)))]


@pytest.mark.parametrize(
    ("base", "size", "result"),
    [
        ("5", "0", 5),
        ("5", "1", 5),
        ("5", "2", 6),
        ("5", "256", 0x16),
        ("0", "h.b", 0),
        ("3", "h.c", 3 + 0x11 % 3),
        ("250", "256", 0x0B),
    ],
)
def test_hashes_with_a_base_and_a_size(base: str, size: str, result: int, tmp_path: Path) -> None:
    """dst = base + hash % size; a size of 0 is as one of 1. The hash is that of one byte: itself."""
    declarations = (
        """field_list l { h.a; } field_list_calculation c { input { l; } algorithm : identity; output_width : 16; }"""
    )
    run_action(
        f"modify_field_with_hash_based_offset(h.d, {base}, c, {size});",
        "11 00 03 44",
        f"11 00 03 {result:02x}",
        tmp_path,
        declarations,
    )


@pytest.mark.parametrize("wide", [8, 16, 32, 48])
@pytest.mark.parametrize("hashed", [8, 16])
@pytest.mark.parametrize(
    ("base", "size"),
    [(0, 0x10000), (0x10000, 1024), (0xFFF0, 0x100), (0x123456, 0x1234567), (5, 7), ("k.b", 1024), (0x10000, "k.n")],
)  # fmt: skip
def test_a_hash_with_a_base_is_cut_to_its_field_only(
    wide: int, hashed: int, base: int | str, size: int | str, tmp_path: Path
) -> None:
    """Neither the base nor the size nor their sum is cut to the width of the hash, which is the lowest bits of k.v."""
    values = {"k.v": 0xBEEF, "k.b": 0x7F0000, "k.n": 0x300}
    text = f"""
        header_type k_t {{ fields {{ v : 16; b : 24; n : 16; d : {wide}; }} }}
        header k_t k;
        parser start {{ extract(k); return ingress; }}
        field_list l {{ k.v; }}
        field_list_calculation c {{ input {{ l; }} algorithm : identity; output_width : {hashed}; }}
        action act() {{ modify_field_with_hash_based_offset(k.d, {base}, c, {size}); }}
        table t {{ actions {{ act; }} default_action : act; }}
        control ingress {{ apply(t); }}"""
    start, divisor = (values.get(one, one) if isinstance(one, str) else one for one in (base, size))
    assert isinstance(start, int) and isinstance(divisor, int)
    expected = (start + (values["k.v"] & ((1 << hashed) - 1)) % divisor) & ((1 << wide) - 1)
    head = b"".join(values[name].to_bytes(size) for name, size in (("k.v", 2), ("k.b", 3), ("k.n", 2)))
    [(_, frame)] = Switch(load(text, tmp_path)).process(1, head + bytes(wide // 8))
    assert int.from_bytes(frame[len(head) :]) == expected


def test_what_the_parser_came_to_is_a_number(tmp_path: Path) -> None:
    """Of standard_metadata: 0 where all went well."""
    text = (
        RAISES.replace("NAME", "default")
        .replace("tell(5)", "tell2()")
        .replace(
            "action tell(v)",
            "action tell2() { modify_field(standard_metadata.egress_spec, standard_metadata.parser_status); } action tell(v)",
        )
    )
    text = text.replace("actions { tell; } default_action : tell2", "actions { tell2; } default_action : tell2")
    switch = Switch(load(text, tmp_path))
    assert [switch.process(1, frame)[0][0] for frame in (b"\x01", b"\x03", b"\x05")] == [0, 1, 2]


@pytest.mark.parametrize(
    ("handler", "ports"),
    [
        ("", [0, 0]),
        ("parser_exception p4_pe_checksum { parser_drop; }", [0, None]),
        ("parser_exception p4_pe_checksum { set_metadata(m.x, 9); return ingress; }", [0, 9]),
    ],
)
def test_a_wrong_checksum_is_an_exception(handler: str, ports: list[int | None], tmp_path: Path) -> None:
    text = f"""{BYTES} {handler} field_list l {{ h.a; h.b; }}
    field_list_calculation c {{ input {{ l; }} algorithm : csum16; output_width : 8; }} calculated_field h.d {{ verify c; }}
    action out() {{ modify_field(standard_metadata.egress_spec, m.x); }}
    table t {{ actions {{ out; }} default_action : out; }} control ingress {{ apply(t); }}
    """
    switch = Switch(load(text, tmp_path))
    right, wrong = bytes((0xAB, 0x0F, 0, 0xF0)), bytes((0xAB, 0x0F, 0, 0xF1))
    assert [next((port for port, _ in switch.process(1, frame)), None) for frame in (right, wrong)] == ports


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("action act(v, v) { }", "parameter 'v' is there twice"),
        ("action act() { } action act() { }", "action 'act' is declared twice"),
        ("counter o { type : bytes; instance_count : 2; other : 3; }", "'other' is not an attribute of a counter"),
        (
            "register r { width : 8; direct : t; } action act() { register_read(h.a, r, 0); }",
            "direct registers are not supported",
        ),
        ("header_type w_t { fields { a : 8; } other : 3; }", "'other' is not an attribute of a header type"),
    ],
)
def test_declarations_that_cannot_be(declaration: str, message: str, tmp_path: Path) -> None:
    actions = "two; act;" if "act(" in declaration else "two;"
    assert message in said(table(f"reads {{ h.a : exact; }} actions {{ {actions} }}", declaration), tmp_path)


def test_a_constant_default_action(tmp_path: Path) -> None:
    for word, constant in (("const default_action", True), ("default_action", False)):
        made = load(table(f"reads {{ h.a : exact; }} actions {{ two; }} {word} : two;"), tmp_path).table["t"]
        assert made.const_default is constant and made.default_action.action == "two"


def test_a_table_has_one_body_for_a_case(tmp_path: Path) -> None:
    text = f"{BYTES} {TWO} table t {{ reads {{ h.a : exact; }} actions {{ one; two; }} }}"
    text += " control ingress { apply(t) { CASES } }"
    for cases, message in (
        ("two { } two { }", "case 'two' is there twice"), ("hit { } two { }", "hit and miss cannot be mixed with actions"),
        ("three { }", "'three' is not an action of table 't'"), ("hit { } hit { }", "case 'hit' is there twice"),
        ("hit { } default { }", "hit and miss cannot be mixed with actions"),
    ):  # fmt: skip
        assert message in said(text.replace("CASES", cases), tmp_path)


SET = "action a() { modify_field(h.a, NESTED); } table t { actions { a; } } control ingress { apply(t); }"
FLOW = "action a() { no_op(); } table t { actions { a; } } control ingress { NESTED }"
LEVELS = {  # what begins a level, what is within all of them, what ends one, what stands around; how many there may be
    "parentheses": ("(", "h.b", ")", SET, 199),
    "prefixes": ("~", "h.b", "", SET, 199),
    "operators in a row": ("", "h.b", " + h.b", SET, 198),
    "operators to the right": ("h.b + (", "h.b", ")", SET, 66),
    "not": ("not (", "h.a == 1", ")", FLOW.replace("NESTED", "if (NESTED) { apply(t); }"), 98),
    "ifs": ("if (h.a == 1) { ", "apply(t);", " }", FLOW, 99),
    "elses": ("if (h.a == 1) { apply(t); } else ", "{ }", "", FLOW, 197),
    "cases": ("apply(t) { hit { ", "", "} }", FLOW, 199),
}


@pytest.mark.parametrize("kind", LEVELS)
def test_how_deep_a_program_nests(kind: str, tmp_path: Path) -> None:
    begin, inner, end, around, most = LEVELS[kind]
    for count, fits in ((most, True), (most + 1, False)):
        told = said(BYTES + around.replace("NESTED", begin * count + inner + end * count), tmp_path)
        assert ("nested more than 200 levels deep" in told) is not fits
