"""What must hold of a program: accepted, verified, and the same in every execution of it.

Executions: the interpreter before passes, the interpreter after them, the compiled switch at each (B, b), with
AddressSanitizer and UndefinedBehaviorSanitizer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from harness import BATCHES, Outcome, difference, outcome
from hypothesis import HealthCheck, Phase, given, seed as seeded, settings
from strategies import Scenario, scenarios

from macsad.frontends import frontend_for
from macsad.resources import share
from macsad.stf.compiled import CompiledDevice
from macsad.stf.device import Device
from macsad.stf.interpreted import InterpretedDevice
from transpiler.codegen.generate import decide, generate
from transpiler.diagnostics import Diagnostics, NotRun, Rejected
from transpiler.frontend import Source
from transpiler.hlir.program import MatchKind, Program
from transpiler.interpreter import ControlError
from transpiler.interpreter.matches import Match
from transpiler.optimisations import ALL, NAMES, OF_BUILD, Optimisations
from transpiler.passes.pipeline import PASSES, optimise
from transpiler.switches import configuration
from transpiler.targets.find import builtin
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import compile_program
from transpiler.toolchain.toolchain import Toolchain, ToolchainError
from transpiler.verifier import Malformed, verify

PORTS = (0, 1, 2, 3)
GROUPS = {1: ((1, (0, 1)),), 2: ((2, (2,)), (3, (3, 2))), 3: ()}  # group: (rid, ports) of its nodes
SESSIONS = {5: 3, 6: 1}  # clone session: port
SLOW_SECONDS = 5.0  # for reading and optimising one program
DIGESTS_MAX = 10_000  # in one scenario: of more, those that nobody has taken yet may be lost


EVERY_STAGE = ALL.without(["small-tables"])  # the tables of random programs are small


@dataclass(frozen=True, slots=True)
class Build:
    """How a switch is compiled: the C compiler's level, with sanitizers or without, which optimisations are done. `few`: how
    many values packets take along before they are left in memory and in the frame. `cut`: where, if the program can be cut there;
    each part then has a worker of its own."""

    level: str = "-O0"
    sanitized: bool = True
    wanted: Optimisations = EVERY_STAGE
    few: int = 0
    cut: str | None = None

    def tools(self) -> Toolchain:
        return toolchain.find(optimise=self.level, sanitize=("address", "undefined") if self.sanitized else ())


DEFAULT = Build()
CUTS = ("1", "2", "1,2")
LEVELS = (*[("-O0", True)] * 4, ("-O1", True), ("-O2", False))


def build_of(seed: int) -> Build:
    """How the program of a seed is compiled: without one of the optimisations, half of them, none or all; most have stages, and
    some of these are cut."""
    random = Random(seed)
    level, sanitized = random.choice(LEVELS)
    switches = [name for name in NAMES if name not in OF_BUILD]  # those are other backends to compile
    left_out = set(random.sample(switches, random.choice((0, 0, 1, len(switches) // 2, len(switches)))))
    if random.random() < 0.8:
        left_out = left_out - {"stages"} | {"small-tables"}
    passes = [name for name, _ in PASSES if random.random() < 0.1] if left_out else []
    few, cut = random.choice((0, 4, 16)), random.choice(CUTS) if random.random() < 0.25 else None
    return Build(level, sanitized, ALL.without([*left_out, *passes]), few, cut)


@dataclass(frozen=True, slots=True)
class Failure:
    """What is wrong: at which step, in words; `scenario` where packets show it, `batch` where B and b do."""

    step: str
    message: str
    scenario: Scenario | None = None
    batch: tuple[int, int] | None = None
    build: Build = DEFAULT


@dataclass
class Subject:
    """A program read, optimised and, when asked for, compiled. What is made of it is put into `folder`."""

    folder: Path
    source: Source
    plain: Program = field(init=False)
    optimised: Program = field(init=False)

    @staticmethod
    def of_text(folder: Path, text: str) -> Subject:
        """A program that is not in a file yet."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "program.p4"
        path.write_text(text)
        return Subject(folder, Source(path, (), ()))

    def read(self) -> Failure | None:
        """Through the frontend and the passes, verified after each."""
        diagnostics, began = Diagnostics(), time.process_time()
        try:
            self.plain = frontend_for(self.source.path, None).load(self.source, diagnostics)
        except NotRun as refused:
            return Failure("frontend", f"{refused.span}: error: {refused.message}")
        except Rejected:
            return Failure("frontend", diagnostics.render())
        except Exception as error:
            return Failure("frontend", f"raised {type(error).__name__}: {error}")
        done = ["elaboration"]

        def check(name: str, program: Program) -> None:
            done.append(name)
            verify(program)

        try:
            verify(self.plain)
            self.optimised = optimise(self.plain, check)
        except Malformed as malformed:
            return Failure("verifier", f"after {done[-1]}: {malformed}")
        except Exception as error:
            return Failure("passes", f"after {done[-1]}: raised {type(error).__name__}: {error}")
        if (took := time.process_time() - began) > SLOW_SECONDS:
            return Failure("frontend", f"reading and optimising took {took:.1f} seconds")
        return None

    def generate(self, build: Build = DEFAULT) -> Failure | None:
        """The C program."""
        if build.cut is not None and self.cannot_be_cut(build):
            build = replace(build, cut=None)
        diagnostics = Diagnostics()
        try:
            how = replace(configuration(build.wanted), cut=build.cut)
            how = replace(how, scheduler=replace(how.scheduler, few=build.few))
            program = optimise(self.plain, passes=how.passes)
            made = generate(program, builtin(), share("templates"), diagnostics, how)
        except Rejected:
            return Failure("target", diagnostics.render())
        except Exception as error:
            return Failure("codegen", f"raised {type(error).__name__}: {error}")
        (self.folder / "program.c").write_text(made.c)
        return None

    def cannot_be_cut(self, build: Build) -> bool:
        """Or not there. What else is wrong shows without a cut."""
        how = replace(configuration(build.wanted), cut=build.cut)
        try:
            decide(optimise(self.plain, passes=how.passes), builtin(), Diagnostics(), how)
        except Exception:
            return True
        return False

    def compile(self, build: Build = DEFAULT, tools: Toolchain | None = None) -> Failure | None:
        """To a switch, by default a sanitized one. `tools`: others than those of the build."""
        if failure := self.generate(build):
            return failure
        try:
            c_file, binary = self.folder / "program.c", self.folder / "program"
            compile_program(c_file, binary, share("aux-backend"), tools or build.tools())
        except ToolchainError as error:
            said = str(error)
            return Failure("compiler", said[said.find("error: ") :][:3000])
        return None

    def draw(self, seed: int, count: int) -> list[Scenario]:
        """Random scenarios, the same for the same seed, without what the passes found to be unreachable."""
        return [fitting(scenario, self.optimised) for scenario in _draw(self.plain, seed, count)]

    # --- running -----------------------------------------------------------------------------------------------------

    def expected(self, scenario: Scenario) -> Outcome:
        return self._on(lambda: InterpretedDevice(self.plain), scenario)

    def passes_differ(self, scenario: Scenario) -> Failure | None:
        """Whether the interpreter tells the optimised program from the other."""
        try:
            expected, got = self.expected(scenario), self._on(lambda: InterpretedDevice(self.optimised), scenario)
        except Exception as error:
            return Failure("interpreter", f"raised {type(error).__name__}: {error}", scenario)
        wrong = difference(expected, got)
        return Failure("passes", wrong, scenario) if wrong else None

    def switch_differs(self, scenario: Scenario, batches: tuple[tuple[int, int], ...] = BATCHES) -> Failure | None:
        """Whether the compiled switch does something else at one of these (B, b)."""
        expected = self.expected(scenario)
        if len(expected.digests) > DIGESTS_MAX:  # of packets that go round
            return None
        for burst, sub_batch in batches:
            try:
                got = self._on(
                    lambda b=burst, s=sub_batch: CompiledDevice(  # type: ignore[misc]
                        self.plain, self.folder / "program", PORTS, burst=b, sub_batch=s
                    ),
                    scenario,
                )
            except ControlError as error:
                return Failure("switch", str(error), scenario, (burst, sub_batch))
            if wrong := difference(expected, got):
                return Failure("switch", f"B={burst}, b={sub_batch}: {wrong}", scenario, (burst, sub_batch))
        return None

    def _on(self, start: Callable[[], Device], scenario: Scenario) -> Outcome:
        with _closing(start()) as device:
            for group, nodes in GROUPS.items():
                device.group_create(group)
                for rid, ports in nodes:
                    device.node_associate(group, device.node_create(rid, ports))
            for session, port in SESSIONS.items():
                device.mirroring_add(session, port)
            return outcome(self.optimised, device, scenario, PORTS)  # it may have fewer registers


@contextmanager
def _closing(device: Device) -> Iterator[Device]:
    try:
        yield device
    finally:
        device.close()


def _draw(program: Program, seed: int, count: int) -> list[Scenario]:
    """Random scenarios; the first that hypothesis makes is left out, since it is always the simplest."""
    drawn: list[Scenario] = []

    @settings(
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        max_examples=count + 1,
    )
    @seeded(seed)
    @given(scenarios(program, PORTS))
    def keep(scenario: Scenario) -> None:
        drawn.append(scenario)

    keep()
    return drawn[1:]


def fitting(scenario: Scenario, program: Program) -> Scenario:
    """What of a scenario a program knows that has less than the one that it was made for."""
    names = {*program.table, *program.extern, *program.value_set}
    kept = [i for i, e in enumerate(scenario.entries) if _fits(program, e.table, e.action, e.arguments, e.matches)]
    profiles = tuple(p for p in scenario.profiles if p.name in names and all(a in program.action for a, _ in p.members))
    known = {p.name for p in profiles}
    return replace(
        scenario,
        entries=tuple(scenario.entries[i] for i in kept),
        defaults=tuple(d for d in scenario.defaults if _fits(program, *d)),
        later=tuple(d for d in scenario.later if _fits(program, *d)),
        removed=tuple(kept.index(i) for i in scenario.removed if i in kept),
        profiles=profiles,
        choices=tuple(c for c in scenario.choices if c.table in names and c.profile in known),
        value_sets=tuple(v for v in scenario.value_sets if v[0] in names),
        bursts=tuple(b for b in scenario.bursts if b[0] in names),
    )


def _fits(
    program: Program, table: str, action: str, arguments: tuple[int, ...], matches: tuple[Match, ...] | None = None
) -> bool:
    if table not in program.table or action not in {u.action for u in program.table[table].actions}:
        return False
    keys = [k for k in program.table[table].keys if k.match_kind is not MatchKind.SELECTOR]
    fits = matches is None or len(matches) == len(keys)
    return fits and len(program.action[action].parameters) == len(arguments)


def examine(text: str, folder: Path, seed: int, count: int = 4, build: Build | None = None) -> Failure | None:
    """The first thing that is wrong with a program, if anything is. By the seed: how it is compiled, where not told."""
    build = build or build_of(seed)
    failure = _examine(Subject.of_text(folder, text), seed, count, build)
    return replace(failure, build=build) if failure else None


def _examine(subject: Subject, seed: int, count: int, build: Build) -> Failure | None:
    if failure := subject.read():
        return failure
    drawn = subject.draw(seed, count)
    for scenario in drawn:
        if failure := subject.passes_differ(scenario):
            return failure
    if failure := subject.compile(build):
        return failure
    for scenario in drawn:
        if failure := subject.switch_differs(scenario):
            return failure
    return None
