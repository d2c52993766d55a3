"""Checksums that generated frames have: which fields a program takes for one, of what, and in which order they are filled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hlir_builder import AT, Builder, binary, const, emit, extract, goto, if_, state

from transpiler.externs.algorithms import csum16
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Program, Storage
from transpiler.hlir.types import Varbit
from transpiler.traffic.checksums import Checksum, checksums, declared
from transpiler.traffic.parser_paths import Shape
from transpiler.traffic.symbolic import ONE, ZERO

SHAPE = Shape(80, {}, {"o": 0, "i": 48})
TEXT = ex.Text("csum16", AT)


def base() -> Builder:
    """An outer header and an inner one, and one that no frame has."""
    b = Builder()
    b.header("o", "o_t", a=16, b=8, c=8, sum=16)
    b.header("i", "i_t", x=16, sum=16)
    b.header("far", "i_t")
    for name in ("one", "two"):
        b.variable(name, 16, Storage.LOCAL)
    return b


def program(b: Builder, *verify: st.Statement, update: Sequence[st.Statement] = ()) -> Program:
    start = state("start", [extract("o"), extract("i")], goto("accept"))
    return b.build([start], deparser=[emit("o"), emit("i")], verify_checksum=verify, compute_checksum=update)


B = base()


def computed(of: str, *items: str, algorithm: str = "csum16", payload: bool = False) -> st.CallExtern:
    """of = the sum."""
    method = "hash.compute_with_payload" if payload else "hash.compute"
    return B.call(method, None, ex.Text(algorithm, AT), B.values(*items), out=of)


def summed_up(of: str, *items: ex.Expression) -> st.CallExtern:
    """The same of any values."""
    return B.call("hash.compute", None, TEXT, ex.ListExpression(items, AT), out=of)


def compared(field: str, with_: str, op: str = "!=") -> st.If:
    return if_(binary(op, B.get(field), B.get(with_)), [B.set("sm.checksum_error", 1)])


def names(made: Program) -> list[str]:
    """The fields in the order in which they are filled."""
    known = {32: "o.sum", 64: "i.sum", 0: "o.a"}
    return [known[one.place] for one in checksums(made, SHAPE, declared(made))]


@pytest.mark.parametrize(
    ("verify", "update", "found"),
    [
        ([computed("one", "o.a", "o.b"), compared("o.sum", "one")], [], ["o.sum"]),
        ([computed("one", "o.a", "o.b"), compared("o.sum", "one", "==")], [], ["o.sum"]),
        ([computed("one", "o.a"), compared("o.sum", "two")], [], []),
        ([computed("one", "o.a", algorithm="crc16"), compared("o.sum", "one")], [], []),
        ([computed("one", "o.a", payload=True), compared("o.sum", "one")], [], ["o.sum"]),
        ([computed("one", "o.a")], [], []),
        ([], [computed("o.sum", "o.a")], ["o.sum"]),
        ([], [computed("one", "o.a"), B.set("o.sum", B.get("one"))], ["o.sum"]),
        ([], [computed("one", "o.a"), B.set("o.sum", B.get("two"))], []),
        ([], [computed("far.sum", "far.x")], []),  # the frame has no such header
        ([], [computed("o.sum", "o.a", "far.x")], []),
        ([], [summed_up("o.sum", binary("+", B.get("o.b"), B.get("o.c")))], []),  # nobody knows which bits that is
        ([], [summed_up("o.sum", const(7, 8), B.get("o.c"))], ["o.sum"]),
        ([], [computed("o.c", "o.a")], []),  # too short for one
        ([computed("one", "o.a"), compared("o.sum", "one")], [computed("o.sum", "o.b")], ["o.sum"]),
        ([], [computed("o.sum", "o.a", "i.sum"), computed("i.sum", "i.x")], ["i.sum", "o.sum"]),
        ([], [computed("i.sum", "i.x"), computed("o.sum", "o.a", "i.sum")], ["i.sum", "o.sum"]),
        ([], [computed("i.sum", "i.x", "o.sum"), computed("o.sum", "o.a")], ["o.sum", "i.sum"]),
    ],
)
def test_which_fields_are_checksums(verify: list[st.Statement], update: list[st.Statement], found: list[str]) -> None:
    """Those that are compared with an Internet checksum or become one; one that another covers is filled before it."""
    assert names(program(base(), *verify, update=update)) == found


def test_frames_have_the_sums_of_what_they_cover() -> None:
    """Constants, and an odd last byte, which is the high one of its word."""
    items = ex.ListExpression((B.get("o.a"), const(0x8001, 16), B.get("i.sum"), B.get("o.b")), AT)
    outer = st.CallExtern("hash.compute", None, (TEXT, items), (B.place("o.sum"),), AT)
    made = program(base(), update=[outer, computed("i.sum", "i.x")])
    rows = np.array(
        [[(7 * row + 31 * at) & 0xFF for at in range(12)] for row in range(50)] + [[0xFF] * 12], dtype=np.uint8
    )
    before = rows.copy()
    for one in checksums(made, SHAPE, declared(made)):
        one.fill(rows)
    for frame, was in zip(rows, before, strict=True):
        data = frame.tobytes()
        assert int.from_bytes(data[8:10]) == csum16(data[6:8])
        assert int.from_bytes(data[4:6]) == csum16(data[0:2] + b"\x80\x01" + data[8:10] + data[2:3])
        assert data[:4] == was.tobytes()[:4] and data[6:8] == was.tobytes()[6:8] and data[10:] == was.tobytes()[10:]


@pytest.mark.parametrize(
    ("covered", "sum_"),
    [
        ((ONE,) * 16, 0), ((ZERO,) * 16, 0xFFFF), ((ONE, *(ZERO,) * 16), 0x7FFF), ((ONE,) * 160, 0),
        ((*(ONE,) * 32, *(ZERO,) * 15, ONE), 0xFFFE),  # the carry of a carry
    ],
)  # fmt: skip
def test_sums_of_constants(covered: tuple[int, ...], sum_: int) -> None:
    rows = np.zeros((2, 4), dtype=np.uint8)
    Checksum(16, covered).fill(rows)
    assert rows.tolist() == [[0, 0, *divmod(sum_, 256)]] * 2


@pytest.mark.parametrize("there", [True, False])
def test_parts_of_a_list_count_where_their_header_is_there(there: bool) -> None:
    part = B.values("i.x" if there else "far.x")
    header = ex.HeaderRef("i" if there else "far", AT)
    item = ex.Conditional(ex.IsValid(header, AT), part, ex.ListExpression((), AT), part.type, AT)
    listed = ex.ListExpression((B.get("o.a"), item), AT)
    made = program(base(), update=[st.CallExtern("hash.compute", None, (TEXT, listed), (B.place("o.sum"),), AT)])
    (found,) = checksums(made, SHAPE, declared(made))
    assert found.covered == (*range(16), *(range(48, 64) if there else ()))


def test_varbits_are_empty() -> None:
    """So a sum over a header with options is that of the header without any."""
    b = Builder()
    b.header("o", "o_t", a=16, sum=16, options=Varbit(320), c=16)
    listed = b.call("hash.compute", None, TEXT, b.values("o.a", "o.options", "o.c"), out="o.sum")
    start = state("start", [extract("o", const(0, 32))], goto("accept"))
    made = b.build([start], deparser=[emit("o")], compute_checksum=[listed])
    (found,) = checksums(made, Shape(48, {}, {"o": 0}), declared(made))
    assert (found.place, found.covered) == (16, (*range(16), *range(32, 48)))
