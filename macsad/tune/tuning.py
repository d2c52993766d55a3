"""The logic of `macsad tune`: candidates from the model, short measurements of the best, the settings that are the fastest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import monotonic

from macsad import compilation
from macsad.bench.contestants import BenchError, Closing, Switch
from macsad.bench.predicted import USUAL, whole_bursts
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import Sample, figure
from macsad.bench.session import VANILLA, Point
from macsad.compilation import Request
from macsad.subject.stage_costs import NoClocks
from macsad.subject.subject import Subject, Traffic
from macsad.tune.kernels import other_kernels
from macsad.tune.tuned import Settings
from transpiler.hlir.program import Program
from transpiler.model.choice import Candidate, beside, ranked, worth_measuring
from transpiler.model.machine import MachineProfile
from transpiler.model.throughput import ProgramProfile, fitted
from transpiler.schedule.planned import Planned

# What programs are also made without: each may cost more than it gains where tables are small, or flows many.
VARIANTS = ("bulk", "software-pipelining", "prefetch", "decision-cache")

SECONDS = 0.015  # of a sample
# Candidates are measured in turn, fewer of them more often, as in successive halving (Jamieson, Talwalkar 2016).
MOST, ROUNDS = 21, 2  # that the model finds worth it
GO_ON, ROUNDS_BESIDE = 5, 3  # the fastest of these, with what is beside them in the grid
POINTS, ROUNDS_WITHOUT = 3, 3  # of these, of the program without each optimisation
LAST, ROUNDS_LAST = 4, 10
BETTER = 0.02  # of what an optimisation is left out for
ALIKE = 0.005  # no difference: the smaller B and b are taken, as packets stay for a shorter time

Key = tuple[str, int, int]  # the optimisation that is left out, or the kernel that a table has, or ""; B, b
Advance = Callable[[int, int], None]


@dataclass(frozen=True)
class Row:
    """A pair (B, b) of the program without an optimisation or "": cycles a packet as predicted, and as they were measured."""

    without: str
    point: Point
    predicted: float | None
    measured: float | None


@dataclass(frozen=True)
class Tuning:
    """What was found. `usual`, `vanilla`: measured at the settings of a switch that is told nothing, and at one packet at a time,
    cycles a packet; `chosen`: at the settings, None where the model alone has chosen. `rows`: all that was looked at, the best
    first; `seconds`: that measuring took. `hz`: of the counter; `kernels`: of each table, as they are then."""

    settings: Settings
    limit: str
    predicted: float
    chosen: float | None
    usual: float
    vanilla: float
    rows: tuple[Row, ...]
    seconds: float
    hz: float
    traffic: str
    kernels: tuple[tuple[str, str], ...] = ()


def tune(
    request: Request, traffic: Traffic, machine: MachineProfile, folder: Path, elsewhere: MachineProfile | None,
    advance: Advance = lambda done, total: None,
) -> Tuning:  # fmt: skip
    """Choose the settings of a program for this machine, or by the model alone for another one. Raises: BenchError, SampleError,
    Rejected, ToolchainError."""
    hlir = compilation.load_again(request)  # it has been told of
    planned = compilation.decide(request, hlir).planned
    with Closing() as closing:
        subject = Subject(request, hlir, planned, traffic, folder, closing)
        begin = monotonic()
        known = measure([Turn(("", *p), subject.switch, "", *p) for p in (VANILLA, USUAL)], 5, 0.03, lambda *_: None)
        program = _profile(request, subject, planned, machine, known)
        order = ranked(elsewhere or machine, program)
        vanilla, usual = (figure(known["", *point]).cycles for point in (VANILLA, USUAL))
        if elsewhere:
            best = order[0]
            rows = tuple(Row("", one.point, one.prediction.cycles, None) for one in order)
            return Tuning(Settings(*best.point), best.prediction.limit.value, best.prediction.cycles, None, usual, vanilla,
                          rows, monotonic() - begin, elsewhere.hz, traffic.told)  # fmt: skip
        taken = monotonic() - begin
        others = other_kernels(request, planned, subject.switch.tables)
        variants = subject.variants((*VARIANTS, *others), made_without(request, hlir), closing)
        search = _Search(order, subject.switch, variants, advance)
        key, final, rows = search.best()
        prediction = next(one.prediction for one in order if one.point == key[1:])
        return Tuning(
            settings_of(key), prediction.limit.value, prediction.cycles,
            figure(final[key]).cycles, figure(final["", *USUAL]).cycles, vanilla, rows, taken + search.seconds, machine.hz,
            traffic.told, _kernels(planned, key[0]),
        )  # fmt: skip


def settings_of(key: Key) -> Settings:
    """What the fastest key of all says."""
    name, burst, sub_batch = key
    is_kernel = "=" in name
    return Settings(burst, sub_batch, (name,) if name and not is_kernel else (), (name,) if is_kernel else ())


def _kernels(planned: Planned, change: str) -> tuple[tuple[str, str], ...]:
    """The kernel of each table, with that change."""
    table, _, kernel = change.partition("=")
    tables = (name for name in planned.kernels if name in planned.program.table)
    return tuple((name, kernel if kernel and name == table else planned.kernels[name].name) for name in tables)


def _profile(
    request: Request, subject: Subject, planned: Planned, machine: MachineProfile, known: dict[Key, list[Sample]]
) -> ProgramProfile:
    """What the model has to know of the program, from two measured points and from the clocks of its stages."""
    pages = "huge" if request.wanted.huge_pages else "small"
    try:
        reads = subject.reads(whole_bursts(planned))
    except NoClocks as error:
        raise BenchError(str(error)) from None
    without = ProgramProfile(0, 0, reads, subject.length, pages)
    alone, together = ((point, figure(known["", *point]).cycles) for point in (VANILLA, USUAL))
    return fitted(machine, without, alone, together)


def made_without(request: Request, hlir: Program) -> Callable[[str], Request | None]:
    """The program without an optimisation, or with another kernel (TABLE=KERNEL); None where that makes no difference."""
    code = compilation.generate_c(request, hlir).c

    def less(name: str) -> Request | None:
        if "=" in name:
            made = replace(request, kernels=(*request.kernels, name))
        else:
            made = replace(request, wanted=request.wanted.without([name]))
        return None if compilation.generate_c(made, hlir).c == code else made

    return less


class _Search:
    """Measures what may be the fastest. `seconds`: that it took."""

    def __init__(
        self, order: Sequence[Candidate], switch: Switch, variants: dict[str, Switch], advance: Advance
    ) -> None:
        self._order, self._switches, self._advance = order, {"": switch, **variants}, advance
        self._predicted = {one.point: one.prediction.cycles for one in order}
        self._measured: dict[Key, float] = {}
        self.seconds = 0.0

    def best(self) -> tuple[Key, dict[Key, list[Sample]], tuple[Row, ...]]:
        """The fastest settings, the samples of the last rounds, and all that was measured, the fastest first."""
        begin = monotonic()
        whole: list[Key] = [("", *one.point) for one in worth_measuring(self._order, MOST)]
        fast = self._fastest(whole, ROUNDS, GO_ON)
        near: list[Key] = [("", *point) for key in fast for point in beside(key[1:])]
        fresh = [key for key in dict.fromkeys(near) if key not in self._measured]
        fast = self._fastest([*fast, *fresh], ROUNDS_BESIDE, POINTS)
        if left := [name for name in self._switches if name]:
            others: list[Key] = [(name, *key[1:]) for name in left for key in fast]
            fast = [fast[0], *self._fastest([*fast, *others], ROUNDS_WITHOUT, LAST)]
        final = self._rounds(list(dict.fromkeys([*fast, ("", *USUAL)])), ROUNDS_LAST)
        self.seconds = monotonic() - begin
        return chosen(final), final, self._rows()

    def _fastest(self, keys: Sequence[Key], rounds: int, count: int) -> list[Key]:
        samples = self._rounds(keys, rounds)
        return sorted(samples, key=lambda key: figure(samples[key]).ns)[:count]

    def _rounds(self, keys: Sequence[Key], rounds: int) -> dict[Key, list[Sample]]:
        turns = [Turn(key, self._switches[key[0]], "", *key[1:]) for key in keys]
        samples = measure(turns, rounds, SECONDS, self._advance, self._measured)
        self._measured |= {key: figure(found).cycles for key, found in samples.items()}
        return samples

    def _rows(self) -> tuple[Row, ...]:
        order = sorted(self._measured, key=self._measured.__getitem__)
        return tuple(
            Row(key[0], key[1:], self._predicted.get(key[1:]) if not key[0] else None, self._measured[key])
            for key in order
        )


def chosen(samples: dict[Key, list[Sample]]) -> Key:
    """The fastest of what was measured in the same rounds. An optimisation is left out only where that is seen to gain; of what
    is alike the smallest B and b are taken."""

    def slower(key: Key, than: Key) -> float:
        """By the median of the rounds' ratios, as drift is the same within a round."""
        return median(one.ns / other.ns for one, other in zip(samples[key], samples[than], strict=True)) - 1

    best = min(samples, key=lambda key: figure(samples[key]).ns)
    whole = min((key for key in samples if not key[0]), key=lambda key: figure(samples[key]).ns)
    if best[0] and slower(whole, best) < BETTER:
        best = whole
    alike = [key for key in samples if key[0] == best[0] and slower(key, best) <= ALIKE]
    return min([best, *alike], key=lambda key: key[1:])
