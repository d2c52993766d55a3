"""Control-plane names: of all tables, of all actions, of all other objects no two may have the same (P4-16 spec 18.3.3).

A name is the path of blocks down to the declaration, `@name("x")` replaces its last part, `@name(".x")` all of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.architectures.uses import Uses
from aux_frontend.p4_16.checker.state import State
from aux_frontend.p4_16.lexer import strings

_OBJECT = "object"


@dataclass(slots=True)
class _Names:
    """Names of the program so far, by kind of object."""

    st: State
    seen: dict[tuple[str, str], ast.Declaration] = field(default_factory=dict)

    def add(self, kind: str, name: str, d: ast.Declaration) -> None:
        first = self.seen.setdefault((kind, name), d)
        if first is not d:
            shown = name.rpartition("\0")[2]
            self.st.error(
                _named_at(d), f"another {kind} has the control-plane name '{shown}'", (_named_at(first), "that one")
            )


def check(st: State, uses: Uses) -> None:
    """Look at the blocks that `main` uses. Instances of a block inside another count by the block, not one by one."""
    names = _Names(st)
    roots = uses.roots(st)
    for d in st.checked.program.declarations:
        if isinstance(d, ast.ActionDeclaration) and d in uses.tables_of:
            names.add("action", _full("", d), d)
    for block in uses.blocks:
        prefix = block.name if block in roots else f"\0{block.name}\0"
        for kind, d in _named(st, uses, block):
            names.add(kind, _full(prefix, d), d)
    _several_instances(st, uses)


def _named(
    st: State, uses: Uses, block: ast.ControlDeclaration | ast.ParserDeclaration
) -> Iterator[tuple[str, ast.Declaration]]:
    used = set(uses.tables)
    for d in block.locals:
        match d:
            case ast.ActionDeclaration() if d in uses.tables_of:
                yield "action", d
            case ast.TableDeclaration() if d in used:
                yield "table", d
            case ast.ValueSetDeclaration():
                yield "value set", d
            case ast.Instantiation() if d in st.used and isinstance(_target(st, d), ast.ExternDeclaration):
                yield _OBJECT, d


def _several_instances(st: State, uses: Uses) -> None:
    """A table with an absolute name, in a block of which there are several."""
    count = Counter(uses.instances.values())
    for block in uses.blocks:
        for kind, d in _named(st, uses, block):
            if kind != "action" and count[block] > 1 and _absolute(d):
                message = f"{kind} '{d.name}' has one absolute name, but '{block.name}' has {count[block]} instances"
                st.error(_named_at(d), message, (block, "the block"))


def _target(st: State, d: ast.Instantiation) -> ast.Declaration | str | None:
    call = st.checked.calls.get(d)
    return call.target if call is not None else None


def _annotation(d: ast.Declaration) -> ast.Annotation | None:
    return next((a for a in d.annotations if a.name == "name"), None)


def _named_at(d: ast.Declaration) -> ast.Node:
    return _annotation(d) or d


def _text(d: ast.Declaration) -> str:
    annotation = _annotation(d)
    if annotation is None:
        return d.name
    return strings(annotation.body) or d.name


def _absolute(d: ast.Declaration) -> bool:
    return _text(d).startswith(".")


def _full(prefix: str, d: ast.Declaration) -> str:
    text = _text(d)
    if text.startswith("."):
        return text[1:]
    return f"{prefix}.{text}" if prefix else text
