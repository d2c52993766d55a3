"""Bits, permutations and keys by number."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from transpiler.hlir.program import MatchKind
from transpiler.traffic import patterns
from transpiler.traffic.bits import Numbers, Wiring, mixed, permuted
from transpiler.traffic.keys import Data, KeyBit, KeyField, KeySet, Own, Shared, Unknown, capacity
from transpiler.traffic.patterns import LengthsError


def numbers(count: int) -> Numbers:
    return np.arange(count, dtype=np.uint64)


@pytest.mark.parametrize("width", [1, 2, 3, 8, 13, 16])
def test_a_permutation_of_all_numbers(width: int) -> None:
    found = permuted(numbers(1 << width), width, salt=width)
    assert sorted(found.tolist()) == list(range(1 << width))


@pytest.mark.parametrize("width", [17, 48, 63, 64])
def test_a_permutation_keeps_numbers_apart(width: int) -> None:
    found = permuted(numbers(100_000), width, salt=3)
    assert len(np.unique(found)) == 100_000 and int(found.max()) < 1 << width


def test_wiring_copies_any_bits() -> None:
    chance = Random(1)
    for _ in range(50):
        source_bits, target_bits = chance.sample(range(72), 40), chance.sample(range(88), 40)
        if chance.random() < 0.5:
            source_bits, target_bits = sorted(source_bits), sorted(target_bits)
        source = np.array([[chance.randrange(256) for _ in range(9)] for _ in range(3)], dtype=np.uint8)
        target = np.array([[chance.randrange(256) for _ in range(11)] for _ in range(3)], dtype=np.uint8)
        expected = np.unpackbits(target, axis=1)
        expected[:, target_bits] = np.unpackbits(source, axis=1)[:, source_bits]
        Wiring(zip(source_bits, target_bits, strict=True)).copy(source, target)
        assert (np.unpackbits(target, axis=1) == expected).all()


def key_set(kind: MatchKind, width: int, count: int, marks: int, lengths: str | None = None) -> KeySet:
    fields, bits = (KeyField(kind, width),), tuple(Own(i) for i in range(width))
    made = patterns.make(fields, bits, range(marks), 1, (0, 1), count, lengths, 1)
    return KeySet("t", fields, bits, tuple(range(marks)), made, 1, 5)


@pytest.mark.parametrize(("width", "count", "marks"), [(8, 224, 3), (8, 256, 0), (16, 50_000, 3), (200, 5000, 3)])
def test_exact_keys_differ_and_never_look_like_a_miss(width: int, count: int, marks: int) -> None:
    keys = key_set(MatchKind.EXACT, width, count, marks)
    assert keys.count == count
    rows = np.unpackbits(keys.own(numbers(count)), axis=1)[:, :width]
    assert len(np.unique(rows, axis=0)) == count
    missing = np.unpackbits(keys.missing(mixed(numbers(500), 1)), axis=1)[:, :width]
    assert marks == 0 or (missing[:, :marks].all() and not rows[:, :marks].all(axis=1).any())


def test_no_more_keys_than_there_are() -> None:
    assert key_set(MatchKind.EXACT, 8, 1000, 3).count == 224
    assert key_set(MatchKind.EXACT, 1, 1000, 0).count == 2


def test_prefixes_differ() -> None:
    keys = key_set(MatchKind.LPM, 32, 20_000, 3, "dfz")
    which, _ = keys.pattern_of(numbers(20_000))
    lengths = np.array([sum(p.cares) for p in keys.patterns])[which]
    values = np.packbits(np.unpackbits(keys.own(numbers(20_000)), axis=1)[:, :32], axis=1).view(">u4")[:, 0]
    prefixes = {(int(n), int(v) >> (32 - int(n))) for n, v in zip(lengths, values, strict=True)}
    assert keys.count == len(prefixes) == 20_000


@pytest.mark.parametrize("text", ["", "x", "8-40", "24:", "-1", "5:0", "30-20"])
def test_not_lengths(text: str) -> None:
    with pytest.raises(LengthsError):
        patterns.lengths(text, 32)


def test_the_shares_of_the_default_free_zone() -> None:
    assert sum(patterns.DFZ.values()) == pytest.approx(1000, rel=0.002)


@pytest.mark.parametrize("width", [1, 7, 8, 9, 31, 64, 65, 130])
def test_groups_have_data_of_their_own(width: int) -> None:
    """As many bits as the keys have of it, and zeros behind them; so many groups as there can be differ."""
    bits = tuple(Data(number) for number in range(width))
    keys = KeySet("t", (KeyField(MatchKind.EXACT, width),), bits, (), (), 4, 1, data_salt=3)
    count = min(500, 1 << width)
    rows = keys.group_rows(np.arange(count, dtype=np.uint64))
    assert rows.shape == (count, -(-width // 8)) and len({bytes(row) for row in rows}) == count
    assert not any(row[-1] & (1 << -width % 8) - 1 for row in rows)
    spread = np.unpackbits(rows, axis=1)[:, :width].sum(axis=0)
    assert all(0 < ones < count for ones in spread)


def test_groups_without_data_have_no_bytes() -> None:
    keys = KeySet("t", (KeyField(MatchKind.EXACT, 0),), (), (), (), 4, 1)
    assert keys.group_rows(np.arange(3, dtype=np.uint64)).shape == (3, 0)


OWN, SHARED = tuple(Own(i) for i in range(8)), tuple(Shared("u", i) for i in range(8))


@pytest.mark.parametrize(
    ("kind", "bits", "cares"),
    [
        (MatchKind.EXACT, OWN[:4] + SHARED[4:], "11111111"),
        (MatchKind.TERNARY, OWN[:4] + SHARED[4:], "11110000"),
        (MatchKind.TERNARY, SHARED[:4] + OWN[4:], "00001111"),
        (MatchKind.TERNARY, SHARED, "11111111"),
        (MatchKind.TERNARY, (*OWN[:2], Unknown(), *OWN[3:]), "11011111"),
        (MatchKind.TERNARY, (*OWN[:2], 1, *OWN[3:]), "11111111"),
        (MatchKind.OPTIONAL, OWN, "11111111"),
        (MatchKind.OPTIONAL, OWN[:4] + SHARED[4:], "00000000"),
        (MatchKind.RANGE, OWN[:4] + SHARED[4:], "11110000"),
        (MatchKind.RANGE, SHARED[:1] + OWN[1:], "00000000"),
        (MatchKind.RANGE, SHARED, "11111111"),
    ],
)
def test_the_first_pattern_matches_all_that_it_may(kind: MatchKind, bits: tuple[KeyBit, ...], cares: str) -> None:
    """Not what another table has chosen, where the kind lets entries leave that out and they have bits of their own."""
    (made,) = patterns.make((KeyField(kind, 8),), bits, (), 4, (0, 1), 1, None, 1, masks=1)
    assert "".join(str(int(care)) for care in made.cares) == cares


def test_patterns_match_the_marks() -> None:
    """Each matches these bits, or there is none: a prefix that is too short is refused."""
    for kind in (MatchKind.TERNARY, MatchKind.RANGE, MatchKind.OPTIONAL):
        made = patterns.make((KeyField(kind, 8),), OWN, (0, 1, 2), 1, (0, 1), 100, None, 3, masks=20)
        assert all(all(one.cares[:3]) for one in made) and sum(one.count for one in made) == 100
    with pytest.raises(LengthsError, match="prefixes of 2 bits leave nothing that misses"):
        patterns.make((KeyField(MatchKind.LPM, 8),), OWN, (0, 1, 2), 1, (0, 1), 100, "2", 3)
    (made,) = patterns.make((KeyField(MatchKind.LPM, 8),), OWN, (0, 1, 2), 1, (0, 1), 100, "3", 3)
    assert (sum(made.cares), made.count) == (3, 7)


@pytest.mark.parametrize(("part", "counts"), [((0, 1), 256), ((0, 2), 128), ((1, 2), 128), ((0, 3), 86), ((2, 3), 85)])
def test_parts_of_a_tables_entries_share_its_keys(part: tuple[int, int], counts: int) -> None:
    (made,) = patterns.make((KeyField(MatchKind.EXACT, 8),), OWN, (), 1, part, 1000, None, 1)
    assert made.count == counts


@pytest.mark.parametrize(
    ("bits", "marks", "others", "room"),
    [
        (OWN, (), 1, 256), (OWN, (0, 1, 2), 1, 7 * 32), (OWN[:4] + SHARED[4:], (), 1, 16), (OWN[:4] + SHARED[4:], (), 99, 99),
        (SHARED, (), 5, 5), ((0,) * 8, (), 5, 1), ((*OWN[:4], 1, 0, 1, 0), (), 99, 16),
    ],
)  # fmt: skip
def test_how_many_keys_there_are(bits: tuple[KeyBit, ...], marks: tuple[int, ...], others: int, room: int) -> None:
    """Of own bits; where other tables' entries are in them, as many as there are of these at least."""
    assert capacity((True,) * 8, bits, marks, others) == room
    assert capacity((False,) * 8, bits, marks, others) == 1
