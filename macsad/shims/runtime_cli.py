"""simple_switch_CLI: BMv2's commands to a running switch, over its Thrift services.

As BMv2's, it goes on behind a command that fails, and exits with 0.
"""

from __future__ import annotations

import argparse
import cmd
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from macsad.shims.options import Parser, fail
from macsad.shims.ports import DEFAULT_PORT
from macsad.terminal import Unwritable, flush, shown_streams

if TYPE_CHECKING:
    from macsad.shims.cli.session import Session

_PRES = ("None", "SimplePre", "SimplePreLAG")


class Prompt(cmd.Cmd):
    """A line is a command; an empty one and a comment are none."""

    intro = "Control utility for runtime P4 table manipulation"
    prompt = "RuntimeCmd: "

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def onecmd(self, line: str) -> bool:
        from macsad.shims.cli.commands import run

        words = ["shell", *line[1:].split()] if line.startswith("!") else line.split()
        if line == "EOF":
            print()
            return True
        if words and words[0] in ("help", "?"):
            self.do_help(" ".join(words[1:]))
        elif words and not words[0].startswith("#"):
            run(self.session, words)
        sys.stdout.flush()
        return False

    def do_help(self, arg: str) -> None:
        from macsad.shims.cli.commands import COMMANDS

        if arg in COMMANDS:
            print(f"{COMMANDS[arg].help}: {arg} {COMMANDS[arg].usage}".rstrip())
        elif arg:
            print(f"*** No help on {arg}")
        else:
            print("\nDocumented commands (type help <topic>):\n========================================")
            self.columnize(sorted(COMMANDS), 79)

    def completenames(self, text: str, *_: object) -> list[str]:
        from macsad.shims.cli.commands import COMMANDS

        return [name for name in sorted(COMMANDS) if name.startswith(text)]

    def completedefault(self, text: str, line: str, *_: object) -> list[str]:
        from macsad.shims.cli.commands import COMMANDS

        words = line.split()
        known = COMMANDS.get(words[0]) if words else None
        if known is None or not known.names:
            return []
        names = getattr(self.session.program, known.names)
        if len(words) + (not text) > 2:
            names = getattr(names.get(words[1]), "actions", ())
        return [name for name in names if name.startswith(text)]


def parser(name: str) -> Parser:
    made = Parser(name, "%(prog)s [options]", "Commands to a running switch: table_add, counter_read, help (macsad).")
    made.add_argument("--thrift-port", type=int, default=DEFAULT_PORT, metavar="N", help=f"[{DEFAULT_PORT}]")
    made.add_argument("--thrift-ip", default="localhost", metavar="ADDR", help="[localhost]")
    made.add_argument("--json", type=Path, metavar="FILE", help="the program, if the switch shall not be asked for it")
    made.add_argument("--pre", choices=_PRES, default="SimplePreLAG", metavar="|".join(_PRES))
    return made


def main(name: str, arguments: list[str]) -> int:
    """Runs the commands of standard input. 1: no switch, or nobody reads what they print, as behind `| head`."""
    asked = parser(name).parse_args(arguments)
    with shown_streams():
        try:
            code = _run(name, asked)
        except Unwritable:
            code = 1
        return 1 if flush() else code


def _run(name: str, asked: argparse.Namespace) -> int:
    """Raises: Unwritable."""
    try:
        from macsad.shims.cli import connection
    except ImportError as error:
        return fail(name, f"Thrift needs thriftpy2: pip install 'macsad[bmv2]' ({error})")
    try:
        session = connection.connect(asked.thrift_ip, asked.thrift_port, asked.pre, asked.json)
        Prompt(session).cmdloop()
    except Unwritable:
        raise
    except connection.NoSwitch as error:
        print(f"Could not connect to thrift client on port {asked.thrift_port}")
        print("Make sure the switch is running and that you have the right port")
        return fail(name, str(error))
    except connection.Lost as error:
        return fail(name, f"the switch has gone: {error}")
    except KeyboardInterrupt:
        print()
    return 0
