"""Target descriptions: ours, ones that override templates, ones that cannot be used."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import click
import pytest
from hlir_builder import AT, Builder, apply, const, emit, extract, goto, state

from macsad.bench import session
from macsad.bench.contestants import BenchError
from macsad.cli import call
from macsad.resources import share
from macsad.targets import HERE, Machine, machine
from transpiler.codegen.capabilities import check
from transpiler.codegen.generate import generate
from transpiler.codegen.program import view
from transpiler.codegen.render import render
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.externs.algorithms import ALGORITHMS
from transpiler.externs.table import METHODS
from transpiler.hlir.program import Architecture, MatchKind, Program, TableKey
from transpiler.hlir.types import Bits
from transpiler.schedule.plan_edits import EDITS
from transpiler.schedule.planned import planned
from transpiler.schedule.scheduler import Options, schedule
from transpiler.targets.description import load
from transpiler.targets.find import Known, builtin, choose
from transpiler.targets.target import BadTarget, BadTemplate, Kernel, Need
from transpiler.toolchain import toolchain
from transpiler.toolchain.architectures import host_arch
from transpiler.toolchain.toolchain import ToolchainError

MINIMAL = """
name = "board"
summary = "a board"
architectures = ["v1model"]
max_key_bytes = 4
externs = ["counter.count"]
hash_algorithms = []
[[kernels]]
name = "exact_hash"
match = ["exact"]
max_bits = 16
"""


def program(*kinds: str, width: int = 16) -> Program:
    b = Builder()
    b.header("h", "h_t", **{f"k{i}": width for i in range(len(kinds))}, v=8)
    b.action("to", b.set("h.v", 1))
    b.table("t", [(f"h.k{i}", kind) for i, kind in enumerate(kinds)], ["to"])
    return b.build([state("start", [extract("h")], goto("accept"))], [apply("t")], deparser=[emit("h")])


def target(folder: Path, text: str = MINIMAL) -> Path:
    (folder / "target.toml").write_text(text)
    return folder


def test_a_target_has_all_externs_but_those_that_it_leaves_out(tmp_path: Path) -> None:
    listed = 'externs = ["counter.count"]'
    assert choose(None, target(tmp_path)).externs == {"counter.count"}
    assert choose(None, target(tmp_path, MINIMAL.replace(listed, ""))).externs == set(METHODS)
    without = MINIMAL.replace(listed, 'without_externs = ["counter.count"]').replace("hash_algorithms = []", "")
    found = choose(None, target(tmp_path, without))
    assert found.externs == set(METHODS) - {"counter.count"}
    assert found.hash_algorithms == set(ALGORITHMS)
    assert builtin().architectures == {architecture.value for architecture in Architecture}
    target(tmp_path, 'name = "b"\nextends = "software"\nwithout_externs = ["log.message"]\n')
    assert choose(None, tmp_path).externs == builtin().externs - {"log.message"}


def made(what: Program, folder: Path) -> str:
    return generate(what, choose(None, folder), share("templates"), Diagnostics()).c


def test_the_software_target_has_all_match_kinds() -> None:
    kinds = {kind for kernel in builtin().kernels for kind in kernel.match}
    assert kinds >= {k for k in MatchKind if k is not MatchKind.SELECTOR}
    assert [kernel.header for kernel in builtin().kernels if not (share("aux-backend") / kernel.header).is_file()] == []


@pytest.mark.parametrize(
    ("kinds", "width", "kernel"),
    [
        (("exact", "exact"), 48, "exact_hash"),
        (("lpm",), 32, "lpm_dir24"),
        (("lpm",), 128, "lpm_trie"),
        (("exact", "lpm"), 32, "lpm_trie"),
        (("ternary", "exact"), 16, "ternary_cells"),
        (("range",), 16, "ternary_cells"),
        (("range", "lpm", "ternary"), 16, "ternary_cells"),
    ],
    ids=str,
)
def test_the_first_kernel_that_takes_a_table(kinds: tuple[str, ...], width: int, kernel: str) -> None:
    found = builtin().kernel_for(Need(program(*kinds, width=width).tables[0].keys))
    assert found is not None
    assert found.name == kernel


@pytest.mark.parametrize(("size", "kernel"), [(65_536, "ternary_cells"), (65_537, "ternary_tuple")])
def test_a_kernel_may_be_for_smaller_tables(size: int, kernel: str) -> None:
    found = builtin().kernel_for(Need(program("ternary").tables[0].keys, size))
    assert found is not None
    assert found.name == kernel


def test_entries_that_fit_a_word_get_the_kernel_for_words() -> None:
    table = program("exact", width=48).tables[0]
    for bits, name in (((48, 9), "exact_packed"), (None, "exact_hash")):
        found = builtin().kernel_for(Need(table.keys, 1024, bits))
        assert found is not None
        assert found.name == name


@pytest.mark.parametrize(
    ("limits", "widths", "size", "bits", "constants", "why"),
    [
        ({}, (16, 16), 1, None, None, ""),
        ({"alone": True}, (16,), 1, None, None, ""),
        ({"alone": True}, (16, 16), 1, None, None, "it matches one field, and this key has 2"),
        ({"min_bits": 17}, (17,), 1, None, None, ""),
        ({"min_bits": 17}, (16,), 1, None, None, "its keys have at least 17 bits, and this one has 16"),
        ({"max_bits": 16}, (16,), 1, None, None, ""),
        ({"max_bits": 16}, (9, 8), 1, None, None, "its keys have at most 16 bits, and this one has 17"),
        ({"max_key_bytes": 3}, (9, 8), 1, None, None, ""),
        ({"max_key_bytes": 3}, (9, 9), 1, None, None, "its keys have at most 3 bytes, and this one has 4"),
        ({"max_bits": 18, "max_key_bytes": 3}, (9, 9), 1, None, None, "at most 3 bytes, and this one has 4"),
        ({"max_field_bits": 16}, (16, 16), 1, None, None, ""),
        ({"max_field_bits": 16}, (8, 17), 1, None, None, "its fields have at most 16 bits, and one of this key has 17"),
        ({"max_entries": 4}, (16,), 4, None, None, ""),
        ({"max_entries": 4}, (16,), 5, None, None, "it holds at most 4 entries, and the table's size is 5"),
        ({"max_entries": 4}, (16,), 5, None, 4, "it holds at most 4 entries, and the table's size is 5"),
        ({"max_entries": 4, "kept_by": "x"}, (64,), 9, None, 4, ""),
        ({"max_entries": 4, "kept_by": "x"}, (16,), 4, None, 5, "it holds at most 4 entries, and the table's size is 5"),
        ({"kept_by": "x"}, (16,), 4, None, None, "it is for entries that never change"),
        ({"kept_by": "x"}, (65,), 4, None, 1, "it compares fields of at most 64 bits"),
        ({"words": True}, (16,), 4, None, None, "its entries are words of 64 bits: its entries are no words"),
        ({"words": True, "max_data_bits": 8}, (16,), 4, (16, 8), None, ""),
        ({"words": True, "max_data_bits": 8}, (16,), 4, (16, 9), None, "at most 8 bits of data, and these have 9"),
        # 62 bits go into an entry: of 56 + 9, three are told by the bucket, of which eight entries make one
        ({"words": True, "max_entry_bits": 62}, (56,), 64, (56, 9), None, ""),
        ({"words": True, "max_entry_bits": 62}, (56,), 63, (56, 9), None, "56 + 9 bits, which do not fit"),
        ({"words": True, "max_entry_bits": 62}, (5,), 64, (5, 60), None, "5 + 60 bits, which do not fit"),
        ({"words": True, "max_entry_bits": 62}, (6,), 64, (6, 59), None, ""),
        ({"words": True, "max_entry_bits": 62}, (16,), 1, (16, 9), None, ""),
        ({"words": True, "max_entry_bits": 62}, (4,), 64, (4, 9), None, ""),
        ({"words": True, "max_entry_bits": 62}, (3,), 64, (3, 9), None, "3 + 9 bits, which do not fit"),
    ],
)  # fmt: skip
def test_what_a_kernel_refuses(
    limits: dict[str, Any], widths: tuple[int, ...], size: int, bits: tuple[int, int] | None, constants: int | None,
    why: str,
) -> None:  # fmt: skip
    keys = tuple(TableKey(const(0, width), MatchKind.EXACT, "k", AT) for width in widths)
    kernel = Kernel("k", frozenset({MatchKind.EXACT, MatchKind.LPM}), **limits)
    refusal = kernel.refusal(Need(keys, size, bits, constants=constants))
    assert why in refusal and bool(refusal) == bool(why)


@pytest.mark.parametrize(
    ("room", "data", "why"),
    [
        (24, 8, ""),
        (24, 9, "beside an entry's index there is room for 24 bits, and key and data have 16 + 9"),
        (0, 8, "beside an entry's index there is room for nothing, and key and data have 16 + 8"),
    ],
)
def test_words_with_an_index(room: int, data: int, why: str) -> None:
    """Those that are looked up without one have room all the same."""
    keys = (TableKey(const(0, 16), MatchKind.EXACT, "k", AT),)
    kernel = Kernel("k", frozenset({MatchKind.EXACT}), words=True, max_data_bits=48, max_indexed_bits=room)
    assert kernel.refusal(Need(keys, 4, (16, data), indexed=True)) == why
    assert kernel.refusal(Need(keys, 4, (16, data))) == ""


def test_kernels_for_entries_that_never_change_are_not_told_of() -> None:
    keys = (TableKey(const(0, 16), MatchKind.EXACT, "k", AT),)
    exact, lpm = (frozenset({kind}) for kind in (MatchKind.EXACT, MatchKind.LPM))
    kernels = (Kernel("a", exact, max_bits=8, kept_by="b"), Kernel("c", exact, max_bits=8), Kernel("d", lpm))
    told = replace(builtin(), kernels=kernels).refusals(Need(keys))
    assert told == ("c: its keys have at most 8 bits, and this one has 16",)


def test_what_is_selected_by_is_not_matched() -> None:
    prefix, selector = (TableKey(const(0, 16), kind, "k", AT) for kind in (MatchKind.LPM, MatchKind.SELECTOR))
    kernel = Kernel("k", frozenset({MatchKind.LPM}), alone=True, bulk=True, bulk_key_bytes=4)
    assert kernel.refusal(Need((prefix, selector))) == ""
    assert kernel.refusal(Need((prefix, prefix))) == "it matches one prefix"
    assert (Need((prefix, selector)).bits, Need((prefix, selector)).key_bytes) == (16, 2)
    assert [kernel.looks_up_many(size) for size in (4, 5)] == [True, False]
    assert replace(kernel, bulk_key_bytes=0).looks_up_many(5) and not replace(kernel, bulk=False).looks_up_many(1)
    assert (kernel.keeper, replace(kernel, kept_by="linear").keeper) == ("k", "linear")


def test_an_overriding_template_takes_effect(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "state.h.j2").write_text("/* the state of a {{ p.name | comment }} board */\n")
    text = made(program("exact"), target(tmp_path))
    assert "/* the state of a t board */" in text
    assert "struct macs_program macs_program" in text  # the other templates are ours
    assert "struct live {" not in text


def test_templates_know_what_they_name(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "state.h.j2").write_text("{{ p.no_such_thing }}\n")
    with pytest.raises(BadTarget, match=r"state\.h\.j2:1: UndefinedError: .*no_such_thing"):
        made(program("exact"), target(tmp_path))


@pytest.mark.parametrize(
    ("kinds", "width", "message"),
    [
        (
            ("exact",),
            24,
            "target 'board' has no kernel that can hold 't' .exact_hash: its keys have at most 16 bits, and this one has 24",
        ),
        (("ternary",), 8, "target 'board' does not support the match kinds ternary together"),
        (("exact",), 40, "a key of 5 bytes .*at most 4"),
    ],
)
def test_what_a_target_lacks_is_said(tmp_path: Path, kinds: tuple[str, ...], width: int, message: str) -> None:
    with pytest.raises(Rejected) as rejected:
        made(program(*kinds, width=width), target(tmp_path))
    assert any(re.search(message, m.message) for m in rejected.value.diagnostics.messages)


@pytest.mark.parametrize(("algorithm", "has"), [("crc16", True), ("crc32", False)])
def test_the_hash_of_a_selector_must_be_the_targets(tmp_path: Path, algorithm: str, has: bool) -> None:
    b = Builder()
    b.header("h", "h_t", k=16, s=8)
    b.action("to", b.set("h.s", 1))
    b.extern("by", "action_selector", size=4, algorithm=algorithm, width=8)
    b.table("t", [("h.k", "exact"), ("h.s", "selector")], ["to"], implementation="by")
    what = b.build([state("start", [extract("h")], goto("accept"))], [apply("t")], deparser=[emit("h")])
    target(tmp_path, MINIMAL.replace("hash_algorithms = []", 'hash_algorithms = ["crc16"]'))
    if has:
        assert "macs_checksum_crc16" in made(what, tmp_path)
        return
    with pytest.raises(Rejected) as rejected:
        made(what, tmp_path)
    assert ["the hash algorithm 'crc32'" in said.message for said in rejected.value.diagnostics.messages] == [True]


def test_a_key_of_as_many_bytes_as_there_may_be(tmp_path: Path) -> None:
    target(tmp_path, MINIMAL.replace("max_bits = 16", "max_bits = 64"))
    assert "exact_hash" in made(program("exact", width=32), tmp_path)  # those of 40 bits are refused


def test_ranges_of_signed_numbers_are_refused() -> None:
    made_of = program("range")
    [table] = made_of.tables
    signed = replace(table.keys[0].expression, type=Bits(16, signed=True))
    table = replace(table, keys=(replace(table.keys[0], expression=signed),))
    with pytest.raises(Rejected) as rejected:
        check(replace(made_of, tables=(table,)), builtin(), Diagnostics())
    assert "a range of signed numbers" in rejected.value.diagnostics.messages[0].message


def test_other_architectures_are_refused(tmp_path: Path) -> None:
    folder = target(tmp_path, MINIMAL.replace('"v1model"', '"psa"'))
    with pytest.raises(Rejected) as rejected:
        made(program("exact"), folder)
    assert "does not run architecture 'v1model'" in rejected.value.diagnostics.messages[0].message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "target.toml:1: Invalid value"),
        ("name = nothing", "target.toml:1:8: Invalid value"),
        (MINIMAL.replace('name = "board"\n', "", 1), "target.toml:1: the key 'name' is missing"),
        (MINIMAL.replace('["exact"]', '["nearly"]'), r"target.toml:10: no such match kind: nearly \(there are exact, "),
        (MINIMAL.replace("max_key_bytes = 4", 'max_key_bytes = "many"'), "target.toml:5: max_key_bytes is 'many', not of type"),
        (MINIMAL.replace("max_key_bytes = 4", "max_key_bytes = true"), "target.toml:5: max_key_bytes is True, not of type"),
        (MINIMAL.replace('externs = ["counter.count"]', "externs = [5]"), "target.toml:6: externs has something else"),
        (MINIMAL.replace('externs = ["counter.count"]', 'externs = "counter.count"'), "target.toml:6: externs is"),
        (MINIMAL.replace('externs = ["counter.count"]', 'without_externs = ["counter.cuont"]'),
         "target.toml:6: without_externs has .*: counter.cuont; see"),
        (MINIMAL.replace("counter.count", "counter.cuont"), "target.toml:6: externs has .*: counter.cuont; see"),
        (MINIMAL.replace("hash_algorithms = []", 'hash_algorithms = ["fnv"]'), "target.toml:7: hash_algorithms has .*: fnv"),
        (MINIMAL.replace("max_bits = 16", 'max_bits = "16"'), "target.toml:11: max_bits is '16'"),
        (MINIMAL.replace('name = "board"', "name = 7"), "target.toml:2: name is 7"),
        (MINIMAL.replace('name = "board"', 'name = "a/b"'), "target.toml:2: name is 'a/b', not letters"),
        (MINIMAL.replace('name = "exact_hash"', 'name = "exact hash"'), "target.toml:9: name is 'exact hash', not small"),
        (MINIMAL + "step = 1\n", "target.toml:12: unknown key 'step': there are name, match"),
        (MINIMAL + "memory = { enter = 1 }\n", "target.toml:8: unknown key 'enter': there are base, "),
        (MINIMAL + "memory = { slot = 1 }\n", "target.toml:8: slot is 1, not of type bool"),
        ("speed = 1\n" + MINIMAL, "target.toml:1: unknown key 'speed': there are name, extends"),
        ("kernels = 5\n", "target.toml:1: the key 'name' is missing"),
        (MINIMAL + "steps = -1\n", "target.toml:12: steps is -1, not at least 0"),
        (MINIMAL + "max_entries = 0\n", "target.toml:12: max_entries is 0, not at least 1"),
        (MINIMAL + "bulk = true\n", "target.toml:12: bulk takes keys as numbers: max_key_bytes of at most 4 is missing"),
        (MINIMAL + "bulk_key_bytes = 4\n", "target.toml:12: bulk_key_bytes is of use with bulk only"),
        (MINIMAL + 'optimisation = "speed"\n', "target.toml:12: there is no optimisation 'speed': there are "),
        (MINIMAL + '[[counters]]\nname = "c"\nsize = 1\n' * 2, "target.toml:16: the counter 'c' is there twice"),
        (MINIMAL + '[[counters]]\nname = "c"\nsize = 0\n', "target.toml:14: size is 0, not from 1"),
        (MINIMAL.replace("summary", 'extends = "boards"\nsummary'), "target.toml:3: no target 'boards': there are board, "),
        (MINIMAL.replace("summary", 'extends = "board"\nsummary'), "target.toml:3: the target extends itself"),
    ],
)  # fmt: skip
def test_a_bad_description_is_said(tmp_path: Path, text: str, message: str) -> None:
    folder = tmp_path / "board"
    folder.mkdir()
    with pytest.raises(BadTarget, match=message):
        load(target(folder, text), Known(tmp_path).folder)


def test_a_missing_description_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadTarget, match=r"target\.toml: No such file"):
        load(tmp_path / "none", Known(None).folder)


def test_a_file_that_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / "target.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadTarget, match=r"target\.toml: is not text"):
        choose(None, tmp_path)


@pytest.mark.parametrize("ring", [("one",), ("one", "two"), ("one", "three", "two"), ("one", "four", "three", "two")])
def test_targets_that_extend_each_other_are_told(ring: tuple[str, ...], tmp_path: Path) -> None:
    for name, other in (("board", "one"), *zip(ring, (*ring[1:], "one"), strict=True)):
        (tmp_path / name).mkdir()
        target(tmp_path / name, MINIMAL.replace("board", name).replace("summary", f'extends = "{other}"\nsummary'))
    with pytest.raises(BadTarget, match=rf"{ring[-1]}/target\.toml:3: the target extends itself"):
        load(tmp_path / "board", Known(tmp_path).folder)


def test_a_target_extends_another(tmp_path: Path) -> None:
    for name, text in (
        ("base", MINIMAL.replace("board", "base")),
        (
            "board",
            'name = "board"\nextends = "base"\nmax_key_bytes = 8\n[[kernels]]\nname = "linear"\nmatch = ["exact"]\n',
        ),
    ):
        (tmp_path / name / "templates").mkdir(parents=True)
        (tmp_path / name / "target.toml").write_text(text)
    (tmp_path / "base" / "templates" / "state.h.j2").write_text("/* {% block of %}base{% endblock %} */\n")
    extended = "{% extends 'base/state.h.j2' %}{% block of %}board, {{ super() }}{% endblock %}\n"
    (tmp_path / "board" / "templates" / "state.h.j2").write_text(extended)
    found = choose("board", tmp_path)
    assert [kernel.name for kernel in found.kernels] == ["linear", "exact_hash"]
    assert (found.summary, found.max_key_bytes) == ("a base", 8)
    assert (found.architectures, found.externs) == ({"v1model"}, {"counter.count"})
    code = generate(program("exact"), found, share("templates"), Diagnostics()).c
    assert "/* board, base */" in code
    assert '"tables/common/linear.h"' in code


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--target", "bard"], 2, "no target 'bard': there are software"),
        (["--target", "bard", "--target-dir", "."], 2, "no target 'bard': there are board, other, software"),
        (["--target-dir", "."], 2, "has no target.toml: say --target NAME; there are board, other"),
        (["--target-dir", "empty"], 2, "has no target.toml: no target is there"),
        (["--target", "other", "--target-dir", "board"], 2, "no target 'other' in .*board: there is 'board'"),
        (["--target", "other", "--target-dir", "."], 1, "other/target.toml: error: its name is 'board', but it is found as"),
        (["--target-dir", "board"], 1, "board/target.toml:8: error: no kernel 'fast': neither is there .*tables/fast.h"),
    ],
)  # fmt: skip
def test_a_target_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    arguments: list[str], code: int, message: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for name in ("board", "other", "empty"):
        (tmp_path / name).mkdir()
        if name != "empty":
            target(tmp_path / name, MINIMAL.replace("exact_hash", "fast"))
    (tmp_path / "p.p4").write_text("")
    assert call(["build", "p.p4", *arguments]) == code
    assert re.search(message, " ".join(capsys.readouterr().err.split()))


def test_a_kernel_of_the_name_of_ours_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "exact_hash.h").write_text("")
    (tmp_path / "p.p4").write_text("")
    assert call(["build", str(tmp_path / "p.p4"), "--target-dir", str(target(tmp_path))]) == 1
    assert "tables/exact_hash.h:1: error: macsad has a kernel 'exact_hash' too" in capsys.readouterr().err


def test_a_kernel_whose_entries_another_keeps_is_refused_by_the_name_of_that_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The header is that one's."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "exact_hash.h").write_text("")
    (tmp_path / "p.p4").write_text("")
    folder = target(tmp_path, MINIMAL.replace('"exact_hash"', '"fixed"') + 'kept_by = "exact_hash"\n')
    assert call(["build", str(tmp_path / "p.p4"), "--target-dir", str(folder)]) == 1
    assert "tables/exact_hash.h:1: error: macsad has a kernel 'exact_hash' too" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "message"),
    [("string", "names no package, whose folder"), ("no_such_module", "cannot be loaded: ModuleNotFoundError")],
)
def test_an_entry_point_that_is_no_target(value: str, message: str) -> None:
    known = Known(None)
    known.installed["installed"] = EntryPoint("installed", value, "macsad.targets")
    with pytest.raises(BadTarget, match=message):
        known.folder("installed")


def test_views_alone_make_the_program() -> None:
    """Templates see the view-model only, so it renders without anything else at hand."""
    what = program("exact")
    kernels = {"t": next(k for k in builtin().kernels if k.name == "exact_hash")}
    made_view = view(planned(what, schedule(what, Options()), kernels, Options(run_to_completion=True), EDITS))
    assert "other_name" in render(replace(made_view, name="other_name"), (), share("templates"))


def extended(folder: Path, text: str) -> Path:
    return target(folder, 'name = "board"\nextends = "software"\n' + text)


def test_a_kernel_is_narrowed_where_it_stands(tmp_path: Path) -> None:
    found = choose(None, extended(tmp_path, '[[kernels]]\nname = "exact_hash"\nmax_field_bits = 64\n'))
    assert [k.name for k in found.kernels] == [k.name for k in builtin().kernels]
    before, after = (next(k for k in t.kernels if k.name == "exact_hash") for t in (builtin(), found))
    assert after == replace(before, max_field_bits=64)


def test_a_kernel_is_left_out(tmp_path: Path) -> None:
    found = choose(None, extended(tmp_path, 'without_kernels = ["linear", "compare"]\n'))
    assert [k.name for k in found.kernels] == [k.name for k in builtin().kernels if k.name not in ("linear", "compare")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('without_kernels = ["liner"]\n', "target.toml:3: no kernel 'liner' to leave out: there are compare"),
        ('without_kernels = ["linear"]\n[[kernels]]\nname = "linear"\n', "target.toml:5: the kernel 'linear' is left out"),
        ('[[kernels]]\nname = "linear"\n[[kernels]]\nname = "linear"\n', "target.toml:6: the kernel 'linear' is there twice"),
        ('[build]\nplatform = "bare"\n', "target.toml:4: platform is 'bare': there are linux, dpdk, odp"),
        ('[build]\narch = "vax"\n', "target.toml:4: arch is 'vax': there are x86_64"),
        ('[build]\nspeed = "high"\n', "target.toml:4: unknown key 'speed': there are arch"),
        ("[run]\nworkers = 65\n", "target.toml:4: workers is 65, not from 1 to 64"),
        ("[run]\nburst = 257\n", "target.toml:4: burst is 257, not from 1 to 256"),
        ('[run]\nstart = "board start"\n', "target.toml:4: start is 'board start', not small letters"),
        ('[run]\ncpus = "2-1"\n', "target.toml:4: cpus is '2-1', not CPU numbers"),
    ],
)  # fmt: skip
def test_what_cannot_be_changed_of_a_target_is_said(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadTarget, match=message):
        choose(None, extended(tmp_path, text))


def test_a_field_that_is_too_wide_is_said(tmp_path: Path) -> None:
    text = MINIMAL.replace("max_bits = 16", "max_field_bits = 16").replace("max_key_bytes = 4", "max_key_bytes = 16")
    assert "macs_exact_hash" in made(program("exact", "exact"), target(tmp_path, text))
    with pytest.raises(Rejected) as rejected:
        made(program("exact", "exact", width=24), tmp_path)
    said = rejected.value.diagnostics.messages[0].message
    assert "exact_hash: its fields have at most 16 bits, and one of this key has 24" in said


def test_a_target_says_how_its_switches_run(tmp_path: Path) -> None:
    folder = target(tmp_path, MINIMAL + '[run]\nworkers = 2\nburst = 32\nsub_batch = 8\ncpus = "1,2"\n')
    text = made(program("exact"), folder)
    for line in (".workers = 2,", ".burst = 32,", ".sub_batch = 8,", '.cpus = "1,2",'):
        assert line in text


def test_the_command_line_goes_before_what_a_target_builds_for(tmp_path: Path) -> None:
    text = '[build]\narch = "aarch64"\nplatform = "dpdk"\ncpu = "cortex-a72"\ncc = "cross-gcc"\n'
    found = choose(None, extended(tmp_path, text + 'odp = "libodp-board"\nsysroot = "root"\n'))
    sysroot = (tmp_path / "root").absolute()
    assert machine(found, {}) == Machine("dpdk", "aarch64", "cortex-a72", "cross-gcc", "libodp-board", sysroot)
    given = {"platform": "linux", "arch": "x86_64", "cpu": None, "compiler": None}
    assert machine(found, given) == Machine("linux", "x86_64", odp="libodp-board")
    assert machine(found, {"cpu": "cortex-a53"}).cpu == "cortex-a53"
    assert machine(found, {"arch": "aarch64"}) == machine(found, {}), "what is said again changes nothing"
    assert machine(builtin(), given | {"arch": None}) == Machine() == HERE


def test_a_processor_is_no_number_of_a_cpu() -> None:
    with pytest.raises(click.BadParameter, match=r"'2-3' is no processor's name; .* --cpus"):
        machine(builtin(), {"cpu": "2-3"})


@pytest.mark.parametrize("verb", ["build", "run", "test"])
def test_what_is_built_for_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str) -> None:
    (tmp_path / "p.p4").write_text("")
    more = {"run": ["--port", "0=null:"], "test": [str(tmp_path / "p.p4")]}.get(verb, [])
    assert call([verb, str(tmp_path / "p.p4"), *more, "--cpu", "haswell", "--cpu", "native"]) == 2
    assert "--cpu': it is given more than once: haswell, native" in " ".join(capsys.readouterr().err.split())
    assert call([verb, "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "--cpu NAME The processor to compile for" in said and "are its own option --cpus" in said


def test_a_targets_sysroot_and_odp_are_built_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its pkg-config files are the only ones, and the compiler looks there, whatever the platform."""
    root, described = tmp_path / "root", tmp_path / "root" / "usr" / "lib" / "pkgconfig"
    described.mkdir(parents=True)
    (root / "usr" / "include").mkdir()
    (root / "usr" / "include" / "stdio.h").write_text("")
    for name in ("libodp-board", "libdpdk"):
        text = f"Name: {name}\nDescription: none\nVersion: 1\nCflags: -I/opt/{name}\nLibs: -L/opt/{name} -l{name[3:]}\n"
        (described / f"{name}.pc").write_text(text)
    monkeypatch.delenv("MACSAD_ODP", raising=False)
    here = f"--sysroot={root}"
    tools = toolchain.find("odp", odp="libodp-board", sysroot=root)
    assert {here, f"-I{root}/opt/libodp-board"} <= set(tools.compile_flags)
    assert {here, f"-L{root}/opt/libodp-board", "-lodp-board"} <= set(tools.link_flags)
    with pytest.raises(ToolchainError, match="pkg-config knows none of libodp-linux"):
        toolchain.find("odp", sysroot=root)
    assert here in toolchain.find("dpdk", sysroot=root).link_flags
    linux = toolchain.find("linux", sysroot=root)
    assert here in linux.compile_flags and here in linux.link_flags
    with pytest.raises(ToolchainError, match=r"there is no folder .*/none, which the target names as its sysroot"):
        toolchain.find("linux", sysroot=tmp_path / "none")


def test_bench_measures_what_the_target_is_built_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[session.Wanted] = []

    def measured(wanted: session.Wanted) -> session.Result:
        asked.append(wanted)
        raise BenchError("not measured")

    monkeypatch.setattr(session, "run", measured)
    folder = extended(tmp_path, '[build]\nplatform = "dpdk"\ncpu = "native"\ncc = "clang"\n')
    assert call(["bench", "l2fwd", "--target-dir", str(folder)]) == 1
    assert call(["bench", "l2fwd", "--target-dir", str(folder), "--platform", "linux"]) == 1
    assert [wanted.machine for wanted in asked] == [
        Machine(name, None, "native", "clang") for name in ("dpdk", "linux")
    ]
    assert [wanted.feed for wanted in asked] == ["pcap", "mem"]
    capsys.readouterr()
    other = "s390x" if host_arch() != "s390x" else "aarch64"
    assert call(["bench", "l2fwd", "--target-dir", str(extended(tmp_path, f'[build]\narch = "{other}"\n'))]) == 2
    assert f"target 'board' is built for {other}" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("deparser.c.jinja", "", r"deparser.c.jinja:1: is no template: the name of one ends in .j2"),
        ("deparse.c.j2", "", r"deparse.c.j2:1: no template 'deparse.c.j2' .*did you mean deparser.c.j2"),
        ("deparser.c.j2", '{% extends "software/deparser.c.j2" %}\n{% block after %}{% endblock %}',
         r"deparser.c.j2:2: 'software/deparser.c.j2' has no block 'after': there are after_deparser, before_deparser"),
    ],
)  # fmt: skip
def test_a_misspelt_template_or_block_is_said(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / name).write_text(text)
    with pytest.raises(BadTemplate, match=message) as raised:
        made(program("exact"), target(tmp_path))
    assert raised.value.page == "docs/extend/template.md"


@pytest.mark.parametrize("name", ["template", "Tables", "tabels"])
def test_a_misspelt_folder_is_said(tmp_path: Path, name: str) -> None:
    (tmp_path / "sysroot").mkdir()
    choose(None, target(tmp_path))
    (tmp_path / name).mkdir()
    with pytest.raises(BadTarget, match=rf"{name}: nothing looks into this folder: did you mean (templates|tables)/"):
        choose(None, tmp_path)


def test_messages_name_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.p4").write_text("")
    assert call(["build", str(tmp_path / "p.p4"), "--target-dir", str(extended(tmp_path, "speed = 1\n"))]) == 1
    assert re.search(
        r"target.toml:3: error: unknown key 'speed'.* \(see docs/extend/target.md\)\n", capsys.readouterr().err
    )
