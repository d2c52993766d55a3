"""Random well-typed v1model programs, from a seed and a size."""

from __future__ import annotations

from random import Random

from controls import checksums, deparser, nested, pipe
from declared import types
from functions import function
from layout import Node
from parsers import parser, sub_parser
from world import World

HEAD = ("#include <core.p4>", "#include <v1model.p4>", "error { Odd, Even }")


def beginning(world: World, head: tuple[Node, ...]) -> list[Node]:
    """What any program begins with: its types, functions and sub-parsers."""
    parts: list[Node] = [*head, *types(world)]
    parts += [function(world) for _ in range(world.upto(1 + world.size))]
    return parts + [sub_parser(world) for _ in range(world.random.choice((0, 0, 1, 1, 2)))]


def make(seed: int, size: int = 2, *, pipelined: bool = False) -> tuple[Node, ...]:
    """The program of a seed; size 0 is small, 3 large. `pipelined`: see World."""
    world = World(Random(seed), size, pipelined=pipelined)
    world.recirculates = world.chance(0.0 if pipelined else 0.25)
    parts = beginning(world, HEAD)
    parts.append(parser(world))
    for _ in range(world.upto(2)):
        parts.append(nested(world))
    parts += [checksums(world, "V", "verify_checksum"), pipe(world, "I"), pipe(world, "E")]
    parts += [checksums(world, "C", "update_checksum"), deparser(world)]
    return (*parts, "V1Switch(P(), V(), I(), E(), C(), D()) main;")
