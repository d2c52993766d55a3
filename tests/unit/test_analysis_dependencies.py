"""The control-flow graph and the dependency graph: each kind of dependency, early ends, loops, reachability."""

from __future__ import annotations

from hlir_builder import AT, Builder, apply, binary, const, emit, extract, goto, if_, state, valid

from transpiler.analysis.dependencies import EdgeKind, NodeId, NodeKind, control_graph, dependency_graph
from transpiler.analysis.flow import FlowKind, flow_of
from transpiler.analysis.locations import Location
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bool


def builder() -> Builder:
    b = Builder()
    b.header("h", "h_t", a=8, b=8, c=8)
    b.variable("m.x", 8)
    b.variable("m.y", 8)
    return b


def made(b: Builder, *ingress: st.Statement) -> Program:
    return b.build([state("start", [extract("h")], goto("accept"))], ingress, deparser=[emit("h")])


def edges(program: Program, kind: EdgeKind) -> set[tuple[str, str]]:
    """The dependencies of a kind in Ingress, nodes by table name, or by kind and number."""
    graph = dependency_graph(program)

    def name(node: NodeId) -> str:
        if node.kind is NodeKind.TABLE:
            (applied,) = graph.flow_node(node).statements
            assert isinstance(applied, st.ApplyTable)
            return applied.table
        return f"{node.kind.value}{node.name}"

    return {(name(a), name(b)) for a, b, _ in graph.edges(kind) if a.scope == b.scope == "Ingress"}


def test_match_dependency() -> None:
    b = builder()
    b.action("put", b.set("m.x", 1))
    b.table("t", [("h.a", "exact")], ["put"])
    b.table("u", [("m.x", "exact")], [])
    program = made(b, apply("t"), apply("u"))
    assert edges(program, EdgeKind.MATCH) == {("t", "u")}
    assert edges(program, EdgeKind.ACTION) == set()
    (found,) = [what for _, _, what in dependency_graph(program).edges(EdgeKind.MATCH)]
    assert found.locations == (Location("m.x"),)


def test_action_dependency() -> None:
    b = builder()
    b.action("put", b.set("m.x", 1))
    b.action("use", b.set("h.b", b.get("m.x")))
    b.table("t", [("h.a", "exact")], ["put"])
    b.table("u", [("h.c", "exact")], ["use"])
    program = made(b, apply("t"), apply("u"))
    assert edges(program, EdgeKind.ACTION) == {("t", "u")}
    assert edges(program, EdgeKind.MATCH) == set()


def test_reverse_read_dependency() -> None:
    b = builder()
    b.action("put", b.set("h.a", 1))
    b.table("t", [("h.a", "exact")], [])
    b.table("u", [("h.c", "exact")], ["put"])
    program = made(b, apply("t"), apply("u"))
    assert edges(program, EdgeKind.REVERSE_READ) == {("t", "u")}
    assert edges(program, EdgeKind.ACTION) == set()


def test_successor_dependency_of_a_condition() -> None:
    b = builder()
    b.table("t", [("h.a", "exact")], [])
    b.table("u", [("h.b", "exact")], [])
    program = made(b, if_(valid("h"), [apply("t")], [apply("u")]))
    assert edges(program, EdgeKind.SUCCESSOR) == {("condition1", "t"), ("condition1", "u")}
    arms = {what.arm for _, _, what in dependency_graph(program).edges(EdgeKind.SUCCESSOR)}
    assert arms == {"true", "false"}


def test_successor_dependency_of_an_early_end() -> None:
    b = builder()
    b.table("t", [("h.a", "exact")], [])
    leave = st.Leave("end", AT)
    program = made(b, st.Block("end", (if_(valid("h"), [leave]), apply("t")), AT))
    assert edges(program, EdgeKind.SUCCESSOR) == {("condition1", "t")}


def test_the_outcome_of_a_table_is_a_successor_dependency() -> None:
    b = builder()
    b.variable("hit", Bool())
    b.table("t", [("h.a", "exact")], [])
    b.table("u", [("h.b", "exact")], [])
    hit = ex.Read(ex.VariableRef("hit", AT), Bool(), AT)
    program = made(b, apply("t", hit="hit"), if_(hit, [apply("u")]))
    assert edges(program, EdgeKind.SUCCESSOR) == {("t", "condition2"), ("condition2", "u")}
    assert edges(program, EdgeKind.MATCH) == set()


def test_tables_on_different_branches_do_not_depend_on_each_other() -> None:
    b = builder()
    b.action("put", b.set("m.x", 1))
    b.table("t", [("h.a", "exact")], ["put"])
    b.table("u", [("m.x", "exact")], [])
    program = made(b, if_(valid("h"), [apply("t")], [apply("u")]))
    assert edges(program, EdgeKind.MATCH) == set()


def test_a_register_that_both_use_keeps_their_order() -> None:
    b = builder()
    b.extern("r", "register", size=4, width=8)
    b.action("write", b.call("register.write", "r", const(0, 32), b.get("h.a")))
    b.action("read", b.call("register.read", "r", const(0, 32), out="m.x"))
    b.table("t", [("h.b", "exact")], ["write"])
    b.table("u", [("h.c", "exact")], ["read"])
    program = made(b, apply("t"), apply("u"))
    assert edges(program, EdgeKind.ACTION) == {("t", "u")}


def test_two_that_read_a_register_have_no_order() -> None:
    b = builder()
    b.extern("r", "register", size=4, width=8)
    for name, table in (("one", "t"), ("other", "u")):
        b.action(name, b.call("register.read", "r", const(0, 32), out="m.x" if table == "t" else "m.y"))
        b.table(table, [("h.b", "exact")], [name])
    program = made(b, apply("t"), apply("u"))
    assert edges(program, EdgeKind.ACTION) == edges(program, EdgeKind.REVERSE_READ) == set()


def test_an_actions_own_data_is_no_dependency() -> None:
    b = builder()
    b.action("put", st.Assign(ex.VariableRef("put.p", AT), const(1, 8), AT), p=8)
    b.table("t", [("h.b", "exact")], ["put"])
    b.table("u", [("h.c", "exact")], ["put"])
    program = made(b, apply("t"), apply("u"))
    assert edges(program, EdgeKind.ACTION) == set()


def test_a_loop_makes_its_nodes_depend_on_themselves_over_rounds() -> None:
    b = builder()
    loop = st.While(
        binary("<", b.get("m.x"), const(3, 8)),
        (b.set("h.a", b.get("m.y")), b.set("m.x", binary("+", b.get("m.x"), const(1, 8)))),
        AT,
    )
    program = made(b, loop)
    assert ("straight2", "condition1") in edges(program, EdgeKind.MATCH)
    assert edges(program, EdgeKind.SUCCESSOR) == {("condition1", "straight2")}


def test_what_one_round_of_a_loop_may_write_the_next_one_asks_for() -> None:
    b = builder()
    b.action("put", b.set("m.x", 1))
    b.table("t", [("h.a", "exact")], ["put"])
    b.table("u", [("m.x", "exact")], [])
    program = made(b, st.While(valid("h"), (apply("u"), apply("t")), AT))
    assert edges(program, EdgeKind.MATCH) == {("t", "u")}


def test_flow_of_a_switch_and_a_loop() -> None:
    b = builder()
    switch = st.Switch(b.get("m.x"), (st.SwitchCase((1, 2), (b.set("h.a", 1),), AT),), (), AT)
    loop = st.While(binary("<", b.get("m.x"), const(3, 8)), (b.set("m.x", 4),), AT)
    flow = flow_of((switch, loop))
    assert [node.kind for node in flow.nodes] == [
        FlowKind.ENTRY, FlowKind.CONDITION, FlowKind.STRAIGHT, FlowKind.CONDITION, FlowKind.STRAIGHT, FlowKind.EXIT,
    ]  # fmt: skip
    ways = {(edge.source, edge.target, edge.arm) for edge in flow.edges}
    assert ways == {
        (0, 1, ""), (1, 2, "1, 2"), (1, 3, "default"), (2, 3, ""), (3, 4, "true"), (4, 3, ""), (3, 5, "false"),
    }  # fmt: skip


def test_code_behind_a_leave_is_not_in_the_flow() -> None:
    b = builder()
    flow = flow_of((st.Block("end", (st.Leave("end", AT), b.set("h.a", 1)), AT), b.set("h.b", 2)))
    assert [node.kind for node in flow.nodes] == [FlowKind.ENTRY, FlowKind.STRAIGHT, FlowKind.EXIT]


def test_what_is_reachable() -> None:
    b = builder()
    b.action("used")
    b.action("unused")
    b.table("t", [("h.a", "exact")], ["used"])
    b.table("u", [("h.a", "exact")], ["unused"])
    states = [state("start", [], goto("accept")), state("spare", [], goto("spare"))]
    program = b.build(states, [apply("t")], deparser=[emit("h")])
    reached = control_graph(program).reachable()
    assert NodeId(NodeKind.ACTION, "", "used") in reached
    assert NodeId(NodeKind.ACTION, "", "unused") not in reached
    assert NodeId(NodeKind.STATE, "Parser", "start") in reached
    assert NodeId(NodeKind.STATE, "Parser", "spare") not in reached


def test_what_is_surely_written_anew_hides_earlier_writes() -> None:
    b = builder()
    b.action("put", b.set("m.x", 1))
    b.table("t", [("h.a", "exact")], ["put"])
    b.table("u", [("m.x", "exact")], [])
    program = made(b, apply("t"), b.set("m.x", 2), apply("u"))
    assert edges(program, EdgeKind.MATCH) == {("straight2", "u")}
    perhaps = made(b, apply("t"), if_(valid("h"), [b.set("m.x", 2)]), apply("u"))
    assert edges(perhaps, EdgeKind.MATCH) == {("straight3", "u"), ("t", "u")}


def test_what_a_straight_run_writes_before_it_reads_comes_from_nowhere_else() -> None:
    b = builder()
    b.action("put", b.set("m.x", 1))
    b.table("t", [("h.a", "exact")], ["put"])
    program = made(b, apply("t"), b.set("m.x", 2), b.set("m.y", b.get("m.x")))
    (found,) = dependency_graph(program).edges(EdgeKind.ACTION)
    assert found[2].locations == (Location("m.x"),)  # both write it


def test_all_dependencies_in_their_order() -> None:
    """By the earlier node, the later one and the kind; what is matched and read too is a match dependency alone."""
    b = builder()
    b.action("put", b.set("m.y", b.get("m.x")))
    b.action("both", b.set("h.b", b.get("m.x")), b.set("m.x", b.get("m.y")))
    b.table("t", [("m.x", "exact")], ["put"], "put")
    b.table("u", [("m.x", "exact"), ("m.y", "exact")], ["both"], "both")
    body = [b.set("m.x", 1), apply("t"), b.set("m.x", b.get("h.c")), b.set("m.y", 3), apply("u"), b.set("h.a", 2)]
    graph = dependency_graph(made(b, *body, if_(valid("h"), [b.set("h.a", b.get("m.x"))])))
    kinds = (EdgeKind.MATCH, EdgeKind.ACTION, EdgeKind.SUCCESSOR, EdgeKind.REVERSE_READ)
    found = [
        (a.name, to.name, what.kind.value, [f"{at.owner}.{at.field}".rstrip(".") for at in what.locations], what.arm)
        for a, to, what in graph.edges(*kinds)
        if a.scope == "Ingress"
    ]
    assert sorted(found) == found
    assert found == [
        ("1", "2", "match", ["m.x"], ""),
        ("1", "3", "action", ["m.x"], ""),  # and no further: it is written anew there
        ("2", "3", "action", ["m.y"], ""),
        ("2", "3", "reverse-read", ["m.x"], ""),
        ("3", "4", "match", ["m.x", "m.y"], ""),
        ("3", "7", "action", ["m.x"], ""),  # the table in between may leave it
        ("4", "7", "action", ["m.x"], ""),
        ("5", "7", "action", ["h.a"], ""),
        ("6", "7", "successor", [], "true"),
    ]
