"""The lookups of a program alone: a switch records the keys of its lookups, and repeats them table by table after it has
ended. The rest of a packet's time is parsing, actions and deparsing. See bench/lookups.h.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from macsad import compilation
from macsad.bench.contestants import Probe
from macsad.compilation import Request
from macsad.resources import share
from macsad.targets import HERE, Machine
from transpiler.codegen.generate import Decided
from transpiler.codegen.tables import key_bytes, members_key
from transpiler.codegen.words import word_layout
from transpiler.hlir.program import Program, TableKey
from transpiler.targets.target import Kernel
from transpiler.toolchain.backend import archive, command, run, target_sources

BURST = 64  # B and b of the switch that notes its lookups, and the lookups that are repeated at once


@dataclass(frozen=True)
class Looked:
    """A table's lookups: `number` of the table in the program, lookups `each` packet on average, `hits` among them."""

    number: int
    name: str
    kernel: str
    each: float
    hits: float


@dataclass(frozen=True)
class _Subject:
    """A table or value set that a kernel looks up. `word`: bits of key and data, where its entries are words."""

    name: str
    kernel: Kernel
    bytes: int
    word: tuple[int, int] | None

    @property
    def many(self) -> bool:
        return self.kernel.looks_up_many(self.bytes)


def subjects(program: Program, decided: Decided) -> tuple[_Subject, ...]:
    """What kernels look up in a program that is made as decided: code that compares is none of it."""
    keys: dict[str, tuple[TableKey, ...]] = {table.name: table.keys for table in program.tables}
    keys |= {value_set.name: members_key(value_set) for value_set in program.value_sets}
    found = []
    for name, kernel in decided.planned.kernels.items():
        if not kernel.kept_by:
            layout = word_layout(decided.planned.program, decided.planned.program.table[name]) if kernel.words else None
            word = (layout.key_bits, layout.data_bits) if layout else None
            found.append(_Subject(name, kernel, key_bytes(keys[name]), word))
    return tuple(found)


def header(these: tuple[_Subject, ...]) -> str:
    """What generated C is compiled behind: the beginnings of lookups note what is looked up."""
    kernels = {one.kernel.name: one.kernel for one in these}
    lines = ['#include "lookups.h"', *_includes(these)]
    for name, kernel in kernels.items():
        start, bulk = f"macs_{name}_start", f"macs_{name}_bulk_start"
        if kernel.words:
            begin = f"(lookups_note_word(table, key), {start}(table, key, bits, data, cursor))"
            lines.append(f"#define {start}(table, key, bits, data, cursor) {begin}")
            begin = f"(lookups_note_words(table, (bulk)->keys, count), {bulk}(table, bulk, count, bits, data))"
            lines += [f"#define {bulk}(table, bulk, count, bits, data) {begin}"] if kernel.bulk else []
            continue
        lines.append(
            f"#define {start}(table, key, bytes, cursor) "
            f"(lookups_note(table, key, bytes), {start}(table, key, bytes, cursor))"
        )
        note = "lookups_note_numbers(table, (bulk)->keys, count, bytes)"
        if kernel.bulk_key_bytes:
            note = "lookups_note_rows(table, (bulk)->keys, sizeof (bulk)->keys[0], count, bytes)"
        begin = f"({note}, {bulk}(table, bulk, count, bytes, miss))"
        lines += [f"#define {bulk}(table, bulk, count, bytes, miss) {begin}"] if kernel.bulk else []
    return "\n".join([*lines, ""])


def repeated(these: tuple[_Subject, ...]) -> str:
    """The C that repeats the lookups."""
    functions = [_function(number, one) for number, one in enumerate(these)]
    rows = [f'    {{"{one.name}", look_up_{n}, {8 if one.word else one.bytes}}},' for n, one in enumerate(these)] or [
        '    {"", NULL, 0},'
    ]
    count = f"const uint32_t lookups_subject_count = {len(these)};"
    table = ["const struct lookups_subject lookups_subjects[] = {", *rows, "};", count, ""]
    return "\n".join(['#include "lookups.h"', *_includes(these), *functions, *table])


def _includes(these: tuple[_Subject, ...]) -> list[str]:
    return [f'#include "{file}"' for file in dict.fromkeys(one.kernel.header for one in these)]


def _function(number: int, one: _Subject) -> str:
    kernel, name = one.kernel, f"look_up_{number}, {one.kernel.name}"
    step = f"macs_{kernel.name}_step" if kernel.steps else "LOOKUPS_NO_STEP"
    if one.word:
        bits = f"{one.word[0]}, {one.word[1]}"
        return (
            f"LOOKUPS_WORDS({name}, {bits})"
            if kernel.bulk
            else f"LOOKUPS_WORD_CURSORS({name}, {bits}, {kernel.steps}, {step})"
        )
    if not one.many:
        return f"LOOKUPS_CURSORS({name}, {one.bytes}, {kernel.steps}, {step})"
    if not kernel.bulk_key_bytes:
        return f"LOOKUPS_NUMBERS({name}, {one.bytes})"
    parts = [f"macs_{kernel.name}_bulk_{part}" if kernel.parts else "LOOKUPS_NO_STEP" for part in ("step", "finish")]
    return f"LOOKUPS_ROWS({name}, {one.bytes}, {', '.join(parts)})"


def start(
    request: Request, program: Program, folder: Path, entries: Path, frames: Path, count: int, machine: Machine = HERE
) -> tuple[Probe, tuple[Looked, ...]]:
    """Run `count` frames of a file through a switch with these entries; what can be measured then, and the tables that
    were looked up. Raises: BenchError, Rejected, ToolchainError."""
    these = subjects(program, compilation.decide(request, program))
    binary = _build(request, program, folder, these, machine)
    told = folder / "lookups.txt"
    words = [str(binary), "--port", f"0=pcap:{frames}", "--port", "1=null:", "--entries", str(entries), "--until-end"]
    words += ["--burst", str(BURST), "--sub-batch", str(BURST)]
    runs = folder / "lookups-runs"
    runs.mkdir()
    probe = Probe(words, runs, environment={**os.environ, "MACSAD_LOOKUPS": str(told)})
    kernels = {one.name: one.kernel.name for one in these}
    looked = []
    for number, line in enumerate(told.read_text().splitlines()):
        lookups, hits, name = line.split(" ", 2)
        if int(lookups):
            looked.append(Looked(number, name, kernels[name], int(lookups) / count, float(hits)))
    return probe, tuple(looked)


def _build(
    request: Request, program: Program, folder: Path, these: tuple[_Subject, ...], machine: Machine
) -> Path:  # fmt: skip
    """The switch that notes its lookups. Its own code is compiled in a hurry: it is not what is measured."""
    tools, backend = compilation.toolchain(request.wanted, machine), share("aux-backend")
    generated = compilation.generate_c(request, program)
    files = {"noted.h": header(these), "program.c": generated.c, "repeated.c": repeated(these)}
    for name, text in files.items():
        (folder / name).write_text(text)
    words = [*command(backend, tools, (*request.target.c_folders, *generated.folders)), f"-I{share('bench')}"]
    hurried = [*words, "-O1", "-Wno-all", "-include", str(folder / "noted.h"), "-c", str(folder / "program.c")]
    run([*hurried, "-o", str(folder / "program.o")])
    own = map(str, target_sources(request.target.c_folders))
    sources = [str(folder / "repeated.c"), str(share("bench") / "lookups.c"), *own, str(folder / "program.o")]
    binary = folder / "lookups"
    linked = [str(archive(backend, tools)), "-Wl,--wrap=macs_switch_stop", *tools.link_flags]
    run([*words, *sources, *linked, "-o", str(binary)])
    return binary
