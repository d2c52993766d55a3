"""The life of an entry as the services tell it: milliseconds, of 31 bits."""

from __future__ import annotations

import pytest

from macsad.thrift.tables import life_of

MS, LONGEST = 1_000_000, 2**31 - 1


@pytest.mark.parametrize(
    ("nanoseconds", "told"),
    [(0, 0), (MS - 1, 0), (MS, 1), (60_000 * MS, 60_000), (LONGEST * MS, LONGEST), ((LONGEST + 1) * MS, LONGEST),
     (2**64 - 1, LONGEST)],
)  # fmt: skip
def test_a_life_is_told_in_whole_milliseconds_as_far_as_a_number_goes(nanoseconds: int, told: int) -> None:
    for life in (life_of(nanoseconds, 7 * MS), life_of(7 * MS, nanoseconds)):
        assert {life.timeout_ms, life.time_since_hit_ms} == {told, 7}
    assert life_of(nanoseconds, 7 * MS).timeout_ms == told
