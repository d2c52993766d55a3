"""Sources made to be slow or to break something: an answer within seconds, with a message where there is something wrong."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from macsad.cli import call
from macsad.compilation import Request, generate_c, load
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


V1MODEL = """#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<32> x; }}
struct headers_t {{ h_t h; }}
struct meta_t {{ }}
{top}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{
    state start {{ packet.extract(hdr.h); transition accept; }}
}}
control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{ apply {{ {apply} }} }}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{ apply {{ }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""
DEEP = {  # what is within the limits of the syntax tree
    "else if": "if (hdr.h.x == 0) hdr.h.x = 1;"
    + "".join(f" else if (hdr.h.x == {i}) hdr.h.x = 9;" for i in range(200)),
    "if": "".join(f"if (hdr.h.x > {i}) {{ " for i in range(190)) + "hdr.h.x = 0;" + "}" * 190,
    "switch": "".join(f"switch (hdr.h.x) {{ {i}: {{ " for i in range(190)) + "hdr.h.x = 0;" + "} }" * 190,
    "blocks": "{" * 390 + "hdr.h.x = 0;" + "}" * 390,
    "parentheses": f"hdr.h.x = {'(' * 390}hdr.h.x{')' * 390};",
    "operators": f"hdr.h.x = {' + '.join(['hdr.h.x'] * 390)};",
    "conditions": f"if ({' && '.join(f'hdr.h.x != {i}' for i in range(200))}) hdr.h.x = 1;",
}
INLINED = "bit<32> f0(in bit<32> x) { return x; }" + "".join(  # each within the limits, together 9,000 levels
    f"bit<32> f{i + 1}(in bit<32> x) {{ {'if (x > 1) { ' * 180} return f{i}(x - 1); {'}' * 180} return x; }}"
    for i in range(50)
)


def receive(text: str, folder: Path) -> str:
    """The messages about a program; empty when it is accepted."""
    file, diagnostics = folder / "hostile.p4", Diagnostics()
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    began = sum(os.times()[:4])
    try:
        frontend_for(file, None).check(Source(file), diagnostics)
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


@pytest.mark.parametrize("name", DEEP)
def test_what_may_be_written_becomes_c(name: str, tmp_path: Path) -> None:
    file = tmp_path / "deep.p4"
    file.write_text(V1MODEL.format(top="", apply=f"sm.egress_spec = 1; {DEEP[name]}"))
    assert "egress_spec" in generate_c(Request(file), load(Request(file))).c


def test_what_inlining_makes_too_deep_is_a_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "deep.p4"
    file.write_text(V1MODEL.format(top=INLINED, apply="hdr.h.x = f50(hdr.h.x);"))
    assert call(["check", str(file)]) == 1
    assert re.search(r"deep.p4:\d+:\d+: error: the program (is nested|nests) too deeply", capsys.readouterr().err)


def test_a_program_is_a_file_of_some_length(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a pipe, which nothing may come out of, nor a file of 30 GiB."""
    os.mkfifo(tmp_path / "pipe.p4")
    with (tmp_path / "long.p4").open("wb") as out:
        out.truncate(30 << 30)
    assert [call(["check", str(tmp_path / name)]) for name in ("pipe.p4", "long.p4")] == [1, 1]
    said = capsys.readouterr().err
    assert "pipe.p4:1:1: error: " in said and "is not a regular file" in said
    assert "long.p4:1:1: error: " in said and "is longer than 16 MiB" in said
