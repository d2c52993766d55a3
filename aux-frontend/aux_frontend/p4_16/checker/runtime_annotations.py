"""Annotations that P4Runtime reads: their form is fixed (P4Runtime specification 1.4, sections 6.3, 6.4 and 6.5.1).

@p4runtime_translation("uri", T) tells what a `type` is to controllers: T is bit<W>, string, or W alone.
@pkginfo holds names with values.
"""

from __future__ import annotations

import re

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checker.state import State

_TRANSLATION = re.compile(r'\s*"(?:[^"\\]|\\.)*"\s*,\s*(?:bit\s*<\s*\d+\s*>|string|\d+)\s*', re.DOTALL)


def check(st: State, program: ast.Program) -> None:
    for d in program.declarations:
        for annotation in d.annotations:
            if annotation.name == "pkginfo":
                _package_info(st, annotation)
            elif annotation.name == "p4runtime_translation" and not _TRANSLATION.fullmatch(annotation.body):
                st.error(annotation, '@p4runtime_translation is written ("uri", bit<W>) or ("uri", string)')


def _package_info(st: State, annotation: ast.Annotation) -> None:
    items = annotation.structured
    if not annotation.body.strip() or not all(isinstance(item, ast.KeyValue) for item in items or ()):
        st.error(annotation, '@pkginfo holds names with values: @pkginfo[name="…", version="…"]')
