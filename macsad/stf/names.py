"""Finds what a name in an STF file means in a program, where the file may say less than the full name.

First the full name, then a dotted suffix (`ipv4_lpm` for `MyIngress.ipv4_lpm`), then any suffix; each if it is unique.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from macsad.stf.statements import Name
from transpiler.diagnostics import Diagnostics


def find(name: Name, candidates: Iterable[str], kind: str, diagnostics: Diagnostics) -> str | None:
    """The one candidate that a name means; None, and an error reported, when there is none or more than one."""
    known = list(candidates)
    if name.text in known:
        return name.text
    for suffix in ("." + name.text, name.text):
        found = [c for c in known if c.endswith(suffix)]
        if len(found) == 1:
            return found[0]
        if found:
            diagnostics.error(name.span, f"{kind} '{name.text}' may be {' or '.join(sorted(found))}")
            return None
    close = difflib.get_close_matches(name.text, known, 1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    diagnostics.error(name.span, f"there is no {kind} '{name.text}'{hint}")
    return None


_VALID = (".$valid$", "$valid$", ".isValid()", ".$valid", ".valid")


def _plain(key: str) -> str:
    """A key's name without what only says that a header's validity is meant."""
    for ending in _VALID:
        if key.endswith(ending):
            return key.removesuffix(ending)
    return key.removesuffix("$")


def find_key(name: Name, keys: list[str], table: str, diagnostics: Diagnostics) -> int | None:
    """The position of a table's key, validity in any of its spellings."""
    if name.text in keys:
        return keys.index(name.text)
    plain = _plain(name.text)
    if name.text == "valid":  # of whatever header, if there is only one such key
        validity = [i for i, key in enumerate(keys) if key.endswith(_VALID)]
        if len(validity) == 1:
            return validity[0]
    same = [i for i, key in enumerate(keys) if _plain(key) == plain]
    ending = [i for i, key in enumerate(keys) if _plain(key).endswith("." + plain)]
    for found in (same, ending):
        if len(found) == 1:
            return found[0]
        if found:
            diagnostics.error(name.span, f"key '{name.text}' may be {' or '.join(keys[i] for i in found)}")
            return None
    listed = ", ".join(keys) or "none"
    diagnostics.error(name.span, f"table {table} has no key '{name.text}'; its keys are: {listed}")
    return None
