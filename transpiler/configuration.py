"""How a program is compiled, as data: each part of the compiler is given what concerns it, and asks for no switch.

`Configuration()` does all that the compiler can do; `switches.py` edits it, one entry for each optimisation that is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from transpiler.analysis.packet_profile import NOTHING, PacketProfile
from transpiler.passes import pipeline
from transpiler.passes.pipeline import NamedPass
from transpiler.schedule.atomic_regions import Ways
from transpiler.schedule.plan_edits import EDITS, Edit
from transpiler.schedule.scheduler import Options
from transpiler.targets.target import Target


@dataclass(frozen=True, slots=True)
class Use:
    """What is used of a target. `small_tables`: it says which tables and registers stay in the cache; `without`: kernels that
    name one of these optimisations are not taken."""

    small_tables: bool = True
    without: frozenset[str] = frozenset()

    def of(self, target: Target) -> Target:
        """The target as if it had no more."""
        kernels = tuple(kernel for kernel in target.kernels if kernel.optimisation not in self.without)
        return replace(target, kernels=kernels, near_bytes=target.near_bytes if self.small_tables else 0)


@dataclass(frozen=True, slots=True)
class Lowering:
    """How functions are lowered. `in_place`: headers that did not move stay in the frame; `sums`: an Internet checksum adds up
    fields where they are, without packing them into bytes first; `deferred_counts`: counts are added later, many at
    a time; `empty_tables`: they are not looked up; `key_words`: keys of lookups that are made at once are stored by words;
    `bundles`: the cells of registers that are accessed together lie together; `inline_stages`: large stages are inlined where
    they are called; `look_first`: packets look for ready decisions before anything of them is kept."""

    in_place: bool = True
    sums: bool = True
    deferred_counts: bool = True
    empty_tables: bool = True
    key_words: bool = True
    bundles: bool = True
    inline_stages: bool = True
    look_first: bool = True


@dataclass(frozen=True, slots=True)
class Likely:
    """What packets are known to do mostly, and what is made of that. `early_drops`: what drops comes first; `hot_actions`: the
    action that most packets run is asked for first."""

    profile: PacketProfile = NOTHING
    early_drops: bool = True
    hot_actions: bool = True


@dataclass(frozen=True, slots=True)
class Binary:
    """What the C is compiled to. `own_processor`: code for the processor of this machine; `self_described`: packet buffers that
    have their description in them."""

    own_processor: bool = True
    self_described: bool = True


WAYS = Ways()
SCHEDULER = Options(run_to_completion=True, constant_propagation=True)


@dataclass(frozen=True, slots=True)
class Configuration:
    """In the order in which a program meets them: `passes` that rewrite it, the `use` of its target, the `ways` to keep regions
    of registers apart, options of the `scheduler`, where the first pipe is `cut` in two (a table or a stage's number, or None: as
    it is, one worker runs it all), what is `likely`, edits of the `plan`, `lowering`; `defines`: names that the C file defines
    for the backend's headers; `settings`: members of its struct macs_program that are true, for the runtime; the `binary`."""

    passes: tuple[NamedPass, ...] = field(default_factory=lambda: pipeline.PASSES)
    use: Use = Use()
    ways: Ways = WAYS
    scheduler: Options = SCHEDULER
    cut: str | None = None
    likely: Likely = Likely()
    plan: tuple[Edit, ...] = EDITS
    lowering: Lowering = Lowering()
    defines: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    binary: Binary = Binary()


BEST = Configuration()
