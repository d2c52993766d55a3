"""What bench/production.py, production_loop.py, tune.py, decisions.py, by_profile.py and const_tables.py make of programs,
entries, frames and figures; nothing is measured."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import script
from click.testing import CliRunner
from switch_harness import write_pcap

# --- production.py -------------------------------------------------------------------------------------------------------


class Result:
    """1,000 cycles one at a time, 250 at B=64."""

    dropped, looked, lookup_cycles = 0.125, (1, 2, 3), 2000.4

    def at(self, point: tuple[int, int]) -> Any:
        return SimpleNamespace(cycles={(1, 1): 1000, (64, 64): 250}[point])

    def gain(self, before: tuple[int, int], after: tuple[int, int]) -> float:
        return float(self.at(before).cycles / self.at(after).cycles)

    def over_lookups(self, point: tuple[int, int]) -> float:
        return float(self.at(point).cycles / 100)


def test_a_production_program_is_a_row_and_what_fails_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    production = script("production")
    assert production.row("dash", Result()) == ["dash", "3", "12%", "1,000", "250", "4.00 ×", "2,000", "2.50 ×"]
    asked: list[Any] = []

    def measure(path: Path, quick: bool) -> Result:
        asked.append((path, quick))
        if "omec" in str(path):
            raise production.BenchError("no such file")
        return Result()

    monkeypatch.setattr(production, "measure", measure)
    monkeypatch.setattr(production.report, "data", lambda result: {"dropped": result.dropped})
    monkeypatch.setattr(production, "FIGURES", tmp_path / "new" / "production.json")
    done = CliRunner().invoke(production.main, [str(tmp_path), "dash", "--quick"])
    assert done.exit_code == 0 and "4.00 ×" in done.output
    assert asked == [(tmp_path / "testdata" / production.PROGRAMS["dash"], True)]
    done = CliRunner().invoke(production.main, [str(tmp_path)])
    assert done.exit_code == 1 and "up4: no such file" in done.output
    assert len(asked) == 1 + len(production.PROGRAMS) and not asked[-1][1]
    assert set(json.loads(production.FIGURES.read_text())) == set(production.PROGRAMS) - {"up4"}


def test_a_production_program_is_measured_singly_and_in_bursts_with_its_lookups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    production = script("production")
    asked: list[Any] = []
    monkeypatch.setattr(production.session, "run", asked.append)
    for quick in (False, True):
        production.measure(Path("x.p4"), quick)
    assert [(one.rounds, one.seconds) for one in asked] == [(7, 0.1), (1, 0.01)]
    assert all((one.points, one.workers, one.lookups) == (((1, 1), (64, 64)), 1, True) for one in asked)
    order = asked[0].order(Path("f"))
    assert (order.folder, order.entries, order.packets, order.hit, order.size) == (Path("f"), 1000, 10_000, 1.0, "64")
    assert (order.tables, order.ports, order.port, order.seed) == ((), 2, 0, 1)
    assert asked[0].request.warnings == ("no-unused", "no-constant", "no-property"), "the programs are not ours"


# --- production_loop.py --------------------------------------------------------------------------------------------------

C = """int x;
const struct macs_program macs_program = {
    .name = "middleblock",
    .ingress = macs_ingress,
    .clone = macs_clone,
    .egress = macs_egress,
    .state_bytes = 96,
};
"""


def test_a_loop_takes_the_place_of_the_programs_functions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    loop = script("production_loop")
    made = loop.by_hand(C, "middleblock").splitlines()
    assert made[:3] == ["int x;", f'#include "{loop.LOOPS / "middleblock.h"}"', loop.BEGIN]
    assert made[3:] == [
        '    .name = "middleblock",', "    .ingress = bare_ingress,", "    .clone = bare_clone,",
        "    .egress = bare_egress,", "    .state_bytes = sizeof(struct bare_state),", "};",
    ]  # fmt: skip
    for wrong in (C.replace("    .clone = macs_clone,\n", ""), C.replace("};", "    .clone = other,\n};")):
        with pytest.raises(loop.click.ClickException, match="the C of middleblock has no member 'clone'"):
            loop.by_hand(wrong, "middleblock")
    monkeypatch.setattr(loop, "LOOPS", tmp_path)
    (tmp_path / "dash.h").write_text(
        "/* of one packet\n   each */\n\n    ingress_0_entry(1);\n    ingress_0_entry(2);\n"
    )
    with pytest.raises(loop.click.ClickException, match=r"dash\.h:4: the C of dash has no ingress_0_entry\(\)"):
        loop.by_hand(C, "dash")
    called = (
        "void ingress_0_entry(int i) { macs_ready_send(i); }\n" + loop.BEGIN + "\n    .run_to_completion = x,\n};\n"
    )
    assert ".run_to_completion = bare_burst,\n" in loop.by_hand(called, "dash")


# --- tune.py -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("slower", "status"), [(0.03, 0), (0.031, 1)])
def test_a_choice_may_be_three_percent_slower(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, slower: float, status: int
) -> None:
    tune = script("tune")
    asked: list[Any] = []

    def compare(app: str, entries: int, machine: Any, rounds: int) -> Any:
        asked.append((app, entries, rounds))
        return tune.Row(
            app, entries, ("", 64, 32), ("prefetch", 8, 8), slower if entries == 256 else -0.5, 0.25, 7.25, 100
        )

    monkeypatch.setattr(tune, "compare", compare)
    monkeypatch.setattr(tune, "this_machine", lambda: None)
    monkeypatch.setattr(tune, "FIGURES", tmp_path / "new" / "tune.json")
    done = CliRunner().invoke(tune.main, ["l2fwd", "--quick"])
    assert done.exit_code == status
    last = done.output.splitlines()[-1]
    assert last.split() == [
        "l2fwd",
        "1,000,000",
        "64,",
        "32",
        "8,",
        "8",
        "no",
        "prefetch",
        "-50.0%",
        "+25.0%",
        "7.2",
        "s",
    ]
    assert asked == [("l2fwd", 256, 1), ("l2fwd", 1_000_000, 1)]
    assert [row["slower"] for row in json.loads(tune.FIGURES.read_text())] == [slower, -0.5]
    CliRunner().invoke(tune.main, [])
    assert asked[2:] == [(app, entries, 5) for app, sizes in tune.CASES.items() for entries in sizes]


# --- decisions.py --------------------------------------------------------------------------------------------------------


def test_different_frames_of_a_file_are_flows(tmp_path: Path) -> None:
    decisions = script("decisions")
    file = tmp_path / "x.pcap"
    frames = [bytes([number] * size) for number, size in ((1, 60), (2, 61), (1, 60), (3, 62))]
    write_pcap(file, frames)
    head, found = decisions.records(file, 10)
    assert len(head) == 24 and head == file.read_bytes()[:24]
    assert [record[16:] for record in found] == [frames[0], frames[1], frames[3]]
    assert head + b"".join(found[:2]) == file.read_bytes()[: 24 + 2 * 16 + 60 + 61], "with their own heads"
    assert [record[16:] for record in decisions.records(file, 2)[1]] == frames[:2]


@pytest.mark.parametrize("exponent", [0.0, 1.0, 1.2])
def test_flows_have_shares_by_zipfs_law(exponent: float) -> None:
    flows = [b"%d" % number for number in range(4)]
    made = list(script("decisions").sequence(flows, exponent, 40_000))
    shares = [count / len(made) for _, count in Counter(made).most_common()]
    weights = [(rank + 1) ** -exponent for rank in range(4)]
    assert len(made) == 40_000 and made[:50] != sorted(made[:50])
    assert shares == pytest.approx([weight / sum(weights) for weight in weights], abs=0.01)


def test_more_frames_are_made_where_almost_all_are_different(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    decisions = script("decisions")
    written: list[int] = []
    file = tmp_path / "x.pcap"
    plan = SimpleNamespace(packets=file, plan=None, traffic=None)

    def write(_plan: Any, packets: int, out: Any, _advance: Any) -> None:
        written.append(packets)
        write_pcap(Path(out.name), [b"%64d" % number for number in range(20)])

    monkeypatch.setattr(decisions, "replace", lambda traffic, packets: packets)
    monkeypatch.setattr(decisions.frames, "write", write)
    monkeypatch.setattr(decisions.generation, "make", lambda request, hlir, order: plan)
    monkeypatch.setattr(decisions.compilation, "load", lambda request: None)
    for different, more in ((5, False), (6, True)):
        write_pcap(file, [b"%64d" % (number % different) for number in range(10)])
        _, _, flows = decisions.flows_of(None, tmp_path, 10, 20)
        assert written == [20] * more and len(flows) == (20 if more else different)
    write_pcap(file, [b"%64d" % number for number in range(10)])
    decisions.flows_of(None, tmp_path, 10, 10)
    assert written == [20], "so many were wanted"


# --- by_profile.py, const_tables.py --------------------------------------------------------------------------------------

ENTRIES = "".join(f"table_add acl permit {n}&&&255 => 7 {n + 1}\n" for n in range(8)) + "table_add routes via 1 => 2\n"


@pytest.mark.parametrize(("part", "of"), [(0.25, 2), (0.5, 4), (1, 8)])
def test_a_part_of_a_tables_entries_drops(tmp_path: Path, part: float, of: int) -> None:
    entries = tmp_path / "entries.txt"
    entries.write_text(ENTRIES)
    script("by_profile").dropping(entries, "acl", "deny", part)
    *acl, routes = entries.read_text().splitlines()
    before = ENTRIES.splitlines()
    denied = {
        f"table_add acl deny {n}&&&255 => {n + 1}": f"table_add acl permit {n}&&&255 => 7 {n + 1}" for n in range(8)
    }
    assert [denied.get(line, line) for line in acl] == before[:-1] and routes == before[-1]
    assert sum(line in denied for line in acl) == of


def test_entries_of_constant_tables_are_told_apart(tmp_path: Path) -> None:
    split = script("const_tables").split
    entries = tmp_path / "entries.txt"
    entries.write_text(ENTRIES)
    fixed, others = split(entries, ("routes",), tmp_path)
    assert fixed.read_text() == "table_add routes via 1 => 2\n"
    assert fixed.read_text() not in others.read_text() and others.read_text() + fixed.read_text() == ENTRIES
    fixed, others = split(entries, (), tmp_path)
    assert fixed.read_text() == ENTRIES and not others.read_text()
