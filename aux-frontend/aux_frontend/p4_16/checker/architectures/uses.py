"""What a program's `main` uses: blocks, tables, actions, and every call of an extern with the place it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.ast.visit import walk
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.checker.state import State

Block = ast.ControlDeclaration | ast.ParserDeclaration
Owner = Block | ast.ActionDeclaration | ast.FunctionDeclaration | ast.TableDeclaration
_BODIES = (ast.ActionDeclaration, ast.FunctionDeclaration, ast.TableDeclaration)
_FOLLOWED = (ast.ControlDeclaration, ast.ParserDeclaration, ast.ActionDeclaration, ast.FunctionDeclaration)


@dataclass(frozen=True, slots=True)
class ExternCall:
    """A call of an extern function or method. `owner`: the action, function or block whose code it is in."""

    at: ast.Call
    call: ResolvedCall
    owner: Owner


@dataclass(slots=True)
class Uses:
    """All that is reached from `main`, in the order of the text within each declaration.

    tables_of: an action → the tables that list it, each with the element of its list.
    """

    main: ast.Instantiation
    blocks: list[Block] = field(default_factory=list)
    tables: list[ast.TableDeclaration] = field(default_factory=list)
    tables_of: dict[ast.ActionDeclaration, list[tuple[ast.TableDeclaration, ast.ActionRef]]] = field(
        default_factory=dict
    )
    extern_calls: list[ExternCall] = field(default_factory=list)
    instances: list[tuple[ast.Call | ast.Instantiation, ast.Declaration]] = field(default_factory=list)
    callers: dict[ast.Declaration, list[Owner]] = field(default_factory=dict)

    def roots(self, st: State) -> list[Block]:
        """The blocks that are arguments of `main`, without those inside them."""
        call = st.checked.calls[self.main]
        found = (st.checked.calls.get(e) for e in call.arguments if isinstance(e, ast.Call))
        return [c.target for c in found if c is not None and isinstance(c.target, Block)]


def gather(st: State, main: ast.Instantiation) -> Uses:
    """Follow calls, instantiations and action lists from `main`."""
    uses = Uses(main)
    seen: set[ast.Declaration] = set()
    pending: list[ast.Declaration] = [main]
    while pending:
        d = pending.pop()
        if d in seen:
            continue
        seen.add(d)
        if isinstance(d, Block):
            uses.blocks.append(d)
        for node, owner in _owned(d, d if isinstance(d, _FOLLOWED) else None):
            pending += [t for t in _targets(st, uses, node, owner) if isinstance(t, (*_FOLLOWED, ast.Instantiation))]
    return uses


def _owned(d: ast.Declaration, owner: Owner | None) -> Iterator[tuple[ast.Node, Owner | None]]:
    """The nodes of a declaration, but not the actions, functions and tables of a block: those come when they are used."""
    for node in walk(d):
        yield node, owner


def _targets(st: State, uses: Uses, node: ast.Node, owner: Owner | None) -> list[ast.Declaration]:
    """The declarations that a node refers to; notes tables and calls on the way."""
    found: list[ast.Declaration] = []
    if isinstance(node, ast.TableDeclaration):
        _table(st, uses, node)
    if isinstance(node, ast.Call | ast.Instantiation):
        call = st.checked.calls.get(node)
        if call is not None and isinstance(call.target, ast.Declaration):
            found.append(call.target)
            _call(uses, node, call, owner)
    if isinstance(node, ast.Path):
        declaration = st.checked.declarations.get(node)
        if isinstance(declaration, ast.Declaration):
            found.append(declaration)
    return found


def _table(st: State, uses: Uses, table: ast.TableDeclaration) -> None:
    uses.tables.append(table)
    for ref in table.actions or ():
        path = ref.expression.callee if isinstance(ref.expression, ast.Call) else ref.expression
        action = st.checked.declarations.get(path)
        if isinstance(action, ast.ActionDeclaration):
            uses.tables_of.setdefault(action, []).append((table, ref))


def _call(uses: Uses, node: ast.Call | ast.Instantiation, call: ResolvedCall, owner: Owner | None) -> None:
    target = call.target
    assert isinstance(target, ast.Declaration)
    if isinstance(target, ast.MethodPrototype | ast.FunctionPrototype) and isinstance(node, ast.Call):
        if owner is not None:
            uses.extern_calls.append(ExternCall(node, call, owner))
    else:
        uses.instances.append((node, target))
        if owner is not None:
            uses.callers.setdefault(target, []).append(owner)
