"""A bounded number of random programs: MACSAD_FUZZ_SEED takes others, MACSAD_FUZZ_SECONDS lets it go on for longer; `make
fuzz` makes what fails smaller."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from pathlib import Path

import large
import makers
import p4_14
import pipelined
import predicted
import program
import psa
import pytest
from layout import render, smaller
from oracle import CUTS, DEFAULT, Subject, examine
from steps import Step

FROM = int(os.environ["MACSAD_FUZZ_SEED"])  # tests/conftest.py chooses one
SECONDS = float(os.environ.get("MACSAD_FUZZ_SECONDS", "10"))
MAKERS = {"p4-16": program.make, "psa": psa.make, "p4-14": p4_14.make, "pipelined": pipelined.make}
AGAIN = r"clone|resubmit|recirculate|PSA_PORT_RECIRCULATE"
FEATURES = {  # what must be there in good part of the programs
    "p4-16": {
        "header unions": r"header_union",
        "stacks by index": r"\.s\d\[\(",
        "push and pop": r"push_front|pop_front",
        "sub-parsers": r"\bsub\d+\.apply",
        "sub-controls": r"\bn\d+\.apply",
        "constructor parameters": r"\)\(.* k\d*\) \{",
        "written arguments": r"\bf\d+\(.*\)",
        "enums": r"E0\.M\d",
        "serializable enums": r"E1\.N\d",
        "tuples": r"tuple<",
        "initialisers": r"= \(?\w*\)?\{ ?\w+ = ",
        "varbits": r"varbit<",
        "saturation": r"\|\+\||\|-\|",
        "slices assigned": r"\[\d+:\d+\] =",
        "shifts by values": r"(<<|>>) \w+\.",
        "operator-assignment": r" [-+*&|^]= ",
        "for": r"for \(",
        "switch on values": r"switch \((hdr|meta|v\d)",
        "action_run": r"action_run",
        "exit": r"exit;",
        **{kind: rf": {kind}\b" for kind in ("exact", "lpm", "ternary", "range", "optional", "selector")},
        "const entries": r"const entries",
        "priorities": r"priority = ",
        "profiles": r"implementation = ",
        "registers": r"\br\d+\.(read|write)\(",
        "counters": r"\bc\d+\.count\(",
        "direct counters": r"counters = ",
        "meters": r"execute_meter",
        "direct meters": r"meters = ",
        "hashes": r"\bhash\(",
        "checksums": r"(verify|update)_checksum",
        "digests": r"digest\(",
        "second passes": r"clone|resubmit|recirculate",
        "multicast": r"mcast_grp",
        "truncate": r"truncate\(",
        "value sets": r"value_set<",
        "select with masks": r"&&&",
        "lookahead": r"lookahead<",
        "advance": r"advance\(",
        "verify": r"verify\(",
        "parser loops": r"\.next\)",
    },
    "psa": {
        "metadata handed on": r"normal = meta;",
        "clones": r"om\.clone = true;",
        "resubmitted packets": r"om\.resubmit = true;",
        "recirculated packets": r"PSA_PORT_RECIRCULATE",
        "multicast": r"multicast\(om",
        "drops": r"(in|e)gress_drop\(om",
        "packet paths": r"sm\.packet_path ",
        "an egress that does nothing": r"EP\(.*\n.*start \{\n( .*\{ meta .*\n)* *transition accept;\n    \}\n\}",
        "registers": r"\br\d+\.(read|write)\(",
        "counters": r"\bc\d+\.count\(",
        "direct counters": r"psa_direct_counter = ",
        "meters": r"\.execute\(",
        "profiles": r"psa_implementation = ",
        "value sets": r"value_set<",
    },
    "p4-14": {
        "stacks": r"push\(|pop\(",
        "crossed operators": r"bit_andca|bit_orcb",
        "saturation": r"saturating",
        "masks": r" mask 0x",
        "hit and miss": r"(hit|miss) \{",
        "calculations": r"field_list_calculation",
        "registers": r"register_read|register_write",
        "valid keys": r": valid;",
    },
    "predicted": {
        "calls among arguments": r"\bf\d+\([^;]*\bf\d+\(",
        "what a later argument changes": r"\bf\d+\((hdr\.\w\.\w+), [^;]*\bf\d+\(\1[,)]",
        "named arguments": r"\(p\d+ = ",
        "out parameters": r"f\d+\([^)]*\bout ",
        "parameters without a direction": r"\bf\d+\((.*, )?(bit|int)<",
        "arguments at an index": r"\b(f\d+|a\d+|apply)\([^;]*hdr\.s\[",
        "arguments that are slices": r"\b(f\d+|a\d+|apply)\([^;]*\w\[\d+:\d+\][,)]",
        "actions": r"^ +a\d+\(\w",
        "controls": r"n\d+\.apply\(",
        "sub-parsers": r"sub\.apply\(",
        "keys with calls": r"f\d+\(.*: exact",
        "registers by name": r"cells\.write\(value",
        "hashes": r"hash\(",
        "for with a condition that calls": r"for \(bit<8> \w+ = 0;.*\b[ft]\d+(\(|\.apply)",
        "for in lists": r"in \(list<",
        "for in the stack": r"for \(one_t",
        "continue": r"continue;",
        "time of ingress": r"sm\.ingress_global_timestamp",
        "time of egress": r"sm\.egress_global_timestamp",
        "time of the queue": r"sm\.enq_timestamp",
        **{f"sm.{name}": rf"sm\.{name}\b" for name in predicted.STANDARD_FIELDS},
        "resubmitted packets": r"resubmit_",
        "recirculated packets": r"recirculate_",
        "metadata that is kept": r"@field_list\(\d\) \w+<\d+> m\d",
    },
    "pipelined": {
        "exact": r": exact\b",
        "PSA": r"PSA_Switch",
        "multicast": r"mcast_grp|multicast\(",
        "registers": r"\br\d+\.read",
    },
}


def test_random_programs_run_the_same_everywhere(tmp_path: Path) -> None:
    """As many as there is time for, one at least."""
    end, seed = time.monotonic() + SECONDS, FROM
    while seed == FROM or time.monotonic() < end:
        kind = ("p4-16", "p4-14", "psa", "pipelined")[seed % 4]
        build = DEFAULT if kind == "pipelined" else None
        failure = examine(render(MAKERS[kind](seed, seed % 3)), tmp_path, seed, count=2, build=build)
        assert failure is None, (
            f"seed {seed}: {failure.step} {failure.build}: {failure.message}\n"
            f"To make it smaller: make fuzz SEED={seed} KIND={kind} SIZE={seed % 3}"
        )
        seed += 1


def test_a_program_that_is_cut(tmp_path: Path) -> None:
    """One whose packets make further passes."""
    for seed in range(FROM, FROM + 400):
        text = render(MAKERS[("p4-16", "psa")[seed % 2]](seed, seed % 3))
        if not re.search(AGAIN, text):
            continue
        subject, build = Subject.of_text(tmp_path, text), replace(DEFAULT, cut=CUTS[seed % 3])
        if subject.read() is None and not subject.cannot_be_cut(build):
            failure = examine(text, tmp_path, seed, count=2, build=build)
            assert failure is None, f"seed {seed}, cut at {build.cut}: {failure.step}: {failure.message}"
            return
    pytest.fail("no program that can be cut")


def test_large_programs_run_the_same_everywhere(tmp_path: Path) -> None:
    """12 tables; `make fuzz KIND=large` has up to 100."""
    failure = examine(render(large.make(FROM, 0)), tmp_path, FROM, count=2)
    assert failure is None, (
        f"{failure.step} {failure.build}: {failure.message}\nmake fuzz SEED={FROM} KIND=large SIZE=0"
    )


def test_programs_as_large_as_production_ones_are_compiled(tmp_path: Path) -> None:
    """50 tables and 300 fields, to C; what passes make of them does the same."""
    subject = Subject.of_text(tmp_path, render(large.make(FROM, 2)))
    assert (failure := subject.read() or subject.generate(DEFAULT)) is None, failure
    assert len(subject.plain.tables) == 50
    for scenario in subject.draw(FROM, 2):
        assert (failure := subject.passes_differ(scenario)) is None, failure


def test_what_programs_do_is_what_python_predicts(tmp_path: Path) -> None:
    for seed in range(FROM, FROM + 20):
        failure = predicted.examine(makers.Maker(seed, seed % 3).make(), tmp_path, seed)
        assert failure is None, f"seed {seed}: {failure.step}: {failure.message}"


def test_the_switch_does_what_python_predicts(tmp_path: Path) -> None:
    for seed in range(FROM, FROM + 3):
        failure = predicted.examine(makers.Maker(seed, 0).make(), tmp_path, seed, DEFAULT)
        assert failure is None, f"seed {seed}: {failure.step}: {failure.message}"


def test_a_wrong_prediction_is_found(tmp_path: Path) -> None:
    made = makers.Maker(1, 1).make()
    wrong = Step("hdr.o.f0 = hdr.o.f0 + 1;", lambda env: None)
    changed = replace(made, later=(*made.later, wrong))
    failure = predicted.examine(changed, tmp_path, 1)
    assert failure is not None and "was predicted" in failure.message
    less, _ = predicted.smallest(changed, failure, tmp_path, 1)
    assert (less.steps, less.later, less.parsing) == ((), (wrong,), ())


@pytest.mark.parametrize("kind", MAKERS)
def test_random_programs_are_read_and_optimised(kind: str, tmp_path: Path) -> None:
    for seed in range(FROM, FROM + 6):
        subject = Subject.of_text(tmp_path, render(MAKERS[kind](seed, seed % 4)))
        assert (failure := subject.read()) is None, f"seed {seed}: {failure}"


@pytest.mark.parametrize("kind", FEATURES)
def test_every_feature_occurs(kind: str) -> None:
    make = MAKERS.get(kind) or (lambda seed, size: makers.Maker(seed, size).make().nodes())
    texts = [render(make(seed, seed % 4)) for seed in range(120)]
    share = {
        name: sum(bool(re.search(p, t, re.MULTILINE)) for t in texts) / len(texts) for name, p in FEATURES[kind].items()
    }
    assert {name: part for name, part in share.items() if part < 0.05} == {}


def test_bursts_overlap_where_lookups_are_prefetched(tmp_path: Path) -> None:
    made = []
    for seed in range(8):
        subject = Subject.of_text(tmp_path, render(pipelined.make(seed, 2)))
        assert subject.read() is None and subject.generate(DEFAULT) is None
        made.append((tmp_path / "program.c").read_text())
    assert sum("exact_packed" in c for c in made) >= 3
    assert any(".prologue = " in c for c in made)


@pytest.mark.parametrize("kind", MAKERS)
def test_the_same_seed_makes_the_same_program(kind: str) -> None:
    assert MAKERS[kind](7, 2) == MAKERS[kind](7, 2)
    assert MAKERS[kind](7, 2) != MAKERS[kind](8, 2)
    assert large.make(7, 2) == large.make(7, 2) != large.make(8, 2)


def test_smaller_programs_are_smaller() -> None:
    whole = program.make(3, 1)
    assert all(len(render(less)) < len(render(whole)) for less, _ in zip(smaller(whole), range(300), strict=False))
