"""Frames sent the moment the control socket answers: run by test_server.py in a network namespace of its own.

    first_frames.py DRIVER SWITCH      exit 0: all came; 77: the kernel refuses what it takes

The switch lies between two veth pairs and sends all that port 0 receives out of port 1.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "odp"))

from interfaces import refusal, run

ROUNDS, FRAMES = 4, 25
ETH_P_ALL = 3
NET_ADMIN, NET_RAW, IPC_LOCK, BPF = 12, 13, 14, 39
KEPT = {"af_packet": {NET_RAW}, "af_xdp": {NET_ADMIN, NET_RAW, IPC_LOCK, BPF}}
MARK = b"\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x02\x88\xb5"


def raw(interface: str) -> socket.socket:
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    made.bind((interface, ETH_P_ALL))
    made.settimeout(2)
    return made


def capabilities(process: int) -> set[int]:
    """Those that some thread may still use."""
    left = 0
    for task in Path(f"/proc/{process}/task").iterdir():
        status = (task / "status").read_text()
        assert "NoNewPrivs:\t1\n" in status
        left |= int(status.partition("CapPrm:")[2].split()[0], 16)
    return {number for number in range(64) if left >> number & 1}


def until_it_answers(path: Path, switch: subprocess.Popen[str]) -> None:
    """No pause between two tries: what is lost is lost in the first milliseconds."""
    end = time.monotonic() + 20
    while switch.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            return
    refusal(switch.communicate()[1])


def marked(sink: socket.socket) -> list[int]:
    """The numbers of our frames that come, up to the last or until none comes for two seconds."""
    numbers: list[int] = []
    with contextlib.suppress(TimeoutError):
        while not numbers or numbers[-1] != FRAMES - 1:
            frame = sink.recv(2048)
            if frame.startswith(MARK):
                numbers.append(frame[len(MARK)])
    return numbers


def main() -> int:
    driver, switch = sys.argv[1:]
    for end in ("r1", "r2"):
        run("ip", "link", "add", end, "type", "veth", "peer", "name", f"{end}far")
        run("ip", "link", "set", end, "up")
        run("ip", "link", "set", f"{end}far", "up")
    source, sink = raw("r1far"), raw("r2far")
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "socket"
            (Path(folder) / "entries").write_text("table_set_default dmac forward 1\n")
            command = [switch, f"--port=0={driver}:r1", f"--port=1={driver}:r2", f"--entries={folder}/entries"]
            process = subprocess.Popen(
                [*command, "--socket", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            try:
                until_it_answers(path, process)
                for number in range(FRAMES):
                    source.send(MARK + bytes([number]) + bytes(46))
                assert marked(sink) == list(range(FRAMES))
                assert process.stdout is not None
                assert process.stdout.readline() == (
                    f"ready: port 0 {driver}:r1, port 1 {driver}:r2; commands at {path}\n"
                )
                assert capabilities(process.pid) <= KEPT[driver]  # given up before it tells that it is ready
            finally:
                process.terminate()
                errors = process.communicate(timeout=20)[1]
            assert process.returncode == 0, errors
    return 0


if __name__ == "__main__":
    sys.exit(main())
