"""`macsad run`: with which words the switch is started, for what it is built, and what serves beside it. Nothing is built
or runs."""

from __future__ import annotations

import contextlib
import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from macsad import cli
from macsad.place.place_file import Chosen
from macsad.served import Served
from macsad.verbs import run as verb
from transpiler.toolchain.toolchain import Form

L2FWD = str(Path(__file__).parents[2] / "apps" / "l2fwd" / "l2fwd.p4")
P4RUNTIME, THRIFT = ("--p4runtime", "127.0.0.1:9"), ("--thrift", "9")


class Run:
    """The last switch: how it was started, and what it was built for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started: Any = None
        self.asked: Any = None
        self.emulated: tuple[str, ...] = ()
        for settings in (verb.Settings, verb.Thrift):
            monkeypatch.setattr(settings, "check", lambda _: None)
            monkeypatch.setattr(settings, "listen", lambda own: SimpleNamespace(of=type(own), close=lambda: None))
        monkeypatch.setattr(verb.exporting, "require", lambda: None)
        monkeypatch.setattr(verb, "served", self.served)
        monkeypatch.setattr(verb.running, "run", self.run)
        monkeypatch.setattr(verb, "_together", lambda servers, replaced: (servers, replaced))
        monkeypatch.setattr(verb.toolchain, "emulator", lambda arch, sysroot: self.emulated)
        monkeypatch.setattr(verb.replacing, "builder", lambda *what: "builder")
        monkeypatch.setattr(verb.replacing, "swapper", lambda *what: "swapper")

    def served(self, request: Any, build: Any, *, info: bool, json: bool) -> Served:
        self.asked = SimpleNamespace(request=request, build=build, info=info, json=json)
        return Served((request.path,), json="{}" if json else None, binary=Path("/made/l2fwd"))

    def run(
        self, command: Any, ports: Any, entries: Any, socket: Any, rest: Any, *, tells_ends: bool, beside: Any
    ) -> int:
        self.started = SimpleNamespace(
            command=command, ports=ports, entries=entries, socket=socket, rest=rest, tells_ends=tells_ends,
            servers=beside[0], replaced=beside[1],
        )  # fmt: skip
        return 7

    def __call__(self, *words: str) -> Any:
        assert cli.call(["run", L2FWD, *words]) == 7
        return self.started

    @property
    def replaceable(self) -> bool:
        """Whether it was built so, and told so once."""
        built = self.asked.build.tools.form is Form.REPLACEABLE
        assert self.started.rest.count("--replaceable") == built
        return built


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    return Run(monkeypatch)


def names(started: Any) -> list[str]:
    """What serves beside the switch."""
    return [server.func.__name__ for server in started.servers]


def test_words_are_those_of_the_switch(run: Run, tmp_path: Path) -> None:
    (tmp_path / "e.txt").write_text("")
    found = run(
        "--port", "0=null:", "-p", "1=ctl:", "--entries", "e.txt", "--socket", "s", "-o", "made", "--workers", "2"
    )
    assert (found.command, found.ports) == (("/made/l2fwd",), ("0=null:", "1=ctl:"))
    assert (found.entries, found.socket, found.rest) == (Path("e.txt"), Path("s"), ("--workers", "2"))
    assert (found.tells_ends, found.servers, found.replaced) == (True, [], False)
    assert run.asked.build.folder == Path("made") and not run.asked.info and not run.asked.json and not run.replaceable
    assert run("-p", "0=null:").socket is None and run.asked.build.folder == Path("build")
    assert run("-p", "0=null:", "--workers=2", "--busy").rest == ("--workers=2", "--busy")


def test_another_processor_is_emulated(run: Run) -> None:
    run.emulated = ("qemu", "-L", "/root")
    assert run("-p", "0=null:").command == ("qemu", "-L", "/root", "/made/l2fwd")
    run(*P4RUNTIME, "-p", "0=null:")
    assert not run.replaceable


@pytest.mark.parametrize(
    ("words", "info", "json", "replaceable", "servers", "told"),
    [
        ((), False, False, False, [], False),
        (("--replaceable",), False, False, True, [], False),
        (P4RUNTIME, True, False, True, ["serving"], False),
        ((*P4RUNTIME, "--replaceable"), True, False, True, ["serving"], False),
        ((*P4RUNTIME, "--await-program"), True, False, True, ["serving"], False),
        (THRIFT, False, True, False, ["serving"], False),
        ((*THRIFT, "--replaceable"), False, True, True, ["serving"], False),
        ((*P4RUNTIME, *THRIFT), True, True, True, ["serving", "serving"], True),
        (("--metrics", "127.0.0.1:9"), False, False, False, ["listening"], False),
        (("--trace", "-"), False, False, False, ["beside"], False),
    ],
)
def test_what_serves_beside_it(
    run: Run, words: tuple[str, ...], info: bool, json: bool, replaceable: bool, servers: list[str], told: bool
) -> None:
    found = run("-p", "0=null:", *words)
    assert (run.asked.info, run.asked.json, run.replaceable, names(found), found.replaced) == (
        info, json, replaceable, servers, told,
    )  # fmt: skip


def test_who_puts_other_programs_in_place(run: Run) -> None:
    """P4Runtime's controllers, or else BMv2's, where the switch is built for that."""

    def of(*words: str) -> list[Any]:
        return [one.keywords["build"] for one in run("-p", "0=null:", *words).servers]

    assert [one.args[1].of for one in run("-p", "0=null:", *P4RUNTIME, *THRIFT).servers] == [verb.Settings, verb.Thrift]
    assert of(*P4RUNTIME) == ["builder"] and of(*P4RUNTIME, *THRIFT) == ["builder", None]
    assert of(*THRIFT) == [None] and of(*THRIFT, "--replaceable") == ["swapper"]
    (thrift,) = run("-p", "0=null:", "--thrift", "9", "--device-id", "3").servers
    assert (thrift.args[0].device, thrift.args[0].config) == (3, "{}")


def test_a_cpu_port_is_one_of_the_control_socket(run: Run) -> None:
    found = run(*P4RUNTIME, "-p", "0=null:", "--cpu-port", "64", "--device-id", "5")
    assert found.ports == ("0=null:", "64=ctl:")
    (settings, *_) = found.servers[0].args
    assert (settings.device, settings.cpu_port, settings.awaits) == (5, 64, False)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--await-program",), "--await-program is for --p4runtime"),
        (("--cpu-port", "3"), "--cpu-port is for --p4runtime"),
        (("--trace-limit", "9", "1"), "--trace-limit is for --trace FILE"),
        (("--trace-limit", "9", "1", "--trace", "-"), "--trace-limit is for --trace FILE"),
        (("--workres", "2"), "No such option '--workres'"),
    ],
)
def test_what_does_not_go_together(
    run: Run, words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(["run", L2FWD, "-p", "0=null:", *words]) == cli.USAGE and run.started is None
    assert told in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("words", "option"), [((*P4RUNTIME, "--await-program"), "--await-program"), (("--replaceable",), "--replaceable")]
)
def test_what_cannot_be_replaced_is_told(
    run: Run, words: tuple[str, ...], option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run.emulated = ("qemu",)
    assert cli.call(["run", L2FWD, "-p", "0=null:", *words]) == cli.USAGE and run.started is None
    assert f"{option} is for --platform linux, this processor" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("server", ["Settings", "Thrift"])
def test_what_cannot_serve_is_told_before_anything_is_compiled(
    run: Run, server: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(_: object) -> None:
        raise click.ClickException(f"no {server}")

    monkeypatch.setattr(getattr(verb, server), "check", check)
    words = P4RUNTIME if server == "Settings" else THRIFT
    assert cli.call(["run", L2FWD, "-p", "0=null:", *words]) == 1
    assert run.asked is None and run.started is None and f"no {server}" in capsys.readouterr().err


def test_no_address_of_metrics_is_for_everybody(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["run", L2FWD, "-p", "0=null:", "--metrics", "0.0.0.0:9"]) == 1 and run.started is None
    (metrics,) = run("-p", "0=null:", "--metrics", "127.0.0.1:9").servers
    assert metrics.args == (("127.0.0.1", 9),)


def test_ways_of_packets_are_told_in_a_file(run: Run) -> None:
    """With a limit they are appended; those of the log's own file are, too."""

    def place(*words: str) -> Any:
        (server,) = run("-p", "0=null:", "--trace", *words).servers
        assert server.args[2] == verb.Filter(per_second=verb.PER_SECOND)
        return server.args[3]

    assert place("-") == verb.tracing.Place(None, False, None, 0)
    assert place("t", "--trace-bytes", "40") == verb.tracing.Place(Path("t"), False, None, 40)
    assert place("t.txt", "--trace-limit", "9", "2") == verb.tracing.Place(Path("t.txt"), False, verb.Limit(9, 2), 0)
    for log in (["--log", "l"], ["--log=l"]):
        assert place("l", *log) == verb.tracing.Place(Path("l"), True, None, 0)
        assert not place("t", *log).shared


def test_over_another_odp_ends_are_not_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    made = verb.machine
    monkeypatch.setattr(verb, "machine", lambda *what: verb.replace(made(*what), platform="odp"))
    monkeypatch.setattr(verb.compilation, "toolchain", lambda *what: SimpleNamespace(form=None))
    assert not run("-p", "0=null:").tells_ends


def test_all_servers_begin_and_end_with_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thrift is told where P4Runtime puts another program in place."""
    done: list[str] = []
    made: dict[str, Any] = {name: SimpleNamespace(forget_program=f"{name} forgets") for name in ("one", "two")}

    @contextlib.contextmanager
    def server(name: str, listening: Path) -> Any:
        done.append(f"{name} at {listening}")
        yield made[name]
        done.append(f"{name} ends")

    servers = [functools.partial(server, name) for name in made]
    assert verb._together([], replaced=False) is contextlib.nullcontext
    with verb._together(servers, replaced=False)(Path("s")):
        assert done == ["one at s", "two at s"] and not hasattr(made["one"], "on_replaced")
    assert done[2:] == ["two ends", "one ends"]
    with verb._together(servers, replaced=True)(Path("s")):
        assert made["one"].on_replaced == "two forgets"


@pytest.mark.parametrize("name", ["t.txt", "t.1.txt", "t.2.txt"])
def test_files_beside_a_trace_are_not_written_over_what_is_read(
    run: Run, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As many as are kept; others are nobody's."""
    (tmp_path / name).write_text("")
    words = ("-p", "0=null:", "--entries", name, "--trace", "t.txt")
    assert cli.call(["run", L2FWD, *words, "--trace-limit", "9", "2"]) == cli.USAGE and run.started is None
    assert f"'{name}' would be written over '{name}', which is read" in capsys.readouterr().err
    assert name == "t.txt" or run(*words).servers
    assert name != "t.2.txt" or run(*words, "--trace-limit", "9", "1").servers


@pytest.mark.parametrize(
    ("words", "written"),
    [
        (("-p", "0=pcap:in,out", "--entries", "out"), "out"), (("-p", "0=null:", "--entries", "l", "--log", "l"), "l"),
        (("-p", "0=null:", "--entries", "l", "--log=l"), "l"), (("-p", "0=mem:x,loop", "-p", "1=pcap:y,x"), "x"),
        (("-p", "0=null:", "--entries", "made/l2fwd", "-o", "made"), "made/l2fwd"),
    ],
)  # fmt: skip
def test_what_is_read_is_not_written(
    run: Run, tmp_path: Path, words: tuple[str, ...], written: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("out", "l", "x", "y", "in", "made/l2fwd"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert cli.call(["run", L2FWD, *words]) == cli.USAGE and run.started is None
    assert f"'{written}' would be written over '{written}', which is read" in capsys.readouterr().err


def test_words_behind_other_options_are_no_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "2").write_text("")
    assert run("-p", "0=null:", "--entries", "2", "--workers", "2").rest == ("--workers", "2")
    assert run("-p", "0=pcap:", "-p", "1=pcap:2", "--entries", "2").ports == ("0=pcap:", "1=pcap:2")


def test_what_was_included_is_not_written_over(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is known when the program has been read."""
    included = tmp_path / "i.h"
    included.write_text("")
    made = run.served
    monkeypatch.setattr(verb, "served", lambda *what, **more: verb.replace(made(*what, **more), inputs=(included,)))
    assert cli.call(["run", L2FWD, "-p", "0=null:", "--trace", "i.h"]) == cli.USAGE and run.started is None
    assert "'i.h' would be written over" in capsys.readouterr().err


def test_metrics_that_need_something_are_told_before_anything_is_compiled(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def require() -> None:
        raise click.ClickException("metrics need prometheus_client")

    monkeypatch.setattr(verb.exporting, "require", require)
    assert cli.call(["run", L2FWD, "-p", "0=null:", "--metrics", "127.0.0.1:9"]) == 1
    assert run.asked is None and "metrics need prometheus_client" in capsys.readouterr().err
    assert run("-p", "0=null:").servers == []


@pytest.mark.parametrize(
    ("word", "near"), [("--workres", "--workers"), ("--sub-bach=8", "--sub-batch"), ("--prot", "--port")]
)
def test_an_option_that_nobody_knows_is_told_with_the_nearest(
    run: Run, word: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ours or the switch's."""
    assert cli.call(["run", L2FWD, "-p", "0=null:", word, "2"]) == cli.USAGE and run.started is None
    told = " ".join(capsys.readouterr().err.split())
    assert f"No such option '{word.partition('=')[0]}'" in told and f"Did you mean '{near}'?" in told


def test_what_is_placed_is_cut_and_not_replaced(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options of the switch that are given come last, so that they hold."""
    asked: list[str] = []
    monkeypatch.setattr(verb, "asked_for", lambda request, place: asked.append(place) or Chosen((2, 1), "dmac"))
    found = run("-p", "0=null:", "--place", "auto", *P4RUNTIME, "--burst", "8")
    assert found.rest == ("--workers", "3", "--part-workers", "2,1", "--burst", "8") and asked == ["auto"]
    assert run.asked.request.cut == "dmac" and not run.replaceable
    assert cli.call(["run", L2FWD, "-p", "0=null:", "--place", "auto", "--replaceable"]) == cli.USAGE
    assert "programs that are not cut" in " ".join(capsys.readouterr().err.split())
    (tmp_path / "p.toml").write_text("")
    assert cli.call(["run", L2FWD, "-p", "0=pcap:in,p.toml", "--place", "p.toml"]) == cli.USAGE
    assert "'p.toml' would be written over 'p.toml', which is read" in capsys.readouterr().err


def test_short_options_are_no_options_of_the_switch(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["run", L2FWD, "-p", "0=null:", "---p", "1"]) == cli.USAGE and run.started is None
    assert "No such option" in capsys.readouterr().err
