"""Where names are bound while a piece of P4 is elaborated, and what is being executed.

A `Scope` is lexical: a control, an action or function within it, a block. A `Frame` is dynamic: one call that is
being inlined; `return` and `exit` act on frames.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.checker import typeops
from aux_frontend.p4_16.elaborate import values as va
from aux_frontend.p4_16.elaborate.objects import Object
from aux_frontend.p4_16.elaborate.unit import Unit

Binding = va.Value | va.Location | Object


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
        return Scope(self.unit, self, {}, inner, repeated=self.repeated)

    def resolve(self, type_: ty.Ty) -> ty.Ty:
        """A type of the checker's tables with the type arguments in force here."""
        return typeops.substitute(type_, self.substitution)

    def type_of(self, expression: ast.Expression) -> ty.Ty:
        """The type of an expression before implicit casts."""
        return self.resolve(self.unit.checked.types[expression])

    def type_ref(self, reference: ast.TypeRef) -> ty.Ty:
        """The type that a written type denotes here."""
        return self.resolve(self.unit.checked.type_refs[reference])


@dataclass(eq=False, slots=True)
class Frame:
    """One execution. `label` ends it (made when first left); `pending`: results are still to be copied out when it ends.

    `action`: the body of an action; `isolated`: of a table's action, which cannot leave labels of the control around.
    """

    prefix: str
    base: str  # of the label: "return", "exit", …
    pending: bool = False
    isolated: bool = False
    action: bool = False
    exit_scope: str = ""  # of the outermost frame: the prefix of the variable that notes an exit
    label: str | None = None
    result: va.Location | None = None
    result_type: ty.Ty | None = None
    exits: bool = False  # an exit inside was noted in `exit_flag` and must go on after the copies
    loops: list[Loop] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Loop:
    """A loop: labels of `break` and `continue`, made when first used. One of parser states has `states` instead: where
    the next pass begins, and what comes after the last."""

    break_label: str | None = None
    continue_label: str | None = None
    states: tuple[str, str] | None = None


def leave_target(unit: Unit, frame: Frame) -> str:
    """The label at the end of a frame."""
    if frame.label is None:
        frame.label = unit.label(frame.base)
    return frame.label
