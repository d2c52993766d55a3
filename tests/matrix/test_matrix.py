"""The matrix itself: what it calls a difference, a hole, a success. `make matrix` runs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import cells
import matrix
import wires

A, B, C = b"a" * 60, b"b" * 60, b"c" * 60


def test_differences_are_told_with_port_and_place() -> None:
    assert matrix.difference([[A, B], [C]], [[A, B], [C]]) == ""
    assert (
        matrix.difference([[A, B], [C]], [[A, B], []])
        == "port 2: 0 frames instead of 1, frame 0 is the first that differs"
    )
    assert matrix.difference([[A, B], []], [[A, C], []]).startswith("port 1: 2 frames instead of 2, frame 1 is")
    assert matrix.difference([[], []], [[], []]) == "nothing was sent"


@pytest.mark.parametrize(("mark", "code", "last"), [
    ("agree", 0, "1 cells agree, 0 disagree, 0 holes of 1"),
    ("differ", 1, "0 cells agree, 1 disagree, 0 holes of 1"),
    ("holes", 1, "0 cells agree, 0 disagree, 1 holes of 1"),
])  # fmt: skip
def test_the_last_line_and_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], mark: str, code: int, last: str
) -> None:
    def run(chosen: list[cells.Cell], folder: Path, results: matrix.Results) -> None:
        assert [str(cell) for cell in chosen] == ["nat on linux pcap x86_64"]
        if mark == "agree":
            results.agree.append(chosen[0])
        else:
            getattr(results, mark)[chosen[0]] = "the reason"

    monkeypatch.setattr(matrix, "run", run)
    monkeypatch.setattr(matrix.toolchain, "host_arch", lambda: "x86_64")
    monkeypatch.setattr(sys, "argv", ["matrix.py", "--only", "nat linux pcap x86_64"])
    assert matrix.main() == code
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == f"matrix: {last}"
    assert mark == "agree" or "the reason" in said[-2]


def test_every_hole_has_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cells.toolchain, "host_arch", lambda: "x86_64")
    (tmp_path / "pkg-config").symlink_to("/bin/false")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(cells, "pkg_config_path", lambda package, arch: None)
    monkeypatch.setattr(cells.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(cells, "sysroot_directory", lambda arch: tmp_path / arch)
    reasons = {(str(row), arch): cells.hole(row, arch) for row in cells.ROWS for arch in cells.ARCHITECTURES}
    assert reasons["linux af_xdp", "x86_64"] == "interfaces need root"
    assert reasons["linux af_xdp", "aarch64"] == "emulators do not have AF_XDP"
    assert reasons["odp linux", "x86_64"] == "pkg-config knows no libodp-linux"
    assert reasons["odp dpdk", "aarch64"] == "no libodp-dpdk for aarch64 in /opt/*-aarch64 (docs/cross.md)"
    assert reasons["dpdk net_af_packet", "riscv64"] == "emulators do not have packet rings"
    assert reasons["dpdk net_pcap", "s390x"] == "Debian 12 has no DPDK for s390x"
    assert reasons["dpdk net_pcap", "armv7"].startswith("no DPDK for armv7: 'macsad sysroot armv7'")


def test_an_odp_for_another_architecture_is_no_other_ones(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if cells.shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is not installed")
    for name in ("PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(cells, "OPT", tmp_path)
    monkeypatch.setattr(cells.toolchain, "host_arch", lambda: "x86_64")
    folder = tmp_path / "odp-aarch64" / "lib" / "pkgconfig"
    folder.mkdir(parents=True)
    (folder / "libodp-test.pc").write_text("Name: test\nDescription: none\nVersion: 1\n")
    found = {arch: cells.pkg_config_path("libodp-test", arch) for arch in cells.ARCHITECTURES}
    assert found == {**dict.fromkeys(cells.ARCHITECTURES), "aarch64": str(folder)}
    row = cells.Row("odp", "test", "files", "", "", "libodp-test")
    assert cells.environment_of(row, "aarch64")["PKG_CONFIG_LIBDIR"] == str(folder)


def test_a_bare_machine_has_holes_not_failures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither pkg-config nor emulators nor `ip`; a C compiler there is."""
    compiler = cells.shutil.which("gcc")
    assert compiler
    (tmp_path / "gcc").symlink_to(compiler)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(cells.toolchain, "host_arch", lambda: "x86_64")
    monkeypatch.setattr(cells.os, "geteuid", lambda: 0)
    reasons = {(str(row), arch): cells.hole(row, arch) for row in cells.ROWS for arch in cells.ARCHITECTURES}
    assert reasons["linux pcap", "x86_64"] == ""
    assert reasons["odp linux", "x86_64"] == "pkg-config is not installed"
    assert reasons["linux tap", "x86_64"] == "not installed: ip, unshare"
    assert reasons["dpdk net_pcap", "x86_64"].startswith("no DPDK")
    assert "not installed" in reasons["linux pcap", "aarch64"]


def test_vlan_tags_that_the_kernel_keeps_beside_a_frame() -> None:
    tagged = wires.struct.pack("=IIIHHHH", wires.VLAN_VALID | 1, 60, 60, 0, 0, 0x2005, 0x8100)
    assert (
        wires._with_tag(A, [(wires.SOL_PACKET, wires.PACKET_AUXDATA, tagged)]) == A[:12] + b"\x81\x00\x20\x05" + A[12:]
    )
    plain = wires.struct.pack("=IIIHHHH", 1, 60, 60, 0, 0, 0, 0)
    assert wires._with_tag(A, [(wires.SOL_PACKET, wires.PACKET_AUXDATA, plain)]) == A
