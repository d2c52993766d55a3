"""What the checker found out about a syntax tree: the side tables that elaboration reads. Keys are nodes, by identity."""

from __future__ import annotations

from dataclasses import dataclass, field

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.types import Substitution, Ty


@dataclass(frozen=True, slots=True)
class ResolvedCall:
    """Which declaration a Call (or an Instantiation) means, and with what.

    `target`: a function, action, extern function or method, a parser/control/extern/package to construct, or the name of
    a built-in method: "table.apply", "control.apply", "parser.apply", "header.isValid", "header.setValid",
    "header.setInvalid", "header.minSizeInBits" (… "maxSizeInBytes"), "stack.push_front", "stack.pop_front".
    `arguments`: one per parameter of the target, in its order; None where the argument is `_` or left out without
    default (defaults are filled in). `substitution`: the type arguments, inferred ones too, in terms of the type variables
    in scope at the call; it includes those of the receiver's type for methods.
    """

    target: ast.Declaration | str
    parameters: tuple[ast.Parameter, ...]
    arguments: tuple[ast.Expression | None, ...]
    substitution: Substitution
    receiver: ast.Expression | None = None  # x of x.method(…); None for functions and for direct application of a type
    order: tuple[int, ...] = ()  # the positions of `arguments` as they are written, where they are named

    def passed(
        self, parameters: tuple[ast.Parameter, ...] | None = None
    ) -> tuple[tuple[ast.Parameter, ast.Expression | None], ...]:
        """Parameters, those of what is called in the end where they are others, with their arguments in the order of
        evaluation: that of the call (P4-16 spec 6.8)."""
        pairs = tuple(zip(parameters or self.parameters, self.arguments, strict=True))
        return tuple(pairs[position] for position in self.order) if self.order else pairs


@dataclass(slots=True)
class Checked:
    """The result of checking a whole program.

    types: every expression → its own type, that before an implicit cast (`int` for a literal without width, a Tuple for a
    list). The denoted type for a TypeExpression and for a Path that names a type.
    casts: expressions whose value is implicitly converted → the type converted to (int literal to bit<8>, list to struct …);
    the items of a list and the fields of a structure that are converted have an entry of their own.
    declarations: every Path, NamedType, and the Name of a state or match kind where useful → what it refers to. The name of a
    for-in loop → a VariableDeclaration that the checker makes for it. A switch label on action_run → the action.
    calls: every Call and every Instantiation.
    constants: every expression of compile-time known value whose value does not depend on constructor parameters or type
    variables → int, bool, str (ints for bit types are non-negative for bit<> and two's-complement *signed* for int<>).
    The value is the one after the implicit cast, when there is one; that of a serializable enum's member is its number.
    type_refs: every TypeRef node → the type it denotes (in terms of type variables in scope).
    errors / match_kinds: the members declared in the whole program, in order.
    """

    program: ast.Program
    types: dict[ast.Expression, Ty] = field(default_factory=dict)
    casts: dict[ast.Expression, Ty] = field(default_factory=dict)
    declarations: dict[ast.Node, ast.Declaration] = field(default_factory=dict)
    calls: dict[ast.Node, ResolvedCall] = field(default_factory=dict)
    constants: dict[ast.Expression, int | bool | str] = field(default_factory=dict)
    type_refs: dict[ast.TypeRef, Ty] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    match_kinds: list[str] = field(default_factory=list)
