"""The P4-16 frontend: preprocess and parse, check, elaborate."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source
from transpiler.recursion import deep_recursion

if TYPE_CHECKING:
    from transpiler.hlir.program import Program

_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# what only one of the two languages has, where it stands at the start of a declaration; no pattern reads on over the
# beginning of its next occurrence, so that the time grows with the length of the text only
_ONLY_HERE = re.compile(
    r"#\s*include\s*[<\"](?:core|v1model|psa|pna|tna|ebpf_model|ubpf_model|xdp_model)\.p4[>\"]"
    r"|^[ \t]*(?:package|struct|typedef|enum|const|error|match_kind|extern|header_union)\b"
    r"|^[ \t]*header\s+\w+\s*(?:<[^<>]*>)?\s*\{|^[ \t]*(?:parser|control)\s+\w+\s*(?:<[^<>]*>)?\s*\("
    r"|\b(?:bit|int|varbit)\s*<|^[ \t]*state\s+start\b",
    re.MULTILINE,
)
_ONLY_P4_14 = re.compile(
    r"^[ \t]*(?:header_type|metadata|field_list|field_list_calculation|calculated_field|action_profile|primitive_action)\b"
    r"|^[ \t]*header\s+\w+\s+\w+\s*(?:\[\s*\d+\s*\]\s*)?;|^[ \t]*(?:parser|control)\s+\w+\s*\{|^[ \t]*(?:reads|fields)\s*\{",
    re.MULTILINE,
)


class P4_16:
    """P4-16, spec 1.2.5. Any architecture can be checked; see `elaborate.program` for those that can be run."""

    name = "p4-16"

    def recognises(self, path: Path, text: str) -> float:
        """By what only P4-16 or only P4-14 has; a file without either is taken for P4-16 when it ends in .p4."""
        bare = _COMMENTS.sub(" ", text)
        own, other = len(_ONLY_HERE.findall(bare)), len(_ONLY_P4_14.findall(bare))
        if own + other == 0:
            return 0.4 if path.suffix == ".p4" else 0.1
        return own / (own + other)

    def check(self, source: Source, diagnostics: Diagnostics) -> None:
        """Everything the specification asks for. Raises: Rejected."""
        from aux_frontend.p4_16.checker import check  # here, as recognising the language needs none of it
        from aux_frontend.p4_16.parser import parse

        check(parse(source, diagnostics), diagnostics)

    def load(self, source: Source, diagnostics: Diagnostics) -> Program:
        """Check and elaborate. Raises: Rejected, also for architectures that can only be checked."""
        from aux_frontend.p4_16.checker import check
        from aux_frontend.p4_16.elaborate.program import elaborate
        from aux_frontend.p4_16.parser import parse

        with deep_recursion():
            checked = check(parse(source, diagnostics), diagnostics)
            return elaborate(checked, str(source.path), diagnostics)
