"""The state graph of each parser: states with what they extract, transitions with what they select."""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.graph.drawing import Drawing, Edge, Group, Node, NodeKind
from transpiler.graph.text import cut, expression, key_sets, some, statement
from transpiler.hlir.program import ACCEPT, REJECT, Goto, Parser, ParserState, Program, Select
from transpiler.hlir.traverse import successors, walk

_FINAL = {ACCEPT: NodeKind.ACCEPT, REJECT: NodeKind.REJECT}
_CASES = 6  # labels shown on one edge


def draw(program: Program) -> Drawing:
    """Every parser of the program in a group of its own."""
    parsers = [pipe for pipe in program.pipes if isinstance(pipe, Parser)]
    groups = tuple(_group(parser) for parser in parsers)
    return Drawing(f"{program.name}: parser", groups, tuple(e for p in parsers for e in _edges(p)))


def _group(parser: Parser) -> Group:
    reached = dict.fromkeys(target for state in parser.states for target in successors(state))
    nodes = [_state(parser, state) for state in parser.states]
    nodes += [Node(_id(parser, name), kind, name) for name, kind in _FINAL.items() if name in reached]
    return Group(parser.name, f"{parser.role.value}  {parser.name}", tuple(nodes), parser.span)


def _state(parser: Parser, state: ParserState) -> Node:
    done = some(statement(s) for s in walk(state.body))
    select = state.transition
    asked = (cut("select " + ", ".join(map(expression, select.subjects))),) if isinstance(select, Select) else ()
    sections = tuple(section for section in (done, asked) if section)
    return Node(_id(parser, state.name), NodeKind.STATE, state.name, sections, state.span)


def _edges(parser: Parser) -> Iterator[Edge]:
    order = {state.name: number for number, state in enumerate(parser.states)}
    for state in parser.states:
        labels = _labels(state)
        for target, cases in labels.items():
            back = order.get(target, len(order)) <= order[state.name]
            yield Edge(_id(parser, state.name), _id(parser, target), label=some(cases, _CASES), back=back)


def _labels(state: ParserState) -> dict[str, list[str]]:
    """Target → the cases that lead to it."""
    match state.transition:
        case Goto(state=target):
            return {target: []}
        case Select(cases=cases):
            found: dict[str, list[str]] = {}
            for case in cases:
                found.setdefault(case.state, []).append(key_sets(case.keys))
            return found


def _id(parser: Parser, state: str) -> str:
    return f"{parser.name}/{state}"
