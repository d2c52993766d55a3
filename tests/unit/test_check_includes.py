"""scripts/check_includes: the checkout and generated C keep to the headers of their rooms, and a stray header is found."""

from __future__ import annotations

import subprocess
from pathlib import Path

from macsad.compilation import Request, generate_c, load

ROOT = Path(__file__).parents[2]


def check(*files: Path) -> subprocess.CompletedProcess[str]:
    command = [str(ROOT / "scripts" / "check_includes"), *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_the_checkout_and_generated_c(tmp_path: Path) -> None:
    request = Request(ROOT / "tests" / "golden" / "p4_16" / "router.p4", warnings=("no-all",))
    file = tmp_path / "router.c"
    file.write_text(generate_c(request, load(request)).c)
    assert "#include" in file.read_text()
    done = check(file)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_platforms_header_is_found(tmp_path: Path) -> None:
    file = tmp_path / "stray.c"
    file.write_text('#include <stdint.h>\n#  include <rte_mbuf.h>\n#include "platform/linux/src/pool/pool.h"\n')
    done = check(file)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"{file}:2: error: <rte_mbuf.h> does not belong here",
        f'{file}:3: error: "platform/linux/src/pool/pool.h" does not belong here',
    ]
