"""The cells of the matrix: an app on a platform, its ports of a kind, for an architecture; and why some are holes."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from transpiler.toolchain import architectures, toolchain
from transpiler.toolchain.cache import sysroot_directory

APPS = ("l2fwd", "l3fwd", "l3fwd6", "nat", "router")
ARCHITECTURES = tuple(architectures.ARCHITECTURES)
OPT = Path("/opt")
NO_DPDK = {arch: f"Debian 12 has no DPDK for {arch}" for arch in ("riscv64", "s390x")}
AF_XDP = 44  # Python has no name for it
PORTS = 3  # frames come in at port 0


@dataclass(frozen=True)
class Row:
    """`first`, `others`: names of ports, {n} being the number, {file} what the port reads or writes, {interface} its own.
    `feed`: files that are read to their end, wires (veth), or taps, interfaces that the switch itself makes."""

    platform: str
    kind: str
    feed: str
    first: str
    others: str
    odp: str = ""  # pkg-config's name of the installed ODP
    lacking: str = ""  # what the ports need and emulators do not have

    def __str__(self) -> str:
        return f"{self.platform} {self.kind}"

    def port(self, number: int, file: Path) -> str:
        return (self.others if number else self.first).format(n=number, file=file, interface=f"macs{number}")


ROWS = (
    Row("linux", "pcap", "files", "pcap:{file}", "pcap:,{file}"),  # the one that others are compared with
    Row("linux", "mem", "files", "mem:{file}", "pcap:,{file}"),
    Row("linux", "af_packet", "wires", "af_packet:{interface}", "af_packet:{interface}"),
    Row("linux", "af_xdp", "wires", "af_xdp:{interface}", "af_xdp:{interface}", lacking="AF_XDP"),
    Row("linux", "tap", "taps", "tap:{interface}", "tap:{interface}"),
    # DPDK's own ports, then ours on its packets
    Row("dpdk", "net_pcap", "files", "dpdk:net_pcap{n},rx_pcap={file}", "dpdk:net_pcap{n},tx_pcap={file}"),
    Row("dpdk", "net_af_packet", "wires", "dpdk:net_af_packet{n},iface={interface}", "dpdk:net_af_packet{n},iface={interface}",
        lacking="packet rings"),
    Row("dpdk", "af_packet", "wires", "af_packet:{interface}", "af_packet:{interface}"),
    Row("dpdk", "af_xdp", "wires", "af_xdp:{interface}", "af_xdp:{interface}", lacking="AF_XDP"),
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
    if emulated and row.lacking:
        return f"emulators do not have {row.lacking}"
    if emulated and row.platform == "dpdk" and not sysroot_directory(arch).is_dir():
        return NO_DPDK.get(arch) or f"no DPDK for {arch}: 'macsad sysroot {arch}' fetches it"
    if row.feed != "files" and (why := no_interfaces(row)):
        return why
    if row.odp and pkg_config_path(row.odp, arch) is None:
        if shutil.which("pkg-config") is None:
            return "pkg-config is not installed"
        return (
            f"no {row.odp} for {arch} in /opt/*-{arch} (docs/cross.md)"
            if emulated
            else f"pkg-config knows no {row.odp}"
        )
    try:
        toolchain.emulator(arch)
        if not row.odp:
            toolchain.find(row.platform, arch)
    except toolchain.ToolchainError as error:
        return str(error).splitlines()[0]
    return ""


def no_interfaces(row: Row) -> str:
    """Why there can be no interfaces of a row's kind here, each cell's its own; empty where there can."""
    if os.geteuid() != 0:
        return "interfaces need root"
    if missing := [tool for tool in ("ip", "unshare") if shutil.which(tool) is None]:
        return f"not installed: {', '.join(missing)}"
    if row.kind == "af_xdp" and (why := _no_af_xdp()):
        return f"the kernel refuses AF_XDP: {why}"
    made = "tuntap add macsa mode tap" if row.feed == "taps" else "link add macsa type veth peer name macsb"
    tried = subprocess.run(["unshare", "-n", "ip", *made.split()], capture_output=True, text=True, check=False)
    return f"the kernel refuses interfaces of our own: {tried.stderr.strip()}" if tried.returncode else ""


def _no_af_xdp() -> str:
    try:
        socket.socket(AF_XDP, socket.SOCK_RAW).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def environment_of(row: Row, arch: str | None = None) -> dict[str, str]:
    """What building and running need: which installed ODP it is."""
    if not row.odp:
        return dict(os.environ)
    path = "PKG_CONFIG_PATH" if arch in (None, toolchain.host_arch()) else "PKG_CONFIG_LIBDIR"
    return {**os.environ, "MACSAD_ODP": row.odp, path: pkg_config_path(row.odp, arch) or ""}


def pkg_config_path(package: str, arch: str | None = None) -> str | None:
    """A PKG_CONFIG_PATH with which this machine's package is found: as it is, or with a folder of /opt or /usr/local. For
    another architecture a PKG_CONFIG_LIBDIR: one was installed with --prefix=/opt/NAME-ARCH."""
    if shutil.which("pkg-config") is None:
        return None
    of_others = {path for other in ARCHITECTURES for path in OPT.glob(f"*-{other}/lib/pkgconfig")}
    if arch in (None, toolchain.host_arch()):
        given = os.environ.get("PKG_CONFIG_PATH", "")
        places = [*(set(OPT.glob("*/lib/pkgconfig")) - of_others), Path("/usr/local/lib/pkgconfig")]
        variable, paths = "PKG_CONFIG_PATH", [given, *(f"{place}:{given}" for place in places)]
    else:
        variable, paths = "PKG_CONFIG_LIBDIR", [str(place) for place in OPT.glob(f"*-{arch}/lib/pkgconfig")]
    for path in paths:
        asked = subprocess.run(["pkg-config", "--exists", package], check=False, env={**os.environ, variable: path})
        if asked.returncode == 0:
            return path
    return None
