"""Where testgen's packets go, and what of externs it can choose."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hlir_builder import AT, Builder, apply, binary, const, emit, extract, goto, if_, state

z3 = pytest.importorskip("z3")

from transpiler.externs import algorithms  # noqa: E402
from transpiler.hlir import expressions as ex, statements as st  # noqa: E402
from transpiler.hlir.program import Program, Storage  # noqa: E402
from transpiler.interpreter import Switch  # noqa: E402
from transpiler.testgen.choices import Outcome  # noqa: E402
from transpiler.testgen.cover import Coverage  # noqa: E402
from transpiler.testgen.externs import _exact, cell_name, colour_of, meter_name  # noqa: E402
from transpiler.testgen.packet import terms_of  # noqa: E402
from transpiler.testgen.record import LARGEST_BYTES, Record  # noqa: E402
from transpiler.testgen.solve import Answer, Solver  # noqa: E402
from transpiler.testgen.walk import AGAIN, CLONE_PORT, COPY_PORTS, LOOPS, ChosenCopies, Walk, Walker  # noqa: E402

LARGEST = 40


def base() -> Builder:
    b = Builder()
    b.header("h", "h_t", a=8, b=16, c=16)
    b.variable("meta.again", 8)
    b.variable("sum", 16, Storage.LOCAL)
    b.extern("r", "register", size=4, width=8)
    b.extern("m", "meter", size=4, unit="bytes")
    return b


def program(b: Builder, *ingress: st.Statement) -> Program:
    return b.build([state("start", [extract("h")], goto("accept"))], ingress=ingress, deparser=[emit("h")])


def walked(made: Program, **assignment: int) -> Walk:
    walker = Walker(made, Coverage(made, ""), lambda table, possible: possible[0], LARGEST)
    return walker.walk(dict(assignment), {})


def terms(walk: Walk) -> list[str]:
    """Of the bytes of the header that is sent: "" of those that are numbers alone."""
    ((_, data),) = walk.sent
    return ["" if term is None else str(term).replace("\n", "") for term in terms_of(data)[:5]]


def test_a_packet_that_nobody_says_anything_of() -> None:
    """It is as long as may be, of zeros, and comes in at the first port."""
    walk = walked(program(base()))
    assert (walk.port, bytes(walk.frame), walk.reached) == (walk.assignment["port"], bytes(LARGEST), 5)
    assert [(port, bytes(data)) for port, data in walk.sent] == [(0, bytes(LARGEST))]
    assert terms(walk) == [f"p{i}" for i in range(5)]
    assert (walk.entries, walk.registers, walk.meters, walk.hashes, walk.inexact, walk.endless) == (
        [],
        {},
        {},
        {},
        (),
        False,
    )


@pytest.mark.parametrize(("length", "size"), [(3, 3), (5, 5), (39, 39), (40, 40), (41, 40), (500, 40)])
def test_its_length_and_bytes_are_chosen(length: int, size: int) -> None:
    walk = walked(program(base()), length=length, p0=7, p4=9)
    assert len(walk.frame) == size and walk.frame[0] == 7 and (size < 5 or walk.frame[4] == 9)


@pytest.mark.parametrize(("index", "held"), [(2, 0x55), (4, 0)])
def test_cells_of_registers_are_chosen(index: int, held: int) -> None:
    """Those that there are, before the packet writes them."""
    b, at = base(), const(index, 32)
    write = b.call("register.write", "r", at, const(1, 8))
    body = (b.call("register.read", "r", at, out="h.a"), write, b.call("register.read", "r", at, out="meta.again"))
    walk = walked(program(b, *body), **{cell_name("r", index): 0x55})
    assert walk.sent[0][1][0] == held
    assert walk.registers == ({("r", index): held} if held else {}) and walk.inexact == ()


def test_what_a_packet_has_written_itself_is_not_chosen() -> None:
    b, at = base(), const(2, 32)
    body = (b.call("register.write", "r", at, b.get("h.a")), b.call("register.read", "r", at, out="meta.again"))
    walk = walked(program(b, *body, b.set("h.a", 0), b.set("h.a", b.get("meta.again"))), p0=0x55)
    assert walk.sent[0][1][0] == 0x55 and walk.registers == {} and terms(walk)[0] == "p0"


def test_cells_hold_what_the_program_has_in_them_at_first() -> None:
    b = base()
    b.extern("first", "register", size=4, width=8, initial=7)
    walk = walked(program(b, b.call("register.read", "first", const(3, 32), out="h.a")))
    assert walk.sent[0][1][0] == 7 and walk.registers == {("first", 3): 7}


@pytest.mark.parametrize(("index", "chosen", "colour"), [(2, 2, 2), (2, 1, 1), (3, 0, 0), (4, 2, 0)])
def test_colours_of_meters_are_chosen(index: int, chosen: int, colour: int) -> None:
    b = base()
    walk = walked(
        program(b, b.call("meter.execute", "m", const(index, 32), out="h.a")), **{meter_name("m", index): chosen}
    )
    assert walk.sent[0][1][0] == colour
    assert walk.meters == ({("m", index): chosen} if index < 4 else {})


def test_a_miss_has_no_meter_whose_colour_is_chosen() -> None:
    b = base()
    b.extern("of_entry", "direct_meter", unit="packets", automatic=0)
    b.action("mark", b.call("direct_meter.execute", "of_entry", out="h.a"))
    b.table("t", [("h.b", "exact")], ["mark"], "mark", size=0, direct=["of_entry"])
    walk = walked(program(b, apply("t")), p0=9)
    assert (walk.sent[0][1][0], walk.meters, walk.entries) == (0, {}, [])


def hashed(b: Builder, algorithm: str, *items: ex.Expression, method: str = "hash.compute") -> st.CallExtern:
    listed = ex.ListExpression(items, AT)
    return st.CallExtern(method, None, (ex.Text(algorithm, AT), listed), (b.place("h.c"),), AT)


@pytest.mark.parametrize(
    ("algorithm", "variables", "inexact"),
    [
        ("crc16", 1, False),
        ("crc32", 1, False),
        ("csum16", 0, False),
        ("xor16", 0, False),
        ("identity", 0, False),
        ("random", 0, True),
    ],
)
def test_hashes_are_terms_or_variables_of_their_own(algorithm: str, variables: int, inexact: bool) -> None:
    """A solver can turn round sums of words; a CRC is made right by trying. A random number nobody can choose."""
    b = base()
    walk = walked(program(b, hashed(b, algorithm, b.get("h.a"), b.get("h.b"))), p0=1, p1=2, p2=3)
    assert len(walk.hashes) == variables and bool(walk.inexact) is inexact
    assert all((one.algorithm, one.data.size(), one.width) == (algorithm, 24, 16) for one in walk.hashes.values())
    made = program(b, hashed(b, algorithm, b.get("h.a"), b.get("h.b")))
    for first in range(0 if inexact else 8):
        walk = walked(made, p0=first, p1=2, p2=4)
        plain = [(port, bytes(data)) for port, data in walk.sent]
        assert plain == Switch(made).process(walk.port, bytes(walk.frame))
    assert all(term != "" for term in terms(walk)[3:]) is not inexact


@pytest.mark.parametrize("algorithm", ["crc16", "crc32", "csum16", "xor16"])
@pytest.mark.parametrize(("before", "item"), [("h.b", "h.a"), (0x1234, "h.a"), ("h.b", 7), (0x1234, 7)])
def test_a_hash_goes_on_from_another(algorithm: str, before: str | int, item: str | int) -> None:
    """It is a term where one of both is, and what the interpreter sends."""
    b = base()
    start = b.get(before) if isinstance(before, str) else const(before, 16)
    listed = ex.ListExpression((b.get(item) if isinstance(item, str) else const(item, 8),), AT)
    call = st.CallExtern("hash.extend", None, (ex.Text(algorithm, AT), start, listed), (b.place("h.c"),), AT)
    made, symbolic = program(b, call), isinstance(before, str) or isinstance(item, str)
    for first in range(6):
        walk = walked(made, p0=first, p1=2, p2=4)
        assert [(port, bytes(data)) for port, data in walk.sent] == Switch(made).process(walk.port, bytes(walk.frame))
        assert len(walk.hashes) == (symbolic and algorithm.startswith("crc")) and walk.inexact == ()
        assert all(one.before is not None and one.data.size() == 8 for one in walk.hashes.values())
        assert any(terms(walk)[3:]) is symbolic


def test_a_hash_that_goes_on_from_zero_goes_on_from_any() -> None:
    b = base()
    listed = ex.ListExpression((b.get("h.a"),), AT)
    for algorithm in ("csum16", "xor16"):
        call = st.CallExtern("hash.extend", None, (ex.Text(algorithm, AT), b.get("h.b"), listed), (b.place("h.c"),), AT)
        walk = walked(program(b, call))
        high, low = (Solver().names(term) for term in terms_of(walk.sent[0][1])[3:5])
        assert high | low == {"p0", "p1", "p2"} and walk.frame[1:3] == b"\0\0"
        assert all(decision.site is None or not decision.pinned for decision in walk.decisions)


@pytest.mark.parametrize("algorithm", ["csum16", "xor16", "identity"])
@pytest.mark.parametrize("before", [None, 0, 0x1234, 0xFFFF])
def test_terms_of_hashes_are_what_the_interpreter_computes(algorithm: str, before: int | None) -> None:
    """Of data of odd length, too, and where a carry makes another one."""
    contents = [bytes(range(200, 200 + size)) for size in range(1, 12)] + [
        b"\xff" * 64,
        b"\xff\xff\xff\xff\0\1",
        b"\x80\0\x80",
    ]
    for data in contents:
        term = _exact(algorithm, z3.BitVecVal(int.from_bytes(data), 8 * len(data)), before, 16)
        if algorithm == "identity" and before is not None:
            assert term is None
            continue
        value = algorithms.compute(algorithm, data) if before is None else algorithms.extend(algorithm, before, data)
        assert value is not None and z3.simplify(term).as_long() == value & 0xFFFF, data


def test_a_hash_of_constants_is_a_number() -> None:
    b = base()
    walk = walked(program(b, hashed(b, "crc16", const(7, 8))))
    assert walk.hashes == {} and terms(walk)[3:] == ["", ""] and walk.inexact == ()


def test_parts_of_a_list_are_there_or_not() -> None:
    """By the condition of each; the payload is behind them."""
    for there, size in ((1, 24), (0, 8)):
        b = base()
        part = b.values("h.b")
        item = ex.Conditional(
            binary("==", const(there, 8), const(1, 8)), part, ex.ListExpression((), AT), part.type, AT
        )
        walk = walked(program(b, hashed(b, "crc16", b.get("h.a"), item)))
        assert [one.data.size() for one in walk.hashes.values()] == [size]
    b = base()
    walk = walked(program(b, hashed(b, "crc16", b.get("h.a"), method="hash.compute_with_payload")), length=9)
    assert [one.data.size() for one in walk.hashes.values()] == [8 + 4 * 8]


def test_the_time_is_nobodys_choice() -> None:
    b = base()
    made = program(b, b.set("h.c", ex.Slice(b.get("sm.ingress_global_timestamp"), 15, 0, AT)))
    walk = walked(made)
    assert any("time" in term for term in terms(walk)[3:])
    assert [(port, bytes(data)) for port, data in walk.sent] == Switch(made).process(walk.port, bytes(walk.frame))


def test_groups_are_chosen_to_be_there() -> None:
    made = program(base(), base().set("sm.mcast_grp", 3))
    for chosen in (Outcome(True, ""), Outcome(False, "")):
        walker = Walker(made, Coverage(made, ""), lambda table, possible, chosen=chosen: chosen, LARGEST)
        walk = walker.walk({}, {})
        assert (walk.groups, bool(walk.sent)) == (([3], True) if chosen.hit else ([], False))


def test_a_packet_without_end() -> None:
    b = base()
    walk = walked(program(b, b.call("resubmit.request", None)))
    assert walk.endless and walk.sent == []
    once = program(b, if_(binary("==", b.get("sm.instance_type"), const(0, 32)), [b.call("resubmit.request", None)]))
    assert not walked(once).endless and len(walked(once).sent) == 1


def test_a_frame_has_a_byte_at_least() -> None:
    """Even where nothing is extracted."""
    b = base()
    ask = if_(binary("==", b.get("sm.packet_length"), const(0, 32)), [b.set("meta.again", 1)])
    made = b.build([state("start", [], goto("accept"))], ingress=[ask])
    walk = walked(made)
    assert Solver().turned(walk, len(walk.decisions) - 1) is Answer.NO


@pytest.mark.parametrize(("rounds", "ends"), [(LOOPS, True), (LOOPS + 1, False)])
def test_loops_go_round_so_often(rounds: int, ends: bool) -> None:
    b = base()
    b.variable("i", 32, Storage.LOCAL)
    count = b.set("i", binary("+", b.get("i"), const(1, 32)))
    walk = walked(program(b, st.While(binary("<", b.get("i"), const(rounds, 32)), (count,), AT)))
    assert walk.inexact == (() if ends else (f"loops go round {LOOPS} times at most",))


@pytest.mark.parametrize(("passes", "endless"), [(0, False), (AGAIN, False), (AGAIN + 1, True)])
def test_a_packet_goes_round_so_often(passes: int, endless: bool) -> None:
    b = base()
    less = b.set("h.a", binary("-", b.get("h.a"), const(1, 8)))
    again = if_(binary("!=", b.get("h.a"), const(0, 8)), [less, b.call("recirculate.request", None)])
    made = b.build([state("start", [extract("h")], goto("accept"))], egress=[again], deparser=[emit("h")])
    walk = walked(made, p0=passes)
    assert walk.endless is endless and len(walk.sent) == (not endless)


def test_groups_and_sessions_that_are_there_are_used_once() -> None:
    copies = ChosenCopies()
    copies.begin(SimpleNamespace(is_there=lambda kind, number: number != 9))  # type: ignore[arg-type]
    assert copies.copies(3) == copies.copies(3) == [(port, port) for port in COPY_PORTS]
    assert copies.clones(5) == copies.clones(5) == [(CLONE_PORT, 0)]
    assert copies.copies(0) == copies.copies(9) == copies.clones(9) == []
    assert (copies.groups_used, copies.sessions_used) == ([3], [5])
    assert copies.clones(0) == [(CLONE_PORT, 0)] and copies.sessions_used == [5, 0]


def test_default_actions_that_are_chosen() -> None:
    """The program's own one needs no command."""
    b = base()
    b.action("y", v=8, w=4)
    b.table("t", [("h.a", "exact")], ["y"], size=0)
    made = program(b, apply("t"))
    for outcome, defaults in ((Outcome(False, ""), {}), (Outcome(False, "y"), {"t": ("y", (1, 1))})):
        walk = Walker(made, Coverage(made, ""), lambda table, possible: possible[0], LARGEST).walk(
            {}, {("t", 0): outcome}
        )
        assert walk.defaults == defaults and walk.choices == {("t", 0): outcome} and walk.missed == [("t", (0,))]


def test_a_meter_gives_one_of_three_colours() -> None:
    record, solver = Record({}), z3.Solver()
    colour = colour_of(record, "m", 1)
    solver.add(*(decision.holds for decision in record.decisions))
    assert [value for value in range(4) if solver.check(colour.of == value) == z3.sat] == [0, 1, 2]
    assert list(record.colours) == [("m", 1)] and all(decision.site is None for decision in record.decisions)


def test_a_sum_over_the_longest_frame_is_exact() -> None:
    b = base()
    whole = b.call("hash.compute_with_payload", None, ex.Text("csum16", AT), b.values("h.a", "h.b", "h.c"), out="h.c")
    walker = Walker(
        program(b, whole), Coverage(program(b, whole), ""), lambda table, possible: possible[0], LARGEST_BYTES
    )
    walk = walker.walk({}, {})
    assert walk.inexact == () and walk.hashes == {}
    names = Solver().names(terms_of(walk.sent[0][1])[3])
    assert names == {f"p{number}" for number in range(LARGEST_BYTES)}
