"""Tables as a switch describes them."""

from __future__ import annotations

import pytest

from macsad.described import Field, Table


@pytest.mark.parametrize(
    ("kinds", "has"),
    [
        ((), False), (("exact",), False), (("exact", "lpm"), False), (("ternary",), True), (("range",), True),
        (("optional",), True), (("exact", "optional"), True), (("lpm", "ternary"), True),
    ],
)  # fmt: skip
def test_entries_have_a_priority_where_several_may_match(kinds: tuple[str, ...], has: bool) -> None:
    key = tuple(Field(f"k{number}", 9, kind) for number, kind in enumerate(kinds))
    assert Table(0, "t", 16, key, (), None, False).has_priority is has
    assert all(field.bytes == 2 for field in key)
