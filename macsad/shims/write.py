"""Writes the commands: small scripts of which each calls its module here. A process has the script's name, so that
`pkill simple_switch` finds it."""

from __future__ import annotations

import sys
from pathlib import Path

from macsad.outputs import written

# command → module and name by which it is called
COMMANDS = {
    "simple_switch": "simple_switch",
    "simple_switch_grpc": "simple_switch",
    "simple_switch_CLI": "runtime_cli",
    "p4c-bm2-ss": "p4c",
    "p4c": "p4c",
}
_SCRIPT = """#!{python}
# {name} of macsad (written by `macsad shims`)
import sys

from macsad.shims.{module} import main

if __name__ == "__main__":
    sys.exit(main("{name}", sys.argv[1:]))
"""


def write(folder: Path) -> list[Path]:
    """The scripts, executable, in a folder that is made if need be. Raises: click.FileError."""
    made = []
    for name, module in COMMANDS.items():
        path = folder / name
        with written(path, makes_folder=True) as beside:
            beside.write_text(_SCRIPT.format(python=sys.executable, name=name, module=module))
            beside.chmod(0o755)
        made.append(path)
    return made
