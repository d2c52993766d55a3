"""Control flow between nodes as structured statements. Each node becomes code once; branches that meet go there by leaving a
block.

        a                     a: block(d) { if (…) { b; leave d }  c }
       / \\        becomes     d
      b   c
       \\ /
        d                     where the leave is the last of its block, it goes

Where paths meet, the node is put behind a block around what comes before it: that which dominates it. Source: N. Ramsey,
"Beyond Relooper", ICFP 2022. Cycles have no place in a pipeline, and are refused. The end is a node like any other: a path that
goes there must not go on to what is behind the block that it is in.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import Generic, TypeVar

from transpiler.diagnostics import Span
from transpiler.hlir import statements as st
from transpiler.hlir.traverse import rebuild, walk

N = TypeVar("N", bound=Hashable)
Go = Callable[[N], st.Body]


class Cycle(Exception):
    """The graph is none of those that a pipeline can be."""


class Structured(Generic[N]):
    """`successors`: those of a node; `code`: its statements, with `go` for each way out; `label`: unique."""

    def __init__(
        self,
        entry: N,
        successors: Callable[[N], Iterable[N]],
        code: Callable[[N, Go[N]], st.Body],
        label: Callable[[N], str],
        span: Span,
    ) -> None:
        self.code = code
        self.label = label
        self.span = span
        self.after = {}  # type: dict[N, tuple[N, ...]]
        self.order = self._ordered(entry, successors)
        self.position = {node: place for place, node in enumerate(self.order)}
        self.before: dict[N, list[N]] = {node: [] for node in self.order}
        for node in self.order:
            for after in dict.fromkeys(self.after[node]):
                if self.position[after] <= self.position[node]:
                    raise Cycle
                self.before[after].append(node)
        self.children = self._dominated()
        self.entry = entry

    def body(self) -> st.Body:
        return tidy(self._tree(self.entry))

    def _ordered(self, entry: N, successors: Callable[[N], Iterable[N]]) -> list[N]:
        """Reverse postorder: all nodes in front of those that they lead to."""
        done: list[N] = []
        stack: list[tuple[N, list[N]]] = []
        self._visit(entry, successors, stack)
        while stack:
            node, left = stack[-1]
            if left:
                following = left.pop()
                if following not in self.after:
                    self._visit(following, successors, stack)
            else:
                done.append(node)
                stack.pop()
        return done[::-1]

    def _visit(self, node: N, successors: Callable[[N], Iterable[N]], stack: list[tuple[N, list[N]]]) -> None:
        self.after[node] = tuple(dict.fromkeys(successors(node)))
        stack.append((node, list(self.after[node])))

    def _dominated(self) -> dict[N, list[N]]:
        """Of each node those that it immediately dominates and where paths meet."""
        dominator: dict[N, N] = {}
        for node in self.order[1:]:
            first, *others = self.before[node]
            for other in others:
                while first != other:
                    if self.position[first] > self.position[other]:
                        first = dominator[first]
                    else:
                        other = dominator[other]
            dominator[node] = first
        children: dict[N, list[N]] = {node: [] for node in self.order}
        for node, above in dominator.items():
            if len(self.before[node]) > 1:
                children[above].append(node)
        return children

    def _tree(self, node: N) -> st.Body:
        body = self.code(node, self._go)
        for meeting in self.children[node]:  # in reverse postorder: the first is the innermost block
            body = (st.Block(self.label(meeting), body, self.span), *self._tree(meeting))
        return body

    def _go(self, target: N) -> st.Body:
        if len(self.before[target]) > 1:
            return (st.Leave(self.label(target), self.span),)
        return self._tree(target)


def tidy(body: st.Body) -> st.Body:
    """Without what goes to where it would go anyway, and without blocks that nothing leaves."""
    found: list[st.Statement] = []
    for statement in body:
        made = rebuild(statement, tidy)
        if isinstance(made, st.Block):
            inner = _ended(made.body, made.label)
            if not any(isinstance(s, st.Leave) and s.label == made.label for s in walk(inner)):
                found += inner
                continue
            made = replace(made, body=inner)
        found.append(made)
    return tuple(found)


def _ended(body: st.Body, label: str) -> st.Body:
    """A body without the Leaves of that label that are the last that happens in it."""
    if not body:
        return body
    *first, last = body
    match last:
        case st.Leave(label=left) if left == label:
            return tuple(first)
        case st.If(then=then, otherwise=otherwise):
            last = replace(last, then=_ended(then, label), otherwise=_ended(otherwise, label))
        case st.Switch(cases=cases, default=default):
            ended = tuple(replace(case, body=_ended(case.body, label)) for case in cases)
            last = replace(last, cases=ended, default=_ended(default, label))
        case st.Block(body=inner):
            last = replace(last, body=_ended(inner, label))
    return (*first, last)
