"""The profile of a running switch's packets, which `--profile` of `macsad build` reads: what they did at tables and branches, by
the interpreter; drops and stage clocks, by the switch."""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from macsad import compilation
from macsad.compilation import Request
from macsad.control import Client
from macsad.protocol import ControlError, Filter
from macsad.subject.stage_costs import NoClocks, stage_costs
from macsad.trace.tracing import Tracer
from transpiler.analysis.packet_profile import VERSION, place_of
from transpiler.diagnostics import Rejected
from transpiler.hlir.program import Program, Table
from transpiler.hlir.statements import If
from transpiler.interpreter.watch import Branching, Watch
from transpiler.recursion import deep_recursion

PACKETS = 2000  # where nobody says how many


class Counting(Watch):
    """Counts what packets do at tables and conditions."""

    def __init__(self) -> None:
        self.packets = 0
        self.hits: Counter[tuple[str, bool]] = Counter()
        self.actions: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.arms: Counter[tuple[str, int]] = Counter()

    def arm(self, node: Branching, which: int) -> None:
        if isinstance(node, If):
            self.arms[place_of(node.span), which] += 1

    def outcome(self, table: Table, action: str, hit: bool) -> None:
        self.hits[table.name, hit] += 1
        self.actions[table.name][action] += 1

    def profile(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "version": VERSION,
            "packets": self.packets,
            "tables": {
                name: {
                    "hits": self.hits[name, True],
                    "misses": self.hits[name, False],
                    "actions": dict(actions.most_common()),
                }
                for name, actions in self.actions.items()
            },
            "branches": {
                place: [self.arms[place, 0], self.arms[place, 1]] for place in dict.fromkeys(p for p, _ in self.arms)
            },
        }


@deep_recursion()
def profile(request: Request, program: Program, socket: Path, filter: Filter) -> dict[str, Any]:
    """That of the next packets, as many as the filter's count. Raises: ControlError."""
    counting = Counting()
    with Client(socket) as client:
        before = client.stats()
        try:
            for _ in Tracer(lambda: program, client, filter, watch=counting):
                counting.packets += 1
        except KeyboardInterrupt:
            pass
    with Client(socket) as client:
        after, clocks = client.stats(), client.stages()
    made = counting.profile()
    for name, cost in _clocks(request, program, clocks).items():
        if name in made["tables"]:
            made["tables"][name]["clocks"] = cost
    return made | {"program": program.name, "drops": _since(after["drops"], before["drops"]),
                   "dropped_at": _since(after["dropped_at"], before["dropped_at"]), "stages": clocks}  # fmt: skip


def _since(now: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    """What has been dropped meanwhile, by all packets, not only by those that were told."""
    return {cause: more for cause, count in now.items() if (more := count - before.get(cause, 0))}


def _clocks(request: Request, program: Program, workers: list[dict[str, Any]]) -> dict[str, float]:
    """Clocks a packet of each table: those of the stage that its results begin, shared with the tables that begin it, too.
    Nothing where the switch was built with other stages, or has no clocks."""
    found: dict[str, float] = {}
    with contextlib.suppress(Rejected, NoClocks, KeyError, IndexError, ControlError):
        for cost in stage_costs(workers[0], compilation.decide(request, program).planned):
            for table in cost.tables if cost.share else ():
                found[table] = round(cost.cycles / cost.share / len(cost.tables), 1)
    return found
