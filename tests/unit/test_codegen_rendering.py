"""C expressions that compilers would warn of, or that read more than they seem to."""

from __future__ import annotations

from typing import Any

import pytest
from hlir_builder import AT, Builder, binary, const, emit, extract, goto, h, state

from transpiler.analysis.locations import Location
from transpiler.codegen.c.printer import Printer, expression as printed
from transpiler.codegen.expressions import Expressions
from transpiler.codegen.names import Names
from transpiler.codegen.scope import Scope
from transpiler.codegen.statements import Statements
from transpiler.codegen.storage import Storage
from transpiler.hlir import expressions as ex
from transpiler.hlir.statements import Assign, CopyHeader
from transpiler.hlir.types import Bits, Bool, Varbit
from transpiler.schedule.stages import Schedule


def rendered(expression: ex.Expression, b: Builder) -> tuple[str, set[str]]:
    """The C of an expression and the variables that it reads."""
    scope = Scope()
    program = b.build([state("start", [], goto("accept"))])
    storage = Storage(program, Schedule((), frozenset(), frozenset(), frozenset()), Names())
    return printed(Expressions(storage, scope)(expression)), set(scope.locals)


@pytest.fixture
def b() -> Builder:
    made = Builder()
    made.variable("one", 1)
    made.variable("byte", 8)
    made.variable("word", 32)
    made.variable("wide", 128)
    made.variable("yes", Bool())
    return made


def test_what_is_shifted_out_is_not_read(b: Builder) -> None:
    assert rendered(binary("<<", b.get("byte"), const(8, 8)), b) == ("0", set())
    assert rendered(binary("<<", b.get("byte"), const(7, 8)), b)[1] == {"byte"}


def test_negations_are_set_apart(b: Builder) -> None:
    negated = ex.Unary(ex.UnaryOp.NOT, b.get("yes"), Bool(), AT)
    assert rendered(binary("==", negated, b.get("yes")), b)[0] == "(!yes) == yes"
    assert rendered(binary("&&", negated, b.get("yes")), b)[0] == "!yes && yes"


def test_literals_do_not_overflow_int(b: Builder) -> None:
    large = const(0x7FFFFFFF, 32)
    assert rendered(binary("+", large, large), b)[0] == "(uint32_t)((uint32_t)0x7fffffff + 0x7fffffff)"
    assert rendered(binary(">>", const(1, 64), const(40, 8)), b)[0] == "(uint64_t)((uint64_t)1 >> 40)"


def test_one_bit_is_complemented_without_complement(b: Builder) -> None:
    inverted = ex.Unary(ex.UnaryOp.COMPLEMENT, b.get("one"), Bits(1), AT)
    assert rendered(inverted, b)[0] == "(uint8_t)(one ^ 1)"


def test_wide_numbers_as_conditions(b: Builder) -> None:
    text = rendered(ex.Cast(b.get("wide"), Bool(), AT), b)[0]
    assert text == "macs_w2_compare(wide, (macs_w2){{0, 0}}) != 0"


def test_a_copy_takes_from_the_frame_what_is_read_there() -> None:
    """What the target reads there itself is not written; elements of stacks have variables."""
    b = Builder()
    b.header("from", "h_t", a=8, b=8)
    b.header("to", "h_t")
    b.stack("s", "h_t", 2)
    program = b.build([state("start", [extract("from"), extract("to"), extract("s[0]")], goto("accept"))], [
        b.set("from.a", b.get("to.a")), b.set("to.b", b.get("from.b")), b.set("s[0].a", b.get("s[1].b")),
    ], deparser=[emit("from"), emit("to"), emit("s[0]")])  # fmt: skip

    def copied(target: str | ex.ElementRef, source: str, *received: str) -> list[str]:
        storage = Storage(program, Schedule((), frozenset(), frozenset(), frozenset()), Names())
        scope = Scope(received=frozenset(Location(*one.split(".")) for one in received))
        rest: Any = None
        made = Statements(program, storage, rest, rest, scope, lambda label: ())
        return (
            Printer()
            .body(made.statement(CopyHeader(h(target) if isinstance(target, str) else target, h(source), AT)))
            .splitlines()
        )

    plain = copied("to", "from")
    assert [line.partition(";")[0] for line in plain] == [
        "to_valid = from_valid", "to_at = from_at", "to_a = from_a", "to_b = from_b",
    ]  # fmt: skip
    frame = "from_at != MACS_NOWHERE ? (uint8_t)macs_load_bytes(packet->data + from_at, 1) : 0;"
    assert copied("to", "from", "from.a") == [*plain[:2], f"to_a = {frame}", plain[3]]
    assert copied("to", "from", "from.a", "to.a") == [*plain[:2], plain[3]]
    assert copied("s[0]", "from", "from.a")[2:] == [f"s_a[0] = {frame}", "s_b[0] = from_b;"]
    assert copied("s[0]", "s[1]")[2:] == ["s_a[0] = s_a[1];", "s_b[0] = s_b[1];"]
    once, *rest = copied(ex.ElementRef("s", b.get("s[1].a"), AT), "from")[
        1:-1
    ]  # what is written may be the index itself
    assert once.strip() == "const uint8_t element_1 = s_a[1];" and "s_a[element_1] = from_a;" in "".join(rest)
    assert "s_a[1]" not in "".join(rest)


@pytest.mark.parametrize(
    ("values", "received", "intact", "sure", "c"),
    [
        ("e.a e.b", "e.a e.b", "", "e", "(uint16_t)macs_load_bytes(packet->data + e_at, 2)"),
        ("e.a e.b", "", "e.a e.b", "e", "(uint16_t)macs_load_bytes(packet->data + 0, 2)"),
        ("g.x g.y", "", "g.x g.y", "g", "(uint16_t)macs_load_bytes(packet->data + 4, 2)"),
        ("e.a e.b", "", "e.a e.b", "", None),  # it need not be there
        ("e.a e.b", "", "e.a", "e", None),
        ("e.a f.b", "", "e.a e.b f.b", "e f", None),
        ("e.a f.b", "e.a e.b f.b", "", "e f", None),
        ("e.a e.c", "e.a e.c", "", "e", None),
        ("e.b e.a", "e.a e.b", "", "e", None),
        ("e.a m.x", "e.a", "", "e", None),
        ("s[0].x s[0].y", "", "s[0].x s[0].y", "s[0]", None),
    ],
)
def test_fields_that_lie_together_are_one_number(
    values: str, received: str, intact: str, sure: str, c: str | None
) -> None:
    b = Builder()
    b.header("e", "e_t", a=8, b=8, c=16)
    b.header("g", "g_t", x=8, y=8)
    b.header("f", "e_t")
    b.stack("s", "g_t", 2)
    b.variable("m.x", 8)
    headers = ("e", "g", "f", "s[0]", "s[1]")
    program = b.build(
        [state("start", [extract(name) for name in headers], goto("accept"))], deparser=[emit(name) for name in headers]
    )
    storage = Storage(program, Schedule((), frozenset(), frozenset(), frozenset()), Names(), in_place=True)
    fields = [frozenset(Location(*one.split(".")) for one in names.split()) for names in (received, intact)]
    scope = Scope(received=fields[0], intact=fields[1], sure=frozenset(sure.split()))
    found = Expressions(storage, scope).together(tuple(b.get(value) for value in values.split()))
    assert (printed(found) if found is not None else None) == c


@pytest.mark.parametrize("moves", ["", "copied varbit", "second pass", "other order"])
def test_headers_lie_at_known_offsets_unless_they_may_move(moves: str) -> None:
    b = Builder()
    b.header("e", "e_t", a=8)
    b.header("g", "g_t", x=8, y=8)
    b.header("v", "v_t", rest=Varbit(64))
    b.header("w", "v_t")
    b.stack("s", "e_t", 1)
    body = {
        "copied varbit": [Assign(b.place("v.rest"), b.get("w.rest"), AT)],
        "second pass": [b.call("resubmit.request", None)],
    }.get(moves, [])
    order = ("e", "g", "s[0]", "v", "w")
    extracts = [extract(name, const(16, 32) if name in "vw" else None) for name in order]
    emitted = order if moves != "other order" else order[::-1]
    program = b.build([state("start", extracts, goto("accept"))], body, deparser=[emit(name) for name in emitted])
    storage = Storage(program, Schedule((), frozenset(), frozenset(), frozenset()), Names(), in_place=True)
    assert [storage.place(name) for name in order] == ([None] * 5 if moves else [0, 1, None, 4, None])


def test_names_in_c_are_its_own_and_no_keywords() -> None:
    names = Names()
    given = ("a.b", "a_b", "a.b", "int8_t", "uint8_t", "macs_a", "odp_a", "8a", "while", "[]", "_a_", "a-b")
    made = [
        "a_b",
        "a_b_2",
        "a_b",
        "p4_int8_t",
        "p4_uint8_t",
        "p4_macs_a",
        "p4_odp_a",
        "p4_8a",
        "while_2",
        "unnamed",
        "a",
        "a_b_3",
    ]
    assert list(map(names, given)) == made


C11 = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register restrict
    return short signed sizeof static struct switch typedef union unsigned void volatile while
"""
MACROS = """
    bool true false NULL EOF errno assert static_assert alignas alignof noreturn thread_local offsetof stdin stdout stderr INT_MAX
    UINT8_MAX SIZE_MAX PRIu64 SCNx8 UINT64_C BUFSIZ EIO SIGINT MACS_DROP MACS_x ODP_ALIGNED TABLE_t CLOCK_ingress main
"""


@pytest.mark.parametrize("word", (C11 + MACROS).split())
def test_no_name_is_that_of_something_in_c(word: str) -> None:
    """Neither a keyword (C11 6.4.1) nor a macro of a header that generated C includes, and another name does not become it."""
    names = Names()
    taken = {names(word), names(f"{word}.{word}"), names(f"[{word}]")}
    assert word not in taken and len(taken) == 3
