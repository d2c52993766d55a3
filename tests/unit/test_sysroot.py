"""Sysroots for other architectures, made of packages that the test makes, and how compilers and emulators use them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from macsad.cli import call
from transpiler.toolchain import sysroot, toolchain
from transpiler.toolchain.cache import sysroot_directory
from transpiler.toolchain.toolchain import ToolchainError

DPDK = """Name: libdpdk
Description: not DPDK
Version: 22.11
Libs: -L/usr/lib/aarch64-linux-gnu -lrte_eal
Cflags: -I/usr/include/dpdk
"""

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not installed")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MACSAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(toolchain, "host_arch", lambda: "x86_64")
    return tmp_path / "cache"


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """One package: a library with an absolute link to it, a pkg-config file, and what no compiler looks for."""
    made = tmp_path / "packages"
    made.mkdir()
    tree = tmp_path / "tree"
    library = tree / "usr" / "lib" / "aarch64-linux-gnu"
    for folder in (library / "pkgconfig", tree / "etc", tree / "usr" / "bin", tree / "DEBIAN"):
        folder.mkdir(parents=True)
    (library / "librte.so.1").write_text("the library")
    (library / "librte.so").symlink_to("/usr/lib/aarch64-linux-gnu/librte.so.1")
    (library / "pkgconfig" / "libdpdk.pc").write_text(DPDK)
    (tree / "etc" / "hosts").write_text("another machine's")
    control = "Package: dpdk\nVersion: 1\nArchitecture: arm64\nMaintainer: nobody <n@example.org>\nDescription: none\n"
    (tree / "DEBIAN" / "control").write_text(control)
    subprocess.run(["dpkg-deb", "--build", tree, made / "dpdk.deb"], check=True, capture_output=True)
    return made


def test_what_is_kept_of_the_packages(packages: Path) -> None:
    steps: list[tuple[int, int]] = []
    root = sysroot.make("aarch64", lambda done, of: steps.append((done, of)), packages)
    assert root == sysroot_directory("aarch64")
    assert steps == [(1, 1)]
    library = root / "usr" / "lib" / "aarch64-linux-gnu"
    assert (library / "librte.so").read_text() == "the library"
    assert not (root / "etc").exists() and not (root / "usr" / "bin").exists()
    assert [path.name for path in root.parent.iterdir()] == ["aarch64"]
    assert sysroot.make("aarch64", None, packages) == root  # again: what was there gives way


def test_the_verb_makes_it_once(packages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["sysroot", "aarch64", "--packages", str(packages)]) == 0
    shutil.rmtree(packages)
    assert call(["sysroot", "aarch64"]) == 0
    assert capsys.readouterr().out == f"{sysroot_directory('aarch64')}\n" * 2
    assert call(["sysroot", "vax"]) == 2


def test_compilers_and_emulators_take_it(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    which = shutil.which
    monkeypatch.setattr(toolchain.shutil, "which", lambda name: which(name) if name == "pkg-config" else f"/bin/{name}")
    with pytest.raises(ToolchainError, match="'macsad sysroot aarch64' fetches them"):
        toolchain.find("dpdk", "aarch64")
    monkeypatch.delenv("QEMU_LD_PREFIX", raising=False)
    monkeypatch.setattr(toolchain, "CROSS_LIBRARIES", packages)
    assert toolchain.emulator("aarch64") == ("qemu-aarch64-static",)
    (packages / "aarch64-linux-gnu").mkdir()
    assert toolchain.emulator("aarch64") == ("qemu-aarch64-static", "-L", str(packages / "aarch64-linux-gnu"))
    root = sysroot.make("aarch64", None, packages)
    assert toolchain.emulator("aarch64") == ("qemu-aarch64-static", "-L", str(root))
    monkeypatch.setenv("QEMU_LD_PREFIX", "/elsewhere")
    assert toolchain.emulator("aarch64") == ("qemu-aarch64-static",)
    if which("pkg-config") is None:
        pytest.skip("pkg-config is not installed")
    tools = toolchain.find("dpdk", "aarch64")
    assert tools.compiler == ("aarch64-linux-gnu-gcc",)
    assert {f"--sysroot={root}", f"-isystem{root}/usr/include/dpdk"} <= set(tools.compile_flags)
    assert {f"--sysroot={root}", f"-L{root}/usr/lib/aarch64-linux-gnu", "-lrte_eal"} <= set(tools.link_flags)
    assert "-static" not in tools.link_flags
    assert not any(flag.startswith("-Wl,-rpath") for flag in tools.link_flags)


def test_packages_that_do_not_come(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "apt-get").write_text("#!/bin/sh\necho E: no network >&2\nexit 100\n")
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(ToolchainError, match=r"apt-get failed \(100\).*\n.*no network"):
        sysroot.make("aarch64")
    assert list((cache / "sysroot").iterdir()) == []
    (tmp_path / "empty").mkdir()
    with pytest.raises(ToolchainError, match="no packages came"):
        sysroot.make("aarch64", None, tmp_path / "empty")


@pytest.mark.parametrize("said", ["Unable to locate package {}", "Package '{}' has no installation candidate"])
def test_architectures_that_have_no_dpdk(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "apt-get").write_text(
        f'#!/bin/sh\necho "E: {said.format("libdpdk-dev")}" >&2\nfor last; do :; done\n[ "$last" = update ]\n'
    )
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(
        ToolchainError, match="there is no libdpdk-dev for s390x: --platform dpdk cannot be built for it"
    ):
        sysroot.make("s390x")


@pytest.mark.parametrize(
    ("arch", "cpu", "flag"),
    [("armv7", "cortex-a7", "-mcpu=cortex-a7"), ("riscv64", "sifive-u74", "-mcpu=sifive-u74"),
     ("riscv64", "rv64gc", "-march=rv64gc"), ("s390x", "z13", "-march=z13")],
)  # fmt: skip
def test_processors_are_named_as_the_compiler_names_them(arch: str, cpu: str, flag: str) -> None:
    assert flag in toolchain.find(arch=arch, cpu=cpu, compiler="gcc").compile_flags


def test_packages_are_fetched_with_a_state_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of that architecture alone, as nobody in particular; nothing is installed."""
    ran: list[tuple[str, ...]] = []
    scratch = tmp_path / "scratch"

    def run(*command: str) -> None:
        assert (scratch / "state" / "lists" / "partial").is_dir() and (
            scratch / "cache" / "archives" / "partial"
        ).is_dir()
        assert (scratch / "state" / "status").read_bytes() == b""
        ran.append(command)

    monkeypatch.setattr(sysroot, "_run", run)
    assert sysroot._fetch("aarch64", scratch) == scratch / "cache" / "archives"
    settings = [
        f"Dir::State={scratch}/state", f"Dir::State::status={scratch}/state/status", f"Dir::Cache={scratch}/cache",
        "APT::Architecture=arm64", "APT::Architectures=arm64", "APT::Sandbox::User=root", "Acquire::Languages=none",
        "Debug::NoLocking=1",
    ]  # fmt: skip
    options = [word for setting in settings for word in ("-o", setting)]
    assert ran == [
        ("apt-get", "-qq", *options, "update"),
        ("apt-get", "-qq", *options, "install", "--yes", "--download-only", "--no-install-recommends", "libc6-dev",
         "libdpdk-dev", "libssl-dev"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("E: Unable to locate package libdpdk-dev\nE: Unable to locate package libssl-dev",
         "where this machine's apt has its packages from there is no libdpdk-dev, libssl-dev for armv7: "
         "--platform dpdk cannot be built for it, --platform linux can"),
        ("E: Unable to locate package libdpdk-dev-extra", "E: Unable to locate package libdpdk-dev-extra"),
    ],
)  # fmt: skip
def test_packages_that_there_are_not(said: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*command: str) -> None:
        if "install" in command:
            raise ToolchainError(said)

    monkeypatch.setattr(sysroot, "_run", run)
    with pytest.raises(ToolchainError) as error:
        sysroot._fetch("armv7", tmp_path / "scratch")
    assert str(error.value) == told


@pytest.mark.parametrize(("missing", "source", "told"), [
    ("dpkg-deb", True, "dpkg-deb"), ("dpkg-deb", False, "dpkg-deb"), ("apt-get", False, "apt-get"), ("apt-get", True, ""),
])  # fmt: skip
def test_what_a_sysroot_is_made_by(
    missing: str, source: bool, told: str, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packages that are there need no apt-get."""
    which = shutil.which
    monkeypatch.setattr(sysroot.shutil, "which", lambda name: None if name == missing else which(name) or name)
    if not told:
        assert sysroot.make("aarch64", None, packages).is_dir()
        return
    with pytest.raises(ToolchainError) as error:
        sysroot.make("aarch64", None, packages if source else None)
    assert str(error.value) == f"a sysroot is made of Debian's packages by {told}, which is not here"


def test_an_architecture_that_is_none() -> None:
    with pytest.raises(ToolchainError, match="unknown architecture 'vax': choose from x86_64, aarch64, "):
        sysroot.make("vax")


def test_a_place_that_cannot_be_written(packages: Path, cache: Path) -> None:
    cache.write_text("")
    with pytest.raises(ToolchainError) as error:
        sysroot.make("aarch64", None, packages)
    assert str(error.value) == f"cannot make {sysroot_directory('aarch64')}: Not a directory"
