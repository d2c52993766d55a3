"""Which other kernels a program's tables may have, as `--kernel` has them: TABLE=KERNEL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from macsad.compilation import Request, configuration_of
from transpiler.codegen.kernels import Chooser
from transpiler.diagnostics import Diagnostics
from transpiler.schedule.planned import Planned

MOST = 4  # that are tried: those of the tables of which lookups read most
REFERENCES = frozenset({"linear", "lpm_trie_plain"})  # which others are compared with, and never faster


def other_kernels(request: Request, planned: Planned, described: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The kernels that may be worth a measurement, of the tables that are filled, as the switch describes them."""
    filled = {str(table["name"]): int(table["reader_bytes"]) for table in described if int(table.get("entries", 0))}
    chooser = Chooser(planned.program, configuration_of(request).use.of(request.target), Diagnostics(), {})
    asked = {kernel.partition("=")[0] for kernel in request.kernels}
    found = [
        f"{name}={kernel}"
        for name in sorted(filled, key=lambda name: -filled[name])
        if name in planned.kernels and name in planned.program.table and not _is_asked(name, asked)
        for kernel in chooser.takers(planned.program.table[name])
        if kernel not in REFERENCES and kernel != planned.kernels[name].name
    ]
    return tuple(found[:MOST])


def _is_asked(name: str, asked: set[str]) -> bool:
    return any(name == one or name.endswith(f".{one}") for one in asked)
