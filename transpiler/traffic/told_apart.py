"""Gives the action data of a frame's tables values by which they can be told apart.

The search gives all data the same few values, so where a program chooses between two of them (`meta.a == 0 ? b : meta.a`),
a key is the same whichever it chooses, and its source is not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from transpiler.hlir.types import width_of
from transpiler.traffic.probe import Probe
from transpiler.traffic.search import Template

NARROW = 8  # bits of action data that may be an enumeration, of which each value may be another way

_Datum = tuple[str, int]  # a table, and the number of its action's parameter


def told_apart(probe: Probe, template: Template, seed: int) -> Template:
    """The template with other values of all data that are wider and may have them without leading it another way."""
    chance, variables, values = Random(seed), probe.program.variable, dict[_Datum, int]()
    for name in template.hits:
        call = template.outcomes[name]
        assert call is not None
        for number, parameter in enumerate(probe.program.action[call.action].parameters):
            width = width_of(variables[parameter].type)
            if width > NARROW:
                values[name, number] = chance.randrange(1 << width)
    return _with_most(probe, template, list(values), values)


def _with_most(probe: Probe, template: Template, data: Sequence[_Datum], values: dict[_Datum, int]) -> Template:
    """The template with the values of those of the data with which it does the same; tried together, and by halves."""
    if not data:
        return template
    outcomes = dict(template.outcomes)
    for name, number in data:
        call = outcomes[name]
        assert call is not None
        arguments = (*call.arguments[:number], values[name, number], *call.arguments[number + 1 :])
        outcomes[name] = replace(call, arguments=arguments)
    seen, before = probe.run(template.frame.data, outcomes), template.seen
    if (seen.way, seen.ports, seen.copies, seen.instances, seen.forwarded) == (
        before.way, before.ports, before.copies, before.instances, before.forwarded
    ):  # fmt: skip
        return Template(template.frame, outcomes, seen)
    if len(data) == 1:
        return template
    half = len(data) // 2
    return _with_most(probe, _with_most(probe, template, data[:half], values), data[half:], values)
