"""Which kernel a table gets: chosen, asked for by annotation or on the command line, refused with the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import pytest
from aux_frontend.p4_14.frontend import P4_14
from aux_frontend.p4_16.frontend import P4_16
from hlir_builder import AT, Builder, apply, emit, extract, goto, state

from macsad import cli
from macsad.compilation import Request, generate_c, load
from macsad.resources import share
from transpiler.codegen.capabilities import check
from transpiler.codegen.generate import generate
from transpiler.codegen.kernels import Chooser, in_units
from transpiler.codegen.tables import members_key
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source
from transpiler.hlir.program import MatchKind, ValueSet
from transpiler.hlir.types import Bits
from transpiler.optimisations import ALL, Optimisations
from transpiler.targets.find import builtin
from transpiler.targets.footprint import NOTHING, Entries
from transpiler.targets.target import Kernel

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<48> mac; bit<32> ip; bit<16> port; }}
struct headers {{ h_t h; }}
struct meta_t {{ }}
parser P(packet_in b, out headers hdr, inout meta_t m, inout standard_metadata_t s) {{
    state start {{ b.extract(hdr.h); transition accept; }}
}}
control V(inout headers hdr, inout meta_t m) {{ apply {{ }} }}
control I(inout headers hdr, inout meta_t m, inout standard_metadata_t s) {{
    direct_counter(CounterType.packets) hits;
    action to(bit<9> port) {{ s.egress_spec = port; }}
    {annotation}
    table t {{
        key = {{ {key} }}
        actions = {{ to; NoAction; }}
        size = {size};
        {rest}
    }}
    table plain {{ actions = {{ to; NoAction; }} }}
    apply {{ t.apply(); plain.apply(); }}
}}
control E(inout headers hdr, inout meta_t m, inout standard_metadata_t s) {{ apply {{ }} }}
control C(inout headers hdr, inout meta_t m) {{ apply {{ }} }}
control D(packet_out b, in headers hdr) {{ apply {{ b.emit(hdr.h); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
MAC, IP = "hdr.h.mac: exact;", "hdr.h.ip: lpm;"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """write(key, annotation, size, rest): a program with a table `t` and one without a key."""

    def make(key: str = MAC, annotation: str = "", size: int = 1024, rest: str = "") -> Path:
        path = tmp_path / "p.p4"
        path.write_text(PROGRAM.format(key=key, annotation=annotation, size=size, rest=rest))
        return path

    return make


def chosen(path: Path, asked: dict[str, str] | None = None) -> Kernel:
    program = P4_16().load(Source(path), Diagnostics())
    return check(program, builtin(), Diagnostics(), asked)["I.t"].kernel


def refused(path: Path, asked: dict[str, str] | None = None) -> tuple[int, str]:
    """The line and the text of the one message."""
    with pytest.raises(Rejected) as rejected:
        chosen(path, asked)
    [message] = rejected.value.diagnostics.messages
    return message.span.line, message.message


def test_what_is_asked_for_is_taken(write: Write) -> None:
    assert chosen(write()).name == "exact_packed"
    annotated = write(annotation='@macsad_kernel("exact_hash")')
    assert chosen(annotated).name == "exact_hash"
    assert chosen(write(annotation='@macsad_kernel( "exact_hash" )')).name == "exact_hash"
    assert chosen(annotated, {"I.t": "linear"}).name == "linear"


def test_p4_14_asks_by_pragma(tmp_path: Path) -> None:
    path = tmp_path / "p.p4"
    path.write_text(
        "header_type h_t { fields { k : 16; } } header h_t h; parser start { extract(h); return ingress; } action a() { }"
        "\n@pragma macsad_kernel linear\ntable t { reads { h.k : exact; } actions { a; } }\ncontrol ingress { apply(t); }\n"
    )
    program = P4_14().load(Source(path), Diagnostics())
    assert check(program, builtin(), Diagnostics())["t"].kernel.name == "linear"


@pytest.mark.parametrize(
    ("key", "rest", "size", "kernel", "why"),
    [
        (MAC, "", 64, "lpm_dir24", "it does not match exact"),
        (IP, "", 64, "exact_hash", "it does not match lpm"),
        ("hdr.h.port: exact; hdr.h.ip: range;", "", 64, "ternary_tuple", "it does not match range"),
        ("hdr.h.mac: lpm;", "", 64, "lpm_dir24", "its keys have at most 32 bits, and this one has 48"),
        (MAC, "", 64, "exact_index", "its keys have at most 2 bytes, and this one has 6"),
        (MAC, "", 64, "compare", "it is for entries that never change"),
        (MAC, "const entries = {" + "".join(f"{i}: to({i});" for i in range(33)) + "}", 64, "compare",
         "it holds at most 32 entries, and the table's size is 33"),
        (MAC, "", 100_000, "ternary_cells", "it holds at most 65536 entries, and the table's size is 100000"),
        (MAC + IP, "", 64, "exact_packed", "it does not match lpm"),
        (MAC + "hdr.h.port: exact; hdr.h.ip: exact;", "", 64, "exact_packed", "words of 64 bits: the key of this table has 96"),
        ("hdr.h.mac: exact; hdr.h.port: exact;", "counters = hits;", 8192, "exact_packed",
         "beside an entry's index there is room for 58 bits, and key and data have 64 + 10"),
        ("hdr.h.mac: exact; hdr.h.port: exact;", "", 64, "exact_packed", "64 + 10 bits, which do not fit a word"),
    ],
)  # fmt: skip
def test_what_a_kernel_cannot_hold_is_said(write: Write, key: str, rest: str, size: int, kernel: str, why: str) -> None:
    line, text = refused(write(key, f'@macsad_kernel("{kernel}")', size, rest))
    assert text.startswith(f"@macsad_kernel: kernel '{kernel}' cannot hold 'I.t': ")
    assert why in text
    assert line == 14


def test_a_kernel_that_is_not_there_is_said(write: Write) -> None:
    line, text = refused(write(), {"I.t": "btree"})
    assert line == 15
    assert text.startswith("--kernel: target 'software' has no kernel 'btree' (it has compare, ")


EXACT, LPM = frozenset({MatchKind.EXACT}), frozenset({MatchKind.LPM})
FEW = (
    Kernel("a", EXACT, max_bits=8),
    Kernel("b", EXACT, max_key_bytes=1),
    Kernel("c", LPM),
    Kernel("d", EXACT, kept_by="c"),
)


@pytest.mark.parametrize(
    ("key", "annotation", "asked", "line", "message"),
    [
        (MAC, "", {}, 15, "target 'board' has no kernel that can hold 'I.t' (a: its keys have at most 8 bits, and this one has "
         "48; b: its keys have at most 1 bytes, and this one has 6)"),
        ("hdr.h.mac: ternary;" + IP, "", {}, 15, "target 'board' does not support the match kinds ternary, lpm together ('I.t')"),
        (IP, "", {"I.t": "e"}, 15, "--kernel: target 'board' has no kernel 'e' (it has a, b, c, d)"),
        (IP, '@macsad_kernel("e")', {}, 14, "@macsad_kernel: target 'board' has no kernel 'e' (it has a, b, c, d)"),
        (IP, '@macsad_kernel("c")', {"I.t": "b"}, 15, "--kernel: kernel 'b' cannot hold 'I.t': it does not match lpm"),
        (IP, '@macsad_kernel("b")', {}, 14, "@macsad_kernel: kernel 'b' cannot hold 'I.t': it does not match lpm"),
        (IP, "", {}, 0, ""),
    ],
)  # fmt: skip
def test_what_is_said_of_a_target_of_few_kernels(
    key: str, annotation: str, asked: dict[str, str], line: int, message: str, write: Write
) -> None:
    """Whole: at the table, or at the annotation that asks."""
    program = P4_16().load(Source(write(key, annotation, 64)), Diagnostics())
    board = replace(builtin(), name="board", kernels=FEW)
    diagnostics = Diagnostics()
    choice = Chooser(program, board, diagnostics, asked).choose(program.table["I.t"], program.table["I.t"].keys)
    assert [(m.span.line, m.message) for m in diagnostics.messages] == ([(line, message)] if message else [])
    assert (choice.kernel.name if choice is not None else None) == (None if message else "c")


def test_a_table_without_key_has_none(write: Write) -> None:
    _, text = refused(write(), {"I.plain": "linear"})
    assert text.endswith("cannot hold 'I.plain': it has no key")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("t", "'t' is not TABLE=NAME"),
        ("t=", "'t=' is not TABLE=NAME"),
        ("u=linear", "there is no table 'u'; there are: I.t, I.plain"),
    ],
)
def test_the_option_is_checked(write: Write, asked: str, message: str) -> None:
    request = Request(write(), kernels=(asked,))
    with pytest.raises(click.BadParameter, match=message):
        generate_c(request, load(request))


@pytest.mark.parametrize(
    ("key", "size", "note"),
    [
        (MAC, 1 << 24, "exact_packed (exact 48 bits; key and data fit one word)\n    16,777,216 entries take about 480 MiB, "
         "30 bytes each; lookups read 256 MiB, on huge pages"),
        ("hdr.h.port: exact;", 64, "exact_direct (exact 16 bits; so short a key indexes an array)\n    64 entries take about "
         "384 KiB, 6,148 bytes each; lookups read 128 KiB"),
        ("hdr.h.mac: exact; hdr.h.ip: exact;", 1024,
         "exact_hash (exact 48 bits, exact 32 bits; any exact key; not exact_packed: its entries are words of 64 bits: "
         "the key of this table has 80 bits)\n    1,024 entries take about 48 KiB, 48 bytes each; lookups read 42 KiB"),
        (IP, 1024, "lpm_dir24 (lpm 32 bits; one prefix of at most 32 bits)\n    1,024 entries take about 72 MiB, 73,820 bytes "
         "each; lookups read 4,101 KiB, on huge pages"),
    ],
)  # fmt: skip
def test_the_choice_is_explained(write: Write, key: str, size: int, note: str) -> None:
    program = P4_16().load(Source(write(key, size=size)), Diagnostics())
    assert check(program, builtin(), Diagnostics())["I.t"].note == note


def test_who_asked_for_a_kernel_is_told(write: Write) -> None:
    """Nothing of those that stand before it."""
    memory = "\n    64 entries take about 3,008 bytes, 47 bytes each; lookups read 1,664 bytes"
    for annotation, asked, asker in (
        ('@macsad_kernel("exact_hash")', {}, "@macsad_kernel"),
        ('@macsad_kernel("linear")', {"I.t": "exact_hash"}, "--kernel"),
    ):
        program = P4_16().load(Source(write(annotation=annotation, size=64)), Diagnostics())
        note = check(program, builtin(), Diagnostics(), asked)["I.t"].note
        assert note == f"exact_hash (exact 48 bits; asked for by {asker}){memory}"


@pytest.mark.parametrize(("counted", "index"), [(False, 0), (True, 12)])
def test_what_a_table_keeps(counted: bool, index: int) -> None:
    """Of the action with most data, and of the index of an entry where a hit uses it. Members of a value set have no data."""
    b = Builder()
    b.header("h", "h_t", a=9, b=3, pad=4)
    b.action("small", x=64, y=8)
    b.action("large", z=Bits(128))
    b.extern("hits", "direct_counter", unit="packets", automatic=1)
    b.table("t", [("h.a", "exact"), ("h.b", "exact")], ["small", "large"], size=77, direct=["hits"] if counted else [])
    b.value_sets.append(ValueSet("vs", (Bits(9), Bits(17)), (MatchKind.EXACT, MatchKind.EXACT), 5, AT))
    program = b.build([state("start", [extract("h")], goto("accept"))], [apply("t")], deparser=[emit("h")])
    chooser = Chooser(program, builtin(), Diagnostics(), {})
    (table,), (value_set,) = program.tables, program.value_sets
    found = chooser._entries(table, chooser._need(table, table.keys))
    assert found == Entries(size=77, key_bits=12, key_bytes=3, data_bits=2 + 128 + index, data_bytes=16)
    members = chooser._entries(value_set, chooser._need(value_set, members_key(value_set)))
    assert members == Entries(size=5, key_bits=26, key_bytes=5, data_bits=0, data_bytes=0)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (10_239, "10,239 bytes"),
        (10_240, "10 KiB"),
        ((10 << 20) - 1, "10,239 KiB"),
        (10 << 20, "10 MiB"),
        ((10 << 30) - 1, "10,239 MiB"),
        (10 << 30, "10 GiB"),
        (2048 << 30, "2,048 GiB"),
    ],
)
def test_sizes_are_told_in_units(size: int, text: str) -> None:
    assert in_units(size) == text


OTHERS = ["ternary_cells", "ternary_tuple", "linear"]
TRIES = ["lpm_trie", "lpm_trie_plain"]


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("hdr.h.port: exact;", ["exact_direct", "exact_index", "exact_packed", "exact_hash", *TRIES, *OTHERS]),
        (MAC, ["exact_packed", "exact_hash", *TRIES, *OTHERS]),
        (IP, ["lpm_dir24", *TRIES, *OTHERS]),
        ("hdr.h.port: ternary;", OTHERS),
    ],
)
def test_all_kernels_that_take_a_table_the_best_one_first(write: Write, key: str, names: list[str]) -> None:
    """None that is for entries that never change."""
    program = P4_16().load(Source(write(key, size=64)), Diagnostics())
    takers = Chooser(program, builtin(), Diagnostics(), {}).takers(program.table["I.t"])
    assert list(takers) == names


def test_the_verbs_have_the_option(write: Write, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = str(write())
    assert cli.call(["build", path, "-o", str(tmp_path), "-v", "--kernel", "t=exact_hash"]) == 0
    assert "table I.t: exact_hash (exact 48 bits; asked for by --kernel)\n    1,024 entries" in capfd.readouterr().out
    assert cli.call(["build", path, "-o", str(tmp_path), "--kernel", "t=lpm_dir24"]) == 1
    assert "p.p4:15:" in capfd.readouterr().err
    for verb in (["run", path, "--port", "0=null:"], ["bench", path, "--quick"]):
        assert cli.call([*verb, "--kernel", "none=linear"]) == 2
        assert "there is no table 'none'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("key", "size", "wanted", "stages"),
    [
        (MAC, 1024, ALL, 1),
        (MAC, 65_536, ALL, 2),
        (MAC, 1024, ALL.without(["small-tables"]), 2),
        (IP, 16, ALL, 2),  # the array of lpm_dir24 is large at any size
        (IP, 16, ALL.without(["stages"]), 1),
    ],
)
def test_small_tables_get_no_stage(write: Write, key: str, size: int, wanted: Optimisations, stages: int) -> None:
    request = Request(write(key, size=size), wanted=wanted)
    notes = generate_c(request, load(request)).notes
    assert ("ingress: 1 stage" if stages == 1 else f"ingress: {stages} stages") in notes
    assert ("table I.t: no stage, it stays in the cache" in notes) == (key == MAC and stages == 1)


def test_a_table_of_which_nobody_knows_what_lookups_read_has_a_stage(write: Write) -> None:
    known = builtin()
    silent = replace(known, kernels=tuple(replace(kernel, memory=NOTHING) for kernel in known.kernels))
    request = Request(write(MAC, size=16))
    for target, stages in ((known, "1 stage"), (silent, "2 stages")):
        notes = generate(load(request), target, share("templates"), Diagnostics()).notes
        assert f"ingress: {stages}" in notes


CONSTANT = "const entries = { 5: to(1); 6: to(2); 7: NoAction(); }"


def test_keys_of_a_stage_are_hashed_together(write: Write) -> None:
    path = write(size=1 << 20)
    c = generate_c(Request(path), load(Request(path))).c
    assert "macs_exact_packed_bulk_start(" in c and "macs_exact_packed_start(" not in c
    without = generate_c(Request(path, wanted=ALL.without(["bulk"])), load(Request(path))).c
    assert "macs_exact_packed_bulk_start(" not in without and "macs_exact_packed_start(" in without


@pytest.mark.parametrize(
    ("key", "kernel", "number"),
    [
        ("hdr.h.port: exact;", "exact_index", "(uint32_t)hdr_h_port;"),
        ("hdr.h.mac[7:0]: exact; hdr.h.port[3:0]: exact;", "exact_index", " << 8) | (uint32_t)"),
        (IP, "lpm_dir24", " = hdr_h_ip;"),
    ],
)
def test_keys_of_a_stage_are_looked_up_together(write: Write, key: str, kernel: str, number: str) -> None:
    path = write(key, f'@macsad_kernel("{kernel}")', size=65536)
    c = generate_c(Request(path), load(Request(path))).c
    assert f"macs_{kernel}_bulk_start(" in c and f"macs_{kernel}_start(" not in c
    assert f"= macs_{kernel}_bulk_begin(" in c and "macs_bulk_prefetch(sets->begin_1_lookup_0, " in c
    (line,) = (line for line in c.splitlines() if ".keys[sets->to_1.count] = " in line)
    assert number in line
    without = generate_c(Request(path, wanted=ALL.without(["bulk"])), load(Request(path))).c
    assert "_bulk_" not in without and f"macs_{kernel}_start(" in without


V6 = "hdr.h.mac: exact; hdr.h.ip: lpm;"


@pytest.mark.parametrize(
    ("key", "kernel"), [(V6, "lpm_trie"), ("hdr.h.mac: ternary; hdr.h.ip: range;", "ternary_cells")]
)
def test_keys_of_bytes_are_looked_up_together(write: Write, key: str, kernel: str) -> None:
    path = write(key, size=65536)
    c = generate_c(Request(path), load(Request(path))).c
    assert f"struct macs_{kernel}_bulk lookup_0;" in c and "sets->lookups_1->lookup_0.keys[sets->to_1.count]" in c
    assert f"macs_{kernel}_bulk_start(" in c and "_prefetch(sets" not in c and f"macs_{kernel}_start(" not in c
    without = generate_c(Request(path, wanted=ALL.without(["bulk"])), load(Request(path))).c
    assert "_bulk_" not in without and f"macs_{kernel}_start(" in without


def test_hashed_keys_of_bytes_are_looked_up_together_in_parts(write: Write) -> None:
    path = write("hdr.h.mac: exact; hdr.h.ip: exact;", size=65536)
    c = generate_c(Request(path), load(Request(path))).c
    order = ["burst->handles[i] = ", "_bulk_start(", "_bulk_step(", "_bulk_finish(", "next->sets.to_1.count);"]
    places = [c.index(what) for what in order]
    assert places == sorted(places)
    apart = generate_c(Request(path, wanted=ALL.without(["software-pipelining"])), load(Request(path))).c
    assert apart.count("macs_exact_hash_bulk_step(") == 1 and "advanced" not in apart
    without = generate_c(Request(path, wanted=ALL.without(["bulk"])), load(Request(path))).c
    assert "_bulk_" not in without and "macs_exact_hash_start(" in without


def test_long_keys_of_bytes_are_not(write: Write) -> None:
    key = "hdr.h.ip: lpm; " + " ".join(f'hdr.h.mac ^ {n}: exact @name("k{n}");' for n in range(4))
    path = write(key, size=65536)
    c = generate_c(Request(path), load(Request(path))).c
    assert chosen(path).name == "lpm_trie" and "macs_lpm_trie_start(" in c and "_bulk_" not in c


def test_constant_entries_become_code(write: Write) -> None:
    path = write(rest=CONSTANT)
    assert chosen(path).name == "compare"
    c = generate_c(Request(path), load(Request(path))).c
    assert "case 6:\n" in c and "entry = &I_t_values[1];" in c
    assert "macs_linear_start" not in c and "&macs_linear_ops" in c  # it keeps them for the control plane
    without = generate_c(Request(path, wanted=ALL.without(["compare"])), load(Request(path))).c
    assert "I_t_values[1];" not in without and "macs_exact_packed_start" in without


@pytest.mark.parametrize(("entries", "given", "compared"), [(2, True, True), (3, True, False), (3, False, True)])
def test_entries_that_commands_have_given_are_compared_where_they_are_few(
    entries: int, given: bool, compared: bool, write: Write
) -> None:
    rest = "".join(f"{mac}: to({mac});" for mac in range(entries))
    path = write(annotation="@macsad_constant" if given else "", size=64, rest=f"const entries = {{ {rest} }}")
    assert (chosen(path).kept_by != "") == compared


def test_entries_that_may_change_stay_in_a_table(write: Write) -> None:
    assert chosen(write(rest=CONSTANT.removeprefix("const "))).name == "exact_packed"
