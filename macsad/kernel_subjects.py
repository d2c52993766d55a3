"""Table kernels as the C programs of aux-backend/kernel_tests see them: made from what a target's description says of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from transpiler.hlir.program import MatchKind
from transpiler.targets.target import BadKernel, Kernel

KEY_MAX, LEAST_ENTRIES = 40, 16  # bytes of a key, as support.h has it; entries that the tests take at least
CAN = {MatchKind.LPM: "PREFIXES", MatchKind.TERNARY: "MASKS", MatchKind.RANGE: "RANGES"}


class Shape(NamedTuple):
    """A key: its bytes, those of them in front of a prefix (all: no prefix), and those in front that are a range."""

    key_bytes: int
    exact_bytes: int
    range_bytes: int = 0


PREFIXES_ALONE = (Shape(1, 0), Shape(2, 0), Shape(3, 0), Shape(4, 0), Shape(16, 0))
PREFIXES = (Shape(1, 0), Shape(4, 0), Shape(16, 0), Shape(6, 2), Shape(36, 1), Shape(1, 1), Shape(40, 40))
MASKS = (Shape(2, 2), Shape(13, 13), Shape(6, 3), Shape(4, 0), Shape(40, 40))
EXACT = (Shape(1, 1), Shape(2, 2), Shape(6, 6), Shape(17, 17), Shape(40, 40))
RANGES = (Shape(2, 2, 2), Shape(5, 5, 1), Shape(13, 13, 4))


def kernels_to_test(kernels: Iterable[Kernel]) -> tuple[Kernel, ...]:
    """Those that look keys up and give entries. Entries that are words have another interface, code that compares has none."""
    return tuple(kernel for kernel in kernels if not kernel.words and not kernel.kept_by)


def shapes(kernel: Kernel) -> tuple[Shape, ...]:
    """Keys that it takes, such that together they have all that it matches. Raises: BadKernel, where there are none."""
    prefixes, masks = MatchKind.LPM in kernel.match, MatchKind.TERNARY in kernel.match
    if masks:
        wanted = tuple(shape for shape in MASKS if prefixes or shape.key_bytes == shape.exact_bytes)
    elif prefixes:
        wanted = PREFIXES_ALONE if kernel.alone else PREFIXES
    else:
        wanted = EXACT
    wanted += RANGES if MatchKind.RANGE in kernel.match else ()
    least, most = _key_bytes(kernel)
    found = tuple(shape for shape in wanted if least <= shape.key_bytes <= most)
    return found or (Shape(least, 0 if kernel.alone else least),)


def subjects(kernels: Iterable[Kernel]) -> str:
    """The C file of the array `subjects`: how each kernel looks up, and what it can. Raises: BadKernel."""
    kernels = tuple(kernels)
    includes = [f'#include "{kernel.header}"' for kernel in kernels]
    lookups = [line for kernel in kernels for line in _lookups(kernel)]
    rows = [_row(kernel) for kernel in kernels]
    end = ["", f"const uint32_t subject_count = {len(kernels)};", ""]
    return "\n".join(
        [
            '#include "support.h"',
            "",
            *includes,
            "",
            *lookups,
            "",
            "const struct subject subjects[] = {",
            *rows,
            "};",
            *end,
        ]
    )


def _lookups(kernel: Kernel) -> list[str]:
    name = kernel.name
    step = f"macs_{name}_step" if kernel.steps else "NO_STEP"
    lines = [f"DEFINE_LOOKUPS({name}, {kernel.steps}, {step})"]
    if kernel.parts:
        lines.append(f"DEFINE_BULK_IN_PARTS({name}, {kernel.bulk_key_bytes}u)")
    elif kernel.bulk_key_bytes:
        lines.append(f"DEFINE_BULK_OF_BYTES({name}, {kernel.bulk_key_bytes}u)")
    elif kernel.bulk:
        lines.append(f"DEFINE_BULK({name})")
    return lines


def _row(kernel: Kernel) -> str:
    name = kernel.name
    can = [flag for kind, flag in CAN.items() if kind in kernel.match] + ([] if kernel.alone else ["EXACT_IN_FRONT"])
    least, most = _key_bytes(kernel)
    entries = "UINT32_MAX" if kernel.max_entries is None else f"{kernel.max_entries}u"
    bulk = f"bulk_{name}" if kernel.bulk else "NULL"
    functions = f"&macs_{name}_ops, lookup_{name}, batch_{name}"
    return f'    {{"{name}", {functions}, {" | ".join(can) or "0"}, {least}, {most}, {entries}, {bulk}}},'


def _key_bytes(kernel: Kernel) -> tuple[int, int]:
    """The shortest and the longest key of whole bytes to test it with, of one field. Raises: BadKernel."""
    bits = [limit for limit in (kernel.max_bits, kernel.max_field_bits) if limit is not None]
    whole = [limit // 8 for limit in bits] + ([] if kernel.max_key_bytes is None else [kernel.max_key_bytes])
    least, most = max(1, -(-kernel.min_bits // 8)), min([KEY_MAX, *whole])
    if least > most:
        raise BadKernel(
            kernel.place, f"the kernel '{kernel.name}' takes no key of whole bytes, of at most {KEY_MAX}, to test"
        )
    if kernel.max_entries is not None and kernel.max_entries < LEAST_ENTRIES:
        raise BadKernel(
            kernel.place, f"the tests want at least {LEAST_ENTRIES} entries, max_entries is {kernel.max_entries}"
        )
    return least, most
