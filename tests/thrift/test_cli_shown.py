"""How the CLI shows what an entry does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from macsad.shims.cli.program import Field, Table
from macsad.shims.cli.session import Session, say_action
from macsad.shims.cli.tables import _say_entry
from macsad.thrift.described import standard


@pytest.mark.parametrize(
    ("entry", "shown"),
    [
        ({"action_name": "go", "action_data": [b"\0\5", b"\xff"]}, "Action entry: go - 0005, ff"),
        ({"action_name": "none", "action_data": []}, "Action entry: none - "),
        ({"mbr_handle": 0}, "Index: member(0)"),
        ({"grp_handle": 0}, "Index: group(0)"),
        ({"mbr_handle": 3}, "Index: member(3)"),
        ({"grp_handle": 4}, "Index: group(4)"),
        ({}, "EMPTY"),
    ],
)
def test_what_an_entry_does(entry: dict[str, Any], shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    rest: Any = None
    nothing = {"action_name": None, "action_data": None, "mbr_handle": None, "grp_handle": None}
    say_action(Session(rest, rest, rest, False, rest), SimpleNamespace(**(nothing | entry)))
    assert capsys.readouterr().out == f"{shown}\n"


@pytest.mark.parametrize(("name", "width"), [("f", 20), ("x" * 20, 20), ("x" * 21, 21)])
def test_names_of_fields_stand_below_each_other(name: str, width: int, capsys: pytest.CaptureFixture[str]) -> None:
    """However long one is. An entry has a priority or none (below zero); one without a life has no line of it."""
    rest: Any = None
    kinds = standard.BmMatchParamType
    key = [standard.BmMatchParam(type=kinds.EXACT, exact=standard.BmMatchParamExact(key=bytes([n]))) for n in (5, 6)]
    fields = (Field(name, 8, "exact"), Field("last", 8, "exact"))
    nothing = SimpleNamespace(action_name=None, mbr_handle=None, grp_handle=None)
    for priority, lines in ((-1, []), (0, ["Priority: 0"]), (7, ["Priority: 7"])):
        entry: Any = SimpleNamespace(entry_handle=18, match_key=key, action_entry=nothing, life=None)
        entry.options = SimpleNamespace(priority=priority)
        _say_entry(Session(rest, rest, rest, False, rest), Table("t", "exact", fields, {}, None, False), entry)
        assert capsys.readouterr().out.splitlines() == [
            "Dumping entry 0x12", "Match key:", f"* {name:{width}}: EXACT     05", f"* {'last':{width}}: EXACT     06",
            *lines, "EMPTY",
        ]  # fmt: skip
