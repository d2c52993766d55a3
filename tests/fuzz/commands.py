"""Random console commands for a running switch: of its own names, mostly of the right form, some damaged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

COMMAND = re.compile(r"^(\w+)((?: [A-Z\[<=].*)?)$", re.MULTILINE)
PLACE = re.compile(r"\[?[A-Z_]+(?:\.\.\.)?\]?|\S+")
LEFT_OUT = ("shutdown", "help", "port_add", "port_remove", "port_down", "port_up")  # the ports of a test stay
NUMBERS = ("0", "1", "2", "3", "7", "255", "256", "65535", "65536", "0xffffffff", "1 << 3", "-1", "0x", "1.5", "1:2",
           "4294967296", "18446744073709551616", "9" * 60, "0x" + "f" * 300, "0b1", "10.0.0.1", "::1", "1:2:3:4:5:6")  # fmt: skip
ODD = (
    "=>",
    "*",
    "#",
    "",
    "%n%s",
    "\x01\u00e9",
    "&&&",
    "->",
    "/",
    "0/0",
    "1&&&1",
    "3->2",
    "1/99",
    "NoAction",
    "a" * 3000,
)


class Commands:
    """`usages`: what the switch's `help` prints; `described`: its description (docs/control.md), which leaves out parser
    value sets."""

    def __init__(self, usages: str, described: dict[str, Any], value_sets: Sequence[str], random: Random) -> None:
        self.random = random
        self.tables = described["tables"]
        self.objects = [*(extern["name"] for extern in described["externs"]), *value_sets] or ["none"]
        self.forms = [(name, usage) for name, usage in COMMAND.findall(usages) if name not in LEFT_OUT]

    def line(self) -> str:
        """One command."""
        name, usage = self.random.choice(self.forms)
        words = [name, *self._arguments(usage)]
        if self.random.random() < 0.2:
            self._damage(words)
        return " ".join(words).replace("\n", " ")

    def _arguments(self, usage: str) -> Iterator[str]:
        """Words for each place of a usage, all about one table where it names one."""
        table = self.random.choice(self.tables) if self.tables else {"name": "none", "key": [], "actions": []}
        action = self.random.choice(table["actions"] or [{"name": "none", "params": []}])
        for place in PLACE.findall(usage):
            match place.strip("[]."):
                case "TABLE":
                    yield table["name"]
                case "ACTION":
                    yield action["name"]
                case "KEY":
                    yield from (self._key(field["match"], field["bits"]) for field in table["key"])
                case "PARAMETER":
                    yield from (self._value(parameter["bits"]) for parameter in action["params"])
                case "COUNTER" | "REGISTER" | "METER" | "PROFILE" | "SET":
                    yield self.random.choice(self.objects)
                case word if word.isupper():
                    yield from (self._number() for _ in range(self.random.choice((1, 1, 1, 0, 2))))
                case word:
                    yield word

    def _key(self, match: str, bits: int) -> str:
        one, other = self._value(bits), self._value(bits)
        forms = {"lpm": f"{one}/{self.random.randint(0, bits + 1)}", "ternary": f"{one}&&&{other}"}
        wild = "*" if self.random.random() < 0.2 else one
        return forms.get(match, f"{one}->{other}" if match == "range" else wild)

    def _value(self, bits: int) -> str:
        limit = (1 << bits) - 1
        value = self.random.choice((0, 1, limit, self.random.randint(0, limit), self.random.randint(0, min(limit, 7))))
        return self.random.choice((str, hex))(value)

    def _number(self) -> str:
        return self.random.choice(NUMBERS[:4] if self.random.random() < 0.7 else NUMBERS)

    def _damage(self, words: list[str]) -> None:
        at = self.random.randrange(len(words))
        match self.random.choice(("drop", "odd", "number", "exchange", "many", "cut")):
            case "drop":
                del words[at]
            case "odd":
                words[at] = self.random.choice(ODD)
            case "number":
                words[at] = self.random.choice(NUMBERS)
            case "exchange":
                other = self.random.randrange(len(words))
                words[at], words[other] = words[other], words[at]
            case "many":
                words[at:at] = [words[at]] * self.random.choice((1, 300))
            case "cut":
                words[at] = words[at][: self.random.randrange(len(words[at]) + 1)]
