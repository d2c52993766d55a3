"""Annotations: P4-16 spec 20. Structured ones hold compile-time constants; unknown names pass."""

from __future__ import annotations

from collections.abc import Sequence

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import walk
from aux_frontend.p4_16.checker.scope import suggestion
from aux_frontend.p4_16.checker.state import State
from aux_frontend.p4_16.checker.typeops import show
from aux_frontend.p4_16.lexer import strings

_STRINGS = ("name", "deprecated", "noWarn")


def check(st: State, annotations: Sequence[ast.Annotation]) -> None:
    structured: dict[str, ast.Annotation] = {}
    plain = {a.name: a for a in annotations if a.structured is None}
    for annotation in annotations:
        if annotation.structured is None:
            _string(st, annotation)
            continue
        if annotation.name in plain:
            notes = ((plain[annotation.name], "the other one"),)
            st.error(annotation, f"annotation '@{annotation.name}' is both structured and not", *notes)
        if annotation.name in structured:
            st.error(
                annotation,
                f"annotation '@{annotation.name}' is given twice",
                (structured[annotation.name], "the first one"),
            )
        structured[annotation.name] = annotation
        _structured(st, annotation.structured)


def _string(st: State, annotation: ast.Annotation) -> None:
    """@name, @deprecated and @noWarn hold a string, written in parts perhaps."""
    if annotation.name not in _STRINGS:
        return
    text = strings(annotation.body)
    if text is None:
        st.error(annotation, f"annotation '@{annotation.name}' holds a string: @{annotation.name}(\"…\")")
    elif annotation.name == "name" and text == ".":
        st.error(annotation, "annotation '@name' holds no name")


def check_match(st: State, annotations: Sequence[ast.Annotation]) -> None:
    """@match(kind) on a field tells how a value set matches it (spec 13.6.1)."""
    for item in annotations:
        if item.name == "match" and item.structured is None and item.body.strip() not in st.match_kind_declarations:
            near = suggestion(item.body.strip(), list(st.match_kind_declarations))
            st.error(item, f"'{item.body.strip()}' is not a match kind{near}")


def _structured(st: State, items: Sequence[ast.Expression | ast.KeyValue]) -> None:
    names: set[str] = set()
    for item in items:
        if isinstance(item, ast.KeyValue):
            if item.name in names:
                st.error(item, f"'{item.name}' is given twice")
            names.add(item.name)
        _constant(st, item.value if isinstance(item, ast.KeyValue) else item)


def _constant(st: State, e: ast.Expression) -> None:
    ty = walk.infer(st, e)
    if isinstance(ty, t.Unknown):
        return
    if not isinstance(ty, t.Integer | t.Bit | t.Bool | t.String):
        st.error(e, f"an annotation holds numbers, booleans and strings, not {show(ty)}")
    elif e not in st.static:
        st.error(e, "an annotation holds compile-time constants only")
