"""The messages of P4Runtime, by name."""

from __future__ import annotations

from functools import cache

from transpiler.p4info.messages import P4INFO, Message, Messages

__all__ = ["Message", "message", "messages"]


@cache
def messages() -> Messages:
    """Those of P4Runtime, and of P4Info with them."""
    return Messages([P4INFO, ("macsad.p4runtime", "p4runtime.binpb")])


def message(name: str) -> type[Message]:
    """The class of a message of the package p4.v1: "WriteRequest"."""
    return messages().of(f"p4.v1.{name}")
