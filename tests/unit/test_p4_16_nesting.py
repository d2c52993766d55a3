"""Which types may stand where, all of them in all places: P4-16 spec 7.2.8, and 7.2.12 for `type`.

A program a place, with a line for each type: those with an error are the types that must not be there."""

from __future__ import annotations

from pathlib import Path

import pytest
from aux_frontend.p4_16.frontend import P4_16

from transpiler.diagnostics import Diagnostics, Rejected, Severity
from transpiler.frontend import Source

HEAD = """#include <core.p4>
header h_t { bit<8> a; } header_union u_t { h_t h; } struct s_t { bit<8> a; } struct deep_t { h_t h; } struct v_t { varbit<8> v; }
enum plain_e { a } enum bit<8> serial_e { a = 1 } type bit<8> new_t; extern obj_t { obj_t(); }
parser p_t(); control c_t(); package k_t(c_t c); extern T y<T>();
"""
NUMBERS = ("bit<8>", "int<8>", "bool", "new_t")
PLAIN = (*NUMBERS, "varbit<8>", "serial_e", "error", "plain_e")
MADE = (
    "h_t",
    "u_t",
    "h_t[2]",
    "u_t[2]",
    "bit<8>[2]",
    "varbit<8>[2]",
    "s_t",
    "deep_t",
    "v_t",
    "tuple<bit<8>, bool>",
    "list<bit<8>>",
)
CONSTANT = ("int", "string", "tuple<int>")  # at compile time only
BLOCKS = ("p_t", "c_t", "k_t")
OBJECTS = ("obj_t", "obj_t[2]", "obj_t[2][3]", *BLOCKS)
TYPES = (*PLAIN, *MADE, *CONSTANT, "match_kind", "void", *OBJECTS)
PLACES = {
    "header": "header x{n} {{ {t} f; }}",
    "struct": "struct x{n} {{ {t} f; }}",
    "union": "header_union x{n} {{ {t} f; }}",
    "type": "type {t} x{n};",
    "variable": "control x{n}() {{ {t} v; apply {{ }} }}",
    "stack": "struct x{n} {{ {t}[2] f; }}",
    "list": "control x{n}(list<{t}> l) {{ apply {{ }} }}",
    "tuple": "control x{n}(tuple<{t}> l) {{ apply {{ }} }}",
    "directed": "control x{n}(in {t} l) {{ apply {{ }} }}",
    "undirected": "control x{n}({t} l) {{ apply {{ }} }}",
    "result": "typedef {t} r{n}; r{n} x{n}() {{ return y<r{n}>(); }}",
    "action data": "control x{n}() {{ action a({t} l) {{ }} table t {{ actions = {{ a; }} }} apply {{ t.apply(); }} }}",
}
ACCEPTED = {
    "header": (*NUMBERS, "varbit<8>", "serial_e", "bit<8>[2]", "s_t"),
    "struct": (*PLAIN, *MADE, "string", "tuple<int>"),
    "union": ("h_t",),
    "type": NUMBERS,
    "variable": (*PLAIN, *MADE),
    "stack": (*PLAIN, *MADE, "tuple<int>"),
    "list": (*PLAIN, *MADE, *CONSTANT, "match_kind"),
    "tuple": (*PLAIN, *MADE, *CONSTANT, "match_kind"),
    "directed": (*PLAIN, *MADE),
    "undirected": (*PLAIN, *MADE, *CONSTANT, "obj_t", "obj_t[2]", "obj_t[2][3]"),
    "result": (*PLAIN, *MADE, *CONSTANT),
    "action data": (*PLAIN, *MADE),
}


@pytest.mark.parametrize("place", PLACES)
def test_which_types_may_stand_where(place: str, tmp_path: Path) -> None:
    file = tmp_path / "types.p4"
    lines = [PLACES[place].format(n=number, t=type_) for number, type_ in enumerate(TYPES)]
    file.write_text(HEAD + "\n".join(lines) + "\n")
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        P4_16().check(Source(file), diagnostics)
    first = HEAD.count("\n") + 1
    refused = {m.span.line - first for m in diagnostics.messages if m.severity is Severity.ERROR}
    assert [t for n, t in enumerate(TYPES) if n not in refused] == [t for t in TYPES if t in ACCEPTED[place]]
