"""The control server of a running switch: when it answers, whom, and how soon."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REFUSED = 77


@pytest.mark.parametrize("driver", ["af_packet", "af_xdp"])
def test_no_frame_is_lost_once_the_socket_answers(sample: Path, driver: str) -> None:
    missing = [tool for tool in ("unshare", "ip") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    unshare = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("the kernel refuses network namespaces")
    script = Path(__file__).parent / "runtime" / "first_frames.py"
    command = [*unshare, sys.executable, str(script), driver, str(sample)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode == REFUSED:
        pytest.skip(f"the kernel refuses: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr + done.stdout
