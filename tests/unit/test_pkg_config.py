"""What pkg-config is asked, and what is made of its answers."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from transpiler.toolchain import architectures, packages
from transpiler.toolchain.packages import Packages
from transpiler.toolchain.toolchain import ToolchainError


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What is said to a question, by its words: text, or an exit code and what it complains of. `asked`: command, environment."""
    made: dict[str, Any] = {"asked": []}

    def run(words: list[str], *, env: dict[str, str], **more: Any) -> Any:
        assert more == {"capture_output": True, "text": True, "errors": "replace", "check": False}
        made["asked"].append((words, env))
        said = made.get(" ".join(words[1:]), "")
        code, errors = said if isinstance(said, tuple) else (0, "")
        return subprocess.CompletedProcess(words, code, "" if isinstance(said, tuple) else said, errors)

    monkeypatch.setattr(packages.subprocess, "run", run)
    monkeypatch.setattr(packages.shutil, "which", lambda name: None if name == "none" else f"/bin/{name}")
    monkeypatch.delenv("PKG_CONFIG", raising=False)
    return made


def test_what_is_known(answers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    answers["--exists there"], answers["--exists gone"] = "", (1, "")
    assert Packages().knows("there") and not Packages().knows("gone")
    assert answers["asked"][0][0] == ["pkg-config", "--exists", "there"]
    monkeypatch.setenv("PKG_CONFIG", "own-pkg-config --static")
    assert Packages().knows("there") and answers["asked"][-1][0] == ["own-pkg-config", "--static", "--exists", "there"]
    monkeypatch.setenv("PKG_CONFIG", "none")
    assert not Packages().knows("there") and not Packages().available and len(answers["asked"]) == 3


def test_what_is_complained_of(answers: Any) -> None:
    """What another package requires, and is not there."""
    said = (
        "Package x was not found\nPackage 'y', required by 'virtual:world', not found\n"
        "Package 'z', required by 'x', not found\n"
    )
    answers["--print-errors --exists x"] = (1, said)
    assert Packages().complaint("x") == "Package 'z', required by 'x', not found"
    assert Packages().complaint("other") == ""


def test_flags_are_words(answers: Any) -> None:
    answers["--cflags x"] = "-I/a\\ b -DX='1 2'\n"
    assert Packages().cflags("x") == ("-I/a b", "-DX=1 2")
    answers["--cflags x"] = (3, "  no x.pc \n")
    with pytest.raises(ToolchainError) as told:
        Packages().cflags("x")
    assert str(told.value) == "pkg-config failed (3): pkg-config --cflags x\nno x.pc"


@pytest.mark.parametrize(
    ("files", "static", "rpath"),
    [
        (["a/libx.so"], False, ["a"]), (["a/libx.so", "b/liby.so"], False, ["a", "b"]), (["a/libx.a"], True, []),
        (["a/libx.a", "a/libx.so"], False, ["a"]), (["a/libx.a", "b/libx.so"], True, ["b"]),
        (["b/libx.so", "c/liby.so"], False, ["b"]),
        ([], False, []), (["a/libx.so", "b/liby.a"], True, ["a"]),
    ],
)  # fmt: skip
def test_libraries_that_are_shared_or_not(
    answers: Any, tmp_path: Path, files: list[str], static: bool, rpath: list[str]
) -> None:
    """Of static ones all that they need is linked. Shared ones are found where they are, but for a system's own folders."""
    for folder in "abc":
        (tmp_path / folder).mkdir()
    for file in files:
        (tmp_path / file).touch()
    a, b, c = (tmp_path / name for name in "abc")
    answers["--libs x"] = f"-L{a} -L{b} -L{c} -Wl,-z -lx -ly"
    for words in ("--libs x", "--static --libs x"):
        answers[words] = f"-L{a} -L{b} -L{c} -Wl,-z -lx -ly"
    given = (f"-L{a}", f"-L{b}", f"-L{c}", "-Wl,-z", "-lx", "-ly")
    found = rpath + [name for name in "c" if "c/liby.so" in files]
    assert Packages().libs("x") == (*given, *(f"-Wl,-rpath,{tmp_path / name}" for name in found))
    asked = [words[1:] for words, _ in answers["asked"]]
    assert (["--static", "--libs", "x"] in asked) is static
    assert (
        answers["asked"][0][1]["PKG_CONFIG_ALLOW_SYSTEM_LIBS"] == "1"
        and "PKG_CONFIG_ALLOW_SYSTEM_LIBS" not in answers["asked"][-1][1]
    )
    assert Packages(cross=True).libs("x") == given


def test_of_a_sysroot_only_what_is_in_it_is_known(answers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PKG_CONFIG", "own")
    monkeypatch.setenv("PKG_CONFIG_PATH", "/here")
    monkeypatch.setenv("OTHER", "stays")
    for arch, folders in (("aarch64", "/r/usr/lib/aarch64-linux-gnu/pkgconfig:/r/usr/lib/pkgconfig:/r/usr/share/pkgconfig"),
                          ("vax", "/r/usr/lib/pkgconfig:/r/usr/share/pkgconfig")):  # fmt: skip
        Packages(cross=True, sysroot=Path("/r"), arch=arch).knows("x")
        words, environment = answers["asked"][-1]
        assert words[0] == "pkg-config" and environment["OTHER"] == "stays" and "PKG_CONFIG_PATH" not in environment
        assert (environment["PKG_CONFIG_LIBDIR"], environment["PKG_CONFIG_SYSROOT_DIR"]) == (folders, "/r")
    Packages().knows("x")
    assert answers["asked"][-1][1]["PKG_CONFIG_PATH"] == "/here"


def test_one_that_cannot_be_run_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.delenv("PKG_CONFIG", raising=False)
    monkeypatch.setattr(packages.shutil, "which", lambda name: name)
    monkeypatch.setattr(packages.subprocess, "run", none)
    with pytest.raises(ToolchainError, match="cannot run pkg-config: Permission denied"):
        Packages().knows("x")


@pytest.mark.parametrize(
    ("machine", "name"),
    [
        ("x86_64", "x86_64"),
        ("amd64", "x86_64"),
        ("arm64", "aarch64"),
        ("aarch64", "aarch64"),
        ("armv7l", "armv7"),
        ("ppc", "ppc"),
    ],
)
def test_names_of_this_machine(machine: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(architectures.host, "machine", lambda: machine)
    assert architectures.host_arch() == name


def test_debians_names() -> None:
    assert {name: (one.compiler, one.emulator, one.packages) for name, one in architectures.ARCHITECTURES.items()} == {
        "x86_64": ("x86_64-linux-gnu-gcc", "qemu-x86_64-static", "gcc-x86-64-linux-gnu libc6-dev-amd64-cross"),
        "aarch64": ("aarch64-linux-gnu-gcc", "qemu-aarch64-static", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"),
        "armv7": ("arm-linux-gnueabihf-gcc", "qemu-arm-static", "gcc-arm-linux-gnueabihf libc6-dev-armhf-cross"),
        "riscv64": ("riscv64-linux-gnu-gcc", "qemu-riscv64-static", "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"),
        "s390x": ("s390x-linux-gnu-gcc", "qemu-s390x-static", "gcc-s390x-linux-gnu libc6-dev-s390x-cross"),
    }  # fmt: skip
