"""One wrong name is one mistake: what follows from it is not told of as well.

In programs that are right, an occurrence of a name is replaced by one that nothing declares. Each error must be of one of the
two: of the new name where it was used, of the old one where it was declared."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from aux_frontend.p4_16.checker.scope import suggestion
from aux_frontend.p4_16.frontend import P4_16
from aux_frontend.p4_16.lexer import KEYWORDS

from transpiler.diagnostics import Diagnostics, Rejected, Severity
from transpiler.frontend import Source

PACKETS = Path(__file__).parents[1] / "packets"
NOWHERE = "nowhere"
SKIPPED = re.compile(r'"[^"]*"|//[^\n]*|/\*.*?\*/|^\s*#[^\n]*|@\w+', re.DOTALL | re.MULTILINE)
# Words that are no keywords, but no names of the program either.
WORDS = KEYWORDS | {"actions", "default_action", "entries", "implementation", "key", "priority", "size"}


def names(text: str) -> list[re.Match[str]]:
    blank = SKIPPED.sub(lambda found: " " * len(found[0]), text)
    return [found for found in re.finditer(r"\b[A-Za-z_]\w*\b", blank) if found[0] not in WORDS]


def errors(file: Path) -> list[str]:
    diagnostics = Diagnostics()
    try:
        P4_16().check(Source(file), diagnostics)
    except Rejected:
        return [message.message for message in diagnostics.messages if message.severity is Severity.ERROR]
    return []


@pytest.mark.parametrize("program", ["profiles", "value_sets", "statements", "subparsers", "psa_externs"])
def test_a_wrong_name_is_one_mistake(program: str, tmp_path: Path) -> None:
    text = (PACKETS / f"{program}.p4").read_text()
    file = tmp_path / f"{program}.p4"
    wrong = 0
    for found in random.Random(program).sample(names(text), 12):
        file.write_text(text[: found.start()] + NOWHERE + text[found.end() :])
        told = errors(file)
        assert all(NOWHERE in message or found[0] in message for message in told), (found, told)
        wrong += bool(told)
    assert wrong >= 6


FOLLOWING = {
    "the table of a switch": ("switch (nowhere.apply().action_run) { many: { } default: { } }", ["'nowhere'"]),
    "a value of a switch": ("switch (nowhere) { 1: { } n: { } 1: { } }", ["'nowhere'"]),
    "an operand": ("bit<8> x = nowhere + 1; bool y = x == nowhere; bit<4> z = nowhere[7:4];", ["'nowhere'"] * 3),
    "a type": ("nowhere x; nowhere[2] y; x.a = y[0].b; y.push_front(1); bit<8> z = x + 1;", ["type 'nowhere'"] * 2),
    "a member": ("bit<8> x = s.h.nowhere + 1; s.nowhere.setValid(); if (s.nowhere.a == 1) { }", ["'nowhere'"] * 3),
    "a call": ("bit<8> x = nowhere(n, 1) + 1; s.h.a = nowhere<bit<8>>(n);", ["'nowhere'"] * 2),
    "a type argument": ("any<nowhere>(n); bit<8> x = pick<nowhere>(n, 1);", ["type 'nowhere'"] * 2),
    "a cast": ("bit<8> x = (nowhere)n + 1; s.h.b = (bit<16>)nowhere;", ["type 'nowhere'", "'nowhere'"]),
    "parts": ("tuple<nowhere, bit<8>> x = {n, n}; s.h = {nowhere, 1}; s.h = {a = nowhere, b = 1};", ["'nowhere'"] * 3),
}
CORE = """
#include <core.p4>
header h_t { bit<8> a; bit<16> b; }
struct s_t { h_t h; h_t[3] stack; bool flag; }
extern void any<T>(in T value);
extern T pick<T>(in T a, in T b);
"""


@pytest.mark.parametrize("case", FOLLOWING)
def test_what_follows_from_it_is_not_told(case: str, tmp_path: Path) -> None:
    body, wanted = FOLLOWING[case]
    file = tmp_path / "program.p4"
    file.write_text(f"{CORE}control c(inout s_t s, in bit<8> n) {{ apply {{ {body} }} }}\n")
    told = errors(file)
    assert len(told) == len(wanted) and all(a in b for a, b in zip(wanted, told, strict=True)), told


def test_a_package_of_an_unknown_type(tmp_path: Path) -> None:
    file = tmp_path / "program.p4"
    block = "control c(inout nowhere h) { apply { } }\ncontrol template<H>(inout H h);\n"
    file.write_text(f"{CORE}{block}package whole<H>(template<H> c);\nwhole(c()) main;\n")
    assert len(told := errors(file)) == 1 and "type 'nowhere' is not declared" in told[0], told


@pytest.mark.parametrize("element", ["nowhere", "pair_t"])
def test_a_value_set_of_an_unknown_type(element: str, tmp_path: Path) -> None:
    file = tmp_path / "program.p4"
    states = f"value_set<{element}>(4) known; state start {{ transition select(a, b) {{ known: accept; }} }}"
    file.write_text(f"{CORE}struct pair_t {{ nowhere a; }}\nparser p(in bit<8> a, in bit<8> b) {{ {states} }}\n")
    told = errors(file)
    assert told and all("type 'nowhere'" in message for message in told), told


@pytest.mark.parametrize(
    ("name", "near"), [("PORT", "port"), ("Port", "port"), ("porr", "port"), ("xyz", None), ("TTL", "Ttl")]
)
def test_a_name_in_other_letters_is_near(name: str, near: str | None) -> None:
    found = suggestion(name, ["egress", "port", "Ttl"])
    assert found == (f"; did you mean '{near}'?" if near else "")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("ethernet_dstination", "ethernet_destination"), ("ethernet_destinatio", "ethernet_destination"),
        ("thernet_destination", "ethernet_destination"),
        ("ethernet_dXstinXtion", "ethernet_destination"), ("TTL", "ttl"), ("ipv4_adresses", "ipv4_addresses"), ("xyz", None),
        ("field_0_of_199", "field_0_of_99"),
    ],
)  # fmt: skip
def test_of_many_names_the_near_one_is_found_too(name: str, near: str | None) -> None:
    names = [f"field_{number}_of_99" for number in range(150)]
    found = suggestion(name, [*names, "ethernet_destination", "ipv4_addresses", "ttl", name])
    assert found == (f"; did you mean '{near}'?" if near else "")
