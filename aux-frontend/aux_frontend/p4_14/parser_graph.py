"""The graph of parser states as the source has it: who leads where, what `latest` means, in which order to deparse.

Specification 1.0.5 sections 4 (parsing) and 5 (deparsing: the order that the parse graph implies).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import pairwise

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.scope import Scope

START = "start"


def exits(state: ast.ParserState) -> Iterator[ast.Go]:
    """All ways out of a state."""
    match state.exit:
        case ast.Go():
            yield state.exit
        case ast.Select(cases=cases):
            for case in cases:
                yield case.go


def successors(scope: Scope, state: ast.ParserState) -> list[str]:
    """The states that a state leads to, in order, each once."""
    return list(dict.fromkeys(go.target.text for go in exits(state) if not go.error and go.target.text in scope.states))


def reachable(scope: Scope) -> list[str]:
    """The states that `start` leads to, in depth-first order."""
    seen: dict[str, None] = {}
    todo = [START]
    while todo:
        name = todo.pop()
        if name not in seen and name in scope.states:
            seen[name] = None
            todo += reversed(successors(scope, scope.states[name]))
    return list(seen)


def extracted(state: ast.ParserState) -> list[ast.Ref]:
    return [item.header for item in state.statements if isinstance(item, ast.Extract)]


def latest_at_entry(scope: Scope) -> dict[str, ast.Ref | None]:
    """For each state the header extracted last on every way to it; None where ways differ or there is none."""
    entry: dict[str, ast.Ref | None] = {START: None}
    todo = [START]
    while todo:
        name = todo.pop()
        if name not in scope.states:
            continue
        own = extracted(scope.states[name])
        leaving = own[-1] if own else entry[name]
        for successor in successors(scope, scope.states[name]):
            if successor not in entry:
                entry[successor] = leaving
            elif entry[successor] is not None and not _same(entry[successor], leaving):
                entry[successor] = None
            else:
                continue
            todo.append(successor)
    return entry


def _same(one: ast.Ref | None, other: ast.Ref | None) -> bool:
    return one is not None and other is not None and _spelled(one) == _spelled(other)


def _spelled(ref: ast.Ref) -> tuple[str, object]:
    index = ref.index
    return ref.name.text, index.value if isinstance(index, ast.Number) else index and "next"


# --- deparsing -------------------------------------------------------------------------------------------------------


def deparser_order(scope: Scope) -> list[str]:
    """Headers and stacks in the order in which they are written back: one that is extracted after another comes later.

    Where the parse graph has both orders (TLV loops), `@pragma header_ordering` decides, or else the header that the
    graph shows first comes first and a warning tells. A state that nothing leads to still says where its headers go.
    """
    names = list(dict.fromkeys((*reachable(scope), *scope.states)))
    first_seen: dict[str, ast.Ref] = {}
    for name in names:
        for ref in extracted(scope.states[name]):
            if ref.name.text in scope.headers:
                first_seen.setdefault(ref.name.text, ref)
    orders = _orders_of_pragmas(scope, first_seen)
    return _sort(scope, first_seen, _edges(scope, names, orders), orders)


def _edges(scope: Scope, names: list[str], orders: list[list[str]]) -> dict[str, set[str]]:
    """header → headers that are extracted right after it; between those of a pragma, what it says instead."""
    edges: dict[str, set[str]] = {}
    for name in names:
        own = [ref.name.text for ref in extracted(scope.states[name])]
        for one, following in pairwise(own):
            edges.setdefault(one, set()).add(following)
        if own:
            edges.setdefault(own[-1], set()).update(_next_headers(scope, name))
    for header, after in edges.items():
        after.discard(header)
    for order in orders:
        for name in order:
            edges.setdefault(name, set()).difference_update(order)
        for one, following in pairwise(order):
            edges[one].add(following)
    return edges


def _next_headers(scope: Scope, name: str) -> set[str]:
    """The first headers that are extracted after a state."""
    found: set[str] = set()
    seen: set[str] = set()
    todo = successors(scope, scope.states[name])
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        own = extracted(scope.states[state])
        if own:
            found.add(own[0].name.text)
        else:
            todo += successors(scope, scope.states[state])
    return found


def _orders_of_pragmas(scope: Scope, known: dict[str, ast.Ref]) -> list[list[str]]:
    """The orders that pragmas tell, each of the headers among its words."""
    pragmas = [
        pragma for state in scope.states.values() for pragma in state.pragmas if pragma.name == "header_ordering"
    ]
    return [[name for name in pragma.operands if name in known] for pragma in pragmas]


def _guess(names: list[str], done: set[str], orders: list[list[str]]) -> str:
    """The first header that is left, of those that no pragma puts behind another one that is left."""
    left = [name for name in names if name not in done]
    behind = {name for order in orders for name in [name for name in order if name not in done][1:]}
    return next((name for name in left if name not in behind), left[0])


def _sort(
    scope: Scope, first_seen: dict[str, ast.Ref], edges: dict[str, set[str]], orders: list[list[str]]
) -> list[str]:
    rank = {name: position for position, name in enumerate(first_seen)}
    waiting = dict.fromkeys(rank, 0)
    for header in rank:
        for name in edges.get(header, set()) & rank.keys():
            waiting[name] += 1
    ready = [rank[name] for name, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    names, order = list(rank), list[str]()
    done = set[str]()
    while len(order) < len(names):
        if ready:
            name = names[heapq.heappop(ready)]
        else:
            name = _guess(names, done, orders)
            scope.diagnostics.warning(
                first_seen[name].span,
                "deparser-order",
                f"the parser extracts '{name}' both before and after other headers: where it is deparsed is a guess",
            )
        if name in done:
            continue
        done.add(name)
        order.append(name)
        for following in edges.get(name, set()) & rank.keys():
            waiting[following] -= 1
            if waiting[following] == 0 and following not in done:
                heapq.heappush(ready, rank[following])
    return order
