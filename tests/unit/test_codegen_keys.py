"""What the keys of lookups are made of is kept until the lookups begin."""

from __future__ import annotations

import re

import pytest
from hlir_builder import AT, Builder, apply, const, emit, extract, goto, state

from macsad.resources import share
from transpiler.codegen.generate import generate
from transpiler.diagnostics import Diagnostics
from transpiler.hlir.expressions import Cast
from transpiler.hlir.types import Bits
from transpiler.targets.find import builtin


@pytest.mark.parametrize("key", ["sm.egress_port", "m.x"])
@pytest.mark.parametrize("kind", ["exact", "ternary"])
def test_a_value_that_only_a_key_reads(key: str, kind: str) -> None:
    """Ternary lookups begin apart from the function that computes their keys: these take what they read from the state."""
    b = Builder()
    b.header("h", "h_t", a=8, port=9, rest=7, wide=96)
    b.variable("m.x", 8)
    b.action("set", b.set("h.a", 7))
    b.table("t", [(key, kind), ("h.wide", kind)], ["set"], size=1_000_000)
    program = b.build(
        [state("start", [extract("h")], goto("accept"))],
        [b.set("sm.egress_spec", b.get("h.port")), b.set("m.x", b.get("h.a"))], [apply("t")], [emit("h")],
    )  # fmt: skip
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    name = key.replace(".", "_")
    held = name if kind == "exact" else f"live->{name}"
    (stored,) = re.findall(rf"macs_store_bytes\(key, \d, ({re.escape(held)})\);", c)
    assert re.search(rf"^\s*{re.escape(stored)} = \w+;", c, re.MULTILINE)
    assert re.search(rf"^    uint(8|16)_t {name};$", c, re.MULTILINE) or kind == "exact"


LIVE = "live->m_x = live->h_a;"
PACKED = "macs_store_bytes(lookup->lookup_0.selection, 1, live->m_x);"
CLEARED = "memset(lookup->lookup_0.selection, 0, 1);"


@pytest.mark.parametrize(
    ("width", "keys", "holds", "lacks"),
    [
        (8, ["m.x"], (LIVE, PACKED), (CLEARED,)),
        (4, ["m.x"], (CLEARED, "macs_store_bits(lookup->lookup_0.selection, 0, 4, live->m_x);"), ()),
        (8, [], ("macs_checksum_crc16((struct macs_bytes){list, 0, NULL, 0})",), ("selection",)),
    ],
)
def test_a_value_that_only_the_choice_among_members_reads(
    width: int, keys: list[str], holds: tuple[str, ...], lacks: tuple[str, ...]
) -> None:
    """What a selector hashes is packed when its lookup starts, apart from the function of the stage."""
    b = Builder()
    b.header("h", "h_t", a=8, port=9, rest=7, wide=600)
    b.variable("m.x", width)
    b.action("set", b.set("h.a", 7))
    b.extern("s", "action_selector", size=8, algorithm="crc16", width=16)
    read = [("h.wide", "exact"), *((key, "selector") for key in keys)]
    b.table("t", read, ["set"], "NoAction", size=1_000_000, implementation="s")
    given = b.set("m.x", b.get("h.a") if width == 8 else Cast(b.get("h.a"), Bits(width), AT))
    program = b.build(
        [state("start", [extract("h")], goto("accept"))],
        [given, b.call("clone.ingress", None, const(1, 32))], [apply("t")], [emit("h")],
    )  # fmt: skip
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    assert len(re.findall(r"^    uint8_t m_x;$", c, re.MULTILINE)) == len(keys)
    assert all(text in c for text in holds) and not any(text in c for text in lacks)
