"""The C of looking a table up and running its action, in all forms, as text (`--update-golden` writes it anew)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from transpiler.codegen.apply import OWN_INDEX, Application
from transpiler.codegen.c.build import address, call
from transpiler.codegen.c.nodes import Assign, Case, Declare, Do, Literal, Member, Name
from transpiler.codegen.c.printer import Printer
from transpiler.codegen.follow import Led, follow
from transpiler.codegen.pipeline_views import TableRef

FILE = Path(__file__).parent / "codegen" / "applied.txt"
TABLE: dict[str, Any] = {
    "name": "t",
    "number": 0,
    "entry_type": "struct t_entry",
    "key_bytes": 5,
    "kernel": "k",
    "steps": 1,
}
WORDS: dict[str, Any] = {"words": True, "key_bits": 40, "data_bits": 19, "action_bits": 2, "size": 77}
STARTED, HELD = Member(Name("lookup"), "lookup_0", arrow=True), Member(Name("lookups"), "lookup_0", arrow=True)
CASES = tuple(Case((Name(f"t_{name}"),), (Do(call(name)),), cite=name) for name in "abc")
FORMS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "at once": ({}, {}),
    "at once, may be empty, tells hit and action": (
        {"may_be_empty": True}, {"hit": Name("hit"), "action": Name("did")},
    ),
    "at once, learns": ({"learns": True, "key_in_words": True}, {}),
    "compared": ({"compared": True}, {"comparisons": (Assign(Name("entry"), Name("compared")),)}),
    "without a key": ({"kernel": ""}, {}),
    "started": ({}, {"lookup": STARTED, "on_hit": (Do(call("count")),)}),
    "started, may be empty": ({"may_be_empty": True}, {"lookup": STARTED}),
    "started, followed": ({}, {"lookup": STARTED, "followed": True}),
    "as arrays": ({}, {"lookup": HELD, "bulk": True, "hit": Name("hit"), "on_hit": (Do(call("count")),)}),
    "as arrays, learns": ({"learns": True}, {"lookup": HELD, "bulk": True}),
    "profile": ({}, {"lookup": STARTED, "profile": Name("profile"), "action": Name("did")}),
    "profile, groups, an action with direct state": (
        {},
        {"profile": Name("profile"), "selection": (Assign(Name("selected"), call("hash")),),
         "actions": (*CASES[:2], Case((Name("t_c"),), (Do(call("direct", OWN_INDEX)),), cite="c"))},
    ),
    "profile, chosen": ({}, {"lookup": STARTED, "profile": Name("profile"), "chosen": Name("choice"), "followed": True}),
    "word at once": (WORDS, {}),
    "word at once, may be empty, indexed": (WORDS | {"may_be_empty": True, "indexed": True}, {"hit": Name("hit")}),
    "word at once, learns": (WORDS | {"learns": True}, {}),
    "word at once, learns, indexed": (WORDS | {"learns": True, "indexed": True}, {"on_hit": (Do(call("count")),)}),
    "word started": (WORDS, {"lookup": STARTED, "action": Name("did")}),
    "word started, may be empty, indexed": (
        WORDS | {"may_be_empty": True, "indexed": True}, {"lookup": STARTED, "declares": (Declare("int", "colour"),)},
    ),
    "words as arrays": (WORDS, {"lookup": HELD, "bulk": True}),
    "words as arrays, may be empty, indexed, learns": (
        WORDS | {"may_be_empty": True, "indexed": True, "learns": True}, {"lookup": HELD, "bulk": True},
    ),
    "hottest first": ({}, {"hottest": 0}),
    "hottest last": ({}, {"hottest": 2}),
    "hottest of two": ({}, {"hottest": 1, "actions": CASES[:2]}),
    "hottest of a profile": ({}, {"hottest": 1, "profile": Name("profile")}),
    "one action": ({}, {"hottest": 0, "actions": CASES[:1]}),
    "no action": ({}, {"actions": ()}),
}  # fmt: skip


def applied(table: dict[str, Any], of: dict[str, Any]) -> str:
    nothing: dict[str, Any] = {
        "lookup": None, "bulk": False, "keys": (Do(call("pack", "key")),), "key_word": Literal("key_word"), "comparisons": (),
        "hit": None, "action": None, "declares": (), "on_hit": (), "profile": None, "selection": (), "actions": CASES,
        "missed": (Do(call("pack", address(Name("missed")))),), "cite": "p.p4:1",
    }  # fmt: skip
    return Printer().body((Application(TableRef(**(TABLE | table)), **(nothing | of)).lowered(),))


CELLS = (call("prefetch_one", OWN_INDEX), call("prefetch_two", OWN_INDEX))
SELECTION = (Assign(Name("selected"), call("hash")),)
LED = {
    "cells": Led(CELLS),
    "profile": Led((), Name("profile")),
    "cells, profile, groups": Led(CELLS[:1], Name("profile"), SELECTION),
}
FOLLOWED: dict[str, dict[str, Any]] = {
    "entry": {},
    "entry, may be empty": {"may_be_empty": True},
    "word": WORDS,
    "word, may be empty": WORDS | {"may_be_empty": True},
}


def followed(table: dict[str, Any], led: Led, bulk: bool) -> str:
    return Printer().body(follow(TableRef(**(TABLE | table)), led, HELD if bulk else STARTED, bulk))


def test_forms(golden: Callable[[Path, str], None]) -> None:
    """And what is prefetched of what entries lead to: those of words have no profile."""
    texts = {name: applied(*form) for name, form in FORMS.items()}
    for led_name, led in LED.items():
        for name, table in FOLLOWED.items():
            for bulk in (False, True):
                if led.profile is None or not table.get("words"):
                    texts[f"follow {name}: {led_name}{', as arrays' if bulk else ''}"] = followed(table, led, bulk)
    golden(FILE, "\n".join(f"--- {name}\n{text}\n" for name, text in texts.items()))
