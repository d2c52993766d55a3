"""A triangle of three switches that BMv2's commands start: run by test_topology.py in a network namespace of its own.

    three_switches.py FOLDER PROGRAM      exit 0: passed; 77: the kernel refuses what it needs

The program routes. Each switch has a host, in a namespace, and switches 1 and 3 have a port for PTF. Everything is done as
scripts for BMv2 do it: p4c-bm2-ss, simple_switch and simple_switch_grpc, simple_switch_CLI, ptf.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "c" / "odp"))

from interfaces import run, veth
from routed_hosts import RoutedHost, host_mac, network, router_mac

SWITCHES = (1, 2, 3)
HOST, PTF = 0, 9  # ports of each switch; port N leads to switch N
FIRST_THRIFT, FIRST_GRPC = 9090, 9559
PTF_NETWORKS = {1: "10.91.0.0/24", 3: "10.93.0.0/24"}
Started = dict[int, subprocess.Popen[bytes]]


def wire(hosts: dict[int, RoutedHost]) -> None:
    """The interface of switch S at port P is `sSpP`."""
    run("ip", "link", "set", "lo", "up")
    for number, host in hosts.items():
        veth(host, f"s{number}p{HOST}", f"e{number}", number)
    pairs = [(f"s{a}p{b}", f"s{b}p{a}") for a, b in ((1, 2), (1, 3), (2, 3))]
    pairs += [(f"s{number}p{PTF}", f"ptf{number}") for number in PTF_NETWORKS]
    for one, other in pairs:
        run("ip", "link", "add", one, "type", "veth", "peer", "name", other)
        for end in (one, other):
            Path(f"/proc/sys/net/ipv6/conf/{end}/disable_ipv6").write_text("1")
            run("ip", "link", "set", end, "up")


def thrift_port(number: int) -> int:
    return FIRST_THRIFT + number


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    while True:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        assert process.poll() is None, "the switch has ended"
        time.sleep(0.05)


@contextlib.contextmanager
def switches(commands: Path, json: Path) -> Iterator[Started]:
    """The second one is simple_switch_grpc. All are killed in the end, as scripts for BMv2 do it."""
    started: Started = {}
    with contextlib.ExitStack() as ended:
        for number in SWITCHES:
            name = "simple_switch_grpc" if number == 2 else "simple_switch"
            ports = [
                HOST,
                *(other for other in SWITCHES if other != number),
                *([PTF] if number in PTF_NETWORKS else []),
            ]
            words = [word for port in ports for word in ("-i", f"{port}@s{number}p{port}")]
            words += ["--device-id", str(number), "--thrift-port", str(thrift_port(number)), "--log-console", str(json)]
            if number == 2:
                words += ["--", "--grpc-server-addr", f"127.0.0.1:{FIRST_GRPC}", "--cpu-port", "510"]
            log = ended.enter_context((json.parent / f"s{number}.log").open("wb"))
            process = started[number] = subprocess.Popen([commands / name, *words], stdout=log, stderr=log)
            ended.callback(process.wait)
            ended.callback(process.kill)
            if number == 1:
                wait_for(thrift_port(1), process)  # what it compiles the others find
        for number, process in started.items():
            wait_for(thrift_port(number), process)
        wait_for(FIRST_GRPC, started[2])
        yield started


def routes(number: int) -> list[str]:
    """The commands for a switch: its own networks, and those of the others by the links to them."""
    lines = []
    for other in SWITCHES:
        port = HOST if other == number else other
        macs = f"{host_mac(other)} {router_mac(other)}"
        lines.append(f"table_add routes next_hop {network('ipv4', other, 0)}/24 => {macs} {port}")
    for other, prefix in PTF_NETWORKS.items():
        port = PTF if other == number else other
        lines.append(f"table_add routes next_hop {prefix} => 02:00:00:00:00:99 02:00:00:00:01:99 {port}")
    return lines


def tell(commands: Path, number: int, lines: list[str]) -> str:
    command = [commands / "simple_switch_CLI", "--thrift-port", str(thrift_port(number))]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=True)
    return done.stdout


def child(process: subprocess.Popen[bytes]) -> int:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return int(children[0])


def ends(pid: int) -> bool:
    for _ in range(200):
        if not Path(f"/proc/{pid}/cmdline").exists() or not Path(f"/proc/{pid}/cmdline").read_bytes():
            return True
        time.sleep(0.05)
    return False


def run_ptf(folder: Path) -> None:
    ptf = Path(sys.executable).with_name("ptf")
    if not ptf.exists():
        print("PTF is not installed")
        return
    interfaces = [word for number in PTF_NETWORKS for word in ("-i", f"{number}@ptf{number}")]
    tests = Path(__file__).parent / "ptf_tests"
    command = [ptf, "--test-dir", tests, *interfaces, "--log-file", folder / "ptf.log"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Ran 2 tests" in done.stderr, done.stderr


def main(folder: Path, program: Path) -> None:
    commands, json = folder / "bin", folder / "program.json"
    subprocess.run([Path(sys.executable).with_name("macsad"), "shims", commands], check=True, capture_output=True)
    subprocess.run([commands / "p4c-bm2-ss", "--p4v", "16", "-o", json, program], check=True)
    hosts = {number: RoutedHost() for number in SWITCHES}
    wire(hosts)
    with switches(commands, json) as started:
        for number, process in started.items():
            assert Path(f"/proc/{process.pid}/comm").read_text().startswith("simple_switch")
            told = tell(commands, number, routes(number))
            assert told.count("Entry has been added with handle") == 5, told
        for one, other in ((1, 2), (2, 3), (3, 1)):
            answer = hosts[one].ping("ipv4", network("ipv4", other, 2))
            assert " 0% packet loss" in answer, answer
        run_ptf(folder)
        counted = tell(commands, 1, ["counter_read sent 3"])
        assert "sent[3]= (" in counted and "(0 bytes" not in counted, counted
        switch = child(started[2])
        started[2].kill()
        assert ends(switch), "the switch outlives the command that was killed"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
