"""Syntax of P4-14: trees and spans."""

from __future__ import annotations

import pytest
from aux_frontend.line_map import LineMap
from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.lexer import number_of
from aux_frontend.p4_14.parser import parse

from transpiler.diagnostics import Diagnostics


def read(text: str) -> tuple[ast.Declaration, ...]:
    diagnostics = Diagnostics()
    found = parse(LineMap(text, diagnostics.sources, "x.p4"), diagnostics)
    assert diagnostics.render() == ""
    return found


def condition(text: str) -> str:
    (control,) = read(f"control c {{ if ({text}) {{ }} }}")
    assert isinstance(control, ast.Control)
    statement = control.body[0]
    assert isinstance(statement, ast.If)
    return show(statement.condition)


def show(expression: ast.Expression) -> str:
    match expression:
        case ast.Number(value=value):
            return str(value)
        case ast.Truth(value=value):
            return str(value).lower()
        case ast.Ref(name=name):
            return name.text
        case ast.FieldRef(header=header, field=field):
            return f"{header.name.text}.{field.text}"
        case ast.Valid(header=header):
            return f"valid({header.name.text})"
        case ast.Current():
            return "current"
        case ast.Unary(op=op, operand=operand):
            return f"({op}{show(operand)})"
        case ast.Binary(op=op, left=left, right=right):
            return f"({show(left)} {op} {show(right)})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b + 1 * 2 == 3", "((a.b + (1 * 2)) == 3)"),
        ("a.b & 1 == 1", "((a.b & 1) == 1)"),  # unlike C
        ("a.b == 1 or c.d == 2 and e.f == 3", "((a.b == 1) || ((c.d == 2) && (e.f == 3)))"),
        ("not valid(a) and true", "((!valid(a)) && true)"),
        ("a.b - 1 - 2 > 0", "(((a.b - 1) - 2) > 0)"),
        ("-a.b << 2 < ~c.d", "(((-a.b) << 2) < (~c.d))"),
        ("(a.b | 1) != 0", "((a.b | 1) != 0)"),
        ("valid.a == 1 and valid(valid)", "((valid.a == 1) && valid(valid))"),
        ("a.b >> 1 + 2 > 0", "((a.b >> (1 + 2)) > 0)"),
        ("a.b ^ 1 & 2 | 4 > 0", "(((a.b ^ (1 & 2)) | 4) > 0)"),
    ],
)
def test_precedence(text: str, expected: str) -> None:
    assert condition(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x1F", (31, None)),
        ("0b101", (5, None)),
        ("8'0xff", (255, 8)),
        ("16w10", (10, 16)),
        ("8'-1", (-1, 8)),
        ("1_000", (1000, None)),
        ("12ab", None),
        ("0x", None),
    ],
)
def test_numbers(text: str, value: tuple[int, int | None] | None) -> None:
    assert number_of(text) == value


def test_keywords_are_names_too() -> None:
    (header_type, instance, action) = read(
        "header_type header { fields { length : 8; mask : 4; size : 4 (signed, saturating); data : *; }"
        " length : length * 2; max_length : 60; }\n"
        "header header action[3];\n"
        "action table(counter) { modify_field(action[0].mask, counter); }"
    )
    assert isinstance(header_type, ast.HeaderType)
    assert [f.name.text for f in header_type.fields] == ["length", "mask", "size", "data"]
    assert [(f.signed, f.saturating) for f in header_type.fields[:3]] == [(False, False), (False, False), (True, True)]
    assert header_type.fields[3].width is None
    assert isinstance(instance, ast.Instance)
    assert (instance.type.text, instance.name.text) == ("header", "action")
    assert isinstance(action, ast.Action)
    assert action.parameters[0].text == "counter"


def test_blocks_that_are_there_twice_add_up() -> None:
    table, calculation, instance, stateful = read(
        "table t { reads { a.b : exact; } actions { x; } reads { c.d : lpm; } actions { y; z; } }\n"
        "field_list_calculation c { input { l; } input { m; n; } algorithm : one; algorithm { two; three; } output_width : 9; }\n"
        "blackbox thing it { size : 4; }\n"
        "meter o { type : bytes; instance_count : 1; implementation : tcm; attributes : saturating; }\n"
    )
    assert isinstance(table, ast.Table) and isinstance(calculation, ast.Calculation)
    assert [one.kind.text for one in table.reads] == ["exact", "lpm"]
    assert [one.text for one in table.actions] == ["x", "y", "z"]
    assert [one.text for one in calculation.inputs] == ["l", "m", "n"]
    assert [one.text for one in calculation.algorithms] == ["one", "two", "three"]
    assert isinstance(instance, ast.ExternInstance) and [one.text for one in instance.attributes] == ["size"]
    assert isinstance(stateful, ast.Stateful) and stateful.width is None


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("signed", (True, False)), ("saturating", (False, True)), ("saturating, signed", (True, True)),
        ("signed, saturating", (True, True)),
    ],
)  # fmt: skip
def test_attributes_of_fields_stand_in_any_order(words: str, found: tuple[bool, bool]) -> None:
    (header_type,) = read(f"header_type h {{ fields {{ a : 8 ({words}); }} }}")
    assert isinstance(header_type, ast.HeaderType)
    assert [(one.signed, one.saturating) for one in header_type.fields] == [found]


def test_pragmas_belong_to_the_next_declaration() -> None:
    (first, second) = read("@pragma size 4, 5\n@pragma quiet\nparser_value_set a;\nparser_value_set b;\n")
    assert isinstance(first, ast.ValueSet)
    assert [(p.name, p.operands) for p in first.pragmas] == [("size", ("4", "5")), ("quiet", ())]
    assert isinstance(second, ast.ValueSet)
    assert second.pragmas == ()


def test_select_cases() -> None:
    (state,) = read("parser p { return select(latest.a, current(0, 8)) { 1 mask 3, 2 : x; default : parse_error e; } }")
    assert isinstance(state, ast.ParserState)
    assert isinstance(state.exit, ast.Select)
    case, default = state.exit.cases
    assert [v.mask is not None for v in case.values] == [True, False]
    assert default.values[0].value is None
    assert default.go.error


def test_current_is_a_name_where_no_parenthesis_follows() -> None:
    (state,) = read("parser p { return select(current.a, current(0, 8)) { default : ingress; } }")
    assert isinstance(state, ast.ParserState) and isinstance(state.exit, ast.Select)
    assert [type(part) for part in state.exit.subjects] == [ast.FieldRef, ast.Current]


def test_spans_point_at_names() -> None:
    (table,) = read("table t {\n    reads { h.f mask 0xf0 : exact; }\n    actions { a; }\n}\n")
    assert isinstance(table, ast.Table)
    assert str(table.name.span) == "x.p4:1:7"
    assert str(table.reads[0].kind.span) == "x.p4:2:29"
    assert str(table.actions[0].span) == "x.p4:3:15"


@pytest.mark.parametrize("text", ["(" * 5000, "!" * 5000, "a.b" + " + a.b" * 5000, "{" * 5000])
def test_hostile_nesting_is_an_error(text: str) -> None:
    diagnostics = Diagnostics()
    parse(LineMap(f"control c {{ if ({text}", diagnostics.sources, "x.p4"), diagnostics)
    assert diagnostics.error_count


@pytest.mark.parametrize(
    ("parameters", "count"),
    [("", 0), ("in int a", 1), ("in int a, in int b", 2), ("in list<(a, b)> c", 1), ("in (a, (b, c)) d, in int e", 2)],
)
def test_parameters_of_methods_are_counted(parameters: str, count: int) -> None:
    (found,) = read(
        f"extern_type e {{ attribute a {{ type : int; }} method m({parameters}); method n() {{ x {{ }} }} }}"
    )
    assert isinstance(found, ast.ExternType)
    assert [(name.text, number) for name, number in found.methods] == [("m", count), ("n", 0)]
    assert [name.text for name in found.attributes] == ["a"]
