"""What names can denote at compile time only: instances of externs, controls, parsers and packages; tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aux_frontend.p4_16 import ast, types as ty

if TYPE_CHECKING:
    from aux_frontend.p4_16.elaborate.scope import Binding, Scope
    from transpiler.hlir.expressions import Expression, VariableRef


@dataclass(eq=False, slots=True)
class ExternObject:
    """An instance of an extern. `instance` names the HLIR ExternInstance, if it has one; `arguments` its constructor's.

    `state`: the variable in which it keeps what it knows, when that is of one packet only.
    """

    declaration: ast.ExternDeclaration
    type_arguments: tuple[ty.Ty, ...]
    name: str
    arguments: dict[str, Binding] = field(default_factory=dict)
    instance: str | None = None
    state: VariableRef | None = None


@dataclass(eq=False, slots=True)
class TableObject:
    """A table in one control instance. `hoisted`: key expressions evaluated before apply, into these variables.

    `exit_flags`: set by actions of it that may execute `exit`.
    """

    declaration: ast.TableDeclaration
    name: str
    scope: Scope
    hoisted: tuple[tuple[int, VariableRef], ...] = ()
    keys: tuple[Expression, ...] = ()
    exit_flags: tuple[str, ...] = ()
    action_ordinals: dict[ast.Declaration, int] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class ControlObject:
    """An instance of a control. `scope` holds parameters and locals once they have storage.

    `shared`: applied from several places, so that parameters need storage of their own, except those that are `fixed`:
    the same name is passed for them at every place.
    """

    declaration: ast.ControlDeclaration
    substitution: dict[ast.TypeParameter, ty.Ty]
    name: str
    constructor_scope: Scope
    shared: bool = False
    fixed: frozenset[ast.Parameter] = frozenset()
    scope: Scope | None = None


@dataclass(eq=False, slots=True)
class ParserObject:
    """An instance of a parser; it is inlined anew wherever it is applied."""

    declaration: ast.ParserDeclaration
    substitution: dict[ast.TypeParameter, ty.Ty]
    name: str
    constructor_scope: Scope
    scope: Scope | None = None


@dataclass(eq=False, slots=True)
class PackageObject:
    """An instance of a package, with its constructor arguments by parameter name."""

    declaration: ast.PackageDeclaration
    name: str
    arguments: dict[str, Binding]


@dataclass(eq=False, slots=True)
class ValueSetObject:
    name: str
    types: tuple[ty.Ty, ...]


Object = ExternObject | TableObject | ControlObject | ParserObject | PackageObject | ValueSetObject
OBJECTS = (ExternObject, TableObject, ControlObject, ParserObject, PackageObject, ValueSetObject)
