"""Real interfaces: run by test_odp.py in a network namespace of its own, with the program that joins two ports.

    interfaces.py SCENARIO DRIVER FORWARD...      exit 0: passed; 77: the kernel refuses what the scenario needs

Two hosts, namespaces `a` and `b`, have an address each and no way to each other but through FORWARD.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import hashlib
import json
import os
import platform
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

REFUSED = 77
PATIENCE = 100  # seconds, for what certainly comes: the machine may have much else to do
ATTEMPTS = 30  # a second each
DRIVER = "af_packet"


def port(interface: str) -> str:
    """DRIVER is ours, or a device of DPDK's, as net_af_packet."""
    return f"dpdk:{DRIVER}_{interface},iface={interface}" if DRIVER.startswith("net_") else f"{DRIVER}:{interface}"


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(" ".join(command), done.stderr, file=sys.stderr)
        sys.exit(REFUSED)


def enter(namespace: int) -> None:
    """os.setns() for Pythons before 3.12."""
    if ctypes.CDLL(None, use_errno=True).setns(namespace, 0) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Host:
    """A network namespace, held by a process that sleeps in it."""

    def __init__(self) -> None:
        self.holder = subprocess.Popen(["unshare", "-n", "sleep", "1000"])
        atexit.register(self.holder.kill)
        own = Path("/proc/self/ns/net").readlink()
        while Path(f"/proc/{self.holder.pid}/ns/net").readlink() == own:
            time.sleep(0.01)

    def ip(self, *arguments: str) -> None:
        run("nsenter", f"--net=/proc/{self.holder.pid}/ns/net", "ip", *arguments)

    def address(self, interface: str, number: int) -> None:
        self.ip("addr", "add", f"10.9.0.{number}/24", "dev", interface)
        self.ip("addr", "add", f"fd00::{number}/64", "dev", interface, "nodad")
        self.ip("link", "set", interface, "up")

    def socket(self, family: int, kind: int) -> socket.socket:
        """A socket of this namespace: it belongs to where it was made."""
        result: list[socket.socket] = []

        def make() -> None:
            with Path(f"/proc/{self.holder.pid}/ns/net").open() as namespace:
                enter(namespace.fileno())
            made = socket.socket(family, kind)
            made.settimeout(PATIENCE)
            result.append(made)

        thread = threading.Thread(target=make)  # setns is of the thread alone
        thread.start()
        thread.join()
        return result[0]


def veth(host: Host, end: str, interface: str, number: int, queues: int = 1) -> None:
    mac = f"02:00:00:00:00:{number:02}"  # fixed: neighbours remember it
    many = ("numtxqueues", str(queues), "numrxqueues", str(queues))
    peer = ("peer", "name", interface, "address", mac, *many, "netns", str(host.holder.pid))
    run("ip", "link", "add", end, *many, "type", "veth", *peer)
    run("ip", "link", "set", end, "up")
    host.address(interface, number)


def be_silent(host: Host | None) -> None:
    """Interfaces that are made from now on carry no frames of the kernel's own."""
    run(*inside(host), "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1")


def silent_link(host: Host, end: str, interface: str) -> None:
    """A pair of interfaces, without addresses, between this namespace and the host's."""
    for side in (None, host):
        be_silent(side)
    run("ip", "link", "add", end, "type", "veth", "peer", "name", interface, "netns", str(host.holder.pid))
    run("ip", "link", "set", end, "up")
    host.ip("link", "set", interface, "up")


def refused(why: str) -> None:
    print(why, file=sys.stderr)
    sys.exit(REFUSED)


def refusal(told: str) -> None:
    """A program did not start: does the kernel lack or forbid what it needs, or is something wrong?"""
    print(told, file=sys.stderr)
    lacking = "it takes root" in told or "not supported" in told
    sys.exit(REFUSED if "XDP" in told and lacking else 1)


class Forward:
    """The program that joins two ports; what it counted is known when it has ended, its messages as they come."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process, self.out, self.err = process, "", ""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.err += line

    def wait_for(self, message: str) -> None:
        """Until that has been told."""
        self.wait_until(lambda: message in self.err, message)

    def wait_until(self, told: Callable[[], bool], what: str) -> None:
        until = time.monotonic() + PATIENCE
        while not told():
            assert time.monotonic() < until, f"{what!r} is not told: {self.err}"
            assert self.process.poll() is None, f"{what!r}: {self.process.returncode} {self.err}"
            time.sleep(0.01)

    def states(self, name: str) -> list[str]:
        """What has been told of a port's interface."""
        return [line.split("interface is ")[1] for line in self.err.splitlines() if name in line]

    def end(self) -> None:
        assert self.process.stdout is not None
        self.process.send_signal(signal.SIGTERM)
        self.out = self.process.stdout.read()
        self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)


@contextlib.contextmanager
def forward(command: list[str], *ports: str) -> Iterator[Forward]:
    words = ["setpriv", "--pdeathsig", "KILL", *command, *ports]  # it ends with this process, however that ends
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stderr is not None
    if process.stdout.readline() != "ready\n":
        refusal(process.stderr.read())
    running = Forward(process)
    try:
        yield running
    finally:
        running.end()
    assert process.returncode == 0, running.err


def transfer(sender: Host, receiver: Host, family: int, to: str, size: int) -> None:
    """One TCP stream; what arrives has the hash of what was sent."""
    data = os.urandom(1 << 16) * (size >> 16)
    listener = receiver.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((to, 5001))
    listener.listen()
    got: list[str] = []

    def receive() -> None:
        connection, _ = listener.accept()
        connection.settimeout(PATIENCE)
        digest = hashlib.sha256()
        while chunk := connection.recv(1 << 16):
            digest.update(chunk)
        got.append(digest.hexdigest())

    thread = threading.Thread(target=receive)
    thread.start()
    client = sender.socket(family, socket.SOCK_STREAM)
    client.connect((to, 5001))
    client.sendall(data)
    client.close()
    thread.join(PATIENCE)
    listener.close()
    assert got == [hashlib.sha256(data).hexdigest()]


def echo(one: Host, other: Host, family: int, address_of: tuple[str, str], sizes: list[int]) -> None:
    """UDP datagrams there and back: each comes as it was sent. The first may be lost to address resolution."""
    client, server = one.socket(family, socket.SOCK_DGRAM), other.socket(family, socket.SOCK_DGRAM)
    client.bind((address_of[0], 0))
    server.bind((address_of[1], 5002))
    client.settimeout(1)
    server.settimeout(1)
    for size in sizes:
        data = os.urandom(size)
        for _ in range(ATTEMPTS):
            try:
                client.sendto(data, (address_of[1], 5002))
                received, back = server.recvfrom(65536)
                server.sendto(received, back)
                if client.recv(65536) == data:
                    break
            except TimeoutError:
                continue
        else:
            raise AssertionError(f"{size} bytes do not come through")
    client.close()
    server.close()


V4, V6 = ("10.9.0.1", "10.9.0.2"), ("fd00::1", "fd00::2")
SIZES = [1, 2, 17, 100, 1000, 1400]


def two_hosts() -> tuple[Host, Host]:
    a, b = Host(), Host()
    run("ip", "link", "set", "lo", "up")
    return a, b


def scenario_tcp(command: list[str]) -> None:
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    with forward(command, "pa" if DRIVER == "af_packet" else port("pa"), port("pb")) as running:
        transfer(a, b, socket.AF_INET, V4[1], 32 << 20)
        transfer(b, a, socket.AF_INET6, V6[0], 16 << 20)
        echo(a, b, socket.AF_INET, V4, SIZES)
        echo(b, a, socket.AF_INET6, (V6[1], V6[0]), SIZES)
    assert running.out.count("errors 0") == 4, running.out


def scenario_whole(command: list[str]) -> None:
    """TCP comes in super-frames and goes out in such: the host gets far fewer frames than the program has sent, and
    as many if the port is told to leave segments as they are."""
    a, b = two_hosts()
    run("sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1")  # pa and pb send nothing of their own
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    for option in ("", ",segments"):
        before = passed_on(b)
        with forward(command, port("pa") + option, port("pb") + option) as running:
            transfer(a, b, socket.AF_INET, V4[1], 16 << 20)
            transfer(a, b, socket.AF_INET6, V6[1], 16 << 20)
        got, sent = passed_on(b) - before, counters(running.out)[1]["out"]
        assert running.out.count("errors 0") == 4, running.out
        assert got == sent if option else got * 4 < sent, f"{got} of {sent} frames{option}"
    refused_option = subprocess.run([*command, port("pa") + ",other", port("pb")], capture_output=True, text=True)
    refusal = '"other" is not an option: there are "segments" and "whole"'
    assert refused_option.returncode == 2 and refusal in refused_option.stderr


def passed_on(b: Host) -> int:
    """Frames that `pb` has had for the host, with those that the kernel had no room for meanwhile."""
    return kernel_counts(b, "eb")["rx_packets"] + kernel_counts(None, "pb")["tx_dropped"]


def scenario_super(command: list[str]) -> None:
    """Super-frames of TCP stay whole: the program sees few frames, and the host gets as many. Those that packets have no
    room for are segmented."""
    a, b = two_hosts()
    run("sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1")
    for number, (host, here, there) in enumerate(((a, "pa", "ea"), (b, "pb", "eb")), 1):
        veth(host, here, there, number)
    size, segment = 16 << 20, 1500
    for room in (65535, 3000):
        before = passed_on(b)
        with forward(command, port("pa") + ",whole", port("pb") + ",whole", "1", str(room)) as running:
            transfer(a, b, socket.AF_INET, V4[1], size)
            transfer(a, b, socket.AF_INET6, V6[1], size)
            echo(a, b, socket.AF_INET, V4, SIZES)
            tagged_super(a, b)
        got, sent = passed_on(b) - before, counters(running.out)[1]["out"]
        assert running.out.count("errors 0") == 4, running.out
        whole = sent * 4 < 2 * size // segment
        assert whole == (room == 65535) and (got == sent if whole else got * 4 < sent), f"{got} of {sent} frames"


def tagged_super(a: Host, b: Host) -> None:
    """A super-frame with a tag, which the kernel takes out, arrives with it, in as many pieces as it may."""
    sender, receiver = (host.socket(socket.AF_PACKET, socket.SOCK_RAW) for host in (a, b))
    sol_packet, auxdata, vnet_hdr = 263, 8, 15
    receiver.setsockopt(sol_packet, auxdata, 1)
    sender.setsockopt(sol_packet, vnet_hdr, 1)
    receiver.bind(("eb", 0x0003))
    sender.bind(("ea", 0))
    macs, payload, segment = b"\x02\0\0\0\0\x02\x02\0\0\0\0\x01", os.urandom(20000), 1000
    addresses = bytes([10, 7, 0, 1, 10, 7, 0, 2])
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 40 + len(payload), 1, 0, 64, 6, 0) + addresses
    ip = ip[:10] + struct.pack("!H", 0xFFFF ^ ones_sum(ip)) + ip[12:]
    pseudo = ones_sum(addresses + struct.pack("!HH", 6, 20 + len(payload)))
    tcp = struct.pack("!HHIIBBHHH", 1, 2, 3, 4, 0x50, 0x10, 1000, pseudo, 0)
    vnet = struct.pack("=BBHHHH", 1, 1, 18 + 40, segment, 18 + 20, 16)
    sender.send(vnet + macs + b"\x81\x00\x00\x07\x08\x00" + ip + tcp + payload)
    got = b""
    while len(got) < len(payload):
        data, control, _, _ = receiver.recvmsg(1 << 16, 256)
        if data[:12] != macs or data[26:34] != addresses:
            continue
        status, _, _, _, _, tci, tpid = struct.unpack("IIIHHHH", control[0][2][:20])
        assert status & 0x10 and (tpid, tci) == (0x8100, 7), (status, tpid, tci)
        assert struct.unpack("!H", data[16:18])[0] == len(data) - 14 and ones_sum(data[14:34]) == 0xFFFF
        got += data[54:]
    assert got == payload


def ones_sum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    return (total - 1) % 0xFFFF + 1 if total else 0


def scenario_udp(command: list[str]) -> None:
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    with forward(command, port("pa"), port("pb")):
        echo(a, b, socket.AF_INET, V4, SIZES)
        echo(a, b, socket.AF_INET6, V6, SIZES)


def scenario_queues(command: list[str]) -> None:
    """Three input queues a port: each flow comes whole and in order through one of them."""
    a, b = two_hosts()
    veth(a, "pa", "ea", 1, 3)
    veth(b, "pb", "eb", 2, 3)
    with forward(command, port("pa"), port("pb"), "3"):
        for _ in range(3):
            transfer(a, b, socket.AF_INET, V4[1], 4 << 20)
        echo(a, b, socket.AF_INET6, V6, SIZES * 3)


def scenario_vlan(command: list[str]) -> None:
    """The kernel takes tags out of what it receives, and tells of them beside the frame."""
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    sender, receiver = (host.socket(socket.AF_PACKET, socket.SOCK_RAW) for host in (a, b))
    sol_packet, auxdata = 263, 8
    receiver.setsockopt(sol_packet, auxdata, 1)
    sender.bind(("ea", 0))
    receiver.bind(("eb", 0x0003))
    with forward(command, port("pa"), port("pb")):
        for tpid, tci in ((0x8100, 0x2005), (0x88A8, 0x0FFE), (0x8100, 0x0000)):
            for size in (100, 1500 if tpid == 0x8100 else 1496):  # beyond the MTU the kernel has room for one of 802.1Q
                macs, rest = b"\x02\0\0\0\0\x02\x02\0\0\0\0\x01", b"\x88\xb5" + os.urandom(size)
                sender.send(macs + struct.pack("!HH", tpid, tci) + rest)
                assert tag_of(receiver, macs + rest) == (tpid, tci)
    if DRIVER == "af_packet":
        room_for_tags(command, sender, receiver, a, b)


def room_for_tags(command: list[str], sender: socket.socket, receiver: socket.socket, a: Host, b: Host) -> None:
    """A packet of 1536 bytes has room for a frame of as many, its tag included."""
    for host, end, interface in ((a, "pa", "ea"), (b, "pb", "eb")):
        run("ip", "link", "set", end, "mtu", "1600")
        host.ip("link", "set", interface, "mtu", "1600")
    macs = b"\x02\x00\x00\x00\x00\x02" + b"\x02\x00\x00\x00\x00\x01"
    with forward(command, port("pa"), port("pb"), "1", "1536") as running:
        for length in (1536 - 4, 1537 - 4, 1540 - 4, 1536 - 4):  # without the tag
            frame = macs + b"\x88\xb5" + os.urandom(length - 14)
            sender.send(frame[:12] + struct.pack("!HH", 0x8100, 5) + frame[12:])
            if length == 1536 - 4:
                assert tag_of(receiver, frame) == (0x8100, 5)
    assert running.out.splitlines()[0].split()[5:7] == ["errors", "2"], running.out
    with forward(command, port("pa"), port("pb"), "1", "9000"):  # too long for a slot of the ring
        for host, end, interface in ((a, "pa", "ea"), (b, "pb", "eb")):
            run("ip", "link", "set", end, "mtu", "8000")
            host.ip("link", "set", interface, "mtu", "8000")
        time.sleep(0.3)
        frame = macs + b"\x88\xb5" + os.urandom(5000)
        sender.send(frame[:12] + struct.pack("!HH", 0x88A8, 77) + frame[12:])
        data, ((_, _, content),), _, _ = receiver.recvmsg(1 << 16, 256)
        while data != frame:
            data, ((_, _, content),), _, _ = receiver.recvmsg(1 << 16, 256)
        assert struct.unpack("IIIHHHH", content[:20])[5:] == (77, 0x88A8)


def tag_of(receiver: socket.socket, frame: bytes) -> tuple[int, int]:
    """Wait for a frame that has come with a tag: what the kernel tells of it."""
    while True:
        data, control, _, _ = receiver.recvmsg(2048, 256)
        if data == frame:
            break
    ((_, _, content),) = control
    status, _, _, _, _, tci, tpid = struct.unpack("IIIHHHH", content[:20])
    assert status & 0x10, "the tag was lost"
    return tpid, tci


def scenario_beside(command: list[str]) -> None:
    """A tag that stands beside the frame from the beginning, as from a VLAN device: XDP alone does not see it."""
    tag, release = command.pop(0), platform.release().split(".")
    if DRIVER == "af_xdp" and (int(release[0]), int(release[1])) < (6, 8):
        refused("a kernel before 6.8 keeps such a tag to itself")
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    tagging = subprocess.Popen([*inside(a), tag, "ea"], stdout=subprocess.PIPE, text=True)
    atexit.register(tagging.kill)
    if not tagging.stdout or tagging.stdout.readline() != "ready\n":
        refused("the kernel does not run BPF at an interface's exit")
    sender, receiver = (host.socket(socket.AF_PACKET, socket.SOCK_RAW) for host in (a, b))
    receiver.setsockopt(263, 8, 1)  # SOL_PACKET, PACKET_AUXDATA
    sender.bind(("ea", 0))
    receiver.bind(("eb", 0x0003))
    with forward(command, port("pa"), port("pb")):
        frame = b"\x02\x00\x00\x00\x00\x02" + b"\x02\x00\x00\x00\x00\x01\x88\xb5" + os.urandom(100)
        sender.send(frame)
        assert tag_of(receiver, frame) == (0x8100, 0x2005)


TUNNELS = {  # of `ip link add`, below which addresses, and which may be in them
    "vxlan": ("vxlan id 7 dstport 4789 noudpcsum dev {interface}", 4, (4, 6)),
    "vxlan-checksum": ("vxlan id 7 dstport 12345 udpcsum dev {interface}", 4, (4, 6)),
    "vxlan6": ("vxlan id 7 dstport 4789 dev {interface}", 6, (4, 6)),
    "vxlan6-zero": ("vxlan id 7 dstport 4789 udp6zerocsumtx udp6zerocsumrx dev {interface}", 6, (4, 6)),
    "geneve": ("geneve id 7 noudpcsum", 4, (4, 6)),
    "geneve-checksum": ("geneve id 7 udpcsum", 4, (4, 6)),
    "geneve6": ("geneve id 7", 6, (4, 6)),
    "gre": ("gre", 4, (4, 6)),
    "gre-checksum": ("gre csum key 5", 4, (4, 6)),
    "gretap": ("gretap", 4, (4, 6)),
    "gretap-checksum": ("gretap csum", 4, (4, 6)),
    "ip6gre": ("ip6gre csum", 6, (4, 6)),
    "ip6gretap": ("ip6gretap", 6, (4, 6)),
    "4in4": ("ipip", 4, (4,)),
    "6in4": ("sit", 4, (6,)),
    "4in6": ("ip6tnl mode ipip6", 6, (4,)),
    "6in6": ("ip6tnl mode ip6ip6", 6, (6,)),
}


def tunnel(kind: str, interface: str, ends: tuple[str, str]) -> list[str]:
    """What makes a tunnel device over an interface."""
    driver, *rest = TUNNELS[kind][0].format(interface=interface).split()
    local = [] if driver == "geneve" else ["local", ends[0]]
    return ["link", "add", "name", "tun0", "type", driver, *local, "remote", ends[1], *rest]


def scenario_tunnel(command: list[str]) -> None:
    """A tunnel's super-frames, and its checksums that the kernel leaves to hardware, inside and around."""
    kind = command.pop(0)
    _, below, families = TUNNELS[kind]
    ends = V4 if below == 4 else V6
    run("ip", *tunnel(kind, "lo", ends))
    run("ip", "link", "del", "tun0")
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    inner = {4: ("10.8.0.1", "10.8.0.2"), 6: ("fd08::1", "fd08::2")}
    for host, interface, own in ((a, "ea", 0), (b, "eb", 1)):
        host.ip(*tunnel(kind, interface, (ends[own], ends[1 - own])))
        host.ip("addr", "add", f"{inner[4][own]}/24", "dev", "tun0")
        host.ip("addr", "add", f"{inner[6][own]}/64", "dev", "tun0", "nodad")
        host.ip("link", "set", "dev", "tun0", "up")
    with forward(command, port("pa"), port("pb")) as running:
        for family in families:
            of_family = socket.AF_INET if family == 4 else socket.AF_INET6
            transfer(a, b, of_family, inner[family][1], 8 << 20)
            echo(b, a, of_family, (inner[family][1], inner[family][0]), [1, 2, 100, 1300])
    assert running.out.count("errors 0") == 4, running.out
    few_frames_again(running.out)


def few_frames_again(told: str) -> None:
    """Of 8 MB in frames of a good length few were sent twice: a super-frame that is cut wrongly is, for ever."""
    most = max(counts["in"] for counts in counters(told))
    assert most < 30000, told


def scenario_qinq(command: list[str]) -> None:
    """Two tags before TCP's super-frames, the outer of which stands beside the frame."""
    tag = command.pop(0)
    a, b = two_hosts()
    for host, end, interface, number in ((a, "pa", "ea", 1), (b, "pb", "eb", 2)):
        veth(host, end, interface, number)
        run("ip", "link", "set", end, "mtu", "1508")
        host.ip("link", "set", interface, "mtu", "1508")
        host.ip("route", "replace", "10.9.0.0/24", "dev", interface, "mtu", "1500")  # room for the tags
        run(*inside(host), "sysctl", "-qw", f"net.ipv6.conf.{interface}.mtu=1500")
        tagging = subprocess.Popen([*inside(host), tag, interface, "2"], stdout=subprocess.PIPE, text=True)
        atexit.register(tagging.kill)
        if not tagging.stdout or tagging.stdout.readline() != "ready\n":
            refused("the kernel does not run BPF at an interface's exit")
    with forward(command, port("pa"), port("pb")) as running:
        for sender, receiver, family, to in ((a, b, socket.AF_INET, V4[1]), (b, a, socket.AF_INET6, V6[0])):
            transfer(sender, receiver, family, to, 8 << 20)
        echo(a, b, socket.AF_INET, V4, SIZES)
    assert running.out.count("errors 0") == 4, running.out
    few_frames_again(running.out)


def scenario_unseen(command: list[str]) -> None:
    """Super-frames of which the kernel does not tell that they are: to an emulator, and, as a bridge has no XDP of its
    own, to the kernel's generic code. They are dropped and counted, all others come through."""
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    one = "pa"
    if DRIVER == "af_xdp":
        one = "bridge0"
        run("ip", "link", "add", one, "type", "bridge")
        run("ip", "link", "set", "pa", "master", one)
        run("ip", "link", "set", one, "up")
    with forward(command, port(one), port("pb"), "1", "9000") as running:
        echo(a, b, socket.AF_INET, V4, SIZES)
        listener, client = b.socket(socket.AF_INET, socket.SOCK_STREAM), a.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.bind((V4[1], 5001))
        listener.listen()
        client.connect((V4[1], 5001))
        client.setblocking(False)
        client.send(bytes(20000))
        time.sleep(0.3)
    errors = [int(line.split()[6]) for line in running.out.splitlines()]
    assert errors[0] > 0 and errors[1] == 0, running.out


def scenario_open(command: list[str]) -> None:
    """Frames of a file, each with an open checksum that the kernel tells of, come through complete."""
    records = json.loads(Path(command.pop(0)).read_text())
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    sender, receiver = (host.socket(socket.AF_PACKET, socket.SOCK_RAW) for host in (a, b))
    sender.setsockopt(263, 15, 1)  # SOL_PACKET, PACKET_VNET_HDR
    receiver.setsockopt(263, 8, 1)  # PACKET_AUXDATA
    sender.bind(("ea", 0))
    receiver.bind(("eb", 0x0003))
    receiver.settimeout(5)
    with forward(command, port("pa"), port("pb")):
        for record in records:
            sender.send(
                struct.pack("BBHHHH", 1, 0, 0, 0, record["start"], record["place"]) + bytes.fromhex(record["open"])
            )
            seen: list[str] = []
            try:
                while record["whole"] not in seen:  # others are the kernel's own
                    seen.append(whole_frame(receiver).hex())
            except TimeoutError:
                raise AssertionError(f"{record} does not come, but {seen}") from None


def whole_frame(receiver: socket.socket) -> bytes:
    """A frame with the tag that the kernel has put beside it."""
    data, ((_, _, content),), _, _ = receiver.recvmsg(1 << 16, 256)
    status, _, _, _, _, tci, tpid = struct.unpack("IIIHHHH", content[:20])
    return data[:12] + struct.pack("!HH", tpid, tci) + data[12:] if status & 0x10 else data


def scenario_full(command: list[str]) -> None:
    """What the ring loses while nobody empties it is counted: everything sent is either received or discarded."""
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    sender = a.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sender.bind(("ea", 0))
    with forward(command, port("pa"), port("pb")) as running:
        running.process.send_signal(signal.SIGSTOP)
        os.waitpid(running.process.pid, os.WUNTRACED)
        for _ in range(5000):
            sender.send(b"\x02" * 12 + b"\x88\xb5" + bytes(50))
        running.process.send_signal(signal.SIGCONT)
        echo(a, b, socket.AF_INET, V4, [100])  # comes when the ring has been emptied
    words = running.out.split()
    received, discards = int(words[2]), int(words[4])
    assert discards > 1000, running.out
    assert 5000 <= received + discards < 5100, running.out


def scenario_again(command: list[str]) -> None:
    """What a ring has lost is counted once, also where its interface is removed before anybody has asked, and is back."""
    a, b = two_hosts()
    silent_link(b, "pb", "eb")
    silent_link(a, "pa", "ea")
    with forward(command, port("pa"), port("pb")) as running:
        for turn in range(2):
            sender = a.socket(socket.AF_PACKET, socket.SOCK_RAW)
            sender.bind(("ea", 0))
            running.process.send_signal(signal.SIGSTOP)
            os.waitpid(running.process.pid, os.WUNTRACED)
            for _ in range(4000):
                sender.send(b"\x02" * 12 + b"\x88\xb5" + bytes(50))
            run("ip", "link", "del", "pa")
            silent_link(a, "pa", "ea")
            running.process.send_signal(signal.SIGCONT)
            running.wait_until(lambda turn=turn: running.states(port("pa")).count("back") > turn, "back")  # type: ignore[misc]
            wait_for_mark((a, "ea"), (b, "eb"))
    words = running.out.split()
    received, discards = int(words[2]), int(words[4])
    assert discards > 1000 and 8000 < received + discards < 8100, running.out


def sender_of_super_frames(a: Host) -> socket.socket:
    """A socket at "ea" whose frames begin with a virtio_net_hdr."""
    sender = a.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sender.setsockopt(263, 15, 1)  # SOL_PACKET, PACKET_VNET_HDR
    sender.bind(("ea", 0))
    return sender


def super_frame(segments: int) -> bytes:
    """TCP in segments of 1,000 bytes, behind a virtio_net_hdr."""
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 40 + 1000 * segments, 1, 0, 64, 6, 0) + bytes([10, 7, 0, 1, 10, 7, 0, 2])
    tcp = struct.pack("!HHIIBBHHH", 1, 2, 3, 4, 0x50, 0x10, 1000, 0, 0)
    header = struct.pack("=BBHHHH", 0, 1, 54, 1000, 0, 0)
    return header + b"\x02" * 12 + b"\x08\x00" + ip + tcp + bytes(1000 * segments)


def scenario_narrow(command: list[str]) -> None:
    """Packets that are too short for a super-frame's segments: it is an error, once, and keeps nobody."""
    a, b = two_hosts()
    silent_link(a, "pa", "ea")
    silent_link(b, "pb", "eb")
    sender = sender_of_super_frames(a)
    with forward(command, port("pa"), port("pb"), "1", "640") as running:
        for _ in range(3):
            sender.send(super_frame(20))
            wait_for_mark((a, "ea"), (b, "eb"))
    assert running.out.splitlines()[0].split()[5:7] == ["errors", "3"], running.out


def scenario_crowded(command: list[str]) -> None:
    """Super-frames are longer than the ring's slots, and the socket has no room for all of them while nobody comes: each
    is received in all its segments, or counts as one that was discarded."""
    a, b = two_hosts()
    silent_link(a, "pa", "ea")
    silent_link(b, "pb", "eb")
    sender = sender_of_super_frames(a)
    count, segments = 800, 20
    with forward(command, port("pa"), port("pb")) as running:
        marks = wait_for_mark((a, "ea"), (b, "eb"))
        running.process.send_signal(signal.SIGSTOP)
        os.waitpid(running.process.pid, os.WUNTRACED)
        for _ in range(count):
            sender.send(super_frame(segments))
        running.process.send_signal(signal.SIGCONT)
        marks += wait_for_mark((a, "ea"), (b, "eb"))
    words = running.out.split()
    received, discards = int(words[2]), int(words[4])
    assert 100 < discards < count, running.out
    assert 0 < received - segments * (count - discards) <= marks, running.out


def scenario_short(command: list[str]) -> None:
    """Frames that the kernel calls bad, shorter than an Ethernet header, are errors; all others are sent, and counted once."""
    a = Host()
    if DRIVER != "tap":
        silent_link(a, "pa", "ea")
    lengths = [60 if number % 3 == 0 else 13 + number % 2 for number in range(200)] + [60]
    bad = lengths.count(13)
    records = b"".join(struct.pack("<IIII", 0, 0, length, length) + bytes(length) for length in lengths)
    with tempfile.TemporaryDirectory() as folder:
        frames = Path(folder) / "in.pcap"
        frames.write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1) + records)
        sent = "rx_packets" if DRIVER == "tap" else "tx_packets"
        with forward(command, f"pcap:{frames}", port("pa"), "1", "2048", str(1 << 30), "octets") as running:
            until = time.monotonic() + PATIENCE
            while kernel_counts(None, "pa")[sent] < len(lengths) - bad:  # the last is one of them
                assert time.monotonic() < until, kernel_counts(None, "pa")
    words = running.out.splitlines()[-2].split()
    assert running.out.splitlines()[-1] == f"octets of 1: {sum(lengths) - 13 * bad}", running.out
    assert words[8:] == [str(len(lengths) - bad), "errors", str(bad)], running.out


def scenario_gone(command: list[str]) -> None:
    """Two input queues, which have to find each other again."""
    a, b = two_hosts()
    veth(a, "pa", "ea", 1, 2)
    veth(b, "pb", "eb", 2, 2)
    with forward(command, port("pa"), port("pb"), "2") as running:
        echo(a, b, socket.AF_INET, V4, [100])
        run("ip", "link", "set", "pb", "down")
        running.wait_for(f"port {port('pb')}: the interface is down")
        run("ip", "link", "set", "pb", "up")
        running.wait_for(f"port {port('pb')}: the interface is up")
        echo(a, b, socket.AF_INET, V4, [100])
        run("ip", "link", "del", "pb")
        running.wait_for(f"port {port('pb')}: the interface is gone")
        assert running.process.poll() is None, "an interface that went away took the program with it"
        time.sleep(0.5)  # it looks five times a second, and says it once
        veth(b, "pb", "eb", 2, 1 if DRIVER == "af_xdp" else 2)  # of AF_XDP, fewer queues than before
        running.wait_for(f"port {port('pb')}: the interface is back")
        echo(a, b, socket.AF_INET, V4, [100, 1000])
        echo(b, a, socket.AF_INET6, (V6[1], V6[0]), [100] * 5)
        # it looks five times a second when nothing comes; an interface that is deleted is down first, one that is made not yet up
        running.wait_until(lambda: running.states(port("pb"))[-1] in ("up", "back"), "up")
        shown = subprocess.run(["ip", "-d", "-j", "link", "show", "pb"], capture_output=True, check=True).stdout
        assert json.loads(shown)[0]["promiscuity"] > 0, shown
    told = running.states(port("pb"))
    assert told[:2] == ["down", "up"] and told[-1] in ("up", "back"), running.err
    assert [word for word in told if word in ("gone", "back")] == ["gone", "back"], running.err


def scenario_unsent(command: list[str]) -> None:
    """Frames that the port has taken and cannot send count as what they are when it stops: those that wait on its ring
    as the interface is down are errors, those that the kernel drops as the other end is down are discarded."""
    a, b = two_hosts()
    silent_link(a, "pa", "ea")
    silent_link(b, "pb", "eb")
    sender = a.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sender.bind(("ea", 0))
    for host, end in ((None, "pb"), (b, "eb")):
        for _ in range(ATTEMPTS):  # a port that has seen that the interface is down takes nothing
            sent = kernel_counts(None, "pb")["tx_packets"]
            with forward(command, port("pa"), port("pb")) as running:
                wait_for_mark((a, "ea"), (b, "eb"))
                running.process.send_signal(signal.SIGSTOP)
                os.waitpid(running.process.pid, os.WUNTRACED)
                run(*inside(host), "ip", "link", "set", end, "down")
                for _ in range(20):
                    sender.send(b"\x02" * 12 + b"\x88\xb5" + bytes(50))
                running.process.send_signal(signal.SIGCONT)
                running.wait_for("the interface is down")
            sent = kernel_counts(None, "pb")["tx_packets"] - sent
            run(*inside(host), "ip", "link", "set", end, "up")
            words = running.out.splitlines()[1].split()
            told = dict(zip(words[1::2], words[2::2], strict=False)) | {"discarded": discarded(running.out)}
            assert told["out"] == str(sent), running.out
            if running.out.count("errors 0") < 4 or told["discarded"] > 0:
                break
        assert (told["errors"], told["discarded"]) == (("20", 0) if host is None else ("0", 20)), running.out


def discarded(told: str) -> int:
    return sum(int(line.split()[-1]) for line in told.splitlines() if line.startswith("discarded"))


def scenario_jumbo(command: list[str]) -> None:
    """Frames that are longer than a page, there and back."""
    a, b = two_hosts()
    for host, end, interface, number in ((a, "pa", "ea", 1), (b, "pb", "eb", 2)):
        veth(host, end, interface, number)
        run("ip", "link", "set", end, "mtu", "9202")
        host.ip("link", "set", interface, "mtu", "9202")
    with forward(command, port("pa"), port("pb"), "1", "9216") as running:
        # one and two pieces of AF_XDP exactly, and as much as a packet holds
        echo(a, b, socket.AF_INET, V4, [100, 1472, 3700, 3798, 3799, 4000, 7638, 7639, 8900, 9173, 9174])
        transfer(b, a, socket.AF_INET6, V6[0], 8 << 20)
    assert running.out.count("errors 0") == 4, running.out


def scenario_killed(command: list[str]) -> None:
    """One that is killed leaves nothing that keeps the next from starting; two at a time is an error that is told."""
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    with forward(command, port("pa"), port("pb")):
        pass  # it can be started
    first = subprocess.Popen([*command, port("pa"), port("pb")], stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None and first.stdout.readline() == "ready\n"
    echo(a, b, socket.AF_INET, V4, [100])
    second = subprocess.run([*command, port("pa"), port("pb")], capture_output=True, text=True, timeout=PATIENCE)
    assert second.returncode == 2 and f"port {port('pa')}: " in second.stderr and "busy" in second.stderr
    first.kill()
    first.wait()
    with forward(command, port("pa"), port("pb")):
        echo(a, b, socket.AF_INET, V4, [100])
    assert "xdp" not in subprocess.run(["ip", "link", "show"], capture_output=True, text=True).stdout


def inside(host: Host | None) -> list[str]:
    return ["nsenter", f"--net=/proc/{host.holder.pid}/ns/net"] if host else []


def kernel_counts(host: Host | None, interface: str) -> dict[str, int]:
    """The kernel's counters of an interface."""
    told = subprocess.run(
        [*inside(host), "ip", "-s", "-j", "link", "show", interface], capture_output=True, check=True
    ).stdout
    both = json.loads(told)[0]["stats64"]
    return {f"{way}_{name}": both[way][name] for way in ("rx", "tx") for name in ("packets", "dropped", "errors")}


def counters(told: str) -> list[dict[str, int]]:
    """What `forward` prints of its ports when it ends."""
    ports = [line.split() for line in told.splitlines() if line[:1].isdigit()]
    return [{"in": int(words[2]), "discards": int(words[4]), "out": int(words[8])} for words in ports]


def feed(
    command: list[str], host: Host | None, file: str, rounds: int, interface: str, to: str
) -> list[dict[str, int]]:
    """Send a file's frames by an interface of a host, many times over; the counters of the program that does it."""
    words = [*inside(host), *command, f"pcap:{file},loops={rounds}", to]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    sent = -1
    while sent != (now := kernel_counts(host, interface)["tx_packets"]) or now == 0:
        sent = now
        time.sleep(0.5)
    process.terminate()
    return counters(process.communicate(timeout=PATIENCE)[0])


MARK = 0x88B5


def wait_for_mark(source: tuple[Host | None, str], sink: tuple[Host | None, str]) -> int:
    """Send frames of an own type until one comes out: all that was sent before has been handled. How many it took."""
    sender, receiver = (
        host.socket(socket.AF_PACKET, socket.SOCK_RAW) if host else socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        for host in (source[0], sink[0])
    )
    sender.bind((source[1], 0))
    receiver.bind((sink[1], MARK))
    receiver.settimeout(2)
    for number in range(1, 31):
        sender.send(b"\x02" * 12 + struct.pack("!H", MARK) + bytes(46))
        with contextlib.suppress(TimeoutError):
            receiver.recv(100)
            return number
    raise AssertionError(f"nothing comes from {source[1]} to {sink[1]}")


def scenario_count(command: list[str]) -> None:
    """MACS_FRAMES frames of a file by one interface into the program, and out by another: none is lost without being
    counted, whoever it was that had no room for it."""
    file, rounds = command.pop(0), int(os.environ.get("MACS_FRAMES", "40000")) // 1000
    a, b = two_hosts()
    source: tuple[Host | None, str]
    sink: tuple[Host | None, str]
    for host in (None, a, b):
        be_silent(host)
    if DRIVER == "tap":
        source, sink, ports = (None, "ta"), (None, "tb"), ("tap:ta", "tap:tb", "af_packet:ta")
    else:
        ours = DRIVER.removeprefix("net_")
        source, sink, ports = (a, "ea"), (b, "eb"), (port("pa"), port("pb"), f"{ours}:ea")
        for host, end, interface in ((a, "pa", "ea"), (b, "pb", "eb")):
            silent_link(host, end, interface)
    with forward(command, *ports[:2]) as running:
        fed = feed(command, source[0], file, rounds, source[1], ports[2])
        marks = wait_for_mark(source, sink)
        way_in, way_out = kernel_counts(*source), kernel_counts(*sink)
    one, two = counters(running.out)
    told = f"{DRIVER}: {fed}, {way_in} -> {one}, {two} -> {way_out}"
    assert fed[0]["in"] == rounds * 1000, told
    if not DRIVER.startswith("net_"):  # DPDK's drivers do not count what their rings have no room for
        before = 0 if DRIVER == "tap" else way_in["tx_dropped"]  # a tap's own queue is the port's
        assert fed[1]["out"] + marks == one["in"] + one["discards"] + before, told
    assert one["in"] >= two["out"] == way_out["rx_packets"] + way_out["rx_dropped"] > rounds * 10, told
    print(told)


def scenario_tap(command: list[str]) -> None:
    a, b = two_hosts()
    with forward(command, "tap:ta", "tap:tb") as running:
        for host, interface, number in ((a, "ta", 1), (b, "tb", 2)):
            run("ip", "link", "set", interface, "netns", str(host.holder.pid))
            host.address(interface, number)
        echo(a, b, socket.AF_INET, V4, SIZES)
        transfer(a, b, socket.AF_INET, V4[1], 8 << 20)
        a.ip("link", "set", "ta", "mtu", "3000")
        sender = a.socket(socket.AF_PACKET, socket.SOCK_RAW)
        sender.bind(("ta", 0))
        for length in (2047, 2048, 2049):  # as long as a packet's room: the kernel may have cut it off
            sender.send(b"\x02" * 12 + b"\x88\xb5" + bytes(length - 14))
        echo(a, b, socket.AF_INET, V4, [100])
        b.ip("link", "del", "tb")
        running.wait_for("port tap:tb: the interface is gone")
        assert running.process.poll() is None, "an interface that was deleted took the program with it"
    assert running.out.count("errors 0") == 3, running.out
    assert running.out.splitlines()[0].split()[5:7] == ["errors", "2"], running.out
    assert running.err.count("port tap:tb: the interface is gone") == 1, running.err


def main() -> int:
    scenarios: dict[str, Callable[[list[str]], None]] = {
        name.removeprefix("scenario_"): function for name, function in globals().items() if name.startswith("scenario_")
    }
    global DRIVER
    DRIVER = sys.argv[2]
    scenarios[sys.argv[1]](sys.argv[3:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
