"""Sources made to be slow or to break something: an answer within seconds, with a message where there is something wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from macsad.frontends import frontend_for
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source

SECONDS = 5.0  # of this process and of the preprocessor, whatever else the machine does
LINE = 160  # columns of a message's excerpt
MANY = 10_000
INCLUDES = "#include <core.p4>\n#include <v1model.p4>\n"
P4_14 = "header_type m_t { fields { x : 32; } } metadata m_t m; parser start { return ingress; } "


def statement(text: str) -> str:
    return f"{INCLUDES}control c(inout bit<32> x, in bool b) {{ apply {{ {text} }} }}"


HARMLESS = {
    "lines": "\n" * 100_000 + INCLUDES,
    "blanks": " " * 500_000 + INCLUDES,
    "comments": "/**/" * 100_000 + INCLUDES,
    "nested #if": "#if 1\n" * MANY + INCLUDES + "#endif\n" * MANY,
    "members of an enum": "enum bit<32> e { " + ",".join(f"E{i} = {i}" for i in range(MANY)) + " }",
    "errors": "error { " + ",".join(f"E{i}" for i in range(MANY)) + " }",
    "functions that call twice": "bit<8> f0(in bit<8> x) { return x; }"
    + "".join(f"bit<8> f{i + 1}(in bit<8> x) {{ return f{i}(x) + f{i}(x); }}" for i in range(40)),
    "a long loop": statement("for (bit<32> i in 0..0xffffffff) { x = x + i; }"),
}
WRONG = {
    "parentheses": statement(f"x = {'(' * MANY}x{')' * MANY};"),
    "a sum": statement(f"x = {'+'.join(['x'] * MANY)};"),
    "else if": statement("if (b) x = 1;" + " else if (b) x = 2;" * MANY),
    "structs that double": "struct s0 { bit<8> a; }"
    + "".join(f"struct s{i + 1} {{ s{i} a; s{i} b; }}" for i in range(60)),
    "numbers that square": "const int x0 = 3;" + "".join(f"const int x{i + 1} = x{i} * x{i};" for i in range(60)),
    "a shift": "const int x = 1 << 100000000000;",
    "digits": f"const int x = {'9' * 100_000};",
    "widths": "bit<" * MANY,
    "angle brackets": "header h < " * MANY,
    "actions": "action a() { " * MANY,
    "unknown names": "const int x = y;\n" * MANY,
    "blocks": statement("{" * MANY),
    "macros in #if": "#define A0 1\n"
    + "".join(f"#define A{i + 1} A{i} + A{i}\n" for i in range(60))
    + "#if A60\n#endif",
    "a device": '#include "/dev/zero"\n',
    "a width": "header h { bit<99999999999999999999> x; }",
    "itself": '#include "hostile.p4"\n',
    "no UTF-8": "const int \udcff = 1;",
    "NUL": "\0" * MANY,
    "P4-14 conditions": P4_14 + "control ingress { " + "if (m.x == 1) { " * MANY + "}" * MANY,
    "P4-14 controls that call twice": P4_14
    + "control c0 { }"
    + "".join(f"control c{i + 1} {{ c{i}(); c{i}(); }}" for i in range(40))
    + "control ingress { c40(); }",
}


def receive(text: str, folder: Path) -> str:
    """The messages about a program; empty when it is accepted."""
    file, diagnostics = folder / "hostile.p4", Diagnostics()
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    began = sum(os.times()[:4])
    try:
        frontend_for(file, None, diagnostics).check(Source(file), diagnostics)
        said = ""
    except Rejected:
        said = diagnostics.render()
    assert sum(os.times()[:4]) - began < SECONDS
    return said


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(name: str, tmp_path: Path) -> None:
    assert receive(HARMLESS[name], tmp_path) == ""


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str, tmp_path: Path) -> None:
    said = receive(WRONG[name], tmp_path)
    assert ".p4:" in said
    assert all(len(line) <= LINE for line in said.splitlines() if line.startswith("    "))
