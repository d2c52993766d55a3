"""Switches that BMv2's commands start, in a topology of namespaces."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_interfaces import APPS, REFUSED, UNSHARE, network_needed


def test_three_switches_by_bmv2s_commands(tmp_path: Path) -> None:
    network_needed()
    command = [
        *UNSHARE,
        sys.executable,
        Path(__file__).with_name("three_switches.py"),
        tmp_path,
        APPS / "l3fwd" / "l3fwd.p4",
    ]
    (tmp_path / "run").mkdir(mode=0o700)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "run")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240, env=environment)
    if done.returncode == REFUSED:
        pytest.skip(f"the kernel refuses: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr + done.stdout
    if "PTF is not installed" in done.stdout:
        pytest.skip("all but PTF's tests passed: PTF is not installed")
