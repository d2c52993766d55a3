"""Where names are bound while a piece of P4 is elaborated, and what they can denote at compile time only: objects.

A `Scope` is lexical: a control, an action or function within it, a block. An object is an instance of an extern, a
control, a parser or a package, a table, or a value set.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.checker import typeops
from aux_frontend.p4_16.elaborate import values as va
from aux_frontend.p4_16.elaborate.frames import Frame
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.hlir.expressions import Expression, VariableRef


@dataclass(eq=False, slots=True)
class Scope:
    """Names of one lexical level. `substitution` gives the type arguments of the generics around it."""

    unit: Unit
    parent: Scope | None = None
    bindings: dict[ast.Node, Binding] = field(default_factory=dict)
    substitution: dict[ast.TypeParameter, ty.Ty] = field(default_factory=dict)
    actions: frozenset[ast.Node] = frozenset()  # actions declared here
    repeated: bool = False  # a control body that is inlined more than once
    prefix: str = ""  # the name of the control whose locals these are
    known: dict[ast.Expression, va.Value | va.Location] = field(default_factory=dict)  # arguments evaluated already

    def lookup(self, declaration: ast.Node) -> Binding | None:
        """What a declaration is bound to here, innermost first."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.bindings.get(declaration)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def child(self, substitution: dict[ast.TypeParameter, ty.Ty] | None = None) -> Scope:
        """A scope within this one; `substitution` adds type arguments."""
        inner = {**self.substitution, **substitution} if substitution else self.substitution
        return Scope(self.unit, self, {}, inner)

    def resolve(self, type_: ty.Ty) -> ty.Ty:
        """A type of the checker's tables with the type arguments in force here."""
        return typeops.substitute(type_, self.substitution)

    def type_of(self, expression: ast.Expression) -> ty.Ty:
        """The type of an expression before implicit casts."""
        return self.resolve(self.unit.checked.types[expression])

    def type_ref(self, reference: ast.TypeRef) -> ty.Ty:
        """The type that a written type denotes here."""
        return self.resolve(self.unit.checked.type_refs[reference])


def leave_target(unit: Unit, frame: Frame) -> str:
    """The label at the end of a frame."""
    if frame.label is None:
        frame.label = unit.label(frame.base)
    return frame.label


# --- objects ---------------------------------------------------------------------------------------------------------


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

Binding = va.Value | va.Location | Object
