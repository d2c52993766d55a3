"""Program, schedule, kernels → the plans of all pipelines: the end of scheduling, with which codegen and drawings begin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from transpiler.externs.table import CIPHERING, CUTTING
from transpiler.hlir.program import Program, Table
from transpiler.schedule.architectures import describe
from transpiler.schedule.atomic_regions import Group
from transpiler.schedule.bundles import Bundle
from transpiler.schedule.leads import steps_to_follow
from transpiler.schedule.pipeline import calls
from transpiler.schedule.plan import Access, Form, PipelinePlan, Tables, Take, plan
from transpiler.schedule.plan_edits import Edit, edited
from transpiler.schedule.scheduler import Options, has_queues
from transpiler.schedule.stages import Schedule
from transpiler.schedule.steering import UNSTEERED, Steering
from transpiler.targets.target import Kernel, Need


@dataclass(frozen=True, slots=True)
class Planned:
    """`kernels`: of the tables and value sets that have a key, by name. `plans`: of each pipe of the schedule.
    `run_to_completion`: received bursts are handed to the first pipe as they are; `requests`: packets may ask for something
    beside their verdict; `large_counters`: those whose cells are prefetched; `groups`: of registers that are locked together;
    `steering`: the worker of each frame; `queues`: packets may wait between ingress and egress; `bundles`: of registers whose
    cells lie together."""

    program: Program
    schedule: Schedule
    kernels: Mapping[str, Kernel]
    plans: tuple[PipelinePlan, ...]
    run_to_completion: bool
    requests: bool
    large_counters: frozenset[str] = frozenset()
    groups: tuple[Group, ...] = ()
    steering: Steering = UNSTEERED
    queues: bool = False
    bundles: tuple[Bundle, ...] = ()

    @property
    def replicates(self) -> bool:
        """Whether packets may leave a pipe for the replication pipeline."""
        return any(pipe.replication for pipe in self.schedule.pipes)

    @property
    def reads_ahead(self) -> bool:
        """Whether the runtime prefetches the headers of later packets, where it fills in records."""
        steps = (step for plan in self.plans for made in plan.passes for step in made.steps)
        return any(isinstance(step, Take) and step.ahead for step in steps)


def planned(
    program: Program,
    schedule: Schedule,
    kernels: Mapping[str, Kernel],
    options: Options,
    edits: Iterable[Edit],
    large_counters: frozenset[str] = frozenset(),
    groups: tuple[Group, ...] = (),
    steering: Steering = UNSTEERED,
    near_bytes: int = 0,
    bundled: tuple[Bundle, ...] = (),
) -> Planned:
    """The plans of a program under a schedule that was made with these options. `near_bytes`: memory of that size stays in the
    cache."""
    received = sum(not pipe.replication for pipe in schedule.pipes)
    requests, queues = uses_requests(program), has_queues(program, options)
    apart = not requests or len(schedule.pipes) > received  # only packets that leave the pipe of the others make them
    ciphers = calls(program, CIPHERING)  # the payloads of a burst together, when it is through its pipelines
    whole = options.run_to_completion and received == 1 and not schedule.ordered and apart and not ciphers
    tables = Tables(
        lambda name: access(program.table[name], kernels.get(name)),
        lambda name: kernels[name].steps if name in kernels else 0,
        lambda name: steps_to_follow(program, program.table[name], near_bytes),
    )
    plans: list[PipelinePlan] = []
    for pipe in schedule.pipes:
        burst = (Form.BURST,) if whole and not pipe.replication else ()
        forms = (*burst, *((Form.PACKETS,) if not burst or requests else ()))
        plans.append(edited(plan(pipe, tables, forms, received=not whole and not plans), edits))
    return Planned(
        program, schedule, kernels, tuple(plans), whole, requests, large_counters, groups, steering, queues, bundled
    )


def access(table: Table, kernel: Kernel | None) -> Access:
    """The best access that lookups in a table have by its kernel."""
    if kernel is None or not kernel.looks_up_many(Need(table.keys).key_bytes):
        return Access.CURSORS
    if kernel.words:
        return Access.WORDS
    if kernel.parts:
        return Access.PHASES
    return Access.ARRAY if kernel.bulk_key_bytes else Access.EARLY_ARRAY


def uses_requests(program: Program) -> bool:
    """Whether a packet may ask for a copy, another pass or to be cut, beside its verdict."""
    architecture = describe(program)
    asks = calls(program, CUTTING)
    return asks or architecture.second_passes(program) or any(architecture.preserved(program))
