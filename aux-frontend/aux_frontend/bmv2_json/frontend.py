"""The frontend for BMv2's JSON: what p4c's BMv2 backend writes, of version 2 of the format and those before it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from transpiler.diagnostics import Diagnostics, Rejected, read_lines
from transpiler.frontend import Source
from transpiler.recursion import deep_recursion

if TYPE_CHECKING:
    from transpiler.hlir.program import Program

_OURS = re.compile(r'"(?:header_types|pipelines|parse_states)"\s*:')


class Bmv2Json:
    """docs/JSON_format.md of behavioral-model."""

    name = "bmv2-json"

    def recognises(self, path: Path, text: str) -> float:
        """An object, with one of the members that all such files have."""
        if not text.lstrip("\ufeff \t\r\n").startswith("{"):
            return 0.0
        return 1.0 if _OURS.search(text) else 0.6 if path.suffix == ".json" else 0.0

    def check(self, source: Source, diagnostics: Diagnostics) -> None:
        """All that `load` asks for. Raises: Rejected."""
        self.load(source, diagnostics)

    def load(self, source: Source, diagnostics: Diagnostics) -> Program:
        """Raises: Rejected."""
        # here, as recognising the language needs none of it
        from aux_frontend.bmv2_json.program import program
        from aux_frontend.bmv2_json.text import Invalid, read

        lines = read_lines(str(source.path))
        diagnostics.sources.texts[str(source.path)] = lines
        try:
            with deep_recursion():
                return program(read(str(source.path), "\n".join(lines), diagnostics), source.path.stem, diagnostics)
        except Invalid:
            raise Rejected(diagnostics) from None
