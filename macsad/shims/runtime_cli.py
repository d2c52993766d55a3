"""simple_switch_CLI: BMv2's commands to a running switch, over its control socket.

Most are commands of the socket itself, with BMv2's syntax (docs/control.md). What BMv2 prints beside the answer is printed
here, as scripts look for it. As BMv2's, it goes on behind a command that fails and exits with 0.
"""

from __future__ import annotations

import cmd
import sys
from pathlib import Path

from macsad.control import Client, ControlError
from macsad.shims.commands import Commands
from macsad.shims.options import Parser, fail
from macsad.shims.ports import DEFAULT_PORT, socket_of

_PRES = ("None", "SimplePre", "SimplePreLAG")


class Prompt(cmd.Cmd):
    """A line is a command; nothing is one for an empty line."""

    intro = "Control utility for runtime P4 table management"
    prompt = "RuntimeCmd: "

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self.commands = commands

    def onecmd(self, line: str) -> bool:
        words = line.split()
        if line == "EOF" or words in (["exit"], ["quit"]):
            print()
            return True
        if words and not words[0].startswith("#"):
            print(self.commands.answer(words), end="", flush=True)
        return False

    def completenames(self, text: str, *_: object) -> list[str]:
        return [name for name in self.commands.names() if name.startswith(text)]

    def completedefault(self, text: str, *_: object) -> list[str]:
        return [name for name in self.commands.objects() if name.startswith(text)]


def parser(name: str) -> Parser:
    made = Parser(name, "%(prog)s [options]", "Commands to a running switch: table_add, counter_read, help (macsad).")
    made.add_argument("--thrift-port", type=int, default=DEFAULT_PORT, metavar="N", help=f"[{DEFAULT_PORT}]")
    made.add_argument("--thrift-ip", default="localhost", metavar="ADDR", help="of this machine only")
    made.add_argument("--json", type=Path, metavar="FILE", help="not needed: the switch knows its program")
    made.add_argument("--pre", choices=_PRES, default="SimplePreLAG", metavar="|".join(_PRES))
    made.add_argument("--socket", type=Path, metavar="PATH", help="the switch's control socket, instead of its port")
    return made


def main(name: str, arguments: list[str]) -> int:
    """Runs the commands of standard input. 1: no switch."""
    asked = parser(name).parse_args(arguments)
    if asked.thrift_ip not in ("localhost", "127.0.0.1", "::1", "0.0.0.0"):
        return fail(name, f"--thrift-ip {asked.thrift_ip}: switches of this machine only can be reached")
    place = asked.socket or socket_of(asked.thrift_port)
    try:
        with Client(place) as client:
            Prompt(Commands(client)).cmdloop()
    except (ControlError, OSError) as error:
        print(f"Could not connect to the switch on port {asked.thrift_port}", file=sys.stderr)
        return fail(name, str(error))
    except KeyboardInterrupt:
        print()
    return 0
