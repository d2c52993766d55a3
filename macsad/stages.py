"""The stage clocks of a switch for people: a line a step, as VPP's `show runtime` has one a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from transpiler.shown import shown

Worker = Mapping[str, Any]  # as the command `stages` has it: docs/control.md
_COUNTS = ("calls", "packets", "cycles")


def since(now: Sequence[Worker], before: Sequence[Worker]) -> list[Worker]:
    """What has been counted since an earlier reading."""
    return [_since(*both) for both in zip(now, before, strict=True)]


def _since(now: Worker, before: Worker) -> Worker:
    clocks = [
        {**clock, **{count: clock[count] - old[count] for count in _COUNTS}}
        for clock, old in zip(now["clocks"], before["clocks"], strict=True)
    ]
    return {
        **now,
        **{what: now[what] - before[what] for what in ("bursts", "sampled", "interrupted")},
        "clocks": clocks,
    }


def received(worker: Worker) -> int:
    """Packets of the sampled bursts."""
    return max((int(clock["packets"]) for clock in worker["clocks"] if clock["step"] == "send"), default=0)


def table(workers: Sequence[Worker]) -> str:
    """Of each worker its steps that had packets. Clocks are cycles of the counter: for a packet of the step, and, in the last
    column, for a packet that was received."""
    return "\n".join(line for worker in workers for line in _lines(worker)) + "\n"


def _lines(worker: Worker) -> list[str]:
    packets, sampled = received(worker), worker["sampled"]
    if not worker["clocks"]:
        return [f"worker {worker['worker']}: the program has no stage clocks (built with --no-stage-clocks)"]
    if not packets or not sampled:
        return [f"worker {worker['worker']}: {worker['bursts']:,} bursts, none sampled yet"]
    cycles = sum(clock["cycles"] for clock in worker["clocks"])
    seen = [
        clock for clock in worker["clocks"] if clock["calls"] and clock["packets"]
    ]  # one may be read before the other
    rows = [_cells(clock, packets) for clock in seen]
    room = max(len(step) for step in ("step", *(row[0] for row in rows)))
    head = ("step", "calls", "packets", "packets/call", "clocks/packet", "of all packets", "stage begins with")
    return [
        f"worker {worker['worker']}: {sampled:,} of {worker['bursts']:,} bursts sampled, {packets / sampled:.1f} packets and "
        f"{cycles / packets:.1f} clocks a packet",
        _line(head, room),
        *(_line(row, room) for row in rows),
    ]


def _cells(clock: Mapping[str, Any], received_packets: int) -> tuple[str, ...]:
    calls, packets, cycles = (clock[count] for count in _COUNTS)
    of = "" if clock["function"] == "runtime" else f"{clock['function']} {clock['stage']} "
    return (
        f"{of}{clock['step']}", f"{calls:,}", f"{packets:,}", f"{packets / calls:.1f}", f"{cycles / packets:.1f}",
        f"{cycles / received_packets:.1f}", shown(clock["title"]) if clock["stage"] else "",
    )  # fmt: skip


def _line(cells: tuple[str, ...], room: int) -> str:
    step, calls, packets, each, clocks, of_all, title = cells
    return f"  {step:<{room}} {calls:>11} {packets:>13} {each:>12} {clocks:>13} {of_all:>14}  {title}".rstrip()
