"""Programs as trees of lines, so that a failing one can be made smaller by taking branches away.

A node is a line or a block: a head, nodes, a tail. What is taken away may be needed elsewhere; whoever shrinks asks the
frontend whether the rest is still a program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A head line, indented nodes, a tail line."""

    head: str
    body: tuple[Node, ...]
    tail: str = "}"


Node = str | Block


def block(head: str, body: list[Node], tail: str = "}") -> Block:
    return Block(head, tuple(body), tail)


def render(nodes: tuple[Node, ...], depth: int = 0) -> str:
    """The program text."""
    lines = []
    for node in nodes:
        if isinstance(node, str):
            lines.append("    " * depth + node + "\n")
        else:
            lines.append("    " * depth + node.head + "\n" + render(node.body, depth + 1))
            lines.append("    " * depth + node.tail + "\n")
    return "".join(lines)


def smaller(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """Variants with less: halves of a body away, then single nodes, then blocks replaced by what is in them."""
    size = len(nodes)
    chunk = size
    while chunk >= 1:
        for start in range(0, size, chunk):
            yield nodes[:start] + nodes[start + chunk :]
        chunk //= 2
    for at, node in enumerate(nodes):
        if isinstance(node, Block):
            if _statement(node):
                yield nodes[:at] + node.body + nodes[at + 1 :]
            for body in smaller(node.body):
                yield (*nodes[:at], Block(node.head, body, node.tail), *nodes[at + 1 :])
        else:
            for line in _shorter(node):
                yield (*nodes[:at], line, *nodes[at + 1 :])


def _statement(node: Block) -> bool:
    return node.head.startswith(("if", "for", "{", "} else", "switch"))


def _shorter(line: str) -> Iterator[str]:
    """Variants of a line with an expression in parentheses replaced by a part of it, or by its bare inside."""
    stack: list[int] = []
    groups = []
    for at, letter in enumerate(line):
        if letter == "(":
            stack.append(at)
        elif letter == ")" and stack:
            groups.append((stack.pop(), at))
    groups.sort()
    for start, end in groups:
        for inner, inner_end in groups:
            if start < inner and inner_end < end:
                yield line[:start] + line[inner : inner_end + 1] + line[end + 1 :]
        words = line[start + 1 : end].split(" ")
        if 1 < len(words) <= 12 and "(" not in line[start + 1 : end]:
            for word in words:
                yield line[:start] + word + line[end + 1 :]
