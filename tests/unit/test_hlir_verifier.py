"""The HLIR verifier: a well-formed program passes, each kind of damage is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from transpiler.diagnostics import Span
from transpiler.externs.table import KINDS
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.printer import print_program
from transpiler.hlir.types import Bits, Bool, Enum, Field, HeaderType, String, Type, Varbit
from transpiler.verifier import Malformed, verify
from transpiler.verifier.program import MAX_WIDTH

AT = Span("t.p4", 3, 5)
ERRORS = Enum("error", pr.CORE_ERRORS)
ETHERNET = HeaderType("ethernet_t", (Field("dst", Bits(48), AT), Field("type", Bits(16), AT)), AT)
TYPE = ex.Read(ex.FieldRef(ex.HeaderRef("hdr.eth", AT), "type", AT), Bits(16), AT)
PORT = ex.VariableRef("standard_metadata.egress_spec", AT)
DATA = ex.VariableRef("forward.port", AT)


def const(value: int, width: int) -> ex.Const:
    return ex.Const(value, Bits(width), AT)


def program(ingress: st.Body = (), start: st.Body = (), **changes: object) -> pr.Program:
    """A one-table program with the given bodies; `changes` replace parts of it."""
    parser = pr.ParserState(
        "start",
        (st.Extract(ex.HeaderRef("hdr.eth", AT), None, AT), *start),
        pr.Select((TYPE,), (pr.SelectCase((ex.ExactSet(const(0x800, 16), AT),), "accept", AT),), AT),
        AT,
    )
    table = pr.Table(
        "Ingress.t",
        (pr.TableKey(TYPE, pr.MatchKind.EXACT, "hdr.eth.type", AT),),
        (pr.ActionUse("Ingress.forward", AT),),
        pr.ActionCall("Ingress.forward", (const(1, 9),), AT),
        False,
        (pr.TableEntry((ex.ExactSet(const(5, 16), AT),), pr.ActionCall("Ingress.forward", (const(2, 9),), AT), 1, AT),),
        True,
        1024,
        None,
        (),
        AT,
    )
    body = (st.ApplyTable("Ingress.t", None, None, AT), *ingress)
    base = pr.Program(
        name="t",
        architecture=pr.Architecture.V1MODEL,
        header_types=(ETHERNET,),
        headers=(pr.Header("hdr.eth", "ethernet_t", AT),),
        stacks=(),
        variables=(
            pr.Variable("standard_metadata.egress_spec", Bits(9), pr.Storage.INTRINSIC, AT),
            pr.Variable("forward.port", Bits(9), pr.Storage.ACTION_DATA, AT),
        ),
        externs=(pr.ExternInstance("Ingress.r", "register", (("size", 4), ("width", 8)), AT),),
        value_sets=(),
        actions=(
            pr.Action("Ingress.forward", ("forward.port",), (st.Assign(PORT, ex.Read(DATA, Bits(9), AT), AT),), AT),
        ),
        tables=(table,),
        pipes=(
            pr.Parser("P", pr.Role.PARSER, (parser,), AT),
            pr.Control("Ingress", pr.Role.INGRESS, body, AT),
            pr.Control("D", pr.Role.DEPARSER, (st.Emit(ex.HeaderRef("hdr.eth", AT), AT),), AT),
        ),
        intrinsics=(("egress_spec", "standard_metadata.egress_spec"),),
        errors=ERRORS,
        span=AT,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def violations(damaged: pr.Program) -> str:
    with pytest.raises(Malformed) as caught:
        verify(damaged)
    return "\n".join(caught.value.violations)


def test_a_well_formed_program_passes() -> None:
    verify(program())


@pytest.mark.parametrize(
    ("value", "type_"), [(511, Bits(9)), (1, Bool()), (len(pr.CORE_ERRORS) - 1, ERRORS), (0, Varbit(8))]
)
def test_constants_that_fit(value: int, type_: Type) -> None:
    """Of varbits only the empty one."""
    kept = pr.Variable("kept", type_, pr.Storage.METADATA, AT)
    assign = st.Assign(ex.VariableRef("kept", AT), ex.Const(value, type_, AT), AT)
    verify(program((assign,), variables=(*program().variables, kept)))


@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        (st.Assign(PORT, const(1, 8), AT), "assigned value is bit<8>, not bit<9>"),
        (st.Assign(ex.VariableRef("nowhere", AT), const(1, 8), AT), "unknown variable nowhere"),
        (st.Assign(PORT, const(512, 9), AT), "constant 512 does not fit bit<9>"),
        (st.Assign(PORT, const(-1, 9), AT), "constant -1 does not fit bit<9>"),
        (
            st.Assign(PORT, ex.Const(1, Varbit(8), AT), AT),
            "constant 1 does not fit varbit<8>; assigned value is varbit<8>, not bit<9>",
        ),
        (
            st.Assign(PORT, ex.Const(2, Bool(), AT), AT),
            "constant 2 does not fit bool; assigned value is bool, not bit<9>",
        ),
        (
            st.Assign(PORT, ex.Const(len(pr.CORE_ERRORS), ERRORS, AT), AT),
            f"constant {len(pr.CORE_ERRORS)} does not fit error; assigned value is error, not bit<9>",
        ),
        (st.Assign(ex.FieldRef(ex.HeaderRef("hdr.eth", AT), "x", AT), const(0, 1), AT), "has no field x"),
        (st.Assign(ex.FieldRef(ex.HeaderRef("hdr.ip", AT), "x", AT), const(0, 1), AT), "unknown header hdr.ip"),
        (st.SetValid(ex.HeaderRef("hdr.ip", AT), True, AT), "unknown header hdr.ip"),
        (st.SetValid(ex.ElementRef("hdr.eth", const(0, 32), AT), True, AT), "unknown header hdr.eth"),
        (st.Leave("out", AT), "leaves out, which does not enclose it"),
        (st.If(TYPE, (), (), AT), "condition is bit<16>, not bool"),
        (st.Extract(ex.HeaderRef("hdr.eth", AT), None, AT), "Extract in a control"),
        (st.Emit(ex.HeaderRef("hdr.eth", AT), AT), "Emit in a control"),
        (st.ApplyTable("Ingress.u", None, None, AT), "unknown table Ingress.u"),
        (st.ApplyTable("Ingress.t", PORT, None, AT), "hit goes to a bool"),
        (st.CallExtern("register.peek", "Ingress.r", (), (), AT), "unknown extern method register.peek"),
        (st.CallExtern("register.read", None, (const(1, 32),), (PORT,), AT), "does not fit the instance None"),
        (st.CallExtern("register.read", "Ingress.r", (const(1, 32),), (PORT,), AT), "elements of Ingress.r are bit<8>"),
        (
            st.CallExtern("register.update", "Ingress.r", (const(1, 32), const(1, 8), ex.Text("add", AT)), (PORT,), AT),
            "elements of Ingress.r are bit<8>",
        ),
        (st.CallExtern("register.replace", "Ingress.r", (const(1, 32), const(1, 8)), (PORT,), AT), "are bit<8>"),
        (st.CallExtern("truncate.request", None, (), (), AT), "takes 1 inputs"),
        (
            st.CallExtern("register.write", "Ingress.r", (const(1, 32), const(1, 9)), (), AT),
            "elements of Ingress.r are",
        ),
        (st.CallExtern("register.write", "Ingress.x", (const(1, 32), const(1, 8)), (), AT), "the instance Ingress.x"),
        (
            st.CopyHeader(ex.HeaderRef("hdr.eth", AT), ex.HeaderRef("hdr.ip", AT), AT),
            "unknown header hdr.ip; copy between different header types",
        ),
        (st.ApplyTable("Ingress.t", None, PORT, AT), "a variable of the table's action enum"),
        (st.Switch(TYPE, (st.SwitchCase((1 << 16,), (), AT),), (), AT), "case 65536 is out of range"),
        (st.Switch(TYPE, (), (st.Leave("out", AT),), AT), "leaves out"),
        (st.Switch(TYPE, (st.SwitchCase((0, 65535), (st.Leave("in", AT),), AT),), (), AT), "leaves in"),
        (
            st.CallExtern("truncate.request", None, (TYPE,), (), AT),
            "truncate.request has bit<16> where bit<32> belongs",
        ),
        (st.CallExtern("assert.check", None, (TYPE,), (), AT), "assert.check has bit<16> where bool belongs"),
        (
            st.CallExtern("hash.compute", None, (TYPE, ex.ListExpression((TYPE,), AT)), (PORT,), AT),
            "hash.compute has bit<16> where a text belongs",
        ),
        (st.CallExtern("random.range", None, (TYPE, ex.Text("x", AT)), (PORT,), AT), "string where a number belongs"),
        (st.CallExtern("random.range", None, (TYPE, ex.ListExpression((), AT)), (PORT,), AT), "a list where a number"),
        (st.Switch(TYPE, (st.SwitchCase((1, 1), (), AT),), (), AT), "out of range or there twice"),
        (
            st.Assign(PORT, ex.Binary(ex.BinaryOp.ADD, const(1, 9), TYPE, Bits(9), AT), AT),
            "bit<9> + bit<16> as bit<9>",
        ),
        (st.Assign(PORT, ex.Slice(TYPE, 16, 8, AT), AT), "[16:8] of bit<16>"),
        (st.Assign(PORT, ex.Unary(ex.UnaryOp.NOT, const(1, 9), Bits(9), AT), AT), "! of bit<9>"),
        (st.Assign(PORT, ex.Cast(ex.Const(0, ERRORS, AT), Bits(9), AT), AT), "cast of error to bit<9>"),
    ],
)
def test_a_bad_statement_is_named(statement: st.Statement, complaint: str) -> None:
    """By this and nothing else, at its place."""
    for told, wanted in zip(violations(program(ingress=(statement,))).splitlines(), complaint.split("; "), strict=True):
        assert told.startswith("t.p4:3:5: ") and wanted in told


ETH = ex.HeaderRef("hdr.eth", AT)
ONE = const(1, 9)
FLAG = ex.Const(1, Bool(), AT)
NO_ERROR = ex.Const(0, ERRORS, AT)
NEGATED = ex.Unary(ex.UnaryOp.NEGATE, NO_ERROR, ERRORS, AT)


def binary(op: ex.BinaryOp, left: ex.Expression, right: ex.Expression, type_: Type) -> ex.Binary:
    return ex.Binary(op, left, right, type_, AT)


@pytest.mark.parametrize(
    ("value", "well"),
    [
        (binary(ex.BinaryOp.ADD, ONE, ONE, Bits(9)), True),
        (binary(ex.BinaryOp.ADD, ONE, ONE, Bits(8)), False),
        (binary(ex.BinaryOp.ADD, FLAG, FLAG, Bool()), False),
        (binary(ex.BinaryOp.CONCAT, const(1, 4), const(1, 5), Bits(9)), True),
        (binary(ex.BinaryOp.CONCAT, const(1, 4), const(1, 4), Bits(9)), False),
        (binary(ex.BinaryOp.CONCAT, const(1, 4), FLAG, Bits(9)), False),
        (binary(ex.BinaryOp.CONCAT, FLAG, const(1, 4), Bits(9)), False),
        (ex.Cast(binary(ex.BinaryOp.CONCAT, const(1, 4), const(1, 5), Bool()), Bits(9), AT), False),
        (ex.Cast(binary(ex.BinaryOp.SHL, FLAG, const(1, 3), Bool()), Bits(9), AT), False),
        (binary(ex.BinaryOp.SHL, ONE, const(1, 3), Bits(9)), True),
        (binary(ex.BinaryOp.SHL, ONE, FLAG, Bits(9)), False),
        (binary(ex.BinaryOp.SHL, const(1, 8), const(1, 3), Bits(9)), False),
        (binary(ex.BinaryOp.LT, ONE, ONE, Bits(9)), False),
        (ex.Conditional(FLAG, ONE, ONE, Bits(9), AT), True),
        (ex.Conditional(ONE, ONE, ONE, Bits(9), AT), False),
        (ex.Conditional(FLAG, const(1, 8), ONE, Bits(9), AT), False),
        (ex.Conditional(FLAG, ONE, const(1, 8), Bits(9), AT), False),
        (ex.Slice(TYPE, 8, 0, AT), True),
        (ex.Slice(TYPE, 15, 7, AT), True),
        (ex.Slice(ex.Slice(TYPE, 20, 0, AT), 8, 0, AT), False),
        (ex.Cast(FLAG, Bits(9), AT), True),
        (ex.Cast(ex.Cast(const(1, 3), Bool(), AT), Bits(9), AT), True),
        (ex.Unary(ex.UnaryOp.NEGATE, ONE, Bits(9), AT), True),
        (ex.Unary(ex.UnaryOp.NEGATE, const(1, 8), Bits(9), AT), False),
        (ex.Cast(ex.Unary(ex.UnaryOp.NEGATE, FLAG, Bool(), AT), Bits(9), AT), False),
        (ex.Cast(binary(ex.BinaryOp.EQ, NEGATED, NO_ERROR, Bool()), Bits(9), AT), False),
        (ex.Cast(ex.Unary(ex.UnaryOp.NOT, FLAG, Bool(), AT), Bits(9), AT), True),
        (ex.Cast(binary(ex.BinaryOp.LT, ONE, ONE, Bool()), Bits(9), AT), True),
        (ex.Cast(binary(ex.BinaryOp.LT, FLAG, FLAG, Bool()), Bits(9), AT), False),
        (ex.Cast(binary(ex.BinaryOp.EQ, FLAG, FLAG, Bool()), Bits(9), AT), True),
        (ex.Cast(binary(ex.BinaryOp.EQ, FLAG, ONE, Bool()), Bits(9), AT), False),
        (ex.Cast(binary(ex.BinaryOp.LAND, FLAG, FLAG, Bool()), Bits(9), AT), True),
        (ex.Cast(binary(ex.BinaryOp.LAND, FLAG, ONE, Bool()), Bits(9), AT), False),
        (ex.Cast(ex.IsValid(ETH, AT), Bits(9), AT), True),
        (ex.Cast(ex.IsValid(ex.HeaderRef("hdr.ip", AT), AT), Bits(9), AT), False),
        (ex.Read(PORT, Bits(9), AT), True),
        (ex.Cast(ex.Read(PORT, Bits(8), AT), Bits(9), AT), False),
        (ex.Cast(ex.Const(2, Bool(), AT), Bits(9), AT), False),
        (const(511, 9), True),
    ],
)
def test_expressions(value: ex.Expression, well: bool) -> None:
    made = program(ingress=(st.Assign(PORT, value, AT),))
    if well:
        verify(made)
    else:
        assert violations(made)


@pytest.mark.parametrize(
    ("start", "complaint"),
    [
        (st.Extract(ETH, const(8, 32), AT), "a varbit width goes with a varbit field"),
        (st.Lookahead(PORT, Bits(8), AT), "lookahead of bit<8> into another type"),
        (st.Advance(FLAG, AT), "a number is needed, this is bool"),
        (st.Verify(ONE, ex.Const(0, ERRORS, AT), AT), "condition is bit<9>, not bool"),
        (st.Verify(FLAG, ONE, AT), "error is bit<9>, not error"),
        (st.Emit(ETH, AT), "Emit in a parser"),
    ],
)
def test_what_only_parsers_do(start: st.Statement, complaint: str) -> None:
    assert complaint in violations(program(start=(start,)))


def parser(*cases: pr.SelectCase, transition: pr.Goto | None = None, name: str = "start") -> pr.Program:
    """The program with another parser."""
    state = pr.ParserState(name, (), transition or pr.Select((TYPE,), cases, AT), AT)
    good = program(value_sets=(pr.ValueSet("vs", (Bits(16),), (pr.MatchKind.EXACT,), 4, AT),
                               pr.ValueSet("wide", (Bits(8),), (pr.MatchKind.EXACT,), 4, AT)))  # fmt: skip
    return replace(good, pipes=(replace(good.pipes[0], states=(state,)), *good.pipes[1:]))


def test_transitions() -> None:
    def case(to: str, *keys: ex.KeySet) -> pr.SelectCase:
        return pr.SelectCase(keys, to, AT)

    of_set, wide = ex.ValueSetRef("vs", AT), ex.ValueSetRef("wide", AT)
    some = (ex.RangeSet(const(1, 16), const(2, 16), AT), ex.MaskSet(const(1, 16), const(1, 16), AT), ex.AnySet(AT))
    verify(parser(*(case("accept", key) for key in (*some, of_set)), case("reject", ex.AnySet(AT))))
    verify(parser(transition=pr.Goto("reject", AT)))
    assert "unknown state lost" in violations(parser(transition=pr.Goto("lost", AT)))
    assert "unknown state lost" in violations(parser(case("lost", ex.AnySet(AT))))
    assert "unknown value set none" in violations(parser(case("accept", ex.ValueSetRef("none", AT))))
    assert "wide does not fit what is selected on" in violations(parser(case("accept", wide)))
    assert "2 keys for 1 values" in violations(parser(case("accept", of_set, ex.AnySet(AT))))
    seven = ex.ExactSet(const(7, 16), AT)
    assert "2 keys for 1 values" in violations(parser(case("accept", seven, seven)))
    narrow = ex.MaskSet(const(1, 16), const(1, 8), AT)
    assert "key is bit<8>, not bit<16>" in violations(parser(case("accept", narrow)))
    assert "one named like a final state" in violations(parser(transition=pr.Goto("accept", AT), name="accept"))
    good = program()
    assert "has no state" in violations(replace(good, pipes=(replace(good.pipes[0], states=()), *good.pipes[1:])))


def test_declarations() -> None:
    good = program()
    table, action = good.tables[0], good.actions[0]
    strange = HeaderType("ethernet_t", (Field("dst", Bits(0), AT), Field("type", Bits(16), AT)), AT)
    two = HeaderType("two_t", (Field("a", Varbit(8), AT), Field("b", Varbit(8), AT)), AT)
    one = HeaderType("one_t", (Field("a", Varbit(8), AT), Field("a", Bits(8), AT)), AT)
    register = good.externs[0]
    entry = replace(table.entries[0], keys=(ex.MaskSet(const(1, 16), TYPE, AT),))
    for damaged, complaint in (
        ({"header_types": (strange,)}, "field ethernet_t.dst cannot be bit<0>"),
        ({"header_types": (ETHERNET, two)}, "header type two_t has 2 varbit fields"),
        ({"header_types": (ETHERNET, one)}, "field of one_t name 'a' is empty or used twice"),
        (
            {"variables": (*good.variables, pr.Variable("text", String(), pr.Storage.LOCAL, AT))},
            f"variable text cannot hold {String()}",
        ),
        ({"headers": (*good.headers, pr.Header("", "ethernet_t", AT))}, "header name '' is empty or used twice"),
        ({"headers": (*good.headers, pr.Header("hdr.x", "none_t", AT))}, "hdr.x has the unknown header type none_t"),
        ({"stacks": (pr.HeaderStack("hdr.s", "ethernet_t", 0, AT),)}, "stack hdr.s has 0 elements"),
        ({"externs": (replace(register, kind="oven"),)}, "is of the unknown extern kind oven"),
        ({"externs": (replace(register, attributes=(("size", -1), ("width", 8))),)}, "Ingress.r has size -1"),
        ({"intrinsics": (("egress_spec", "forward.port"),)}, "forward.port is not an intrinsic variable"),
        ({"bridges": (pr.Bridge("normal", ("forward.port",), (), AT),)}, "forward.port is not an intrinsic variable"),
        ({"bridges": (pr.Bridge("normal", (), ("none",), AT),)}, "none is not a header of the packet"),
        ({"bridges": (pr.Bridge("normal", (), (), AT),) * 2}, "bridge name 'normal' is empty or used twice"),
        (
            {"actions": (replace(action, parameters=("standard_metadata.egress_spec",)),)},
            "standard_metadata.egress_spec of Ingress.forward is not an action data variable",
        ),
        ({"actions": (replace(action, parameters=("nothing",)),)}, "nothing of Ingress.forward is not an action data"),
        ({"tables": (replace(table, size=-1),)}, "table Ingress.t has size -1"),
        ({"tables": (replace(table, actions=(*table.actions, pr.ActionUse("no", AT))),)}, "uses the unknown action no"),
        ({"tables": (replace(table, implementation="Ingress.r"),)}, "table Ingress.t cannot use Ingress.r"),
        ({"tables": (replace(table, direct=("none",)),)}, "table Ingress.t cannot use none"),
        ({"tables": (replace(table, entries=(entry,)),)}, "an entry of Ingress.t has a key that is not constant"),
        ({"errors": replace(ERRORS, name="mine")}, "errors do not begin with those of core.p4"),
    ):
        assert complaint in violations(program(**damaged)), complaint
    foreign, other = pr.ActionCall("Ingress.other", (), AT), pr.Action("Ingress.other", (), (), AT)
    called = replace(table, default_action=foreign)
    named = replace(called, actions=(*table.actions, pr.ActionUse("Ingress.other", AT)))
    for tables, actions in (((called,), good.actions), ((called,), (*good.actions, other)), ((named,), good.actions)):
        told = violations(program(tables=tables, actions=actions))
        assert "Ingress.other is not an action of table" in told
    verify(program(tables=(named,), actions=(*good.actions, other)))


def test_entries_have_no_keys_of_selectors() -> None:
    good = program()
    selector = pr.ExternInstance(
        "Ingress.s", "action_selector", (("size", 4), ("algorithm", "crc16"), ("width", 8)), AT
    )
    keys = (*good.tables[0].keys, pr.TableKey(TYPE, pr.MatchKind.SELECTOR, "hash", AT))
    verify(program(tables=(replace(good.tables[0], keys=keys),), externs=(*good.externs, selector)))


@pytest.mark.parametrize("type_", [Bits(1), Bits(MAX_WIDTH), Varbit(1), Varbit(MAX_WIDTH)])
def test_fields_have_a_bit_at_least_and_not_too_many(type_: Type) -> None:
    def having(type_: Type) -> pr.Program:
        return program(header_types=(ETHERNET, HeaderType("odd_t", (Field("a", type_, AT),), AT)))  # type: ignore[arg-type]

    verify(having(type_))
    kind = type(type_)
    for width in (0, MAX_WIDTH + 1):
        assert "field odd_t.a cannot be" in violations(having(kind(width)))  # type: ignore[arg-type, call-arg]


@pytest.mark.parametrize(
    ("size", "well"), [(-1, False), (0, True), (1, True), (pr.MAX_SIZE, True), (pr.MAX_SIZE + 1, False)]
)
def test_sizes_of_tables_and_externs(size: int, well: bool) -> None:
    (table,), (register,) = program().tables, program().externs
    wrong = {
        "table Ingress.t has size": program(tables=(replace(table, size=size),)),
        "Ingress.r has size": program(externs=(replace(register, attributes=(("size", size), ("width", 8))),)),
    }
    for complaint, made in wrong.items():
        if well:
            verify(made)
        else:
            assert f"{complaint} {size}" in violations(made)


@pytest.mark.parametrize(("width", "well"), [(0, True), (1, True), (MAX_WIDTH, True), (MAX_WIDTH + 1, False)])
def test_widths_of_variables(width: int, well: bool) -> None:
    made = program(
        variables=(*program().variables, pr.Variable("more", Bits(width), pr.Storage.METADATA, AT)),
    )
    if well:
        verify(made)
    else:
        assert violations(made).endswith(f"variable more has bit<{width}>")


@pytest.mark.parametrize(
    ("kind", "as_implementation", "as_direct"),
    [
        ("action_profile", True, False),
        ("action_selector", True, False),
        ("direct_counter", False, True),
        ("direct_meter", False, True),
        ("register", False, False),
    ],
)
def test_externs_that_tables_use(kind: str, as_implementation: bool, as_direct: bool) -> None:
    (table,) = program().tables
    externs = (pr.ExternInstance("x", kind, tuple((name, 1) for name in KINDS[kind].attributes), AT),)
    for changed, well in (
        (replace(table, implementation="x"), as_implementation),
        (replace(table, direct=("x",)), as_direct),
    ):
        made = program(externs=externs, tables=(changed,))
        if well:
            verify(made)
        else:
            assert violations(made).endswith("table Ingress.t cannot use x")


def test_bridges_carry_intrinsic_variables_and_headers_of_the_packet() -> None:
    variables = (*program().variables, pr.Variable("kept", Bits(8), pr.Storage.METADATA, AT))
    headers = (*program().headers, pr.Header("local", "ethernet_t", AT, True))

    def carrying(*names: str, headers_of: tuple[str, ...] = ()) -> pr.Program:
        bridges = (pr.Bridge("a", names, headers_of, AT), pr.Bridge("b", (), (), AT))
        return program(variables=variables, headers=headers, bridges=bridges)

    verify(carrying("standard_metadata.egress_spec", headers_of=("hdr.eth",)))
    for name in ("kept", "forward.port", "nowhere"):
        assert f"bridge a: {name} is not an intrinsic variable" in violations(carrying(name))
    for name in ("local", "nowhere"):
        assert f"bridge a: {name} is not a header of the packet" in violations(carrying(headers_of=(name,)))


def test_all_violations_are_listed() -> None:
    text = violations(program(ingress=(st.Leave("a", AT), st.Leave("b", AT))))
    assert "leaves a" in text
    assert "leaves b" in text


def test_statements_of_other_pipes_are_refused_in_parsers() -> None:
    text = violations(program(start=(st.ApplyTable("Ingress.t", None, None, AT),)))
    assert "ApplyTable in a parser" in text


def test_labels_are_unique() -> None:
    twice = (st.Block("x", (), AT), st.Block("x", (), AT))
    assert "label x is used twice" in violations(program(ingress=twice))


def test_names_are_unique() -> None:
    header = pr.Header("hdr.eth", "ethernet_t", AT)
    assert "used twice" in violations(program(headers=(header, header)))


def test_stacks_have_their_elements() -> None:
    stack = pr.HeaderStack("hdr.vlan", "ethernet_t", 2, AT)
    assert "hdr.vlan[1] is not a header of type ethernet_t" in violations(program(stacks=(stack,)))


def test_tables_are_checked() -> None:
    good = program()
    table = good.tables[0]
    call = pr.ActionCall("Ingress.forward", (), AT)
    wrong_key = pr.TableEntry((ex.ExactSet(const(5, 8), AT),), table.default_action, 1, AT)
    arity = pr.TableEntry((), table.default_action, 1, AT)
    assert "do not fit its parameters" in violations(replace(good, tables=(replace(table, default_action=call),)))
    assert "key is bit<8>, not bit<16>" in violations(replace(good, tables=(replace(table, entries=(wrong_key,)),)))
    assert "0 keys for 1 values" in violations(replace(good, tables=(replace(table, entries=(arity,)),)))
    assert "cannot use Ingress.r" in violations(replace(good, tables=(replace(table, direct=("Ingress.r",)),)))


def test_extern_instances_have_their_attributes() -> None:
    lame = pr.ExternInstance("Ingress.r", "register", (("size", 4),), AT)
    assert "lacks the attribute width" in violations(program(externs=(lame,)))


@pytest.mark.parametrize(
    ("kind", "attributes"),
    [
        ("action_profile", ["size"]), ("action_selector", ["algorithm", "size", "width"]), ("counter", ["size", "unit"]),
        ("custom_crc", ["width"]), ("direct_counter", ["automatic", "unit"]),
        ("direct_meter", ["automatic", "unit"]), ("meter", ["size", "unit"]), ("register", ["size", "width"]),
    ],
)  # fmt: skip
def test_each_attribute_that_an_instance_of_a_kind_lacks_is_told(kind: str, attributes: list[str]) -> None:
    """In the order of their names, once each."""
    good = program(externs=(), tables=(), pipes=())
    with pytest.raises(Malformed) as caught:
        verify(replace(good, externs=(pr.ExternInstance("x", kind, (), AT),)))
    assert list(caught.value.violations) == [f"{AT}: {kind} x lacks the attribute {name}" for name in attributes]


def test_errors_begin_with_core() -> None:
    assert "core.p4" in violations(program(errors=Enum("error", ("Mine",))))


def test_the_printer_shows_every_part() -> None:
    label = st.Block("out", (st.If(ex.IsValid(ex.HeaderRef("hdr.eth", AT), AT), (st.Leave("out", AT),), (), AT),), AT)
    text = print_program(program(ingress=(label, st.Assign(PORT, const(511, 9), AT))))
    for line in (
        "program t (v1model)",
        "    bit<48> dst;",
        "    ethernet_t hdr.eth;",
        "    action_data bit<9> forward.port;",
        "    egress_spec = standard_metadata.egress_spec;",
        "extern register Ingress.r(size = 4, width = 8);",
        "action Ingress.forward(bit<9> forward.port) {",
        '        hdr.eth.type: exact @name("hdr.eth.type");',
        "    default_action = Ingress.forward(9w1);",
        "        priority 1: (16w5): Ingress.forward(9w2);",
        "            (16w0x800): accept;",
        "    out: {",
        "        if (hdr.eth.isValid()) {",
        "            leave out;",
        "    standard_metadata.egress_spec = 9w0x1ff;",
        "    emit(hdr.eth);",
    ):
        assert line + "\n" in text


def test_bool_and_signed_constants_read_as_such() -> None:
    flag = pr.Variable("flag", Bool(), pr.Storage.LOCAL, AT)
    number = pr.Variable("n", Bits(8, True), pr.Storage.LOCAL, AT)
    base = program()
    body = (
        st.Assign(ex.VariableRef("flag", AT), ex.Const(1, Bool(), AT), AT),
        st.Assign(ex.VariableRef("n", AT), ex.Const(0xFF, Bits(8, True), AT), AT),
    )
    changed = program(ingress=body, variables=(*base.variables, flag, number))
    verify(changed)
    assert "    flag = true;\n    n = 8s-1;\n" in print_program(changed)
