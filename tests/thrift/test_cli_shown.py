"""How the CLI shows what an entry does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from macsad.shims.cli.session import Session, say_action


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
