"""The cells of the matrix: an app on a platform, its ports of a kind, for an architecture; and why some are holes."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from transpiler.toolchain import toolchain
from transpiler.toolchain.cache import sysroot_directory

APPS = ("l2fwd", "l3fwd", "l3fwd6", "nat", "router")
ARCHITECTURES = ("x86_64", "aarch64")
PORTS = 3  # frames come in at port 0


@dataclass(frozen=True)
class Row:
    """`names`: of port N, with {file} for the file that it reads or writes and {interface} for its own. `feed`: files that
    are read to their end, wires (veth), or interfaces that the switch itself makes."""

    platform: str
    kind: str
    feed: str
    first: str
    others: str
    odp: str = ""  # pkg-config's name of the installed ODP

    def __str__(self) -> str:
        return f"{self.platform} {self.kind}"

    def port(self, number: int, file: Path) -> str:
        name = self.others if number else self.first
        return name.format(n=number, file=file, interface=f"macs{number}")


ROWS = (
    Row("linux", "pcap", "files", "pcap:{file}", "pcap:,{file}"),  # the one that others are compared with
    Row("linux", "mem", "files", "mem:{file}", "pcap:,{file}"),
    Row("linux", "af_packet", "wires", "af_packet:{interface}", "af_packet:{interface}"),
    Row("linux", "af_xdp", "wires", "af_xdp:{interface}", "af_xdp:{interface}"),
    Row("linux", "tap", "taps", "tap:{interface}", "tap:{interface}"),
    Row("dpdk", "pcap", "files", "dpdk:net_pcap{n},rx_pcap={file}", "dpdk:net_pcap{n},tx_pcap={file}"),
    Row("dpdk", "af_packet", "wires", "dpdk:net_af_packet{n},iface={interface}", "dpdk:net_af_packet{n},iface={interface}"),
    Row("dpdk", "af_xdp", "wires", "af_xdp:{interface}", "af_xdp:{interface}"),
    Row("odp", "linux", "files", "pcap:in={file}", "pcap:out={file}", "libodp-linux"),
    Row("odp", "dpdk", "files", "{n}", "{n}", "libodp-dpdk"),
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    app: str
    row: Row
    arch: str

    def __str__(self) -> str:
        return f"{self.app} on {self.row} {self.arch}"


def hole(row: Row, arch: str) -> str:
    """Why this machine cannot run such cells; empty where it can."""
    emulated = arch != toolchain.host_arch()
    if row.feed != "files" and os.geteuid() != 0:
        return "interfaces need root"
    if emulated and row.kind == "af_xdp":
        return "emulators do not have AF_XDP"
    if emulated and row.platform == "dpdk" and row.kind == "af_packet":
        return "DPDK's driver needs packet rings, which emulators do not have"
    if emulated and row.platform == "dpdk" and not sysroot_directory(arch).is_dir():
        return f"no DPDK for {arch}: 'macsad sysroot {arch}' fetches it"
    if row.feed != "files" and (missing := [tool for tool in ("ip", "unshare") if shutil.which(tool) is None]):
        return f"not installed: {', '.join(missing)}"
    if row.odp and emulated:
        return f"no {row.odp} for {arch}: Debian has none"
    if row.odp and pkg_config_path(row.odp) is None:
        return f"pkg-config knows no {row.odp}"
    try:
        toolchain.emulator(arch)
        if not row.odp:
            toolchain.find(row.platform, arch)
    except toolchain.ToolchainError as error:
        return str(error).splitlines()[0]
    return ""


def pkg_config_path(package: str) -> str | None:
    """A PKG_CONFIG_PATH with which the package is found: as it is, or with a folder of /opt or /usr/local."""
    given = os.environ.get("PKG_CONFIG_PATH", "")
    places = [*Path("/opt").glob("*/lib/pkgconfig"), Path("/usr/local/lib/pkgconfig")]
    for path in (given, *(f"{place}:{given}" for place in places)):
        asked = subprocess.run(
            ["pkg-config", "--exists", package], check=False, env={**os.environ, "PKG_CONFIG_PATH": path}
        )
        if asked.returncode == 0:
            return path
    return None
