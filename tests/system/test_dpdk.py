"""A whole switch over DPDK: its packet test, and its ports that need no device."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from transpiler.toolchain import toolchain

APP = Path(__file__).parents[2] / "apps" / "l2fwd"


def packet_test(platform: str, **environment: str) -> subprocess.CompletedProcess[str]:
    try:
        toolchain.find(platform)
    except toolchain.ToolchainError as error:
        pytest.skip(str(error))
    macsad = [sys.executable, "-c", "from macsad.cli import main; main()"]
    command = [*macsad, "test", "--platform", platform, str(APP / "l2fwd.p4"), str(APP / "packets.stf")]
    environ = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environ)


@pytest.mark.parametrize(
    ("platform", "setting", "reason"),
    [
        ("dpdk", "MACS_DPDK_ARGS=--nonsense", "DPDK does not start: Invalid argument"),
        ("odp", "ODP_CONFIG_FILE=/nowhere", ".*onfig.*"),
    ],
)
def test_why_odp_does_not_start_stands_in_the_last_line(platform: str, setting: str, reason: str) -> None:
    done = packet_test(platform, **dict([setting.split("=")]))
    assert done.returncode == 1
    assert re.fullmatch(f"error: cannot start ODP: {reason}", done.stdout.splitlines()[-1]), done.stdout


def test_packet_test_over_dpdk() -> None:
    done = packet_test("dpdk")
    assert (done.returncode, done.stdout) == (0, "passed (7 packets in, 9 expected)\n"), done.stderr
