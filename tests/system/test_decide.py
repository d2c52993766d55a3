"""`macsad tune` and `macsad place` from end to end: a program is measured, settings and placements are written, and taken."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from machine import MACHINE
from switch_harness import write_pcap

from macsad.cli import call
from macsad.place import place_file, placement_run, placing
from macsad.resources import share
from macsad.subject import subject
from macsad.tune import tuned, tuning
from macsad.verbs import tune as tune_verb
from transpiler.model.choice import GRID
from transpiler.model.machine import machine_profile


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile that need not be measured, few frames, short rounds."""
    for module in (tune_verb, placement_run):
        monkeypatch.setattr(module, "this_machine", lambda: machine_profile(MACHINE))
    monkeypatch.setattr(subject, "FRAMES", 2000)
    monkeypatch.setattr(placing, "SECONDS", 0.1)
    monkeypatch.setattr(tuning, "SECONDS", 0.002)
    monkeypatch.setattr(tuning, "VARIANTS", ("bulk",))
    for rounds in ("ROUNDS", "ROUNDS_BESIDE", "ROUNDS_WITHOUT", "ROUNDS_LAST"):
        monkeypatch.setattr(tuning, rounds, 1)


def copied(app: str, folder: Path) -> Path:
    program = folder / f"{app}.p4"
    shutil.copy(share("apps") / app / f"{app}.p4", program)
    return program


def test_a_program_is_tuned_and_built_so(quick: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = copied("l3fwd", tmp_path)
    assert call(["tune", str(program), "--entries", "100", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    file = tmp_path / "l3fwd.tune.toml"
    settings = tuned.read(file)
    assert data["file"] == str(file) and data["burst"] == settings.burst and data["sub_batch"] == settings.sub_batch
    assert data["measured"] > 0 and data["vanilla"] > data["usual"] > 0
    tried = [(point["burst"], point["sub_batch"]) for point in data["points"] if not point["without"]]
    assert set(tried) <= set(GRID) and (64, 64) in tried and len(tried) > 5
    assert any(point["without"] == "bulk" for point in data["points"])
    assert call(["build", str(program), "-o", str(tmp_path / "built")]) == 0
    assert f".burst = {settings.burst}," in (tmp_path / "built" / "l3fwd.c").read_text()


def test_the_model_chooses_for_another_machine(quick: None, tmp_path: Path) -> None:
    program, machine = copied("l3fwd", tmp_path), tmp_path / "board.json"
    machine.write_text(json.dumps(MACHINE))
    assert call(["tune", str(program), "--entries", "100", "--machine", str(machine)]) == 0
    text = (tmp_path / "l3fwd.tune.toml").read_text()
    assert "by the model alone" in text and "board.json" in text


def test_a_program_is_placed_and_runs_so(quick: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, drawn = copied("router", tmp_path), tmp_path / "router.dot"
    options = ["--entries", "50", "--cores", "2", "--json", "--draw", str(drawn)]
    assert call(["place", str(program), *options]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [stage["name"] for stage in data["stages"]][1:] == ["acl4", "routes4", "acl6", "routes6", "next_hops"]
    assert all(stage["cycles"] > 0 for stage in data["stages"])
    assert len(data["placements"]) == 6 and {len(one["matrix"]) for one in data["placements"]} == {6}
    rates = [one["mpps"] for one in data["placements"]]
    assert rates == sorted(rates, reverse=True)
    assert "cycles a packet" in drawn.read_text()
    chosen = place_file.read(tmp_path / "router.place.toml")
    assert chosen.workers == 2 and chosen.cut == data["placements"][0]["cut"]


def test_a_program_with_a_cache_of_decisions_is_placed(
    quick: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cache is an instance that is not the program's own."""
    program = tmp_path / "ready.p4"
    shutil.copy(Path(__file__).parents[1] / "packets" / "ready.p4", program)
    assert call(["place", str(program), "--entries", "50", "--cores", "2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data["stages"]) > 1 and all(stage["cycles"] > 0 for stage in data["stages"][:1])


def test_a_program_with_further_passes_is_placed_and_runs_so(
    quick: None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each frame goes round three times: the last part makes these passes. Cut and cloned, the same frames leave."""
    program, traffic, entries = tmp_path / "rounds.p4", tmp_path / "in.pcap", tmp_path / "entries"
    shutil.copy(Path(__file__).parent / "rounds.p4", program)
    write_pcap(
        traffic, [bytes([0] * 5 + [n % 10]) + bytes(5) + b"\1\x88\xb5\3\0" + bytes([n]) * 48 for n in range(250)]
    )
    entries.write_text("".join(f"table_add I.ports I.to {n} => {n % 2}\n" for n in range(10)))
    options = [str(program), "--entries", str(entries), "--traffic", str(traffic), "--cores", "2"]
    assert call(["place", *options]) == 0
    assert "A packet passes the first stage 4.0 times." in capfd.readouterr().out
    assert call(["place", *options, "--json"]) == 0
    data = json.loads(capfd.readouterr().out)
    assert data["passes"] == pytest.approx(4) and not data["refused"]
    whole, cut = (next(one for one in data["placements"] if bool(one["cut"]) is parts) for parts in (False, True))
    (all_of_it,), (front, back) = whole["parts"], cut["parts"]
    assert back["cycles"] > 3 * (all_of_it["cycles"] / 4) and front["cycles"] < back["cycles"]
    sent = []
    for text in ("part_workers = [1]", f'cut = "{cut["cut"]}"\npart_workers = [1, 1]'):
        place = tmp_path / "chosen.toml"
        place.write_text(f"version = {place_file.VERSION}\n{text}\n")
        ports = [f"--port={n}=pcap:{traffic if n == 0 else ''},{tmp_path}/{n}.pcap" for n in range(2)]
        assert call(["run", str(program), "--place", str(place), "--entries", str(entries), *ports]) == 0
        assert "received 250 + copies 0 = sent 250 + dropped 0" in capfd.readouterr().out
        sent.append([(tmp_path / f"{n}.pcap").read_bytes()[24:] for n in range(2)])
    assert [frames(one) for one in sent[0]] == [frames(one) for one in sent[1]]
    assert all(frame[14:16] == bytes([0, 3]) for one in sent[1] for frame in frames(one))


def frames(packets: bytes) -> list[bytes]:
    """Those behind a capture's header."""
    found = []
    while packets:
        size = int.from_bytes(packets[8:12], "little")
        found.append(packets[16 : 16 + size])
        packets = packets[16 + size :]
    return found


def test_a_program_that_cannot_be_cut_is_cloned(
    quick: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = copied("l3fwd", tmp_path)
    assert call(["place", str(program), "--entries", "20", "--cores", "3"]) == 0
    assert place_file.read(tmp_path / "l3fwd.place.toml") == place_file.Chosen((3,))
    assert "cloned; the cores" in capsys.readouterr().out
