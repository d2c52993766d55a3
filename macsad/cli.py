"""The `macsad` command: verbs put together, exit codes.

0 success · 1 failure (the program is rejected, a test failed, a tool is missing) · 2 wrong usage · 3 an internal error.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import sys
from collections.abc import Callable, Iterable
from importlib import import_module

import click

from macsad.terminal import Unwritable, flush, shown_streams

NO, USAGE, FAULT, INTERRUPTED = 1, 2, 3, 130

VERBS = {
    "check": "Check a program, and report errors as file:line:col.",
    "build": "Build the switch of a program: a binary, its C, its P4Info.",
    "run": "Build the switch and run it.",
    "p4info": "Write a program's P4Info, for P4Runtime controllers.",
    "test": "Run a packet test (STF) on the switch.",
    "simulate": "Run a packet test on the interpreter.",
    "graph": "Draw a program's parser, controls or tables; print its plan.",
    "gen": "Generate table entries, and traffic that hits them.",
    "testgen": "Make packet tests that take every way through a program.",
    "bench": "Measure throughput and cycles a packet.",
    "profile": "Measure what packets cost this machine.",
    "tune": "Choose B, b and optimisations by model and measurement.",
    "place": "Choose which stages run on which cores.",
    "serve": "Serve P4Runtime for a running switch.",
    "ctl": "Send commands to a running switch, or read its statistics.",
    "metrics": "Serve metrics of a running switch for Prometheus.",
    "trace": "Tell the way of packets of a running switch.",
    "test-kernel": "Test a table kernel of your own.",
    "shims": "Write BMv2's commands (simple_switch, p4c, ...).",
    "sysroot": "Download what building for another architecture needs.",
}


def nearest(word: str, known: Iterable[str]) -> str:
    """ " Did you mean 'build'?" of the one that looks most like `word`, "" where none does."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f" Did you mean '{near[0]}'?" if near else ""


class Verbs(click.Group):
    """Imports a verb's module when it is called: neither --help nor a check waits for what a build needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"macsad.verbs.{cmd_name.replace('-', '_')}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            raise click.UsageError(f"No such command '{args[0]}'.{nearest(args[0], VERBS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="macsad", prog_name="macsad")
def cli() -> None:
    """Compile P4 programs into fast software switches.

    \b
    macsad check P.p4                  check the program
    macsad build P.p4                  build the switch: a binary, its C, its tables as P4Info
    macsad run P.p4 --port 0=eth0 ...  build the switch and run it
    """


def main() -> None:
    """The entry point: runs a verb and ends the process with its exit code."""
    with shown_streams():
        code = call(sys.argv[1:])
        if (problem := flush()) is not None:
            code = _unwritable(problem)
    sys.exit(code)


def call(arguments: list[str]) -> int:
    """Run a verb; its exit code. Never raises."""
    return called(lambda: cli.main(arguments, prog_name="macsad", standalone_mode=False))


def called(act: Callable[[], object]) -> int:
    """Run a function as a verb: its errors are printed. Returns the exit code. Never raises."""
    try:
        result = act()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.UsageError as error:
        if isinstance(error, click.NoSuchOption):
            near = difflib.get_close_matches(error.option_name, error.possibilities or (), 1)
            error = click.NoSuchOption(error.option_name, possibilities=near, ctx=error.ctx)
        error.show()
        return USAGE
    except click.ClickException as error:
        error.show()
        return NO
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except (BrokenPipeError, Unwritable) as error:
        return _unwritable(error)
    except Exception as error:
        return _told(error)


def _unwritable(error: OSError) -> int:
    """Standard output cannot be written. A full disk is reported; a closed pipe is not, as the reader closed it."""
    if error.errno != errno.EPIPE:
        with contextlib.suppress(OSError):
            click.echo(f"macsad: error: cannot write standard output: {error.strerror}", err=True)
    return NO


def _told(error: Exception) -> int:
    """Print an exception of the compiler's stages. Returns the exit code."""
    from transpiler.externs.row import BadRow

    if isinstance(error, BadRow):  # before anything that needs the table of externs
        click.echo(f"macsad: error: {error}", err=True)
        return FAULT
    from macsad.frontends import FrontendFault
    from transpiler.diagnostics import Rejected
    from transpiler.passes.pipeline import BadPass
    from transpiler.targets.target import BadTarget
    from transpiler.toolchain.toolchain import ToolchainError, WrongUsage

    if isinstance(error, Rejected):
        return NO
    if isinstance(error, BadTarget):
        click.echo(f"{error.place}: error: {error.what} (see {error.page})", err=True)
        return NO
    if isinstance(error, ToolchainError):
        click.echo(f"macsad: error: {error}", err=True)
        return USAGE if isinstance(error, WrongUsage) else NO
    if isinstance(error, RecursionError):
        click.echo("macsad: error: the program nests too deeply for this", err=True)
        return NO
    if isinstance(error, FrontendFault):
        click.echo(f"macsad: error: {error.whose}: {error} (see {error.page})", err=True)
        return _fault(error, error.whose, "its authors")
    if isinstance(error, BadPass):
        click.echo(f"macsad: error: {error} (see {error.page})", err=True)
        return _fault(error, f"the pass '{error.name}'", "its author")
    click.echo(f"macsad: internal error: {type(error).__name__}: {error}", err=True)
    return _fault(error, "macsad's own", "us")


def _fault(error: Exception, whose: str, to: str) -> int:
    """Say whose fault it is, and where the report is that its authors need."""
    import tempfile
    import traceback
    from importlib.metadata import version

    with tempfile.NamedTemporaryFile(
        "w", prefix="macsad-", suffix=".log", delete=False, errors="backslashreplace"
    ) as report:
        report.write(f"macsad {version('macsad')}, python {sys.version}\narguments: {sys.argv[1:]}\n\n")
        report.write("".join(traceback.format_exception(error)))
    click.echo(f"This is a fault of {whose}. Please report it to {to}, with {report.name} and the program.", err=True)
    return FAULT
