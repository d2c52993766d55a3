"""The `macsad` command: verbs put together, exit codes.

0 yes · 1 a plain no (the program is rejected, a test failed, a tool is missing) · 2 wrong usage · 3 a fault of macsad's own.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from importlib import import_module
from importlib.metadata import version

import click

from transpiler.diagnostics import Rejected
from transpiler.targets.target import BadTarget
from transpiler.toolchain.toolchain import ToolchainError, WrongUsage

NO, USAGE, FAULT, INTERRUPTED = 1, 2, 3, 130


VERBS = ("check", "build", "run", "test", "simulate", "graph", "gen", "bench", "ctl", "sysroot")


class Verbs(click.Group):
    """Imports a verb's module when it is called: a check does not wait for what a build needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"macsad.verbs.{cmd_name}").command
        return command


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("macsad"), prog_name="macsad")
def cli() -> None:
    """Turn a P4 program into a fast software switch.

    \b
    macsad check P.p4                  is the program right?
    macsad build P.p4                  make the switch: a binary, its C file, a description of its tables
    macsad run P.p4 --port 0=eth0 ...  make it and let packets through
    """


def main() -> None:
    """The entry point: runs a verb and ends the process with its exit code."""
    sys.exit(call(sys.argv[1:]))


def call(arguments: list[str]) -> int:
    """Run a verb; its exit code. Never raises."""
    try:
        result = cli.main(arguments, prog_name="macsad", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.UsageError as error:
        error.show()
        return USAGE
    except click.ClickException as error:
        error.show()
        return NO
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return NO
    except Rejected:
        return NO
    except BadTarget as error:
        click.echo(f"{error.place}: error: {error.what}", err=True)
        return NO
    except ToolchainError as error:
        click.echo(f"macsad: error: {error}", err=True)
        return USAGE if isinstance(error, WrongUsage) else NO
    except Exception as error:
        return _fault(error)


def _fault(error: Exception) -> int:
    """Say that macsad itself failed, and where the report is that its authors need."""
    with tempfile.NamedTemporaryFile("w", prefix="macsad-", suffix=".log", delete=False) as report:
        report.write(f"macsad {version('macsad')}, python {sys.version}\narguments: {sys.argv[1:]}\n\n")
        report.write("".join(traceback.format_exception(error)))
    click.echo(f"macsad: internal error: {type(error).__name__}: {error}", err=True)
    click.echo(f"This is a fault of macsad's own. Please report it with {report.name} and the program.", err=True)
    return FAULT
