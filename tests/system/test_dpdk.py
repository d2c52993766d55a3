"""A whole switch over DPDK: its packet test, and its ports that need no device."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from transpiler.toolchain import toolchain

APP = Path(__file__).parents[2] / "apps" / "l2fwd"


def test_packet_test_over_dpdk() -> None:
    try:
        toolchain.find("dpdk")
    except toolchain.ToolchainError as error:
        pytest.skip(str(error))
    macsad = [sys.executable, "-c", "from macsad.cli import main; main()"]
    command = [*macsad, "test", "--platform", "dpdk", str(APP / "l2fwd.p4"), str(APP / "packets.stf")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "passed (7 packets in, 9 expected)\n"), done.stderr
