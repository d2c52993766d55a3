"""What verbs make of their options, and what they print of what is done for them. Nothing is compiled, made or sent."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from macsad import cli, sockets, test
from macsad.generation import Order
from macsad.protocol import ControlError
from macsad.resources import share
from macsad.verbs import build, gen, graph, serve, simulate, sysroot, test as test_verb, test_kernel, testgen
from transpiler.interpreter.trace import silent as silent_trace
from transpiler.targets.find import builtin
from transpiler.targets.target import Kernel
from transpiler.traffic.plan import USUAL_ENTRIES

L2FWD = str(share("apps") / "l2fwd" / "l2fwd.p4")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """What is asked for, in its order; each program is read as its path."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.stf", "b.stf"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr("macsad.compilation.load", lambda request: f"read {request.path.name}")
    return []


@contextlib.contextmanager
def silent(what: str = "") -> Iterator[Any]:
    yield f"advance {what}"


# --- gen, testgen --------------------------------------------------------------------------------------------------------

USUAL = Order(Path("traffic"), USUAL_ENTRIES, (), (), 10_000, 1.0, "uniform", "64", 2, 0, 1, False)


@pytest.mark.parametrize(
    ("words", "order", "as_json"),
    [
        ([], USUAL, False),
        (["-o", "t", "--entries", "7", "--packets", "8", "--hit", "0.5", "--flows", "one", "--size", "imix", "--json"],
         Order(Path("t"), 7, (), (), 8, 0.5, "one", "imix", 2, 0, 1, False), True),
        (["--table", "a=1", "--table", "b=2", "--lengths", "a=24", "--lengths", "dfz", "--ports", "256", "--port", "255",
          "--seed", "0", "--replies"],
         replace(USUAL, tables=("a=1", "b=2"), lengths=("a=24", "dfz"), ports=256, port=255, seed=0, replies=True), False),
        (["--hit", "0", "--seed", "2147483647", "--entries", "2147483648"],
         replace(USUAL, hit=0.0, seed=(1 << 31) - 1, entries=1 << 31), False),
    ],
)  # fmt: skip
def test_entries_and_traffic_are_ordered(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, words: list[str], order: Order, as_json: bool
) -> None:
    monkeypatch.setattr(
        gen.generation, "run", lambda request, hlir, order, *, as_json: asked.append((hlir, order, as_json))
    )
    assert cli.call(["gen", L2FWD, *words]) == 0
    assert asked == [("read l2fwd.p4", order, as_json)]


@pytest.mark.parametrize(
    "words",
    [["--entries", "0"], ["--entries", "2147483649"], ["--packets", "0"], ["--hit", "1.01"], ["--hit", "-0.01"], ["--ports", "1"],
     ["--ports", "257"], ["--port", "256"], ["--port", "-1"], ["--seed", "2147483648"], ["--seed", "-1"]],
)  # fmt: skip
def test_orders_that_are_none(asked: list[Any], monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.setattr(gen.generation, "run", lambda *what, **more: asked.append(what))
    assert cli.call(["gen", L2FWD, *words]) == cli.USAGE and not asked


@pytest.mark.parametrize(
    ("words", "order"),
    [
        ([], (Path("tests"), 60.0, 1, None)), (["-o", "x.stf", "--time", "0.5", "--seed", "0"], (Path("x.stf"), 0.5, 0, None)),
        (["--max-tests", "3", "--seed", "9"], (Path("tests"), 60.0, 9, 3)),
    ],
)  # fmt: skip
def test_packet_tests_are_ordered(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], order: Any
) -> None:
    """What is told as text names each file once; as JSON the file of each test."""
    pytest.importorskip("z3")
    from macsad.testgen import making, report

    def make(request: Any, hlir: Any, order: making.Order) -> Any:
        asked.append((order.output, order.seconds, order.seed, order.at_most))
        return SimpleNamespace(generated="made", files=("b", "a", "b"))

    monkeypatch.setattr(making, "make", make)
    monkeypatch.setattr(report, "text", lambda made, files: f"{made}: {files}")
    monkeypatch.setattr(report, "data", lambda made, files: {made: files})
    assert cli.call(["testgen", L2FWD, *words]) == 0 and capsys.readouterr().out == "made: ('b', 'a')\n"
    assert cli.call(["testgen", L2FWD, *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"made": ["b", "a", "b"]} and asked == [order] * 2
    assert testgen.SECONDS == 60
    for wrong in (["--time", "0"], ["--max-tests", "0"], ["--seed", "-1"]):
        assert cli.call(["testgen", L2FWD, *wrong]) == cli.USAGE and len(asked) == 2


def test_packet_tests_need_z3(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    monkeypatch.setattr("macsad.compilation.load", lambda request: asked.append("read"))
    assert cli.call(["testgen", L2FWD]) == 1 and not asked
    assert "testgen needs z3: pip install 'macsad[testgen]'" in " ".join(capsys.readouterr().err.split())


# --- test, simulate, test-kernel -----------------------------------------------------------------------------------------


def checked(asked: list[Any]) -> Callable[..., int]:
    """All tests, one after the other; the second fails."""

    def check_all(tests: Any, check_one: Callable[..., int], out: Any) -> int:
        return max(check_one(one, io.StringIO()) for one in tests)

    return check_all


def test_packet_tests_run_on_the_device_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is wrong is told where nobody says otherwise on standard output."""
    made: list[Any] = []
    program: Any = "program"

    def check(of: Any, stf: Path, device: Callable[[Any], Any], out: Any) -> int:
        made.append((of, stf, device(range(3))))
        out.write("told")
        return 7

    for module, name in ((test, "CompiledDevice"), (simulate.simulate, "InterpretedDevice")):
        monkeypatch.setattr(module, "check", check)
        monkeypatch.setattr(module, name, lambda *of, **has: (of, has))
    stf, binary, out = Path("t.stf"), Path("b"), io.StringIO()
    assert test.run(program, stf, binary, burst=3, sub_batch=2, wrapper=("qemu",), out=out) == 7
    assert test.run(program, stf, binary) == 7
    assert simulate.simulate.run(program, stf, seed=5, trace=True, out=out) == simulate.simulate.run(program, stf) == 7
    assert (out.getvalue(), capsys.readouterr().out) == ("told" * 2, "told" * 2)
    devices = [device for _, _, device in made]
    assert devices[:2] == [
        ((program, binary, range(3)), {"burst": 3, "sub_batch": 2, "wrapper": ("qemu",)}),
        ((program, binary, range(3)), {"burst": 32, "sub_batch": 32, "wrapper": ()}),
    ]
    assert [(of, has["seed"], has["trace"] is silent_trace) for of, has in devices[2:]] == [
        ((program,), 5, False), ((program,), 0, True),
    ]  # fmt: skip
    assert {(of, place) for of, place, _ in made} == {(program, stf)}


@pytest.mark.parametrize(
    ("words", "trace", "seed"), [([], False, 0), (["--trace"], True, 0), (["--seed", "7"], False, 7)]
)
def test_packet_tests_on_the_interpreter(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, words: list[str], trace: bool, seed: int
) -> None:
    def run(hlir: str, stf: Path, *, trace: bool, seed: int, out: Any) -> int:
        asked.append((hlir, stf.name, trace, seed))
        return int(stf.name == "b.stf")

    monkeypatch.setattr(simulate, "check_all", checked(asked))
    monkeypatch.setattr(simulate.simulate, "run", run)
    assert cli.call(["simulate", L2FWD, "a.stf", "b.stf", *words]) == 1
    assert asked == [("read l2fwd.p4", name, trace, seed) for name in ("a.stf", "b.stf")]
    assert cli.call(["simulate", L2FWD, "a.stf", *words]) == 0


@pytest.mark.parametrize(
    ("words", "burst", "sub_batch", "sanitize"),
    [
        ([], 32, 32, ()), (["--batch", "1"], 1, 1, ()), (["--batch", "8", "--burst", "64", "--sub-batch", "4"], 8, 8, ()),
        (["--burst", "64", "--sub-batch", "4"], 64, 4, ()), (["--burst", "256"], 256, 32, ()),
        (["--sanitize", "address", "--sanitize", "undefined"], 32, 32, ("address", "undefined")),
    ],
)  # fmt: skip
def test_packet_tests_on_the_switch(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, words: list[str], burst: int, sub_batch: int, sanitize: Any
) -> None:
    """It is built once, quickly, in a folder that is there meanwhile; for another machine it is emulated."""
    folders: list[Path] = []

    def built(request: Any, hlir: str, folder: Path, tools: Any, progress: Any) -> Any:
        asked.append(tools)
        folders.append(folder)
        return folder / "binary", None

    def run(hlir: str, stf: Path, binary: Path, *, burst: int, sub_batch: int, wrapper: Any, out: Any) -> int:
        assert binary.parent.is_dir()
        asked.append((hlir, stf.name, binary.name, burst, sub_batch, wrapper))
        return int(stf.name == "b.stf")

    monkeypatch.setattr(test_verb, "check_all", checked(asked))
    monkeypatch.setattr(test_verb, "compiling", silent)
    monkeypatch.setattr(test_verb.toolchain, "emulator", lambda arch, sysroot: ("qemu", arch))
    monkeypatch.setattr(
        test_verb.compilation,
        "toolchain",
        lambda wanted, machine, *, optimise, sanitize: (machine.arch, optimise, sanitize),
    )
    monkeypatch.setattr(test_verb.compilation, "build", built)
    monkeypatch.setattr(test_verb.test, "run", run)
    assert cli.call(["test", L2FWD, "a.stf", "b.stf", "--arch", "aarch64", *words]) == 1
    of = [("read l2fwd.p4", name, "binary", burst, sub_batch, ("qemu", "aarch64")) for name in ("a.stf", "b.stf")]
    assert asked == [("aarch64", "-O1", sanitize), *of] and not folders[0].exists()
    for wrong in (["--burst", "257"], ["--sub-batch", "0"], ["--batch", "257"]):
        assert cli.call(["test", L2FWD, "a.stf", *wrong]) == cli.USAGE


PLACES = ("own", "other", "words", "code")
KERNELS = tuple(
    Kernel(name, frozenset(), place=f"target.toml:{at}", own_header="own.h" if name == "own" else "", words=name == "words",
           kept_by="compare" if name == "code" else "")
    for at, name in enumerate(PLACES)
)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "names", "told"),
    [
        ([], ["own"], ""), (["other", "own", "other"], ["other", "own"], ""),
        (["own", "words"], None, "'words' looks nothing up by functions of its own: it keeps words, or is code"),
        (["code"], None, "'code' looks nothing up by functions of its own"),
        (["own", "none"], None, "target 'board' has no kernel 'none': there are own, other"),
    ],
)  # fmt: skip
def test_kernels_that_are_tested(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], names: Any,
    told: str,
) -> None:  # fmt: skip
    """Those of the target's own, or those that are named; with a seed that is told."""
    target = SimpleNamespace(name="board", kernels=KERNELS)
    monkeypatch.setattr(test_kernel, "choose", lambda name, folder: target)
    monkeypatch.setattr(test_kernel, "compiling", silent)
    passed = iter((True, False, True))

    def test(kernels: Any, of: Any, compiler: Any, seed: int, tell: Any, progress: Any) -> bool:
        assert of is target and tell is click.echo
        asked.append(([kernel.name for kernel in kernels], compiler, seed))
        return next(passed)

    monkeypatch.setattr(test_kernel.kernel_tests, "test", test)
    if names is None:
        assert cli.call(["test-kernel", *words]) == cli.USAGE and not asked
        assert told in " ".join(capsys.readouterr().err.split())
        return
    assert cli.call(["test-kernel", "--seed", "0", *words]) == 0 and capsys.readouterr().out == "seed 0\n"
    assert cli.call(["test-kernel", "--seed", "7", "--cc", "clang", *words]) == 1
    assert asked == [(names, None, 0), (names, "clang", 7)]
    capsys.readouterr()
    monkeypatch.setattr(test_kernel.os, "urandom", lambda count: b"\1\2\3"[:count])
    assert cli.call(["test-kernel", *words]) == 0
    assert capsys.readouterr().out == "seed 197121\n" and asked[-1] == (names, None, 0x030201)


def test_a_target_without_kernels_of_its_own(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(test_kernel, "choose", lambda name, folder: SimpleNamespace(name="plain", kernels=KERNELS[1:]))
    assert cli.call(["test-kernel"]) == cli.USAGE
    assert "target 'plain' has no kernels of its own; name some of other" in " ".join(capsys.readouterr().err.split())


# --- build, graph, sysroot -----------------------------------------------------------------------------------------------


@pytest.fixture
def built(asked: list[Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    def write(what: str) -> Callable[..., None]:
        return lambda request, hlir, file: asked.append((what, file))

    def made(request: Any, hlir: str, folder: Path, tools: Any, progress: Any) -> Any:
        asked.append(("built", folder, request.target.run.burst))
        return folder / "p", SimpleNamespace(notes=("a note", "another"))

    def toolchain(wanted: Any, machine: Any, *, optimise: str, sanitize: Any) -> Any:
        asked.append((optimise, sanitize))
        return SimpleNamespace(platform="linux", arch="x86_64")

    monkeypatch.setattr(build.compilation, "load", lambda request: SimpleNamespace(name=request.path.stem))
    monkeypatch.setattr(build.compilation, "toolchain", toolchain)
    monkeypatch.setattr(build.compilation, "build", made)
    monkeypatch.setattr(build.compilation, "write_p4info", write("p4info"))
    monkeypatch.setattr(build.compilation, "write_bmv2_json", write("bmv2"))
    monkeypatch.setattr(build, "compiling", silent)
    Path("p.p4").write_text(Path(L2FWD).read_text())
    return asked


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ([], [("-O3", ()), ("p4info", Path("build/p.p4info.txtpb")), ("built", Path("build"), 0)]),
        (["-o", "b", "-O", "0", "--sanitize", "thread"],
         [("-O0", ("thread",)), ("p4info", Path("b/p.p4info.txtpb")), ("built", Path("b"), 0)]),
        (["--p4info", "i.json", "--bmv2-json", "j.json"],
         [("-O3", ()), ("p4info", Path("i.json")), ("bmv2", Path("j.json")), ("built", Path("build"), 0)]),
        (["--tune", "t.toml"], [("-O3", ()), ("p4info", Path("build/p.p4info.txtpb")), ("built", Path("build"), 16)]),
    ],
)  # fmt: skip
def test_what_is_built(built: list[Any], capsys: pytest.CaptureFixture[str], words: list[str], made: list[Any]) -> None:
    """What was decided is told where it is asked for."""
    Path("t.toml").write_text("version = 1\nburst = 16\nsub_batch = 8\n")
    folder = made[-1][1]
    for more, notes in (([], ""), (["-v"], "a note\nanother\n")):
        built.clear()
        assert cli.call(["build", "p.p4", *words, *more]) == 0 and built == made
        assert capsys.readouterr().out == f"{notes}{folder}/p: p for linux on x86_64\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--bmv2-json", "p.p4"], "'p.p4' would be written over 'p.p4', which is read"),
        (["--p4info", "p.p4"], "'p.p4' would be written over 'p.p4', which is read"),
        (["--p4info", "x", "--bmv2-json", "x"], "'x' and 'x' would be one file"),
        (["--p4info", "b/p.c", "-o", "b"], "'b/p.c' and 'b/p.c' would be one file"),
        (["--bmv2-json", "b/p", "-o", "b"], "'b/p' and 'b/p' would be one file"),
        (["--tune", "t.toml", "--p4info", "t.toml"], "'t.toml' would be written over"),
    ],
)  # fmt: skip
def test_nothing_is_built_over_anything(
    built: list[Any], capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    Path("t.toml").write_text("version = 1\nburst = 16\nsub_batch = 8\n")
    before = Path("p.p4").read_text()
    assert cli.call(["build", "p.p4", *words]) == cli.USAGE
    assert told in " ".join(capsys.readouterr().err.split()) and Path("p.p4").read_text() == before
    assert not [one for one in built if one[0] in ("p4info", "bmv2", "built")]


@pytest.mark.parametrize(
    "words", [["--kernel", "dmac=exact_hash"], ["--no-bulk"], ["--target", "software"], ["--target-dir", "board"]]
)
def test_how_a_switch_is_made_matters_to_its_plan_alone(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    Path("board").mkdir()
    monkeypatch.setattr("macsad.compilation.choose", lambda name, folder: builtin())
    monkeypatch.setattr(graph.compilation, "decide", lambda request, hlir: SimpleNamespace(planned=request.kernels))
    monkeypatch.setattr(graph.plan, "text", lambda planned: f"plan with {planned}\n")
    for kind in ("parser", "control", "tables"):
        assert cli.call(["graph", L2FWD, "--kind", kind, *words]) == cli.USAGE
        told = f"how a switch is made does not matter to --kind {kind}: that is for --kind plan"
        assert told in " ".join(capsys.readouterr().err.split())
    assert cli.call(["graph", L2FWD, "--kind", "plan", *words]) == 0
    assert capsys.readouterr().out == f"plan with {tuple(words[1:] if words[0] == '--kernel' else ())}\n"


def test_flow_charts_are_drawn_unless_something_else_is_asked_for(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("p.p4").write_text(Path(L2FWD).read_text())
    monkeypatch.setattr(graph, "DRAW", {name: lambda hlir, name=name: f"{name} of {hlir}" for name in graph.DRAW})
    monkeypatch.setattr(graph.dot, "write", lambda drawing: f"dot: {drawing}\n")
    monkeypatch.setattr(graph, "content", lambda drawing, form: f"{form}: {drawing}".encode())
    assert cli.call(["graph", "p.p4"]) == 0 and capsys.readouterr().out == "dot: control of read p.p4\n"
    assert cli.call(["graph", "p.p4", "--kind", "tables", "-o", "t.svg"]) == 0
    assert Path("t.svg").read_text() == ".svg: tables of read p.p4" and capsys.readouterr().out == ""
    Path("p.dot").write_text(Path(L2FWD).read_text())
    assert cli.call(["graph", "p.dot", "-o", "p.dot"]) == cli.USAGE and "p.dot" in capsys.readouterr().err
    assert Path("p.dot").read_text() == Path(L2FWD).read_text()
    assert cli.call(["graph", "p.p4", "-o", "x.gif"]) == cli.USAGE
    assert "x.gif ends in none of .dot, .json, .svg, .png" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("words", "there", "made"),
    [
        ([], True, None), ([], False, (None,)), (["--force"], True, (None,)), (["--packages", "debs"], True, (Path("debs"),)),
        (["--packages", "debs", "--force"], False, (Path("debs"),)),
    ],
)  # fmt: skip
def test_a_sysroot_is_made_once(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], there: bool,
    made: Any,
) -> None:  # fmt: skip
    """Unless it is forced, or made of packages that are given."""
    Path("debs").mkdir()
    if there:
        Path("root").mkdir()
    monkeypatch.setattr(sysroot, "sysroot_directory", lambda arch: Path("root"))
    monkeypatch.setattr(sysroot, "counting", silent)
    monkeypatch.setattr(sysroot.sysroot, "make", lambda *what: asked.append(what) or Path("new"))
    assert cli.call(["sysroot", "aarch64", *words]) == 0
    assert asked == ([] if made is None else [("aarch64", "advance unpacking packages for aarch64", *made)])
    assert capsys.readouterr().out == ("root\n" if made is None else "new\n")


# --- serve ---------------------------------------------------------------------------------------------------------------


class Asked:
    """An event: nobody asks to end until so many looks later."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def is_set(self) -> bool:
        return self.looks <= 0

    def wait(self, seconds: float) -> bool:
        self.looks -= 1
        return self.is_set()

    def set(self) -> None:
        self.looks = 0


@pytest.fixture
def served(asked: list[Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Settings and sockets of what is served."""
    monkeypatch.setattr(serve.Settings, "check", lambda settings: asked.append("checked"))
    monkeypatch.setattr(serve.Settings, "listen", lambda settings: f"at {settings.address}")
    monkeypatch.setattr(serve, "served", lambda request, *, info: ("known", request.path.name, info))
    monkeypatch.setattr(sockets, "running_socket", lambda: Path("running"))
    monkeypatch.setattr(serve.signal, "signal", lambda number, handler: asked.append(number))
    return asked


def test_a_switch_is_served_until_somebody_asks_to_end(
    served: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is wrong is told before anything is read; where the switch ends, the next one is waited for."""
    ends = iter((True, False))

    @contextlib.contextmanager
    def serving(settings: Any, listening: str, known: Any, source: bytes, path: Path) -> Iterator[Any]:
        assert source == Path(L2FWD).read_bytes() and known == ("known", "l2fwd.p4", True)
        served.append((settings, listening, path))
        ended = next(ends)
        yield SimpleNamespace(switch_ended=SimpleNamespace(is_set=lambda: ended))
        served.append("stopped")

    monkeypatch.setattr(serve, "serving", serving)
    monkeypatch.setattr(serve, "threading", SimpleNamespace(Event=lambda: Asked(4)))
    monkeypatch.setattr(serve, "_wait_for_switch", lambda path, event: served.append(("waits", path)))
    for name in ("k", "c", "a"):
        Path(name).write_text("")
    words = [
        "--device-id",
        "9",
        "--cpu-port",
        "64",
        "--anywhere",
        "--tls-key",
        "k",
        "--tls-certificate",
        "c",
        "--tls-clients",
        "a",
    ]
    assert cli.call(["serve", "127.0.0.1:9", L2FWD, "--socket", "s", *words]) == 0
    of = serve.Settings("127.0.0.1:9", 9, 64, True, (Path("k"), Path("c"), Path("a")))
    turn = [(of, "at 127.0.0.1:9", Path("s")), "stopped"]
    assert served == ["checked", serve.signal.SIGINT, serve.signal.SIGTERM, *turn, ("waits", Path("s")), *turn]
    assert capsys.readouterr().out == "the switch has ended: waiting for another one at s\n"


def test_the_only_switch_that_runs_is_served(
    served: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextlib.contextmanager
    def serving(settings: Any, listening: str, known: Any, source: bytes, path: Path) -> Iterator[Any]:
        served.append((settings, path))
        yield SimpleNamespace(switch_ended=SimpleNamespace(is_set=lambda: False))

    def none() -> Path:
        raise ControlError("no switch is running")

    monkeypatch.setattr(serve, "serving", serving)
    monkeypatch.setattr(serve, "threading", SimpleNamespace(Event=lambda: Asked(1)))
    assert cli.call(["serve", "unix:x", L2FWD]) == 0
    assert served[-1] == (serve.Settings("unix:x"), Path("running")) and capsys.readouterr().out == ""
    monkeypatch.setattr(sockets, "running_socket", none)
    assert cli.call(["serve", "unix:x", L2FWD]) == 1 and "no switch is running" in capsys.readouterr().err


def test_a_switch_is_waited_for_until_it_listens_or_somebody_asks_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Path] = []

    class Client:
        def __init__(self, path: Path) -> None:
            tried.append(path)
            if len(tried) < 3:
                raise ControlError("nobody listens")

        def __enter__(self) -> None: ...

        def __exit__(self, *error: object) -> None: ...

    monkeypatch.setattr(serve, "Client", Client)
    for looks, tries in ((9, 3), (2, 1)):
        tried.clear()
        serve._wait_for_switch(Path("s"), Asked(looks))  # type: ignore[arg-type]
        assert tried == [Path("s")] * tries
