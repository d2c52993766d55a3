"""The P4-16 parser: what the tree looks like where the grammar needs care; wrong programs are in tests/errors/syntax."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.lexer import integer
from aux_frontend.p4_16.parser import parse
from aux_frontend.preprocess import P4INCLUDE

from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source


@pytest.fixture
def program(tmp_path: Path):  # type: ignore[no-untyped-def]
    def parsed(text: str) -> ast.Program:
        file = tmp_path / "a.p4"
        file.write_text(text)
        diagnostics = Diagnostics()
        try:
            return parse(Source(file), diagnostics)
        except Rejected:
            pytest.fail(diagnostics.render())

    return parsed


def show(node: object) -> str:
    """A tree as text, fully bracketed; spans left out."""
    if isinstance(node, tuple):
        return "[" + ", ".join(show(item) for item in node) + "]"
    if not isinstance(node, ast.Node):
        return repr(node) if isinstance(node, str) else str(node)
    match node:
        case ast.Path(name=name, absolute=absolute) | ast.NamedType(name=name, absolute=absolute):
            return "." * absolute + name
        case ast.IntLiteral(value=value):
            return str(value)
        case ast.BinaryExpression():
            return f"({show(node.left)} {node.operator} {show(node.right)})"
        case ast.Argument(name=None, value=value):
            return show(value)
    fields = [name for c in type(node).__mro__[::-1] for name in getattr(c, "__slots__", ()) if name != "span"]
    return f"{type(node).__name__}(" + ", ".join(show(getattr(node, name)) for name in fields) + ")"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("1 + 2 * 3", "(1 + (2 * 3))"),
        ("1 - 2 - 3", "((1 - 2) - 3)"),
        ("a & 1 == 2", "((a & 1) == 2)"),
        ("a < 1 == b > 2", "((a < 1) == (b > 2))"),
        ("a ++ b |+| c << 2", "(((a ++ b) |+| c) << 2)"),
        ("a || b && c", "(a || (b && c))"),
        ("a >> 2 > b", "((a >> 2) > b)"),
        ("a >b", "(a > b)"),
        ("a>b", "(a > b)"),
        ("a>>b", "(a >> b)"),
        ("a >>b>= c", "((a >> b) >= c)"),
        ("a << b > c", "((a << b) > c)"),
        ("a - b - c", "((a - b) - c)"),
        ("a == b && c != d || e", "(((a == b) && (c != d)) || e)"),
        ("a | b ^ c & d", "(a | (b ^ (c & d)))"),
        ("a ++ b + c |+| d", "(((a ++ b) + c) |+| d)"),
        ("a < b == c", "((a < b) == c)"),
        ("!a.f()", "UnaryExpression('!', Call(Member(a, 'f'), [], []))"),
        ("- - a", "UnaryExpression('-', UnaryExpression('-', a))"),
        ("(bit<(a > b ? 1 : 2)>) c", "CastExpression(SizedType('bit', ConditionalExpression((a > b), 1, 2)), c)"),
        ("(bit<f(a > b)>) c", "CastExpression(SizedType('bit', Call(f, [], [(a > b)])), c)"),
        ("(bit<a[b > c:0]>) d", "CastExpression(SizedType('bit', SliceExpression(a, (b > c), 0, False)), d)"),
        ("f<bit<a>>(c)", "Call(f, [SizedType('bit', a)], [c])"),
        ("(bit<8>[2]) a", "CastExpression(StackType(SizedType('bit', 8), 2), a)"),
        ("(undeclared) a", "CastExpression(undeclared, a)"),
        ("(undeclared) - a", "(undeclared - a)"),
        ("(undeclared)", "undeclared"),
        ("(undeclared) {#}", "CastExpression(undeclared, InvalidExpression())"),
        ("(undeclared) {a}", "CastExpression(undeclared, ListExpression([a], False))"),
        ("(undeclared) true", "CastExpression(undeclared, BoolLiteral(True))"),
        ("(undeclared) false", "CastExpression(undeclared, BoolLiteral(False))"),
        ("(undeclared) 1", "CastExpression(undeclared, 1)"),
        ('(undeclared) "a"', "CastExpression(undeclared, StringLiteral('a'))"),
        ("(bit) 1", "CastExpression(SizedType('bit', 1), 1)"),
        (".b + b", "(.b + b)"),
        ("{1, 2,}", "ListExpression([1, 2], False)"),
        ("{}", "ListExpression([], False)"),
        ("{x = 1, ...,}", "StructExpression([KeyValue('x', 1)], True)"),
        ("{...}", "ListExpression([], True)"),
        ("f(...)", "Call(f, [], [DefaultExpression(True)])"),
        ("a ? b : c ? d : e", "ConditionalExpression(a, b, ConditionalExpression(c, d, e))"),
        ("-a.b[3]", "UnaryExpression('-', Index(Member(a, 'b'), 3))"),
        ("(T) a + b", "(CastExpression(T, a) + b)"),
        ("(a) + b", "(a + b)"),
        ("(bit<8>) -a", "CastExpression(SizedType('bit', 8), UnaryExpression('-', a))"),
        ("a[7:0]", "SliceExpression(a, 7, 0, False)"),
        ("a[i+:4]", "SliceExpression(a, i, 4, True)"),
        ("a < b > (c)", "((a < b) > c)"),
        ("f<T>(c)", "Call(f, [T], [c])"),
        ("f<list<list<T>>>(_)", "Call(f, [ListType(ListType(T))], [None])"),
        ("f(x = 1, y = _)", "Call(f, [], [Argument('x', 1), Argument('y', None)])"),
        ("T.member", "Member(TypeExpression(T), 'member')"),
        ("error.NoError", "Member(TypeExpression(BaseType('error')), 'NoError')"),
        (".T.member", "Member(TypeExpression(.T), 'member')"),
        ("{1, a, ...}", "ListExpression([1, a], True)"),
        ("{x = 1, y = 2}", "StructExpression([KeyValue('x', 1), KeyValue('y', 2)], False)"),
        ("(T){x = 1}", "CastExpression(T, StructExpression([KeyValue('x', 1)], False))"),
        ("{#}", "InvalidExpression()"),
        ("key + state.apply(list)", "(key + Call(Member(state, 'apply'), [], [list]))"),
        ('"a\\"b"', "StringLiteral('a\"b')"),
        (r'"a\\b\q\n\t\r"', repr("StringLiteral('a\\b\\q\n\t\r')")[1:-1]),
    ],
)
def test_expressions(program, text: str, tree: str) -> None:  # type: ignore[no-untyped-def]
    declarations = program(f"typedef bit<8> T; const bit<8> b = 1; const bool x = {text};").declarations
    assert show(declarations[-1].value) == tree


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", (0, None, False)),
        ("1_000", (1000, None, False)),
        ("0xFf_0", (0xFF0, None, False)),
        ("0b1_01", (5, None, False)),
        ("0o17", (15, None, False)),
        ("0d19", (19, None, False)),
        ("0XfF", (255, None, False)),
        ("0B101", (5, None, False)),
        ("0O17", (15, None, False)),
        ("0D19", (19, None, False)),
        ("8s0D15", (15, 8, True)),
        ("8w0x1F", (31, 8, False)),
        ("4s0b_101", (5, 4, True)),
        ("017", (17, None, False)),
    ],
)
def test_integers(text: str, value: tuple[int, int | None, bool]) -> None:
    assert integer(text) == value


@pytest.mark.parametrize("text", ["8x1", "0b2", "0o8", "8w", "0x", "0x_", "12ab", "8w-1", "9" * 5000])
def test_what_is_no_integer(text: str) -> None:
    assert isinstance(integer(text), str)


DECLARATIONS = [
    (
        "extern e<T, U> { e(bit<8> n); @x abstract @y T f<V>(in V v); U g(); }",
        "ExternDeclaration([], 'e', [TypeParameter([], 'T'), TypeParameter([], 'U')], [MethodPrototype([], "
        "'e', [], [Parameter([], 'n', '', SizedType('bit', 8), None)], None, False), "
        "MethodPrototype([Annotation('x', '', None), Annotation('y', '', None)], 'f', [TypeParameter([], "
        "'V')], [Parameter([], 'v', 'in', V, None)], T, True), MethodPrototype([], 'g', [], [], U, False)])",
    ),
    (
        "extern T f<T>(in T a, out bit<8> b, inout .t c, @optional int d, bool e = true);",
        "FunctionPrototype([], 'f', [TypeParameter([], 'T')], [Parameter([], 'a', 'in', T, None), "
        "Parameter([], 'b', 'out', SizedType('bit', 8), None), Parameter([], 'c', 'inout', .t, None), "
        "Parameter([Annotation('optional', '', None)], 'd', '', BaseType('int'), None), Parameter([], 'e', "
        "'', BaseType('bool'), BoolLiteral(True))], T)",
    ),
    (
        "extern .t f();",
        "FunctionPrototype([], 'f', [], [], .t)",
    ),
    (
        "error { A, B, }",
        "ErrorDeclaration([], 'error', [Name('A'), Name('B')])",
    ),
    (
        "match_kind { near, far }",
        "MatchKindDeclaration([], 'match_kind', [Name('near'), Name('far')])",
    ),
    (
        "enum e { one, two, }",
        "EnumDeclaration([], 'e', None, [EnumMember([], 'one', None), EnumMember([], 'two', None)])",
    ),
    (
        "enum bit<8> e { one = 1, two = one + 1 }",
        "EnumDeclaration([], 'e', SizedType('bit', 8), [EnumMember([], 'one', 1), EnumMember([], 'two', (one + 1))])",
    ),
    (
        "enum .t e { one = 1 }",
        "EnumDeclaration([], 'e', .t, [EnumMember([], 'one', 1)])",
    ),
    (
        "header h<T> { @x bit<8> a; T b[2]; bit<8>[2] c[3]; }",
        "HeaderDeclaration([], 'h', [TypeParameter([], 'T')], [FieldDeclaration([Annotation('x', '', None)], "
        "'a', SizedType('bit', 8)), FieldDeclaration([], 'b', StackType(T, 2)), FieldDeclaration([], 'c', "
        "StackType(StackType(SizedType('bit', 8), 2), 3))])",
    ),
    (
        "header_union u { t a; }",
        "HeaderUnionDeclaration([], 'u', [], [FieldDeclaration([], 'a', t)])",
    ),
    (
        "struct s { }",
        "StructDeclaration([], 's', [], [])",
    ),
    (
        "typedef bit<8>[4] four;",
        "TypedefDeclaration([], 'four', StackType(SizedType('bit', 8), 4), False)",
    ),
    (
        'typedef @x("y") struct s { bit<8> a; } other;',
        "TypedefDeclaration([], 'other', StructDeclaration([Annotation('x', '\"y\"', None)], 's', [], "
        "[FieldDeclaration([], 'a', SizedType('bit', 8))]), False)",
    ),
    (
        "typedef header h { bit<8> a; } other;",
        "TypedefDeclaration([], 'other', HeaderDeclaration([], 'h', [], [FieldDeclaration([], 'a', "
        "SizedType('bit', 8))]), False)",
    ),
    (
        "@a type bit<8> id;",
        "TypedefDeclaration([Annotation('a', '', None)], 'id', SizedType('bit', 8), True)",
    ),
    (
        "package p<T>(t<T> a, t<_> b = t());",
        "PackageDeclaration([], 'p', [TypeParameter([], 'T')], [Parameter([], 'a', '', SpecializedType(t, "
        "[T]), None), Parameter([], 'b', '', SpecializedType(t, [BaseType('_')]), Call(TypeExpression(t), [], "
        "[]))])",
    ),
    (
        "parser p<T>(packet_in b, out T h);",
        "ParserTypeDeclaration([], 'p', [TypeParameter([], 'T')], [Parameter([], 'b', '', packet_in, None), "
        "Parameter([], 'h', 'out', T, None)])",
    ),
    (
        "control c(inout t h);",
        "ControlTypeDeclaration([], 'c', [], [Parameter([], 'h', 'inout', t, None)])",
    ),
    (
        '@name("x") const bit<8> k = 1 + 2;',
        "ConstDeclaration([Annotation('name', '\"x\"', None)], 'k', SizedType('bit', 8), (1 + 2))",
    ),
    (
        "bit<8> f<T>(in T a) { return 1; }",
        "FunctionDeclaration([], 'f', [TypeParameter([], 'T')], [Parameter([], 'a', 'in', T, None)], "
        "SizedType('bit', 8), BlockStatement([], [ReturnStatement(1)]))",
    ),
    (
        "void f() { ; return; }",
        "FunctionDeclaration([], 'f', [], [], BaseType('void'), BlockStatement([], [EmptyStatement(), "
        "ReturnStatement(None)]))",
    ),
    (
        "@x t<bit<8>>(1, a = 2, _) main = { void f() { } t(3) inner; };",
        "Instantiation([Annotation('x', '', None)], 'main', SpecializedType(t, [SizedType('bit', 8)]), [1, "
        "Argument('a', 2), None], [FunctionDeclaration([], 'f', [], [], BaseType('void'), BlockStatement([], "
        "[])), Instantiation([], 'inner', t, [3], None)])",
    ),
    (
        "t() many[4];",
        "Instantiation([], 'many', StackType(t, 4), [], None)",
    ),
    (
        "action a(in bit<8> x, bit<8> y) { x = y; { } @y { } exit; }",
        "ActionDeclaration([], 'a', [Parameter([], 'x', 'in', SizedType('bit', 8), None), Parameter([], 'y', "
        "'', SizedType('bit', 8), None)], BlockStatement([], [AssignmentStatement(x, '=', y), "
        "BlockStatement([], []), BlockStatement([Annotation('y', '', None)], []), ExitStatement()]))",
    ),
    (
        "parser p(packet_in b)(bit<8> n) { value_set<t>(4) v; @x const bit<8> k = 1; t() i; bit<8> w; @y "
        "state start { b.extract(w); } state other { transition select(a, b) { (1, _): accept; v: other; "
        "default: reject; } } state last { transition start; } }",
        "ParserDeclaration([], 'p', [], [Parameter([], 'b', '', packet_in, None)], [Parameter([], 'n', '', "
        "SizedType('bit', 8), None)], [ValueSetDeclaration([], 'v', t, 4), ConstDeclaration([Annotation('x', "
        "'', None)], 'k', SizedType('bit', 8), 1), Instantiation([], 'i', t, [], None), "
        "VariableDeclaration([], 'w', SizedType('bit', 8), None)], [ParserState([Annotation('y', '', None)], "
        "'start', [CallStatement(Call(Member(b, 'extract'), [], [w]))], None), ParserState([], 'other', [], "
        "SelectExpression([a, b], [SelectCase(ListExpression([1, DontCare()], False), Name('accept')), "
        "SelectCase(v, Name('other')), SelectCase(DefaultExpression(False), Name('reject'))])), "
        "ParserState([], 'last', [], Name('start'))])",
    ),
    (
        "control c(in bit<8> x)(bool b) { bit<8> v = 1; @a action f() { } t() i; @b @c apply @d { v = 1; } }",
        "ControlDeclaration([], 'c', [], [Parameter([], 'x', 'in', SizedType('bit', 8), None)], "
        "[Parameter([], 'b', '', BaseType('bool'), None)], [VariableDeclaration([], 'v', SizedType('bit', 8), "
        "1), ActionDeclaration([Annotation('a', '', None)], 'f', [], BlockStatement([], [])), "
        "Instantiation([], 'i', t, [], None)], BlockStatement([Annotation('b', '', None), Annotation('c', '', "
        "None), Annotation('d', '', None)], [AssignmentStatement(v, '=', 1)]))",
    ),
    (
        'control k() { table v { key = { x: exact; .y.z: lpm @name("w"); } actions = { .a; @tableonly b(1); '
        "} @x const default_action = .a(1); entries = { (1, 2): a() @e; priority = 3: default: .b; const "
        "priority = (4 + 1): 1 &&& 2: a; } @z const size = 4; counters = c; } apply { } }",
        "ControlDeclaration([], 'k', [], [], [], [TableDeclaration([], 'v', [KeyElement([], x, "
        "Name('exact')), KeyElement([Annotation('name', '\"w\"', None)], Member(.y, 'z'), Name('lpm'))], "
        "[ActionRef([], .a), ActionRef([Annotation('tableonly', '', None)], Call(b, [], [1]))], "
        "[Entry([Annotation('e', '', None)], False, None, ListExpression([1, 2], False), ActionRef([], "
        "Call(a, [], []))), Entry([], False, 3, DefaultExpression(False), ActionRef([], .b)), Entry([], True, "
        "(4 + 1), MaskExpression(1, 2), ActionRef([], a))], False, ActionRef([Annotation('x', '', None)], "
        "Call(.a, [], [1])), True, [TableProperty([Annotation('z', '', None)], 'size', True, 4), "
        "TableProperty([], 'counters', False, c)])], BlockStatement([], []))",
    ),
    (
        "control k() { apply { if (a) b(); else if (c) { } switch (v.apply().action_run) { a: b: { c(); } d: "
        "{ } default: } switch (x) { 1: 2: 3: } } }",
        "ControlDeclaration([], 'k', [], [], [], [], BlockStatement([], [IfStatement(a, CallStatement(Call(b, "
        "[], [])), IfStatement(c, BlockStatement([], []), None)), SwitchStatement(Member(Call(Member(v, "
        "'apply'), [], []), 'action_run'), [SwitchLabelled([a, b], BlockStatement([], [CallStatement(Call(c, "
        "[], []))])), SwitchLabelled([d], BlockStatement([], [])), SwitchLabelled([DefaultExpression(False)], "
        "None)]), SwitchStatement(x, [SwitchLabelled([1, 2, 3], None)])]))",
    ),
    (
        "control c() { apply { for (@x bit<8> i = 0, j = 1; i < 2; i += 1, j -= 2) { break; } for (; a; ) "
        "continue; @unroll for (bit<8> i in a .. b) ; for (i in {1, 2}) { } } }",
        "ControlDeclaration([], 'c', [], [], [], [], BlockStatement([], [ForStatement([], "
        "[VariableDeclaration([Annotation('x', '', None)], 'i', SizedType('bit', 8), 0), "
        "AssignmentStatement(j, '=', 1)], (i < 2), [AssignmentStatement(i, '+=', 1), AssignmentStatement(j, "
        "'-=', 2)], BlockStatement([], [BreakStatement()])), ForStatement([], [], a, [], "
        "ContinueStatement()), ForInStatement([Annotation('unroll', '', None)], SizedType('bit', 8), "
        "Name('i'), RangeExpression(a, b), EmptyStatement()), ForInStatement([], None, Name('i'), "
        "ListExpression([1, 2], False), BlockStatement([], []))]))",
    ),
    (
        "control k() { apply { a.b[1].c = 2; a[3:2] |-|= 1; .f<bit<8>>(1); this.g(); f.apply(); x[1 +: 2] <<= "
        "3; h<_>(_); (a) = 1; p.apply(x); t<bit<8>>.apply(y); a %= b; } }",
        "ControlDeclaration([], 'k', [], [], [], [], BlockStatement([], "
        "[AssignmentStatement(Member(Index(Member(a, 'b'), 1), 'c'), '=', 2), "
        "AssignmentStatement(SliceExpression(a, 3, 2, False), '|-|=', 1), CallStatement(Call(.f, "
        "[SizedType('bit', 8)], [1])), CallStatement(Call(Member(This(), 'g'), [], [])), "
        "CallStatement(Call(Member(f, 'apply'), [], [])), AssignmentStatement(SliceExpression(x, 1, 2, True), "
        "'<<=', 3), CallStatement(Call(h, [BaseType('_')], [None])), AssignmentStatement(a, '=', 1), "
        "CallStatement(Call(Member(p, 'apply'), [], [x])), "
        "CallStatement(Call(Member(TypeExpression(SpecializedType(t, [SizedType('bit', 8)])), 'apply'), [], "
        "[y])), AssignmentStatement(a, '%=', b)]))",
    ),
    (
        "control c() { apply { const bit<8> k = 1; bit<8> w[2]; t<bit<8>> x = { 1 }; @n bit<8> y = 2; t(1) z; } }",
        "ControlDeclaration([], 'c', [], [], [], [], BlockStatement([], [ConstDeclaration([], 'k', "
        "SizedType('bit', 8), 1), VariableDeclaration([], 'w', StackType(SizedType('bit', 8), 2), None), "
        "VariableDeclaration([], 'x', SpecializedType(t, [SizedType('bit', 8)]), ListExpression([1], False)), "
        "VariableDeclaration([Annotation('n', '', None)], 'y', SizedType('bit', 8), 2), Instantiation([], "
        "'z', t, [1], None)]))",
    ),
]


@pytest.mark.parametrize(("text", "tree"), DECLARATIONS, ids=[text.partition("(")[0] for text, _ in DECLARATIONS])
def test_declarations(program, text: str, tree: str) -> None:  # type: ignore[no-untyped-def]
    """Everything that the grammar of appendix G lets stand in each kind of declaration."""
    assert show(program("struct t { } " + text).declarations[1]) == tree


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("9" * 4000, True), ("9" * 4001, False), ("0x" + "f" * 4000, True), ("0x" + "f" * 4001, False),
        ("0_" * 4000, True), ("123456789w1", True), ("1234567890w1", False), ("0000000008w1", False),
    ],
    ids=range(8),
)  # fmt: skip
def test_how_long_a_number_may_be(text: str, known: bool) -> None:
    found = integer(text)
    assert found == f"'{text[:20]}…' is too long for a number" if not known else not isinstance(found, str)


LABEL = "expected a label; the statements of a case must stand between '{' and '}'"


def told(tmp_path: Path, text: str) -> list[tuple[int, int, str]]:
    """The messages about a program that is no P4, each with its line and column."""
    file = tmp_path / "wrong.p4"
    file.write_text(text)
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        parse(Source(file), diagnostics)
    return [(m.span.line, m.span.column, m.message) for m in diagnostics.messages]


def test_how_many_tokens_a_program_may_have(program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("aux_frontend.p4_16.lexer.MAX_TOKENS", 10)
    assert program("error { A, B, C, };")
    assert told(tmp_path, "error { A,\nB, C, };;") == [(2, 9, "the program is too long: more than 10 words and signs")]


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            "const list<> a = {}; struct s { bit<+> b; } const bool c = 1 > 2; const bool d = (1 > 2);",
            [(1, 7, "'list' has one type argument, not 0"), (1, 38, "expected an expression, found '>'")],
        ),
        (
            "action a(inout bit<8> x) { switch (x) { 1; 2: { } x = 3; } }",
            [(1, 42, LABEL), (1, 53, LABEL)],
        ),
        (
            "action a(inout bit<8> x) { (x + 1) = 2; x = 3; }",
            [(1, 28, "nothing can be assigned to what stands before '='")],
        ),
        (
            "control c() { table t { entries = { priority = 2 + 1: 1: a; } } apply { } }",
            [(1, 50, "expected ':' after the priority, found '+'")],
        ),
        ("struct s {\n\n\n", [(1, 11, "expected '}', found the end of the file")]),
    ],
)
def test_where_messages_point_to(text: str, messages: list[tuple[int, int, str]], tmp_path: Path) -> None:
    assert told(tmp_path, text) == messages


@pytest.mark.parametrize(
    "type_",
    ["undeclared", "tuple<undeclared>", "list<undeclared>", "undeclared<bit<8>>", "tuple<bit<8>, undeclared>[2]"],
)
def test_what_stands_before_a_name_is_a_type(program, type_: str) -> None:  # type: ignore[no-untyped-def]
    """Declared or not: the checker can say then which name is not declared."""
    statement = program(f"action a() {{ {type_} x; }}").declarations[0].body.body[0]
    assert isinstance(statement, ast.VariableDeclaration)


def test_a_local_name_hides_a_type(program) -> None:  # type: ignore[no-untyped-def]
    tree = program("typedef bit<8> T; action a(T T) { bit<8> x = T + 1; } const T y = (T) 1;")
    assert show(tree.declarations[1].body.body[0].initializer) == "(T + 1)"
    assert isinstance(tree.declarations[2].value, ast.CastExpression)


@pytest.mark.parametrize(
    "declarations",
    [
        "const bit<8> T = 1; const bit<8> y = HERE;", "match_kind { T } const bit<8> y = HERE;", "e() T; const bit<8> y = HERE;",
        "bit<8> T() { return 1; } const bit<8> y = HERE;", "extern bit<8> T(); const bit<8> y = HERE;",
        "action T() { } const bit<8> y = HERE;", "action a(in bit<8> T) { y = HERE; }", "action a() { bit<8> T = 1; y = HERE; }",
        "action a() { const bit<8> T = 1; y = HERE; }", "action a() { for (bit<8> T in 1 .. 2) { y = HERE; } }",
        "action a() { for (bit<8> T = 1; y == HERE; ) { } }", "bit<8> f(in bit<8> T) { return HERE; }",
        "control c(in bit<8> T) { apply { y = HERE; } }", "control c()(bit<8> T) { apply { y = HERE; } }",
        "control c() { bit<8> T; apply { y = HERE; } }", "control c() { e() T; apply { y = HERE; } }",
        "control c() { table T { actions = { } } apply { y = HERE; } }", "control c() { action T() { } apply { y = HERE; } }",
        "parser p(packet_in b) { value_set<bit<8>>(4) T; state start { y = HERE; } }",
        "parser p(packet_in T) { state start { y = HERE; } }", "extern void f(in bit<8> T, in bit<8> y = HERE);",
    ],
)  # fmt: skip
def test_a_value_hides_the_type_of_its_name(declarations: str, program) -> None:  # type: ignore[no-untyped-def]
    """So `(T) - 1` is no cast of -1."""
    text = declarations.replace("HERE", "(T) - 1")
    assert "(T - 1)" in show(program(f"typedef bit<8> T; extern e {{ e(); }} {text}").declarations)


def test_a_statement_may_end_where_an_included_file_begins(tmp_path: Path) -> None:
    """A missing `;` is told behind the last word, though the next one is in a line of the same number."""
    (tmp_path / "next.h").write_text("const bit<8> b = 2;\n")
    assert told(tmp_path, 'const bit<8> a = 1\n#include "next.h"\n') == [
        (1, 19, "expected ';' after the constant 'a', found the keyword 'const'")
    ]


def test_type_parameters_are_types_only_inside(program) -> None:  # type: ignore[no-untyped-def]
    tree = program("const int D = 1; bool f<D>(in D x) { return g<D>(x); } const bool z = h < D > (1);")
    assert show(tree.declarations[1].body.body[0].value) == "Call(g, [D], [x])"
    assert show(tree.declarations[2].value) == "((h < D) > 1)"


def test_key_sets(program) -> None:  # type: ignore[no-untyped-def]
    tree = program(
        "parser p() { state start { transition select(a, b) {"
        "(1, _): s; (2 &&& 3, 4 .. 5): s; (6): s; (7) + 1: s; default: s; (bit<8>) 9: s; } } }"
    )
    cases = tree.declarations[0].states[0].transition.cases
    assert [show(case.keyset) for case in cases] == [
        "ListExpression([1, DontCare()], False)",
        "ListExpression([MaskExpression(2, 3), RangeExpression(4, 5)], False)",
        "6",
        "(7 + 1)",
        "DefaultExpression(False)",
        "CastExpression(SizedType('bit', 8), 9)",
    ]


def test_a_table_with_everything(program) -> None:  # type: ignore[no-untyped-def]
    tree = program("""
        control c() {
            table t {
                key = { h.a: exact @name("x"); h.b ++ h.c: lpm; }
                actions = { @tableonly a; b(1); }
                const default_action = b(1, 2);
                const entries = { const priority = 3: (1, 2): a; (3, _): b(4) @name("y"); }
                size = 16;
                const custom = { 1 };
            }
            apply { if (t.apply().hit) { } else switch (t.apply().action_run) { a: b: { } default: { } } }
        }""")
    control = tree.declarations[0]
    table = control.locals[0]
    assert [(show(k.expression), k.match_kind.text, len(k.annotations)) for k in table.keys] == [
        ("Member(h, 'a')", "exact", 1), ("(Member(h, 'b') ++ Member(h, 'c'))", "lpm", 0),
    ]  # fmt: skip
    assert [show(a.expression) for a in table.actions] == ["a", "Call(b, [], [1])"]
    assert (show(table.default_action.expression), table.const_default) == ("Call(b, [], [1, 2])", True)
    assert [(e.is_const, e.priority and show(e.priority), show(e.keyset)) for e in table.entries] == [
        (True, "3", "ListExpression([1, 2], False)"), (False, None, "ListExpression([3, DontCare()], False)"),
    ]  # fmt: skip
    assert table.const_entries
    assert [(p.name, p.is_const) for p in table.properties] == [("size", False), ("custom", True)]
    switch = control.body.body[0].otherwise
    assert [show(case.labels) for case in switch.cases] == ["[a, b]", "[DefaultExpression(False)]"]


def test_annotations_keep_their_text(program) -> None:  # type: ignore[no-untyped-def]
    tree = program(
        '@a @b(x (y) $ "z)") @c[1, T] @d[k = 2]\n@pragma e f g\n@f[] @g[1,] @h() @i( j ) const bit<8> x = 1;'
    )
    found = tree.declarations[0].annotations
    assert [(a.name, a.body, a.structured and len(a.structured)) for a in found] == [
        ("a", "", None), ("b", 'x (y) $ "z)"', None), ("c", "1, T", 2), ("d", "k = 2", 1), ("e", "f g", None),
        ("f", "", ()), ("g", "1,", 1), ("h", "", None), ("i", " j ", None),
    ]  # fmt: skip


def test_statements_of_1_2_5(program) -> None:  # type: ignore[no-untyped-def]
    tree = program("""
        action a(inout bit<8> x) {
            for (bit<8> i = 0, x = 1; i < 4; i += 1, x <<= 2) { continue; }
            for (bit<8> i in 1 .. x) break;
            for (i in list_of) { }
            x |+|= 2;
            T<bit<8>> y = f<bit<8>>(1);
            Unknown z;
            return;
        }""")
    kinds = [type(statement).__name__ for statement in tree.declarations[0].body.body]
    assert kinds == [
        "ForStatement", "ForInStatement", "ForInStatement", "AssignmentStatement",
        "VariableDeclaration", "VariableDeclaration", "ReturnStatement",
    ]  # fmt: skip


@pytest.mark.parametrize("model", sorted(str(path.relative_to(P4INCLUDE)) for path in P4INCLUDE.rglob("*.p4")))
def test_every_library_parses(program, model: str) -> None:  # type: ignore[no-untyped-def]
    assert len(program(f"#include <{model}>\n").declarations) > 1


def test_v1model_has_two_generations(program) -> None:  # type: ignore[no-untyped-def]
    old = program("#include <v1model.p4>\n").declarations
    new = program("#define V1MODEL_VERSION 20200408\n#include <v1model.p4>\n").declarations
    parameters = [next(len(d.type_parameters) for d in tree if d.name == "register") for tree in (old, new)]
    assert parameters == [1, 2]


@pytest.mark.parametrize(
    "text",
    [
        "if (x == 1) { } else { }", "if (x == 1) ;", "switch (x) { 1: { } default: { } }", "for (bit<8> i in 1 .. 2) { }",
        "for (i = 0; i < 2; i += 1) { }", "{ { } }", "x = (bit<8>) y;", "x = - ~ y;", "x = a.b.c[1][2:1].f(1)(2);",
        "x = y + y * (y + y);",
        "bit<8>[2][3] a;", "x = f<list<bit<8>>>({ 1, { 2 } });", "g<tuple<bit<8>>> z;", "x = (g<h<bit>>) { a = 1 };",
    ],
)  # fmt: skip
def test_what_stands_in_a_row_is_not_nested(program, text: str) -> None:  # type: ignore[no-untyped-def]
    tree = program(f"struct g<T> {{ }} struct h<T> {{ }} action a() {{ {text * 500} }}")
    assert len(tree.declarations[-1].body.body) == 500


@pytest.mark.parametrize(
    "text",
    [
        "const int x = " + "(" * 10000,
        "const int x = " + "(" * 10000 + "1" + ")" * 10000 + ";",
        "const int x = 1" + " + 1" * 10000 + ";",
        "action a() " + "{" * 10000,
        "struct s { " + "list<" * 10000 + "bit" + ">" * 10000 + " x; }",
        "control c() { apply { " + "if (a) b(); else " * 10000 + "; } }",
        "action a() { x" + ".y" * 10000 + " = 1; }",
        "@a[" + "{" * 10000 + "}" * 10000 + "]",
    ],
)
def test_deep_nesting_is_one_message(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.p4"
    file.write_text(text)
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        parse(Source(file), diagnostics)
    assert [m.message for m in diagnostics.messages] == ["the program nests too deeply here: more than 400 levels"]


def test_five_thousand_lines_in_a_second(program) -> None:  # type: ignore[no-untyped-def]
    control = """
control c%d(inout bit<8> x) {
    action a(bit<8> v) { x = x   +  v; /* c */ x = 8w3 ++ x[7:0]; }
    table t {
        key = { x : exact; }
        actions = { a; NoAction; }
    }
    apply {
        if (t.apply().hit) { x = 3; } else { x = (bit<8>) 5; }
    }
}"""
    start = time.process_time()
    assert len(program("".join(control % number for number in range(500))).declarations) == 500
    assert time.process_time() - start < 2


LEVELS = {  # what begins a level, what is within all of them, what ends one, what stands around; how many there may be
    "parentheses": ("(", "x", ")", "x = NESTED;", 398),
    "prefixes": ("~", "x", "", "x = NESTED;", 398),
    "casts": ("(bit<8>) ", "x", "", "x = NESTED;", 396),
    "operators in a row": ("", "x", " + x", "x = NESTED;", 398),
    "operators to the right": ("x + (", "x", ")", "x = NESTED;", 199),
    "conditionals": ("x == 1 ? x : ", "x", "", "x = NESTED;", 398),
    "members": ("", "x", ".a", "x = NESTED;", 398),
    "calls of results": ("", "f", "()", "x = NESTED;", 398),
    "generic calls": ("f<bit<8>>(", "x", ")", "x = NESTED;", 198),
    "elements of elements": ("", "x", "[1]", "x = NESTED;", 397),
    "indices": ("x[", "1", "]", "x = NESTED;", 199),
    "lists": ("{", "1", "}", "x = NESTED;", 398),
    "blocks": ("{", "", "}", "NESTED", 399),
    "ifs": ("if (x == 1) ", "x = 1;", "", "NESTED", 397),
    "elses": ("if (x == 1) { } else ", "x = 1;", "", "NESTED", 397),
    "loops over ranges": ("for (bit<8> i in 1 .. 2) ", "x = 1;", "", "NESTED", 397),
    "loops": ("for (; x == 1; ) ", "x = 1;", "", "NESTED", 397),
    "switches": ("switch (x) { 1: { ", "", "} }", "NESTED", 199),
    "types": ("list<", "bit<8>", ">", "typedef NESTED t;", 398),
    "stacks of stacks": ("", "bit<8>", "[2]", "typedef NESTED t;", 398),
    "sizes behind a name": ("", "a", "[2]", "struct s { bit<8> NESTED; }", 399),
    "annotations": ("(", "1", ")", "@x[NESTED] const bit<8> c = 1;", 399),
}


@pytest.mark.parametrize("kind", LEVELS)
def test_how_deep_a_program_nests(kind: str, program, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Each level counts, whatever makes it; what is around them, too."""
    begin, inner, end, around, most = LEVELS[kind]

    def text(count: int) -> str:
        whole = around.replace("NESTED", begin * count + inner + end * count)
        return (
            whole
            if around.startswith(("typedef", "struct", "@"))
            else f"control c(inout bit<8> x) {{ apply {{ {whole} }} }}"
        )

    program(text(most))
    (tmp_path / "b.p4").write_text(text(most + 1))
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        parse(Source(tmp_path / "b.p4"), diagnostics)
    assert diagnostics.messages[0].message == "the program nests too deeply here: more than 400 levels"


@pytest.mark.parametrize(
    "declaration",
    [
        "parser p<T>(packet_in b, out T h);", "control c<T>(inout T h);", "package k<T>(T h);", "extern void f<T>(in T h);",
        "extern T f<T>(in T h);", "extern e<T> { e(); T get(); }", "extern e { e(); T get<T>(); void put<T>(in T v); }",
        "struct s<T> { T h; }", "header h<T> { T h; }", "header_union u<T> { T h; }", "void f<T>(in T h) { }",
        "parser p(packet_in b) { state start { transition accept; } state next { bit<8> T; transition accept; } }",
        "control c(inout bit<8> h) { action a(bit<8> T) { } table t { actions = { a; } } apply { { bit<8> T; } } }",
        "control c(inout bit<8> h) { apply { for (bit<8> T in 1 .. 2) { } for (bit<8> T = 0; T < 2; T = T + 1) { } } }",
        "control c(inout bit<8> h) { e() x = { void f<T>(in T h) { } }; apply { } }",
    ],
)  # fmt: skip
def test_names_end_with_the_declaration_that_they_are_of(declaration: str, program) -> None:  # type: ignore[no-untyped-def]
    """Behind it a type parameter is no type, and what is declared stands at the top level."""
    behind = "const bit<8> v = (T) - 1; struct after_t { bit<8> a; } const bit<8> w = (.after_t) - 1; typedef bit<8> T;"
    *_, first, _, second, _ = program(f"{declaration} {behind}").declarations
    assert show(first.value) == "(T - 1)"
    assert show(second.value) == "CastExpression(.after_t, UnaryExpression('-', 1))"
