"""What the program's author wrote is never taken for code: not by C compilers, nor by what looks into the C that is made."""

from __future__ import annotations

import re
import subprocess
from itertools import pairwise
from pathlib import Path

import jinja2
import pytest

from macsad.compilation import Request, generate_c, load
from macsad.resources import share
from transpiler.codegen.names import Names
from transpiler.codegen.outside import Outside, comment, string
from transpiler.codegen.render import environment
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import include_flags

HOSTILE = (
    "*/ int pwned; /*", "??/", "*??//", 'a"b\\', "line\nline", "\\\n*/ int pwned;", "\x1b[31m \x07\x7f \u202e \u009b",
    "*" + "\udc80" + "/", "//\\", "/*", "%s%n {{ p }} {% raw %}", "packet kept own_index at",
    "\t\r\v\f\u2028\x85", "%:??=include <x>",
)  # fmt: skip
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/', re.DOTALL)
TOKENS = re.compile(r"\w+|\S")

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
#line 50 %(file)s
header h_t { bit<8> kind; @name(%(name)s "f") bit<8> a; bit<16> b; }
struct headers_t { h_t h; }
struct record_t { @name(%(name)s "g") bit<8> a; bit<16> b; }
struct metadata_t { bit<8> %(field)s; }
@name(%(name)s "free") action free(inout bit<16> x, bit<16> y) { x = y; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    @name(%(name)s "set") value_set<bit<8>>(4) kinds;
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.kind) { kinds: more; _: accept; }
    }
    @name(%(name)s "more") state more { meta.%(field)s = 1; transition accept; }
}
control V(inout headers_t hdr, inout metadata_t meta) { apply { } }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    @name(%(name)s "counter") counter(4, CounterType.packets) counted;
    @name(%(name)s "direct") direct_counter(CounterType.bytes) direct;
    @name(%(name)s "register") register<bit<16>>(4) kept;
    @name(%(name)s "profile") action_profile(4) profile;
    @name(%(name)s "forward") action forward(@name(%(name)s "p") bit<9> port, bit<8> a) {
        standard.egress_spec = port;
        hdr.h.a = a;
        log_msg(%(text)s);
        log_msg(%(text)s, { hdr.h.b });
    }
    @name(%(name)s "count") action count() { counted.count((bit<32>)hdr.h.a); direct.count(); }
    @name(%(name)s "table") table chosen {
        key = { hdr.h.a: exact @name(%(name)s "key"); hdr.h.b: lpm; }
        actions = { forward; count; free(hdr.h.b); @defaultonly NoAction; }
        default_action = NoAction();
        counters = direct;
        size = 1024;
    }
    @name(%(name)s "other") table other {
        key = { hdr.h.b: ternary @name(%(name)s "key"); }
        actions = { forward; }
        const entries = { 3: forward(1, 2); _: forward(2, 3); }
    }
    @name(%(name)s "third") table third {
        key = { hdr.h.b: exact; }
        actions = { forward; }
        implementation = profile;
    }
    apply {
        chosen.apply();
        switch (other.apply().action_run) { forward: { third.apply(); } default: { } }
        kept.write(0, hdr.h.b);
        assert(hdr.h.b != 7);
        digest<record_t>(1, { hdr.h.a, hdr.h.b });
    }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) { apply { } }
control C(inout headers_t hdr, inout metadata_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


def without_text(code: str) -> str:
    """C without its string literals and comments."""
    return TEXT.sub(" ", code)


def quoted(text: str) -> str:
    """A P4 string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r") + '"'


def c_of(folder: Path, file: str, *, text: str = "{}", name: str = "", line_file: str = "plain.p4") -> str:
    """The C of the program, which says so and is called so."""
    path = folder / file
    marker = '"' + line_file.replace("\\", "\\\\").replace('"', '\\"') + '"'
    named = f"{quoted(name)} ++" if name else ""
    path.write_text(
        PROGRAM % {"file": marker, "text": quoted(text), "name": named, "field": "seen"}, errors="surrogateescape"
    )
    request = Request(path, warnings=("no-all",))
    return generate_c(request, load(request)).c


def check_syntax(c: str, folder: Path) -> None:
    """Trigraphs and all: whatever could be taken for something else is an error."""
    (folder / "made.c").write_text(c)
    tools = toolchain.find()
    strict = ("-trigraphs", "-Wcomment", "-Wtrigraphs", "-Werror", "-fsyntax-only")
    flags = (*tools.all_flags, *include_flags(share("aux-backend"), tools), *strict)
    done = subprocess.run([*tools.compiler, *flags, "made.c"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "template", ["{{ x }}", "{{ x ~ '' }}", "{{ [x] | join }}", "{{ '%s' | format(x) }}", "{{ x | trim }}"]
)
def test_a_template_cannot_print_it_as_it_is(template: str, tmp_path: Path) -> None:
    (tmp_path / "t").write_text(template)
    with pytest.raises(TypeError, match="comment"):
        environment((("t", tmp_path),)).get_template("t").render(x=Outside("*/"))


def test_a_template_prints_it_as_a_comment_or_a_string(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("/* {{ x | comment }} */ {{ x | string }}")
    made: jinja2.Environment = environment((("t", tmp_path),))
    assert made.get_template("t").render(x=Outside('*/"')) == '/* * /" */ "*/\\042"'


@pytest.mark.parametrize(
    ("text", "in_comment", "in_string"),
    [
        ("", "", '""'),
        ("hdr.a[0] ~ %s", "hdr.a[0] ~ %s", '"hdr.a[0] ~ %s"'),
        ("*/", "* /", '"*/"'),
        ("/*", "/ *", '"/*"'),
        ("/*/", "/ * /", '"/*/"'),
        ("**//", "** //", '"**//"'),
        ("a?b", "a?b", '"a\\077b"'),
        ("??/", "? ?/", '"\\077\\077/"'),
        ("???", "? ? ?", '"\\077\\077\\077"'),
        ("a\\", "a\\ ", '"a\\134"'),
        ("a\\b", "a\\b", '"a\\134b"'),
        ("\n\x1f\x7f", "\\x0a\\x1f\\x7f", '"\\012\\037\\177"'),
        ("\xe9\udc80", "\\xc3\\xa9\\x80", '"\\303\\251\\200"'),
        ('say "1"', 'say "1"', '"say \\0421\\042"'),
    ],
)
def test_texts_in_comments_and_strings(text: str, in_comment: str, in_string: str) -> None:
    assert (comment(text), string(text)) == (in_comment, in_string)


def test_compilers_read_what_was_written(tmp_path: Path) -> None:
    """Each string is what it was, and nothing of it has got out of its comment or its quotes."""
    texts = [*HOSTILE, "".join(HOSTILE), *("".join(pair) for pair in pairwise(HOSTILE))]
    rows = "".join(f"    {string(text)}, /* {comment(text)} */\n" for text in texts)
    source = f"#include <stdio.h>\n/* {comment(''.join(texts))} */\nstatic const char *const all[] = {{\n{rows}}};\n"
    source += f"int main(void) {{\n    for (int i = 0; i < {len(texts)}; i++)\n        puts(all[i]);\n}}\n"
    (tmp_path / "t.c").write_text(source)
    subprocess.run(["gcc", "-std=c11", "-trigraphs", "-Wall", "-Werror", "t.c", "-o", "t"], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "t"], capture_output=True, check=True).stdout
    assert printed == b"".join(text.encode("utf-8", "surrogateescape") + b"\n" for text in texts)
    assert "pwned" not in without_text(source)


def test_the_worst_program_compiles(tmp_path: Path) -> None:
    every = "".join(HOSTILE).replace("\udc80", "")
    made = c_of(tmp_path, "*\\ ??'\"\x1b{{p}}.p4", text=every, name=every, line_file='*/ pwned ??/ \\ " ??/')
    assert made.isascii()
    assert "pwned" not in TOKENS.findall(without_text(made))
    check_syntax(made, tmp_path)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The code of the program with nothing odd about it."""
    return without_text(c_of(tmp_path_factory.mktemp("plain"), "plain.p4"))


@pytest.mark.parametrize("text", ["packet->data kept {}", "own_index {} at macs_layout_resize", "".join(HOSTILE[:6])])
def test_c_does_not_depend_on_what_strings_say(text: str, plain: str, tmp_path: Path) -> None:
    assert without_text(c_of(tmp_path, "plain.p4", text=text)) == plain


@pytest.mark.parametrize("file", ["packet.p4", "live->own_index = at.p4", "macs_layout_resize.p4"])
def test_c_does_not_depend_on_what_files_are_called(file: str, plain: str, tmp_path: Path) -> None:
    assert without_text(c_of(tmp_path, file, line_file=file)) == plain


@pytest.mark.parametrize("field", ["packet", "own_index", "state"])
def test_names_of_variables_do_not_meet_ours(field: str, plain: str, tmp_path: Path) -> None:
    path = tmp_path / "p.p4"
    path.write_text(PROGRAM % {"file": '"p.p4"', "text": '"{}"', "name": "", "field": field})
    request = Request(path, warnings=("no-all",))
    assert without_text(generate_c(request, load(request)).c).replace(f"meta_{field}", "meta_seen") == plain


def test_identifiers() -> None:
    """One for each name: no word of C, none that headers or we have, no macro, none twice."""
    names = Names()
    rows = {
        "hdr.ipv4.ttl": "hdr_ipv4_ttl", "hdr.ipv4_ttl": "hdr_ipv4_ttl_2", "hdr.ipv4.$ttl": "hdr_ipv4_ttl_3",
        "9": "p4_9", "9a": "p4_9a", "a9": "a9", "": "unnamed", "$$": "unnamed_2", "é": "unnamed_3",
        "NULL": "p4_NULL", "Null": "Null", "A": "p4_A", "a": "a", "int": "p4_int", "int8": "p4_int8", "uint": "p4_uint",
        "for": "for_2", "packet": "packet_2", "key": "key_2", "macs_x": "p4_macs_x", "MACS_x": "p4_MACS_x", "odp_x": "p4_odp_x",
        "TABLE_x": "p4_TABLE_x", "CLOCK_x": "p4_CLOCK_x", "PRIx": "p4_PRIx", "SCNx": "p4_SCNx", "_for_": "for_3",
    }  # fmt: skip
    assert {name: names(name) for name in rows} == rows == {name: names(name) for name in reversed(rows)}
    assert Names()("hdr.ipv4_ttl") == "hdr_ipv4_ttl"
