"""What `macsad bench` asks to be measured, by its options, and where it tells the figures; nothing is measured."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from macsad import cli, compilation
from macsad.bench.contestants import BenchError
from macsad.bench.samples import SampleError
from macsad.bench.suites import USUAL, suite_of
from macsad.resources import share
from macsad.verbs import bench as verb
from transpiler.model.machine import BadProfile
from transpiler.optimisations import NAMES


class Asked:
    """What was asked for, and what comes of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wanted: list[Any] = []
        self.error: Exception | None = None
        for module in (verb.session, verb.latency, verb.crossings):
            name = module.__name__.rpartition(".")[2]
            monkeypatch.setattr(module, "run", lambda wanted, name=name: self.run(name, wanted))
        monkeypatch.setattr(verb.report, "data", lambda result: {"told": result})
        monkeypatch.setattr(verb.report, "screen", lambda result: f"screen of {result}")
        monkeypatch.setattr(verb.latency, "data", lambda rows: [rows])
        monkeypatch.setattr(verb.latency, "screen", lambda rows: f"screen of {rows}")
        monkeypatch.setattr(verb, "worker_cpus", lambda workers: list(range(min(workers, 8))))

    def run(self, module: str, wanted: Any) -> str:
        self.wanted.append(wanted)
        if self.error:
            raise self.error
        return module

    def one(self, *words: str) -> Any:
        assert cli.call(["bench", *words]) == 0
        return self.wanted[-1]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(monkeypatch)


def order(wanted: Any) -> Any:
    return wanted.order(Path("f"))


def test_an_app_is_measured_with_its_suite_and_changes_of_it(asked: Asked) -> None:
    path = share("apps") / "router" / "router.p4"
    suite = suite_of(path)
    found = asked.one("router")
    made = order(found)
    assert (found.request.path, made.entries, made.tables, made.packets) == (
        path,
        suite.entries,
        suite.tables,
        suite.packets,
    )
    assert (made.folder, made.hit, made.flows, made.size) == (Path("f"), 1.0, "uniform", suite.size)
    assert (made.ports, made.port, made.seed, made.replies, made.lengths) == (2, 0, 1, suite.replies, suite.lengths)
    assert (found.rounds, found.seconds, found.workers, found.without, found.peers) == (7, 0.1, 1, (), ())
    assert (found.feed, found.lookups, found.clocks) == ("mem", True, None)
    bursts, batches = (1, 32, 64, 128, 256), (1, 8, 16, 32, 64)
    assert found.points == tuple(sorted((burst, b) for burst in bursts for b in batches if b <= burst))
    fewer = order(
        asked.one("router", "--entries", "7", "--packets", "9", "--hit", "0.5", "--flows", "one", "--size", "99")
    )
    assert (fewer.entries, fewer.tables, fewer.packets, fewer.hit, fewer.flows, fewer.size) == (
        7,
        (),
        9,
        0.5,
        "one",
        "99",
    )
    one = order(asked.one("router", "--table", "acl4=3", "--lengths", "8"))
    assert (one.entries, one.tables, one.lengths) == (suite.entries, ("acl4=3",), ("8",)) != (7, (), ())


def test_replies_come_in_where_an_app_has_them(asked: Asked) -> None:
    """From memory, which other platforms have not."""
    assert suite_of(share("apps") / "firewall" / "firewall.p4").replies
    assert order(asked.one("firewall")).replies and order(asked.one("firewall", "--packets", "9")).replies
    assert not order(asked.one("firewall", "--platform", "dpdk")).replies and not order(asked.one("flows")).replies


def test_other_programs_are_measured_with_what_is_usual(asked: Asked, tmp_path: Path) -> None:
    program = tmp_path / "my.p4"
    program.write_text((share("apps") / "l2fwd" / "l2fwd.p4").read_text())
    made = order(asked.one(str(program)))
    assert (made.entries, made.packets, made.size) == (USUAL.entries, USUAL.packets, USUAL.size)


def test_points_are_those_below_b_and_one_packet_at_a_time(asked: Asked) -> None:
    assert asked.one("l2fwd", "--burst", "64,8,8", "--sub-batch", "16,8").points == ((1, 1), (8, 8), (64, 8), (64, 16))
    assert asked.one("l2fwd", "--burst", "256", "--sub-batch", "256").points == ((1, 1), (256, 256))


@pytest.mark.parametrize(
    ("words", "rounds", "seconds"),
    [([], 3, 0.02), (["--repeat", "2", "--seconds", "0.01"], 2, 0.01), (["--repeat", "9", "--seconds", "3"], 3, 0.02)],
)
def test_quick_is_small_and_short(asked: Asked, words: list[str], rounds: int, seconds: float) -> None:
    found = asked.one("router", "--quick", *words)
    made = order(found)
    assert (made.entries, made.tables, made.lengths, made.packets, made.size) == (1000, (), (), 1000, "64")
    assert (found.points, found.rounds, found.seconds) == (((1, 1), (32, 1), (32, 32)), rounds, seconds)
    assert not found.lookups and order(asked.one("router", "--quick", "--packets", "5", "--entries", "3")).packets == 5


def test_lookups_alone_are_usual_where_they_can_be(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked.one("l2fwd").lookups and not asked.one("l2fwd", "--no-lookups").lookups
    assert asked.one("l2fwd", "--quick", "--lookups").lookups
    two = asked.one("l2fwd", "--workers", "2")
    assert two.workers == 2 and not two.lookups and not asked.one("l2fwd", "--platform", "dpdk").lookups
    for words in (["--workers", "2"], ["--platform", "dpdk"]):
        assert cli.call(["bench", "l2fwd", "--lookups", *words]) == cli.USAGE
        assert "one worker on --platform linux" in " ".join(capsys.readouterr().err.split())
    assert cli.call(["bench", "l2fwd", "--workers", "9"]) == cli.USAGE and "has 8 CPUs" in capsys.readouterr().err
    assert asked.one("l2fwd", "--workers", "8").workers == 8


def test_over_dpdk_there_are_feeds_and_peers(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked.one("l2fwd", "--platform", "dpdk", "--beside", "io=pmd {eal2} -- x=1", "--beside", "fwd=pmd {eal}")
    assert found.machine.platform == "dpdk" and found.feed == "pcap"
    assert [(peer.name, peer.command) for peer in found.peers] == [("io", "pmd {eal2} -- x=1"), ("fwd", "pmd {eal}")]
    suite = suite_of(share("apps") / "l2fwd" / "l2fwd.p4")
    assert order(found).packets == 65_536 < suite.packets, "DPDK keeps each of them"
    assert asked.one("l2fwd", "--platform", "dpdk", "--feed", "null").feed == "null"
    for wrong in ("=pmd {eal}", "io", "io=pmd"):
        assert cli.call(["bench", "l2fwd", "--platform", "dpdk", "--beside", wrong]) == cli.USAGE
        assert "is not NAME=COMMAND with {eal}" in capsys.readouterr().err


def test_optimisations_are_left_out_once_each(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked.one("l2fwd", "--without", "prefetch,fold_selects,prefetch,all").without == (
        "prefetch",
        "fold_selects",
        "all",
    )
    assert asked.one("l2fwd", "--without", "all,each").without == ("all", *NAMES)
    assert cli.call(["bench", "l2fwd", "--without", "prefetch,speed"]) == cli.USAGE
    assert "no optimisation 'speed'" in capsys.readouterr().err


def test_figures_are_shown_or_written(asked: Asked, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    asked.one("l2fwd", "--json", str(file))
    assert capsys.readouterr().out == "screen of session\n" and json.loads(file.read_text()) == {"told": "session"}
    asked.one("l2fwd", "--json", "-")
    assert json.loads(capsys.readouterr().out) == {"told": "session"} and not Path("-").exists()


def test_a_plot_is_drawn_of_the_result(asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb.plots, "figures", lambda: None)
    monkeypatch.setattr(verb.plots, "points", lambda result, path: path.write_text(f"plot of {result}"))
    asked.one("l2fwd", "--plot", str(tmp_path / "x.svg"))
    assert (tmp_path / "x.svg").read_text() == "plot of session"

    def missing() -> None:
        raise BenchError("plots need matplotlib")

    monkeypatch.setattr(verb.plots, "figures", missing)
    assert cli.call(["bench", "l2fwd", "--plot", str(tmp_path / "y.svg")]) == 1 and len(asked.wanted) == 1


@pytest.mark.parametrize("error", [BenchError("it has ended"), SampleError("no samples")])
@pytest.mark.parametrize("words", [[], ["--latency"]])
def test_what_cannot_be_measured_is_told(
    asked: Asked, error: Exception, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    asked.error = error
    assert cli.call(["bench", "l2fwd", *words]) == 1 and str(error) in capsys.readouterr().err


def test_latency_is_in_the_switch_or_between_interfaces(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    """At the usual B and b, unless they are given."""
    inside = asked.one("l2fwd", "--latency", "--json", "-")
    assert json.loads(capsys.readouterr().out) == {"latency": ["latency"]} and inside.points == ((64, 64),)
    given = asked.one("l2fwd", "--latency", "--burst", "8", "--sub-batch", "8")
    assert given.points == ((1, 1), (8, 8)) and capsys.readouterr().out == "screen of latency\n"
    for words in (["--platform", "dpdk"], ["--beside", "io=pmd {eal}"]):
        asked.one("l2fwd", "--latency", *words)
        assert capsys.readouterr().out == "screen of crossings\n"


@pytest.fixture
def model(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The machine's profile is there, and what the model says of the result."""
    found = SimpleNamespace(asked=[], says="model")

    def predicted(result: Any, profile: str, whole: Any, length: int, pages: str) -> Any:
        found.asked.append((profile, length, pages))
        return found.says

    monkeypatch.setattr(asked, "run", lambda module, wanted: asked.wanted.append(wanted) or SimpleNamespace(length=70))
    monkeypatch.setattr(verb.report, "data", lambda result: {})
    monkeypatch.setattr(verb.report, "screen", lambda result: "screen")
    monkeypatch.setattr(verb.profiling, "read", lambda file: f"profile of {file}")
    monkeypatch.setattr(verb.profiling, "kept", lambda: "kept")
    monkeypatch.setattr(verb.predicted, "predicted", predicted)
    monkeypatch.setattr(verb.predicted, "data", lambda model: f"data of {model}")
    monkeypatch.setattr(verb.predicted, "screen", lambda model: f"screen of {model}")
    monkeypatch.setattr(verb.predicted, "summary", lambda model: f"summary of {model}")
    return found


def test_a_prediction_is_told_beside(
    asked: Asked, model: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked.one("l2fwd", "--predict", "--json", str(tmp_path / "x"))
    assert capsys.readouterr().out.split("\n") == ["screen", "", "screen of model", "summary of model", ""]
    assert json.loads((tmp_path / "x").read_text()) == {"model": "data of model"}
    asked.one("l2fwd", "--predict", "--no-huge-pages", "--machine", __file__)
    assert model.asked == [("profile of kept", 70, "huge"), (f"profile of {__file__}", 70, "small")]
    model.says = None
    assert cli.call(["bench", "l2fwd", "--predict"]) == 1 and "a point between" in capsys.readouterr().err
    asked.one("l2fwd")
    assert "model" not in capsys.readouterr().out and len(model.asked) == 3


@pytest.mark.parametrize(
    ("words", "point"),
    [([], (64, 64)), (["--quick"], (32, 32)), (["--burst", "8,16", "--sub-batch", "4,8"], (16, 8))],
)
def test_a_report_is_of_the_usual_point_or_the_largest(
    asked: Asked, model: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str], point: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    from macsad.explain import measuring, page

    given: list[Any] = []
    monkeypatch.setattr(
        measuring, "of_result", lambda request, result, at, machines, cores: given.append((at, machines))
    )
    rendered = SimpleNamespace(notices=["no graphviz"], text="<page>")
    monkeypatch.setattr(page, "render_page", lambda found: rendered)
    wanted = asked.one("l2fwd", "--report", str(tmp_path / "x.html"), *words)
    ((at, machines),) = given
    assert at == wanted.clocks == point and machines.here == "profile of kept"
    assert (tmp_path / "x.html").read_text() == "<page>" and "no graphviz" in capsys.readouterr().err
    assert not model.asked
    for more, told in ((["--workers", "2"], "--workers 1"), (["--platform", "dpdk"], "--platform linux")):
        assert cli.call(["bench", "l2fwd", "--report", str(tmp_path / "y.html"), *more]) == cli.USAGE
        assert told in " ".join(capsys.readouterr().err.split())


def test_the_machine_has_to_have_a_profile(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(file: Path) -> None:
        raise FileNotFoundError(file)

    def bad(file: Path) -> None:
        raise BadProfile("it is of version 0")

    for read, told in ((missing, "this machine has no profile yet: run 'macsad profile'"), (bad, "it is of version 0")):
        monkeypatch.setattr(verb.profiling, "read", read)
        for words in (["--predict"], ["--report", "x.html"]):
            assert cli.call(["bench", "l2fwd", *words]) == 1
            assert capsys.readouterr().err.strip().endswith(f"Error: {told}") and not asked.wanted
    assert cli.call(["bench", "l2fwd", "--machine", __file__]) == cli.USAGE
    assert "Error: --machine goes with --predict or --report\n" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--predict"], ["--report", "x.html"], ["--plot", "x.svg"], ["--without", "bulk"],
                                   ["--lookups"], ["--workers", "2"]])  # fmt: skip
def test_what_does_not_go_with_latency(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(verb.profiling, "read", lambda file: "profile")
    assert cli.call(["bench", "l2fwd", "--latency", *words]) == cli.USAGE and not asked.wanted
    told = " ".join(capsys.readouterr().err.split())
    assert told.endswith("Error: --latency is measured with one worker, and told as text or --json")


def test_others_are_measured_over_dpdk_or_between_interfaces(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["bench", "l2fwd", "--beside", "io=pmd {eal}"]) == cli.USAGE and not asked.wanted
    assert "others are measured with --platform dpdk, or with --latency" in " ".join(capsys.readouterr().err.split())


def test_a_target_of_another_machine_is_not_measured(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = verb.machine
    monkeypatch.setattr(verb, "machine", lambda *what: verb.replace(made(*what), arch="s390x"))
    monkeypatch.setattr(verb, "host_arch", lambda: "x86_64")
    assert cli.call(["bench", "l2fwd"]) == cli.USAGE and not asked.wanted
    told = " ".join(capsys.readouterr().err.split())
    assert "target 'software' is built for s390x; measurements are made on this machine, x86_64" in told
    monkeypatch.setattr(verb, "host_arch", lambda: "s390x")
    assert asked.one("l2fwd").machine.arch == "s390x"


def test_figures_are_not_written_over_what_is_read(
    asked: Asked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "p.p4"
    program.write_text((share("apps") / "l2fwd" / "l2fwd.p4").read_text())
    before = program.read_text()
    options = ("--json", "--plot", "--report")
    for option in options:
        assert cli.call(["bench", str(program), option, str(program)]) == cli.USAGE
        told = " ".join(capsys.readouterr().err.split())
        assert f"'{program}' would be written over '{program}', which is read" in told
    here = tmp_path / "x.svg"
    for first, second in itertools.permutations(options, 2):
        for there in (False, True):
            if there:
                here.write_text("old")
            assert cli.call(["bench", str(program), first, str(here), second, str(here)]) == cli.USAGE
            assert f"'{here}' and '{here}' would be one file" in " ".join(capsys.readouterr().err.split())
            assert here.exists() is there
            here.unlink(missing_ok=True)
    assert not asked.wanted and program.read_text() == before


@pytest.mark.parametrize("words", [["--json"], ["--plot"], ["--latency", "--json"]])
def test_what_was_included_is_not_written_over(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It is known when the program has been read."""
    monkeypatch.chdir(tmp_path)
    Path("i.svg").write_text("// nothing\n")
    text = (share("apps") / "l2fwd" / "l2fwd.p4").read_text()
    Path("p.p4").write_text(text.replace("#include <v1model.p4>", '#include <v1model.p4>\n#include "i.svg"'))
    measured = asked.run

    def run(module: str, wanted: Any) -> Any:
        compilation.load(wanted.request)
        return measured(module, wanted)

    monkeypatch.setattr(asked, "run", run)
    monkeypatch.setattr(verb.plots, "figures", lambda: None)
    assert cli.call(["bench", "p.p4", *words, "i.svg"]) == cli.USAGE
    assert "'i.svg' would be written over" in capsys.readouterr().err and Path("i.svg").read_text() == "// nothing\n"


def test_lines_are_as_long_as_they_are(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON is one object with a line feed behind it; where nobody takes what is printed, that is told."""
    monkeypatch.setattr(verb.report, "screen", lambda result: "word " * 100)
    asked.one("l2fwd")
    assert capsys.readouterr().out == "word " * 100 + "\n"
    asked.one("l2fwd", "--json", "-")
    assert capsys.readouterr().out == '{\n "told": "session"\n}\n'

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(verb.click, "echo", full)
    with pytest.raises(verb.click.FileError, match="No space left on device"):
        verb._tell({}, [], Path("-"))


def test_a_program_is_an_app_or_a_file(asked: Asked, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in ("none", str(tmp_path)):
        assert cli.call(["bench", wrong]) == cli.USAGE and not asked.wanted
        assert wrong in capsys.readouterr().err
