"""A program with sharded registers on real interfaces: run by test_sharding.py in a network namespace of its own.

steered_ports.py DRIVER SWITCH      exit 0: passed; 77: the kernel refuses what it needs
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "c" / "odp"))

from interfaces import run, two_hosts, veth
from sharded_frames import STEERED, WIDE, elements, frames
from watched_ports import sender, switch

WORKERS, FRAMES, AT_ONCE = 2, 20_000, 200


def main(driver: str, binary: str) -> None:
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    for host in (None, a, b):  # no frames of the kernel's own
        inside = ["nsenter", f"--net=/proc/{host.holder.pid}/ns/net"] if host else []
        run(*inside, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
    with switch(binary, driver, f"--workers={WORKERS}", "--verbose") as (process, client):
        host = sender(a)
        before, sent = client.stats()["received"], 0
        made = frames(FRAMES, 4)
        while sent < FRAMES:
            for frame in made[sent : sent + AT_ONCE]:
                host.send(frame)
            sent += AT_ONCE
            end = time.monotonic() + 10
            while client.stats()["received"] - before < sent and time.monotonic() < end:
                time.sleep(0.001)
        stats = client.stats()
        assert stats["received"] - before == FRAMES and not stats["missed"], stats
        read = client.bulk(["register_read I.packets"], answers=True).text
        wide = client.bulk(["register_read E.wide"], answers=True).text
    packets = elements(read)
    assert sum(packets) == stats["received"], (sum(packets), stats)
    assert elements(wide) == [number * WIDE for number in packets]
    told: str = process.told  # type: ignore[attr-defined]
    assert (f"{STEERED} {WORKERS} workers" in told) == (driver == "af_packet"), told
    handed = re.search(r"port 0: (\d+) frames came to another worker", told)
    assert handed is None or int(handed[1]) < FRAMES // 100, told  # the kernel chooses as the program does


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
