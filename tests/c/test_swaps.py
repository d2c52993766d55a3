"""One program after another in a running switch: what stays, what begins anew, and what cannot be loaded."""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Callable, Iterator
from ctypes.util import find_library
from dataclasses import replace
from pathlib import Path

import pytest
import switches
from built_once import built_once
from switch_harness import Switch, ethernet

from macsad import compilation
from macsad.compilation import Request
from macsad.control import Client
from macsad.protocol import ControlError, Digest, Push, Update
from macsad.resources import share
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import compile_program

SAMPLE = Path(__file__).parent / "runtime" / "sample_program.c"
LEARNING = Path(__file__).parent / "learning.p4"
TOOLS = toolchain.find(optimise="-O0", sanitize=("address", "undefined"))
FORWARD = "table_add dmac forward 1 => 1"


@pytest.fixture(scope="module")
def built() -> Path:
    """The folder of `sample`, which takes other programs, and of the libraries `again` (the same one) and `learning`."""
    library = replace(TOOLS, form=toolchain.Form.LIBRARY)

    def make(folder: Path) -> None:
        compile_program(
            SAMPLE, folder / "sample", share("aux-backend"), replace(TOOLS, form=toolchain.Form.REPLACEABLE)
        )
        compile_program(SAMPLE, folder / "again", share("aux-backend"), library)
        made, _ = compilation.build(Request(LEARNING), switches.load(LEARNING), folder / "made", library)
        shutil.move(made, folder / "learning")

    return built_once(("swaps", TOOLS), make)


@pytest.fixture
def switch(built: Path, tmp_path: Path) -> Iterator[Switch]:
    ports = [f"--port={number}=ctl:" for number in range(4)]
    running = Switch(built / "sample", tmp_path, [*ports, "--replaceable", "--workers=2"])
    yield running
    if running.process.poll() is None:
        running.stop()


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Callable[[str], Path]:
    """A library that has not been loaded."""
    return lambda name: Path(shutil.copy(built / name, tmp_path / f"{len(list(tmp_path.iterdir()))}.so"))


def test_what_the_switch_has_stays(switch: Switch, copied: Callable[[str], Path]) -> None:
    """Counts of frames and digests, groups, sessions, directions, bursts; ports that are down."""
    switch.do(
        FORWARD, "table_add dmac flood 2 => 8", "mc_mgrp_create 8", "mc_node_create 5 0 3", "mc_node_associate 8 0"
    )
    switch.do("mirroring_add 7 2 64", "set_burst 48 3", "port_down 2", "mc_set_lag_membership 9 1 2")
    frames = [(port, ethernet(1, kind)) for port in (0, 1) for kind in (0xD1E5, 0xDEAD, 0x0BAD, 0xD1E6)]
    frames += [(0, ethernet(2)), (1, ethernet(3))]
    told = ["mc_dump", "mirroring_get 7", "show_ports"]
    for times in (1, 2, 3):
        assert len(switch.client.exchange(frames)) == 8
        stats = switch.client.stats()
        counts = {name: stats[name] for name in ("received", "sent", "copies", "dropped", "asserts", "digests")}
        each = {"received": 10, "sent": 8, "copies": 1, "dropped": 3, "asserts": 2, "digests": 4}
        assert counts == {name: count * times for name, count in each.items()}
        assert [port["tx_packets"] for port in stats["ports"]] == [times, 6 * times, 0, times]
        assert (stats["burst"], stats["sub_batch"]) == (48, 3)
        assert switch.client.describe()["swaps"] == times - 1
        before = switch.do(*told)
        switch.do(f"load_program {copied('again')}", "swap_programs")
        assert switch.do(*told) == before
        after = switch.client.stats()
        assert {name: after[name] for name in counts} == counts and after["ports"] == stats["ports"]
        switch.do(FORWARD, "table_add dmac flood 2 => 8")


def test_what_the_program_has_begins_anew(switch: Switch, copied: Callable[[str], Path]) -> None:
    """Tables, their handles and defaults, registers, counters, meters."""
    asked = ("table_dump dmac", "table_dump acl", "table_num_entries routes", "register_read seen", "register_read wide",
             "counter_read port_counter 0", "meter_get_rates police 1", "table_dump keyless")  # fmt: skip
    first = [switch.do(one) for one in asked]
    for _ in range(2):
        assert switch.do(FORWARD).split()[-1] == "0"
        assert switch.client.exchange([(0, ethernet(1))]) == [(1, ethernet(1))]
        switch.do("table_delete dmac 0", FORWARD, "table_set_default dmac forward 1", "register_write seen 3 9")
        switch.do("table_add routes forward 0/0 => 1", "table_add acl deny 5&&&5 * => 1", "register_write wide 1 8")
        switch.do("meter_set_rates police 1 1:2 3:4", "table_set_default keyless set_wide 1 2 1")
        assert all(switch.do(one) != before for one, before in zip(asked, first, strict=True))
        switch.do(f"load_program {copied('again')}")
        assert all(switch.do(one) != before for one, before in zip(asked, first, strict=True))
        switch.do("swap_programs")
        assert [switch.do(one) for one in asked] == first
        assert switch.do("table_num_entries constant") == "1\n"
        assert "no such entry" in switch.fail(f"table_delete dmac {1 << 24}")
        assert switch.client.exchange([(0, ethernet(1)), (0, ethernet(9))]) == []
        switch.do("counter_reset port_counter")


def test_who_asks_for_the_next_program_changes_that_one(switch: Switch, copied: Callable[[str], Path]) -> None:
    switch.do("table_add dmac forward 1 => 3")
    with Client(switch.socket) as client:
        client.of_next(True)
        assert client.command("table_num_entries dmac").text == "1\n"  # there is none yet
        for _ in range(2):  # the second takes the place of the first
            switch.do(f"load_program {copied('again')}")
            assert client.command("table_num_entries dmac").text == "0\n"
        assert client.bulk([FORWARD, "table_add dmac forward 2 => 2"]).failed == 0
        for line in ("swap_programs", f"load_program {copied('again')}"):
            assert "asks for the program that is loaded" in client.command(line).text
        assert client.command("table_num_entries dmac").text == "2\n"
        client.of_next(False)
        assert client.command("table_num_entries dmac").text == "1\n"
        client.of_next(True)
        assert switch.client.exchange([(0, ethernet(1)), (0, ethernet(2))]) == [(3, ethernet(1))]
        switch.do("swap_programs")
        assert switch.client.exchange([(0, ethernet(1)), (0, ethernet(2))]) == [(1, ethernet(1)), (2, ethernet(2))]
        assert client.command("table_num_entries dmac").text == switch.do("table_num_entries dmac") == "2\n"
        assert switch.fail("swap_programs") == "no program is loaded"
        change = bytes([Update.RESET_DEFAULT]) + b"\0\2"
        assert [outcome.name for outcome, _ in client.update([change], next_program=True)] == ["WRONG"]


def test_who_asks_for_the_next_program_sees_it_and_may_end_the_switch(
    switch: Switch, copied: Callable[[str], Path]
) -> None:
    """While the other one runs, of which everybody else hears."""
    now = switch.client.describe()
    with pytest.raises(ControlError, match="no program is loaded"):
        switch.client.describe(next_program=True)
    switch.do(f"load_program {copied('learning')}")
    with Client(switch.socket) as client:
        client.of_next(True)
        then = client.describe()
        assert (now["name"], then["name"]) == ("sample", "learning") and switch.client.describe() == now
        assert json.loads(client.command("describe").text) == switch.client.describe(next_program=True) == then
        assert client.command("show_tables").text.split()[0] == "Work.flows"
        flows = next(at for at, table in enumerate(then["tables"]) if table["name"] == "Work.flows")
        assert client.command("table_add flows known 7 => 9").ok
        (read,) = client.read_entries(flows)
        remove = [bytes([Update.REMOVE]) + struct.pack(">HI", flows, 7)]
        assert read[:4] == bytes(3) + b"\7"
        assert [outcome.name for outcome, _ in switch.client.update(remove, next_program=True)] == ["DONE"]
        assert list(client.read_entries(flows)) == [] and client.stats()["workers"] == 2
        assert [one["worker"] for one in client.stages()] == [0, 1]
        assert client.command("shutdown").ok
    assert switch.process.wait(20) == 0 and switch.process.communicate()[1] == ""


def test_digests_are_named_by_the_program_that_sent_them(switch: Switch, copied: Callable[[str], Path]) -> None:
    with Client(switch.socket) as client:
        client.subscribe(Push.DIGESTS)
        for number, name in ((0xD1E5, "Ingress.learn"), (0xD1E6, "Ingress.moved")) * 2:
            switch.client.exchange([(1, ethernet(kind=number))])
            digest = client.pushed(20)
            assert isinstance(digest, Digest) and (digest.name, len(digest.records)) == (name, 1)
            switch.do(f"load_program {copied('again')}", "swap_programs")
        assert client.pushed(0.0) is None


def test_a_program_that_learns_follows_one_that_does_not(switch: Switch, copied: Callable[[str], Path]) -> None:
    """And goes again; its tables learn from their first packet on."""
    frame = bytes(4) + b"\5" + bytes(8)
    switch.do(FORWARD)
    for _ in range(2):
        switch.do(f"load_program {copied('learning')}", "swap_programs")
        assert "no table 'dmac'" in switch.fail("table_num_entries dmac")
        assert [port for port, _ in switch.client.exchange([(0, frame)] * 3)] == [2, 2, 3]
        assert switch.do("table_num_entries flows", "table_show_learned flows") == "1\nadded 1, refused 0, lost 0\n"
        assert [port for port, _ in switch.client.exchange([(0, frame)])] == [2]
        switch.do(f"load_program {copied('again')}", "swap_programs", FORWARD)
        assert "no table 'flows'" in switch.fail("table_num_entries flows")
        assert switch.client.exchange([(0, ethernet(1))]) == [(1, ethernet(1))]


def test_what_cannot_be_loaded(
    switch: Switch, built: Path, copied: Callable[[str], Path], sample: Path, tmp_path: Path
) -> None:
    switch.do(f"load_program {built / 'again'}")
    empty = tmp_path / "empty.so"
    empty.write_bytes(b"")
    library = find_library("z") or find_library("m")
    assert switch.fail(f"load_program {built / 'again'}").endswith(": it has been loaded before")
    assert switch.fail(f"load_program {library}") == f"{library}: there is no program in it"
    assert "file too short" in switch.fail(f"load_program {empty}")
    assert "No such file" in switch.fail("load_program /nowhere")
    switch.do("swap_programs", FORWARD)  # what is refused takes the place of none
    assert switch.client.exchange([(0, ethernet(1))]) == [(1, ethernet(1))]
    assert switch.fail(f"load_program {built / 'again'}").endswith(": it has been loaded before")
    (tmp_path / "again").mkdir()
    other = Switch(sample, tmp_path / "again", ["--port=0=ctl:"])
    assert other.fail(f"load_program {copied('again')}") == "the switch was not started with --replaceable"
    assert other.fail("swap_programs") == "no program is loaded"
    other.stop()
