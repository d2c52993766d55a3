"""scripts/check_includes: the checkout and generated C keep to the headers of their rooms, and a stray header is found."""

from __future__ import annotations

import shutil
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


def tree(folder: Path, **files: str) -> subprocess.CompletedProcess[str]:
    """Check a checkout of these files of aux-backend alone, named NAME_c or NAME_h, of the runtime."""
    script = folder / "scripts" / "check_includes"
    script.parent.mkdir()
    shutil.copy(ROOT / "scripts" / "check_includes", script)
    (folder / "templates").mkdir()
    (folder / "aux-backend" / "platform").mkdir(parents=True)
    (folder / "aux-backend" / "runtime").mkdir()
    for name, text in files.items():
        (folder / "aux-backend" / "runtime" / f"{name[:-2]}.{name[-1]}").write_text(text)
    return subprocess.run([str(script)], capture_output=True, text=True, timeout=60)


def test_modules_that_include_each_other_are_found(tmp_path: Path) -> None:
    """By way of a third one, and of a C file: a header has the same C file everywhere."""
    done = tree(
        tmp_path,
        one_h='#include "runtime/two.h"\n',
        two_h="#include <stdint.h>\n",
        two_c='#include "three.h"\n',
        three_h='#include "runtime/one.h"\n',
        four_c='#include "runtime/one.h"\n',
    )
    assert done.returncode == 1
    line = done.stderr.strip()
    assert line.startswith("aux-backend: error: these include each other: ")
    assert set(line.rpartition(": ")[2].split(", ")) == {"runtime/one", "runtime/two", "runtime/three"}


def test_modules_below_each_other_are_none(tmp_path: Path) -> None:
    done = tree(tmp_path, one_h='#include "runtime/two.h"\n', one_c='#include "one.h"\n', two_h="#include <stdint.h>\n")
    assert (done.returncode, done.stderr) == (0, "")
