"""The control side of a running switch: text commands, the socket, and what must not hurt it."""

from __future__ import annotations

import random
import re
import resource
import socket
import stat
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from switch_harness import Switch, ethernet, ipv4, write_pcap

from macsad.control import Client
from macsad.protocol import ControlError, NoSwitchError
from macsad.stages import since

# --- tables -----------------------------------------------------------------------------------------------------------


def test_add_modify_delete(start) -> None:
    switch = start()
    assert switch.do("table_add dmac forward 00:00:00:00:00:01 => 1") == "Entry has been added with handle 0\n"
    assert switch.do("table_add Ingress.dmac Ingress.forward 0x2 => 0b1") == "Entry has been added with handle 1\n"
    assert switch.client.exchange([(0, ethernet(1)), (0, ethernet(2))]) == [(1, ethernet(1)), (1, ethernet(2))]
    switch.do("table_modify dmac drop 1", "table_modify dmac forward 0 => 0")
    assert switch.client.exchange([(0, ethernet(1)), (0, ethernet(2))]) == [(0, ethernet(1))]
    switch.do("table_delete dmac 0")
    assert switch.do("table_num_entries dmac") == "1\n"
    assert switch.client.exchange([(0, ethernet(1))]) == []


def test_the_handle_of_a_deleted_entry_does_not_name_its_successor(start) -> None:
    switch = start()
    switch.do("table_add dmac forward 1 => 1", "table_delete dmac 0")
    handle = int(switch.do("table_add dmac forward 2 => 1").split()[-1])
    assert handle == 1 << 24  # as BMv2 counts
    assert "no such entry" in switch.fail("table_delete dmac 0")
    switch.do(f"table_delete dmac {handle}")


def test_prefixes(start) -> None:
    switch = start()
    switch.do("table_add routes forward 10.1.2.3/8 => 0", "table_add routes forward 0x0a010000/16 => 1")
    out = switch.client.exchange([(0, ipv4("10.1.9.9")), (0, ipv4("10.2.9.9")), (0, ipv4("11.0.0.1"))])
    assert sorted(port for port, _ in out) == [0, 1]
    assert "* hdr.ipv4.dst        : LPM       0a000000/8\n" in switch.do("table_dump_entry routes 0")
    assert "already (handle 0)" in switch.fail("table_add routes drop 10.0.0.0/8 =>")
    switch.do("table_add routes drop 0.0.0.0/0 =>")
    assert "(handle 2)" in switch.fail("table_add routes drop 1.2.3.4/0 =>")


def test_the_smaller_priority_wins(start) -> None:
    switch = start()
    switch.do("table_set_default dmac forward 1", "table_add acl deny 0x1200&&&0xff00 0->1 => 20")
    assert switch.client.exchange([(0, ethernet(kind=0x1234))]) == []
    assert switch.client.exchange([(0, ethernet(kind=0x1334))]) != []
    switch.do("table_add acl permit 0x1234&&&0xffff * => 10")
    assert switch.client.exchange([(0, ethernet(kind=0x1234))]) != []
    assert switch.client.exchange([(0, ethernet(kind=0x1235))]) == []
    dump = switch.do("table_dump acl")
    assert "TERNARY   1200 &&& ff00\n" in dump
    assert "RANGE     0000 -> 0001\n" in dump
    assert "RANGE     0000 -> 01ff\n" in dump
    assert "Priority: 20\nAction entry: Ingress.deny - \n" in dump


def test_default_entry(start) -> None:
    switch = start()
    assert switch.client.exchange([(0, ethernet())]) == []
    switch.do("table_set_default dmac forward => 1")
    assert switch.client.exchange([(0, ethernet())]) == [(1, ethernet())]
    assert switch.do("table_dump dmac").endswith(
        "Dumping default entry\nAction entry: Ingress.forward - 0001\n==========\n"
    )
    switch.do("table_set_default dmac miss", "table_reset_default dmac")
    assert switch.client.exchange([(0, ethernet())]) == []


def test_wide_parameters(start) -> None:
    switch = start()
    switch.do("table_set_default keyless set_wide 2001:db8::ff 1.2.3.4 1")
    assert "Egress.keyless" in switch.do("show_tables")
    assert "set_wide - 20010db80000000000000000000000ff, 01020304, 01\n" in switch.do("table_dump keyless")
    switch.do(f"table_set_default keyless set_wide {2**127 + 5} 4294967295 0")
    assert "80000000000000000000000000000005, ffffffff, 00\n" in switch.do("table_dump keyless")
    switch.do("table_set_default keyless set_wide 0xABCdef0123456789abcdef 1 0")
    assert " 0000000000abcdef0123456789abcdef, " in switch.do("table_dump keyless")
    switch.do("table_set_default keyless set_wide 0x000f1234567890123456789012345678901 1 0")
    assert "f1234567890123456789012345678901, " in switch.do("table_dump keyless")


def test_clear(start) -> None:
    switch = start()
    switch.do(*(f"table_add dmac forward {i} => 1" for i in range(500)), "table_clear dmac")
    assert switch.do("table_num_entries dmac") == "0\n"
    switch.do("table_add dmac forward 3 => 1")
    assert len(switch.client.exchange([(0, ethernet(dst=i)) for i in range(10)])) == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("table_ad dmac", "no command 'table_ad'; did you mean 'table_add'?"),
        ("table_add", "usage: table_add TABLE ACTION"),
        ("table_add dmac2 forward 1 => 1", "no table 'dmac2'; did you mean 'Ingress.dmac'?"),
        ("table_add xyzzyplugh forward 1 => 1", "there is Ingress.acl, Ingress.routes"),
        ("table_add " + "x" * 600 + " forward 1 => 1", "; there is Ingress.acl, Ingress.routes"),
        ("table_add mac forward 1 => 1", "did you mean 'Ingress.dmac'?"),
        ("table_add dmac forwrd 1 => 1", "no action 'forwrd'; did you mean 'Ingress.forward'? (table Ingress.dmac)"),
        ("table_add dmac deny 1 =>", "no action 'deny'"),
        ("table_add dmac forward 1 2 => 1", "Ingress.dmac needs 1 key field, 2 given"),
        ("table_add dmac forward => 1", "Ingress.dmac needs 1 key field, 0 given"),
        ("table_add dmac forward 1", "Ingress.forward needs 1 parameter, 0 given"),
        ("table_add dmac forward 1 => 1 2", "Ingress.forward needs 1 parameter, 2 given"),
        ("table_add dmac forward 1 => 512", "parameter port of Ingress.forward: 512 does not fit in 9 bits"),
        ("table_add dmac forward 1 => -1", "'-1' is negative"),
        ("table_add dmac forward 1 => one", "'one' is not a number"),
        ("table_add dmac forward 1.2.3.4 => 1", "the IPv4 address '1.2.3.4' has 32 bits, but 48 bits are wanted"),
        ("table_add dmac forward 1:2:3:4:5:6:7 => 1", "not a valid MAC address"),
        ("table_add dmac forward 1:2:3:4:5.6 => 1", "not a valid MAC address"),
        ("table_add dmac forward 1 => 1:2:3:4:5:6", "the MAC address '1:2:3:4:5:6' has 48 bits, but 9 bits are wanted"),
        ("table_add dmac forward 0x1000000000000 => 1", "key field hdr.ethernet.dst: 0x1000000000000 does not fit"),
        ("table_add routes forward 1.2.3.4 => 1", "write VALUE/LENGTH"),
        ("table_add routes forward 1.2.3.4/33 => 1", "not a number from 0 to 32"),
        ("table_add routes forward 1.2.3.400/32 => 1", "'1.2.3.400' is not a valid IPv4 address"),
        ("table_add routes miss 1.2.3.4/32 =>", "no action 'miss'"),
        ("table_add dmac miss 1 =>", "action Ingress.miss is for the default entry of table Ingress.dmac only"),
        ("table_set_default acl deny", "the default action of table Ingress.acl is constant"),
        ("table_add acl deny 1 0->1 => 1", "write VALUE&&&MASK"),
        ("table_add acl deny 1&&&1 1->0 => 1", "empty range"),
        ("table_add acl deny 1&&&1 1 => 1", "write LOW->HIGH"),
        ("table_add acl deny 1&&&1 0->1 =>", "needs a priority"),
        ("table_add acl deny 1&&&1 0->1 1", "no '=>'"),
        ("table_add acl deny 1&&&1 0->1 => high", "'high' is not a priority"),
        ("table_add constant forward 1 => 1", "the entries of table Ingress.constant are constant"),
        ("table_clear constant", "the entries of table Ingress.constant are constant"),
        ("table_add keyless set_wide => 1 1 1", "it has a default entry only"),
        ("table_set_default keyless set_wide 0x1" + "0" * 32 + " 1 0", "does not fit in 128 bits"),
        ("table_set_default keyless set_wide 0x1" + "0" * 40 + "g 1 0", "is not a number"),
        ("table_delete dmac 77", "has no such entry"),
        ("table_delete dmac first", "'first' is not a handle"),
        ("table_modify dmac forward 0", "needs 1 parameter"),
        ("counter_read dmac_count 0", "no counter 'dmac_count'; did you mean 'Ingress.dmac_counter'?"),
        ("register_read seen 8", "8 elements"),
        ("register_write seen 0 many", "'many' is not a number"),
        ("mc_mgrp_create 0", "not a multicast group"),
        ("mc_mgrp_destroy 9", "no such multicast group"),
        ("mc_node_create 1 2 2", "port 2 is there twice"),
        ("mc_node_associate 1 0", "no such multicast group"),
        ("set_burst 0", "1 to 256"),
        ("set_burst 8 9", "1 to the burst"),
        ("help nothing", "no command 'nothing'"),
    ],
)
def test_mistakes_are_told(sample: Path, shared: Switch, line: str, why: str) -> None:
    assert why in shared.fail(line)


@pytest.fixture(scope="module")
def shared(sample: Path, tmp_path_factory: pytest.TempPathFactory):
    """One switch for tests that change nothing."""
    switch = Switch(sample, tmp_path_factory.mktemp("shared"), ["--port=0=ctl:"])
    yield switch
    switch.stop()


def test_a_suffix_must_be_unique(shared: Switch) -> None:
    tables = {table["name"] for table in shared.client.describe()["tables"]}
    assert tables == {"Ingress.acl", "Ingress.routes", "Ingress.dmac", "Ingress.constant", "Egress.keyless"}
    shared.do("table_num_entries Ingress.acl", "table_num_entries acl")
    assert "no table 'cl'" in shared.fail("table_num_entries cl")


def test_constant_entries_are_there(shared: Switch) -> None:
    assert "EXACT     03\nAction entry: Ingress.forward - 0007\n" in shared.do("table_dump constant")


def test_a_full_table(start) -> None:
    switch = start()
    reply = switch.client.bulk((f"table_add dmac drop {i} =>" for i in range(4097)), keep_going=True)
    assert (reply.done, reply.failed) == (4096, 1)
    assert reply.text == "4097: error: table Ingress.dmac is full (4096 entries)\n"


def test_help_and_overviews(shared: Switch) -> None:
    assert "table_add TABLE ACTION KEY" in shared.do("help")
    assert shared.do("help mc_dump").startswith("mc_dump ")
    assert "Ingress.routes                 [hdr.ipv4.dst(lpm, 32)]\n" in shared.do("show_tables")
    assert shared.do("show_actions").count("Ingress.forward ") == 1
    assert re.search(r"kernel lpm_dir24, \d+ bytes, \d+ of which lookups read\n", shared.do("table_info routes"))
    memory = shared.do("show_memory").splitlines()
    assert any(
        re.match(r"Ingress.routes: lpm_dir24, \d+ of \d+ entries, \d+ MiB, lookups read 4224 KiB$", m) for m in memory
    )
    assert re.match(r"huge pages: .*\d+ MiB, touched in part.*; transparent ones of the whole switch: \d+", memory[-1])
    assert shared.do("show_ports").splitlines()[1].split() == ["0", "ctl:", "up"]
    assert int(shared.do("get_time_elapsed")) > 0


def size_of(number: int) -> str:
    """Five digits are too many, but of the largest unit."""
    units = ["bytes", "KiB", "MiB", "GiB"]
    while number >= 10240 and len(units) > 1:
        number //= 1024
        units.pop(0)
    return f"{number} {units[0]}"


def test_memory_is_what_tables_have(shared: Switch) -> None:
    told = shared.do("show_memory").splitlines()[:-1]
    tables = shared.client.describe()["tables"]
    assert told == [
        f"{table['name']}: {table['kernel']}, {table['entries']} of {table['size']} entries, "
        f"{size_of(table['memory_bytes'])}, lookups read {size_of(table['reader_bytes'])}"
        for table in tables
        if table["kernel"] != "none"
    ]
    assert [table["kernel"] for table in tables] == ["linear", "lpm_dir24", "exact_hash", "exact_hash", "none"]
    for table in tables:
        about, shown, line, *actions = shared.do(f"table_info {table['name']}").splitlines()
        fields = ",\t".join(f"{key['name']}({key['match']}, {key['bits']})" for key in table["key"])
        assert about == f"{table['name']:<30} [{fields}]" and line == "*" * 80
        kernel = f", kernel {table['kernel']}, {table['memory_bytes']} bytes"
        read = f", {table['reader_bytes']} of which lookups read"
        assert shown.removeprefix(f"{table['entries']} of {table['size']} entries") in (kernel, kernel + read, "")
        assert actions == shared.do(f"table_show_actions {table['name']}").splitlines()


def test_describe(shared: Switch) -> None:
    program = shared.client.describe()
    dmac = next(table for table in program["tables"] if table["name"] == "Ingress.dmac")
    assert dmac["key"] == [{"name": "hdr.ethernet.dst", "match": "exact", "bits": 48}]
    assert dmac["actions"][1] == {
        "name": "Ingress.forward", "scope": "anywhere", "params": [{"name": "port", "bits": 9}]
    }  # fmt: skip
    learn = next(extern for extern in program["externs"] if extern["kind"] == "digest")
    assert learn["fields"] == [{"name": "src", "bits": 48}, {"name": "port", "bits": 9}]


def test_stages_have_the_clocks_of_sampled_bursts(shared: Switch) -> None:
    before, frames = shared.client.stages(), 0
    end = time.monotonic() + 60
    while True:  # a burst each; a busy machine interrupts many samples
        for _ in range(200):
            shared.client.exchange([(0, ethernet())])
        frames += 200
        (made,) = since(shared.client.stages(), before)
        if made["sampled"] or time.monotonic() > end:
            break
    assert made["bursts"] == frames and 1 <= made["sampled"] <= frames
    clocks = {(clock["function"], clock["stage"], clock["step"]): clock for clock in made["clocks"]}
    for name in ("runtime", 0, "send"), ("runtime", 0, "between"), ("ingress_pipe", 0, "take"):
        assert clocks[name]["packets"] == clocks[name]["calls"] == made["sampled"] and clocks[name]["cycles"] > 0
    assert (
        clocks["runtime", 0, "receive"]["packets"] <= made["sampled"]
    )  # a worker that waits has not received by itself


def test_mc_dump(start) -> None:
    switch = start()
    switch.do("mc_mgrp_create 1113", "mc_node_create 5 3 0", "mc_node_associate 1113 0")
    assert switch.do("mc_dump").splitlines()[2:5] == [
        "**********", "mgrp(1113)", "  -> (L1h=0, rid=5) -> (ports=[0, 3], lags=[])"
    ]  # fmt: skip
    assert "in a group already" in switch.fail("mc_node_associate 1113 0")
    switch.do("mc_node_destroy 0")
    assert "no such node" in switch.fail("mc_node_associate 1113 0")


# --- while packets flow -----------------------------------------------------------------------------------------------


def test_tables_change_while_packets_flow(start) -> None:
    switch = start("--workers=2")
    with Client(switch.socket) as other:
        for round_ in range(20):
            switch.client.inject(0, [ethernet(dst=i % 50) for i in range(400)])
            switch.client.inject(1, [ipv4(f"10.0.{i % 50}.1") for i in range(400)])
            lines = [f"table_add dmac forward {i} => 1" for i in range(50)]
            lines += [f"table_add routes forward 10.0.{i}.0/24 => 0" for i in range(50)]
            assert other.bulk([*lines, "table_clear dmac", "table_clear routes"]).failed == 0, round_
            switch.client.collect()
    stats = switch.client.stats()
    assert stats["received"] == 20 * 800
    assert stats["received"] == stats["sent"] + stats["dropped"]


def test_bulk_stops_at_the_first_failure_unless_told(start) -> None:
    switch = start()
    lines = ["table_add dmac forward 1 => 1", "nonsense", "", "# comment", "table_add dmac forward 2 => 1"]
    reply = switch.client.bulk(lines)
    assert (reply.done, reply.failed) == (1, 1)
    assert reply.text.startswith("2: error: no command 'nonsense'; there is table_add, table_modify,")
    assert switch.do("table_num_entries dmac") == "1\n"
    reply = switch.client.bulk(lines, keep_going=True)
    assert (reply.done, reply.failed) == (1, 2)


def test_bulk_takes_lines_of_any_length(start) -> None:
    """Lines are cut into words some at a time: as many as there is room for."""
    switch = start()
    lines = [f"table_add dmac forward {i} => {'1 ' * (i % 3 * 500 + 1)}" for i in range(100)]
    lines += [f"table_add dmac drop {'1 ' * 2000}", "table_add dmac forward 99 => 1", "table_add dmac drop 99 =>"]
    reply = switch.client.bulk(lines, keep_going=True)
    assert (reply.done, reply.failed) == (34, 69)
    assert reply.text.startswith("2: error: Ingress.forward needs 1 parameter, 501 given\n3: error: ")
    assert switch.do("table_num_entries dmac") == "34\n"


def test_bulk_changes_entries_by_their_handles(start) -> None:
    """What lines will change is fetched before the first of a block is done: lines before may delete it."""
    switch = start()
    lines = [f"table_add dmac forward {i} => 0" for i in range(100)]
    lines += [f"table_add routes forward 10.0.{i}.0/24 => 0" for i in range(100)]
    assert switch.client.bulk(lines).failed == 0
    lines = [f"table_modify {table} forward {i} => 1" for i in range(100) for table in ("dmac", "routes")]
    lines += [f"table_delete {table} {i // 2 * 2}" for i in range(100) for table in ("dmac", "routes")]
    lines += [
        "table_delete dmac 4000000000",
        "table_delete dmac first",
        "table_delete dmac",
        "table_modify dmac forward 1",
    ]
    lines += ["table_delete nowhere 1", "table_modify dmac forward 18446744073709551616 => 1", "table_delete dmac 0x1"]
    reply = switch.client.bulk(lines, keep_going=True)
    assert (reply.done, reply.failed) == (200 + 100 + 1, 100 + 6)
    assert switch.do("table_num_entries dmac") + switch.do("table_num_entries routes") == "49\n50\n"
    assert switch.client.exchange([(0, ethernet(i)) for i in range(5)]) == [(1, ethernet(3))]


@pytest.mark.parametrize(("wanted", "made"), [("8", (8, 8)), ("9", (8, 8)), ("7", (8, 7)), ("256", (8, 8))])
def test_a_sub_batch_is_no_larger_than_the_burst(start, wanted: str, made: tuple[int, int]) -> None:
    assert start("--burst=8", f"--sub-batch={wanted}").client.set_batch() == made


def test_shutdown(start) -> None:
    switch = start()
    switch.client.shutdown()
    assert switch.process.wait(20) == 0
    with pytest.raises(NoSwitchError):
        Client(switch.socket)


# --- the socket -------------------------------------------------------------------------------------------------------


def test_the_socket_is_its_owners_alone(shared: Switch) -> None:
    assert stat.S_IMODE(shared.socket.stat().st_mode) == 0o600


def test_a_live_socket_is_refused_and_a_stale_one_replaced(sample: Path, tmp_path: Path) -> None:
    first = Switch(sample, tmp_path, ["--port=0=ctl:"])
    second = subprocess.run(
        [str(sample), "--port=0=ctl:", "--socket", str(first.socket)],
        capture_output=True, text=True, timeout=20, check=False,
    )  # fmt: skip
    assert second.returncode == 1
    assert "another switch listens there" in second.stderr
    first.process.kill()
    first.process.communicate()
    assert first.socket.exists()
    Switch(sample, tmp_path, ["--port=0=ctl:"]).stop()


def test_a_file_is_not_replaced(sample: Path, tmp_path: Path) -> None:
    """Nor a link, even to a socket at which nobody listens."""
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("mine")
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "left"))
    link.symlink_to(tmp_path / "left")
    for path in (file, link):
        done = subprocess.run(
            [str(sample), "--port=0=ctl:", "--socket", str(path)],
            capture_output=True, text=True, timeout=20, check=False,
        )  # fmt: skip
        assert done.returncode == 1
        assert "no socket" in done.stderr
    assert file.read_text() == "mine" and link.is_symlink() and (tmp_path / "left").exists()


def test_a_socket_has_a_path_of_107_bytes_at_most(sample: Path) -> None:
    """unix(7): with its end, 108."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        for length in (106, 107, 108):
            path = f"{folder}/".ljust(length, "x")
            command = [str(sample), "--port=0=ctl:", "--buffers=2048", f"--socket={path}"]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if length <= 107:
                with Client.wait(path, seconds=20) as client:
                    client.shutdown()
            told = "" if length <= 107 else f"error: cannot listen at '{path}': File name too long\n"
            assert (process.communicate(timeout=20)[1], process.returncode) == (told, length > 107)
            assert not Path(path).exists()


def raw(switch: Switch) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(10)
    connection.connect(str(switch.socket))
    return connection


def test_a_message_that_is_too_long_ends_the_connection(shared: Switch) -> None:
    with raw(shared) as connection:
        connection.sendall(struct.pack(">IBBH", 0xFFFFFFFF, 1, 0, 7))
        answer = b""
        while more := connection.recv(4096):
            answer += more
    assert answer[8:] == b"the message is too long"


@pytest.mark.parametrize("kind", range(0, 256, 15))
def test_hostile_bytes_do_no_harm(shared: Switch, kind: int) -> None:
    chance = random.Random(kind)
    for _ in range(20):
        with raw(shared) as connection:
            connection.sendall(chance.randbytes(chance.randrange(1, 200)))
        with raw(shared) as connection:
            payload = chance.randbytes(chance.randrange(60))
            message = chance.randrange(10) if chance.random() < 0.7 else kind
            connection.sendall(struct.pack(">IBBH", len(payload), message, 0, 1) + payload)
            if chance.random() < 0.5:
                connection.recv(4096)
    assert shared.client.stats()["workers"] == 1


def test_hostile_text_does_no_harm(shared: Switch) -> None:
    chance = random.Random(3)
    words = ["table_add", "dmac", "acl", "forward", "=>", "1", "&&&", "->", "/", "0x", "0b", "*", "#", "%n%s", "\x01é",
             "::", "1.2.3", "9" * 400, "0x" + "f" * 3000, "table_dump", "counter_read", "register_write", "seen"]  # fmt: skip
    lines = [" ".join(chance.choices(words, k=chance.randrange(1, 12))) for _ in range(2000)]
    lines.append("table_add dmac forward " + "1 " * 5000)
    assert shared.client.bulk(lines, keep_going=True).failed > 1900
    assert "one line of text" in shared.fail("table_dump dmac\nshutdown")
    assert "one line of text" in shared.fail("table_dump\0dmac")


def test_a_client_that_sends_half_a_message_hinders_nobody(shared: Switch) -> None:
    with raw(shared) as slow:
        slow.sendall(struct.pack(">IBBH", 100, 1, 0, 7) + b"table")
        assert shared.client.stats()["workers"] == 1


def test_a_client_that_closes_its_sending_side_gets_its_answer(shared: Switch) -> None:
    with raw(shared) as connection:
        connection.sendall(struct.pack(">IBBH", 10, 1, 0, 7) + b"show_ports")
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while more := connection.recv(4096):
            answer += more
    assert b"ctl:" in answer


def test_many_clients(shared: Switch) -> None:
    clients = [Client(shared.socket) for _ in range(31)]
    assert all(client.command("show_ports").ok for client in clients)
    with pytest.raises((NoSwitchError, ControlError)), Client(shared.socket) as refused:
        refused.stats()
    for client in clients:
        client.close()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            with Client(shared.socket) as again:
                again.stats()
            return
        except NoSwitchError:
            time.sleep(0.01)
    pytest.fail("no place became free")


# --- speed ------------------------------------------------------------------------------------------------------------


def cpu_seconds_of_children() -> float:
    """Of all that have ended: what else the machine does meanwhile is not in it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_a_million_entries_load_in_seconds(build_sample, tmp_path: Path) -> None:
    fast = build_sample()
    entries = tmp_path / "entries"
    with entries.open("w") as file:
        for i in range(1_000_000):
            file.write(f"table_add routes forward {i >> 16 & 255}.{i >> 8 & 255}.{i & 255}.0/24 => {i % 500}\n")
    begin = cpu_seconds_of_children()
    done = subprocess.run(
        [str(fast), "--port=0=ctl:", "--entries", str(entries), "--until-idle=1"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert cpu_seconds_of_children() - begin < 10


def test_what_steers_terminals_is_shown(start: Callable[..., Switch], tmp_path: Path) -> None:
    """Names of ports, words of commands; the statistics stay JSON."""
    frames = tmp_path / "\x1b]0;x\x07\x9b\u202e\U000e0001\n\u00e9\udcff\udced\udca0\udc80.pcap"
    write_pcap(frames, [])
    switch = start("--port", f"7=pcap:{frames}", ports=1)
    name = next(port["name"] for port in switch.client.stats()["ports"] if port["port"] == 7)
    assert name.endswith("/\x1b]0;x\x07\x9b\u202e\U000e0001\n\u00e9\\xff\\xed\\xa0\\x80.pcap")
    assert switch.client.describe()["ports"][1]["name"] == name
    why = switch.client.command("table_dump \x1b[31m\x9b2J\u2066\x7fx\\").text
    assert why.isprintable() and "\\x1b[31m\\xc2\\x9b2J\\xe2\\x81\\xa6\\x7fx\\" in why
    out = switch.stop()
    assert "\\x1b]0;x\\x07" in out
    assert all(line.isprintable() for line in out.splitlines())
