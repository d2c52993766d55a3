"""Names in scope: P4-16 spec 6.9. A name is visible from its declaration on; inner scopes hide outer ones.

Types and values share one name space, but a use as a type looks past values of that name, and the other way round.
Functions of one name may differ in their parameters (spec 6.9.2), so a scope keeps a list per name.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field

from aux_frontend.p4_16 import ast

TYPE_DECLARATIONS = (
    ast.HeaderDeclaration, ast.HeaderUnionDeclaration, ast.StructDeclaration, ast.EnumDeclaration,
    ast.TypedefDeclaration, ast.ExternDeclaration, ast.ParserTypeDeclaration, ast.ControlTypeDeclaration,
    ast.PackageDeclaration, ast.ParserDeclaration, ast.ControlDeclaration, ast.TypeParameter,
)  # fmt: skip
OVERLOADABLE = (ast.FunctionDeclaration, ast.FunctionPrototype, ast.MethodPrototype, ast.ActionDeclaration)


@dataclass(eq=False, slots=True)
class Scope:
    """One lexical scope; `names` keeps the declarations in their order."""

    parent: Scope | None
    names: dict[str, list[ast.Declaration]] = field(default_factory=dict)

    def own(self, name: str) -> list[ast.Declaration]:
        return self.names.get(name, [])

    def add(self, declaration: ast.Declaration) -> None:
        self.names.setdefault(declaration.name, []).append(declaration)

    def root(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def find(self, name: str, *, types: bool | None = None) -> list[ast.Declaration]:
        """The nearest declarations of a name; `types` asks for types (True) or values (False) alone.

        Overloaded functions of the same scope come together."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found:
                wanted = [d for d in found if types is None or isinstance(d, TYPE_DECLARATIONS) is types]
                if wanted:
                    return wanted
            scope = scope.parent
        return []

    def visible(self, *, types: bool | None = None) -> list[str]:
        """All names that a use here could mean, for suggestions."""
        result: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            for name, found in scope.names.items():
                if types is None or any(isinstance(d, TYPE_DECLARATIONS) is types for d in found):
                    result.append(name)
            scope = scope.parent
        return result


_MANY = 100


def suggestion(name: str, candidates: list[str]) -> str:
    """ "; did you mean 'x'?" when a candidate is near, else nothing."""
    others = [c for c in candidates if c != name]
    in_other_letters = [c for c in others if c.lower() == name.lower()][:1]
    if len(others) > _MANY:  # difflib is slow: let it see only the likely ones
        others = sorted((c for c in others if _alike(name, c) * 5 >= len(name) * 3), key=lambda c: -_alike(name, c))[
            :_MANY
        ]
    near = difflib.get_close_matches(name, others, n=1, cutoff=0.7) or in_other_letters
    return f"; did you mean '{near[0]}'?" if near else ""


def _alike(left: str, right: str) -> int:
    """How many characters two names share at their beginning and at their end; 0 when their lengths are far apart."""
    shorter = min(len(left), len(right))
    if abs(len(left) - len(right)) > 1 + shorter // 4:
        return 0
    head = 0
    while head < shorter and left[head] == right[head]:
        head += 1
    tail = 0
    while tail < shorter - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    return head + tail
