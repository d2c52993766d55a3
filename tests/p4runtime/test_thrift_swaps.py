"""Another program by BMv2's load_new_config and swap_configs, on a switch that another program can follow."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import switches
from built_once import built_once
from served_switch import PROGRAM, TOOLS, make
from switch_harness import Switch, ethernet

from macsad import compilation, replacing
from macsad.compilation import Request
from macsad.control import Client
from macsad.protocol import MADE_BY_COMMAND, ControlError, Filter, Outcome, Update
from macsad.shims.cli import connection
from macsad.shims.cli.commands import run
from macsad.thrift.config import config_of
from macsad.thrift.management import Identity
from macsad.thrift.server import Server
from macsad.thrift.switch import Switch as Served
from macsad.trace.tracing import Tracer

# Of served.p4 with another constant entry: frames of kind 0xbeef go on, those of kind 0xfeed are dropped.
OTHER = PROGRAM.read_text().replace("0xdead: drop()", "0xfeed: drop()")


@pytest.fixture
def switch(tmp_path: Path) -> Iterator[Switch]:
    binary = built_once(PROGRAM, make) / PROGRAM.stem
    running = Switch(binary, tmp_path, ["--port=0=ctl:", "--port=1=ctl:", "--buffers=8192", "--replaceable"])
    yield running
    running.stop()


@pytest.fixture
def compiled() -> replacing.Programs:
    """The programs that were loaded."""
    return {}


@pytest.fixture
def say(
    switch: Switch, compiled: replacing.Programs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., str]]:
    """say(line, ...): what simple_switch_CLI prints."""
    server, served = Server("127.0.0.1", 0), Served(switch.socket)
    build = replacing.swapper(Request(PROGRAM), TOOLS, tmp_path / "built", compiled)
    server.start(served, Identity(config_of(served.program), 0, server.port), build)
    session = connection.connect("127.0.0.1", server.port, "SimplePreLAG", None)

    def said(*lines: str) -> str:
        capsys.readouterr()
        for line in lines:
            run(session, line.split())
        return capsys.readouterr().out

    yield said
    session.standard.close()
    server.close()
    served.close()


def test_a_program_is_loaded_filled_and_swapped_in(
    switch: Switch, compiled: replacing.Programs, say: Callable[..., str], tmp_path: Path
) -> None:
    """Until the swap, packets meet the old program with its entries, and commands the new one, whose tables are empty."""
    file = tmp_path / "other.p4"
    file.write_text(OTHER)
    dead, feed = ethernet(1, kind=0xDEAD), ethernet(1, kind=0xFEED)
    say("table_add exact_t count_forward 1 => 1", "mirroring_add 5 1")
    assert "NO_ONGOING_SWAP" in say("swap_configs")
    assert say(f"load_new_config_file {file}") == "Loading new Json config\n"
    assert "ONGOING_SWAP" in say(f"load_new_config_file {file}")
    assert say("table_num_entries exact_t") == "0\n"
    assert switch.client.command("table_num_entries exact_t").text == "1\n"
    say("table_add exact_t count_forward 1 => 0")
    # what an entry names is of the new program's profiles, and cannot be taken away there
    say("act_prof_create_member hops forward 1", "table_indirect_add member_t 9 => 0")
    hops = next(
        number for number, one in enumerate(switch.client.describe()["externs"]) if one["name"].endswith("hops")
    )
    remove = struct.pack(">BHQ", Update.REMOVE_MEMBER, hops, MADE_BY_COMMAND)
    assert switch.client.update([remove], next_program=True) == [(Outcome.USED, 0)]
    assert switch.client.exchange([(0, dead), (0, feed)]) == [(1, feed)]

    with Client(switch.socket) as traces:
        tracer = iter(Tracer(partial(switches.load, PROGRAM), traces, Filter(), compiled))
        switch.client.exchange([(0, dead)])
        before = next(tracer)
        assert say("swap_configs") == "Swapping configs\n"
        switch.client.exchange([(0, dead)])
        after = next(tracer)  # by the program that runs now, with the entries that it has
        assert (before.sent, after.sent) == ((), ((0, dead),))
        assert "pushed_1.p4" in after.text() and "hit entry 0 -> I.count_forward(0x0)" in after.text()
        say(f"load_new_config_file {file}", "table_add exact_t count_forward 1 => 0", "swap_configs")
        compiled.clear()  # as for a tracer that does not compile them
        switch.client.exchange([(0, dead)])
        with pytest.raises(ControlError, match="the switch runs another program now: pushed_2"):
            next(tracer)
    assert switch.client.exchange([(0, dead), (0, feed)]) == [(0, dead)]
    assert say("table_num_entries exact_t") == "1\n" and "port 1" in switch.client.command("mirroring_get 5").text
    assert "NO_ONGOING_SWAP" in say("swap_configs")


def test_a_table_s_name_is_one_of_the_program_that_runs(switch: Switch, say: Callable[..., str]) -> None:
    """In the other program another table stands where this one stood."""
    command = switch.client.command
    command("table_add exact_t count_forward 1 => 1")
    say(f"load_new_config_file {PROGRAM.with_name('other.p4')}", "swap_configs")
    assert command("table_num_entries exact_t").text == "0\n"
    command("table_add exact_t count_forward 1 => 1")
    assert [command(f"table_num_entries {name}").text for name in ("lpm_t", "new_t", "exact_t")] == [
        "0\n",
        "0\n",
        "1\n",
    ]


def test_what_took_the_first_program_s_place_is_there_when_its_first_packet_comes(
    switch: Switch,
    compiled: replacing.Programs,
    say: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reading it then would take so long that other entries are there when the packet is told."""
    file = tmp_path / "other.p4"
    file.write_text(OTHER)
    say(f"load_new_config_file {file}", "swap_configs")
    monkeypatch.setattr(compilation, "load", lambda request: pytest.fail("it is read again"))
    with Client(switch.socket) as traces:
        tracer = iter(Tracer(lambda: pytest.fail("the first one is read"), traces, Filter(), compiled))
        switch.client.exchange([(0, ethernet(1, kind=0xDEAD))])
        assert "pushed_1.p4" in next(tracer).text()


def test_what_is_no_program_changes_nothing(switch: Switch, say: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "wrong.p4"
    file.write_text("parser")
    assert "CONFIG_SWAP_DISABLED" in say(f"load_new_config_file {file}")
    file.with_suffix(".json").write_text("none")
    assert "Not a valid JSON file" in say(f"load_new_config_file {file.with_suffix('.json')}")
    assert "NO_ONGOING_SWAP" in say("swap_configs")
    say("table_add exact_t count_forward 1 => 1")
    assert switch.client.exchange([(0, ethernet(1))]) == [(1, ethernet(1))]
