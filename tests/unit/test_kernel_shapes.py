"""Keys that kernels are tested with, by `macsad test-kernel`; which are none to test."""

from __future__ import annotations

from typing import Any

import pytest

from macsad.kernel_subjects import kernels_to_test, shapes, subjects
from transpiler.hlir.program import MatchKind
from transpiler.targets.target import BadKernel, Kernel

EXACT, LPM, TERNARY = (frozenset({kind}) for kind in (MatchKind.EXACT, MatchKind.LPM, MatchKind.TERNARY))


def kernel(match: frozenset[MatchKind] = EXACT, **more: Any) -> Kernel:
    return Kernel("k", match, place="t.toml:5", **more)


@pytest.mark.parametrize(
    ("of", "keys"),
    [
        (kernel(), [1, 2, 6, 17, 40]), (kernel(max_key_bytes=6), [1, 2, 6]), (kernel(max_bits=47), [1, 2]),
        (kernel(max_field_bits=136, max_bits=400), [1, 2, 6, 17]), (kernel(min_bits=9), [2, 6, 17, 40]),
        (kernel(min_bits=8), [1, 2, 6, 17, 40]), (kernel(min_bits=24, max_bits=40), [3]),
        (kernel(LPM, alone=True), [1, 2, 3, 4, 16]),
        (kernel(LPM, alone=True, min_bits=40, max_bits=48), [5]), (kernel(LPM, max_key_bytes=1), [1, 1]),
    ],
)  # fmt: skip
def test_shapes_of_keys(of: Kernel, keys: list[int]) -> None:
    """Those that are no longer and no shorter than the kernel takes; where there are none, the shortest that it does."""
    made = shapes(of)
    assert [shape.key_bytes for shape in made] == keys
    assert all(shape.exact_bytes in (0, shape.key_bytes) for shape in made) or not of.alone
    if of.alone:
        assert all(shape.exact_bytes == 0 for shape in made)


def test_masks_beside_a_prefix() -> None:
    """Without prefixes all bytes are in front."""
    assert all(shape.key_bytes == shape.exact_bytes for shape in shapes(kernel(TERNARY)))
    assert any(shape.key_bytes != shape.exact_bytes for shape in shapes(kernel(TERNARY | LPM)))
    ranges = shapes(kernel(TERNARY | {MatchKind.RANGE}))
    assert any(shape.range_bytes for shape in ranges) and ranges[:-3] == shapes(kernel(TERNARY))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"max_bits": 7}, "the kernel 'k' takes no key of whole bytes, of at most 40, to test"),
        ({"min_bits": 321}, "the kernel 'k' takes no key of whole bytes, of at most 40, to test"),
        ({"min_bits": 9, "max_bits": 15}, "the kernel 'k' takes no key of whole bytes, of at most 40, to test"),
        ({"max_entries": 15}, "the tests want at least 16 entries, max_entries is 15"),
    ],
)
def test_kernels_that_cannot_be_tested(more: dict[str, Any], told: str) -> None:
    for make in (shapes, lambda of: subjects([of])):
        with pytest.raises(BadKernel) as bad:
            make(kernel(**more))
        assert (bad.value.place, bad.value.what) == ("t.toml:5", told)
    assert shapes(kernel(max_entries=16)) and shapes(kernel(max_bits=8)) and shapes(kernel(min_bits=320))


def test_kernels_that_have_functions_are_tested() -> None:
    made = [kernel(), kernel(words=True), kernel(kept_by="other"), kernel(own_header="x.h")]
    assert kernels_to_test(made) == (made[0], made[3])


@pytest.mark.parametrize(
    ("more", "lines"),
    [
        ({}, ["DEFINE_LOOKUPS(k, 0, NO_STEP)"]), ({"steps": 2}, ["DEFINE_LOOKUPS(k, 2, macs_k_step)"]),
        ({"bulk": True}, ["DEFINE_LOOKUPS(k, 0, NO_STEP)", "DEFINE_BULK(k)"]),
        ({"bulk": True, "bulk_key_bytes": 8}, ["DEFINE_LOOKUPS(k, 0, NO_STEP)", "DEFINE_BULK_OF_BYTES(k, 8u)"]),
        ({"bulk": True, "bulk_key_bytes": 8, "parts": True}, ["DEFINE_LOOKUPS(k, 0, NO_STEP)", "DEFINE_BULK_IN_PARTS(k, 8u)"]),
    ],
)  # fmt: skip
def test_how_a_kernel_is_called(more: dict[str, Any], lines: list[str]) -> None:
    text = subjects([kernel(**more)]).splitlines()
    assert [line for line in text if line.startswith("DEFINE")] == lines
    bulk = "bulk_k" if "bulk" in more else "NULL"
    assert f'    {{"k", &macs_k_ops, lookup_k, batch_k, EXACT_IN_FRONT, 1, 40, UINT32_MAX, {bulk}}},' in text
    assert "const uint32_t subject_count = 1;" in text
    few = subjects([kernel(LPM, alone=True, max_entries=99, max_bits=32, min_bits=10)])
    assert '    {"k", &macs_k_ops, lookup_k, batch_k, PREFIXES, 2, 4, 99u, NULL},' in few
