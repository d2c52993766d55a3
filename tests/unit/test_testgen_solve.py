"""Packets that go another way: what is asked of z3, and what of hashes, times, lengths and ports it may say."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hlir_builder import Builder, binary, const, emit, extract, goto, if_, state

z3 = pytest.importorskip("z3")

from transpiler.externs import algorithms  # noqa: E402
from transpiler.hlir.program import Program  # noqa: E402
from transpiler.testgen import solve  # noqa: E402
from transpiler.testgen.cover import Coverage  # noqa: E402
from transpiler.testgen.record import Decision, Hash  # noqa: E402
from transpiler.testgen.solve import LATEST_US, REFINEMENTS, Answer, Solver, at_any_time, hash_of  # noqa: E402
from transpiler.testgen.walk import Walk, Walker  # noqa: E402

P = [z3.BitVec(f"p{i}", 8) for i in range(8)]
TIME, first_hash, second_hash = z3.BitVec("time", 48), z3.BitVec("h", 16), z3.BitVec("g", 16)


def crc(*data: int, before: int | None = None) -> int:
    if before is None:
        return int(algorithms.compute("crc16", bytes(data)) or 0)
    return int(algorithms.extend("crc16", before, bytes(data)) or 0)


def hashed(name: str, data: Any, before: Any = None) -> Hash:
    return Hash(name, "crc16", data, before, 16)


def walk(*holds: Any, hashes: tuple[Hash, ...] = (), **assignment: int) -> Any:
    decisions = [Decision(one, ("if", at, True), False) for at, one in enumerate(holds)]
    return SimpleNamespace(decisions=decisions, hashes={one.variable: one for one in hashes}, assignment=assignment)


def turned(wanted: Any, *before: Any, hashes: tuple[Hash, ...] = (), **assignment: int) -> Any:
    """What z3 says of a packet that goes like this at last, and as before."""
    return Solver().turned(walk(*before, z3.Not(wanted), hashes=hashes, **assignment), len(before))


def test_only_what_shares_variables_is_asked() -> None:
    """With each other too; all else stays as it was, whatever it says."""
    found = turned(P[0] == 7, P[1] == P[0] + 1, P[2] == 5, P[3] == P[1], p2=9, p3=1, p4=4)
    assert found == {"p0": 7, "p1": 8, "p2": 9, "p3": 8, "p4": 4}
    assert turned(P[0] == 7, P[0] == P[1], P[1] == P[2], P[2] == 8) is Answer.NO
    assert turned(P[0] == 7, P[2] == 8, P[1] == P[2], P[0] == P[1]) is Answer.NO  # in whichever order
    assert turned(P[0] == 7, P[1] == 5, P[0] == P[1], P[0] != 9) is Answer.NO
    assert turned(P[0] == 7, z3.And(P[1] == 7, P[1] == 8)) == {"p0": 7}


def test_the_decisions_behind_it_are_not_asked() -> None:
    made = walk(P[0] == 1, P[0] != 2, P[0] == 3)
    assert Solver().turned(made, 1) is Answer.NO
    assert Solver().turned(made, 0)["p0"] != 1  # type: ignore[index]


def test_the_variables_of_a_term() -> None:
    solver = Solver()
    whole = z3.If(P[0] == 1, z3.Concat(P[1], P[2]), first_hash + 1)
    assert solver.names(whole) == {"p0", "p1", "p2", "h"} == solver.names(whole)
    assert solver.names(z3.BitVecVal(3, 8)) == set() and solver.names(P[3]) == {"p3"}
    shared = P[4] + 1
    assert solver.names(shared * shared) == {"p4"}


# --- hashes ----------------------------------------------------------------------------------------------------------


def test_a_hash_that_fits_stays_with_its_data() -> None:
    """What is hashed is not changed where that does not help."""
    found = turned(P[1] == 5, first_hash != 0, P[1] != P[0], hashes=(hashed("h", P[0]),), p0=3)
    assert found == {"p0": 3, "p1": 5, "h": crc(3)}


def test_data_are_found_whose_hash_is_so() -> None:
    one = hashed("h", P[0])
    now = crc(0) & 1
    found = turned(first_hash & 1 == 1 - now, hashes=(one,), p0=0)
    assert found["h"] == crc(found["p0"]) and found["h"] & 1 != now


def test_a_hash_that_its_data_cannot_have() -> None:
    one = hashed("h", P[0])
    assert turned(first_hash == crc(7) ^ 1, P[0] == 7, hashes=(one,)) is Answer.NO
    assert turned(first_hash == crc(7), P[0] == 7, hashes=(one,)) == {"p0": 7, "h": crc(7)}
    wide = hashed("h", z3.Concat(*P[:2]))
    solver = Solver()
    assert (
        solver.turned(walk(first_hash != 0x1234, hashes=(wide,)), 0) is Answer.UNKNOWN
    )  # there may be some: not so many are tried
    assert solver.queries == REFINEMENTS + 2  # with those that there were; at last with data that stay
    assert solver.turned(walk(z3.And(P[0] == 1, P[1] == 2, first_hash != crc(1, 2)), hashes=(wide,)), 0) != Answer.NO


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("before", [None, z3.ZeroExt(48, second_hash)])
def test_what_is_told_of_a_hash_that_is_wrong(before: Any, last: bool) -> None:
    """What these data's is; at last, that they stay, too, so that what can be suited is all else."""
    one = hashed("h", P[0], before)
    start = None if before is None else 9
    solver, right = z3.Solver(), crc(3, before=start)
    solver.add(P[0] == 3, second_hash == 9, first_hash == right ^ 1)
    assert solver.check() == z3.sat
    lemma = solve._lemma(one, solver.model(), last)
    these = z3.And(P[0] == 3, second_hash == 9) if before is not None else P[0] == 3
    assert holds(lemma == (z3.And(these, first_hash == right) if last else z3.Implies(these, first_hash == right)))
    solver.reset()
    solver.add(P[0] == 3, second_hash == 9, first_hash == right)
    assert solver.check() == z3.sat and solve._lemma(one, solver.model(), last) is None


def test_a_hash_of_more_data_goes_on_from_the_one_before() -> None:
    first, second = hashed("h", P[0]), hashed("g", P[1], z3.ZeroExt(48, first_hash))
    found = turned(P[2] == 1, P[2] == P[1], second_hash != 0, hashes=(first, second), p0=3, p1=0)
    assert (found["p1"], found["g"]) == (1, crc(1, before=found["h"])) and found["h"] == crc(found["p0"])
    value = crc(2, before=crc(1))
    assert turned(second_hash == value, P[0] == 1, P[1] == 2, hashes=(first, second)) == {
        "p0": 1,
        "p1": 2,
        "h": crc(1),
        "g": value,
    }
    assert turned(second_hash == value ^ 1, P[0] == 1, P[1] == 2, hashes=(first, second)) is Answer.NO


def test_hashes_are_what_the_interpreter_computes() -> None:
    """Of as many bytes as there are, zeros in front too, and as wide as asked for."""
    wide = z3.Concat(*P[:3])
    assert hash_of(hashed("h", wide), 0x000102, None) == crc(0, 1, 2)
    assert hash_of(hashed("h", wide), 0x000102, 77) == crc(0, 1, 2, before=77)
    assert (
        hash_of(Hash("h", "crc32", wide, None, 12), 0x000102, None)
        == (algorithms.compute("crc32", b"\0\1\2") or 0) & 0xFFF
    )


# --- times -----------------------------------------------------------------------------------------------------------


def holds(term: Any) -> bool:
    solver = z3.Solver()
    solver.add(z3.Not(term))
    return bool(solver.check() == z3.unsat)


@pytest.mark.parametrize(
    ("term", "always"),
    [
        (z3.UGE(TIME, 1), True), (z3.UGE(TIME, 2), False), (z3.ULE(TIME, LATEST_US), True), (z3.ULT(TIME, LATEST_US), False),
        (TIME == 0, False),
    ],
)  # fmt: skip
def test_any_time_is_from_the_begin_to_when_a_packet_may_come_at_last(term: Any, always: bool) -> None:
    assert holds(at_any_time(term)) is always
    assert Solver().is_steady(walk(z3.Or(term, z3.ULT(TIME, 1)))) is always


def test_terms_without_a_time_stay_as_they_are() -> None:
    term = P[0] == 1
    assert at_any_time(term) is term
    assert holds(z3.Implies(P[0] == 1, at_any_time(z3.UGE(TIME, z3.ZeroExt(40, P[0])))))


def test_what_only_the_time_could_bring_is_not_chosen() -> None:
    late, never = z3.UGT(TIME, 5), z3.And(P[0] == 1, P[0] == 2)
    assert turned(late) is Answer.NOT_CHOSEN
    assert turned(never) is Answer.NO
    assert turned(z3.UGT(TIME, z3.ZeroExt(40, P[0])), p0=9)["p0"] == 0


def test_a_walk_goes_the_same_way_at_any_time() -> None:
    """By its own numbers; numbers by which it does are found, if there are such."""
    solver = Solver()
    made = walk(z3.UGE(TIME, z3.ZeroExt(40, P[0])), P[0] == P[1], P[2] == 5, p0=9, p1=9, p2=5)
    assert not solver.is_steady(made)
    found: Any = solver.steady(made)
    assert found["p0"] == found["p1"] <= 1 and found["p2"] == 5
    assert solver.is_steady(walk(*(one.holds for one in made.decisions), **found))
    assert solver.is_steady(walk(P[0] == 1, p0=7))  # nothing of the time
    assert solver.steady(walk(z3.UGT(TIME, 5))) is Answer.NOT_CHOSEN
    assert not solver.is_steady(walk(z3.UGE(TIME, 0), z3.UGT(TIME, 5), z3.UGE(TIME, 0)))


def test_where_z3_does_not_find_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "QUERY_STEPS", 1)
    a, b, c = (z3.BitVec(name, 64) for name in "abc")
    assert turned(a * b * c == 0xDEADBEEF1234567, z3.UGT(a, 1 << 40), z3.UGT(b, 1 << 40)) is Answer.UNKNOWN


# --- frames ----------------------------------------------------------------------------------------------------------


def asking(condition: Any, ports: range = range(3, 5), largest: int = 40) -> tuple[Walk, Any]:
    """The walk of a packet for which it does not hold, and a packet for which it does."""
    b = Builder()
    b.header("h", "h_t", a=8)
    b.variable("meta.done", 8)
    body = if_(condition(b), [b.set("meta.done", 1)])
    made: Program = b.build([state("start", [extract("h")], goto("accept"))], ingress=[body], deparser=[emit("h")])
    walker = Walker(made, Coverage(made, ""), lambda table, possible: possible[0], largest, ports)
    first = walker.walk({}, {})
    at = next(at for at, one in enumerate(first.decisions) if one.site is not None and at == len(first.decisions) - 1)
    return first, Solver().turned(first, at)


@pytest.mark.parametrize(("port", "there"), [(2, False), (4, True), (5, False), (6, False)])
def test_a_frame_comes_in_at_a_port_that_there_is(port: int, there: bool) -> None:
    first, found = asking(lambda b: binary("==", b.get("sm.ingress_port"), const(port, 9)))
    assert first.port == 3
    assert (found["port"] == port) if there else (found is Answer.NO)


@pytest.mark.parametrize(("port", "there"), [(0, False), (510, True), (511, False)])
def test_the_ports_of_v1model(port: int, there: bool) -> None:
    """511 is where dropped packets go."""
    _, found = asking(lambda b: binary("==" if port else "!=", b.get("sm.ingress_port"), const(port, 9)), range(511))
    assert (found["port"] == port) if there else isinstance(found, dict if port == 0 else Answer)


@pytest.mark.parametrize(("length", "there"), [(0, False), (1, True), (39, True), (41, False)])
def test_a_frame_has_a_length_that_there_may_be(length: int, there: bool) -> None:
    """Not less than the header that was extracted, and no more than the largest."""
    first, found = asking(lambda b: binary("==", b.get("sm.packet_length"), const(length, 32)))
    assert len(first.frame) == 40
    assert (found["length"] == length) if there else (found is Answer.NO)
