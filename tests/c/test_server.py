"""The control server of a running switch: when it answers, whom, and how soon."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from switch_harness import Switch, ethernet, read_pcap

from macsad.control import Client

Build = Callable[..., Path]

REFUSED = 77


@pytest.mark.parametrize("driver", ["af_packet", "af_xdp"])
def test_no_frame_is_lost_once_the_socket_answers(sample: Path, driver: str) -> None:
    missing = [tool for tool in ("unshare", "ip") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    unshare = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("the kernel refuses network namespaces")
    script = Path(__file__).parent / "runtime" / "first_frames.py"
    command = [*unshare, sys.executable, str(script), driver, str(sample)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode == REFUSED:
        pytest.skip(f"the kernel refuses: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr + done.stdout


# --- many who ask -----------------------------------------------------------------------------------------------------

ENTRIES = 70_000  # as many as one answer holds, and more
SOON_S = 4.0  # a few milliseconds on an idle machine; what is looked for takes ten times as long
DUMP = b"table_dump routes\n"
END = b"**********\n(there are more: 70000 entries)\n==========\n"
END += b"Dumping default entry\nAction entry: Ingress.drop - \n==========\n"


@pytest.fixture
def laden(build_sample: Build, tmp_path: Path) -> Iterator[Switch]:
    """A switch with a large table; killed in the end if it has not ended."""
    entries = tmp_path / "entries"
    with entries.open("w") as file:
        for i in range(ENTRIES):
            file.write(f"table_add routes forward {i >> 16 & 255}.{i >> 8 & 255}.{i & 255}.0/24 => {i % 500}\n")
    switch = Switch(build_sample(), tmp_path, ["--port=0=ctl:", f"--entries={entries}"])
    yield switch
    switch.process.kill()
    switch.process.communicate()


def message(kind: int, payload: bytes) -> bytes:
    return struct.pack(">IBBH", len(payload), kind, 0, 1) + payload


def raw(switch: Switch) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(60)
    connection.connect(str(switch.socket))
    return connection


def seconds(action: Callable[[], object]) -> float:
    begin = time.monotonic()
    action()
    return time.monotonic() - begin


def waits_for_answer(connection: socket.socket) -> bool:
    """Nothing has come yet."""
    connection.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        return not connection.recv(1)
    return True


def test_a_client_that_asks_for_much_keeps_nobody_waiting(laden: Switch) -> None:
    with raw(laden) as greedy:
        greedy.sendall(message(2, b"\0" + 1000 * DUMP))  # a minute's work
        greedy.sendall(message(1, b"table_clear routes"))
        for _ in range(5):
            assert seconds(laden.client.stats) < SOON_S
        assert laden.do("table_num_entries routes") == f"{ENTRIES}\n"
        assert waits_for_answer(greedy)
        assert seconds(laden.stop) < SOON_S


def test_a_client_that_does_not_read_is_held_until_it_does(laden: Switch) -> None:
    """And what waits for it does not grow."""
    dumps = 12
    with raw(laden) as idle, idle.makefile("rb") as replies:
        idle.sendall(dumps * message(1, DUMP.strip()))
        assert seconds(laden.client.stats) < SOON_S
        for _ in range(dumps):
            length, kind, status, _ = struct.unpack(">IBBH", replies.read(8))
            assert (kind, status) == (1, 0)
            answer = replies.read(length)
            assert answer.startswith(b"==========\nTABLE ENTRIES\n")
            assert answer.endswith(END)
            assert answer.count(b"Dumping entry 0x") > ENTRIES // 2
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{laden.process.pid}/status").read_text())
    assert peak and int(peak[1]) < 150_000  # an answer takes 8 MiB
    laden.stop()


def test_commands_go_on_where_they_were(laden: Switch) -> None:
    """Each takes several slices, while others come between."""
    dump = laden.do("table_dump routes")
    with raw(laden) as other:
        other.sendall(message(2, b"\0" + 20 * DUMP))
        assert laden.do("table_dump routes") == dump
        laden.do("table_clear routes")
        assert laden.do("table_num_entries routes") == "0\n"
    laden.do(*(f"table_add routes forward 10.0.{i}.0/24 => 1" for i in range(256)))
    assert laden.do("table_dump routes").count("Dumping entry 0x") == 256
    laden.stop()


def test_a_switch_ends_in_the_middle_of_what_it_is_asked_for(sample: Path, tmp_path: Path) -> None:
    """And nothing that it had for that is left (sanitizers look)."""
    switch = Switch(sample, tmp_path, ["--port=0=ctl:"])
    switch.do(*(f"table_add dmac forward {i} => 1" for i in range(4096)))
    with raw(switch) as one, raw(switch) as other:
        one.sendall(message(2, b"\2" + 1000 * b"table_dump dmac\n"))
        other.sendall(message(2, b"\0" + 1000 * b"table_dump dmac\n"))
        for _ in range(9):
            switch.client.stats()
        assert waits_for_answer(one) and waits_for_answer(other)
        switch.stop()


def test_output_that_nobody_reads_does_not_keep_the_switch(sample: Path, tmp_path: Path) -> None:
    """Told to end, it ends, though it waits for a pipe without room."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with contextlib.suppress(BlockingIOError):
        while os.write(writing, bytes(4096)):
            pass
    os.set_blocking(writing, True)
    path = tmp_path / "socket"
    command = [str(sample), "--port=0=ctl:", "--socket", str(path)]
    process = subprocess.Popen(command, stdout=writing, stderr=writing)
    try:
        Client.wait(path, seconds=20).close()
        process.terminate()
        assert process.wait(20) == 0
    finally:
        process.kill()
        os.close(reading)
        os.close(writing)


# --- what it may ------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has something to give up")
def test_every_thread_gives_up_what_it_needs_no_more(sample: Path, tmp_path: Path) -> None:
    """Ports that are files need nothing; what was opened before is written all the same."""
    out = tmp_path / "out.pcap"
    switch = Switch(sample, tmp_path, ["--port=0=ctl:", f"--port=1=pcap:,{out}", "--workers=2"])
    threads = list(Path(f"/proc/{switch.process.pid}/task").iterdir())
    told = [(thread / "status").read_text() for thread in threads]
    assert len(told) >= 3
    for status in told:
        for name in ("CapPrm", "CapEff", "CapInh", "CapAmb"):
            assert f"{name}:\t0000000000000000\n" in status
        assert "NoNewPrivs:\t1\n" in status
    switch.do("table_set_default dmac forward 1")
    switch.client.exchange([(0, ethernet(7))])
    switch.stop()
    assert read_pcap(out) == [ethernet(7)]
    assert not switch.socket.exists()


# --- who may ----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_is_not_listened_to(sample: Path) -> None:
    """Not even where the socket's mode lets them."""
    script = (
        "import os, socket, sys; os.setuid(65534); s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
        "s.settimeout(10); print(s.recv(100))"
    )
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        switch = Switch(sample, Path(folder), ["--port=0=ctl:"])
        switch.socket.chmod(0o666)
        done = subprocess.run(
            [sys.executable, "-c", script, switch.socket], capture_output=True, text=True, check=False
        )
        assert done.stdout == "b''\n", done.stdout + done.stderr
        switch.stop()
        left = socket.socket(socket.AF_UNIX)
        left.bind(str(switch.socket))
        left.close()
        os.chown(switch.socket, 65534, 65534)
        command = [str(sample), "--port=0=ctl:", "--socket", str(switch.socket)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        assert done.returncode == 1 and "there is a socket of another user" in done.stderr
        assert switch.socket.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_root_may_command_the_switch_of_another_user(sample: Path) -> None:
    """docs/control.md, Access."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chown(folder, 65534, 65534)
        path, binary = f"{folder}/sock", shutil.copy(sample, folder)
        Path(binary).chmod(0o755)
        command = [binary, "--port=0=ctl:", "--buffers=2048", f"--socket={path}"]
        process = subprocess.Popen(command, user=65534, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None and process.stdout.readline().startswith("ready: ")
            assert Path(path).stat().st_uid == 65534
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(20)
                connection.connect(path)
                connection.sendall(message(1, b"shutdown"))
                assert connection.recv(100) == message(1, b"")
            assert process.wait(20) == 0
        finally:
            process.kill()
            process.communicate()
