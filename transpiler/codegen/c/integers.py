"""The C integers that values of some width are kept in."""

WORD = 64


def limbs(width: int) -> int:
    """64-bit limbs of a wide integer."""
    return -(-width // WORD)


def natural(width: int) -> int:
    """The width of the smallest C integer that holds `width` (≤ 64) bits."""
    return next(bits for bits in (8, 16, 32, 64) if width <= bits)
