"""What only a kernel does now and then: parts of our ODP on one that the test plays."""

from __future__ import annotations

from pathlib import Path

import pytest
from built_once import built_once
from test_odp import REFUSED, SANITIZE, TESTS, WARNINGS, Toolchain, run

NATIVE = Toolchain("gcc", ("-O1", "-g1", *SANITIZE))


@pytest.mark.parametrize("part", ["rings", "chunks", "frames", "dropped", "tap", "flag"])
def test_on_a_played_kernel(part: str) -> None:
    def make(folder: Path) -> None:
        objects = [file for file in NATIVE.objects() if file.name != "pktio_af_xdp.o"]  # it is in the program
        flags = ["-std=gnu11", "-D_GNU_SOURCE", *NATIVE.flags, *WARNINGS, *NATIVE.includes]
        flags += ["-Wl,--wrap=sendto,--wrap=fopen,--wrap=ioctl,--wrap=setsockopt"]
        run("gcc", *flags, TESTS / "test_played.c", *objects, "-o", folder / "played", *NATIVE.libraries)

    done = run(built_once(("played", NATIVE), make) / "played", part, check=False)
    if done.returncode == REFUSED:
        pytest.skip("the kernel refuses network namespaces, or has no /dev/net/tun")
    assert done.returncode == 0, done.stderr
