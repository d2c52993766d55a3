"""Two hosts and a router: run by test_interfaces.py in a network namespace of its own, which is the router's.

    routed_hosts.py ipv4|ipv6 DRIVER SWITCH [WRAPPER...]      exit 0: passed; 77: the kernel refuses what it needs

The hosts, each in a namespace, have networks of their own and no way to each other but through the switch.
"""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "c" / "odp"))

from interfaces import Host, refusal, run, transfer, veth

from macsad.control import Client

MEGABYTES = 8
PINGS = 5
FAMILIES = {"ipv4": socket.AF_INET, "ipv6": socket.AF_INET6}


def host_mac(number: int) -> str:
    return f"02:00:00:00:00:{number:02}"


def router_mac(number: int) -> str:
    return f"02:00:00:00:01:{number:02}"


def network(family: str, number: int, host: int) -> str:
    return f"10.{number}.0.{host}" if family == "ipv4" else f"fd00:0:0:{number}::{host}"


class RoutedHost(Host):
    """A host whose router is host 1 of its network; it knows the router's MAC address and need not ask."""

    def address(self, interface: str, number: int) -> None:
        self.ip("link", "set", interface, "up")
        for family, length, options in (("ipv4", 24, ()), ("ipv6", 64, ("nodad",))):
            router = network(family, number, 1)
            self.ip("addr", "add", f"{network(family, number, 2)}/{length}", "dev", interface, *options)
            self.ip("neigh", "add", router, "lladdr", router_mac(number), "dev", interface)
            self.ip("-6" if family == "ipv6" else "-4", "route", "add", "default", "via", router)

    def ping(self, family: str, to: str) -> str:
        enter = ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"]
        command = [*enter, "ping", "-6" if family == "ipv6" else "-4", "-c", str(PINGS), "-i", "0.1", "-W", "2", to]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@contextlib.contextmanager
def router(command: list[str], family: str, driver: str, folder: Path) -> Iterator[Client]:
    """The switch between the interfaces r1 and r2, with a route to each host; its statistics must add up at the end."""
    arguments = [f"--port=0={driver}:r1", f"--port=1={driver}:r2", f"--socket={folder}/socket"]
    process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        with Client.wait(folder / "socket", seconds=20) as client:
            for number in (1, 2):
                prefix = network(family, number, 0) + ("/24" if family == "ipv4" else "/64")
                macs = f"{host_mac(number)} {router_mac(number)}"
                reply = client.command(f"table_add routes next_hop {prefix} => {macs} {number - 1}")
                assert reply.ok, reply.text
            yield client
    finally:
        process.terminate()
        output, errors = process.communicate(timeout=20)
        if process.returncode:
            refusal(errors)
    counted = re.search(r"received (\d+) \+ copies 0 = sent (\d+) \+ dropped (\d+)", output)
    assert counted, output
    received, sent, dropped = map(int, counted.groups())
    assert received == sent + dropped, output
    assert sent > MEGABYTES << 7, output  # at most 8 kB a frame


def main() -> int:
    family, driver, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    one, two = RoutedHost(), RoutedHost()
    run("ip", "link", "set", "lo", "up")
    veth(one, "r1", "e1", 1)
    veth(two, "r2", "e2", 2)
    with tempfile.TemporaryDirectory() as folder, router(command, family, driver, Path(folder)):
        pinged = one.ping(family, network(family, 2, 2))
        assert f" {PINGS} received" in pinged, pinged
        assert pinged.count("ttl=63") == PINGS, pinged
        for sender, receiver, number in ((one, two, 2), (two, one, 1)):
            transfer(sender, receiver, FAMILIES[family], network(family, number, 2), MEGABYTES << 20)
    return 0


if __name__ == "__main__":
    sys.exit(main())
