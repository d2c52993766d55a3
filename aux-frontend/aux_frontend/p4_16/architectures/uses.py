"""What a program's `main` uses: blocks, tables, actions, and every call of an extern with the place it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.ast.visit import children
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.checker.state import State

Block = ast.ControlDeclaration | ast.ParserDeclaration
Owner = Block | ast.ActionDeclaration | ast.FunctionDeclaration | ast.TableDeclaration
_BODIES = (ast.ActionDeclaration, ast.FunctionDeclaration, ast.TableDeclaration)
_FOLLOWED = (ast.ControlDeclaration, ast.ParserDeclaration, ast.Instantiation, *_BODIES)


@dataclass(frozen=True, slots=True)
class ExternCall:
    """A call of an extern function or method. `owner`: the action, function or block whose code it is in."""

    at: ast.Call
    call: ResolvedCall
    owner: Owner


@dataclass(slots=True)
class Uses:
    """All that is reached from `main`; blocks, tables and calls in the order of the text.

    tables_of: an action → the tables that list it, each with the element of its list.
    """

    main: ast.Instantiation
    blocks: list[Block] = field(default_factory=list)
    tables: list[ast.TableDeclaration] = field(default_factory=list)
    tables_of: dict[ast.ActionDeclaration, list[tuple[ast.TableDeclaration, ast.ActionRef]]] = field(
        default_factory=dict
    )
    extern_calls: list[ExternCall] = field(default_factory=list)
    instances: dict[ast.Call | ast.Instantiation, ast.Declaration] = field(default_factory=dict)

    def roots(self, st: State) -> set[ast.Declaration]:
        """The blocks that are arguments of `main` and of its packages, without those inside them."""
        packages = (node for node, target in self.instances.items() if isinstance(target, ast.PackageDeclaration))
        return {
            made
            for node in packages
            for argument in st.checked.calls[node].arguments
            if isinstance(argument, ast.Call) and isinstance(made := self.instances.get(argument), Block)
        }


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
        if isinstance(d, ast.TableDeclaration):
            _table(st, uses, d)
        owner = d if isinstance(d, Owner) else None
        for node in _parts(d):
            pending += _targets(st, uses, node, owner)
    uses.blocks.sort(key=_place)
    uses.tables.sort(key=_place)
    uses.extern_calls.sort(key=lambda call: _place(call.at))
    return uses


def _place(node: ast.Node) -> tuple[str, int, int]:
    return node.span.file, node.span.line, node.span.column


def _parts(d: ast.Declaration) -> Iterator[ast.Node]:
    """The nodes of a declaration, but not the actions, functions and tables of a block: those come when they are used."""
    pending: list[ast.Node] = [d]
    while pending:
        node = pending.pop()
        yield node
        pending += [child for child in reversed(list(children(node))) if not isinstance(child, _BODIES)]


def _targets(st: State, uses: Uses, node: ast.Node, owner: Owner | None) -> list[ast.Declaration]:
    """The declarations that a node refers to; notes calls on the way."""
    found: list[ast.Declaration] = []
    if isinstance(node, ast.Call | ast.Instantiation):
        call = st.checked.calls.get(node)
        if call is not None and isinstance(call.target, ast.Declaration):
            found.append(call.target)
            _call(uses, node, call, owner)
    if isinstance(node, ast.Path):
        declaration = st.checked.declarations.get(node)
        if declaration is not None:
            found.append(declaration)
    return [d for d in found if isinstance(d, _FOLLOWED)]


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
        uses.instances[node] = target
