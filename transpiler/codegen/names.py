"""C identifiers for P4 names: the same words, joined by underscores, never twice the same."""

from __future__ import annotations

import re

_TAKEN = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false
    main packet packets worker live lives lookup lookups
    entry data hit at key cursor error sets index count list before selected word found tallies kept
    registers
    alignas alignof asm assert errno noreturn offsetof static_assert stderr stdin stdout thread_local typeof
"""
_KEYWORDS = frozenset(_TAKEN.split())
# how names begin of C's headers, of ours, and of generated code
_OTHERS = ("uint", "int", "PRI", "SCN", "macs_", "MACS_", "odp_", "ODP_", "TABLE_", "CLOCK_")


class Names:
    """One C name space. The same P4 name always gives the same identifier."""

    def __init__(self) -> None:
        self._by_name: dict[str, str] = {}
        self._taken: set[str] = set(_KEYWORDS)

    def __call__(self, name: str) -> str:
        if name not in self._by_name:
            self._by_name[name] = self._fresh(name)
        return self._by_name[name]

    def _fresh(self, name: str) -> str:
        words = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "unnamed"
        # macros of C's headers are in capitals: NULL, EOF, INT_MAX
        if words[0].isdigit() or words.isupper() or words.startswith(_OTHERS):
            words = f"p4_{words}"
        candidate, number = words, 2
        while candidate in self._taken:
            candidate, number = f"{words}_{number}", number + 1
        self._taken.add(candidate)
        return candidate
