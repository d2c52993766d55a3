"""The kernel of docs/extend/kernel.md, made from that page alone outside the checkout, and such that lack something."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from macsad.cli import call

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "extend" / "kernel.md"
NAT = ROOT / "apps" / "nat" / "nat.p4"
FILE = re.compile(r"^`(sorted/[\w./]+)`.*?^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPS = r"exact_sorted\.c:\d+: error: "
HEADER = r"exact_sorted\.h:\d+: error: "
TOML = r"target\.toml:5: error: "


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a reader has who copies the page's files."""
    made = FILE.findall(PAGE.read_text())
    assert [path for path, _ in made] == [
        "sorted/target.toml", "sorted/tables/exact/exact_sorted.h", "sorted/tables/exact/exact_sorted.c",
    ]  # fmt: skip
    for path, text in made:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path / "sorted"


def change(file: Path, *pairs: tuple[str, str]) -> None:
    text = file.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def test_it_passes_the_test_of_kernels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["test-kernel", "--target-dir", str(folder), "--seed", "1"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "seed 1"
    assert [line.partition(": ")[0] for line in said[1:]] == ["exact_sorted"] * 5


def test_a_program_has_it_and_forwards(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["build", str(NAT), "--target-dir", str(folder), "-v", "-O", "1", "-o", str(folder.parent)]
    assert call(command) == 0
    out, err = capsys.readouterr()
    assert re.search(r"^table \S*outgoing: exact_sorted", out, re.MULTILINE)
    assert re.search(r"^table \S*routes: lpm_dir24", out, re.MULTILINE)
    assert "warning" not in err
    sanitize = ["--sanitize", "address", "--sanitize", "undefined"]
    assert call(["test", str(NAT), str(NAT.parent / "packets.stf"), "--target-dir", str(folder), *sanitize]) == 0


def test_files_stand_in_tables_itself_as_well(folder: Path) -> None:
    for file in ("exact_sorted.h", "exact_sorted.c"):
        (folder / "tables" / "exact" / file).rename(folder / "tables" / file)
    assert call(["build", str(NAT), "--target-dir", str(folder), "-O", "1", "-o", str(folder.parent)]) == 0


def test_what_has_no_figures_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder / "target.toml", ("memory =", "# memory ="))
    command = ["build", str(NAT), "--target-dir", str(folder), "-O", "1", "-o", str(folder.parent)]
    assert call([*command, "-v"]) == 0
    out, err = capsys.readouterr()
    assert re.search(
        r"^table \S*outgoing: a stage of its own, as its kernel has no `memory` figures", out, re.MULTILINE
    )
    assert re.search(r"target\.toml:5:1: warning: the kernel 'exact_sorted' has no `memory` figures: .*outgoing", err)
    assert call([*command, "-W", "no-kernel"]) == 0
    assert "warning" not in capsys.readouterr().err


HASHED = """    for (uint32_t i = 0; i < cursor->array->count; i++) {
        const uint32_t slot = cursor->array->slots[i];
        const uint8_t *there = macs_values_inline(&table->rules.values, slot);
        if (macs_hash_bytes(key, key_bytes, 1) == macs_hash_bytes(there, key_bytes, 1))
            return macs_values_at(&table->rules.values, slot);
    }
    return NULL;
"""


def hashed(folder: Path) -> None:
    """A lookup that takes keys of the same hash for the same."""
    header = folder / "tables" / "exact" / "exact_sorted.h"
    change(header, ('"tables/common/rules.h"', '"tables/common/rules.h"\n#include "tables/common/hash.h"'))
    search = re.search(r"    uint32_t low = 0.*?    return NULL;\n", header.read_text(), re.DOTALL)
    assert search is not None
    change(header, (search[0], HASHED))


def fault(file: str, old: str, new: str) -> Callable[[Path], None]:
    return lambda folder: change(folder / "tables" / "exact" / file, (old, new))


@pytest.mark.parametrize(
    ("damage", "check"),
    [
        (fault("exact_sorted.h", "if (order == 0)", "if (order <= 0)"), "its operations keep the contract"),
        (fault("exact_sorted.c", "*array ? 0 : -ENOMEM", "0"), "without memory nothing changes"),
        (hashed, "keys of the same hash are told apart"),
        (fault("exact_sorted.c", "macs_qsbr_defer(table->rules.qsbr, release, table, old)", "release(table, old)"),
         "readers beside a writer"),
    ],
    ids=["takes another key's", "trusts malloc", "trusts hashes", "frees at once"],
)  # fmt: skip
def test_what_is_wrong_with_a_kernel_is_found(
    folder: Path, capsys: pytest.CaptureFixture[str], damage: Callable[[Path], None], check: str
) -> None:
    damage(folder)
    assert call(["test-kernel", "--target-dir", str(folder), "--seed", "1"]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if "FAILED" in line]
    assert failed and failed[0].startswith(f"exact_sorted: FAILED: {check}")


def without_walk(folder: Path) -> None:
    file = folder / "tables" / "exact" / "exact_sorted.c"
    change(
        file,
        ("    .walk = sorted_walk,\n", ""),
        ("static int sorted_walk", "__attribute__((unused)) static int sorted_walk"),
    )


def with_another_start(folder: Path) -> None:
    header = folder / "tables" / "exact" / "exact_sorted.h"
    start = "macs_exact_sorted_start(const void *self, const uint8_t *key, uint32_t key_bytes,"
    change(
        header,
        (start, start + " bool more,"),
        ("(void)key, (void)key_bytes;", "(void)key, (void)key_bytes, (void)more;"),
    )


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "tables" / "exact" / name).unlink()


LACKING = [
    (without_walk, OPS + "the operations of .* have no 'walk'"),
    (fault("exact_sorted.c", '"exact_sorted"', '"sorted"'), OPS + "the operations of .* have no 'name', or it is not"),
    (fault("exact_sorted.h", "macs_exact_sorted_finish", "macs_exact_sorted_end"), HEADER + ".* lacks macs_exact_sorted_finish"),
    (with_another_start, HEADER + ".* lacks macs_exact_sorted_start"),
    (fault("exact_sorted.h", "struct macs_exact_sorted_cursor", "struct macs_exact_sorted_at"),
     HEADER + ".* lacks struct macs_exact_sorted_cursor"),
    (without("exact_sorted.c"), HEADER + "no C file in .*tables/exact defines .*macs_exact_sorted_ops"),
    (without("exact_sorted.h"), TOML + "no kernel 'exact_sorted': neither is there"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("damage", "message"), LACKING, ids=lambda value: value[-30:] if isinstance(value, str) else ""
)
@pytest.mark.parametrize("verb", ["test-kernel", "build"])
def test_what_a_kernel_lacks_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], verb: str, damage: Callable[[Path], None], message: str
) -> None:
    damage(folder)
    if verb == "build" and message.startswith(OPS):
        pytest.skip("a build does not look into the operations: the switch does when it starts")
    more = [str(NAT), "-O", "1", "-o", str(folder.parent)] if verb == "build" else []
    assert call([verb, *more, "--target-dir", str(folder)]) == 1
    said = capsys.readouterr().err
    assert re.search(message, said) and "(see docs/extend/kernel.md)" in said


def test_a_switch_does_not_start_without_an_operation(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    without_walk(folder)
    assert call(["test", str(NAT), str(NAT.parent / "packets.stf"), "--target-dir", str(folder)]) == 1
    assert "its kernel exact_sorted has no operation 'walk' (docs/extend/kernel.md)" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["exact_packed"], "'exact_packed' looks nothing up by functions of its own"),
        (["compare"], "'compare' looks nothing up by functions of its own"),
        (["exact_hsah"], "target 'software' has no kernel 'exact_hsah': there are exact_index, exact_hash, "),
        ([], "target 'software' has no kernels of its own; name some of exact_index, exact_hash, "),
    ],
)
def test_what_cannot_be_tested_is_said(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert call(["test-kernel", *arguments]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_it_moves_into_the_tree_as_it_is(folder: Path, tmp_path: Path) -> None:
    """What its files include is found where ours are: its folder stands beside ours, or its files among them."""
    tree = tmp_path / "aux-backend"
    shutil.copytree(ROOT / "aux-backend" / "tables", tree / "tables")
    for file in (folder / "tables" / "exact").iterdir():
        shutil.copy(file, tree / "tables" / "exact" / file.name)
    command = ["gcc", "-std=c11", "-fsyntax-only", f"-I{ROOT / 'aux-backend' / 'include'}", f"-I{tree}"]
    subprocess.run([*command, str(tree / "tables" / "exact" / "exact_sorted.c")], check=True)
