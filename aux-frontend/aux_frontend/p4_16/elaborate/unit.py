"""The program under construction: declarations made so far, names in use, the body being written, what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.checked import Checked, ResolvedCall
from aux_frontend.p4_16.elaborate.frames import Frame
from aux_frontend.p4_16.elaborate.values import Value
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.interface import CalledAction, Definition
from transpiler.hlir.types import Bits, Enum, HeaderType, Type, Varbit, width_of

MAX_STATEMENTS = 100_000  # of one program after inlining
MAX_STORAGE_LEAVES = 50_000  # scalars and headers of one program
MAX_CALL_DEPTH = 64
MAX_WIDTH = 1 << 16  # bits of one value


class Failure(Exception):
    """Elaboration cannot go on here; the reason has been reported."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What elaborates the nodes of each kind in a scope: `rules.py` has them all. They come with the unit, so that what
    elaborates one kind need not know the others."""

    expressions: Mapping[type, Callable[[Any, Any], Value]]
    statements: Mapping[type, Callable[[Any, Any], None]]


class ParserStates(Protocol):
    """The states of a parser under construction; statements go to the current one. See `parsers.ParserBuilder`."""

    @property
    def current(self) -> str: ...
    def reserve(self, name: str) -> str: ...
    def begin(self, name: str, span: Span) -> None: ...
    def go(self, state: str, span: Span) -> None: ...
    def fork(self, condition: ex.Expression, then: str, otherwise: str, span: Span) -> None: ...
    def branch(self, scope: Any, condition: ex.Expression, node: ast.IfStatement) -> None: ...
    def apply(self, scope: Any, node: ast.Call, resolved: ResolvedCall) -> None: ...


@dataclass
class Unit:
    """One program. `out` is the body that statements go to; `frames` what is being executed, outermost first."""

    checked: Checked
    diagnostics: Diagnostics
    architecture: object  # as what elaborates has it: `architecture_of()`
    rules: Rules
    header_types: dict[str, HeaderType] = field(default_factory=dict)
    headers: dict[str, pr.Header] = field(default_factory=dict)
    stacks: dict[str, pr.HeaderStack] = field(default_factory=dict)
    variables: dict[str, pr.Variable] = field(default_factory=dict)
    externs: dict[str, pr.ExternInstance] = field(default_factory=dict)
    value_sets: dict[str, pr.ValueSet] = field(default_factory=dict)
    actions: dict[str, pr.Action] = field(default_factory=dict)
    tables: dict[str, pr.Table] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)  # of P4 types that the control plane sees
    called_actions: dict[str, CalledAction] = field(default_factory=dict)  # by other code than tables
    out: list[st.Statement] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    field_lists: dict[int, list[ex.Place]] = field(default_factory=dict)  # @field_list number → fields
    labels: dict[str, int] = field(default_factory=dict)
    instance_names: set[str] = field(default_factory=set)
    table_actions: dict[tuple[ast.ActionDeclaration, object], tuple[str, str | None]] = field(default_factory=dict)
    pipe: str = ""  # name of the parser or control being elaborated
    parser: ParserStates | None = None  # when it is one
    statements: int = 0
    depth: int = 0  # of the expression being evaluated
    exhausted: bool = False  # a limit was hit: nothing more is to be tried
    _effects: dict[ast.Node, bool] = field(default_factory=dict)
    _suffixes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.errors = Enum("error", tuple(dict.fromkeys((*pr.CORE_ERRORS, *self.checked.errors))))
        self.effects = self._effects
        self._next_users = _elements_with_next(self.checked)

    # --- messages ----------------------------------------------------------------------------------------------------

    def failure(self, span: Span, message: str) -> Failure:
        """Report an error; the result is to be raised."""
        self.diagnostics.error(span, message)
        return Failure(message)

    def charge(self, amount: int, span: Span) -> None:
        """Count what the program grows by. Raises: Failure when a small text makes a huge program."""
        self.statements += amount
        if self.statements > MAX_STATEMENTS:
            self.exhausted = True
            raise self.failure(span, f"the program is too large after inlining (over {MAX_STATEMENTS} statements)")

    # --- bodies ------------------------------------------------------------------------------------------------------

    def emit(self, statement: st.Statement) -> None:
        """Append to the body being written; what follows an unconditional leave is dropped."""
        if self.out and isinstance(self.out[-1], st.Leave):
            return
        self.charge(1, statement.span)
        self.out.append(statement)

    @contextmanager
    def collecting(self) -> Iterator[list[st.Statement]]:
        """Statements go to a new body within the context."""
        outer, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = outer

    def label(self, base: str) -> str:
        """A label that the current parser, control or action does not have yet."""
        count = self.labels.get(base, 0)
        self.labels[base] = count + 1
        return f"{base}_{count}" if count else base

    # --- names and storage -------------------------------------------------------------------------------------------

    def unique(self, name: str, *taken: Container[str]) -> str:
        """The name, or the name with a number that makes it new in all of `taken`."""
        if not any(name in names for names in taken):
            return name
        count = self._suffixes.get(name, 0)
        while True:
            count += 1
            candidate = f"{name}_{count}"
            if not any(candidate in names for names in taken):
                self._suffixes[name] = count
                return candidate

    def claim(self, name: str) -> str:
        """The name for an instance of a parser or control, made unique."""
        name = self.unique(name, self.instance_names)
        self.instance_names.add(name)
        return name

    def add_variable(self, name: str, type_: Type, storage: pr.Storage, span: Span) -> str:
        name = self.unique(name, self.variables)
        self.limit_width(type_, span)
        self._limit(span)
        self.variables[name] = pr.Variable(name, type_, storage, span)
        return name

    def add_header(self, name: str, type_: str, local: bool, span: Span) -> str:
        name = self.unique(name, self.headers, self.stacks)
        self._limit(span)
        self.headers[name] = pr.Header(name, type_, span, local)
        return name

    def reserve_stack_name(self, name: str) -> str:
        """A name under which neither a header nor a stack nor a stack of union members stands."""
        taken = set(self.headers) | set(self.stacks) | {s.rpartition(".")[0] for s in self.stacks}
        return self.unique(name, taken)

    def add_stack(self, name: str, type_: str, size: int, local: bool, span: Span) -> None:
        stack = self.stacks[name] = pr.HeaderStack(name, type_, size, span)
        for index in range(size):
            self._limit(span)
            element = stack.element(index)
            self.headers[element] = pr.Header(element, type_, span, local)

    def temporary(self, base: str, type_: Type, span: Span) -> ex.VariableRef:
        """A new local variable of the current parser, control or action."""
        prefix = self.frames[-1].prefix if self.frames else ""
        name = f"{prefix}.{base}" if prefix else base
        return ex.VariableRef(self.add_variable(name, type_, pr.Storage.LOCAL, span), span)

    def limit_width(self, type_: Type, span: Span) -> None:
        """Raises: Failure on a value that is too wide."""
        if isinstance(type_, Bits | Varbit) and width_of(type_) > MAX_WIDTH:
            raise self.failure(span, f"'{type_}' is wider than {MAX_WIDTH} bits")

    def _limit(self, span: Span) -> None:
        if len(self.variables) + len(self.headers) >= MAX_STORAGE_LEAVES:
            self.exhausted = True
            raise self.failure(span, f"the program has over {MAX_STORAGE_LEAVES} variables and headers")

    def uses_next(self, element: ty.Ty) -> bool:
        """Whether the program looks at the next index of any stack of that header type."""
        return getattr(element, "declaration", None) in self._next_users


def _elements_with_next(checked: Checked) -> frozenset[ast.Declaration]:
    found: set[ast.Declaration] = set()
    generic = False
    for expression in checked.types:
        if isinstance(expression, ast.Member) and expression.name in ("next", "last", "lastIndex"):
            base = checked.types.get(expression.base)
            if isinstance(base, ty.Stack):
                if isinstance(base.element, ty.Header | ty.HeaderUnion):
                    found.add(base.element.declaration)
                else:
                    generic = True
    if generic:  # a stack of a type variable: any header may stand for it
        found.update(d for d in checked.program.declarations if isinstance(d, ast.HeaderDeclaration))
        found.update(d for d in checked.program.declarations if isinstance(d, ast.HeaderUnionDeclaration))
    return frozenset(found)
