"""A switch of queues.p4 in front of a slow link: run by test_interfaces.py in a network namespace of its own.

    slow_link.py SWITCH      exit 0: passed; 77: the kernel refuses what it needs

The link takes 800 kbit/s. Frames come faster, for as long as they fit into the ring and the queue: they wait in the queue of
the port, and none is lost.
"""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "c" / "odp"))

from interfaces import refusal, run

from macsad.control import Client

HEADER = struct.Struct(">BBHIIIIBBB")
FRAME = 1000
SENT = 900


def frame(number: int) -> bytes:
    return HEADER.pack(1, 0, number, 0, 0, 0, 0, 0, 0, 0) + bytes(FRAME - HEADER.size)


def main(switch: str) -> None:
    for one, other in (("slow-a", "slow-b"), ("in-a", "in-b")):
        run("ip", "link", "add", one, "type", "veth", "peer", "name", other)
    for name in ("slow-a", "slow-b", "in-a", "in-b"):
        run("ip", "link", "set", name, "up")
    limits = ("rate", "800kbit", "burst", "2000", "limit", "4000000")
    run("tc", "qdisc", "add", "dev", "slow-a", "root", "tbf", *limits)
    out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    out.bind(("in-b", 0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "socket"
        arguments = ["--port=0=in-a", "--port=1=slow-a", f"--socket={path}"]
        process = subprocess.Popen([switch, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with Client.wait(path, seconds=20) as client:
            client.command("set_queue_depth 10000")
            most = 0
            for number in range(SENT):
                out.send(frame(number))
                if number % 100 == 99:
                    time.sleep(0.02)
                    lines = client.command("show_queues").text.splitlines()
                    most = max(most, *(int(line.split()[2]) for line in lines if line.split()[0] == "1"))
            stats = client.stats()
        process.terminate()
        output, errors = process.communicate(timeout=20)
        if process.returncode:
            refusal(errors)
    assert most > 50, f"{most} packets waited at most: {output}"
    assert stats["drops"]["tx-full"] == stats["drops"]["queue-full"] == 0, stats


if __name__ == "__main__":
    main(sys.argv[1])
