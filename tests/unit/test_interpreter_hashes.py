"""Hash algorithms against their published check values, meters against RFC 2698, random numbers against repetition; registers."""

from __future__ import annotations

from transpiler.externs.algorithms import compute, extend
from transpiler.externs.meter import GREEN, RED, YELLOW, Meter
from transpiler.externs.register import Register
from transpiler.interpreter.numbers import Random

CHECK = b"123456789"  # the input of the check values in the catalogue of CRC algorithms


def test_crcs_have_their_check_values() -> None:
    assert compute("crc32", CHECK) == 0xCBF43926
    assert compute("crc16", CHECK) == 0xBB3D
    assert compute("crc32_custom", CHECK) == 0xCBF43926


def test_checksum_verifies_itself() -> None:
    header = bytes.fromhex("45000054a6f200004001000a0a0000010a000002")
    checksum = compute("csum16", header)
    assert checksum is not None
    assert compute("csum16", header + checksum.to_bytes(2, "big")) == 0
    assert compute("csum16", b"") == 0xFFFF
    assert compute("csum16", b"\x01") == 0xFEFF


def test_a_checksum_is_folded_until_nothing_is_left_over() -> None:
    """The sum of three words, and of many, folded once is more than a word."""
    assert compute("csum16", bytes.fromhex("ffff ffff 0001")) == 0xFFFE
    for words in (2, 3, 0x10000, 0x10001):
        assert compute("csum16", b"\xff\xff" * words) == 0
        assert compute("csum16", b"\xff\xff" * words + b"\x00\x01") == 0xFFFE
    assert extend("csum16", 0, bytes.fromhex("ffff 0001")) == extend("csum16", 0xFFFE, b"") == 0xFFFE


def test_xor_and_identity() -> None:
    assert compute("xor16", bytes.fromhex("1234000f01")) == 0x1234 ^ 0x000F ^ 0x0100
    assert compute("identity", bytes.fromhex("0102")) == 0x0102
    assert compute("identity", bytes(range(10))) == 0x0001020304050607
    assert compute("random", b"x") is None


def test_meter_marks_by_two_rates() -> None:
    meter = Meter()
    assert meter.colour(1500, 0) == GREEN  # no rates yet
    meter.set_rates((0.001, 2), (0.002, 3), 0)
    assert [meter.colour(1, 0) for _ in range(5)] == [GREEN, GREEN, YELLOW, RED, RED]
    assert meter.colour(1, 500) == YELLOW  # one token in the peak bucket, half a one in the other
    assert meter.colour(1, 10_000) == GREEN


def test_a_register_has_nothing_out_of_range() -> None:
    register = Register(8, 2, initial=5)
    register.write(1, 0x1FE)
    register.write(2, 9)
    assert [register.read(index) for index in range(4)] == [5, 0xFE, 0, 0] and set(register.elements) == {1}
    register.reset()
    assert [register.read(index) for index in range(3)] == [0, 0, 0]


def test_random_repeats_from_its_seed_and_stays_in_range() -> None:
    first, again = Random(7), Random(7)
    numbers = [first.between(3, 6) for _ in range(200)]
    assert numbers == [again.between(3, 6) for _ in range(200)]
    assert set(numbers) == {3, 4, 5, 6}
    assert first.between(9, 2) == 9
