"""How `macsad run` ends: by a signal to it alone, by its own death, by the end of its inputs; and what it refuses to read."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import switches
from switch_harness import write_pcap

from macsad import running
from macsad.control import Client
from macsad.protocol import NoSwitchError

RUN = """
import sys
from pathlib import Path
from macsad import running
binary, ports, entries, socket = sys.argv[1:5]
sys.exit(running.run((binary,), tuple(ports.split()), Path(entries) if entries else None, Path(socket), ()))
"""
LOOPS_NOT = bytes([3]) * 60  # a frame that endless.p4 sends to port 1


@pytest.fixture(scope="module")
def binary() -> Path:
    return switches.build(Path(__file__).parent / "endless.p4")


Launch = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def launch(binary: Path, tmp_path: Path) -> Iterator[Launch]:
    """launch("0=ctl:", …): what `macsad run` does with a compiled switch, in a process group of its own."""
    started: list[subprocess.Popen[str]] = []

    def start(*ports: str, entries: Path | str = "", **options: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", RUN, binary, " ".join(ports), entries, tmp_path / "sock"]
        usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
        usual["preexec_fn"] = lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
        started.append(subprocess.Popen(list(map(str, command)), **{**usual, **options}))  # type: ignore[call-overload]
        return started[-1]

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # a switch that has been left behind, too
        process.communicate()


def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.01)


def listens(socket: Path) -> bool:
    try:
        with Client(socket):
            return True
    except NoSwitchError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_launcher_alone_ends_the_switch(launch: Launch, tmp_path: Path, number: signal.Signals) -> None:
    process = launch("0=ctl:")
    until(lambda: listens(tmp_path / "sock"))
    process.send_signal(number)
    output, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")
    assert "received 0 + copies 0 = sent 0 + dropped 0" in output
    assert not (tmp_path / "sock").exists()


def test_no_switch_outlives_a_launcher_that_is_killed(launch: Launch, tmp_path: Path) -> None:
    process = launch("0=ctl:")
    until(lambda: listens(tmp_path / "sock"))
    process.kill()
    output, _ = process.communicate(timeout=20)  # until the switch has closed its end as well
    assert "received 0 + copies 0 = sent 0 + dropped 0" in output
    assert not (tmp_path / "sock").exists()


def test_a_switch_whose_launcher_has_ended_before_it_began(binary: Path, tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    command = [binary, "--port=0=ctl:", f"--socket={tmp_path}/sock", f"--parent={ended.pid}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_end_of_the_terminal_is_ignored_where_it_was_before(launch: Launch, tmp_path: Path) -> None:
    process = launch("0=ctl:", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    until(lambda: listens(tmp_path / "sock"))
    process.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)


def on_screen(written: str) -> list[str]:
    """What a terminal shows in the end."""
    lines, row = [""], 0
    for part in re.findall(r"\x1b\[\d*A|\x1b\[2K|\x1b\[[?\d;]*[a-zA-Z]|\r|\n|[^\x1b\r\n]+", written):
        if part == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif part.endswith("A") and part.startswith("\x1b"):
            row -= int(part[2:-1] or "1")
        elif part == "\x1b[2K":
            lines[row] = ""
        elif not part.startswith(("\x1b", "\r")):
            lines[row] += part
    return lines


def test_what_the_switch_prints_stays_on_a_terminal(launch: Launch) -> None:
    """The counters that are redrawn are gone in the end, and its own table is there."""
    reader, terminal = pty.openpty()
    running = launch("0=ctl:", stdout=terminal, stderr=terminal)
    os.close(terminal)
    written = ""
    while text := _read(reader):
        if "pps" in text and "pps" not in written:
            running.send_signal(signal.SIGINT)
        written += text
    os.close(reader)
    shown = "\n".join(on_screen(written))
    assert running.wait(timeout=20) == 0
    assert re.fullmatch(r"ready: port 0 ctl:.*\n port .*missed.*\n    0  ctl:.*\nreceived 0 \+ .*\n+", shown), shown


def _read(descriptor: int) -> str:
    """Empty when no process has the terminal any more."""
    try:
        return os.read(descriptor, 65536).decode()
    except OSError:
        return ""


@pytest.mark.parametrize("others", [["1=null:"], ["1=mem:{}", "2=null:"], ["1=pcap:,{}.out"]])
def test_it_ends_when_no_port_can_receive_any_more(launch: Launch, tmp_path: Path, others: list[str]) -> None:
    file = tmp_path / "in.pcap"
    write_pcap(file, [LOOPS_NOT] * 10)
    process = launch(f"0=pcap:{file}", *(port.format(file) for port in others))
    output, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")
    received = 20 if "mem" in others[0] else 10
    assert f"received {received} + copies 0 = sent {received} + dropped 0" in output


def test_it_goes_on_where_a_port_receives_for_ever(launch: Launch, tmp_path: Path) -> None:
    file = tmp_path / "in.pcap"
    write_pcap(file, [LOOPS_NOT] * 10)
    process = launch(f"0=pcap:{file}", f"1=mem:{file},loop")
    until(lambda: listens(tmp_path / "sock"))
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    process.terminate()
    assert process.wait(20) == 0


def test_the_launcher_knows_the_options_of_the_switch(binary: Path) -> None:
    told = subprocess.run([binary, "--help"], capture_output=True, text=True, check=True).stdout
    assert set(running.SWITCH_OPTIONS) == set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", told, re.MULTILINE))


# --- entries ----------------------------------------------------------------------------------------------------------


def bounded() -> None:
    """Of the address space: a switch has its pool, and maps no more than that many bytes."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path.symlink_to("/dev/zero"), ":1: error: the line is longer than 1048576 bytes"),
        (lambda path: path.write_text("\n\n" + "x" * (2 << 20)), ":3: error: the line is longer than 1048576 bytes"),
        (lambda path: path.mkdir(), "cannot read the entries file"),
    ],
)
def test_entries_that_are_none(launch: Launch, tmp_path: Path, make: Callable[[Path], None], why: str) -> None:
    make(tmp_path / "entries")
    process = launch("0=ctl:", entries=tmp_path / "entries", preexec_fn=bounded)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert f"{tmp_path}/entries" in errors
    assert why in errors


def test_entries_from_a_pipe(launch: Launch, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "entries")
    process = launch("0=ctl:", entries=tmp_path / "entries")
    with (tmp_path / "entries").open("w") as pipe:
        pipe.write("show_tab")
        pipe.flush()
        time.sleep(0.05)
        pipe.write("les\nnonsense")
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert errors.startswith(f"{tmp_path}/entries:2: error: no command 'nonsense'")


def test_a_signal_ends_it_while_it_waits_for_entries(launch: Launch, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "entries")
    process = launch("0=ctl:", entries=tmp_path / "entries")
    writer: list[int] = []

    def is_read() -> bool:
        with contextlib.suppress(OSError):  # as long as nobody reads it
            writer.append(os.open(tmp_path / "entries", os.O_WRONLY | os.O_NONBLOCK))
        return bool(writer)

    until(is_read)
    process.terminate()
    _, errors = process.communicate(timeout=20)
    os.close(writer[0])
    assert (process.returncode, errors) == (0, "")


# --- descriptors ------------------------------------------------------------------------------------------------------


def test_without_a_free_descriptor_clients_wait_and_nothing_spins(binary: Path, tmp_path: Path) -> None:
    few = 12

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, few))

    socket = tmp_path / "sock"
    command = [binary, "--port=0=ctl:", f"--socket={socket}"]
    process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True, preexec_fn=limit)
    clients: list[Client] = []
    try:
        until(lambda: listens(socket))
        used = process_seconds(process.pid)
        clients = [Client(socket, timeout=0.5) for _ in range(few)]
        with pytest.raises(TimeoutError):
            clients[-1].command("show_ports")
        assert process_seconds(process.pid) - used < 0.3
        for client in clients:
            client.close()
        until(lambda: answers(socket))
    finally:
        for client in clients:
            client.close()
        process.terminate()
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "error: control clients wait: Too many open files\n")


def answers(socket: Path) -> bool:
    try:
        with Client(socket, timeout=0.5) as client:
            return client.command("show_ports").ok
    except TimeoutError:
        return False


def process_seconds(pid: int) -> float:
    """Of the CPU, all its threads together."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
