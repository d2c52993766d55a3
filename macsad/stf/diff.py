"""How a frame differs from what was expected, for people: hex lines with a marker under what differs."""

from __future__ import annotations

from collections.abc import Sequence

_ROW = 32  # digits in a line: 16 bytes


def agrees(digits: str, exact: bool, frame: bytes) -> bool:
    """Whether a frame is as expected: digits with `*` for any, a prefix unless `exact`."""
    got = frame.hex().upper()
    if len(got) < len(digits) or (exact and len(got) > len(digits)):
        return False
    return not _differences(digits, got)


def _differences(digits: str, got: str) -> list[int]:
    return [i for i, (want, have) in enumerate(zip(digits, got, strict=False)) if want not in ("*", have)]


def show(digits: str, exact: bool, frame: bytes, fields: Sequence[tuple[int, int, str]] = ()) -> list[str]:
    """Lines that show where a frame differs. `fields`: (first bit, width, name) of what the frame is made of."""
    got = frame.hex().upper()
    bad = set(_differences(digits, got))
    overlong = len(got) > len(digits) and exact
    if overlong:
        bad |= set(range(len(digits), len(got)))
    if len(got) < len(digits):
        bad |= set(range(len(got), len(digits)))
    lines: list[str] = []
    end = len(got) if overlong else len(digits)
    for start in range(0, end, _ROW):
        lines += _row(digits, got, bad, start)
    wanted = f"{'' if exact else 'at least '}{len(digits) / 2:g} bytes"
    if len(got) != len(digits) and (exact or len(got) < len(digits)):
        lines.append(f"    length: {wanted} expected, {len(frame)} got")
    names = [name for first, width, name in fields if any(first < d * 4 + 4 and d * 4 < first + width for d in bad)]
    if names:
        lines.append(f"    in: {', '.join(dict.fromkeys(names))}")
    return lines


def _row(digits: str, got: str, bad: set[int], start: int) -> list[str]:
    """One line of 16 bytes; only an offset for one that is as expected."""
    places = range(start, start + _ROW)
    if not bad & set(places):
        return [f"    {start // 2:#06x}  as expected"]
    marks = "".join("^" if i in bad else " " for i in places)
    return [
        f"    {start // 2:#06x}  expected  {_spaced(digits[start : start + _ROW])}".rstrip(),
        f"            got       {_spaced(got[start : start + _ROW])}".rstrip(),
        f"                      {_spaced(marks)}".rstrip(),
    ]


def _spaced(text: str) -> str:
    return " ".join(text[i : i + 2] for i in range(0, len(text), 2))


def hex_lines(frame: bytes) -> list[str]:
    """A frame in lines of 16 bytes with their offsets."""
    text = frame.hex().upper()
    return [f"    {i // 2:#06x}  {_spaced(text[i : i + _ROW])}" for i in range(0, len(text), _ROW)]
