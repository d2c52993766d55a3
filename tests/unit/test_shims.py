"""BMv2's commands: their options become those of `macsad run` and `build`; simple_switch_CLI prints what BMv2's prints."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from aux_frontend.bmv2_json.frontend import Bmv2Json
from click.testing import CliRunner

from macsad import cli
from macsad.control import BulkReply, Reply
from macsad.shims import p4c, runtime_cli, simple_switch
from macsad.shims.commands import Commands
from macsad.shims.write import COMMANDS
from macsad.verbs.shims import command as shims
from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source

L3FWD = Path(__file__).parents[2] / "apps" / "l3fwd" / "l3fwd.p4"


def test_the_commands_are_written_and_can_be_run(tmp_path: Path) -> None:
    result = CliRunner().invoke(shims, [str(tmp_path / "bin")])
    assert result.exit_code == 0
    for name in COMMANDS:
        script = tmp_path / "bin" / name
        assert os.access(script, os.X_OK)
        assert str(script) in result.output


# --- p4c -------------------------------------------------------------------------------------------------------------


def test_p4c_writes_json_and_p4info(tmp_path: Path) -> None:
    info, folder = tmp_path / "l3.txt", tmp_path / "out"
    words = [
        "--target",
        "bmv2",
        "--arch",
        "v1model",
        "--std",
        "p4-16",
        "--p4runtime-files",
        str(info),
        "-o",
        str(folder),
    ]
    assert p4c.main("p4c", [*words, str(L3FWD)]) == 0
    program = Bmv2Json().load(Source(folder / "l3fwd.json"), Diagnostics())
    assert [table.name for table in program.tables] == ["L3Ingress.routes"]
    assert 'name: "L3Ingress.routes"' in info.read_text()


def test_the_backend_by_its_own_name_writes_a_file(tmp_path: Path) -> None:
    assert p4c.main("p4c-bm2-ss", ["--p4v", "16", "-o", str(tmp_path / "p.json"), str(L3FWD)]) == 0
    assert (tmp_path / "p.json").read_text().startswith("{")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--target", "dpdk", str(L3FWD)], "--target dpdk: bmv2 is the target that there is"),
        (["--arch", "psa", str(L3FWD)], "--arch psa"),
        (["nothing.p4"], "nothing.p4: no such file"),
        (["--frobnicate", str(L3FWD)], "unrecognized arguments: --frobnicate"),
    ],
)
def test_p4c_tells_wrong_usage(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: object = p4c.main("p4c", words)
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert told in capsys.readouterr().err


# --- simple_switch ---------------------------------------------------------------------------------------------------


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The calls of macsad."""
    calls: list[list[str]] = []
    monkeypatch.setattr(cli, "call", lambda words: calls.append(words) or 0)
    monkeypatch.setattr(simple_switch, "socket_of", lambda port: tmp_path / f"thrift-{port}.sock")
    return calls


def started(name: str, words: str) -> object:
    try:
        return simple_switch.main(name, words.split())
    except SystemExit as stop:
        return stop.code


def test_what_mininet_starts_runs(run: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "-i 1@s1-eth1 -i 2@s1-eth2 --pcap pcaps --nanolog ipc:///tmp/bm-0-log.ipc --device-id 0 build/basic.json --log-console "
        "--thrift-port 29090 --log-flush --log-file s1.log --dump-packet-data 64 -- --grpc-server-addr 0.0.0.0:50051 "
        "--cpu-port 510 --drop-port 511 --priority-queues 8"
    )
    assert started("simple_switch_grpc", words) == 0
    (call,) = run
    assert call[:6] == ["run", "build/basic.json", "--port", "1=s1-eth1", "--port", "2=s1-eth2"]
    assert call[call.index("--log") + 1] == "s1.log"
    assert call[call.index("--socket") + 1] == str(tmp_path / "thrift-29090.sock")
    assert "--p4runtime 127.0.0.1:50051 --device-id 0 --cpu-port 510" in " ".join(call)
    told = capsys.readouterr().err
    assert "note: P4Runtime at 127.0.0.1:50051: other hosts reach `macsad serve --anywhere`" in told
    for option in ("--pcap", "--nanolog", "--dump-packet-data", "--priority-queues"):
        assert f"simple_switch_grpc: note: {option}: " in told


def test_files_are_ports(run: list[list[str]]) -> None:
    assert started("simple_switch", "-i 0@a --use-files 0 --thrift-port 29091 p.json") == 0
    assert "0=pcap:a_in.pcap,a_out.pcap" in run[0]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "name a program"),
        ("-i eth0 p.json", "'eth0' is not PORT@INTERFACE"),
        ("--drop-port 5 p.json", "the drop port is 511"),
        ("--restore-state f p.json", "cannot be restored"),
        ("--frobnicate p.json", "unrecognized arguments: --frobnicate"),
        ("--no-p4", "a switch has its program from the beginning"),
    ],
)
def test_what_cannot_be_is_told(
    run: list[list[str]], words: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert started("simple_switch", words) in (1, 2)
    assert told in capsys.readouterr().err
    assert not run


# --- simple_switch_CLI -----------------------------------------------------------------------------------------------


class Switch:
    """Answers as a switch with one table does."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def describe(self) -> dict[str, Any]:
        table = {"name": "I.routes", "const_entries": False, "const_default": False,
                 "key": [{"name": "ip", "match": "lpm", "bits": 32}], "actions": []}  # fmt: skip
        externs = [
            {"name": "I.r", "kind": "register", "fields": []},
            {"name": "I.p", "kind": "action_profile", "table": "I.routes", "fields": []},
        ]
        return {"name": "p", "source": "p.p4", "tables": [table], "externs": externs, "value_sets": [],
                "ports": [{"port": 0, "name": "veth0"}]}  # fmt: skip

    def command(self, line: str) -> Reply:
        if line == "help":
            return Reply(
                True, "table_add T A\n    add\nmc_node_create R\n    create\nact_prof_create_member P A\n    create\n"
            )
        self.lines.append(line)
        if "unknown" in line:
            return Reply(False, "no table 'unknown'")
        return Reply(True, "Entry has been added with handle 0\n" if line.startswith("table_add") else "")

    def bulk(self, lines: Iterable[str], **_: bool) -> BulkReply:
        self.lines += lines
        return BulkReply(len(self.lines), 0, "")


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("table_add routes go 10.0.0.0/8 => 1", "Adding entry to lpm match table routes\n"),
        ("table_add routes go 10.0.0.0/8 => 1", "Entry has been added with handle 0\n"),
        ("table_add unknown go 1 => 1", "Error: no table 'unknown'\n"),
        ("mc_node_create 7 1 3", "Creating node with rid 7, port map 1010 and lag map \n"),
        ("show_ports", "  port #       iface name       status  extra info\n"),
        ("port_add eth0 1", "Error: port_add: ports are those that the switch was started with (-i)\n"),
        ("set_queue_depth 5", "Error: set_queue_depth: packets do not wait in queues here\n"),
        ("frobnicate 1", "*** Unknown syntax: frobnicate 1\n"),
    ],
)
def test_what_is_printed(line: str, printed: str) -> None:
    assert printed in Commands(Switch()).answer(line.split())  # type: ignore[arg-type]


def test_older_names_are_those_of_profiles() -> None:
    switch = Switch()
    Commands(switch).answer(["table_indirect_create_member", "routes", "go", "1"])  # type: ignore[arg-type]
    assert switch.lines == ["act_prof_create_member I.p go 1"]


def test_reset_state_clears_tables_and_registers() -> None:
    switch = Switch()
    assert Commands(switch).answer(["reset_state"]) == ""  # type: ignore[arg-type]
    assert switch.lines == ["table_clear I.routes", "table_reset_default I.routes", "register_reset I.r"]


def test_no_switch_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert runtime_cli.main("simple_switch_CLI", ["--socket", str(tmp_path / "none.sock")]) == 1
    assert "Could not connect" in capsys.readouterr().err
