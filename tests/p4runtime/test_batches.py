"""Batches of which all is done or nothing, without a switch. P4Runtime spec 1.4.1 section 12.2."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.writing import DELETE, INSERT, MODIFY, Writer
from macsad.protocol import ControlError, NoSwitchError


class Notes(Writer):
    """Updates are (kind, name); those with a wrong name fail. `done`: what was carried out, in order."""

    def __init__(self, *wrong: str) -> None:
        self.wrong, self.done = wrong, list[tuple[int, str]]()

    def write(self, updates: Any) -> list[Refused | None]:
        results: list[Refused | None] = []
        for update in updates:
            name = update.entity if isinstance(update.entity, str) else update.entity.table_entry.metadata.decode()
            fails = name in self.wrong or f"{update.type} {name}" in self.wrong
            results.append(Refused(Code.NOT_FOUND, f"no {name}") if fails else None)
            if not fails:
                self.done.append((update.type, name))
        return results

    def _inverse(self, update: Any) -> Any:
        if update.entity == "unreadable":
            raise Refused(Code.UNIMPLEMENTED, "unreadable")
        return [SimpleNamespace(type=-update.type, entity=f"{update.entity}{number}") for number in (1, 2)]


def updates(*names: str, kind: int = MODIFY) -> Any:
    return [SimpleNamespace(type=kind, entity=name) for name in names]


def codes(results: list[Refused | None]) -> list[Code | None]:
    return [result and result.code for result in results]


def test_all_is_done() -> None:
    writer = Notes()
    assert writer.write_all_or_nothing(updates("a", "b")) == [None, None]
    assert writer.done == [(MODIFY, "a"), (MODIFY, "b")]
    assert writer.write_all_or_nothing([]) == []


@pytest.mark.parametrize(("wrong", "code"), [("wrong", Code.NOT_FOUND), ("unreadable", Code.UNIMPLEMENTED)])
def test_what_was_done_before_the_first_that_fails_is_undone_in_reverse(wrong: str, code: Code) -> None:
    """What stands behind it is not tried."""
    writer = Notes("wrong", "worse")
    results = writer.write_all_or_nothing(updates("a", "b", wrong, "c", "worse", "unreadable"))
    assert codes(results) == [Code.ABORTED, Code.ABORTED, code, Code.ABORTED, Code.ABORTED, Code.ABORTED]
    undone = [(-MODIFY, name) for name in ("b2", "b1", "a2", "a1")]
    assert writer.done == [(MODIFY, "a"), (MODIFY, "b"), *undone]


def test_what_cannot_be_undone_is_an_internal_error() -> None:
    writer = Notes("wrong", "a1", "b2")
    results = writer.write_all_or_nothing(updates("a", "b", "wrong"))
    assert codes(results) == [Code.INTERNAL, Code.INTERNAL, Code.NOT_FOUND]
    assert (
        results[0] is not None and results[0].message == "an update of the batch failed; undoing it failed too: no b2"
    )


def test_packets_rest_meanwhile() -> None:
    writer, held = Notes("wrong"), list[bool]()
    writer._client = SimpleNamespace(hold=held.append)  # type: ignore[assignment]
    assert writer.write_atomically(updates("a")) == [None] and held == [True, False]
    assert codes(writer.write_atomically(updates("a", "wrong"))) == [Code.ABORTED, Code.NOT_FOUND] and len(held) == 4


@pytest.mark.parametrize(
    ("fails", "error", "raised"),
    [
        (True, ControlError("hangs"), Code.UNAVAILABLE),
        (False, ControlError("late"), Code.INTERNAL),
        (True, NoSwitchError("gone"), None),
        (False, NoSwitchError("gone"), None),
    ],
)
def test_packets_that_do_not_rest_are_told(fails: bool, error: Exception, raised: Code | None) -> None:
    """Where they do not rest at all nothing is done."""

    def hold(begins: bool) -> None:
        if begins is fails:
            raise error

    writer = Notes()
    writer._client = SimpleNamespace(hold=hold)  # type: ignore[assignment]
    with pytest.raises(NoSwitchError if raised is None else Refused) as told:
        writer.write_atomically(updates("a"))
    if isinstance(told.value, Refused):
        assert told.value.code is raised
    assert bool(writer.done) is not fails


@pytest.mark.parametrize("kind", [0, 4])
def test_kinds_of_updates(kind: int) -> None:
    update: Any = SimpleNamespace(type=kind)
    for call in (lambda: Writer._inverse(Notes(), update), lambda: Notes()._changes(kind, "table_entry", update)):
        with pytest.raises(Refused, match="an update inserts, modifies or deletes"):
            call()
    assert {INSERT, MODIFY, DELETE} == {1, 2, 3}
