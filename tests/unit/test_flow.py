"""Control-flow graphs of bodies: what is a node, and which ways there are between them."""

from __future__ import annotations

import pytest
from hlir_builder import AT, apply, const, true

from transpiler.analysis.flow import FlowKind, case_label, condition_of, flow_of
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.types import Bits, Bool, Enum, Type

X = st.Assign(ex.VariableRef("x", AT), const(1, 8), AT)
Y = st.Assign(ex.VariableRef("y", AT), const(2, 8), AT)
NUMBER = ex.Read(ex.VariableRef("x", AT), Bits(8), AT)
OUT = st.Leave("out", AT)


def if_(then: st.Body, otherwise: st.Body = ()) -> st.If:
    return st.If(true(), then, otherwise, AT)


def block(*body: st.Statement, label: str = "out") -> st.Block:
    return st.Block(label, body, AT)


def drawn(*body: st.Statement) -> tuple[str, set[str]]:
    """A letter for each node between entry and exit, as Straight, Table and Condition; the ways, as "1-arm-2"."""
    flow = flow_of(body)
    assert [node.number for node in flow.nodes] == list(range(len(flow.nodes)))
    entry, *nodes, leave = flow.nodes
    assert (entry.kind, leave.kind, entry.span, leave.span) == (FlowKind.ENTRY, FlowKind.EXIT, None, None)
    assert all(node.span == AT and node.statements for node in nodes)
    assert len(set(flow.edges)) == len(flow.edges)
    return "".join(node.kind.value[0] for node in nodes), {f"{e.source}-{e.arm}-{e.target}" for e in flow.edges}


@pytest.mark.parametrize(
    ("body", "nodes", "ways"),
    [
        ((), "", {"0--1"}),
        ((X, Y), "s", {"0--1", "1--2"}),
        ((X, apply("t"), Y), "sts", {"0--1", "1--2", "2--3", "3--4"}),
        ((if_((X,)), Y), "css", {"0--1", "1-true-2", "1-false-3", "2--3", "3--4"}),
        ((if_((X,), (Y,)),), "css", {"0--1", "1-true-2", "1-false-3", "2--4", "3--4"}),
        ((if_(()),), "c", {"0--1", "1-true-2", "1-false-2"}),
        ((block(if_((OUT,)), X), Y), "css", {"0--1", "1-true-3", "1-false-2", "2--3", "3--4"}),
        ((block(X, OUT, Y),), "s", {"0--1", "1--2"}),  # nothing reaches what is behind
        ((block(OUT), Y), "s", {"0--1", "1--2"}),
        ((block(block(if_((OUT,), (st.Leave("in", AT),)), X, label="in"), Y),), "cs",
         {"0--1", "1-true-3", "1-false-2", "2--3"}),
        ((st.While(true(), (X,), AT), Y), "css", {"0--1", "1-true-2", "2--1", "1-false-3", "3--4"}),
        ((st.Switch(NUMBER, (st.SwitchCase((1, 10), (X,), AT), st.SwitchCase((2,), (), AT)), (Y,), AT),), "css",
         {"0--1", "1-1, 0xa-2", "1-2-4", "1-default-3", "2--4", "3--4"}),
    ],
)  # fmt: skip
def test_nodes_and_ways(body: st.Body, nodes: str, ways: set[str]) -> None:
    assert drawn(*body) == (nodes, ways)


def test_what_conditions_decide_on() -> None:
    assert condition_of(if_(())) == condition_of(st.While(true(), (), AT)) == true()
    assert condition_of(st.Switch(NUMBER, (), (), AT)) == NUMBER
    assert condition_of(X) is None and condition_of(apply("t")) is None


@pytest.mark.parametrize(
    ("value", "type_", "label"),
    [
        (0, Bits(8), "0"),
        (9, Bits(8), "9"),
        (10, Bits(8), "0xa"),
        (0, Bool(), "false"),
        (1, Bool(), "true"),
        (1, Enum("e", ("a", "b")), "b"),
    ],
)
def test_labels_of_cases(value: int, type_: Type, label: str) -> None:
    assert case_label(value, type_) == label
