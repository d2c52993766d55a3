"""The C of whole programs as text beside each (`--update-golden` writes it anew); it compiles clean everywhere."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import aux_frontend
import pytest
from aux_frontend.p4_16.frontend import P4_16

from macsad.compilation import Request, generate_c, load
from macsad.resources import share
from transpiler.codegen.generate import generate
from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source
from transpiler.optimisations import ALL, Optimisations
from transpiler.passes.pipeline import optimise
from transpiler.switches import configuration
from transpiler.targets.find import builtin
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import include_flags

FOLDER = Path(__file__).parent / "codegen"
INCLUDED = Path(aux_frontend.__file__).parent / "p4include"
PROGRAMS = ("staged", "plain", "replicated")
WHOLE = ("state", "headers", "learning", "cached", "../p4_16/psa_counting")  # as users build them
COMPILERS = ("gcc", "clang", "aarch64-linux-gnu-gcc")
CITED = re.compile(r"(\w+\.p4):(\d+)")


@cache
def c_of(name: str, cut: bool = True) -> str:
    """The C of a program, cut at every table, small ones too, or at none."""
    if name in WHOLE:
        request = Request(FOLDER / f"{name}.p4")
        return generate_c(request, load(request)).c
    program = optimise(P4_16().load(Source(FOLDER / f"{name}.p4"), Diagnostics()))
    made = configuration(Optimisations(stages=cut, small_tables=False))
    return generate(program, builtin(), share("templates"), Diagnostics(), made).c


@pytest.mark.parametrize("name", (*PROGRAMS, *WHOLE))
def test_c(name: str, golden: Callable[[Path, str], None]) -> None:
    golden(FOLDER / f"{name}.c", c_of(name))


def test_cuts_make_stages_and_without_them_there_is_one() -> None:
    assert c_of("staged").count("/* Stage ") > c_of("staged", cut=False).count("/* Stage ") == 1
    assert "live->" not in c_of("staged", cut=False)


@pytest.mark.parametrize("optimise_by", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_c_compiles_without_warnings(compiler: str, optimise_by: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    arch = "aarch64" if compiler.startswith("aarch64") else None
    tools = toolchain.find(arch=arch, compiler=compiler, optimise=optimise_by)
    files = []
    for name in PROGRAMS:
        for cut in (True, False):
            files.append(tmp_path / f"{name}-{cut}.c")
            files[-1].write_text(c_of(name, cut))
    command = [*tools.compiler, *tools.all_flags, *include_flags(share("aux-backend"), tools), "-c", *map(str, files)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("file", "left_out"),
    [
        ("apps/l2fwd/l2fwd.p4", []),
        ("apps/l2fwd/l2fwd.p4", ["stages"]),  # packets that are flooded, with nothing kept of them
        ("apps/l2fwd/l2fwd.p4", ["run-to-completion"]),
        ("tests/packets/profiles.p4", []),  # ternary keys of one byte
        ("tests/packets/keys.p4", ["stages"]),
    ],
)
def test_whole_programs_compile_without_warnings(file: str, left_out: list[str], tmp_path: Path) -> None:
    """As users build them: the C compiler looks furthest at -O3."""
    made = Request(FOLDER.parents[2] / file, wanted=ALL.without(left_out))
    (tmp_path / "made.c").write_text(generate_c(made, load(made)).c)
    tools = toolchain.find(optimise="-O3")
    command = [*tools.compiler, *tools.all_flags, *include_flags(share("aux-backend"), tools), "-c", "made.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(("name", "left"), [("drop_port", "hdr_work_a = hdr_work_a"), ("operators", ">= 7")])
def test_what_passes_would_take_out_compiles_without_warnings(
    name: str, left: str, compiler: str, tmp_path: Path
) -> None:
    """What is assigned to itself, what is always true: nothing of it is left."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    made = Request(FOLDER.parents[1] / "packets" / f"{name}.p4", wanted=ALL.without(["passes"]))
    made_c = generate_c(made, load(made)).c
    assert left not in made_c
    (tmp_path / "made.c").write_text(made_c)
    tools = toolchain.find(compiler=compiler)
    flags = (*tools.all_flags, *include_flags(share("aux-backend"), tools))
    done = subprocess.run(
        [*tools.compiler, *flags, "-fsyntax-only", str(tmp_path / "made.c")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", (*PROGRAMS, *WHOLE))
def test_every_line_that_is_cited_has_a_statement(name: str) -> None:
    cited = set(CITED.findall(c_of(name)))
    assert len(cited) > 10
    for file, line in cited:
        beside = FOLDER / f"{name}.p4"
        path = next(folder / file for folder in (FOLDER, beside.parent, INCLUDED) if (folder / file).exists())
        text = path.read_text().splitlines()[int(line) - 1].strip()
        assert text and not text.startswith("//"), f"{file}:{line}"
