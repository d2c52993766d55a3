"""Programs that have been compiled are kept: for how long, for whom, and what makes one another program. A backend of one
function, and a compiler that writes down what it is called for."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from macsad import cli
from transpiler.toolchain import programs, toolchain
from transpiler.toolchain.programs import compile_kept
from transpiler.toolchain.toolchain import Toolchain, ToolchainError

MAIN = '#include "one.h"\nint main(void) { return macs_one(); }\n'


class Place:
    """A backend, a program, and a compiler that counts."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.backend, self.log = folder, folder / "backend", folder / "log"
        for part in ("runtime", "control", "tables", "include", "platform/linux/src", "platform/linux/include"):
            (self.backend / part).mkdir(parents=True)
        (self.backend / "include" / "one.h").write_text("int macs_one(void);\n#define NUMBER 7\n")
        (self.backend / "runtime" / "one.c").write_text('#include "one.h"\nint macs_one(void) { return NUMBER; }\n')
        self.compiler = folder / "cc"
        self.compiler.write_text(f'#!/bin/sh\necho "$@" >> {self.log}\nexec gcc "$@"\n')
        self.compiler.chmod(0o755)
        self.c_file = folder / "out" / "p.c"
        self.c_file.parent.mkdir()
        self.c_file.write_text(MAIN)
        self.target = folder / "target"
        (self.target / "tables").mkdir(parents=True)
        (self.target / "tables" / "own.c").write_text("int own;\n")

    def tools(self, optimise: str = "-O0") -> Toolchain:
        return toolchain.find(compiler=str(self.compiler), optimise=optimise)

    def make(self, optimise: str = "-O0", name: str = "p") -> int:
        """Compile; what the binary returns."""
        binary = self.c_file.with_name(name)
        compile_kept(self.c_file, binary, self.backend, self.tools(optimise), target=(self.target,))
        return subprocess.run([binary], check=False).returncode

    def linked(self) -> int:
        """How often a program has been compiled and linked."""
        return sum("libmacs.a -" in line for line in self.log.read_text().splitlines())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("MACSAD_CACHE", str(tmp_path / "cache"))
    return Place(tmp_path)


def kept(place: Place) -> list[Path]:
    return sorted((place.folder / "cache" / "programs").iterdir())


def test_what_has_not_changed_is_compiled_once(place: Place) -> None:
    assert [place.make(), place.make(), place.linked()] == [7, 7, 1]
    other = place.folder / "elsewhere"
    other.mkdir()
    (other / "p.c").write_text(MAIN)
    place.c_file = other / "p.c"
    assert [place.make(), place.linked()] == [7, 1]
    assert [path.name for path in sorted(other.iterdir())] == ["p", "p.c"]


@pytest.mark.parametrize("change", ["program", "header", "backend", "level", "flags", "include", "target"])
def test_what_goes_into_a_binary_makes_it_another(place: Place, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = place.folder / "mine.h"
    mine.write_text("#define MINE 1\n")
    monkeypatch.setenv("MACSAD_CFLAGS", f"-include {mine}")
    assert place.make() == 7
    expected, level = 7, "-O0"
    match change:
        case "program":
            place.c_file.write_text("int main(void) { return 3; }\n")
            expected = 3
        case "header":
            (place.backend / "include" / "one.h").write_text("int macs_one(void);\n#define NUMBER 8\n")
            expected = 8
        case "backend":
            (place.backend / "runtime" / "one.c").write_text("int macs_one(void);\nint macs_one(void) { return 9; }\n")
            expected = 9
        case "level":
            level = "-O1"
        case "flags":
            monkeypatch.setenv("MACSAD_CFLAGS", f"-include {mine} -DOTHER")
        case "include":
            mine.write_text("#define MINE 2\nstatic const int mine = MINE;\n")
        case "target":
            (place.target / "tables" / "own.c").write_text("int own = 1;\n")
    assert [place.make(level), place.linked()] == [expected, 2]


@pytest.mark.parametrize("unsure", ["MACSAD_LDFLAGS=-L.", "MACSAD_CFLAGS=-fprofile-use=x"])
def test_what_no_key_can_tell_is_not_kept(place: Place, unsure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*unsure.split("=", 1))
    assert [place.make(), place.make(), place.linked()] == [7, 7, 2]


def test_the_cache_stays_small(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "KEPT", 2)
    for number in range(4):
        place.c_file.write_text(f"int main(void) {{ return {number}; }}\n")
        assert place.make() == number
    assert len(kept(place)) == 2
    assert [place.make(), place.linked()] == [3, 4]
    monkeypatch.setattr(programs, "KEPT_BYTES", 1)
    place.c_file.write_text("int main(void) { return 9; }\n")
    assert place.make() == 9
    assert len(kept(place)) == 1


def test_what_was_used_last_stays(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it was compiled then, or taken from the cache."""
    monkeypatch.setattr(programs, "KEPT", 2)
    for number in (1, 2, 1, 3, 1):
        place.c_file.write_text(f"int main(void) {{ return {number}; }}\n")
        assert place.make() == number
    assert place.linked() == 3
    place.c_file.write_text("int main(void) { return 2; }\n")
    assert [place.make(), place.linked()] == [2, 4]


def test_a_program_of_which_the_cache_has_room_for_one_stays(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """However large it is: 64 programs and 512 MiB are kept otherwise."""
    assert (programs.KEPT, programs.KEPT_BYTES) == (64, 512 << 20)
    monkeypatch.setattr(programs, "KEPT_BYTES", 1)
    assert [place.make(), place.make(), place.linked()] == [7, 7, 1]


def test_a_binary_keeps_its_mode_and_leaves_nothing_beside_it(place: Place) -> None:
    assert [place.make(), place.make(name="q")] == [7, 7]
    assert sorted(path.name for path in place.c_file.parent.iterdir()) == ["p", "p.c", "q"]
    assert [place.c_file.with_name(name).stat().st_mode & 0o111 for name in "pq"] == [0o111, 0o111]


def test_a_cache_that_cannot_be_written_is_done_without(place: Place) -> None:
    assert place.make() == 7  # the backend is there
    for folder in kept(place):
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    (place.folder / "cache" / "programs").rmdir()
    (place.folder / "cache" / "programs").write_text("a file")
    assert [place.make(), place.linked()] == [7, 2]


def test_of_processes_at_once_each_gets_a_whole_binary(place: Place) -> None:
    place.make()
    for folder in kept(place):
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    code = (
        "import sys; from pathlib import Path; from transpiler.toolchain import programs, toolchain;"
        "c, binary, backend, target, cc = sys.argv[1:];"
        "tools = toolchain.find(compiler=cc, optimise='-O0');"
        "programs.compile_kept(Path(c), Path(binary), Path(backend), tools, target=(Path(target),))"
    )
    binaries = [place.folder / str(number) / "p" for number in range(4)]
    for binary in binaries:
        binary.parent.mkdir()
    words = [sys.executable, "-c", code, place.c_file]
    rest = [place.backend, place.target, place.compiler]
    started = [subprocess.Popen([*words, binary, *rest]) for binary in binaries]
    assert [process.wait(60) for process in started] == [0] * 4
    assert [subprocess.run([binary], check=False).returncode for binary in binaries] == [7] * 4
    (folder,) = kept(place)
    assert sorted(file.name for file in folder.iterdir()) == ["p", "p.c"]


def test_a_binary_that_runs_is_replaced(place: Place) -> None:
    place.c_file.write_text("#include <unistd.h>\nint main(void) { return pause(); }\n")
    binary = place.c_file.with_name("p")
    compile_kept(place.c_file, binary, place.backend, place.tools(), target=(place.target,))
    running = subprocess.Popen([binary])
    try:
        place.c_file.write_text(MAIN)
        assert place.make() == 7
    finally:
        running.kill()
        running.wait()


def test_errors_are_of_the_file_that_the_user_has(place: Place) -> None:
    place.c_file.write_text("int main(void) { return nothing; }\n")
    with pytest.raises(ToolchainError, match=f"{place.c_file}:1:25: error: .nothing. undeclared"):
        place.make()
    place.c_file.write_text(MAIN)
    place.c_file.with_name("q").mkdir()
    with pytest.raises(ToolchainError, match=f"cannot write {place.c_file.with_name('q')}: Is a directory"):
        place.make(name="q")


def test_a_folder_to_compile_in_that_fails_is_told_and_goes(tmp_path: Path) -> None:
    kept = tmp_path / "programs" / "key"
    with pytest.raises(ToolchainError) as told, programs._kept_as(kept, tmp_path / "none.c"):
        raise AssertionError("there is no such C")
    message = str(told.value)
    assert message.startswith(f"cannot compile in {kept.parent}/making-") and message.endswith(
        ": No such file or directory"
    )
    assert list(kept.parent.iterdir()) == []


@pytest.mark.parametrize(
    "flag",
    [
        "-fprofile-use=", "-fprofile-instr-use=", "-fauto-profile=", "-fplugin=", "-specs=", "--sysroot=", "-B", "@",
    ],
)  # fmt: skip
def test_flags_that_name_files_which_no_key_knows(flag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor what is linked from elsewhere, and for another machine."""
    tools = toolchain.find(optimise="-O0")
    assert programs._may_keep(tools)
    assert not programs._may_keep(replace(tools, compile_flags=(*tools.compile_flags, f"{flag}x")))
    assert not programs._may_keep(replace(tools, platform="odp"))
    assert not programs._may_keep(replace(tools, arch="another"))
    monkeypatch.setenv("MACSAD_LDFLAGS", "-lx")
    assert not programs._may_keep(tools)


def test_the_command_leaves_the_cache_alone_when_it_is_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from macsad import compilation

    asked: list[bool] = []
    monkeypatch.setattr(compilation, "build", lambda request, *_: asked.append(request.kept) or (tmp_path, None))
    program = Path(__file__).parents[2] / "apps" / "l2fwd" / "l2fwd.p4"
    for options in ([], ["--no-cache"]):
        assert cli.call(["build", str(program), "-o", str(tmp_path), *options]) == 0
    assert asked == [True, False]
