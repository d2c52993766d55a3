"""Entries by number: the values and masks of their keys, the room that they have, and the commands that they become."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import generated
import numpy as np
import pytest
import switches
from hlir_builder import AT, Builder, apply, emit, extract, goto, state

from macsad import generation
from macsad.compilation import Request
from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import Annotation, MatchKind
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact, Prefix, Range, Ternary
from transpiler.interpreter.tables import Call
from transpiler.traffic.constraints import DIGITS, NESTED, RestrictionError, read
from transpiler.traffic.entries import write
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.keys import Data, KeyBit, KeyField, KeySet, Own, Pattern, Shared
from transpiler.traffic.plan import SPARE, USUAL_ENTRIES, Plan, Wishes, filled_of
from transpiler.traffic.planning import plan
from transpiler.traffic.restrictions import Field, Rule, array

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<1> f; bit<7> g; bit<12> a; bit<20> b; bit<4> c; bit<76> d; bit<128> e; }}
struct H {{ h_t h; }}
struct M {{ }}
parser P(packet_in packet, out H hdr, inout M meta, inout standard_metadata_t sm) {{
    state start {{ packet.extract(hdr.h); transition accept; }}
}}
control V(inout H hdr, inout M meta) {{ apply {{ }} }}
control I(inout H hdr, inout M meta, inout standard_metadata_t sm) {{
    action send(bit<9> port) {{ sm.egress_spec = port; }}
    {tables}
}}
control E(inout H hdr, inout M meta, inout standard_metadata_t sm) {{ apply {{ }} }}
control D(packet_out packet, in H hdr) {{ apply {{ packet.emit(hdr.h); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


def written(tmp_path: Path, tables: str, **wanted: object) -> tuple[generation.Made, list[list[str]]]:
    file = tmp_path / "t.p4"
    file.write_text(PROGRAM.format(tables=tables))
    program = switches.load(file)
    made = generation.make(Request(file), program, generated.order(tmp_path, **wanted))
    lines = generated.commands(tmp_path)
    switch = Switch(program)
    generated.load(switch, program, lines)
    ratios, out = generated.run(switch, generated.frames(tmp_path))
    assert set(ratios.values()) == {1.0} and out.total() == len(generated.frames(tmp_path))
    return made, lines


def test_commands_have_the_keys_that_frames_hit(tmp_path: Path) -> None:
    """Of widths that are no whole bytes, and of more than a word: the values, in the bits that their masks have."""
    made, lines = written(
        tmp_path,
        """table mixed { key = { hdr.h.f: exact; hdr.h.a: ternary; hdr.h.b: lpm; hdr.h.c: range; hdr.h.d: optional; }
            actions = { send; } size = 300; }
        table wide { key = { hdr.h.e: ternary; hdr.h.g: exact; } actions = { send; } }
        apply { mixed.apply(); wide.apply(); }""",
        entries=120, packets=150,
    )  # fmt: skip
    for one in made.plan.tables:
        found = [
            generated.keys_of(one.table, words[3 : words.index("=>")]) for words in lines if words[1] == one.table.name
        ]
        numbers = np.arange(one.keys.count, dtype=np.uint64)
        which, _ = one.keys.pattern_of(numbers)
        values, masks = one.values(numbers), [one.masks(pattern.cares) for pattern in one.keys.patterns]
        expected = []
        for number in np.unique(one.alike(numbers)):
            fields = zip(one.keys.fields, (int(value[number]) for value in values), masks[which[number]], strict=True)
            expected.append(tuple(matching(field, value & mask, mask) for field, value, mask in fields))
        assert sorted(map(str, found)) == sorted(map(str, expected))
        assert len(found) == one.count > 50


def matching(field: KeyField, value: int, mask: int) -> object:
    match field.kind:
        case MatchKind.LPM:
            return Prefix(value, mask.bit_count())
        case MatchKind.TERNARY | MatchKind.OPTIONAL:
            return Ternary(value, mask)
        case MatchKind.RANGE:
            return Range(value, value | ((1 << field.width) - 1) ^ mask)
    return Exact(value)


def entries_of(
    fields: tuple[KeyField, ...], bits: tuple[KeyBit, ...], *cares: str, owner: KeySet | None = None
) -> TableEntries:
    """Entries of patterns, each of which cares for the bits that have a 1, of a table whose key does not matter here."""
    patterns = tuple(Pattern(tuple(c == "1" for c in care), 8) for care in cares)
    keys = KeySet("t", fields, bits, (), patterns, 4, 5)
    b = Builder()
    b.header("h", "h_t", a=8)
    b.table("t", [("h.a", "exact")], ["NoAction"])
    return TableEntries(
        b.tables[0], keys, {"u": owner} if owner else {}, Call("NoAction", ()), frozenset(), frozenset(), {}
    )


def test_values_of_own_and_constant_bits() -> None:
    """Each field stands in whole bytes of its own; bits that nothing says are 0."""
    fields = (KeyField(MatchKind.EXACT, 3), KeyField(MatchKind.TERNARY, 12), KeyField(MatchKind.EXACT, 70))
    bits = (Own(0), 1, 0, *(Own(i) for i in range(1, 9)), 0, 0, 0, 1, 1, *(Own(i) for i in range(9, 78)))
    one = entries_of(fields, bits, "1" * 85)
    numbers = np.arange(8, dtype=np.uint64)
    own = np.unpackbits(one.keys.own(numbers), axis=1)
    for number in range(8):
        text = "".join(str(own[number, bit.index]) if isinstance(bit, Own) else str(bit) for bit in bits)
        expected = [int(text[:3], 2), int(text[3:15], 2), int(text[15:], 2)]
        assert [int(value[number]) for value in one.values(numbers)] == expected
    assert one.key_rows(numbers).shape == (8, 1 + 2 + 9)


@pytest.mark.parametrize(
    ("cares", "masks", "bytes_"),
    [
        ("1" * 13, (1, 0xFFF), "01 0fff"),
        ("0" + "1" * 4 + "0" * 8, (0, 0xF00), "00 0f00"), ("1" + "0" * 11 + "1", (1, 1), "01 0001"),
        ("0" * 13, (0, 0), "00 0000"),
    ],
)  # fmt: skip
def test_masks(cares: str, masks: tuple[int, ...], bytes_: str) -> None:
    fields = (KeyField(MatchKind.EXACT, 1), KeyField(MatchKind.TERNARY, 12))
    one = entries_of(fields, tuple(Own(i) for i in range(13)), cares)
    (pattern,) = one.keys.patterns
    assert one.masks(pattern.cares) == masks
    assert one.mask(pattern).tobytes() == bytes.fromhex(bytes_)


def test_of_keys_that_are_the_same_the_first_is_an_entry() -> None:
    """Keys are compared where they have bits of others: 4 groups of data, and an owner of 2 entries."""
    field = (KeyField(MatchKind.EXACT, 8),)
    owner = KeySet("u", field, tuple(Own(i) for i in range(8)), (), (Pattern((True,) * 8, 2),), 1, 3)
    data = entries_of(field, (0, 0, 0, 0, 0, 0, Data(0), Data(1)), "1" * 8)
    assert (data.keys.count, data.count) == (8, 4)
    numbers = np.arange(8, dtype=np.uint64)
    assert data.alike(numbers).tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    shared = entries_of(field, tuple(Shared("u", i) for i in range(8)), "1" * 8, owner=owner)
    assert shared.count == 2 and shared.alike(numbers).tolist() == [0, 1, 0, 1, 0, 1, 0, 1]
    assert [value[:2].tolist() for value in shared.values(numbers)] == [
        [int.from_bytes(row) for row in owner.own(numbers[:2])[:, :1]]
    ]
    own = entries_of(field, tuple(Own(i) for i in range(8)), "1" * 8)
    assert own.count == 8 and own.alike(numbers).tolist() == list(range(8)) and own.left_out == 0
    apart = entries_of(field, (Data(0), *([1] * 7)), "1" * 8, "0" + "1" * 7)
    assert apart.count == 3  # two of the first pattern, one of the second, which does not look at the data


@pytest.mark.parametrize("bits", ["own", "data", "shared", "of two patterns", "restricted"])
def test_the_commands_have_each_entry_once(bits: str) -> None:
    """The first where keys are the same, made of data or of another table's; one pattern comes behind the other."""
    field = (KeyField(MatchKind.EXACT, 8),)
    owner = KeySet("u", field, tuple(Own(i) for i in range(8)), (), (Pattern((True,) * 8, 3),), 1, 3)
    one = {
        "own": entries_of(field, tuple(Own(i) for i in range(8)), "1" * 8),
        "data": entries_of(field, (0, 0, 0, 0, 0, 0, Data(0), Data(1)), "1" * 8),
        "shared": entries_of(field, tuple(Shared("u", i) for i in range(8)), "1" * 8, owner=owner),
        "of two patterns": entries_of((KeyField(MatchKind.TERNARY, 8),), (Data(0), *([1] * 7)), "1" * 8, "0" + "1" * 7),
        "restricted": entries_of(field, (0, 0, 0, 0, 0, 0, Data(0), Data(1)), "1" * 8),
    }[bits]
    if bits == "restricted":
        note = Annotation("entry_restriction", '"h.a != 2"', AT)
        one = replace(one, table=replace(one.table, annotations=(note,)))
    b = Builder()
    program = b.build([state("start", [], goto("accept"))])
    out, told = io.BytesIO(), list[int]()
    write(Plan(program, Wishes(), (), (one,), {}), out, told.append)
    lines = out.getvalue().decode().splitlines()
    keys = [line.partition(" =>")[0].removeprefix("table_add t NoAction ") for line in lines]
    numbers = np.arange(one.keys.count, dtype=np.uint64)
    which, _ = one.keys.pattern_of(numbers)
    (values,), expected = one.values(numbers), dict[str, None]()
    for pattern, value in sorted(zip(which.tolist(), values.tolist(), strict=True), key=lambda pair: pair[0]):
        (mask,) = one.masks(one.keys.patterns[pattern].cares)
        expected[f"0x{value & mask:02x}" + (f"&&&0x{mask:02x}" if bits == "of two patterns" else "")] = None
    if bits == "restricted":
        del expected["0x02"]
    assert keys == list(expected) and len(keys) == one.count
    assert len(keys) == {"own": 8, "data": 4, "shared": 3, "of two patterns": 3, "restricted": 3}[bits]
    assert sum(told) == one.keys.count


def test_entries_that_a_rule_forbids_are_none() -> None:
    """Of keys that are the same only one is counted, whether it is there or left out."""
    field = (KeyField(MatchKind.EXACT, 8),)
    for bits, different in ((tuple(Own(i) for i in range(8)), 8), ((*(0,) * 6, Data(0), Data(1)), 4)):
        one = entries_of(field, bits, "1" * 8)
        values = set(one.values(np.arange(8, dtype=np.uint64))[0].tolist())
        least = sorted(values)[1]
        note = Annotation("entry_restriction", f'"h.a >= {least}"', AT)
        ruled = replace(one, table=replace(one.table, annotations=(note,)))
        assert len(values) == different == one.count
        assert (ruled.count, ruled.left_out) == (different - 1, 1)
        allowed = ruled.allowed(np.arange(8, dtype=np.uint64))
        assert (allowed == (one.values(np.arange(8, dtype=np.uint64))[0] >= least)).all()


def test_a_rule_for_priorities_counts_them_from_one() -> None:
    one = entries_of((KeyField(MatchKind.TERNARY, 8),), tuple(Own(i) for i in range(8)), "1" * 8, "1" * 4 + "0" * 4)
    note = Annotation("entry_restriction", '"::priority > 3 && h.a::mask != 0xf0"', AT)
    ruled = replace(
        one,
        table=replace(one.table, annotations=(note,), keys=(replace(one.table.keys[0], match_kind=MatchKind.TERNARY),)),
    )
    which, _ = one.keys.pattern_of(np.arange(16, dtype=np.uint64))
    assert ruled.allowed(np.arange(16, dtype=np.uint64)).tolist() == [at >= 3 and which[at] == 0 for at in range(16)]
    assert not len(ruled.allowed(np.arange(0, dtype=np.uint64)))


@pytest.mark.parametrize(
    ("size", "spares", "filled"),
    [
        (1000, False, 1000),
        (1000, True, 1000 - SPARE),
        (4 * SPARE, True, 3 * SPARE),
        (100, True, 75),
        (3, True, 3),
        (4, True, 3),
    ],
)
def test_room_for_single_frames(size: int, spares: bool, filled: int) -> None:
    """A quarter of a small table, and of a large one as much as single frames may need."""
    assert filled_of(size, spares) == filled


@pytest.mark.parametrize(
    ("size", "wanted", "there"),
    [
        (4096, {}, USUAL_ENTRIES),
        (100, {}, 100),
        (4096, {None: 70}, 70),
        (4096, {None: 70, "I.t": 30}, 30),
    ],
)
def test_how_many_entries_a_table_gets(size: int, wanted: dict[str | None, int], there: int) -> None:
    """What was asked for it, or for all, or the usual number where it has room for that. Nothing of it is left
    unused where every table that can be hit has entries."""
    b = Builder()
    b.header("h", "h_t", a=32)
    b.action("I.send", b.set("sm.egress_spec", 1))
    b.table("I.t", [("h.a", "exact")], ["I.send"], size=size)
    program = b.build([state("start", [extract("h")], goto("accept"))], ingress=[apply("I.t")], deparser=[emit("h")])
    made = plan(program, Wishes(wanted), Diagnostics(), lambda done, total: None)
    assert [one.count for one in made.tables] == [there]


@pytest.mark.parametrize(("ports", "outward"), [(2, [1, 0]), (3, [1, 2, 0]), (1, [0])])
def test_frames_leave_by_another_port_than_they_come_in_at(ports: int, outward: list[int]) -> None:
    assert [Wishes(ports=ports, port=port).outward for port in range(ports)] == outward


# --- restrictions ----------------------------------------------------------------------------------------------------

PARTS = {
    "x": (MatchKind.EXACT, 8), "t": (MatchKind.TERNARY, 8), "o": (MatchKind.OPTIONAL, 8), "p": (MatchKind.LPM, 8),
    "r": (MatchKind.RANGE, 8), "w": (MatchKind.EXACT, 16),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "entry", "holds"),
    [
        ("t == 7", {"t": (7, 255)}, True),
        ("t == 7", {"t": (7, 254)}, False),
        ("o == 7", {"o": (7, 255)}, True),
        ("p == 7", {"p": (7, 8)}, True),
        ("p == 7", {"p": (6, 8)}, False),
        ("p != 7", {"p": (7, 7)}, True),
        ("r == 7", {"r": (7, 7)}, True),
        ("r == 7", {"r": (7, 8)}, False),
        ("r != 7", {"r": (7, 7)}, False),
        ("x == t::value", {"x": (3,), "t": (3, 1)}, True),
        ("t == t", {"t": (3, 1)}, True),
        ("x == 0x103", {"x": (3,)}, True),  # cut to the key
        ("x <= 3", {"x": (3,)}, True),
        ("x < 3", {"x": (3,)}, False),
        ("x > 3", {"x": (3,)}, False),
        ("x >= 3", {"x": (3,)}, True),
        ("(x == 3) == (w == 4)", {"x": (3,), "w": (5,)}, False),
        ("(x == 3) != (w == 4)", {"x": (3,), "w": (5,)}, True),
        ("!!(x == 3)", {"x": (3,)}, True),
        ("x == --3", {"x": (3,)}, True),
        ("p::prefix_length == 256", {"p": (0, 0)}, False),  # a number, which is not cut
        ("w == 0XaB && w == 0B10101011 && w == 0O253 && w == 0D171", {"w": (171,)}, True),
        ("x == 0010", {"x": (10,)}, True),
        ("# line 7\n x == 3 // no\n", {"x": (3,)}, True),
        ("w == mac('00:00:00:00:aB:0f')", {"w": (0xAB0F,)}, True),
        ("w == ipv6('::f00')", {"w": (0xF00,)}, True),
        ("true -> (x == 3; w == 4)", {"x": (3,), "w": (5,)}, False),
        ("x == 3;", {"x": (3,)}, True),
    ],
)
def test_parts_of_keys(text: str, entry: dict[str, tuple[int, ...]], holds: bool) -> None:
    assert read(text, PARTS).holds(entry) is holds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x == w", "different types"), ("x == p", "different types"), ("t == o", "different types"),
        ("p == r", "different types"),
        ("x == t::mask == 0", "need parentheses"), ("t <= t", "compares numbers"),
        ("true == 1", "different types"), ("!x", "a condition is missing"), ("true;; true", "a key, a number or '('"),
        ("::prio == 1", "an entry has no such attribute, but priority"),
        ("t::low == 1", "t has no such part, but value and mask"),
        ("(true; x) == true", "a condition is missing"), ("true -> x", "a condition is missing"),
        ("x == 'a'", "a key, a number or '('"), ("x == " + "a" * 81, f"before '{'a' * 80}…': "),
        ("x == " + "a" * 80, f"before '{'a' * 80}': "),
        ("y", "before 'y': the table has no such key"),
        ("mac('00:00:00:00:00:0') == 1", "the text of the mac address"),
        ("mac 1", "'(' is missing"), ("mac('00:00:00:00:00:00' 1", "')' is"),
    ],
)  # fmt: skip
def test_restrictions_that_cannot_be_read(text: str, said: str) -> None:
    with pytest.raises(RestrictionError) as caught:
        read(text, PARTS)
    assert said in str(caught.value)


def test_how_long_and_deep_a_restriction_may_be() -> None:
    for text, more in (
        (f"w != {'9' * DIGITS}", f"w != {'9' * (DIGITS + 1)}"),
        ("!" * (NESTED - 1) + "true", "!" * NESTED + "true"),
        ("(" * (NESTED - 1) + "true" + ")" * (NESTED - 1), "(" * NESTED + "true" + ")" * NESTED),
        ("true && " * 500 + "true", "(" * NESTED + "true" + ")" * NESTED),
    ):
        read(text, PARTS)
        with pytest.raises(RestrictionError, match="more than"):
            read(more, PARTS)


def test_a_rule_names_the_priority_and_keys() -> None:
    assert read("x == 1 -> ::priority > 3", PARTS).named == {"x", "::priority"}
    assert not read("::priority > 3", PARTS).holds({"::priority": (3,)})


@pytest.mark.parametrize(("kind", "value", "mask", "holds"), [
    (MatchKind.EXACT, 7, 255, "k == 7"), (MatchKind.LPM, 0x87, 0xF0, "k::value == 0x80 && k::prefix_length == 4"),
    (MatchKind.TERNARY, 7, 6, "k::value == 6 && k::mask == 6"), (MatchKind.OPTIONAL, 7, 0, "k::value == 0 && k::mask == 0"),
    (MatchKind.RANGE, 0x87, 0xF0, "k::low == 0x80 && k::high == 0x8F"),
])  # fmt: skip
def test_what_a_rule_is_told_of_an_entry(kind: MatchKind, value: int, mask: int, holds: str) -> None:
    """The bits of its value that its mask has; keys that the rule does not name are not looked at."""
    fields = (Field("k", kind, 8), Field("other", kind, 8))
    rule = Rule(read(holds, {"k": (kind, 8), "other": (kind, 8)}), fields)
    assert rule.judged((), (value, 0), (mask, 0)).tolist() == [1.0]
    assert rule.judged((), (value ^ 0x80, 0), (mask | 0x80, 0)).tolist() != [1.0]
    assert [rule.names(field) for field in fields] == [True, False]
    assert (fields[0].full, array(8, [1]).dtype, array(64, [1]).dtype, array(65, [1]).dtype) == (
        255,
        np.uint64,
        np.uint64,
        object,
    )


def test_several_clauses_and_entries_are_judged_at_once() -> None:
    fields = (Field("x", MatchKind.EXACT, 8),)
    rule = Rule(read("x > 2; x < 5 && ::priority == 4", {"x": (MatchKind.EXACT, 8)}), fields)
    values = np.array([2, 3, 5], dtype=np.uint64)
    assert rule.judged((3,), [values], [255], 4).tolist() == [[0, 1, 1], [1, 1, 0.5]]
    assert rule.judged((3,), [values], [255]).tolist() == [[0, 1, 1], [0.5, 0.5, 0]]
