"""The toolchain of each platform and machine, whole: compiler, flags, folders, and what is told of what is missing. Nothing is
asked of what is installed here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from transpiler.toolchain import toolchain
from transpiler.toolchain.toolchain import Form, Toolchain, ToolchainError, WrongUsage

LINUX, DPDK = ("platform/linux", "platform/dpdk")


class Installed:
    """pkg-config of a machine that has these packages."""

    known = frozenset({"libcrypto", "libdpdk", "libodp-linux"})
    there = True

    def __init__(self, cross: bool = False, sysroot: Path | None = None, arch: str | None = None) -> None:
        self.cross, self.sysroot, self.arch = cross, sysroot, arch

    @property
    def available(self) -> bool:
        return self.there

    def knows(self, name: str) -> bool:
        return name in self.known

    def cflags(self, name: str) -> tuple[str, ...]:
        return f"-I/{name}/include", f"-D{name}"

    def libs(self, name: str) -> tuple[str, ...]:
        return (f"-l{name}",)

    def complaint(self, name: str) -> str:
        return f"no {name}.pc" if name == "libodp-dpdk" else ""


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An x86_64 with all compilers, and a sysroot of aarch64."""
    for name in ("MACSAD_CFLAGS", "MACSAD_LDFLAGS", "MACSAD_ODP", "QEMU_LD_PREFIX", *toolchain.ANOTHER_MACHINES):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("PKG_CONFIG_SYSROOT_DIR", raising=False)
    (tmp_path / "aarch64").mkdir()
    monkeypatch.setattr(toolchain, "host_arch", lambda: "x86_64")
    monkeypatch.setattr(toolchain.shutil, "which", lambda name: None if "none" in name else f"/bin/{name}")
    monkeypatch.setattr(toolchain, "Packages", Installed)
    monkeypatch.setattr(toolchain, "_headers", lambda words: {"libc", "gcc"})
    monkeypatch.setattr(toolchain, "sysroot_directory", lambda arch: tmp_path / arch)
    monkeypatch.setattr(toolchain, "CROSS_LIBRARIES", tmp_path / "usr")


CRYPTO = ("-DMACS_ODP_OPENSSL", "-isystem/libcrypto/include", "-Dlibcrypto")
LIBS = ("-Wl,--push-state,--as-needed", "-llibcrypto", "-Wl,--pop-state")


def of_linux(
    compiler: tuple[str, ...], arch: str, compiling: tuple[str, ...], linking: tuple[str, ...], **more: Any
) -> Toolchain:
    folders = more.pop("separate", ())
    return Toolchain(
        compiler, "linux", arch, more.pop("optimise", "-O3"), compiling, linking, (*folders, f"{LINUX}/src"),
        (*folders, f"{LINUX}/include", f"{LINUX}/src"), is_gcc=more.pop("is_gcc", True),
    )  # fmt: skip


NATIVE = (*CRYPTO, "-g1", "-march=native")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, of_linux(("gcc",), "x86_64", NATIVE, (*LIBS, "-pthread"))),
        ({"arch": "x86_64", "compiler": "clang -m64", "optimise": "-O1"},
         of_linux(("clang", "-m64"), "x86_64", NATIVE, (*LIBS, "-pthread"), optimise="-O1")),
        ({"own_processor": False}, of_linux(("gcc",), "x86_64", (*CRYPTO, "-g1"), (*LIBS, "-pthread"))),
        ({"cpu": "haswell"}, of_linux(("gcc",), "x86_64", (*CRYPTO, "-g1", "-march=haswell"), (*LIBS, "-pthread"))),
        ({"self_described": False},
         of_linux(("gcc",), "x86_64", NATIVE, (*LIBS, "-pthread"), separate=("platform/separate/src",))),
        ({"sanitize": ("address", "undefined")}, of_linux(
            ("gcc",), "x86_64",
            (*NATIVE, "-fsanitize=address,undefined", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"),
            ("-fsanitize=address,undefined", *LIBS, "-pthread"))),
        ({"arch": "aarch64"}, of_linux(("aarch64-linux-gnu-gcc",), "aarch64", ("-g1",), ("-static", "-pthread"))),
        ({"arch": "aarch64", "cpu": "cortex-a72"},
         of_linux(("aarch64-linux-gnu-gcc",), "aarch64", ("-g1", "-mcpu=cortex-a72"), ("-static", "-pthread"))),
        ({"arch": "armv7", "cpu": "cortex-a9"},
         of_linux(("arm-linux-gnueabihf-gcc",), "armv7", ("-g1", "-mcpu=cortex-a9"), ("-static", "-pthread"))),
        ({"arch": "riscv64", "cpu": "rv64gc"},
         of_linux(("riscv64-linux-gnu-gcc",), "riscv64", ("-g1", "-march=rv64gc"), ("-static", "-pthread"))),
        ({"arch": "riscv64", "cpu": "sifive-u74"},
         of_linux(("riscv64-linux-gnu-gcc",), "riscv64", ("-g1", "-mcpu=sifive-u74"), ("-static", "-pthread"))),
        ({"arch": "riscv64"}, of_linux(("riscv64-linux-gnu-gcc",), "riscv64", ("-g1",), ("-static", "-pthread"))),
        ({"arch": "s390x", "cpu": "z13"},
         of_linux(("s390x-linux-gnu-gcc",), "s390x", ("-g1", "-march=z13"), ("-static", "-pthread"))),
    ],
)  # fmt: skip
def test_the_platform_linux(asked: dict[str, Any], found: Toolchain) -> None:
    assert toolchain.find("linux", **asked) == found


@pytest.mark.parametrize(
    ("arch", "option"),
    [("aarch64", "-mcpu"), ("armv7", "-mcpu"), ("riscv64", "-march"), ("s390x", "-march"), ("x86_64", "-march")],
)
def test_this_machines_own_processor(arch: str, option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "host_arch", lambda: arch)
    assert toolchain.find() == of_linux(("gcc",), arch, (*CRYPTO, "-g1", f"{option}=native"), (*LIBS, "-pthread"))


def test_flags_of_the_environment_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MACSAD_CFLAGS", "-DX='a b' -g")
    monkeypatch.setenv("MACSAD_LDFLAGS", "-lown")
    assert toolchain.find() == of_linux(("gcc",), "x86_64", (*NATIVE, "-DX=a b", "-g"), (*LIBS, "-pthread", "-lown"))


def test_without_openssl_the_portable_cipher_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Installed, "known", frozenset())
    assert toolchain.find() == of_linux(("gcc",), "x86_64", ("-g1", "-march=native"), ("-pthread",))


@pytest.mark.parametrize(("platform", "said"), [("linux", True), ("odp", False)])
def test_ports_of_netmap_are_there_where_its_headers_are(
    platform: str, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an installed ODP has is its own."""
    monkeypatch.setattr(toolchain, "_headers", lambda words: {"libc", "netmap"})
    made = toolchain.find(platform)
    assert ("-DMACS_ODP_NETMAP" in made.compile_flags) is said and not made.is_gcc


def test_a_sysroot_of_the_targets(tmp_path: Path) -> None:
    root = tmp_path / "aarch64"
    place = (f"--sysroot={root}",)
    assert toolchain.find("linux", "aarch64", sysroot=root) == of_linux(
        ("aarch64-linux-gnu-gcc",), "aarch64", (*place, "-g1"), ("-static", *place, "-pthread")
    )
    with pytest.raises(ToolchainError) as told:
        toolchain.find("linux", "aarch64", sysroot=tmp_path / "none")
    assert str(told.value) == f"there is no folder {tmp_path / 'none'}, which the target names as its sysroot"


def test_the_platform_dpdk(tmp_path: Path) -> None:
    dpdk = ("-isystem/libdpdk/include", "-Dlibdpdk")
    folders = (f"{DPDK}/src", f"{LINUX}/src"), (f"{DPDK}/include", f"{LINUX}/include", f"{DPDK}/src", f"{LINUX}/src")
    assert toolchain.find("dpdk") == Toolchain(
        ("gcc",), "dpdk", "x86_64", "-O3", (*dpdk, *NATIVE), ("-llibdpdk", *LIBS, "-pthread"), *folders, is_gcc=True
    )
    place = (f"--sysroot={tmp_path / 'aarch64'}",)
    assert toolchain.find("dpdk", "aarch64") == Toolchain(
        ("aarch64-linux-gnu-gcc",), "dpdk", "aarch64", "-O3", (*place, *dpdk, *CRYPTO, "-g1"),
        (*place, "-llibdpdk", *LIBS, "-pthread"), *folders, is_gcc=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"arch": "vax"}, "unknown architecture 'vax': choose from x86_64, aarch64, armv7, riscv64, s390x"),
        ({"compiler": "none-cc -m64"}, "the compiler 'none-cc' for x86_64 is not installed (Debian: apt install none-cc)"),
        ({"compiler": " "}, "the compiler '' for x86_64 is not installed (Debian: apt install )"),
        ({"platform": "netbsd"}, "the platform 'netbsd' is not supported: choose linux, dpdk or odp"),
        ({"platform": "dpdk", "arch": "riscv64"},
         "headers and libraries for riscv64 are not here: 'macsad sysroot riscv64' fetches them"),
        ({"platform": "dpdk", "self_described": False},
         "the platform dpdk has buffers of its own: --no-self-described-buffers is for the platform linux"),
        ({"platform": "odp", "arch": "aarch64"},
         "an ODP for aarch64 is not where this machine's libraries are: PKG_CONFIG_LIBDIR tells the folder of its .pc "
         "file, PKG_CONFIG_SYSROOT_DIR the sysroot in whose terms that speaks"),
    ],
)  # fmt: skip
def test_what_there_is_not(asked: dict[str, Any], told: str) -> None:
    with pytest.raises((ToolchainError, WrongUsage)) as error:
        toolchain.find(**asked)
    assert str(getattr(error.value, "message", error.value)) == told


def test_a_cross_compiler_is_told_by_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain.shutil, "which", lambda name: None)
    with pytest.raises(ToolchainError) as told:
        toolchain.find(arch="aarch64")
    package = toolchain.ARCHITECTURES["aarch64"].packages
    assert str(told.value) == (
        f"the compiler 'aarch64-linux-gnu-gcc' for aarch64 is not installed (Debian: apt install {package})"
    )
    with pytest.raises(
        ToolchainError, match=r"aarch64 runs here by qemu-aarch64.*Debian: apt install qemu-user-static"
    ):
        toolchain.emulator("aarch64")


@pytest.mark.parametrize(
    ("arch", "package"), [("x86_64", "libc6-dev"), ("aarch64", toolchain.ARCHITECTURES["aarch64"].libc)]
)
def test_headers_of_the_c_library_are_told(arch: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_headers", lambda words: {"gcc"})
    with pytest.raises(ToolchainError) as told:
        toolchain.find(arch=arch)
    assert str(told.value).endswith(f"finds no headers of the C library for {arch} (Debian: apt install {package})")


def test_dpdk_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Installed, "known", frozenset({"libcrypto"}))
    with pytest.raises(ToolchainError, match="no DPDK: pkg-config does not know libdpdk"):
        toolchain.find("dpdk")


def test_the_first_odp_that_is_known_or_that_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = toolchain.find("odp")
    assert made.compile_flags == ("-I/libodp-linux/include", "-Dlibodp-linux", "-g1", "-march=native")
    assert made.link_flags == ("-llibodp-linux", "-pthread")
    assert (made.sources, made.includes) == ((), ())
    monkeypatch.setattr(Installed, "known", frozenset({"libodp", "own"}))
    assert toolchain.find("odp").link_flags == ("-llibodp", "-pthread")
    assert toolchain.find("odp", odp="own").link_flags == ("-lown", "-pthread")
    monkeypatch.setenv("MACSAD_ODP", "other")
    with pytest.raises(ToolchainError, match="no installed ODP: pkg-config knows none of other"):
        toolchain.find("odp", odp="own")
    monkeypatch.delenv("MACSAD_ODP")
    monkeypatch.setattr(Installed, "known", frozenset())
    with pytest.raises(ToolchainError) as told:
        toolchain.find("odp")
    assert str(told.value) == (
        "no installed ODP: pkg-config knows none of libodp-linux, libodp-dpdk, libodp (no libodp-dpdk.pc)"
    )
    monkeypatch.setattr(Installed, "there", False)
    with pytest.raises(ToolchainError, match="by pkg-config, which is not installed"):
        toolchain.find("odp")
    monkeypatch.setattr(Installed, "there", True)
    monkeypatch.setattr(Installed, "known", frozenset({"libodp-linux"}))
    root = tmp_path / "aarch64"
    assert f"--sysroot={root}" in toolchain.find("odp", "aarch64", sysroot=root).link_flags


def test_forms_and_the_backends_own() -> None:
    program = toolchain.find(optimise="-O1")
    library = toolchain.replace(program, form=Form.LIBRARY)
    assert library.all_flags == (*program.all_flags, "-fPIC", "-fno-semantic-interposition")
    assert program.all_flags == (*toolchain.LANGUAGE, *toolchain.WARNINGS, "-O1", *program.compile_flags)
    backend = library.for_backend
    assert backend == toolchain.replace(program, optimise="-O3", link_flags=())
    assert toolchain.find(sanitize=("thread",)).for_backend.optimise == "-O1"


@pytest.mark.parametrize(
    ("made", "environment", "sysroot", "words"),
    [
        (["aarch64", "usr/aarch64-linux-gnu", "own"], False, True, ("-L", "own")),
        (["aarch64", "usr/aarch64-linux-gnu"], False, False, ("-L", "aarch64")),
        (["usr/aarch64-linux-gnu"], False, True, ("-L", "usr/aarch64-linux-gnu")), ([], False, False, ()),
        (["aarch64", "own"], True, True, ()),
    ],
)  # fmt: skip
def test_where_an_emulator_finds_libraries(
    made: list[str],
    environment: bool,
    sysroot: bool,
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "aarch64").rmdir()
    for name in made:
        (tmp_path / name).mkdir(parents=True)
    if environment:
        monkeypatch.setenv("QEMU_LD_PREFIX", "/else")
    found = toolchain.emulator("aarch64", tmp_path / "own" if sysroot else None)
    emulator = toolchain.ARCHITECTURES["aarch64"].emulator
    assert found == (emulator, *(str(tmp_path / word) if word != "-L" else word for word in words))
    assert toolchain.emulator(None) == toolchain.emulator("x86_64") == ()
