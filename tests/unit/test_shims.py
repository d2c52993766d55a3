"""BMv2's commands: their options become those of `macsad run` and `build`; simple_switch_CLI prints what BMv2's prints."""

from __future__ import annotations

import io
import json
import os
import runpy
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from aux_frontend.bmv2_json.frontend import Bmv2Json
from click.testing import CliRunner

from macsad import cli
from macsad.shims import p4c, runtime_cli, simple_switch
from macsad.shims.cli.program import Program
from macsad.shims.cli.session import Session
from macsad.shims.write import COMMANDS, write
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


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("simple_switch", simple_switch), ("simple_switch_grpc", simple_switch), ("simple_switch_CLI", runtime_cli),
        ("p4c-bm2-ss", p4c), ("p4c", p4c),
    ],
)  # fmt: skip
def test_a_command_calls_its_module_by_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: Any
) -> None:
    """With its words, and ends as that does; the interpreter is the one that macsad runs with."""
    script = next(path for path in write(tmp_path / "bin") if path.name == name)
    assert script.read_text().startswith(f"#!{sys.executable}\n# {name} of macsad (written by `macsad shims`)\n")
    asked: list[Any] = []
    monkeypatch.setattr(module, "main", lambda *given: asked.append(given) or 7)
    monkeypatch.setattr(sys, "argv", [str(script), "-i", "0@eth0"])
    runpy.run_path(str(script))
    assert not asked
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(script), run_name="__main__")
    assert (asked, ended.value.code) == ([(name, ["-i", "0@eth0"])], 7)


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


def test_the_backend_by_its_own_name_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--p4v", "16", "--Werror", "--emit-externs", "-g", "-o", str(tmp_path / "p.json"), str(L3FWD)]
    assert p4c.main("p4c-bm2-ss", words) == 0
    told = capsys.readouterr().err
    assert "p4c-bm2-ss: note: --Werror: " in told and "note: --emit-externs: " in told
    assert (tmp_path / "p.json").read_text().startswith("{")


@pytest.mark.parametrize("target", ["bmv2", "bmv2-ss-p4org", "bmv2-v1model-p4org"])
def test_targets_are_bmv2_by_all_its_names(target: str, tmp_path: Path) -> None:
    assert p4c.main("p4c", ["-b", target, "-o", str(tmp_path), str(L3FWD)]) == 0
    assert (tmp_path / "l3fwd.json").is_file()


INTERNAL, AS_THEY_ARE = "p4c's own representation is not written", "warnings are what they are"


@pytest.mark.parametrize(
    ("words", "notes"),
    [
        (["--toJSON", "f"], [f"--toJSON: {INTERNAL}"]),
        (["--pp", "f", "--dump", "d"], [f"--pp: {INTERNAL}", f"--dump: {INTERNAL}"]),
        (["--top4", "x", "--Tlog", "y", "--testJson"], [f"--top4: {INTERNAL}", f"--Tlog: {INTERNAL}", f"--testJson: {INTERNAL}"]),
        (["--Wdisable", "--Werror=x", "--Wwarn"], [f"--{name}: {AS_THEY_ARE}" for name in ("Wdisable", "Werror", "Wwarn")]),
        (["--emit-externs", "--ndebug", "-g"],
         ["--emit-externs: extern instances are not written", "--ndebug: assertions of the program stay"]),
    ],
)  # fmt: skip
def test_what_p4c_has_and_has_no_effect_here(
    words: list[str], notes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert p4c.main("p4c-bm2-ss", [*words, "-o", str(tmp_path), str(L3FWD)]) == 0
    assert capsys.readouterr().err.splitlines() == [f"p4c-bm2-ss: note: {note}" for note in notes]
    assert (tmp_path / "l3fwd.json").is_file(), "in a folder it has the program's name"


@pytest.mark.parametrize(
    ("words", "std"),
    [(["--std", "p4_14"], "p4-14"), (["--std", "p4-16"], "p4-16"), (["--p4v", "14"], "p4-14"), ([], None),
     (["--std", "p4-16", "--p4v", "14"], "p4-16")],
)  # fmt: skip
def test_what_the_compiler_is_asked_for(
    words: list[str], std: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(p4c, "_write", lambda *given: asked.append(given))
    files = ["--p4runtime-files", "a.txtpb,b.bin", "--p4runtime-file", "c.json", "--p4runtime-format", "txt"]
    assert (
        p4c.main(
            "p4c", [*words, *files, "-I", "i", "-I", "j", "-D", "X=1", "-DY", "-o", str(tmp_path / "o"), str(L3FWD)]
        )
        == 0
    )
    language = ["--std", std] if std else []
    assert asked == [(
        [str(L3FWD), *language, "-I", "i", "-I", "j", "-D", "X=1", "-D", "Y"], tmp_path / "o" / "l3fwd.json",
        [Path("a.txtpb"), Path("b.bin"), Path("c.json")], "txt",
    )]  # fmt: skip
    assert p4c.main("p4c-bm2-ss", ["-o", str(tmp_path / "o"), str(L3FWD)]) == 0 and asked[-1][1:] == (
        tmp_path / "o",
        [],
        None,
    )
    assert p4c.main("p4c-bm2-ss", [str(L3FWD)]) == 0 and asked[-1][1] == Path("l3fwd.json")


TEXT = b"# proto-file: p4/config/v1/p4info.proto\n"


@pytest.mark.parametrize(
    ("form", "file", "begins"),
    [
        ([], "i.txt", TEXT), ([], "i.txtpb", TEXT), ([], "i.json", b"{"), ([], "i.bin", b"\n"),
        (["text"], "i.json", TEXT), (["txt"], "i.bin", TEXT), (["json"], "i.txt", b"{"),
        (["binary"], "i.txt", b"\n"),
    ],
)  # fmt: skip
def test_p4info_has_the_form_that_is_asked_for(form: list[str], file: str, begins: bytes, tmp_path: Path) -> None:
    """Else that of its suffix."""
    words = [word for one in form for word in ("--p4runtime-format", one)]
    place = tmp_path / file
    assert p4c.main("p4c", [*words, "--p4runtime-files", str(place), "-o", str(tmp_path), str(L3FWD)]) == 0
    assert place.read_bytes().startswith(begins)


def test_the_program_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "p.p4"
    program.write_text(L3FWD.read_text())
    assert p4c.main("p4c-bm2-ss", ["-o", str(program), str(program)]) == cli.USAGE
    assert "which is read" in capsys.readouterr().err and program.read_text() == L3FWD.read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--target", "dpdk", str(L3FWD)], "--target dpdk: bmv2 is the target that there is"),
        (["--arch", "psa", str(L3FWD)], "--arch psa"),
        (["nothing.p4"], "nothing.p4: no such file"),
        (["--frobnicate", str(L3FWD)], "unrecognized arguments: --frobnicate"),
        (["--p4runtime-fi", "x", str(L3FWD)], "unrecognized arguments: --p4runtime-fi"),
        (["-E", str(L3FWD)], "-E: what the preprocessor makes is not written"),
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
    """The calls of macsad, in a folder with programs and a state."""
    calls: list[list[str]] = []
    monkeypatch.chdir(tmp_path)
    for name in ("build/basic.json", "p.json", "state"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("{}")
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
        "-i 1@s1-eth1 -i 2@s1-eth2 --pcap pcaps --nanolog ipc:///tmp/bm-0-log.ipc --device-id 0 build/basic.json "
        "--thrift-port 29090 --log-flush --log-console --dump-packet-data 64 -- --grpc-server-addr 0.0.0.0:50051 "
        "--cpu-port 510 --drop-port 511 --priority-queues 8"
    )
    assert started("simple_switch_grpc", words) == 0
    (call,) = run
    assert call[:6] == ["run", "build/basic.json", "--port", "1=s1-eth1", "--port", "2=s1-eth2"]
    assert call[call.index("--socket") + 1] == str(tmp_path / "thrift-29090.sock")
    assert "--device-id 0 --p4runtime 127.0.0.1:50051 --cpu-port 510" in " ".join(call)
    for words in ("--queues --priority-queues 8", "--pcap pcaps", "--buffers 4096 --max-frame 10262"):
        assert words in " ".join(call)
    assert call[call.index("--thrift") + 1] == "29090"
    assert call[call.index("--trace") + 1] == "-"
    told = capsys.readouterr().err
    assert "note: P4Runtime at 127.0.0.1:50051: other hosts reach `macsad serve --anywhere`" in told
    assert "simple_switch_grpc: note: --nanolog: " in told
    assert "--trace - --trace-bytes 64" in " ".join(call)


@pytest.mark.parametrize("option", [True, False], ids=["option", "variable"])
def test_super_frames_are_whole_where_that_is_asked_for(
    run: list[list[str]], option: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not option:
        monkeypatch.setenv("MACSAD_WHOLE", "1")
    words = "--whole" if option else ""
    assert started("simple_switch", f"-i 1@s1-eth1 -i 2@tap:t {words} p.json") == 0
    told = " ".join(run[0])
    assert "--port 1=af_packet:s1-eth1,whole --port 2=tap:t" in told
    assert "--buffers 1024 --max-frame 65535" in told


@pytest.mark.parametrize("value", ["", "0"])
def test_super_frames_are_segmented_where_the_variable_says_so(
    run: list[list[str]], value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MACSAD_WHOLE", value)
    assert started("simple_switch", "-i 1@s1-eth1 p.json") == 0
    assert "--port 1=s1-eth1 --buffers 4096 --max-frame 10262" in " ".join(run[0])


def test_a_log_file_has_what_becomes_of_packets_and_messages(run: list[list[str]]) -> None:
    assert started("simple_switch", "--log-file ss-log p.json") == 0
    assert started("simple_switch", "--log-file a/s1.log --log-file-max-size 700 --log-file-max-files 0 p.json") == 0
    usual, small = run
    assert "--log ss-log.txt --trace ss-log.txt --trace-limit 5242880 3" in " ".join(usual)
    assert "--log a/s1.log.txt --trace a/s1.log.txt --trace-limit 700 0" in " ".join(small)


@pytest.mark.parametrize("log", ["--log-console", "--log-file ss-log"])
@pytest.mark.parametrize(("level", "tells"), [("trace", True), ("info", True), ("warn", False), ("off", False)])
def test_the_level_says_whether_packets_are_told(run: list[list[str]], log: str, level: str, tells: bool) -> None:
    assert started("simple_switch", f"{log} -L {level} p.json") == 0
    assert ("--trace" in run[0]) is tells


def test_files_are_ports(run: list[list[str]]) -> None:
    assert started("simple_switch", "-i 0@a --use-files 0 --thrift-port 29091 p.json") == 0
    assert "0=pcap:a_in.pcap,a_out.pcap" in run[0]


def test_a_state_is_restored_before_the_first_packet(run: list[list[str]], tmp_path: Path) -> None:
    assert started("simple_switch", "--restore-state state p.json") == 0
    assert run[0][run[0].index("--entries") + 1] == "state"


def test_without_a_program(run: list[list[str]]) -> None:
    assert started("simple_switch_grpc", "-i 0@a --no-p4 -- --cpu-port 510") == 0
    assert started("simple_switch", "-i 0@a --no-p4") == 0
    by_grpc, by_thrift = run
    assert Path(by_grpc[1]).is_file() and by_thrift[1] == by_grpc[1]
    assert "--await-program" in by_grpc and "--p4runtime" in by_grpc
    assert "--replaceable" in by_thrift and "--await-program" not in by_thrift


def test_the_folder_of_pcaps_may_be_left_out(run: list[list[str]], tmp_path: Path) -> None:
    program = tmp_path / "p.json"
    program.write_text("{}")
    assert started("simple_switch", f"-i 0@a --pcap {program}") == 0
    assert run[0][1] == str(program)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "name a program, as PROGRAM.json, or give --no-p4"),
        ("--pcap pcaps", "name a program, as PROGRAM.json, or give --no-p4"),
        ("nothing.json", "simple_switch: error: nothing.json: no such file"),
        ("--restore-state nothing p.json", "simple_switch: error: nothing: no such file"),
        ("--thrift-port 70000 p.json", "--thrift-port 70000: not in 0..65535"),
        ("-i 1@a -i 2@b -i 01@c p.json", "-i 01@c: port 1 is there twice"),
        ("-i eth0 p.json", "'eth0' is not PORT@INTERFACE"),
        ("--drop-port 5 p.json", "the drop port is 511"),
        ("--packet-in ipc:///tmp/x p.json", "packets are not taken from nanomsg"),
        ("--use-files 2 p.json", "files are read at once; give 0"),
        ("--no-p", "error: unrecognized arguments: --no-p (see simple_switch --help)\n"),
        ("--frobnicate p.json", "error: unrecognized arguments: --frobnicate (see simple_switch --help)\n"),
        ("--no-p4 p.json", "--no-p4 and a program"),
        ("--log-file a --log-console p.json", "--log-console: not allowed with argument --log-file"),
        ("--log-level much p.json", "invalid choice: 'much'"),
        ("--log-file a --log-file-max-size 0 p.json", "--log-file-max-size is at least 1"),
    ],
)
def test_what_cannot_be_is_told(
    run: list[list[str]], words: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert started("simple_switch", words) in (1, 2)
    assert told in capsys.readouterr().err
    assert not run


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        ("simple_switch", "nothing.json", 2), ("simple_switch", "-i eth0 p.json", 2), ("simple_switch", "--no-p4 p.json", 2),
        ("simple_switch", "--drop-port 5 p.json", 1), ("simple_switch", "--drop-port 511 p.json", 0),
        ("simple_switch", "--thrift-port 65536 p.json", 1), ("simple_switch", "--thrift-port 65535 p.json", 0),
        ("simple_switch", "--thrift-port 0 p.json", 0), ("simple_switch", "--thrift-port -1 p.json", 1),
        ("simple_switch", "--use-files 0 p.json", 0), ("simple_switch", "--log-file-max-size 1 p.json", 0),
        ("simple_switch", "--log-file-max-files 0 p.json", 0), ("simple_switch", "--log-file-max-files -1 p.json", 1),
        ("simple_switch", "--grpc-server-addr :1 p.json", 2), ("simple_switch_grpc", "--enable-swap p.json", 2),
        ("simple_switch_grpc", "--disable-swap p.json", 0), ("simple_switch", "--disable-swap p.json", 2),
        ("simple_switch_grpc", "--grpc-server-ssl p.json", 1), ("simple_switch_grpc", "--dp-grpc-server-addr :1 p.json", 1),
        ("simple_switch_grpc", "--grpc-server-with-client-auth p.json", 1), ("simple_switch", "--version", 0),
    ],
)  # fmt: skip
def test_how_a_command_ends(run: list[list[str]], name: str, words: str, code: int) -> None:
    """2: wrong usage; 1: what a switch cannot be."""
    assert started(name, words) == code and len(run) == (code == 0 and words != "--version")


@pytest.mark.parametrize(
    ("name", "words", "there", "not_there"),
    [
        ("simple_switch", "", "--port 510=ctl: --buffers 4096 --max-frame 10262 --device-id 0", "--replaceable --queues --trace"),
        ("simple_switch", "--device-id 3 --enable-swap", "--device-id 3 --replaceable", "--await-program"),
        ("simple_switch", "--priority-queues 1", "", "--queues"),
        ("simple_switch", "--priority-queues 2", "--queues --priority-queues 2", ""),
        ("simple_switch", "--dump-packet-data 1", "", "--trace-bytes"),
        ("simple_switch", "--log-console", "--trace -", "--trace-bytes"),
        ("simple_switch", "--log-console --dump-packet-data 1", "--trace - --trace-bytes 1", "--log"),
        ("simple_switch", "--log-file a -L warn --dump-packet-data 1", "--log a.txt", "--trace-bytes"),
        ("simple_switch", "-i 1@whole:x", "--port 1=whole:x", ""), ("simple_switch", "-i 3@a@b", "--port 3=a@b", ""),
        ("simple_switch_grpc", "", "--p4runtime 127.0.0.1:9559", "--cpu-port --await-program --replaceable"),
        ("simple_switch_grpc", "--grpc-server-addr [::]:5 --cpu-port 0", "--p4runtime 127.0.0.1:5 --cpu-port 0", ""),
        ("simple_switch_grpc", "--grpc-server-addr :5", "--p4runtime 127.0.0.1:5", ""),
        ("simple_switch_grpc", "--grpc-server-addr 0.0.0.0:5", "--p4runtime 127.0.0.1:5", ""),
        ("simple_switch_grpc", "--grpc-server-addr 10.0.0.1:5", "--p4runtime 10.0.0.1:5", ""),
    ],
)  # fmt: skip
def test_options_become_those_of_macsad(
    run: list[list[str]], name: str, words: str, there: str, not_there: str
) -> None:
    assert started(name, f"{words} p.json") == 0
    assert there in " ".join(run[0]) and not set(not_there.split()) & set(run[0])


def test_all_that_macsad_is_asked_for(run: list[list[str]], tmp_path: Path) -> None:
    """A switch is built beside its socket, whose name has the Thrift port."""
    words = "-i 1@a -i 2@b --thrift-port 29090 --device-id 3 --restore-state state --pcap caps --priority-queues 2"
    logs = "--log-file f --log-file-max-size 9 --log-file-max-files 4 --dump-packet-data 5"
    for name, own, options in (
        ("simple_switch", "--enable-swap", ["--replaceable"]),
        ("simple_switch_grpc", "--grpc-server-addr h:5 --cpu-port 7", ["--p4runtime", "h:5", "--cpu-port", "7"]),
    ):
        assert started(name, f"{words} {logs} p.json -- {own}") == 0
        assert run.pop() == [
            "run", "p.json", "--port", "1=a", "--port", "2=b", "--buffers", "4096", "--max-frame", "10262", "--device-id", "3",
            *options, "--entries", "state", "--pcap", "caps", "--queues", "--priority-queues", "2", "--log", "f.txt",
            "--trace", "f.txt", "--trace-limit", "9", "4", "--trace-bytes", "5", "--thrift", "29090",
            "--socket", str(tmp_path / "thrift-29090.sock"), "-o", str(tmp_path / "thrift-29090"),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--packet-in x", "error: --packet-in: packets are not taken from nanomsg: name interfaces by -i"),
        ("--dp-grpc-server-addr x", "error: --dp-grpc-server-addr: packets cannot be injected over gRPC"),
        ("--grpc-server-ssl", "error: --grpc-server-ssl: `macsad serve` beside the switch has TLS"),
        ("--grpc-server-with-client-auth",
         "error: --grpc-server-with-client-auth: `macsad serve` beside the switch has TLS"),
        ("--nanolog x --debugger --debugger-addr y --notifications-addr z --grpc-server-addr h:1",
         "note: --nanolog: no events are sent to nanomsg\n"
         "note: --notifications-addr: no notifications are sent to nanomsg; digests go to subscribers of the control socket\n"
         "note: --debugger: there is no debugger\nnote: --debugger-addr: there is no debugger"),
        ("--log-flush --max-port-count 5 --max-mc-groups 5 --max-l1-entries 5 --max-l2-entries 5 --disable-swap "
         "--grpc-server-addr h:1 --grpc-server-cert x", ""),
    ],
)  # fmt: skip
def test_what_is_told_of_options_of_bmv2(
    run: list[list[str]], words: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert started("simple_switch_grpc", f"{words} p.json") == (1 if told.startswith("error") else 0)
    assert capsys.readouterr().err.replace("simple_switch_grpc: ", "").strip() == told


@pytest.mark.parametrize(
    ("words", "noted"),
    [("--debugger", 1), ("--debugger-addr x --notifications-addr y", 2), ("--log-flush --max-port-count 5", 0)],
)
def test_what_has_no_effect_is_told_where_it_asks_for_something(
    run: list[list[str]], words: str, noted: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert started("simple_switch", f"{words} p.json") == 0
    assert capsys.readouterr().err.count("simple_switch: note: --") == noted


# --- simple_switch_CLI: tests/thrift has its commands -----------------------------------------------------------------


def test_no_switch_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert runtime_cli.main("simple_switch_CLI", ["--thrift-port", str(port)]) == 1
    assert f"Could not connect to thrift client on port {port}" in capsys.readouterr().out


def test_a_switch_that_goes_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """When it is asked for its program, and at a command."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = str(listening.getsockname()[1])
        hang_up = threading.Thread(target=lambda: listening.accept()[0].close())
        hang_up.start()
        assert runtime_cli.main("simple_switch_CLI", ["--thrift-port", port, "--thrift-ip", "127.0.0.1"]) == 1
        hang_up.join()
    told, errors = capsys.readouterr()
    assert told.startswith(
        f"Obtaining JSON from switch...\nCould not connect to thrift client on port {port}\nMake sure "
    )
    assert errors.startswith("simple_switch_CLI: error: Error when requesting JSON config from switch: ")


def test_a_switch_that_goes_between_commands_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from macsad.shims.cli import connection

    class Gone:
        def __getattr__(self, name: str) -> object:
            raise ConnectionResetError("reset by peer")

    monkeypatch.setattr(
        connection, "connect", lambda *_: Session(Gone(), Gone(), Gone(), True, Program(json.dumps(PROGRAM)))
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("show_tables\ntable_num_entries I.t\nshow_tables\n"))
    monkeypatch.setattr(runtime_cli.Prompt, "use_rawinput", False)
    assert runtime_cli.main("simple_switch_CLI", []) == 1
    told, errors = capsys.readouterr()
    assert told.count("I.t ") == 1 and errors == "simple_switch_CLI: error: the switch has gone: reset by peer\n"


PROGRAM = {
    "actions": [{"name": "I.go", "runtime_data": []}, {"name": "I.drop", "runtime_data": []}],
    "pipelines": [
        {"tables": [{"name": "I.t", "match_type": "exact", "type": "simple", "key": [], "actions": ["I.go"]}]}
    ],
    "register_arrays": [{"name": "I.r", "bitwidth": 8}],
}


@pytest.fixture
def prompt() -> runtime_cli.Prompt:
    """Of a session without a switch."""
    nobody = object()
    return runtime_cli.Prompt(Session(nobody, nobody, nobody, True, Program(json.dumps(PROGRAM))))


@pytest.mark.parametrize(
    ("line", "text", "found"),
    [
        ("table_add ", "", ["I.t"]),
        ("table_add I", "I", ["I.t"]),
        ("table_add x", "x", []),
        ("register_read ", "", ["I.r"]),
        ("table_add I.t ", "", ["I.go"]),
        ("table_add I.t I.d", "I.d", []),
        ("table_add none ", "", []),
        ("show_tables ", "", []),
        ("nonesuch ", "", []),
        ("", "", []),
    ],
)
def test_names_are_completed(prompt: runtime_cli.Prompt, line: str, text: str, found: list[str]) -> None:
    """First the thing, then its actions."""
    assert prompt.completedefault(text, line) == found


def test_commands_are_completed_and_explained(prompt: runtime_cli.Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    assert prompt.completenames("pvs_") == ["pvs_add", "pvs_clear", "pvs_get", "pvs_remove"]
    lines = {
        "help pvs_get": "the values of a parser value set, one a line: pvs_get <pvs name>\n",
        "? show_pvs": "list the parser value sets: show_pvs\n", "help none": "*** No help on none\n",
        "": "", "  ": "", "# table_add": "", "!echo a b": "a b\n\n", "frobnicate x": "*** Unknown syntax: frobnicate x\n",
    }  # fmt: skip
    for line, said in lines.items():
        assert not prompt.onecmd(line) and capsys.readouterr().out == said
    prompt.stdout = listed = io.StringIO()
    assert not prompt.onecmd("help") and "table_add" in listed.getvalue().split()
    capsys.readouterr()
    assert prompt.onecmd("EOF") and capsys.readouterr().out == "\n"


def test_who_waits_for_the_ports_does_not_wait_for_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    reached = []

    def compiling(*_: object, **__: object) -> None:
        for port in ports:
            socket.create_connection(("127.0.0.1", port)).close()
            reached.append(port)
        raise SystemExit(5)

    ports = []
    for _ in range(2):
        with socket.create_server(("127.0.0.1", 0)) as free:
            ports.append(free.getsockname()[1])
    monkeypatch.setattr("macsad.verbs.run.served", compiling)
    words = ["--thrift", str(ports[0]), "--p4runtime", f"127.0.0.1:{ports[1]}"]
    with pytest.raises(SystemExit):
        cli.call(["run", str(L3FWD), "--port", "0=ctl:", *words])
    assert reached == ports


def test_a_port_that_another_process_has_is_told_before_anything_is_compiled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code = cli.call(["run", str(L3FWD), "--port", "0=ctl:", "--thrift", str(port)])
    assert code == 1
    assert f"cannot serve Thrift at port {port}: Address already in use" in capsys.readouterr().err
