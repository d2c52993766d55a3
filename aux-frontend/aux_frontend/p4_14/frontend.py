"""The P4-14 frontend: recognises its language, checks programs, and loads them as HLIR for the v1model architecture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from aux_frontend.preprocess import preprocess
from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source
from transpiler.recursion import deep_recursion

if TYPE_CHECKING:
    from aux_frontend.p4_14.elaborate import Unsupported
    from transpiler.hlir.program import Program

_COMMENT = re.compile(r'/\*.*?(?:\*/|\Z)|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# what only the one language has, and how much it says; no pattern reads on over the beginning of its next occurrence,
# so that the time grows with the length of the text only
_SIGNS_14 = tuple(
    (re.compile(pattern), weight)
    for pattern, weight in (
        (r"\bheader_type\s+\w+\s*\{", 4),
        (r"\bmetadata\s+\w+\s+\w+\s*[;{]", 2),
        (r"\bheader\s+\w+\s+\w+\s*(\[[^\[\]]*\]\s*)?;", 3),
        (r"\bfields\s*\{", 2),
        (r"\breads\s*\{", 3),
        (r"\bactions\s*\{\s*\w+\s*;", 1),
        (r"\bparser\s+\w+\s*\{", 4),
        (r"\bcontrol\s+\w+\s*\{", 4),
        (r"\bapply\s*\(\s*\w+\s*\)\s*[;{]", 2),
        (r"\baction\s+\w+\s*\((\s*\w+\s*(,\s*\w+\s*)*)?\)\s*\{[^{}]*\bmodify_field\s*\(", 3),
        (r"\bfield_list(_calculation)?\s+\w+\s*\{", 3),
        (r"\bcalculated_field\s+[\w.\[\]]+\s*\{", 3),
        (r"\b(primitive_action|blackbox_type|parser_value_set)\s+\w+", 3),
    )
)
_SIGNS_16 = tuple(
    (re.compile(pattern), weight)
    for pattern, weight in (
        (r"#\s*include\s*<(core|v1model|psa|pna|ebpf_model|ubpf_model|xdp_model)\.p4>", 8),
        (r"\b(bit|int|varbit)\s*<[^;{}<>]*>\s*\w+", 4),
        (r"\b(parser|control|package)\s+\w+\s*(<[^<>]*>)?\s*\(", 4),
        (r"\bheader\s+\w+\s*(<[^<>]*>)?\s*\{", 3),
        (r"\bstruct\s+\w+\s*(<[^<>]*>)?\s*\{", 3),
        (r"\btransition\s+\w+", 3),
        (r"\.\s*apply\s*\(", 2),
        (r"\b(typedef|enum|header_union|match_kind|const)\s+\w+", 2),
        (r"\bkey\s*=\s*\{", 3),
        (r"\bmain\s*;", 2),
    )
)


def _in_source_order(diagnostics: Diagnostics) -> None:
    """Elaboration goes by kind of declaration; people read from top to bottom. Files stay in the order of their first message."""
    files = list(dict.fromkeys(message.span.file for message in diagnostics.messages))
    diagnostics.messages.sort(key=lambda m: (files.index(m.span.file), m.span.line, m.span.column))


class P4_14:
    """P4-14, specification 1.0.5."""

    name = "p4-14"

    def recognises(self, path: Path, text: str) -> float:
        """By what the text declares; the suffix .p4_14 or .p414 alone decides when it declares nothing."""
        plain = _COMMENT.sub(lambda match: match[0] if match[0].startswith('"') else " ", text)
        ours = sum(weight for pattern, weight in _SIGNS_14 if pattern.search(plain))
        theirs = sum(weight for pattern, weight in _SIGNS_16 if pattern.search(plain))
        if ours + theirs == 0:
            return 1.0 if path.suffix in (".p4_14", ".p414") else 0.1
        return min(ours / (ours + theirs), 0.99)

    def check(self, source: Source, diagnostics: Diagnostics) -> None:
        """Syntax, names, widths and uses. Raises: Rejected."""
        self._read(source, diagnostics)

    def load(self, source: Source, diagnostics: Diagnostics) -> Program:
        """Check and elaborate. Raises: Rejected, also for what only other targets can run."""
        program, unsupported = self._read(source, diagnostics)
        for span, message in unsupported:
            diagnostics.error(span, message)
        diagnostics.raise_if_errors()
        return program

    def _read(self, source: Source, diagnostics: Diagnostics) -> tuple[Program, Unsupported]:
        # here, as recognising the language needs none of it
        from aux_frontend.p4_14.elaborate import elaborate
        from aux_frontend.p4_14.parser import parse
        from aux_frontend.v1model.requests import check_requests

        lines = preprocess(source, diagnostics)
        try:
            with deep_recursion():
                declarations = parse(lines, diagnostics)
                diagnostics.raise_if_errors()
                result = elaborate(declarations, source.path.stem, str(source.path), diagnostics)
                check_requests(result[0], diagnostics)
        finally:
            _in_source_order(diagnostics)
        diagnostics.raise_if_errors()
        return result
