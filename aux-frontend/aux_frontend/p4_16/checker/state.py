"""What every part of the checker shares: the sink, the side tables, the scope and the place it is in."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checked import Checked
from aux_frontend.p4_16.checker.scope import Scope
from aux_frontend.p4_16.types import Ty, Unknown
from transpiler.diagnostics import Diagnostics, Span

UNKNOWN = Unknown()
MAX_ERRORS = 100  # the checker gives up after so many; far fewer are shown


class Place(enum.Enum):
    """Where in the program a piece of code stands; the value is how a message calls it."""

    TOP = "the top level"
    PARSER = "a parser's declarations"
    STATE = "a parser state"
    CONTROL = "a control's declarations"
    APPLY = "a control's apply block"
    ACTION = "an action"
    FUNCTION = "a function"
    TABLE = "a table"
    KEY = "a table's key"


_CODE = (Place.STATE, Place.APPLY, Place.ACTION, Place.FUNCTION)


@dataclass(frozen=True, slots=True)
class Symbol:
    """The compile-time value of an enum member without representation, an error or a match kind."""

    owner: str
    name: str


@dataclass(frozen=True, slots=True)
class Record:
    """The compile-time value of a struct, header, tuple or list: items in the order of the type's fields."""

    items: tuple[Value, ...]
    names: tuple[str, ...] | None = None


Value = int | bool | str | Symbol | Record
Rule = Callable[["State", Any], None]  # checks a statement or a declaration
TypeRule = Callable[["State", Any, Ty | None], Ty]  # gives an expression's type; see walk.infer


@dataclass(frozen=True, slots=True)
class Context:
    """The code around: `owner` is the parser, control, action, function or table; `result` what a return must give."""

    place: Place
    owner: ast.Declaration | None = None
    result: Ty | None = None
    loops: int = 0


@dataclass(frozen=True, slots=True)
class Rules:
    """What checks the nodes of each kind: see `walk`."""

    expressions: Mapping[type, TypeRule]
    statements: Mapping[type, Rule]
    declarations: Mapping[type, Rule]


@dataclass(eq=False)
class State:
    """The checker's working memory.

    value_types: every declared value (variable, parameter, constant, instance, …) → its type.
    named_types: every type declaration → the type it makes, in terms of its own type variables.
    block: the parser or control around, None outside. switch_subject: the subject of the innermost switch.
    values: every constant → its compile-time value. expression_values: the same for expressions, after implicit casts.
    static: expressions known at compile time, also those whose value only an instantiation gives.
    """

    diagnostics: Diagnostics
    checked: Checked
    rules: Rules
    scope: Scope = field(default_factory=lambda: Scope(None))
    context: Context = field(default_factory=lambda: Context(Place.TOP))
    value_types: dict[ast.Declaration, Ty] = field(default_factory=dict)
    named_types: dict[ast.Declaration, Ty] = field(default_factory=dict)
    values: dict[ast.Declaration, Value] = field(default_factory=dict)
    expression_values: dict[ast.Expression, Value] = field(default_factory=dict)
    static: set[ast.Expression] = field(default_factory=set)
    constructor_parameters: set[ast.Declaration] = field(default_factory=set)
    open_declarations: set[ast.Declaration] = field(default_factory=set)
    error_declarations: dict[str, Span] = field(default_factory=dict)
    match_kind_declarations: dict[str, ast.MatchKindDeclaration] = field(default_factory=dict)
    block: ast.Declaration | None = None
    errors: int = 0
    switch_subject: ast.Expression | None = None
    used: set[ast.Declaration] = field(default_factory=set)
    last_span: Span = field(default_factory=lambda: Span("", 1, 1))

    def error(self, at: ast.Node | Span, message: str, *notes: tuple[ast.Node, str]) -> Unknown:
        """Report an error; gives Unknown, so that a type rule can end with it. Raises: Rejected, after MAX_ERRORS."""
        self.errors += 1
        span = at if isinstance(at, Span) else at.span
        self.diagnostics.error(span, message, *((node.span, text) for node, text in notes))
        if self.errors >= MAX_ERRORS:
            self.diagnostics.raise_if_errors()
        return UNKNOWN

    def warn(self, at: ast.Node, code: str, message: str, *notes: tuple[ast.Node, str]) -> None:
        """Report a warning, unless the declaration that it is about or stands in has @noWarn("code")."""
        if any(_silenced(d, code) for d in (at, self.context.owner, self.block)):
            return
        self.diagnostics.warning(at.span, code, message, *((node.span, text) for node, text in notes))

    def set_value(self, expression: ast.Expression, value: Value) -> None:
        """Keep the compile-time value of an expression; scalars also go to the result."""
        self.static.add(expression)
        self.expression_values[expression] = value
        if isinstance(value, int | str):
            self.checked.constants[expression] = value
        else:
            self.checked.constants.pop(expression, None)

    def forget_value(self, expression: ast.Expression) -> None:
        self.expression_values.pop(expression, None)
        self.checked.constants.pop(expression, None)

    def value(self, expression: ast.Expression) -> Value | None:
        return self.expression_values.get(expression)

    def int_value(self, expression: ast.Expression) -> int | None:
        value = self.expression_values.get(expression)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def declared_later(self, name: str) -> ast.Declaration | None:
        """A declaration of a name that comes only after the present place."""
        inner = getattr(self.block, "locals", ())
        return next((d for d in (*inner, *self.checked.program.declarations) if d.name == name), None)

    def undeclared(self, at: ast.Node, name: str, what: str, near: str) -> Unknown:
        """Report a name that is not declared, or not yet."""
        later = self.declared_later(name)
        if later is not None and later not in self.open_declarations:
            return self.error(at, f"{what} is declared only later", (later, "declared here"))
        return self.error(at, f"{what} is not declared{near}")

    @contextmanager
    def nested(self, context: Context | None = None) -> Iterator[Scope]:
        """A scope inside the present one, perhaps at another place."""
        outer_scope, outer_context = self.scope, self.context
        self.scope = Scope(outer_scope)
        self.context = context or outer_context
        try:
            yield self.scope
        finally:
            self.scope, self.context = outer_scope, outer_context

    @contextmanager
    def placed(self, place: Place) -> Iterator[None]:
        outer = self.context
        self.context = replace(outer, place=place)
        try:
            yield
        finally:
            self.context = outer

    def declare(self, declaration: ast.Declaration) -> None:
        """Make a name visible. Two declarations of a name in one scope are an error, unless they are overloads."""
        present = self.scope.own(declaration.name)
        if present and not all(overloads(old, declaration) for old in present):
            self.error(declaration, f"'{declaration.name}' is declared twice", (present[0], "first declared here"))
        elif not present:
            self._warn_shadowed(declaration)
        self.scope.add(declaration)

    def _warn_shadowed(self, declaration: ast.Declaration) -> None:
        scope = self.scope.parent
        if not isinstance(declaration, ast.VariableDeclaration | ast.ConstDeclaration | ast.Instantiation):
            return
        while scope is not None and scope.parent is not None:  # names of the top level may be hidden
            hidden = scope.own(declaration.name)
            if hidden and isinstance(hidden[0], ast.Parameter) and self.context.place in _CODE:
                self.error(declaration, f"'{declaration.name}' hides a parameter", (hidden[0], "the parameter"))
                return
            if hidden:
                message = f"'{declaration.name}' hides another declaration of that name"
                self.warn(declaration, "shadow", message, (hidden[0], "the hidden one"))
                return
            scope = scope.parent


def _silenced(at: ast.Node | None, code: str) -> bool:
    annotations = at.annotations if isinstance(at, ast.Declaration) else ()
    return any(a.name == "noWarn" and a.body.strip() == f'"{code}"' for a in annotations)


def overloads(old: ast.Declaration, new: ast.Declaration) -> bool:
    """Whether two declarations of one name can be told apart by the number or the names of their parameters."""
    if type(old) is not type(new):
        return False
    before, after = _overloading_parameters(old), _overloading_parameters(new)
    return before is not None and after is not None and [p.name for p in before] != [p.name for p in after]


def _overloading_parameters(d: ast.Declaration) -> tuple[ast.Parameter, ...] | None:
    """The parameters that tell a declaration from another of its name; None when it cannot be overloaded."""
    match d:
        case ast.FunctionDeclaration() | ast.FunctionPrototype() | ast.MethodPrototype() | ast.PackageDeclaration():
            return d.parameters
        case ast.ControlDeclaration() | ast.ParserDeclaration():
            return d.constructor_parameters
        case _:
            return None
