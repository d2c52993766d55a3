"""The passes one by one, where what they must leave alone matters most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hlir_builder import (
    AT,
    Builder,
    any_,
    apply,
    binary,
    const,
    emit,
    extract,
    goto,
    h,
    if_,
    select,
    state,
    true,
    valid,
)

from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.printer import print_body, print_program
from transpiler.hlir.program import (
    Bridge,
    Goto,
    MatchKind,
    Parser,
    ParserState,
    Program,
    Select,
    SelectCase,
    Storage,
    ValueSet,
)
from transpiler.hlir.types import Bits, Bool
from transpiler.passes import (
    fold_branches,
    fold_selects,
    propagate_copies,
    remove_dead_assignments,
    remove_invalid_headers,
    remove_unreachable,
    remove_unused_declarations,
)
from transpiler.passes.pipeline import BadPass, Pass, optimise
from transpiler.verifier import verify


def builder() -> Builder:
    b = Builder()
    b.header("h", "h_t", a=8, b=8, c=8)
    b.header("g", "h_t")
    b.variable("m.x", 8)
    b.variable("m.y", 8)
    b.variable("l", 8, Storage.LOCAL)
    return b


START = (state("start", [extract("h")], goto("accept")),)


def made(b: Builder, *ingress: st.Statement, parser: Sequence[ParserState] = START) -> Program:
    return b.build(parser, ingress, deparser=[emit("h"), emit("g")])


def after(run: Pass, program: Program) -> str:
    """Ingress after a pass, one statement a line."""
    program = run(program)
    verify(program)
    body = next(p.body for p in program.pipes if p.name == "Ingress" and not hasattr(p, "states"))
    return print_body(body)


# --- remove_dead_assignments -----------------------------------------------------------------------------------------


def test_a_chain_of_dead_assignments_goes() -> None:
    b = builder()
    program = made(b, b.set("m.x", b.get("h.a")), b.set("m.y", b.get("m.x")), b.set("m.x", b.get("m.y")))
    assert after(remove_dead_assignments.run, program) == ""


def test_what_intrinsics_keys_and_emitted_headers_need_stays() -> None:
    b = builder()
    b.table("t", [("m.y", "exact")], [])
    body = [b.set("m.x", 1), b.set("m.y", b.get("m.x")), b.set("sm.egress_port", 3), b.set("h.a", 2), apply("t")]
    program = made(b, *body)
    assert after(remove_dead_assignments.run, program) == print_body(tuple(body))


def test_only_writes_to_headers_that_are_used_stay() -> None:
    b = builder()
    b.header("scratch", "h_t", local=True)
    body = [b.set("scratch.a", 1), st.SetValid(h("scratch"), True, AT), st.CopyHeader(h("scratch"), h("h"), AT)]
    assert after(remove_dead_assignments.run, made(b, *body)) == ""


def test_a_copied_header_needs_the_fields_that_are_read_of_its_copy() -> None:
    b = builder()
    b.header("one", "h_t", local=True)
    b.header("two", "h_t", local=True)
    body = [b.set("one.a", 1), b.set("one.b", 2), st.CopyHeader(h("two"), h("one"), AT), b.set("h.a", b.get("two.a"))]
    text = after(remove_dead_assignments.run, made(b, *body))
    assert text.splitlines() == ["one.a = 8w1;", "two = one;", "h.a = two.a;"]
    body.append(b.set("h.b", b.get("two.b")))
    assert after(remove_dead_assignments.run, made(b, *body)) == print_body(tuple(body))


def test_the_condition_of_a_live_write_stays_and_of_a_dead_one_goes() -> None:
    b = builder()
    b.variable("m.c", Bool())
    b.variable("m.d", Bool())
    c, d = b.get("m.c"), b.get("m.d")
    body = [
        b.set("m.c", binary("==", b.get("h.a"), const(1, 8))),
        b.set("m.d", binary("==", b.get("h.a"), const(2, 8))),
        if_(c, [b.set("h.b", 1)]),
        if_(d, [b.set("m.x", 1)]),
    ]
    text = after(remove_dead_assignments.run, made(b, *body))
    assert "m.c = h.a == 8w1" in text.replace("(", "").replace(")", "")
    assert "m.d" not in text


def test_the_conditions_around_a_condition_stay_with_what_they_read() -> None:
    b = builder()
    b.variable("m.c", Bool())
    outer = b.set("m.c", binary("==", b.get("h.a"), const(1, 8)))
    body = [outer, if_(b.get("m.c"), [if_(valid("g"), [b.set("h.b", 1)])])]
    assert after(remove_dead_assignments.run, made(b, *body)) == print_body(tuple(body))


def test_the_same_statement_in_two_places_stays_in_both() -> None:
    b = builder()
    shared = b.set("h.b", 1)
    body = [if_(valid("h"), [shared]), if_(valid("g"), [shared])]
    assert after(remove_dead_assignments.run, made(b, *body)).count("h.b = 8w1") == 2


def test_calls_with_an_effect_stay() -> None:
    b = builder()
    b.extern("r", "register", size=4, width=8)
    b.extern("m", "meter", size=4, unit="packets")
    body = [
        b.call("register.read", "r", const(0, 32), out="m.x"),
        b.call("meter.execute", "m", const(0, 32), out="m.x"),
        b.call("random.range", None, const(0, 8), const(9, 8), out="m.x"),
        b.call("hash.compute", None, ex.Text("crc16", AT), b.values("h.a"), out="m.x"),
        b.call("hash.compute", None, ex.Text("random", AT), b.values("h.a"), out="m.x"),
        b.call("register.write", "r", const(0, 32), const(1, 8)),
    ]
    text = after(remove_dead_assignments.run, made(b, *body)).splitlines()
    assert len(text) == 4
    assert not any("register.read" in line or "crc16" in line for line in text)


def test_fields_that_a_clone_keeps_are_read() -> None:
    b = builder()
    body = [b.set("m.x", 1), b.call("clone.ingress", None, const(1, 32), fields=["m.x"])]
    assert after(remove_dead_assignments.run, made(b, *body)).startswith("m.x = 8w1;")


def test_a_loop_stays() -> None:
    b = builder()
    loop = st.While(valid("h"), (b.set("m.x", 1),), AT)
    assert after(remove_dead_assignments.run, made(b, loop)) == "while (h.isValid()) {\n}"


def test_a_table_no_longer_tells_what_nobody_asks() -> None:
    b = builder()
    b.variable("hit", Bool())
    b.table("t", [("h.a", "exact")], [])
    assert after(remove_dead_assignments.run, made(b, apply("t", hit="hit"))) == "apply t;"


def test_what_a_transition_asks_for_stays() -> None:
    b = builder()
    chosen = select(b.get("m.x"), (ex.ExactSet(const(4, 8), AT), "accept"))
    program = made(b, parser=[state("start", [b.set("m.x", 4), b.set("m.y", 5)], chosen)])
    text = print_program(remove_dead_assignments.run(program))
    assert "m.x = 8w4" in text and "m.y = 8w5" not in text


def test_a_header_copied_to_itself_is_not() -> None:
    b = builder()
    assert after(remove_dead_assignments.run, made(b, st.CopyHeader(h("h"), h("h"), AT))) == ""


# --- propagate_copies ------------------------------------------------------------------------------------------------


def propagated(b: Builder, *body: st.Statement) -> str:
    return after(propagate_copies.run, made(b, *body)).splitlines()[-1]


def test_a_copy_ends_where_its_origin_is_written() -> None:
    b = builder()
    start = b.set("l", b.get("h.a"))
    assert propagated(b, start, b.set("h.b", b.get("l"))) == "h.b = h.a;"
    assert propagated(b, start, b.set("h.a", 1), b.set("h.b", b.get("l"))) == "h.b = l;"
    assert propagated(b, start, st.CopyHeader(h("h"), h("g"), AT), b.set("h.b", b.get("l"))) == "h.b = l;"


def test_a_table_that_writes_ends_what_is_known() -> None:
    b = builder()
    b.action("put", b.set("m.x", 9))
    b.table("t", [("h.a", "exact")], ["put"])
    b.table("u", [("h.a", "exact")], [])
    assert propagated(b, b.set("m.x", 1), apply("t"), b.set("h.b", b.get("m.x"))) == "h.b = m.x;"
    assert propagated(b, b.set("m.x", 1), apply("u"), b.set("h.b", b.get("m.x"))) == "h.b = 8w1;"


def test_a_loop_knows_only_what_it_does_not_write() -> None:
    b = builder()
    use = b.set("h.b", b.get("m.x"))
    loop = st.While(valid("h"), (use, b.set("m.x", 2)), AT)
    assert "h.b = m.x;" in after(propagate_copies.run, made(b, b.set("m.x", 1), loop))


def test_a_block_that_is_left_early_does_not_tell_of_its_end() -> None:
    b = builder()
    block = st.Block("end", (if_(valid("h"), [st.Leave("end", AT)]), b.set("m.x", 2)), AT)
    assert propagated(b, b.set("m.x", 1), block, b.set("h.b", b.get("m.x"))) == "h.b = m.x;"


def test_intrinsics_are_not_zero_for_not_being_written() -> None:
    b = builder()
    port = ex.Cast(b.get("sm.ingress_port"), b.get("h.a").type, AT)
    assert propagated(b, b.set("h.b", port)) == "h.b = (bit<8>)sm.ingress_port;"
    assert propagated(b, b.set("h.b", b.get("m.y"))) == "h.b = 8w0;"


def test_one_arm_knows_nothing_of_the_other() -> None:
    b = builder()
    choice = if_(valid("h"), [b.set("m.x", 1)], [b.set("h.b", b.get("m.x"))])
    assert "h.b = m.x;" in after(propagate_copies.run, made(b, choice))


def test_an_action_finds_the_locals_of_its_control_as_they_are() -> None:
    b = builder()
    b.action("use", b.set("h.a", b.get("l")))
    b.table("t", [("h.b", "exact")], ["use"])
    program = propagate_copies.run(made(b, b.set("l", b.get("h.c")), apply("t")))
    assert print_body(program.action["use"].body) == "h.a = l;"


def test_what_an_index_chose_is_not_read_again() -> None:
    """The index may have changed since."""
    b = builder()
    b.stack("s", "s_t", 2, f=8)
    chosen = ex.Read(ex.FieldRef(ex.ElementRef("s", b.get("m.x"), AT), "f", AT), Bits(8), AT)
    body = (b.set("m.x", b.get("h.a")), b.set("l", chosen), b.set("m.x", b.get("h.b")), b.set("h.c", b.get("l")))
    assert after(propagate_copies.run, made(b, *body)) == print_body(body)


def test_an_assignment_ends_what_was_known_of_its_target() -> None:
    b = builder()
    body = (b.set("m.x", 1), b.set("m.x", b.get("h.a")), b.set("h.b", b.get("m.x")))
    assert after(propagate_copies.run, made(b, *body)) == print_body(body)


# --- fold_branches, fold_selects -------------------------------------------------------------------------------------


def test_what_stands_behind_a_certain_leave_goes() -> None:
    b = builder()
    either = if_(valid("h"), [b.set("h.a", 1), st.Leave("x", AT)], [st.Leave("x", AT)])
    program = made(b, st.Block("x", (either, b.set("h.a", 2)), AT), b.set("h.b", 3))
    text = after(fold_branches.run, program)
    assert text.splitlines() == ["if (h.isValid()) {", "    h.a = 8w1;", "}", "h.b = 8w3;"]


def test_a_switch_over_a_constant() -> None:
    b = builder()
    cases = tuple(st.SwitchCase((n,), (b.set("h.a", n),), AT) for n in (1, 2))
    assert after(fold_branches.run, made(b, st.Switch(const(2, 8), cases, (), AT))) == "h.a = 8w2;"
    assert after(fold_branches.run, made(b, st.Switch(const(3, 8), cases, (b.set("h.b", 9),), AT))) == "h.b = 8w9;"


def test_a_switch_case_that_hides_the_default_stays() -> None:
    b = builder()
    switch = st.Switch(b.get("h.a"), (st.SwitchCase((1,), (), AT),), (b.set("h.b", 9),), AT)
    assert "8w1: {" in after(fold_branches.run, made(b, switch))


@pytest.mark.parametrize(("values", "hidden"), [((0, 1), True), ((1,), False), ((0,), False)])
def test_a_default_that_cases_hide_goes(values: tuple[int, ...], hidden: bool) -> None:
    b = builder()
    b.variable("m.c", Bool())
    cases = tuple(st.SwitchCase((value,), (b.set("h.a", value),), AT) for value in values)
    text = after(fold_branches.run, made(b, st.Switch(b.get("m.c"), cases, (b.set("h.b", 9),), AT)))
    assert ("h.b = 8w9" not in text) == hidden


def test_what_one_way_gets_to_stays() -> None:
    b = builder()
    left = if_(valid("h"), [b.set("h.a", 1), st.Leave("x", AT)])
    for inner in ((left,), (st.Block("y", (if_(valid("h"), [st.Leave("y", AT)]), st.Leave("x", AT)), AT),)):
        program = made(b, st.Block("x", (*inner, b.set("h.a", 2)), AT))
        assert "h.a = 8w2;" in after(fold_branches.run, program)


@pytest.mark.parametrize("way", [0, 1, 2, None])
def test_what_one_way_of_a_switch_gets_to_stays(way: int | None) -> None:
    """The two cases and the default leave, but for one of them: what stands behind is for that one."""
    b = builder()
    leave = (st.Leave("x", AT),)
    bodies = [(b.set("h.a", 1),) if number == way else (b.set("h.a", 3), *leave) for number in range(3)]
    cases = tuple(st.SwitchCase((number,), body, AT) for number, body in enumerate(bodies[:2]))
    switch = st.Switch(b.get("h.a"), cases, bodies[2], AT)
    text = after(fold_branches.run, made(b, st.Block("x", (switch, b.set("h.a", 2)), AT)))
    assert ("h.a = 8w2;" in text) == (way is not None)
    empty = replace(switch, default=())  # no case is a way, too
    assert "h.a = 8w2;" in after(fold_branches.run, made(b, st.Block("x", (empty, b.set("h.a", 2)), AT)))


def test_a_failing_verify_stays() -> None:
    b = builder()
    error = ex.Const(2, b.type_of("sm.parser_error"), AT)
    checks = [st.Verify(true(), error, AT), st.Verify(ex.Const(0, Bool(), AT), error, AT)]
    program = fold_branches.run(made(b, parser=[state("start", checks, goto("accept"))]))
    assert print_program(program).count("verify(") == 1


@pytest.mark.parametrize(("condition", "taken"), [(True, "h.a = 8w1;"), (False, "h.b = 8w2;")])
def test_a_constant_condition_chooses_its_arm(condition: bool, taken: str) -> None:
    b = builder()
    branch = if_(ex.Const(int(condition), Bool(), AT), [b.set("h.a", 1)], [b.set("h.b", 2)])
    assert after(fold_branches.run, made(b, branch)) == taken


def test_only_a_leave_of_the_block_itself_is_needless_at_its_end() -> None:
    """Leaving the outer block at the inner one's end passes what stands behind the inner one."""
    b = builder()
    inner = st.Block("inner", (if_(valid("h"), [st.Leave("inner", AT)]), b.set("h.a", 1), st.Leave("outer", AT)), AT)
    body = (st.Block("outer", (inner, b.set("h.b", 2)), AT), b.set("h.c", 3))
    assert after(fold_branches.run, made(b, *body)) == print_body(body)


@pytest.mark.parametrize("count", [1, 16, 17, 256])
def test_a_default_stays_where_a_number_has_more_values_than_the_cases(count: int) -> None:
    b = builder()
    cases = tuple(st.SwitchCase((value,), (b.set("h.a", value),), AT) for value in range(count))
    switch = st.Switch(ex.Cast(b.get("h.a"), Bits(16), AT), cases, (b.set("h.b", 9),), AT)
    assert after(fold_branches.run, made(b, switch)) == print_body((switch,))


def test_a_select_that_never_matches_stays() -> None:
    b = builder()
    choice = select(const(3, 8), (ex.ExactSet(const(4, 8), AT), "accept"))
    program = made(b, parser=[state("start", [], choice)])
    assert fold_selects.run(program) == program


def folded(b: Builder, choice: Select) -> Goto | Select:
    """What fold_selects makes of the only transition of a parser."""
    parser = fold_selects.run(made(b, parser=[state("start", [], choice)])).pipes[0]
    assert isinstance(parser, Parser)
    return parser.states[0].transition


def test_cases_that_may_be_taken_stay_and_those_behind_any_go() -> None:
    b = builder()
    exactly = [ex.ExactSet(const(n, 8), AT) for n in (1, 2)]
    found = folded(b, select(b.get("h.a"), (exactly[0], "accept"), (any_(), "reject"), (exactly[1], "accept")))
    assert isinstance(found, Select) and [case.state for case in found.cases] == ["accept", "reject"]
    masked = [ex.MaskSet(const(0, 8), const(mask, 8), AT) for mask in (1, 2, 1)]
    found = folded(b, select(b.get("h.a"), *((key, "accept") for key in masked)))
    assert isinstance(found, Select) and [case.keys for case in found.cases] == [(masked[0],), (masked[1],)]


def test_key_sets_of_another_meaning_are_other_cases() -> None:
    b = builder()
    keys: list[ex.KeySet] = [ex.RangeSet(const(low, 8), const(high, 8), AT) for low, high in ((1, 3), (1, 9), (4, 9))]
    keys += [ex.MaskSet(const(1, 8), const(mask, 8), AT) for mask in (0x0F, 0x1F)] + [ex.ExactSet(const(1, 8), AT)]
    choice = select(b.get("h.a"), *((key, "accept") for key in keys))
    assert folded(b, choice) == choice
    again = select(b.get("h.a"), *((key, "accept") for key in keys), *((key, "reject") for key in keys))
    assert folded(b, again) == choice


def test_a_case_is_certain_only_if_each_of_its_keys_is() -> None:
    b = builder()
    keys = ((any_(), ex.ExactSet(const(1, 8), AT)), (ex.ExactSet(const(1, 8), AT), any_()), (any_(), any_()))
    cases = tuple(SelectCase(each, to, AT) for each, to in zip(keys, ("accept", "reject", "accept"), strict=True))
    choice = Select((b.get("h.a"), b.get("h.b")), cases, AT)
    assert folded(b, choice) == choice
    known = replace(choice, subjects=(b.get("h.a"), const(1, 8)))
    assert folded(b, known) == Goto("accept", AT)
    known = replace(choice, subjects=(b.get("h.a"), const(2, 8)))
    assert folded(b, known) == replace(known, cases=cases[1:])


def test_a_value_set_may_hold_any_value_or_none() -> None:
    b = builder()
    b.value_sets.append(ValueSet("vs", (Bits(8),), (MatchKind.EXACT,), 4, AT))
    for subject in (b.get("h.a"), const(1, 8)):
        choice = select(subject, (ex.ValueSetRef("vs", AT), "accept"), (any_(), "reject"))
        assert folded(b, choice) == choice


@pytest.mark.parametrize(
    ("subject", "low", "high", "goes"),
    [
        (0xFF, 0xFD, 2, True),
        (0xFD, 0xFD, 2, True),
        (2, 0xFD, 2, True),
        (0xFC, 0xFD, 2, False),
        (3, 0xFD, 2, False),
        (0x80, 0x80, 0x7F, True),
    ],
)
def test_ranges_of_signed_numbers_are_signed(subject: int, low: int, high: int, goes: bool) -> None:
    """-3 .. 2 has -1, and neither -4 nor 3."""
    b = builder()
    span = ex.RangeSet(const(low, 8, True), const(high, 8, True), AT)
    choice = select(const(subject, 8, True), (span, "accept"), (any_(), "reject"))
    found = folded(b, choice)
    assert isinstance(found, Goto) and found.state == ("accept" if goes else "reject")


@pytest.mark.parametrize(("subject", "goes"), [(0x12, True), (0x1F, True), (0x02, False), (0x22, False)])
def test_only_the_bits_of_a_mask_count(subject: int, goes: bool) -> None:
    """0x12 &&& 0xf0 has a bit beside its mask."""
    b = builder()
    masked = ex.MaskSet(const(0x12, 8), const(0xF0, 8), AT)
    found = folded(b, select(const(subject, 8), (masked, "accept"), (any_(), "reject")))
    assert isinstance(found, Goto) and found.state == ("accept" if goes else "reject")
    same = ex.MaskSet(const(0x1F, 8), const(0xF0, 8), AT)
    other = ex.MaskSet(const(0x10, 8), const(0xF8, 8), AT)
    kept = folded(b, select(b.get("h.a"), (masked, "accept"), (same, "reject"), (other, "reject")))
    assert isinstance(kept, Select) and [case.keys for case in kept.cases] == [(masked,), (other,)]


def test_a_range_of_all_signed_numbers_is_any() -> None:
    b = builder()
    for low, high, all_of_them in ((0x80, 0x7F, True), (0, 0xFF, False), (0x81, 0x7F, False)):
        span = ex.RangeSet(const(low, 8, True), const(high, 8, True), AT)
        choice = select(ex.Cast(b.get("m.x"), Bits(8, True), AT), (span, "accept"))
        assert isinstance(folded(b, choice), Goto) == all_of_them


# --- declarations ----------------------------------------------------------------------------------------------------


def test_headers_that_are_never_valid_are_not_asked_for() -> None:
    b = builder()
    b.header("copy", "h_t")
    body = [
        st.CopyHeader(h("copy"), h("h"), AT),
        if_(valid("g"), [b.set("h.a", 1)]),
        if_(valid("copy"), [b.set("h.a", 2)]),
    ]
    program = remove_invalid_headers.run(made(b, *body))
    verify(program)
    text = print_program(program)
    assert "if (false)" in text and "if (copy.isValid())" in text
    assert "emit(h)" in text and "emit(g)" not in text


def test_a_header_is_perhaps_valid_by_whatever_may_make_it_so() -> None:
    """An element found at run time may be each of its stack; what is copied from one of which some are valid may be valid."""
    b = builder()
    b.header("made", "h_t")
    b.stack("s", "s_t", 2, f=8)
    b.stack("from", "s_t", 2)
    b.stack("to", "s_t", 2)
    element = {name: ex.ElementRef(name, b.get("h.a"), AT) for name in ("s", "from", "to")}
    body = [
        st.SetValid(h("made"), True, AT),
        st.SetValid(element["s"], True, AT),
        st.SetValid(h("from[1]"), True, AT),
        st.CopyHeader(element["to"], element["from"], AT),
        st.SetValid(h("made"), False, AT),
        st.SetValid(h("g"), False, AT),
    ]
    asked = ["made", "s[0]", "s[1]", "from[0]", "from[1]", "to[0]", "to[1]", "g"]
    body += [if_(valid(name), [b.set("h.b", number)]) for number, name in enumerate(asked)]
    text = after(remove_invalid_headers.run, made(b, *body))
    told = [name for name in asked if f"if ({name}.isValid())" in text]
    assert told == ["made", "s[0]", "s[1]", "from[1]", "to[0]", "to[1]"]
    assert "made.setInvalid();" in text and "g.setInvalid();" not in text and text.count("if (false)") == 2


def test_states_and_tables_that_control_never_gets_to_go() -> None:
    b = builder()
    for name in ("once", "never"):
        b.action(f"{name}_run", b.set("m.x", 1))
        b.table(name, [("h.a", "exact")], [f"{name}_run"])
    choice = select(b.get("h.a"), (ex.ExactSet(const(1, 8), AT), "used"), (any_(), "accept"))
    states = (
        state("start", [extract("h")], choice),
        state("spare", [], goto("behind")),
        state("used", [], goto("accept")),
        state("behind", [], goto("accept")),
    )
    program = remove_unreachable.run(made(b, apply("once"), parser=states))
    parser = program.pipes[0]
    assert isinstance(parser, Parser) and [s.name for s in parser.states] == ["start", "used"]
    assert [table.name for table in program.tables] == ["once"]
    assert {action.name for action in program.actions} == {"once_run", "NoAction"}


def test_a_copy_of_a_copy_may_be_valid_whatever_the_order() -> None:
    b = builder()
    for name in ("one", "two"):
        b.header(name, "h_t", local=True)
    copies = [st.CopyHeader(h("two"), h("one"), AT), st.CopyHeader(h("one"), h("h"), AT)]
    loop = st.While(valid("h"), (*copies, if_(valid("two"), [b.set("h.a", 1)])), AT)
    assert "two.isValid()" in after(remove_invalid_headers.run, made(b, loop))


def test_an_applied_table_keeps_all_its_actions() -> None:
    b = builder()
    b.action("rare", b.set("m.x", 1))
    b.action("never")
    b.table("t", [("h.a", "exact")], ["rare"])
    program = remove_unreachable.run(made(b, apply("t")))
    assert {action.name for action in program.actions} == {"NoAction", "rare"}
    assert optimise(program).table["t"].actions == program.table["t"].actions


def test_a_stack_stays_whole() -> None:
    b = builder()
    b.stack("s", "s_t", 3, f=8)
    b.header("lone", "s_t")
    program = remove_unused_declarations.run(made(b, b.set("h.a", b.get("s[1].f"))))
    verify(program)
    assert {"s[0]", "s[1]", "s[2]"} <= set(program.header)
    assert "lone" not in program.header


def test_intrinsics_and_action_data_stay_declared() -> None:
    b = builder()
    b.action("put", p=8)
    b.table("t", [("h.a", "exact")], ["put"])
    program = optimise(made(b, apply("t")))
    verify(program)
    assert "put.p" in program.variable
    assert set(program.intrinsic.values()) <= set(program.variable)
    assert not {"m.x", "m.y", "l"} & set(program.variable)


def test_what_a_bridge_carries_is_written_and_declared() -> None:
    b = builder()
    b.header("carried", "h_t")
    b.variable("along", 8, Storage.INTRINSIC)
    program = made(b, b.set("along", 1), b.set("carried.a", 2), b.set("m.x", 3))
    program = replace(program, bridges=(Bridge("normal", ("along",), ("carried",), AT),))
    verify(program)
    assert after(optimise, program).splitlines() == ["along = 8w1;", "carried.a = 8w2;"]


def test_metadata_come_into_a_control_as_they_were_left() -> None:
    b = builder()
    parser = (state("start", [extract("h"), b.set("m.x", b.get("h.a"))], goto("accept")),)
    body = b.set("h.b", b.get("m.x"))
    program = b.build(parser, [body], deparser=[emit("h")])
    assert after(propagate_copies.run, program) == print_body((body,))


# --- the list of passes ----------------------------------------------------------------------------------------------


def counting_down(program: Program) -> Program:
    """One extern less, of those that nothing names."""
    return replace(program, externs=program.externs[:-1])


@pytest.mark.parametrize(("count", "left", "rounds"), [(0, 0, 1), (1, 0, 2), (3, 0, 4), (4, 0, 4), (6, 2, 4)])
def test_passes_run_in_rounds_until_nothing_changes(count: int, left: int, rounds: int) -> None:
    b = builder()
    for number in range(count):
        b.extern(f"r{number}", "register", size=4, width=8)
    seen: list[tuple[str, int]] = []
    program = optimise(
        made(b),
        lambda name, program: seen.append((name, len(program.externs))),
        (("less", counting_down), ("same", lambda program: program)),
    )
    assert len(program.externs) == left
    each = [max(0, count - number) for number in range(1, rounds + 1)]
    assert seen == [(name, number) for number in each for name in ("less", "same")]


def test_a_pass_that_breaks_a_program_is_told() -> None:
    b = builder()
    program = made(b, b.set("h.a", b.get("m.x")))
    passes = (("same", lambda program: program), ("breaks", lambda program: replace(program, variables=())))
    with pytest.raises(BadPass, match=r"^the pass 'breaks' makes malformed HLIR") as raised:
        optimise(program, None, passes)
    assert raised.value.name == "breaks" and raised.value.page == "docs/extend/pass.md"
