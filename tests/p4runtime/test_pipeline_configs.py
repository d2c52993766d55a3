"""The program as controllers set and get it, without a switch. P4Runtime spec 1.4.1 sections 14 and 15."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from macsad.p4runtime import pipeline
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import message, messages
from macsad.p4runtime.pipeline import Pipeline
from macsad.p4runtime.program import Extern, Key, Program, Table

VERIFY, SAVE, COMMIT_AT_ONCE, COMMIT, RECONCILE = 1, 2, 3, 4, 5
ALL, COOKIE_ONLY, INFO, DEVICE = 0, 1, 2, 3


def info(table: int = 1) -> Any:
    made = messages().of("p4.config.v1.P4Info")()
    made.tables.add().preamble.id = table
    return made


class Setting:
    """A pipeline of the program `info()` of the source b"one", and what it has had the switch do."""

    def __init__(self, *, builds: bool = True, awaits: bool = False) -> None:
        self.did: list[Any] = []
        self.pipeline = Pipeline(
            info(), b"one", lambda: self.did.append("clear"), self._replace,
            (lambda source: f"made of {source.decode()}") if builds else None, awaits,  # type: ignore[arg-type, return-value]
        )  # fmt: skip

    def _replace(self, info: Any, made: Any, keep: bool) -> None:
        self.did.append((info.tables[0].preamble.id, made, keep))

    def set(self, action: int, table: int | None = 1, source: bytes = b"", cookie: int | None = None) -> Code:
        request = message("SetForwardingPipelineConfigRequest")(action=action)
        if table is not None:
            request.config.p4info.CopyFrom(info(table))
            request.config.p4_device_config = source
            if cookie is not None:
                request.config.cookie.cookie = cookie
        try:
            self.pipeline.set(request)
        except Refused as refused:
            return refused.code
        return Code.OK

    def get(self, kind: int = ALL) -> tuple[int | None, bytes, int | None]:
        """The number of the table, the source, the cookie."""
        response = self.pipeline.get(message("GetForwardingPipelineConfigRequest")(response_type=kind))
        config = response.config
        number = config.p4info.tables[0].preamble.id if config.HasField("p4info") else None
        return number, config.p4_device_config, config.cookie.cookie if config.HasField("cookie") else None

    def has_program(self) -> bool:
        try:
            self.pipeline.require()
        except Refused as refused:
            assert refused.code is Code.FAILED_PRECONDITION
            return False
        return True


@pytest.mark.parametrize(
    ("action", "table", "source", "did", "has"),
    [
        (VERIFY, 1, b"", [], (1, b"one", None)),
        (VERIFY, 2, b"two", [], (1, b"one", None)),
        (SAVE, 2, b"two", [], (1, b"one", None)),
        (COMMIT_AT_ONCE, 1, b"", ["clear"], (1, b"one", 9)),
        (COMMIT_AT_ONCE, 1, b"one", ["clear"], (1, b"one", 9)),
        (COMMIT_AT_ONCE, 1, b"two", [(1, "made of two", False)], (1, b"two", 9)),
        (COMMIT_AT_ONCE, 2, b"one", [(2, "made of one", False)], (2, b"one", 9)),
        (RECONCILE, 1, b"", [], (1, b"one", 9)),
        (RECONCILE, 2, b"two", [(2, "made of two", True)], (2, b"two", 9)),
    ],
)
def test_what_a_configuration_does(action: int, table: int, source: bytes, did: list[Any], has: Any) -> None:
    """The program that runs is set again by an empty switch, or where it is reconciled by nothing; another is built."""
    setting = Setting()
    assert setting.set(action, table, source, 9) is Code.OK
    assert (setting.did, setting.get()) == (did, has)


@pytest.mark.parametrize(
    ("builds", "action", "table", "source", "code"),
    [
        (True, 0, 1, b"", Code.INVALID_ARGUMENT), (True, 6, 1, b"", Code.INVALID_ARGUMENT),
        (True, VERIFY, None, b"", Code.INVALID_ARGUMENT), (True, VERIFY, 2, b"", Code.INVALID_ARGUMENT),
        (False, VERIFY, 2, b"", Code.UNIMPLEMENTED), (False, VERIFY, 1, b"two", Code.UNIMPLEMENTED),
        (True, COMMIT, 1, b"", Code.INVALID_ARGUMENT), (True, COMMIT, None, b"", Code.NOT_FOUND),
    ],
)  # fmt: skip
def test_what_is_no_configuration(builds: bool, action: int, table: int | None, source: bytes, code: Code) -> None:
    setting = Setting(builds=builds)
    assert setting.set(action, table, source) is code and setting.did == [] and setting.get() == (1, b"one", None)


def test_what_was_saved_is_committed_once() -> None:
    """Any other commit forgets it."""
    setting = Setting()
    assert setting.set(SAVE, 2, b"two", 5) is Code.OK
    assert setting.set(COMMIT, 2, b"two") is Code.INVALID_ARGUMENT
    assert setting.set(COMMIT, None) is Code.OK and setting.get() == (2, b"two", 5)
    assert setting.did == [(2, "made of two", False)]
    assert setting.set(COMMIT, None) is Code.NOT_FOUND
    assert setting.set(SAVE, 1, b"one") is Code.OK and setting.set(COMMIT_AT_ONCE, 2) is Code.OK
    assert setting.set(COMMIT, None) is Code.NOT_FOUND and setting.get() == (2, b"two", None)


@pytest.mark.parametrize(
    ("kind", "has"),
    [(ALL, (1, b"one", 0)), (COOKIE_ONLY, (None, b"", 0)), (INFO, (1, b"", 0)), (DEVICE, (None, b"one", 0))],
)
def test_parts_are_asked_for(kind: int, has: Any) -> None:
    """A cookie of 0 is one, too."""
    setting = Setting()
    setting.set(RECONCILE, 1, cookie=0)
    assert setting.get(kind) == has


def test_a_program_is_the_same_however_it_is_wrapped() -> None:
    """In a P4DeviceConfig or not: set again, it is not built again, and a controller reads what was set."""
    setting, wrapped = Setting(), b"\x1a\3one"
    assert setting.set(RECONCILE, 1, wrapped) is Code.OK and setting.did == [] and setting.get() == (1, b"one", None)
    wrapped = b"\x1a\3two"
    assert setting.set(COMMIT_AT_ONCE, 2, wrapped) is Code.OK and setting.get() == (2, wrapped, None)
    (built,) = setting.did
    for source in (wrapped, b"two"):
        assert setting.set(RECONCILE, 2, source) is Code.OK and setting.did == [built]
    assert setting.get() == (2, wrapped, None)
    assert setting.set(COMMIT_AT_ONCE, 2, wrapped) is Code.OK and setting.did == [built, "clear"]


def test_a_program_is_awaited() -> None:
    """What stands for none is not what a controller sets, were it the same."""
    setting = Setting(awaits=True)
    assert not setting.has_program() and setting.get() == (None, b"", None)
    assert setting.set(VERIFY, 1, b"") is Code.INVALID_ARGUMENT and not setting.has_program()
    assert setting.set(COMMIT_AT_ONCE, 1, b"one") is Code.OK and setting.did == [(1, "made of one", False)]
    assert setting.has_program() and setting.get() == (1, b"one", None)


# --- an empty switch -------------------------------------------------------------------------------------------------


class Switch:
    """Notes changes and lines."""

    def __init__(self, fails: bool = False) -> None:
        self.lines: list[str] = []
        self.changed: list[bytes] = []
        self.fails = fails

    def update(self, changes: list[bytes]) -> list[Any]:
        self.changed += changes
        return []

    def bulk(self, lines: list[str]) -> Any:
        self.lines += lines
        return SimpleNamespace(failed=int(self.fails), text="t has gone\n")

    def read_notes(self) -> list[tuple[bytes, bytes]]:
        return [(b"cookie", b"5"), (b"x", b"")]


def program() -> Program:
    key, made = (Key(1, "k", 8, "exact"),), Program(info(), {}, {}, {}, None, None)  # type: ignore[arg-type]
    shapes = [("a", key, False, False), ("b", key, False, True), ("c", key, True, False), ("d", key, True, True),
              ("e", (), False, False), ("f", (), False, True)]  # fmt: skip
    for at, (name, keys, entries, default) in enumerate(shapes):
        made.tables[at] = Table(at, at, name, 4, keys, {}, None, entries, default)
    kinds = ["counter", "direct_counter", "register", "digest", "meter", "direct_meter"]
    for at, kind in enumerate(kinds):
        made.externs[at] = Extern(at, at, kind, kind, 2, 8, None)
    return made


def test_what_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that may change; of constant entries their default entry."""
    also = []
    monkeypatch.setattr("macsad.p4runtime.value_sets.clear", lambda client, program: also.append("value sets"))
    monkeypatch.setattr("macsad.p4runtime.profiles.clear", lambda client, program: also.append("profiles"))
    monkeypatch.setattr("macsad.p4runtime.replication.clear", lambda client: also.append("groups"))
    switch: Any = Switch()
    pipeline.clear(switch, program())
    assert switch.lines == ["table_restore a", "table_restore b", "table_reset_default c", "table_reset_default e",
                            "counter_reset counter", "counter_reset direct_counter", "register_restore register"]  # fmt: skip
    meters, kept = switch.changed[:4], switch.changed[4:]
    assert [(int.from_bytes(one[1:3], "big"), int.from_bytes(one[3:7], "big"), any(one[7:])) for one in meters] == [
        (4, 0, False), (4, 1, False), (5, 0, False), (5, 1, False),
    ]  # fmt: skip
    assert [one[3:] for one in kept] == [b"cookie", b"x"] and also == ["value sets", "profiles", "groups"]


def test_a_switch_that_is_not_cleared_is_our_fault() -> None:
    switch: Any = Switch(fails=True)
    with pytest.raises(Refused, match=r"the state is not cleared: t has gone$") as refused:
        pipeline.clear(switch, program())
    assert refused.value.code is Code.INTERNAL
