"""Bits, permutations and keys by number."""

from __future__ import annotations

import re
from random import Random

import numpy as np
import pytest

from transpiler.hlir.program import MatchKind
from transpiler.traffic import patterns
from transpiler.traffic.bits import Numbers, Wiring, mixed, permuted
from transpiler.traffic.keys import Data, KeyBit, KeyField, KeySet, Own, Pattern, Shared, Unknown, capacity
from transpiler.traffic.patterns import LengthsError


def numbers(count: int) -> Numbers:
    return np.arange(count, dtype=np.uint64)


@pytest.mark.parametrize("width", [1, 2, 3, 8, 13, 16])
def test_a_permutation_of_all_numbers(width: int) -> None:
    found = permuted(numbers(1 << width), width, salt=width)
    assert sorted(found.tolist()) == list(range(1 << width))


@pytest.mark.parametrize("salt", [0, 1, 64, 2**70])
def test_what_looks_random_is_splitmix64(salt: int) -> None:
    """The number that it gives first, where it begins with a number; a salt is so many steps before."""
    seeds = [0, 1, 12345, (1 << 64) - 1]
    expected = [splitmix64(seed, salt + 1) for seed in seeds]
    assert mixed(np.array(seeds, dtype=np.uint64), salt).tolist() == expected
    assert salt or expected[0] == 0xE220A8397B1DCDAF  # as published


def splitmix64(seed: int, step: int) -> int:
    full = (1 << 64) - 1
    z = (seed + step * 0x9E3779B97F4A7C15) & full
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & full
    z = (z ^ z >> 27) * 0x94D049BB133111EB & full
    return z ^ z >> 31


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


def test_prefixes_of_a_million_routes_are_as_long_as_in_the_internet() -> None:
    """Per mille of each length, from /8 on: rounded from what looking glasses of the IPv4 table show."""
    shares = (0.02, 0.01, 0.04, 0.1, 0.3, 0.6, 1.2, 2, 14, 8.5, 14, 26, 44, 54, 116, 104, 615)
    for text in (None, "dfz"):
        made = patterns.make((KeyField(MatchKind.LPM, 32),), OWN32, (0, 1, 2), 1, (0, 1), 1_000_000, text, 1)
        assert sum(one.count for one in made) == 1_000_000
        found = {sum(one.cares): one.count for one in made}
        assert found == {at: pytest.approx(share * 1000, rel=0.0005) for at, share in enumerate(shares, 8)}


@pytest.mark.parametrize(
    ("text", "width", "lengths"),
    [
        (None, 128, dict.fromkeys(range(48, 65), 1)), (None, 16, {6: 1, 7: 1, 8: 1}), (None, 1, {1: 1}),
        ("24", 32, {24: 1}), ("0-2", 32, {0: 1, 1: 1, 2: 1}), ("30-32", 32, {30: 1, 31: 1, 32: 1}), ("32", 32, {32: 1}),
        ("16:1,24:6", 32, {16: 1, 24: 6}), ("8:0,9:0.5", 32, {8: 0, 9: 0.5}), ("dfz", 48, patterns.DFZ),
    ],
)  # fmt: skip
def test_lengths(text: str | None, width: int, lengths: dict[int, float]) -> None:
    assert patterns.lengths(text, width) == lengths


@pytest.mark.parametrize(
    ("text", "width", "said"),
    [
        ("33", 32, "'33' has lengths beyond the 32 bits of the field"), ("-1:1", 32, "beyond the 32 bits"),
        ("24-33", 32, "beyond the 32 bits"), ("dfz", 16, "'dfz' has lengths beyond the 16 bits"),
        ("x", 32, "'x' is neither dfz, nor LENGTH, LOW-HIGH or LENGTH:SHARE,..."),
        ("24:-1,8:2", 32, "'24:-1,8:2' has no lengths"), ("24:0", 32, "'24:0' has no lengths"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_lengths(text: str, width: int, said: str) -> None:
    with pytest.raises(LengthsError, match=re.escape(said)):
        patterns.lengths(text, width)


@pytest.mark.parametrize(
    ("text", "width", "is_dfz"),
    [(None, 32, True), ("dfz", 32, True), ("24", 32, False), (None, 128, False), ("dfz", 31, False)],
)
def test_which_prefixes_are_of_unicast_addresses(text: str | None, width: int, is_dfz: bool) -> None:
    assert patterns.is_dfz(text, width) is is_dfz


@pytest.mark.parametrize(
    ("shares", "room", "count", "expected"),
    [
        ((1, 3), (100, 100), 40, (10, 30)),
        ((1, 3), (100, 20), 40, (20, 20)),  # what is left over goes to the others
        ((1, 1, 1), (9, 9, 9), 10, (4, 3, 3)),
        ((1, 1, 1), (2, 5, 4), 10, (2, 5, 3)),  # to where most room is
        ((1, 1), (3, 4), 10, (3, 4)),  # no more than there is room for
        ((0, 1), (5, 3), 6, (3, 3)),
        ((0, 0), (5, 3), 6, (5, 1)),
    ],
)
def test_entries_by_share(
    shares: tuple[int, ...], room: tuple[int, ...], count: int, expected: tuple[int, ...]
) -> None:
    cares = [(True,) * at for at in range(len(shares))]
    found = patterns._allot(dict(zip(cares, shares, strict=True)), dict(zip(cares, room, strict=True)), count)
    assert found == dict(zip(cares, expected, strict=True))


def test_a_pattern_that_no_rule_allows_has_no_entries_and_those_that_become_one_share_it() -> None:
    def mend(cares: tuple[bool, ...]) -> tuple[bool, ...] | None:
        return None if sum(cares) == 12 else (True,) * 16 if sum(cares) > 12 else cares

    bits = tuple(Own(i) for i in range(16))
    made = patterns.make((KeyField(MatchKind.LPM, 16),), bits, (), 1, (0, 1), 400, "10-15", 1, mend=mend)
    assert {sum(one.cares): one.count for one in made} == {10: 80, 11: 80, 16: 240}
    assert not patterns.make((KeyField(MatchKind.LPM, 16),), bits, (), 1, (0, 1), 400, "12", 1, mend=mend)


def test_prefixes_of_what_others_choose_are_whole() -> None:
    """They might be the same else; so are keys of action data."""
    for bits in (SHARED, tuple(Data(i) for i in range(8)), (0,) * 8):
        (made,) = patterns.make((KeyField(MatchKind.LPM, 8),), bits, (), 5, (0, 1), 9, "3", 1)
        assert made.cares == (True,) * 8 and made.count == (1 if bits == (0,) * 8 else 5)


def test_there_are_so_many_masks() -> None:
    """Whole fields first; the others match all, the first half or nothing of a field, as chance has it."""
    fields = (KeyField(MatchKind.TERNARY, 8), KeyField(MatchKind.OPTIONAL, 8), KeyField(MatchKind.RANGE, 8))
    bits = tuple(Own(i) for i in range(24))
    for masks in (1, 2, 16):
        made = patterns.make(fields, bits, (), 1, (0, 1), 1000, None, 7, masks=masks)
        assert len(made) <= masks and made[0].cares == (True,) * 24 and sum(one.count for one in made) == 1000
    texts = ["".join(str(int(care)) for care in one.cares) for one in made]
    assert len(texts) > 8
    assert {text[:8] for text in texts} == {text[16:] for text in texts} == {"1" * 8, "1" * 4 + "0" * 4, "0" * 8}
    assert {text[8:16] for text in texts} == {"1" * 8, "0" * 8}
    assert len(patterns.make((KeyField(MatchKind.EXACT, 8),), OWN, (), 1, (0, 1), 100, None, 7, masks=16)) == 1


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


OWN32 = tuple(Own(i) for i in range(32))
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


def rows_of(keys: KeySet, count: int) -> list[str]:
    bits = np.unpackbits(keys.own(numbers(count)), axis=1)[:, : keys.own_count]
    return ["".join(map(str, row)) for row in bits.tolist()]


def test_parts_have_keys_of_their_own() -> None:
    """All keys together, each once, whichever part has them."""
    fields, found = (KeyField(MatchKind.EXACT, 6),), []
    bits = tuple(Own(i) for i in range(6))
    for part in range(3):
        made = patterns.make(fields, bits, (), 1, (part, 3), 64, None, 1)
        found += rows_of(KeySet("t", fields, bits, (), made, 1, 5, (part, 3)), made[0].count)
    assert len(found) == len(set(found)) == 64


def test_entries_of_different_patterns_are_spread_over_the_numbers() -> None:
    """Each pattern has its ranks from 0 on, in some order."""
    fields, bits = (KeyField(MatchKind.TERNARY, 8),), OWN
    cares = [tuple(bit < kept for bit in range(8)) for kept in (8, 5, 2)]
    keys = KeySet("t", fields, bits, (), tuple(map(Pattern, cares, (60, 30, 4))), 1, 5)
    which, ranks = keys.pattern_of(numbers(94))
    for number, count in enumerate((60, 30, 4)):
        assert sorted(ranks[which == number].tolist()) == list(range(count))
    assert len(set(which[:10].tolist())) > 1 and len(set(which[-10:].tolist())) > 1
    for number, kept in enumerate((8, 5, 2)):
        heads = [row[:kept] for row, of in zip(rows_of(keys, 94), which, strict=True) if of == number]
        assert len(set(heads)) == len(heads)  # what entries match differs


def test_what_entries_do_not_match_and_no_other_table_does() -> None:
    bits: tuple[KeyBit, ...] = (*OWN[:4], 1, Shared("u", 3), Shared("u", 5), Data(0), *(Own(i) for i in range(4, 8)))
    cares = [tuple(bit == "1" for bit in text) for text in ("110011111100", "111111011100")]
    keys = KeySet("t", (KeyField(MatchKind.TERNARY, 12),), bits, (), tuple(Pattern(one, 2) for one in cares), 1, 5)
    found = np.unpackbits(keys.indifferent({7}), axis=1)
    assert [np.nonzero(row)[0].tolist() for row in found] == [[2, 3, 6], [6]]
    assert keys.matches("u") == {3, 5} and keys.matches("v") == set()
    alone = KeySet("t", keys.fields, bits, (), keys.patterns[1:], 1, 5)
    assert alone.matches("u") == {3} and alone.follows == "u"
    nothing = KeySet("t", keys.fields, bits, (), (Pattern((*(True,) * 5, False, False, *(True,) * 5), 2),), 1, 5)
    assert nothing.follows is None and nothing.matches("u") == set()
    assert (keys.own_count, keys.data_count, keys.count) == (8, 1, 4)


def test_keys_that_have_the_same_data_have_the_same_values() -> None:
    """A key of two parameters, one of which is another table's whole key: bit 0 there is bit 2 here."""
    other = KeySet("u", (KeyField(MatchKind.EXACT, 2),), (Data(0), Data(1)), (), (), 4, 9, data_salt=7)
    fed = ((other, ((0, 2), (1, 0))),)
    keys = KeySet(
        "t", (KeyField(MatchKind.EXACT, 3),), tuple(Data(i) for i in range(3)), (), (), 4, 1, data_salt=3, fed=fed
    )
    ours, theirs = (np.unpackbits(one.group_rows(numbers(4)), axis=1) for one in (keys, other))
    assert (ours[:, 2] == theirs[:, 0]).all() and (ours[:, 0] == theirs[:, 1]).all()
    assert len(np.unique(theirs[:, :2], axis=0)) == 4


def test_what_is_not_known_or_another_s_is_matched_by_no_pattern() -> None:
    bits = (*OWN[:2], Unknown(), *OWN[3:5], *SHARED[5:])
    for kind in (MatchKind.TERNARY, MatchKind.RANGE, MatchKind.OPTIONAL):
        fields = (KeyField(kind, 8), KeyField(MatchKind.TERNARY, 8))
        made = patterns.make(fields, (*bits, *(Own(i) for i in range(8, 16))), (), 4, (0, 1), 100, None, 1, masks=16)
        assert len(made) > 1 and not any(one.cares[at] for one in made for at in (2, 5, 6, 7))


def test_patterns_have_entries() -> None:
    for count in (1, 2, 3):
        made = patterns.make((KeyField(MatchKind.LPM, 32),), OWN32, (), 1, (0, 1), count, "8-31", 1)
        assert sum(one.count for one in made) == count and all(one.count for one in made)


def test_marks_are_wherever_the_widest_field_is() -> None:
    fields = (KeyField(MatchKind.EXACT, 4), KeyField(MatchKind.EXACT, 6))
    bits = tuple(Own(i) for i in range(10))
    made = patterns.make(fields, bits, (4, 5, 6), 1, (0, 1), 2000, None, 1)
    keys = KeySet("t", fields, bits, (4, 5, 6), made, 1, 5)
    rows = rows_of(keys, keys.count)
    assert len(set(rows)) == keys.count == 7 * 128 and not any(row[4:7] == "111" for row in rows)
    missing = np.unpackbits(keys.missing(numbers(50)), axis=1)
    assert missing[:, 4:7].all() and not missing[:, :4].all() and not missing[:, 7:10].all()
