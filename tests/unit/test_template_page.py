"""What docs/extend/template.md promises to templates of targets is there: every template, its blocks, the views' names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from macsad.compilation import Request, generate_c, load
from macsad.resources import share
from transpiler.codegen import pipeline_views, views
from transpiler.targets.find import choose

ROOT = Path(__file__).parents[2]
TEMPLATE_PAGE = ROOT / "docs" / "extend" / "template.md"


def test_the_page_has_every_template_with_its_blocks() -> None:
    rows = re.findall(r"^\| (`.*\.j2`) \| (.*?) ?\| .* \|$", TEMPLATE_PAGE.read_text(), re.MULTILINE)
    told = {
        name: set(re.findall(r"`(\w+)`", blocks)) for names, blocks in rows for name in re.findall(r"`([^`]+)`", names)
    }
    there = {
        file.relative_to(share("templates")).as_posix(): set(re.findall(r"{% block (\w+)", file.read_text()))
        for file in share("templates").rglob("*.j2")
    }
    assert told == there


def test_names_that_the_page_promises_are_there() -> None:
    rows = re.findall(r"^\| `(\w+)` \| \[(\w+)\].*?\| (.*) \|$", TEMPLATE_PAGE.read_text(), re.MULTILINE)
    assert {name for name, *_ in rows} == {"p", "table", "set", "pipe", "f", "stage", "lookup", "view", "s"}
    for _, class_name, promised in rows:
        there = getattr(views, class_name, None) or getattr(pipeline_views, class_name)
        for field in re.findall(r"`(\w+)`", promised):
            assert field in there.__slots__ or isinstance(getattr(there, field, None), property), (class_name, field)


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    """A target that marks each block with a comment that names it; the marks."""
    folder, marks = tmp_path_factory.mktemp("every"), set()
    (folder / "target.toml").write_text('name = "every"\nextends = "software"\n')
    for file in share("templates").rglob("*.j2"):
        name = file.relative_to(share("templates")).as_posix()
        lines = [f'{{% extends "software/{name}" %}}']
        for block in re.findall(r"{% block (\w+)", file.read_text()):
            marks.add(f"{name}:{block}")
            lines.append(f"{{% block {block} %}}/* {name}:{block} */\n{{{{ super() }}}}{{% endblock %}}")
        if len(lines) > 1:
            (folder / "templates" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "templates" / name).write_text("\n".join(lines))
    return folder, marks


def test_every_block_shows_in_some_program(every: tuple[Path, set[str]], tmp_path: Path) -> None:
    folder, marks = every
    (tmp_path / "cells.p4").write_text(CELLS)
    packets = ROOT / "tests" / "packets"
    programs = [
        packets / f"{name}.p4"
        for name in ("large_state", "tables", "value_sets", "wide_keys", "second_passes", "followed_entries")
    ]
    programs += [ROOT / "apps" / name / f"{name}.p4" for name in ("l2fwd", "nat")]
    seen: set[str] = set()
    for program in (*programs, tmp_path / "cells.p4"):
        request = Request(program, warnings=("no-all",), target=choose(None, folder))
        seen.update(re.findall(r"/\* (\S+\.j2:\w+) \*/", generate_c(request, load(request)).c))
    assert seen == marks


# A table and a register that both wait for memory, in one stage.
CELLS = """
#include <v1model.p4>
header kind_t { bit<48> key; bit<32> at; bit<32> sum; }
struct headers { kind_t kind; }
struct metadata { }
parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    state start { packet.extract(hdr.kind); transition accept; }
}
control V(inout headers hdr, inout metadata meta) { apply { } }
control In(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    register<bit<32>>(1048576) sums;
    action to(bit<9> port, bit<32> other) { standard.egress_spec = port; hdr.kind.sum = other; }
    action drop() { mark_to_drop(standard); }
    table ports { key = { hdr.kind.key: exact; } actions = { to; drop; } default_action = drop(); size = 1048576; }
    apply {

        bit<32> sum;
        sums.read(sum, hdr.kind.at & 0xfffff);
        sums.write(hdr.kind.at & 0xfffff, sum + 1);
        hdr.kind.sum = sum;
        ports.apply();
    }
}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) { apply { } }
control C(inout headers hdr, inout metadata meta) { apply { } }
control D(packet_out packet, in headers hdr) { apply { packet.emit(hdr.kind); } }
V1Switch(P(), V(), In(), E(), C(), D()) main;
"""
