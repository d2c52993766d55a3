"""Finding compilers, compiling the backend once, and saying what is missing."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import switches

from macsad import cli, compilation
from macsad.compilation import Request
from macsad.resources import share
from macsad.stf.compiled import CompiledDevice
from macsad.targets import Machine
from transpiler.optimisations import ALL, NONE
from transpiler.toolchain import backend, toolchain
from transpiler.toolchain.cache import cache_directory
from transpiler.toolchain.packages import Packages
from transpiler.toolchain.toolchain import Form, Toolchain, ToolchainError, WrongUsage

STATE = Path(__file__).parents[1] / "packets" / "state.p4"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A backend of one file, and an empty cache."""
    monkeypatch.setenv("MACSAD_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "backend"
    (folder / "runtime").mkdir(parents=True)
    (folder / "include").mkdir()
    (folder / "include" / "one.h").write_text("int macs_one(void);\n")
    (folder / "runtime" / "one.c").write_text('#include "one.h"\nint macs_one(void) { return 1; }\n')
    return folder


def plain(**options: object) -> Toolchain:
    return toolchain.find(**{"optimise": "-O0", **options})  # type: ignore[arg-type]


def test_the_backend_is_compiled_once(small: Path) -> None:
    steps: list[tuple[int, int]] = []
    first = backend.archive(small, plain(), lambda done, of: steps.append((done, of)))
    made = first.stat().st_mtime_ns
    assert steps == [(1, 1)]
    assert backend.archive(small, plain(), lambda done, of: steps.append((done, of))) == first
    assert first.stat().st_mtime_ns == made
    assert steps == [(1, 1)]
    assert [p.name for p in first.parent.iterdir()] == ["libmacs.a"]


def test_the_archives_used_last_are_kept(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "KEPT", 2)
    made = []
    for number in range(3):
        (small / "include" / "one.h").write_text(f"int macs_one(void); /* {number} */\n")
        made.append(backend.archive(small, plain()))
    assert [archive.exists() for archive in made] == [False, True, True]


def test_an_archive_that_is_used_stays(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """24 do."""
    assert backend.KEPT == 24
    monkeypatch.setattr(backend, "KEPT", 2)
    made = {}
    for number in (0, 1, 0, 2):
        (small / "include" / "one.h").write_text(f"int macs_one(void); /* {number} */\n")
        made[number] = backend.archive(small, plain())
    assert [made[number].exists() for number in range(3)] == [True, False, True]


@pytest.mark.parametrize("change", ["source", "header", "new file", "flags", "sanitizer"])
def test_what_changes_the_backend_compiles_it_again(small: Path, change: str) -> None:
    first = backend.archive(small, plain())
    tools = plain()
    match change:
        case "source":
            (small / "runtime" / "one.c").write_text('#include "one.h"\nint macs_one(void) { return 2; }\n')
        case "header":
            (small / "include" / "one.h").write_text("int macs_one(void);\nint macs_two(void);\n")
        case "new file":
            (small / "runtime" / "two.c").write_text("int macs_two(void);\nint macs_two(void) { return 2; }\n")
        case "flags":
            tools = plain(compiler="gcc -DNDEBUG")
        case _:
            tools = plain(sanitize=("undefined",))
    assert backend.archive(small, tools) != first


def test_one_backend_serves_every_level(small: Path) -> None:
    assert backend.archive(small, plain(optimise="-O3")) == backend.archive(small, plain(optimise="-O0"))


def test_warnings_are_errors_and_are_shown(small: Path) -> None:
    (small / "runtime" / "one.c").write_text("int macs_one(void);\nint macs_one(void) { int unused; return 1; }\n")
    with pytest.raises(ToolchainError, match=r"gcc failed.*\n(.*\n)*.*unused"):
        backend.archive(small, plain())
    assert not list(small.parent.glob("cache/backend/*/libmacs.a"))


def test_a_cache_that_cannot_be_written(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = small.parent / "file"
    blocked.write_text("")
    monkeypatch.setenv("MACSAD_CACHE", str(blocked))
    with pytest.raises(ToolchainError, match=r"cannot keep the compiled backend in .*file"):
        backend.archive(small, plain())


def test_of_processes_that_want_it_at_once_one_compiles_it(small: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from transpiler.toolchain import backend, toolchain;"
        "print(backend.archive(Path(sys.argv[1]), toolchain.find(optimise='-O0', compiler=sys.argv[2])))"
    )
    compiler, compiled = small.parent / "slow-gcc", small.parent / "compiled"
    compiler.write_text(f'#!/bin/sh\ncase "$*" in *" -c "*) echo >>"{compiled}"; sleep 0.5;; esac\nexec gcc "$@"\n')
    compiler.chmod(0o755)
    command = [sys.executable, "-c", code, str(small), str(compiler)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    answers = {process.communicate(timeout=60)[0].strip() for process in started}
    assert all(process.returncode == 0 for process in started)
    (archive,) = answers
    assert compiled.read_text() == "\n"  # by one of them; the others have waited
    listed = subprocess.run(["ar", "t", archive], capture_output=True, text=True, check=True).stdout
    assert listed.split() == ["0_one.o"]


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MACSAD_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cache_directory() == Path.home() / ".cache" / "macsad"
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache_directory() == Path("/x/macsad")
    monkeypatch.setenv("MACSAD_CACHE", "/y")
    assert cache_directory() == Path("/y")


def test_a_user_without_home_has_a_cache_among_the_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused where it is somebody else's, or others may write to it."""
    for name in ("MACSAD_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    own = tmp_path / f"macsad-{os.geteuid()}"
    assert cache_directory() == own / "cache"
    assert own.stat().st_mode & 0o777 == 0o700
    for mode in (0o777, 0o720, 0o702):
        own.chmod(mode)
        with pytest.raises(ToolchainError) as refused:
            cache_directory()
        assert str(refused.value) == (
            f"no place to keep what is compiled: {own}: others may write to it; set HOME or MACSAD_CACHE"
        )
    own.chmod(0o755)
    assert cache_directory() == own / "cache"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"arch": "vax"}, "unknown architecture 'vax': choose from x86_64, aarch64"),
        ({"platform": "bsd"}, "the platform 'bsd' is not supported: choose"),
        ({"compiler": "no-such-gcc"}, r"the compiler 'no-such-gcc' for \w+ is not installed \(Debian: apt install"),
    ],
)
def test_what_is_missing_is_said(options: dict[str, str], message: str) -> None:
    with pytest.raises(ToolchainError, match=message):
        toolchain.find(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "false failed (1): false --version"),
        ("", "cannot run {}: Exec format error"),
        ("#!/no/sh", "cannot run {}"),
    ],
)
def test_what_is_no_compiler_is_said(
    text: str | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tool that fails, a file that is no program, a script without its interpreter."""
    command = "false"
    if text is not None:
        (tmp_path / "cc").write_text(text)
        (tmp_path / "cc").chmod(0o755)
        command = str(tmp_path / "cc")
    assert cli.call(["build", str(STATE), "--cc", command, "-o", str(tmp_path)]) == cli.NO
    assert message.format(command) in capsys.readouterr().err


def test_a_compiler_that_cannot_be_read_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["build", str(STATE), "--cc", '"gcc', "-o", str(tmp_path)]) == cli.USAGE
    assert "the compiler '\"gcc': no closing quotation" in capsys.readouterr().err


def test_an_architecture_that_nobody_knows_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for rest in ([], ["--platform", "dpdk"]):
        assert cli.call(["build", str(STATE), "--arch", "vax", *rest]) == cli.USAGE
        assert "'vax' is not one of 'x86_64', 'aarch64'" in capsys.readouterr().err


def test_a_dpdk_that_is_not_installed_has_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PKG_CONFIG_LIBDIR", "/nowhere")
    monkeypatch.delenv("PKG_CONFIG_PATH", raising=False)
    with pytest.raises(ToolchainError, match=r"does not know libdpdk \(Debian: apt install libdpdk-dev"):
        toolchain.find("dpdk")


@pytest.mark.parametrize("folder", ["processor", "machine", "name of a file", "folders"])
def test_an_archive_is_for_one_machine_and_its_files(
    folder: str, small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Native code is for one processor; the cache may be on a file server."""
    tools, folders = plain(), ("runtime",)
    before = backend._key(small, tools, folders)
    assert backend._key(small, tools, folders) == before
    match folder:
        case "processor":
            monkeypatch.setattr(backend, "_processor", lambda: "flags: another")
        case "machine":
            other = SimpleNamespace(nodename="another")
            monkeypatch.setattr(backend.os, "uname", lambda: other)
        case "name of a file":
            (small / "runtime" / "one.c").rename(small / "runtime" / "two.c")
        case "folders":
            folders = ("runtime", "control")
    assert backend._key(small, tools, folders) != before


def test_what_a_tool_says(tmp_path: Path) -> None:
    """What it prints where it succeeds; what it complains of where it fails, or is ended by a signal."""
    assert backend.run(["sh", "-c", "echo said; echo complained >&2"]) == "said\n"
    for command, code in (("exit 3", 3), ("kill -9 $$", -9)):
        words = ["sh", "-c", f"echo said; echo complained >&2; {command}"]
        with pytest.raises(ToolchainError) as told:
            backend.run(words)
        assert str(told.value) == f"sh failed ({code}): {' '.join(words)}\ncomplained"


def test_where_headers_and_sources_are_found(tmp_path: Path) -> None:
    """Those of the platform in its order; a target's kernels below its tables/, sorted within each of its folders."""
    tools = dataclasses.replace(plain(), includes=("platform/b", "platform/a"), compile_flags=("-Dx",))
    assert backend.include_flags(Path("/b"), tools) == ("-I/b/include", "-I/b", "-I/b/platform/b", "-I/b/platform/a")
    for name in (
        "second/tables/deep/b.c",
        "second/tables/a.c",
        "second/else.c",
        "first/tables/z.c",
        "first/tables/z.h",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    folders = tmp_path / "second", tmp_path / "first"
    assert [str(file.relative_to(tmp_path)) for file in backend.target_sources(folders)] == [
        "second/tables/a.c", "second/tables/deep/b.c", "first/tables/z.c",
    ]  # fmt: skip
    assert backend.command(Path("/b"), tools, folders) == [
        *tools.compiler, *tools.all_flags, *backend.include_flags(Path("/b"), tools), *(f"-I{each}" for each in folders),
    ]  # fmt: skip


def test_what_each_form_of_a_program_is_linked_with() -> None:
    library = Path("/b/libmacs.a")
    assert {form: backend._linked(library, form) for form in Form} == {
        Form.PROGRAM: ("/b/libmacs.a",),
        Form.REPLACEABLE: ("-rdynamic", "-Wl,--whole-archive", "/b/libmacs.a", "-Wl,--no-whole-archive"),
        Form.LIBRARY: ("-shared", "-Wl,-Bsymbolic"),
    }


@pytest.mark.parametrize(
    ("options", "size", "parts"),
    [
        ({}, 400_000, True), ({}, 399_999, False), ({"optimise": "-O3"}, 400_000, True),
        ({"optimise": "-O1"}, 400_000, False), ({"form": Form.LIBRARY}, 400_000, False),
        ({"form": Form.REPLACEABLE}, 400_000, False), ({"is_gcc": False}, 400_000, False),
    ],
)  # fmt: skip
def test_which_programs_are_compiled_in_parts(
    options: dict[str, object], size: int, parts: bool, tmp_path: Path
) -> None:
    (tmp_path / "p.c").write_bytes(b" " * size)
    made = {"optimise": "-O2", "is_gcc": True, "form": Form.PROGRAM, **options}
    assert backend._in_parts(tmp_path / "p.c", dataclasses.replace(plain(), **made)) is parts  # type: ignore[arg-type]


def test_a_platforms_first_folder_has_the_say(tmp_path: Path) -> None:
    for name in ("first/one.c", "second/one.c", "second/two.c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    tools = dataclasses.replace(plain(), sources=("first", "second"))
    assert backend.platform_sources(tmp_path, tools) == [tmp_path / "first/one.c", tmp_path / "second/two.c"]


def test_a_cross_compiler_that_is_not_installed_has_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "host_arch", lambda: "x86_64")
    monkeypatch.setattr(toolchain.shutil, "which", lambda name: None)
    with pytest.raises(
        ToolchainError, match=r"for aarch64 is not installed \(Debian: apt install gcc-aarch64-linux-gnu"
    ):
        toolchain.find(arch="aarch64")


def test_a_c_library_that_is_not_there_has_a_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(toolchain, "host_arch", lambda: "x86_64")
    for arch, package in (("x86_64", "libc6-dev"), ("armv7", "libc6-dev-armhf-cross")):
        with pytest.raises(
            ToolchainError, match=rf"headers of the C library for {arch} \(Debian: apt install {package}\)"
        ):
            toolchain.find(arch=arch, compiler=f"gcc -nostdinc -I{tmp_path}", own_processor=False)


def test_flags_of_native_and_cross_compilers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "aarch64-linux-gnu-gcc").symlink_to(shutil.which("gcc") or "gcc")  # any compiler will do
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(toolchain, "host_arch", lambda: "x86_64")
    native, cross = toolchain.find(), toolchain.find(arch="aarch64", cpu="cortex-a72")
    assert "-march=native" in native.compile_flags and "-static" not in native.link_flags
    assert "-mcpu=cortex-a72" in cross.compile_flags and "-static" in cross.link_flags
    assert cross.compiler == ("aarch64-linux-gnu-gcc",)
    assert {"-Wall", "-Wextra", "-Wshadow"} <= set(native.all_flags)


def test_own_flags_come_last_and_warnings_are_no_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MACSAD_CFLAGS", "-O1 '-DGREETING=\"good day\"'")
    flags = toolchain.find().all_flags
    assert flags[-2:] == ("-O1", '-DGREETING="good day"') and "-Werror" not in flags
    monkeypatch.setenv("MACSAD_CFLAGS", "'-O1")
    with pytest.raises(WrongUsage, match="MACSAD_CFLAGS ''-O1': no closing quotation"):
        toolchain.find()


def test_own_link_flags_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MACSAD_LDFLAGS", "'-Wl,-rpath,/opt/my libs' -lextra")
    tools = toolchain.find()
    assert tools.link_flags[-2:] == ("-Wl,-rpath,/opt/my libs", "-lextra")
    monkeypatch.delenv("MACSAD_LDFLAGS")
    assert tools.for_backend == toolchain.find().for_backend  # not compiled again for them
    monkeypatch.setenv("MACSAD_LDFLAGS", '"')
    with pytest.raises(WrongUsage, match="MACSAD_LDFLAGS '\"': no closing quotation"):
        toolchain.find()


def test_no_odp_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PKG_CONFIG_LIBDIR", str(tmp_path))
    monkeypatch.delenv("PKG_CONFIG_PATH", raising=False)
    with pytest.raises(ToolchainError, match=r"no installed ODP.*PKG_CONFIG_PATH|pkg-config"):
        toolchain.find("odp")


@pytest.fixture
def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """described(name, lines): pkg-config knows such a package, and no other ones; the folder of its libraries."""
    if shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is not installed")
    for name in ("PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_SYSROOT_DIR", "MACSAD_ODP"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PKG_CONFIG_LIBDIR", str(tmp_path))

    def describe(name: str, *lines: str) -> Path:
        common = (f"Name: {name}", "Description: none", "Version: 1", f"Libs: -L{tmp_path}/lib -l{name[3:]}")
        (tmp_path / f"{name}.pc").write_text("\n".join((*common, *lines)) + "\n")
        (tmp_path / "lib").mkdir(exist_ok=True)
        return tmp_path / "lib"

    return describe


def test_one_of_several_odps_can_be_named(described: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("libodp-linux", "libodp-dpdk"):
        described(name)
    assert "-lodp-linux" in toolchain.find("odp").link_flags
    monkeypatch.setenv("MACSAD_ODP", "libodp-dpdk")
    assert "-lodp-dpdk" in toolchain.find("odp").link_flags
    monkeypatch.setenv("MACSAD_ODP", "libodp-none")
    with pytest.raises(ToolchainError, match="knows none of libodp-none"):
        toolchain.find("odp")


@pytest.mark.parametrize(("there", "private"), [(("a",), True), (("so",), False), (("a", "so"), False)])
def test_what_static_libraries_need_is_linked_where_there_are_no_shared_ones(
    there: tuple[str, ...], private: bool, described: Callable[..., Path]
) -> None:
    library = described("libodp-linux", "Libs.private: -lneeded")
    for suffix in there:
        (library / f"libodp-linux.{suffix}").touch()
    flags = toolchain.find("odp").link_flags
    assert "-lodp-linux" in flags and ("-lneeded" in flags) == private
    assert (f"-Wl,-rpath,{library}" in flags) != private


@pytest.mark.parametrize("tell", ["arch", "sysroot"])
def test_folders_of_this_machine_mean_nothing_on_another(
    tell: str, described: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (described("libodp-linux") / "libodp-linux.so").touch()
    other = next(arch for arch in ("aarch64", "x86_64") if arch != toolchain.host_arch())
    if tell == "sysroot":
        monkeypatch.setenv("PKG_CONFIG_SYSROOT_DIR", str(tmp_path))
    tools = toolchain.find("odp", other if tell == "arch" else None, compiler="gcc")
    assert not any("rpath" in flag for flag in tools.link_flags) and "-lodp-linux" in tools.link_flags


def test_this_machines_odp_is_not_another_ones(
    described: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    described("libodp-linux")
    monkeypatch.delenv("PKG_CONFIG_LIBDIR")
    monkeypatch.setenv("PKG_CONFIG_PATH", str(tmp_path))
    monkeypatch.setattr(toolchain, "host_arch", lambda: "x86_64")
    with pytest.raises(ToolchainError, match=r"for aarch64 is not where this machine's.*PKG_CONFIG_LIBDIR"):
        toolchain.find("odp", "aarch64", compiler="gcc")
    script = tmp_path / "aarch64-pkg-config"  # knows where to look, as Debian's and SDKs' do
    script.write_text('#!/bin/sh\nexec pkg-config "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PKG_CONFIG", str(script))
    assert "-lodp-linux" in toolchain.find("odp", "aarch64", compiler="gcc").link_flags
    monkeypatch.setenv("PKG_CONFIG", str(tmp_path / "none"))
    with pytest.raises(ToolchainError, match="found by pkg-config, which is not installed"):
        toolchain.find("odp", "aarch64", compiler="gcc")


def test_what_an_odp_requires_and_is_not_there_is_named(described: Callable[..., Path]) -> None:
    described("libodp-dpdk", "Requires.private: libmissing")
    with pytest.raises(ToolchainError, match=r"knows none of .* \(.*'libmissing', required by 'libodp-dpdk'"):
        toolchain.find("odp")


def test_a_package_without_its_needs_is_told(described: Callable[..., Path]) -> None:
    described("libodp-dpdk", "Requires.private: libmissing")
    with pytest.raises(
        ToolchainError, match=r"pkg-config failed \(1\): pkg-config --cflags libodp-dpdk\n(.*\n)*.*libmissing"
    ):
        Packages().cflags("libodp-dpdk")


def odp() -> Toolchain:
    """The toolchain for an installed ODP; skips without one."""
    try:
        return toolchain.find("odp", optimise="-O1")
    except ToolchainError as missing:
        pytest.skip(str(missing))


def test_a_switch_over_an_installed_odp(tmp_path: Path) -> None:
    program = switches.load(STATE)
    binary, _ = compilation.build(Request(STATE), program, tmp_path, odp())
    device = CompiledDevice(program, binary, (0, 1))
    try:
        device.inject(0, bytes.fromhex("0105fefa"))
        assert len(device.collect()) <= 1
        assert device.register_read(next(e.name for e in program.externs if e.kind == "register"), 1) == 5
    finally:
        device.close()


def test_a_program_that_does_not_compile(tmp_path: Path) -> None:
    broken = tmp_path / "broken.c"
    broken.write_text("int main(void) { return x; }\n")
    with pytest.raises(ToolchainError, match="undeclared"):
        backend.run(["gcc", "-c", str(broken), "-o", str(tmp_path / "o")])


@pytest.mark.parametrize("name", ["-DX", "@x", "-"])
def test_a_name_is_no_option_of_the_compiler(name: str, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(small)
    Path(f"{name}.c").write_text("int macs_one(void);\nint main(void) { return macs_one() - 1; }\n")
    backend.compile_program(Path(f"{name}.c"), Path(name), small, plain())
    subprocess.run([small / name], check=True)


def test_a_binary_that_cannot_be_written(small: Path, tmp_path: Path) -> None:
    """Nothing is left of it."""
    program = tmp_path / "p.c"
    program.write_text("int macs_one(void);\nint main(void) { return macs_one() - 1; }\n")
    (tmp_path / "folder").mkdir()
    for binary, why in (
        (tmp_path / "none" / "p", "No such file or directory"),
        (tmp_path / "folder", "Is a directory"),
    ):
        with pytest.raises(ToolchainError) as told:
            backend.compile_program(program, binary, small, plain())
        assert str(told.value) == f"cannot write {binary}: {why}"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".macsad")]


@pytest.mark.parametrize("has_it", [True, False])
def test_a_large_program_is_compiled_in_parts(
    has_it: bool, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By GCC's way to optimise when it links, where that GCC has it."""
    program, told, compiler = tmp_path / "p.c", tmp_path / "told", tmp_path / "cc"
    program.write_text("int macs_one(void);\nint main(void) { return macs_one() - 1; }\n")
    refuse = "" if has_it else 'case "$*" in *-flto*) exit 1;; esac\n'
    compiler.write_text(f'#!/bin/sh\necho "$*" >> {told}\n{refuse}exec gcc "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setattr(backend, "LARGE_C", 10)
    tools = plain(optimise="-O2", compiler=str(compiler))
    backend.compile_program(program, tmp_path / "p", small, tools)
    subprocess.run([tmp_path / "p"], check=True)
    linked = ["-flto=auto -DMACS_IN_PARTS" in line for line in told.read_text().splitlines() if str(program) in line]
    assert linked == ([True] if has_it else [True, False])
    for other in (plain(compiler=str(compiler)), dataclasses.replace(tools, is_gcc=False)):
        told.unlink()
        backend.compile_program(program, tmp_path / "p", small, other)
        assert "-flto" not in told.read_text()


def test_sources_are_found() -> None:
    found = backend._sources(share("aux-backend"), toolchain.find(), backend.FOLDERS)
    assert {path.suffix for path in found} == {".c"}
    assert len({path.stem for path in found}) > 10


def test_ports_of_netmap_are_built_where_its_header_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, described: Callable[..., Path]
) -> None:
    """On the platforms that have them: an installed ODP has ports of its own."""
    for package in ("libdpdk", "libodp-linux"):
        described(package)
    before = plain().compile_flags
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "netmap_user.h").touch()
    monkeypatch.setenv("CPATH", str(tmp_path))
    assert set(plain().compile_flags) - set(before) <= {"-DMACS_ODP_NETMAP"}
    built = {
        platform: "-DMACS_ODP_NETMAP" in plain(platform=platform).compile_flags for platform in ("linux", "dpdk", "odp")
    }
    assert built == {"linux": True, "dpdk": True, "odp": False}


def test_separate_buffers_are_other_sources_of_linux() -> None:
    files = backend.platform_sources(share("aux-backend"), plain())
    other = backend.platform_sources(share("aux-backend"), plain(self_described=False))
    assert sorted(file.name for file in other) == sorted(file.name for file in files)
    assert all("separate" in file.parts for file in set(other) - set(files))
    assert set(other) != set(files)


@pytest.mark.parametrize("platform", ["dpdk", "odp"])
def test_other_platforms_have_their_own_buffers(platform: str) -> None:
    with pytest.raises(ToolchainError, match="--no-self-described-buffers is for the platform linux"):
        compilation.toolchain(ALL.without(["self-described-buffers"]), Machine(platform))
    assert NONE.as_far_as(platform).self_described_buffers and not NONE.as_far_as("linux").self_described_buffers


def test_programs_have_line_numbers_and_are_debugged_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places of variables take the compiler long, and only debuggers need them."""
    monkeypatch.delenv("MACSAD_CFLAGS", raising=False)
    assert [flag for flag in toolchain.find().all_flags if flag.startswith("-g")] == ["-g1"]
    monkeypatch.setenv("MACSAD_CFLAGS", "-g")
    assert [flag for flag in toolchain.find().all_flags if flag.startswith("-g")] == ["-g1", "-g"]


def test_without_headers_of_the_c_library_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_headers", lambda compiling: {"gcc"})
    with pytest.raises(toolchain.ToolchainError, match="finds no headers of the C library for "):
        plain()
