"""Kernels of a target's own that lack something: where they are told of it. The compiler is one of this file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from macsad import kernel_contract
from transpiler.targets.target import BadKernel, Kernel
from transpiler.toolchain.toolchain import ToolchainError

OWN = Kernel("k", frozenset(), own_header="tables/k.h", steps=1, place="target.toml:3")
HEADER = "/* nothing */\nstruct macs_k_cursor { int x; };\nextern int macs_k_ops; /* macs_k_ops */\nvoid macs_k_start(void);\n"


@pytest.fixture
def target(tmp_path: Path) -> Any:
    (tmp_path / "c" / "tables").mkdir(parents=True)
    (tmp_path / "c" / "tables" / "k.h").write_text(HEADER)
    plain, compared = Kernel("plain", frozenset()), Kernel("code", frozenset(), own_header="x.h", kept_by="k")
    return SimpleNamespace(c_folders=(tmp_path / "none", tmp_path / "c"), kernels=(plain, compared, OWN))


Says = Callable[[int, str], None]


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Any:
    """says(lines, text): what the compiler complains of in a probe of more lines than that; of which {0} is the name."""
    complaints: list[tuple[int, str]] = []
    probes: list[str] = []

    def run(words: list[str]) -> None:
        probe = Path(words[-1])
        assert set(kernel_contract.STRICT) <= set(words) and words[0] == "cc" and "-fsyntax-only" in words
        probes.append(probe.read_text())
        for lines, text in complaints:
            if probes[-1].count("\n") > lines:
                raise ToolchainError(f"cc failed (1): …\n{text.format(probe)}")

    monkeypatch.setattr(kernel_contract, "run", run)
    monkeypatch.setattr(kernel_contract, "command", lambda backend, tools, folders: ["cc", *map(str, folders)])
    return SimpleNamespace(say=lambda lines, text: complaints.append((lines, text)), probes=probes)


ANY: Any = None


def test_a_kernel_that_has_all(target: Any, says: Any) -> None:
    """Its header is looked at alone first."""
    kernel_contract.check(OWN, target, ANY)
    first, second = says.probes
    assert first == '#include "tables/k.h"\n'
    assert second == first + "".join(f"{line}\n" for line in kernel_contract.declarations(OWN).values())


@pytest.mark.parametrize(
    ("line", "name", "place"),
    [
        (2, "struct macs_k_cursor", 2),
        (3, "macs_k_ops", 3),
        (4, "macs_k_start", 4),
        (5, "macs_k_finish", 1),
        (6, "macs_k_step", 1),
    ],
)
def test_what_a_kernel_lacks(target: Any, says: Any, line: int, name: str, place: int, tmp_path: Path) -> None:
    """The first of what is wrong; where its name stands in the header, else at the beginning."""
    says.say(1, f"{{0}}:7:1: error: later\n{{0}}:{line}:9: error: unknown\nin file x:1:1: note: here")
    with pytest.raises(BadKernel) as bad:
        kernel_contract.check(OWN, target, ANY)
    assert bad.value.place == f"{tmp_path}/c/tables/k.h:{place}"
    assert bad.value.what == f"the kernel 'k' lacks {name}, or it is not as it must be: unknown"


def test_a_header_that_is_no_c(target: Any, says: Any, tmp_path: Path) -> None:
    says.say(0, "k.h:3:1: error: expected ';'")
    with pytest.raises(ToolchainError) as told:
        kernel_contract.check(OWN, target, ANY)
    assert str(told.value) == f"{tmp_path}/c/tables/k.h cannot be compiled:\nk.h:3:1: error: expected ';'"
    assert len(says.probes) == 1


def test_a_header_that_is_not_found(target: Any, says: Any, tmp_path: Path) -> None:
    says.say(0, "{0}:1:10: error: tables/k.h: No such file")
    with pytest.raises(BadKernel) as bad:
        kernel_contract.check(OWN, target, ANY)
    assert bad.value.what.startswith("the kernel 'k' lacks tables/k.h, or it is not as it must be: tables/k.h: No such")


def test_operations_that_nobody_defines(target: Any, says: Any, tmp_path: Path) -> None:
    assert kernel_contract.own(target) == (OWN,)
    undefined = [f"undefined reference to `{name}'" for name in ("macs_kk_ops", "a_macs_k_ops", "macs_k_ops_2")]
    for other in (*undefined, "`macs_k_ops' is defined twice", "undefined\n`macs_k_ops'"):
        kernel_contract.explain(target, ANY, ToolchainError(other))
    with pytest.raises(BadKernel) as bad:
        kernel_contract.explain(target, ANY, ToolchainError("x.o: undefined reference to `macs_k_ops'"))
    folder = tmp_path / "c" / "tables"
    assert (bad.value.place, bad.value.what) == (
        f"{folder}/k.h:3",
        f"no C file in {folder} defines 'const struct macs_table_ops macs_k_ops', the operations of the kernel",
    )
    says.say(1, "{0}:3:1: error: unknown")
    with pytest.raises(BadKernel, match="lacks macs_k_ops"):
        kernel_contract.explain(target, ANY, ToolchainError("anything"))


def test_where_operations_are_defined(target: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In the target's C, in ours, or else the kernel is described there."""
    made = tmp_path / "c" / "tables" / "k.c"
    monkeypatch.setattr(kernel_contract, "target_sources", lambda folders: [made])
    made.write_text("\n\nconst struct macs_table_ops macs_k_ops = {\n")
    assert kernel_contract.operations_of(OWN, target) == f"{made}:3"
    made.write_text("")
    assert kernel_contract.operations_of(OWN, target) == "target.toml:3"
    ours = kernel_contract.operations_of(Kernel("exact_hash", frozenset()), target)
    assert (
        "aux-backend/tables/exact/exact_hash" in ours
        and "macs_exact_hash_ops"
        in Path(ours.rpartition(":")[0]).read_text().splitlines()[int(ours.rpartition(":")[2]) - 1]
    )
