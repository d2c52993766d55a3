"""Packets that go another way: decisions of a walk up to one, and that one turned round, given to z3.

Only what shares variables with the decision that is turned round is asked, so that all else stays as it was. A hash that is a
variable is made right step by step: where z3 wants a hash that its data do not have, it is told what these data's is.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import z3

from transpiler.externs import algorithms
from transpiler.testgen.record import VOLATILE, Assignment, Decision, Hash
from transpiler.testgen.walk import Walk

QUERY_MS, QUERY_STEPS = 20_000, 4_000_000  # of z3: the steps end a query after a second or so, the same each time
LATEST_US = 8_000_000  # after the switch began, when a test's packet may come
REFINEMENTS = 12  # of hashes, in one query


class Answer(enum.Enum):
    """Why there is no packet: there cannot be one; z3 did not find out; it would take a time or hash that nobody can choose."""

    NO = "no"
    UNKNOWN = "unknown"
    NOT_CHOSEN = "not chosen"


class Solver:
    """Asks z3, and keeps what it knows of terms. `queries` so far."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[Any, frozenset[str]]] = {}
        self.queries = 0

    def turned(self, walk: Walk, at: int, timeout_ms: int = QUERY_MS) -> Assignment | Answer:
        """Numbers with which decision `at` of a walk goes the other way, those before it as they went."""
        decision = walk.decisions[at]
        wanted = z3.Not(decision.holds)
        names = self._closed(self.names(wanted), walk.hashes)
        kept, names = self._slice(walk.decisions[:at], names, walk.hashes)
        return self._solve([*kept, wanted], names, walk, timeout_ms)

    def _slice(
        self, decisions: Sequence[Decision], names: frozenset[str], hashes: dict[str, Hash]
    ) -> tuple[list[Any], frozenset[str]]:
        """The decisions that share variables with `names`, and with each other; all their variables."""
        left = [(d.holds, self._closed(self.names(d.holds), hashes)) for d in decisions]
        kept: list[Any] = []
        grown = True
        while grown:
            grown, rest = False, []
            for holds, own in left:
                if own & names:
                    kept.append(holds)
                    grown |= not own <= names
                    names |= own
                else:
                    rest.append((holds, own))
            left = rest
        return kept, names

    def _closed(self, names: frozenset[str], hashes: dict[str, Hash]) -> frozenset[str]:
        """With the variables of the data of hashes among them."""
        waiting = [name for name in names if name in hashes]
        seen = set(names)
        while waiting:
            of = hashes[waiting.pop()]
            more = self.names(of.data) | (self.names(of.before) if of.before is not None else frozenset())
            waiting += [name for name in more - seen if name in hashes]
            seen |= more
        return frozenset(seen)

    def _solve(self, terms: list[Any], names: frozenset[str], walk: Walk, timeout_ms: int) -> Assignment | Answer:
        solver = z3.SolverFor("QF_BV")
        solver.set("timeout", timeout_ms)
        solver.set("rlimit", QUERY_STEPS)
        volatile = bool(names & VOLATILE)
        solver.add(*(at_any_time(term) if volatile else term for term in terms))
        hashes = [walk.hashes[name] for name in sorted(names) if name in walk.hashes]
        if hashes:  # most often what is hashed may stay as it is
            solver.push()
            solver.add(*(_as_it_was(one, walk.assignment) for one in hashes))
            self.queries += 1
            if solver.check() == z3.sat:
                return self._found(solver.model(), walk)
            solver.pop()
        for turn in range(REFINEMENTS + 1):
            self.queries += 1
            answer = solver.check()
            if answer != z3.sat:
                break
            model = solver.model()
            wrong = [lemma for one in hashes if (lemma := _lemma(one, model, turn == REFINEMENTS - 1)) is not None]
            if not wrong:
                return self._found(model, walk)
            solver.add(*wrong)
        if answer == z3.unsat and volatile:
            return Answer.NOT_CHOSEN
        if answer == z3.unsat:
            return Answer.NO if not hashes or turn < REFINEMENTS else Answer.UNKNOWN
        return Answer.UNKNOWN

    def _found(self, model: Any, walk: Walk) -> Assignment:
        return walk.assignment | {declared.name(): model[declared].as_long() for declared in model.decls()}

    def steady(self, walk: Walk) -> Assignment | Answer:
        """Numbers with which all decisions of a walk are the same at any time."""
        kept, names = self._slice(walk.decisions, frozenset(VOLATILE), walk.hashes)
        return self._solve(kept, names, walk, QUERY_MS)

    def is_steady(self, walk: Walk) -> bool:
        """Whether a walk goes the same way at any time."""
        timed = [d.holds for d in walk.decisions if self.names(d.holds) & VOLATILE]
        solver = z3.SolverFor("QF_BV")
        solver.set("timeout", QUERY_MS)
        known = dict(walk.assignment)
        for term in timed:
            pairs = [(v, z3.BitVecVal(known.get(n, 0), v.size())) for n, v in _variables(term) if n not in VOLATILE]
            solver.push()
            solver.add(z3.Not(z3.substitute(term, *pairs)), *_times(term))
            answer = solver.check()
            solver.pop()
            if answer != z3.unsat:
                return False
        return True

    def names(self, term: Any) -> frozenset[str]:
        """The variables of a term."""
        found = self._names.get(term.get_id())
        if found is not None:
            return found[1]
        waiting = [term]
        while waiting:
            top = waiting[-1]
            children = top.children()
            missing = [c for c in children if c.get_id() not in self._names]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if children:
                own = frozenset[str]().union(*(self._names[c.get_id()][1] for c in children))
            else:
                own = _own(top)
            self._names[top.get_id()] = top, own
        return self._names[term.get_id()][1]


def _own(leaf: Any) -> frozenset[str]:
    return frozenset({leaf.decl().name()}) if leaf.decl().kind() == z3.Z3_OP_UNINTERPRETED else frozenset()


def _lemma(of: Hash, model: Any, last: bool) -> Any:
    """What is true of a hash, where the model has it wrong; `last`: its data are to stay as they are."""
    data = model.eval(of.data, model_completion=True)
    before = model.eval(of.before, model_completion=True) if of.before is not None else None
    value = hash_of(of, data.as_long(), before.as_long() if before is not None else None)
    variable = z3.BitVec(of.variable, of.width)
    if model.eval(variable, model_completion=True).as_long() == value:
        return None
    same = of.data == data if before is None else z3.And(of.data == data, of.before == before)
    known = variable == value
    return z3.And(same, known) if last else z3.Implies(same, known)


def _as_it_was(of: Hash, known: Assignment) -> Any:
    """The data of a hash are what they were."""
    before = of.before if of.before is not None else z3.BitVecVal(0, 1)
    names = [(v, z3.BitVecVal(known.get(n, 0), v.size())) for n, v in _variables(z3.Concat(of.data, before))]
    data, start = (z3.simplify(z3.substitute(term, *names)) for term in (of.data, before))
    if not (z3.is_bv_value(data) and z3.is_bv_value(start)):
        return z3.BoolVal(True)  # of another hash
    value = hash_of(of, data.as_long(), start.as_long() if of.before is not None else None)
    return z3.And(of.data == data, before == start, z3.BitVec(of.variable, of.width) == value)


def hash_of(of: Hash, data: int, before: int | None) -> int:
    """What the interpreter computes."""
    size = of.data.size() // 8
    content = data.to_bytes(size, "big")
    if before is not None:
        value: int | None = algorithms.extend(of.algorithm, before, content)
    else:
        value = algorithms.compute(of.algorithm, content)
    return (value or 0) & ((1 << of.width) - 1)


def at_any_time(term: Any) -> Any:
    """A term that holds when the switch has just begun and after a while; for what compares a time, also in between."""
    times = [v for n, v in _variables(term) if n in VOLATILE]
    if not times:
        return term
    when = (1, LATEST_US)
    return z3.And(*(z3.substitute(term, *((v, z3.BitVecVal(t, v.size())) for v in times)) for t in when))


def _times(term: Any) -> list[Any]:
    return [z3.ULE(v, LATEST_US) for n, v in _variables(term) if n in VOLATILE]


def _variables(term: Any) -> list[tuple[str, Any]]:
    found: dict[str, Any] = {}
    waiting, seen = [term], set()
    while waiting:
        one = waiting.pop()
        if one.get_id() in seen:
            continue
        seen.add(one.get_id())
        if one.num_args() == 0 and one.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found[one.decl().name()] = one
        waiting += one.children()
    return list(found.items())
