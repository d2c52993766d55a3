"""What generated code packs, sums and compares, read as Python reads it; the bytes of a frame that it needs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest
from hlir_builder import AT, Builder, any_, apply, const, emit, exact, extract, goto, h, select, state

from transpiler.codegen.c.nodes import (
    Assign,
    Block,
    Conditional,
    Declare,
    Do,
    Expression as C,
    Index,
    Literal,
    Member,
    Name,
    Statement as C_Statement,
    Switch,
)
from transpiler.codegen.c.printer import expression as printed
from transpiler.codegen.compare import comparisons
from transpiler.codegen.expressions import Expressions
from transpiler.codegen.externs import Externs
from transpiler.codegen.frame_sizes import WHOLE_FRAME, grow_bytes, made_headers, parse_bytes
from transpiler.codegen.names import Names
from transpiler.codegen.pack_words import goes_in_words, key_goes_in_words, pack_key_words, pack_words
from transpiler.codegen.packing import pack_dense, pack_key, pack_padded, pack_varying, unaligned
from transpiler.codegen.scope import Scope
from transpiler.codegen.storage import Storage
from transpiler.codegen.sums import sum_of
from transpiler.codegen.tables import Tables
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bits, Bool, Varbit, width_of
from transpiler.schedule.stages import Schedule

NOWHERE = Schedule((), frozenset(), frozenset(), frozenset())


def storage_of(program: Program) -> Storage:
    return Storage(program, NOWHERE, Names())


def renderer(b: Builder) -> Expressions:
    return Expressions(storage_of(b.build([state("start", [], goto("accept"))])), Scope())


def value_of(c: C, names: dict[str, object]) -> int:
    """A C expression of unsigned numbers of 64 bits."""
    text = re.sub(r"\(uint\d+_t\)|UINT64_C|(?<=[\da-f])u\b", "", printed(c))
    return int(eval(text, {"__builtins__": {}}, names)) & (1 << 64) - 1


class Fields:
    """Variables of some widths, constants among them, and their values."""

    def __init__(self, random: Random, widths: list[int], constants: float = 0.2) -> None:
        self.b = Builder()
        self.values: list[ex.Expression] = []
        self.numbers = [random.choice((0, (1 << w) - 1, random.getrandbits(w))) for w in widths]
        self.names: dict[str, object] = {}
        for place, (width, number) in enumerate(zip(widths, self.numbers, strict=True)):
            self.b.variable(f"v{place}", width)
            self.names[f"v{place}"] = number
            constant = random.random() < constants
            self.values.append(const(number, width) if constant else self.b.get(f"v{place}"))

    @property
    def bits(self) -> int:
        return sum(width_of(value.type) for value in self.values)

    @property
    def number(self) -> int:
        """All of them, one behind the other."""
        whole = 0
        for value, number in zip(self.values, self.numbers, strict=True):
            whole = whole << width_of(value.type) | number
        return whole


def test_values_in_words() -> None:
    random = Random(3)
    for _ in range(200):
        fields = Fields(random, [random.randrange(1, 65) for _ in range(random.randrange(2, 7))])
        skipped, buffer = random.randrange(8), bytearray(80)

        def store(at: int, count: int, value: int, buffer: bytearray = buffer) -> int:
            buffer[at : at + count] = (value & (1 << 8 * count) - 1).to_bytes(count, "big")
            return 0

        made, words = pack_words(renderer(fields.b), Name("list"), tuple(fields.values), skipped)
        for statement in made:
            assert isinstance(statement, Do)
            value_of(statement.expression, {**fields.names, "list": 0, "macs_store_bytes": store})
        size = skipped + -(-fields.bits // 8)
        assert 8 * (words - 1) < size <= 8 * words
        assert bytes(buffer[:skipped]) == bytes(skipped)
        whole = fields.number << -fields.bits % 8
        assert buffer[skipped:size] == whole.to_bytes(size - skipped, "big")


class Memory:
    """Bytes that generated statements store to; `list` is where they begin."""

    def __init__(self, names: dict[str, object]) -> None:
        self.bytes = bytearray(b"\xa5" * 200)
        self.names: dict[str, object] = {
            "list": 0,
            **names,
            "macs_store_bytes": self.store,
            "macs_store_bits": self.put,
        }
        self.names.update({f"macs_w{limbs}_store": self.put for limbs in range(2, 6)})

    def put(self, at: int, bit: int, bits: int, value: int) -> int:
        """From bit `bit` behind byte `at` on."""
        shift = 8 * len(self.bytes) - 8 * at - bit - bits
        mask = (1 << bits) - 1 << shift
        whole = int.from_bytes(self.bytes, "big") & ~mask | (value << shift & mask)
        self.bytes[:] = whole.to_bytes(len(self.bytes), "big")
        return 0

    def store(self, at: int, count: int, value: int) -> int:
        return self.put(at, 0, 8 * count, value)

    def run(self, body: Iterable[C_Statement]) -> None:
        for statement in body:
            match statement:
                case Block(body=inner):
                    self.run(inner)
                case Declare(name=name, value=value):
                    assert value is not None
                    self.names[name] = self.names[printed(value)]
                case Assign(target=Index(of=Name(name=of), at=Literal(text=at)), value=Literal(text="0")):
                    self.store(int(str(self.names[of])) + int(at), 1, 0)
                case Do(expression=done):
                    value_of(done, self.names)
                case _:
                    raise AssertionError(statement)


def padded(fields: Fields) -> bytes:
    """Each value in whole bytes."""
    pairs = zip(fields.values, fields.numbers, strict=True)
    return b"".join(number.to_bytes(-(-width_of(value.type) // 8), "big") for value, number in pairs)


def test_values_one_behind_the_other_and_each_in_whole_bytes() -> None:
    """Nothing but their bits is changed: of whole bytes those beside a value are zeros."""
    random = Random(5)
    for _ in range(100):
        fields = Fields(random, [random.randrange(1, 150) for _ in range(random.randrange(1, 7))], constants=0)
        dense = Memory(fields.names)
        made, bits = pack_dense(renderer(fields.b), Name("list"), tuple(fields.values))
        dense.run(made)
        assert bits == fields.bits
        size = -(-bits // 8)
        beside = 0xA5 & (1 << -bits % 8) - 1
        assert dense.bytes[:size] == (fields.number << -bits % 8 | beside).to_bytes(size, "big")
        assert set(dense.bytes[size:]) == {0xA5}
        rest = padded(fields)
        for pack in (pack_padded, pack_key):
            memory = Memory(fields.names)
            made_of = pack(renderer(fields.b), Name("list"), tuple(fields.values))
            if pack is pack_padded:
                made_of, count = made_of
                assert count == len(rest)
            memory.run(made_of)
            assert memory.bytes[: len(rest)] == rest and set(memory.bytes[len(rest) :]) == {0xA5}


def test_a_key_behind_a_pointer_is_packed_through_one_that_nothing_else_is_known_by() -> None:
    fields = Fields(Random(6), [24, 40, 16], constants=0)
    place = Member(Name("lookup"), "key", arrow=True)
    memory = Memory({**fields.names, "lookup->key": 7})
    made = pack_key(renderer(fields.b), place, tuple(fields.values))
    memory.run(made)
    assert memory.bytes[7:17] == padded(fields) and memory.bytes[17] == 0xA5
    (block,) = made
    assert isinstance(block, Block) and isinstance(block.body[0], Declare) and block.body[0].type == "uint8_t *restrict"


class Wide(int):
    """A number that C has as limbs of 64 bits, the lowest first."""

    @property
    def limb(self) -> list[int]:
        return [int(self) >> 64 * number & (1 << 64) - 1 for number in range(5)]


def test_wide_values_in_words() -> None:
    """Keys have each value in whole bytes, and zeros behind the last one."""
    random = Random(7)
    for _ in range(100):
        fields = Fields(
            random, [random.choice((1, 9, 48, 64, 65, 96, 128, 200)) for _ in range(random.randrange(1, 5))], 0
        )
        names: dict[str, object] = {name: Wide(number) for name, number in fields.names.items()}  # type: ignore[call-overload]
        skipped, memory = random.randrange(8), Memory(names)
        made, words = pack_words(renderer(fields.b), Name("list"), tuple(fields.values), skipped)
        memory.run(made)
        whole = fields.number << -fields.bits % 8
        packed = bytes(skipped) + whole.to_bytes(-(-fields.bits // 8), "big")
        assert words == -(-len(packed) // 8)
        assert memory.bytes == packed.ljust(8 * words, b"\0") + b"\xa5" * (200 - 8 * words)
        key, rest = Memory(names), padded(fields)
        key.run(pack_key_words(renderer(fields.b), Name("list"), tuple(fields.values)))
        size = -(-len(rest) // 8) * 8
        assert key.bytes == rest.ljust(size, b"\0") + b"\xa5" * (200 - size)


@pytest.mark.parametrize(
    ("widths", "together", "as_key"),
    [
        ([], False, False),
        ([8], False, False),
        ([16], False, False),
        ([17], False, True),
        ([32], False, False),
        ([40], False, True),
        ([64], False, False),
        ([57], False, False),  # eight bytes
        ([65], True, False),
        ([128], True, False),
        ([16, 16], False, True),
        ([8, 8], False, True),
        ([16, 17], True, True),
        ([32, 64], True, True),
        ([8, 96], True, False),
    ],
)
def test_what_is_stored_in_other_pieces_than_it_is_read_in(widths: list[int], together: bool, as_key: bool) -> None:
    """Several values of more than half a word, or a wide one; all keys but one value of 1, 2, 4 or 8 bytes, and none wide."""
    values = tuple(Fields(Random(1), widths, 0).values)
    assert (goes_in_words(values), key_goes_in_words(values)) == (together, as_key)


def test_whether_the_bits_beside_values_are_read() -> None:
    """Whichever of them leaves a byte half full."""
    fields = Fields(Random(1), [8, 16, 4, 12, 32])
    byte, word, half, more, four = fields.values
    for values in ((half,), (byte, half), (byte, word, more), (half, byte)):
        assert unaligned(values)
    assert not unaligned((byte, word, four)) and not unaligned(())


def test_a_list_of_one_kind_or_another_takes_as_much_as_the_longer() -> None:
    fields = Fields(Random(1), [8, 16, 4, 32])
    short, long = (ex.ListExpression(tuple(values), AT) for values in (fields.values[:1], fields.values[1:3]))
    for then, otherwise in ((short, long), (long, short)):
        either = ex.Conditional(ex.Const(1, Bool(), AT), then, otherwise, then.type, AT)
        made, most = pack_varying(renderer(fields.b), Name("list"), (either, fields.values[3]))
        assert made and most == 20 + 32


def plain_checksum(data: bytes) -> int:
    total = sum(int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def checksum_of_sum(total: int) -> int:
    folded = total % 0xFFFF or (0xFFFF if total else 0)
    return ~folded & 0xFFFF


def summed(fields: Fields) -> int:
    made, result = sum_of(renderer(fields.b), tuple(fields.values), None)
    total = 0
    for statement in made:
        if isinstance(statement, Declare):
            continue
        assert isinstance(statement, Assign) and statement.operator == "+="
        total += value_of(statement.value, fields.names)
    return value_of(result, {"sum": total, "macs_checksum_of_sum": checksum_of_sum})


def test_sums_are_those_of_the_packed_bytes() -> None:
    random = Random(4)
    for _ in range(300):
        fields = Fields(
            random, [random.choice((1, 4, 8, 12, 16, 20, 32, 48, 64)) for _ in range(random.randrange(1, 8))]
        )
        padding = -fields.bits % 16
        data = (fields.number << padding).to_bytes((fields.bits + padding) // 8, "big")
        assert summed(fields) == plain_checksum(data)


@pytest.mark.parametrize("number", [0, 1, 0xFFFE, 0xFFFF])
def test_a_sum_is_zero_only_if_all_values_are(number: int) -> None:
    fields = Fields(Random(0), [16])
    fields.values = [const(number, 16)]
    assert summed(fields) == ~number & 0xFFFF


# --- bytes of the frame -----------------------------------------------------------------------------------------------


class Framed(Builder):
    """A header a of 3 bytes, v with a varbit of up to 8 bytes behind 2, a stack s of two of 4; a variables x and y."""

    def __init__(self) -> None:
        super().__init__()
        self.header("a", "a_t", f=24)
        self.header("v", "v_t", f=16, o=Varbit(64))
        self.stack("s", "s_t", 2, f=32)
        self.variable("x", 33)
        self.variable("y", 8)

    def parsed(self, *body: st.Statement, ingress: tuple[st.Statement, ...] = ()) -> Program:
        return self.build([state("start", body, goto("accept"))], ingress, (), [emit("a"), emit("v")])


def look(width: int) -> st.Lookahead:
    return st.Lookahead(ex.VariableRef("x" if width == 33 else "y", AT), Bits(width), AT)


def test_the_bytes_that_a_parser_may_read() -> None:
    b = Framed()
    assert parse_bytes(b.parsed()) == 0
    assert parse_bytes(b.parsed(extract("a"))) == 3
    assert parse_bytes(b.parsed(extract("v", const(8, 32)))) == 2 + 8
    assert parse_bytes(b.parsed(extract("a"), look(33))) == 3 + 5
    assert parse_bytes(b.parsed(st.Advance(const(40, 32), AT), extract("a"))) == 5 + 3
    assert parse_bytes(b.parsed(st.Advance(ex.Cast(b.get("x"), Bits(32), AT), AT))) == WHOLE_FRAME
    element = st.Extract(ex.ElementRef("s", const(1, 32), AT), None, AT)
    assert parse_bytes(b.parsed(element)) == 4
    rounds = st.While(ex.Binary(ex.BinaryOp.EQ, b.get("y"), const(0, 8), Bool(), AT), (extract("a"),), AT)
    assert parse_bytes(b.parsed(rounds)) == WHOLE_FRAME


@pytest.mark.parametrize(("method", "whole"), [("hash.compute", False), ("hash.compute_with_payload", True)])
def test_who_hashes_the_payload_reads_the_whole_frame(method: str, whole: bool) -> None:
    b = Framed()
    hashed = b.call(method, None, ex.Text("crc16", AT), b.values("a.f"), out="x")
    assert parse_bytes(b.parsed(extract("a"), ingress=(hashed,))) == (WHOLE_FRAME if whole else 3)


def test_a_second_parser_may_begin_behind_what_the_first_one_took_off() -> None:
    b = Framed()
    first, second = b.parsed(extract("a")), b.parsed(look(33))
    assert parse_bytes(replace(first, pipes=(*first.pipes, second.pipes[0]))) == 3 + 5


def test_the_longest_way_counts() -> None:
    b = Framed()
    start = state("start", [extract("a")], select(b.get("a.f"), (exact(1, 24), "short"), (exact(2, 24), "long")))
    short, long = state("short", [look(8)], goto("accept")), state("long", [look(33)], goto("accept"))
    assert parse_bytes(b.build([start, short, long])) == 3 + 5
    again = state("long", [look(33)], goto("start"))
    assert parse_bytes(b.build([start, short, again])) == WHOLE_FRAME


def test_a_frame_may_grow_by_what_is_made_of_it() -> None:
    b = Framed()
    valid = st.SetValid(ex.HeaderRef("a", AT), True, AT)
    invalid = st.SetValid(ex.HeaderRef("a", AT), False, AT)

    def grows(*ingress: st.Statement) -> int:
        program = b.parsed(ingress=ingress)
        return grow_bytes(program, storage_of(program))

    assert grows() == grows(invalid) == 0
    assert grows(valid) == grows(valid, invalid) == 3
    copy = st.CopyHeader(ex.ElementRef("s", const(0, 32), AT), ex.ElementRef("s", const(1, 32), AT), AT)
    assert grows(copy) == 2 * 4
    varbit = Varbit(64)
    other = ex.Read(ex.FieldRef(ex.HeaderRef("w", AT), "o", AT), varbit, AT)
    b.header("w", "v_t")
    longer = st.Assign(ex.FieldRef(ex.HeaderRef("v", AT), "o", AT), other, AT)
    assert grows(longer) == 2 + 8


@pytest.mark.parametrize(
    ("statement", "made", "with_sources"),
    [
        (st.SetValid(h("a"), True, AT), {"a"}, set()),
        (st.SetValid(h("a"), False, AT), set(), set()),
        (st.SetValid(h("s[1]"), True, AT), {"s", "s[1]"}, set()),
        (st.SetValid(ex.ElementRef("s", const(0, 32), AT), True, AT), {"s", "s[0]", "s[1]"}, set()),  # one of them
        (st.CopyHeader(h("c"), h("a"), AT), {"c"}, {"a"}),
        (st.CopyHeader(h("s[0]"), h("s[1]"), AT), {"s", "s[0]"}, {"s[1]"}),
        (st.CopyHeader(h("t[0]"), h("s[1]"), AT), {"t", "t[0]"}, {"s", "s[1]"}),
    ],
)
def test_headers_that_need_not_be_extracted_to_be_valid(
    statement: st.Statement, made: set[str], with_sources: set[str]
) -> None:
    """And the stacks that they are elements of; where it is asked for, what is copied, whose place goes with it."""
    b = Framed()
    b.header("c", "a_t")
    b.stack("t", "s_t", 1)
    program = b.parsed(extract("a"), ingress=(statement,))
    assert made_headers(program) == made
    assert made_headers(program, sources=True) == made | with_sources


# --- tables -----------------------------------------------------------------------------------------------------------


def mask(value: int, bits: int) -> ex.MaskSet:
    return ex.MaskSet(const(value, 16), const(bits, 16), AT)


def span(low: int, high: int) -> ex.RangeSet:
    return ex.RangeSet(const(low, 16), const(high, 16), AT)


def winner(kinds: list[str], entries: list[tuple[list[ex.KeySet], int]], *keys: int) -> int | None:
    """The number of the constant entry that compiled comparisons find for those keys."""
    b = Builder()
    for number in range(len(kinds)):
        b.variable(f"k{number}", 16)
    b.action("act")
    rows = [b.entry(keysets, "act", priority=priority) for keysets, priority in entries]
    b.table("t", [(f"k{n}", kind) for n, kind in enumerate(kinds)], ["act"], entries=rows, const_entries=True)
    program = b.build([state("start", [], goto("accept"))], [apply("t")])
    declared, found = comparisons(program, program.table["t"], renderer(b), "values")
    assert isinstance(declared, Declare) and isinstance(found, Assign)
    choice = found.value
    while isinstance(choice, Conditional):  # the first one whose condition holds
        condition = re.sub(r"UINT64_C|(?<=[\da-f])u\b", "", printed(choice.condition)).replace("&&", "and")
        choice = choice.then if eval(condition, {"__builtins__": {}}, {"key": keys}) else choice.otherwise
    number = re.fullmatch(r"&values\[(\d+)\]", printed(choice))
    return int(number[1]) if number else None


def test_entries_win_by_priority_then_by_prefix_then_by_their_order() -> None:
    prefixes = [
        ([mask(0, 0)], 0),
        ([mask(0x1000, 0xF000)], 0),
        ([mask(0x1200, 0xFF00)], 0),
        ([mask(0x1200, 0xFF00)], 0),
    ]
    ranked = [(keysets, 4 - number) for number, (keysets, _) in enumerate(prefixes)]  # which says nothing of prefixes
    for key, expected in ((0x1234, 2), (0x1334, 1), (0x2000, 0)):
        assert winner(["lpm"], prefixes, key) == winner(["lpm"], ranked, key) == expected
    masks = [([mask(0, 0x0001)], 5), ([mask(0, 0x0003)], 9), ([mask(0, 0x0003)], 9), ([mask(0, 0xFFFF)], 1)]
    for key, expected in ((0, 1), (4, 1), (2, 0)):
        assert winner(["ternary"], masks, key) == expected
    assert winner(["ternary"], masks, 1) is None


@pytest.mark.parametrize("kind", ["ternary", "range", "optional"])
def test_priorities_of_other_keys_go_before_prefixes(kind: str) -> None:
    entries: list[tuple[list[ex.KeySet], int]] = [
        ([any_(), mask(0x1000, 0xF000)], 2), ([exact(5, 16), mask(0x1200, 0xFF00)], 1), ([any_(), mask(0x2000, 0xF000)], 3),
    ]  # fmt: skip
    assert [winner([kind, "lpm"], entries, 5, key) for key in (0x1234, 0x2234, 0x3234)] == [0, 2, None]


def test_ranges_hold_both_of_their_ends() -> None:
    ranges = [([span(5, 9)], 1), ([span(0, 2)], 2), ([span(0xFFF0, 0xFFFF)], 3), ([span(12, 12)], 4)]
    expected = {
        0: 1,
        2: 1,
        3: None,
        4: None,
        5: 0,
        9: 0,
        10: None,
        11: None,
        12: 3,
        13: None,
        0xFFEF: None,
        0xFFF0: 2,
        0xFFFF: 2,
    }
    for key, number in expected.items():
        assert winner(["range"], ranges, key) == number
    nearly = [([span(1, 0xFFFE)], 1)]
    assert [winner(["range"], nearly, key) for key in (0, 1, 0xFFFE, 0xFFFF)] == [None, 0, 0, None]


@pytest.mark.parametrize(
    ("kind", "keyset", "condition"),
    [
        ("ternary", mask(5, 0xFFFF), "key[0] == 5"),
        ("ternary", mask(5, 7), "(key[0] & 7) == 5"),
        ("ternary", mask(0xFF, 7), "(key[0] & 7) == 7"),
        ("ternary", mask(0, 0), None),
        ("ternary", any_(), None),
        ("optional", exact(5, 16), "key[0] == 5"),
        ("lpm", mask(0x1200, 0xFF00), "(key[1] & 0xff00) == 0x1200"),
        ("range", span(0, 9), "key[0] <= 9"),
        ("range", span(1, 9), "key[0] >= 1 && key[0] <= 9"),
        ("range", span(1, 0xFFFF), "key[0] >= 1"),
        ("range", span(0, 0xFFFE), "key[0] <= 0xfffe"),
        ("range", span(0, 0xFFFF), None),
        ("range", span(7, 7), "key[0] == 7"),
        ("range", span(0, 0), "key[0] == 0"),
        ("range", exact(7, 16), "key[0] == 7"),
        ("range", any_(), None),
    ],
)
def test_an_entry_asks_no_more_than_it_must(kind: str, keyset: ex.KeySet, condition: str | None) -> None:
    """The other one, behind it, keeps exact keys from being a switch."""
    b = Builder()
    for name in ("k", "l"):
        b.variable(name, 16)
    b.action("act")
    rows = [b.entry([keyset, any_()], "act"), b.entry([keyset, mask(1, 1)], "act")]
    b.table("t", [("k", kind), ("l", "ternary")], ["act"], entries=rows, const_entries=True)
    program = b.build([state("start", [], goto("accept"))], [apply("t")])
    _, found = comparisons(program, program.table["t"], renderer(b), "values")
    assert isinstance(found, Assign)
    choice = found.value
    assert (printed(choice.condition) if isinstance(choice, Conditional) else None) == condition


@pytest.mark.parametrize(("width", "switches"), [(9, True), (57, True), (58, False)])
def test_exact_keys_of_a_word_are_switched_over(width: int, switches: bool) -> None:
    """The first field highest, whatever their widths; wider ones are compared field by field."""
    b = Builder()
    b.variable("a", width)
    b.variable("b", 7)
    b.action("act")
    keys = [(5, 3), (1, 2)]
    rows = [b.entry([exact(first, width), exact(second, 7)], "act") for first, second in keys]
    b.table("t", [("a", "exact"), ("b", "exact")], ["act"], entries=rows, const_entries=True)
    program = b.build([state("start", [], goto("accept"))], [apply("t")])
    made = comparisons(program, program.table["t"], renderer(b), "values")
    if switches:
        (switch,) = made
        assert isinstance(switch, Switch)
        assert value_of(switch.subject, {"a": 5, "b": 3}) == 5 << 7 | 3
        labels = [[value_of(label, {}) for label in case.labels] for case in switch.cases]
        assert labels == [[5 << 7 | 3], [1 << 7 | 2], []] and switch.cases[2].default and switch.cases[2].body == ()
        return
    _, found = made
    assert isinstance(found, Assign) and isinstance(found.value, Conditional)
    assert printed(found.value.condition) == "key[0] == 5 && key[1] == 3"


def test_where_actions_may_stand() -> None:
    b = Builder()
    b.variable("k", 16)
    for name in ("anywhere", "default_only", "table_only"):
        b.action(name)
    b.table("t", [("k", "exact")], ["anywhere", "default_only", "table_only"])
    (table,) = b.tables
    uses = tuple(
        replace(use, default_only=use.action == "default_only", table_only=use.action == "table_only")
        for use in table.actions
    )
    b.tables = [replace(table, actions=uses)]
    program = b.build([state("start", [], goto("accept"))], [apply("t")])
    scopes = [action.scope for action in Tables(program, Names(), {}).view("t", 0).actions]
    assert scopes == ["MACS_ANYWHERE", "MACS_DEFAULT_ONLY", "MACS_TABLE_ONLY", "MACS_ANYWHERE"]


def test_a_direct_element_is_that_of_the_entry_or_of_the_default_action() -> None:
    b = Builder()
    b.variable("k", 16)
    b.extern("c", "direct_counter", unit="packets", automatic=1)
    b.table("t", [("k", "exact")], [], size=77, direct=["c"])
    b.table("other", [("k", "exact")], [])
    program = b.build([state("start", [], goto("accept"))], [apply("t"), apply("other")])
    externs = Externs(program, Names())
    assert printed(externs.own_index("c", "other")) == "77"
    assert printed(externs.own_index("c", "t")) != "77"
    assert externs.view(program.extern["c"]).size == "78"


def test_elements_beyond_their_stack_are_not_touched() -> None:
    b = Framed()
    b.variable("i", 32)
    place = ex.FieldRef(ex.ElementRef("s", b.get("i"), AT), "f", AT)
    text = printed(renderer(b)(ex.Read(place, Bits(32), AT)))
    assert re.fullmatch(r"i < 2 \? (\w+)\[i\] : 0", text), text


@pytest.mark.parametrize(
    ("type_", "size"),
    [(Bits(1), 5), (Bits(3), 5), (Bits(8), 5), (Bits(1, True), 1), (Bits(3, True), 4), (Bits(4, True), 5)],
    ids=str,
)
def test_indices_below_zero_are_beyond_the_elements(type_: Bits, size: int) -> None:
    """As unsigned numbers: of 5 elements a signed index of 3 bits reaches 4."""
    b = Builder()
    b.stack("s", "h_t", 5, v=8)
    b.variable("at", type_)
    index = b.get("at")
    access = storage_of(b.build([state("start", [], goto("accept"))])).access(ex.ElementRef("s", index, AT))
    assert (access.index, access.size) == (index, size)
