"""The worker of a frame is a function of the cells that it touches, and programs of which that cannot be shown are refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import switches

from macsad.stf.interpreted import InterpretedDevice
from transpiler.analysis.locations import VALIDITY, Location
from transpiler.analysis.parities import Value, frame_bits, hash_of, number_of, value_of
from transpiler.diagnostics import Span
from transpiler.externs import algorithms
from transpiler.externs.register import Register
from transpiler.hlir.arithmetic import binary
from transpiler.hlir.expressions import (
    Binary,
    BinaryOp,
    Cast,
    Conditional,
    Const,
    ElementRef,
    Expression,
    FieldRef,
    HeaderRef,
    IsValid,
    ListExpression,
    Read,
    Slice,
    Unary,
    UnaryOp,
    VariableRef,
)
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bits, Bool, Type, Varbit
from transpiler.schedule.atomic_regions import Ways, notes, with_atomic_regions
from transpiler.schedule.steering import Steering

SHARDED = Path(__file__).parents[1] / "system" / "sharded.p4"
WAYS = Ways()
AT = Span("steered.p4", 1, 1, 1)


# --- parities ----------------------------------------------------------------------------------------------------------


def computed(value: Value, frame: int) -> list[int | None]:
    """The bits of a value in a frame of 32 bits; None where they are not known."""
    bits = int(f"{frame:032b}"[::-1], 2)  # bit 0 the first on the wire
    return [None if parity is None else (parity & 1) ^ ((parity >> 1 & bits).bit_count() & 1) for parity in value]


def agrees(value: Value, frame: int, wanted: int) -> int:
    """How many bits are known, all of which must be right."""
    found = computed(value, frame)
    assert all(bit is None or bit == wanted >> n & 1 for n, bit in enumerate(found)), (value, frame)
    return sum(bit is not None for bit in found)


@pytest.mark.parametrize("op", [op for op in BinaryOp if op not in (BinaryOp.LAND, BinaryOp.LOR)])
def test_what_is_known_of_an_operation_is_right(op: BinaryOp) -> None:
    """Of two fields of 16 bits, and of a field and constants."""
    fields = {Location("a"): frame_bits(0, 16), Location("b"): frame_bits(16, 16)}
    a, b = (Read(VariableRef(name, AT), Bits(16), AT) for name in "ab")
    made = random.Random(op.value)
    width = 32 if op is BinaryOp.CONCAT else 16
    for _ in range(200):
        frame, fixed = made.getrandbits(32), made.choice((0, 1, 2, 3, 8, 12, 0xFFFF, made.getrandbits(16)))
        const = Const(fixed, Bits(16), AT)
        for right, number in ((b, frame & 0xFFFF), (const, fixed)):
            whole = Binary(op, a, right, Bits(width), AT)
            agrees(value_of(whole, fields.get), frame, binary(op, frame >> 16, number, Bits(16), Bits(16)))


def test_carries_are_known_as_far_as_they_are_parities() -> None:
    a = Read(VariableRef("a", AT), Bits(16), AT)
    known = {Location("a"): frame_bits(0, 16)}.get
    for number, bits in ((0, 16), (1, 2), (4, 4), (0x8000, 16)):
        found = value_of(Binary(BinaryOp.ADD, a, Const(number, Bits(16), AT), Bits(16), AT), known)
        assert sum(bit is not None for bit in found) == bits


def test_how_many_bits_of_an_operation_are_known() -> None:
    """The rest of a power of two has no higher bits, a value and itself are the value, a varbit has any number of bits."""
    a = Read(VariableRef("a", AT), Bits(16), AT)
    known = {Location("a"): frame_bits(0, 16)}.get
    for op, right, bits in ((BinaryOp.MOD, 4, 16), (BinaryOp.MOD, 12, 2), (BinaryOp.AND, a, 16), (BinaryOp.OR, a, 16)):
        other = Const(right, Bits(16), AT) if isinstance(right, int) else right
        found = value_of(Binary(op, a, other, Bits(16), AT), known)
        assert sum(bit is not None for bit in found) == bits
    assert set(hash_of("crc16", (a, Read(VariableRef("v", AT), Varbit(16), AT)), 16, known)) == {None}


@pytest.mark.parametrize("algorithm", sorted(algorithms.ALGORITHMS))
def test_hashes_are_parities_or_nothing_is_known(algorithm: str) -> None:
    known = {Location("a"): frame_bits(3, 13), Location("b"): frame_bits(16, 16)}.get
    items = (Read(VariableRef("b", AT), Bits(16), AT), Read(VariableRef("a", AT), Bits(13), AT))
    linear = algorithm in ("crc32", "crc16", "xor16", "identity")
    for frame in random.Random(1).choices(range(1 << 32), k=50):
        data = ((frame & 0xFFFF) << 16 | (frame >> 16 & 0x1FFF) << 3).to_bytes(4, "big")
        wanted = algorithms.compute(algorithm, data) or 0
        assert agrees(hash_of(algorithm, items, 16, known), frame, wanted if linear else 0) == 16 * linear


def test_a_number_is_known_where_the_frame_does_not_matter() -> None:
    assert number_of((1, 0, 1)) == 5 and number_of((1, 2)) is None and number_of((None,)) is None


A, C = frame_bits(0, 4), frame_bits(4, 4)
KNOWN = {
    Location("a"): A, Location("c"): C, Location("h", VALIDITY): (1,), Location("half"): (1, 0, None, None),
}  # fmt: skip
FOUR, YES, NO = Bits(4), Const(1, Bool(), AT), Const(0, Bool(), AT)


def read(name: str, type_: Type = FOUR) -> Read:
    return Read(VariableRef(name, AT), type_, AT)


def four(number: int) -> Const:
    return Const(number, FOUR, AT)


def made(op: BinaryOp, left: Expression, right: Expression, type_: Type = FOUR) -> Binary:
    return Binary(op, left, right, type_, AT)


ASKED = made(BinaryOp.EQ, read("a"), read("c"), Bool())  # nobody knows
SIGNED = Cast(read("a"), Bits(4, signed=True), AT)
NONE = (None,) * 4


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (read("elsewhere"), NONE),
        (Read(FieldRef(ElementRef("s", read("i", Bits(32)), AT), "f", AT), FOUR, AT), NONE),
        (IsValid(HeaderRef("h", AT), AT), (1,)),
        (IsValid(HeaderRef("g", AT), AT), (None,)),
        (Conditional(YES, read("a"), read("c"), FOUR, AT), A),
        (Conditional(NO, read("a"), read("c"), FOUR, AT), C),
        (Conditional(ASKED, read("a"), read("c"), FOUR, AT), NONE),
        (Conditional(ASKED, four(5), four(6), FOUR, AT), (None, None, 1, 0)),
        (Slice(read("a"), 2, 1, AT), A[1:3]),
        (Cast(read("a"), Bits(2), AT), A[:2]),
        (Cast(read("a"), Bits(6), AT), (*A, 0, 0)),
        (Cast(SIGNED, Bits(6, signed=True), AT), (*A, A[3], A[3])),
        (Cast(read("a"), Bool(), AT), (None,)),
        (Cast(four(2), Bool(), AT), (1,)),
        (Cast(four(0), Bool(), AT), (0,)),
        (Cast(YES, FOUR, AT), (1, 0, 0, 0)),
        (Unary(UnaryOp.COMPLEMENT, read("a"), FOUR, AT), tuple(bit ^ 1 for bit in A)),
        (Unary(UnaryOp.NEGATE, four(3), FOUR, AT), (1, 0, 1, 1)),
        (Unary(UnaryOp.NEGATE, read("half"), FOUR, AT), (1, 1, None, None)),
        (Unary(UnaryOp.NOT, ASKED, Bool(), AT), (None,)),
        (Unary(UnaryOp.NOT, YES, Bool(), AT), (0,)),
        (made(BinaryOp.LAND, ASKED, NO, Bool()), (0,)),
        (made(BinaryOp.LAND, YES, ASKED, Bool()), (None,)),
        (made(BinaryOp.LOR, ASKED, YES, Bool()), (1,)),
        (made(BinaryOp.LOR, NO, ASKED, Bool()), (None,)),
        (ASKED, (None,)),
        (made(BinaryOp.MUL, read("a"), read("c")), NONE),
        (made(BinaryOp.XOR, read("a"), read("c")), tuple(x ^ y for x, y in zip(A, C, strict=True))),
        (made(BinaryOp.AND, read("half"), four(0b0110)), (0, 0, None, 0)),
        (made(BinaryOp.OR, read("half"), four(0b0110)), (1, 1, 1, None)),
        (made(BinaryOp.SUB, read("half"), four(1)), (0, 0, None, None)),
        (made(BinaryOp.SHL, read("a"), four(1)), (0, *A[:3])),
        (made(BinaryOp.SHL, read("a"), four(9)), (0, 0, 0, 0)),
        (made(BinaryOp.SHL, read("a"), read("c")), NONE),
        (made(BinaryOp.SHR, read("a"), four(1)), (*A[1:], 0)),
        (made(BinaryOp.SHR, read("a"), four(9)), (0, 0, 0, 0)),
        (made(BinaryOp.SHR, SIGNED, four(1), Bits(4, signed=True)), NONE),
        (made(BinaryOp.CONCAT, read("a"), read("c"), Bits(8)), (*C, *A)),
        (made(BinaryOp.MOD, read("a"), four(2)), (A[0], 0, 0, 0)),
        (made(BinaryOp.MOD, read("a"), four(0)), NONE),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_known_of_values(expression: Expression, value: Value) -> None:
    assert value_of(expression, KNOWN.get) == value


def listed(*items: Expression) -> ListExpression:
    return ListExpression(items, AT)


@pytest.mark.parametrize(
    ("items", "hashed"),
    [
        ((read("a"), read("c")), (*reversed(A), *reversed(C))),
        ((listed(read("a"), listed(read("c"))),), (*reversed(A), *reversed(C))),
        ((Conditional(YES, listed(read("a")), listed(read("c"), four(1)), FOUR, AT),), tuple(reversed(A))),
        ((Conditional(NO, listed(read("a")), listed(read("c"), four(1)), FOUR, AT),), (*reversed(C), 0, 0, 0, 1)),
        ((read("a"), Conditional(ASKED, listed(read("a")), listed(read("c")), FOUR, AT)), None),
        ((listed(read("a"), Read(VariableRef("v", AT), Varbit(16), AT)),), None),
        ((Conditional(ASKED, read("a"), read("c"), FOUR, AT), read("a")), (*NONE, *reversed(A))),
    ],
)
def test_lists_are_hashed_as_far_as_it_is_known_what_they_are(
    items: tuple[Expression, ...], hashed: Value | None
) -> None:
    """The identity of eight bits is these bits, the first one the highest."""
    whole = (*hashed, *(0,) * (8 - len(hashed))) if hashed is not None else (None,) * 8
    assert hash_of("identity", items, 8, KNOWN.get) == tuple(reversed(whole))


# --- programs ----------------------------------------------------------------------------------------------------------


def steering_of(program: Program, ways: Ways = WAYS) -> Steering:
    return with_atomic_regions(program, ways).steering


def column_bits(steering: Steering, frame: bytes) -> int:
    """As macs/steer.h computes them."""
    at = 0
    while at < len(steering.nodes):
        node = steering.nodes[at]
        fits = frame[node.at] & node.mask == node.value if node.mask else len(frame) >= node.at
        at = node.yes if fits else node.no
    leaf, made = steering.leaves[at - len(steering.nodes)], 0
    for column in range(steering.columns):
        ones = sum((frame[byte] & masks >> 8 * column & 0xFF).bit_count() for byte, masks in leaf.terms)
        made |= (ones & 1 ^ leaf.constant >> column & 1) << column
    return made


def frames(count: int) -> list[bytes]:
    """Plain and tagged, of several protocols, with options, fragments, cut off anywhere."""
    made = random.Random(7)
    found = []
    for _ in range(count):
        ip = bytearray(made.randbytes(20))
        ip[0] = made.choice((0x45, 0x45, 0x45, 0x46))
        ip[6:8] = made.choice((bytes(2), b"\x40\0", b"\0\1"))
        ip[9] = made.choice((6, 17, 17, 22, 1))
        kind = made.choice((b"\x08\0", b"\x08\0", b"\x86\xdd"))
        tag = made.choice((b"", b"\x81\0" + made.randbytes(2)))
        frame = made.randbytes(12) + tag + kind + bytes(ip) + made.randbytes(26)
        found.append(frame[: made.choice((60, 60, 60, made.randrange(1, 60)))])
    return found


def sharded_with(change: str, tmp_path: Path) -> Program:
    """sharded.p4 with something in the place of something else."""
    before, _, after = change.partition(" → ")
    source = SHARDED.read_text()
    assert before in source
    path = tmp_path / "changed.p4"
    path.write_text(source.replace(before, after))
    return switches.load(path)


def cells_by_worker(program: Program, steering: Steering, count: int) -> set[int]:
    """The workers that frames come to; the interpreter says which cell each touches."""
    seen = set()
    for frame in frames(count):
        device = InterpretedDevice(program)
        device.inject(0, frame)
        (cell,) = device.switch.store.state("I.packets", Register).elements
        assert column_bits(steering, frame) == cell & 15, frame.hex()
        seen.add(cell & 15)
    return seen


def test_the_worker_is_bits_of_the_index() -> None:
    """On each way through the parser."""
    program = switches.load(SHARDED)
    steering = steering_of(program)
    assert steering.sharded == {"I.packets", "E.wide"} and steering.columns == 4
    assert len(cells_by_worker(program, steering, 400)) == 16


VLAN = "packet.extract(hdr.vlan);\n        transition select(hdr.vlan.type) {"


@pytest.mark.parametrize(
    "change",
    [
        f"{VLAN} → bit<32> tag = packet.lookahead<bit<32>>(); packet.extract(hdr.vlan); transition select(tag[15:0]) {{",
        f"{VLAN} → bit<32> tag = packet.lookahead<bit<32>>(); packet.advance(32); transition select(tag[15:0]) {{",
        f"{VLAN}\n            0x0800: ipv4; → packet.extract(hdr.vlan); bit<8> k = 3; transition select(k, hdr.vlan.type) {{"
        "(2, 0x0800): accept; (3, 0x0806): accept; (_, 0x0800): ipv4;",
        "extract(hdr.ports); → extract(hdr.ports); bit<8> k = 3; verify(k == 3, error.NoMatch);",
        "packet.extract(hdr.ports); → bit<8> k = 3; verify(k == 2, error.NoMatch); packet.extract(hdr.ports);",
    ],
    ids=["looks ahead", "skips", "knows what it selects on", "verifies", "never goes on"],
)
def test_what_parsers_do_is_followed(change: str, tmp_path: Path) -> None:
    program = sharded_with(change, tmp_path)
    steering = steering_of(program)
    assert "I.packets" in steering.sharded
    assert len(cells_by_worker(program, steering, 80)) > 8


def refusal(text: str, tmp_path: Path) -> str:
    """Why no register of sharded.p4 is sharded, with something in the place of something else."""
    steering = steering_of(sharded_with(text, tmp_path))
    assert "I.packets" not in steering.sharded
    return steering.why_not("I.packets")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("wide.read( → recirculate_preserving_field_list(8w0); wide.read(", "begin anew"),
        ("HashAlgorithm.crc32 → HashAlgorithm.csum16", "no bits of its indexes"),
        (
            "if (hdr.ipv4.isValid()) → if (sm.ingress_port == 3)",
            "no bits",
        ),
        ("0x0800: ipv4; → 0x0800 .. 0x0805: ipv4;", "a range or a value set"),
        ("(5, 0, 17) → (5, 0, 17 &&& 0xff)", ""),
        (
            "extract(hdr.ports); → extract(hdr.ports); verify(hdr.ipv4.ttl != 0, error.NoMatch);",
            "what no single byte tells",
        ),
        (
            "extract(hdr.ports); → advance((bit<32>)hdr.ipv4.ihl); packet.extract(hdr.ports);",
            "on more than where it stands",
        ),
        ("select(hdr.vlan.type) → select(hdr.vlan.type + (bit<16>)hdr.vlan.id)", "by what is no bit of the frame"),
    ],
)
def test_what_cannot_be_shown_is_refused(change: str, reason: str, tmp_path: Path) -> None:
    if not reason:
        with pytest.raises(AssertionError, match="not in"):
            refusal(change, tmp_path)
        return
    assert reason in refusal(change, tmp_path)


def test_registers_of_a_region_may_have_other_bits_of_the_frame_in_common(tmp_path: Path) -> None:
    """One has them at another place of its index."""
    path = tmp_path / "shifted.p4"
    shifted = "wide.write((bit<32>)meta.cell, meta.sum + 96w0x4000000000000001);"
    source = SHARDED.read_text()
    assert shifted in source
    more = "shifted.read(meta.seen, (bit<32>)meta.cell >> 2); shifted.write((bit<32>)meta.cell >> 2, meta.seen + 1);"
    source = source.replace(shifted, more + shifted).replace(
        "register<bit<96>>", "register<bit<32>>(1 << 18) shifted; register<bit<96>>"
    )
    path.write_text(source)
    steering = steering_of(switches.load(path))
    assert steering.sharded == {"I.packets", "E.wide", "E.shifted"} and steering.columns == 2


@pytest.mark.parametrize(
    ("subject", "reached"), [("8w1", True), ("8w2", False), ("8w3", True), ("(bit<8>)sm.ingress_port", False)]
)
def test_a_switch_runs_one_case_or_its_default(subject: str, reached: bool, tmp_path: Path) -> None:
    """What the cell is, where it is known which; the default is for values without a case."""
    path = tmp_path / "switched.p4"
    switched = f"switch ({subject}) {{ 1: {{ meta.cell = meta.cell ^ 1; }} 2: {{ meta.cell = 0; }} default: {{ }} }}"
    source = SHARDED.read_text()
    before = "packets.read("
    assert source.count(before) == 1
    path.write_text(source.replace(before, switched + before))
    assert ("I.packets" in steering_of(switches.load(path)).sharded) == reached


NUMBER = "hdr.ethernet.src = (bit<48>)meta.seen;"


@pytest.mark.parametrize(
    ("instead", "ways", "sharded"),
    [
        ("", WAYS, False),
        ("", Ways(tallies=False), True),
        ("", Ways(updates=False), True),
        ("hdr.ipv4.tos = (bit<8>)meta.seen;", WAYS, True),
        ("bit<32> twice = meta.seen * 2; bit<32> more = twice + 1; hdr.ipv4.dst = hdr.ipv4.dst;", WAYS, False),
        ("if (meta.seen == 100) { sm.egress_spec = 8; }", WAYS, True),
        ("digest<bit<32>>(1, meta.seen);", WAYS, True),
        ("packets.read(meta.seen, 5);", WAYS, False),  # steered frames do not tell whose cell 5 is
    ],
)
def test_what_packets_only_add_to_is_not_sharded(instead: str, ways: Ways, sharded: bool, tmp_path: Path) -> None:
    """Unless it has no tallies, or a packet uses what a cell held."""
    path = tmp_path / "added.p4"
    source = SHARDED.read_text()
    assert source.count(NUMBER) == 1
    path.write_text(source.replace(NUMBER, instead))
    atomic = with_atomic_regions(switches.load(path), ways)
    assert ("I.packets" in atomic.steering.sharded) == sharded and "E.wide" in atomic.steering.sharded
    (note,) = (note for note in notes(atomic) if note.startswith("register I.packets"))
    added = not instead.startswith("packets") and not sharded
    assert ("not sharded, as packets only add to it" in note) == added
    assert note.startswith("register I.packets: sharded over up to 16 workers") == sharded


def test_without_sharding(tmp_path: Path) -> None:
    """Nobody asks why, not of what packets only add to either."""
    adding = sharded_with(f"{NUMBER} → ", tmp_path)
    for ways, told in ((WAYS, True), (Ways(steering=False), False)):
        atomic = with_atomic_regions(adding, ways)
        assert bool(atomic.steering.sharded) == told and ("not sharded" in " ".join(notes(atomic))) == told


def test_a_frame_that_is_too_short_is_not_read_beyond_its_end() -> None:
    """Each byte that is compared or summed up is there, for frames of any length."""
    steering = steering_of(switches.load(SHARDED))
    for frame in frames(200):
        for length in range(len(frame) + 1):
            column_bits(steering, frame[:length])  # an index beyond the end raises
