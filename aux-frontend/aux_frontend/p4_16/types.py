"""P4-16 types, resolved: what the checker gives to expressions. P4-16 spec 1.2.5 section 7.

Structural equality for structural types; nominal ones are equal when they come from the same declaration with the same
arguments. Type variables are TypeVariable until a substitution replaces them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

from aux_frontend.p4_16 import ast

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True)
def _type(cls: type[_T]) -> type[_T]:
    return dataclass(frozen=True, slots=True)(cls)


@_type
class Bit:
    width: int
    signed: bool = False


@_type
class Integer:
    """int: compile-time, arbitrary precision."""


@_type
class Varbit:
    width: int


@_type
class Bool:
    pass


@_type
class String:
    pass


@_type
class Error:
    pass


@_type
class MatchKind:
    pass


@_type
class Void:
    pass


@_type
class DontCare:
    """`_` as a type argument, and the type of an omitted out argument."""


@_type
class TypeVariable:
    declaration: ast.TypeParameter


@_type
class Header:
    declaration: ast.HeaderDeclaration
    arguments: tuple[Ty, ...]
    fields: tuple[tuple[str, Ty], ...]


@_type
class HeaderUnion:
    declaration: ast.HeaderUnionDeclaration
    arguments: tuple[Ty, ...]
    fields: tuple[tuple[str, Ty], ...]


@_type
class Struct:
    """`declaration` None: the type of a structure-valued expression that is not yet known to be a struct or header."""

    declaration: ast.StructDeclaration | None
    arguments: tuple[Ty, ...]
    fields: tuple[tuple[str, Ty], ...]


@_type
class Stack:
    element: Ty  # Header, HeaderUnion or a TypeVariable
    size: int


@_type
class Tuple:
    """tuple<…>; also the type of a list expression not yet given another."""

    elements: tuple[Ty, ...]


@_type
class List:
    """list<T>"""

    element: Ty


@_type
class Set:
    """The type of key-set expressions: set<T>."""

    element: Ty


@_type
class Enum:
    """`underlying` None: without representation. Members in order, with their values when there is an underlying type."""

    declaration: ast.EnumDeclaration
    underlying: Ty | None
    members: tuple[tuple[str, int | None], ...]


@_type
class NewType:
    """`type T name`: distinct from its representation."""

    declaration: ast.TypedefDeclaration
    underlying: Ty


@_type
class Extern:
    declaration: ast.ExternDeclaration
    arguments: tuple[Ty, ...]


@_type
class ParserType:
    """A parser or its type, applied to type arguments."""

    declaration: ast.ParserDeclaration | ast.ParserTypeDeclaration
    arguments: tuple[Ty, ...]


@_type
class ControlType:
    declaration: ast.ControlDeclaration | ast.ControlTypeDeclaration
    arguments: tuple[Ty, ...]


@_type
class PackageType:
    declaration: ast.PackageDeclaration
    arguments: tuple[Ty, ...]


@_type
class Table:
    declaration: ast.TableDeclaration


@_type
class ApplyResult:
    """The type of t.apply(): has hit, miss, action_run."""

    declaration: ast.TableDeclaration


@_type
class ActionEnum:
    """The type of t.apply().action_run."""

    declaration: ast.TableDeclaration


@_type
class ValueSet:
    element: Ty


@_type
class Callable:
    """The type of a name that can be called: function, action, method, built-in; a call resolves the overload."""

    candidates: tuple[ast.Declaration | str, ...]


@_type
class Unknown:
    """What is left after an error, so that its followers stay silent; never in an accepted program."""


@dataclass(eq=False, slots=True)
class Unsolved:
    """A type argument that the checker is still looking for; never in an accepted program."""

    declaration: ast.TypeParameter
    solution: Ty | None = None


Ty = (
    Bit | Integer | Varbit | Bool | String | Error | MatchKind | Void | DontCare | TypeVariable | Header | HeaderUnion
    | Struct | Stack | Tuple | List | Set | Enum | NewType | Extern | ParserType | ControlType | PackageType | Table
    | ApplyResult | ActionEnum | ValueSet | Callable | Unknown | Unsolved
)  # fmt: skip

Substitution = Mapping[ast.TypeParameter, Ty]
