"""Apps on real interfaces: two hosts in network namespaces, the switch in a third; ping and TCP streams pass through it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import switches

APPS = Path(__file__).parents[2] / "apps"
BENCH = APPS.parent / "bench"
REFUSED = 77
UNSHARE = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]


@pytest.mark.parametrize(
    ("app", "family", "driver"),
    [("l3fwd", "ipv4", "af_packet"), ("l3fwd6", "ipv6", "af_packet"), ("l3fwd", "ipv4", "af_xdp")],
)
def test_hosts_reach_each_other(app: str, family: str, driver: str) -> None:
    in_own_network("routed_hosts.py", family, driver, switches.build(APPS / app / f"{app}.p4"))


@pytest.mark.parametrize(
    ("scenario", "driver"),
    [
        *((scenario, driver) for scenario in ("missed", "down", "mtu", "rings") for driver in ("af_packet", "af_xdp")),
        ("idle", "af_packet"),
        ("long", "af_packet"),  # the ring of AF_XDP has no slots that grow, and no times
        ("time", "af_packet"),
    ],
)
def test_what_is_told_of_interfaces(scenario: str, driver: str) -> None:
    in_own_network("watched_ports.py", scenario, driver, switches.build(Path(__file__).parent / "endless.p4"))


def test_packets_wait_for_a_slow_link() -> None:
    in_own_network("slow_link.py", switches.build(Path(__file__).parents[1] / "packets" / "queues.p4"))


def test_tcp_in_a_tunnel_is_not_slow() -> None:
    """Plain and in VXLAN, over either kind of port: far from what one lost segment after the other would leave of it."""
    network_needed()
    vxlan = "ip link add tunnel type vxlan id 1 remote 10.0.0.1 dstport 4789 dev lo"
    probe = subprocess.run([*UNSHARE, *vxlan.split()], capture_output=True, text=True, check=False)
    if probe.returncode:
        pytest.skip(f"the kernel refuses VXLAN: {probe.stderr.strip()}")
    switch = switches.build(APPS / "l2fwd" / "l2fwd.p4")
    command = [sys.executable, BENCH / "tcp.py", f"--switch={switch}", "--rounds=1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode and "XDP" in done.stderr and ("it takes root" in done.stderr or "not supported" in done.stderr):
        pytest.skip(f"the kernel refuses: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    figures = [float(line.split(" Gb/s")[0].split()[-1]) for line in done.stdout.splitlines()]
    assert len(figures) == 10 and min(figures) > 0.005, done.stdout


def in_own_network(script: str, *arguments: str | Path) -> None:
    network_needed()
    command = [*UNSHARE, sys.executable, Path(__file__).with_name(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode == REFUSED:
        pytest.skip(f"the kernel refuses: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr + done.stdout


def network_needed() -> None:
    missing = [tool for tool in ("unshare", "nsenter", "ip", "ping") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    probe = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True, check=False)
    if probe.returncode:
        pytest.skip(f"the kernel refuses network namespaces: {probe.stderr.strip()}")
