"""What each optimisation's switch does: the one list. Every entry takes something from the configuration, in one place of it.

A switch also leaves out the kernels whose description names it (`optimisation` in target.toml), and some do only that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from transpiler.analysis.packet_profile import NOTHING, PacketProfile
from transpiler.configuration import Configuration, Likely
from transpiler.optimisations import Optimisations
from transpiler.schedule.plan_edits import (
    Edit,
    software_pipelined,
    with_arrays,
    with_entries_followed,
    with_laps,
    with_read_ahead,
)

Switch = Callable[[Configuration], Configuration]


def configuration(wanted: Optimisations, queues: bool = False, profile: PacketProfile = NOTHING) -> Configuration:
    """How a program is compiled with these optimisations; `queues`: with queues also where it does not look at them; `profile`:
    what its packets do."""
    left_out = frozenset(wanted.left_out)
    made = Configuration(likely=Likely(profile))
    made = replace(made, use=replace(made.use, without=left_out), scheduler=replace(made.scheduler, queues=queues))
    made = replace(made, passes=tuple(named for named in made.passes if named[0] not in wanted.without_passes))
    for name, switch in SWITCHES.items():
        if name in left_out:
            made = switch(made)
    return made


# --- ways to take something from a configuration ---------------------------------------------------------------------------


def _passes(made: Configuration) -> Configuration:
    return replace(made, passes=())


def _kernels(made: Configuration) -> Configuration:
    """Nothing but the kernels that name it."""
    return made


def _use(*, small_tables: bool) -> Switch:
    return lambda made: replace(made, use=replace(made.use, small_tables=small_tables))


def _scheduler(**changes: Any) -> Switch:
    return lambda made: replace(made, scheduler=replace(made.scheduler, **changes))


def _ways(**changes: bool) -> Switch:
    return lambda made: replace(made, ways=replace(made.ways, **changes))


def _likely(**changes: Any) -> Switch:
    return lambda made: replace(made, likely=replace(made.likely, **changes))


def _nowhere(name: str) -> bool:
    """Where the scheduler may cut: at no table, at no state."""
    return False


def _plan(edit: Edit) -> Switch:
    return lambda made: replace(made, plan=tuple(other for other in made.plan if other is not edit))


def _lowering(**changes: bool) -> Switch:
    return lambda made: replace(made, lowering=replace(made.lowering, **changes))


def _define(*names: str) -> Switch:
    return lambda made: replace(made, defines=(*made.defines, *names))


def _setting(name: str) -> Switch:
    return lambda made: replace(made, settings=(*made.settings, name))


def _binary(**changes: bool) -> Switch:
    return lambda made: replace(made, binary=replace(made.binary, **changes))


# by the names of optimisations.py, in the order of the compiler's parts
SWITCHES: dict[str, Switch] = {
    "passes": _passes,
    "packed-entries": _kernels,
    "compare": _kernels,
    "direct": _kernels,
    "small-tables": _use(small_tables=False),
    "atomic-updates": _ways(updates=False),
    "lock-stripes": _ways(stripes=False),
    "sharding": _ways(steering=False),
    "tallies": _ways(tallies=False),
    "stages": _scheduler(cut=_nowhere),
    "state": _scheduler(starts_state=_nowhere),
    "concurrent-lookups": _scheduler(concurrent_lookups=False),
    "merge": _scheduler(merge=False),
    "decision-cache": _scheduler(decisions=False),
    "ready-decisions": _scheduler(ready_decisions=False),
    "run-to-completion": _scheduler(run_to_completion=False),
    "locals": _scheduler(locals=False),
    "reread": _scheduler(reread=False),
    "constant-propagation": _scheduler(constant_propagation=False),
    "early-drops": _likely(early_drops=False),
    "hot-actions": _likely(hot_actions=False),
    "bulk": _plan(with_arrays),
    "follow": _plan(with_entries_followed),
    "software-pipelining": _plan(software_pipelined),
    "read-ahead": _plan(with_read_ahead),
    "stage-clocks": _plan(with_laps),
    "in-place": _lowering(in_place=False),
    "sums": _lowering(sums=False),
    "defer-counts": _lowering(deferred_counts=False),
    "bundles": _lowering(bundles=False),
    "empty-tables": _lowering(empty_tables=False),
    "key-words": _lowering(key_words=False),
    "inline-stages": _lowering(inline_stages=False),
    "look-first": _lowering(look_first=False),
    "few-entries": _define("MACS_NO_FEW_ENTRIES"),
    "one-mask": _define("MACS_NO_ONE_MASK"),
    "prefetch": _define("MACS_NO_PREFETCH"),
    "simd": _define("MACS_SCAN_PLAIN", "MACS_CRC_PLAIN"),
    "tidy-tables": _setting("leaves_untidy"),
    "huge-pages": _setting("avoids_huge_pages"),
    "transmit-buffer": _setting("sends_singly"),
    "interleave": _setting("ciphers_singly"),
    "native": _binary(own_processor=False),
    "self-described-buffers": _binary(self_described=False),
}
