"""What commands and messages answer, word for word: descriptions, lists, the usage of each, what is refused and why."""

from __future__ import annotations

import json
import random
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import switches
from switch_harness import Switch, ethernet

from macsad.control import Client
from macsad.protocol import ControlError, Filter, Message, Status, Traced


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switch]:
    binary = switches.build(Path(__file__).parent / "edges.p4", ("address", "undefined"))
    switch = Switch(binary, tmp_path_factory.mktemp("answers"), ["--port=0=ctl:", "--port=1=ctl:"])
    yield switch
    switch.stop()


# --- commands ---------------------------------------------------------------------------------------------------------


def usages(switch: Switch) -> list[tuple[str, list[str]]]:
    return [(line.split()[0], line.split()[1:]) for line in switch.do("help").splitlines() if line[0] != " "]


def test_each_command_takes_the_words_of_its_usage(running: Switch) -> None:
    """Those of a list may be any number."""
    told = usages(running)
    assert len(told) > 40
    for name, words in told:
        ends = [at for at, word in enumerate(words) if word.endswith("...") or word[0] == "["]
        needed = min([*ends, len(words)])
        wrong = [needed - 1] if needed else []
        if "..." not in " ".join(words):
            wrong.append(len(words) + 1)
        for count in wrong:
            assert running.fail(f"{name}{' 0' * count}") == f"usage: {name} {' '.join(words)}"
    assert running.fail("help a b").startswith("usage: help")


def test_names_that_are_not_there(running: Switch) -> None:
    commands = [name for name, _ in usages(running)]
    near = {
        "table_add masks gp * * * => 1 1": "no action 'gp'; did you mean 'I.go'? (table I.masks)",
        "table_add masks xyz * * * => 1 1": "no action 'xyz'; there is I.go, I.drop (table I.masks)",
        "register_read twin": "register 'twin' may be 'I.twin' or 'E.twin'",
        "register_read xyzzy": "no register 'xyzzy'; there is I.words, I.wides, I.mids, I.flags, I.longest, I.broad, "
        "I.twin, E.twin",
        "pvs_get xyzzy": "no parser value set 'xyzzy'; there is P.marks",
        "xyzzyplugh": f"no command 'xyzzyplugh'; there is {', '.join(commands[:8])}, and {len(commands) - 8} more",
    }
    for line, why in near.items():
        assert running.fail(line) == why
    assert running.do("register_read I.twin", "register_read E.twin 0") == "I.twin= 0\nE.twin[0]= 0\n"


def test_addresses(start) -> None:
    switch = start()
    switch.do("register_write seen 0 ff:0F:a:bC:00:9f", "register_write wide 0 15")
    assert switch.do("register_read seen 0") == f"seen[0]= {0xFF0F0ABC009F}\n"
    for line, why in (
        ("register_write seen 0 f:f:f:f:f:1ff", "'f:f:f:f:f:1ff' is not a valid MAC address"),
        ("register_write seen 0 f:f:f:f:f:fg", "'f:f:f:f:f:fg' is not a valid MAC address"),
        ("register_write seen 0 f:f:f:f:f", "'f:f:f:f:f' is not a valid MAC address"),
        ("register_write seen 0 g:f:f:f:f:f", "'g:f:f:f:f:f' is not a valid MAC address"),
        ("register_write seen 0 f:f::f:f:f", "'f:f::f:f:f' is not a valid MAC address"),
        ("register_write wide 0 1::2:3:4:5", "the IPv6 address '1::2:3:4:5' has 128 bits, but 100 bits are wanted"),
        ("register_write wide 0 1:2:3:4:5:6:7", "'1:2:3:4:5:6:7' is not a valid IPv6 address"),
        ("register_write wide 0 1:2:3:4:5:6", "the MAC address '1:2:3:4:5:6' has 48 bits, but 100 bits are wanted"),
        ("register_write wide 0 0x1" + "0" * 25, f"0x1{'0' * 25} does not fit in 100 bits"),
        ("register_write wide 0 0x1" + "0" * 30, f"0x1{'0' * 30} does not fit in 100 bits"),
    ):
        assert switch.fail(line) == why
    assert switch.do("register_read wide 0") == "wide[0]= 15\n"


def test_registers_begin_with_what_the_program_says(tmp_path: Path) -> None:
    """And do again when they are restored; what commands hold of them meanwhile they let go: packets go on."""
    binary = switches.build(Path(__file__).parents[1] / "packets" / "psa_externs.p4", ("address", "undefined"))
    switch = Switch(binary, tmp_path, ["--port=0=ctl:", "--port=1=ctl:", "--workers=2"])

    def packets(told: list[int]) -> None:
        """Each leaves its number of 16 bits, and takes what was there; from either port."""
        for key, before in enumerate(told):
            for port, (written, read) in enumerate(((key + 1, before), (key + 7, key + 1))):
                ((_, frame),) = switch.client.exchange([(port, bytes([0x20, key]) + struct.pack(">HI", written, 0))])
                assert int.from_bytes(frame[4:], "big") == read

    begun, left = [0xCAFE] * 4, [7, 8, 9, 10]
    assert (
        switch.do("register_read numbers", "register_read pairs")
        == "numbers= 51966, 51966, 51966, 51966\npairs= 0, 0\n"
    )
    packets(begun)
    switch.do("register_write numbers 2 77", "register_write pairs 1 5")
    packets([*left[:2], 77, left[3]])
    for _ in range(2):
        assert switch.do("register_read numbers") == f"numbers= {', '.join(map(str, left))}\n"
        assert switch.do("register_read numbers 1", "register_read numbers 3") == "numbers[1]= 8\nnumbers[3]= 10\n"
        switch.do("register_restore numbers", "register_restore pairs")
        assert switch.do("register_read pairs") == "pairs= 0, 0\n"
        packets(begun)
        switch.do("register_reset numbers")
        packets([0] * 4)
    switch.stop()


def test_broad_registers(running: Switch) -> None:
    running.do(f"register_write longest 0 {2**2048 - 1}", f"register_write broad 2099 0xab{'00' * 2046}cd")
    assert running.do("register_read longest") == f"longest= {2**2048 - 1}\n"
    assert running.do("register_read broad 2099") == f"broad[2099]= 0xab{'00' * 2046}cd\n"
    text = running.client.command("register_read broad").text
    element = ", 0x" + "00" * 2048
    assert text.startswith(f"broad= 0x{'00' * 2048}{element}{element}") and text.count("broad=") == 1
    assert len(text) == 8 << 20 and text.endswith("(cut)\n")
    one = running.do("register_read broad 0")
    assert running.do("register_read broad 0", "register_read broad") == one + "(cut)\n"  # it has no room as a whole


def test_tables_are_listed(running: Switch) -> None:
    tables = running.do("show_tables").splitlines()
    assert tables[1] == f"{'I.prefixes':<30} [hdr.h.flag(exact, 1),\thdr.h.net(lpm, 12)]"
    assert [line.split()[0] for line in tables] == [
        f"I.{name}"
        for name in ("exact_keys", "prefixes", "masks", "maybes", "paced", "choices", "pinned", "fixed", "first")
    ]  # fmt: skip
    shown = running.do("table_show_actions prefixes").splitlines()
    assert shown[1] == f"{'I.all':<30} [a(65),\tb(64),\tc(33),\td(16),\te(8),\tf(1)]"


def test_what_a_profile_refuses(running: Switch) -> None:
    member = running.do("act_prof_create_member few go 1").split()[-1]
    try:
        for line, why in (
            ("act_prof_create_member few nothing", "action I.nothing is for the default entry only"),
            ("act_prof_create_member few go", "I.go needs 1 parameters, 0 given"),
            ("act_prof_create_member few go 1 2", "I.go needs 1 parameters, 2 given"),
            (f"act_prof_modify_member few go {member} 1 2", "I.go needs 1 parameters, 2 given"),
            (f"table_indirect_set_default pinned {member}", "the default action of table I.pinned is constant"),
            ("table_indirect_set_default_with_group pinned 0", "the default action of table I.pinned is constant"),
            ("act_prof_create_group few", "I.few is an action profile without groups"),
            ("act_prof_delete_member few 4294967295", "I.few has no such member"),
            ("act_prof_delete_member few 4294967296", "'4294967296' is not a member handle"),
            (f"table_indirect_add pinned 1 => {member} 5", "table I.pinned needs 1 key fields, '=>', a handle"),
        ):
            assert running.fail(line) == why
        other = running.do("act_prof_create_member few go 0").split()[-1]
        assert running.fail("act_prof_create_member few go 0") == "I.few is full (2)"
        running.do(f"act_prof_delete_member few {other}")
    finally:
        running.do(f"act_prof_delete_member few {member}")


def test_a_group_that_is_deleted_lets_its_members_go(running: Switch) -> None:
    members = [running.do(f"act_prof_create_member chosen go {port}").split()[-1] for port in (0, 1)]
    group = running.do("act_prof_create_group chosen").split()[-1]
    running.do(*(f"act_prof_add_member_to_group chosen {member} {group}" for member in members))
    already = running.fail(f"act_prof_add_member_to_group chosen {members[0]} {group}")
    assert already == "the member is in this group already"
    running.do(f"act_prof_remove_member_from_group chosen {members[1]} {group}")
    running.do(f"act_prof_delete_member chosen {members[1]}")
    assert "is in a group" in running.fail(f"act_prof_delete_member chosen {members[0]}")
    running.do(f"act_prof_delete_group chosen {group}", f"act_prof_delete_member chosen {members[0]}")
    assert running.do("act_prof_create_member chosen go 1").split()[-1] == members[0]  # the lowest that is free
    running.do(f"act_prof_delete_member chosen {members[0]}")


def test_rates_are_those_of_an_entry(running: Switch) -> None:
    running.do("table_clear paced")
    first = running.do("table_add paced nothing 1 =>").split()[-1]
    assert running.do(f"meter_get_rates pace {first}") == ""
    running.do(f"meter_set_rates pace {first} 2:1 2:1")
    assert running.do(f"meter_get_rates pace {first}").startswith("0: info rate = 2, burst size = 1\n")
    running.do(f"table_delete paced {first}")
    again = running.do("table_add paced nothing 1 =>").split()[-1]
    assert running.do(f"meter_get_rates pace {again}") == ""
    running.do("meter_array_set_rates pace 1:2 3:4")
    assert running.do(f"meter_get_rates pace {again}").endswith("1: info rate = 3, burst size = 4\n")
    running.do("table_clear paced")


def test_a_handle_comes_again_after_256_deletions_and_its_entry_counts_from_zero(running: Switch) -> None:
    running.do("table_clear exact_keys")
    others = [int(running.do(f"table_add exact_keys send {i} 0 0 => 1").split()[-1]) for i in range(1, 8)]
    first = int(running.do("table_add exact_keys send 0 0 0 => 1").split()[-1])
    seen = [first]
    for _ in range(256):  # the table is full: each time the only free place is that of the entry before
        running.do(f"counter_write hits {seen[-1]} 3 4", f"table_delete exact_keys {seen[-1]}")
        seen.append(int(running.do("table_add exact_keys send 0 0 0 => 1").split()[-1]))
        assert running.do(f"counter_read hits {seen[-1]}").endswith("(0 bytes, 0 packets)\n")
    assert seen[-1] == first and len(set(seen)) == 256
    running.do(*(f"counter_write hits {handle} 5 6" for handle in others), "counter_reset hits")
    for handle in others:
        assert running.do(f"counter_read hits {handle}").endswith("(0 bytes, 0 packets)\n")
    running.do("table_clear exact_keys")


# --- descriptions -----------------------------------------------------------------------------------------------------


def extern(name: str, kind: str, size: int, bits: int = 0, unit: str = "", **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": kind, "size": size, "bits": bits, "unit": unit, "fields": [], **more}


def test_a_program_is_described_whole(running: Switch) -> None:
    running.do("table_clear masks", "table_add masks go * * * => 1 1")
    told = running.client.describe()
    assert json.loads(running.do("describe")) == told
    assert (told["name"], Path(told["source"]).name) == ("edges", "edges.p4")
    assert told["ports"] == [{"port": port, "name": "ctl:", "up": True} for port in (0, 1)]
    assert told["value_sets"] == [
        {"name": "P.marks", "size": 3, "key": [{"name": told["value_sets"][0]["key"][0]["name"], "match": "exact", "bits": 13}]}
    ]  # fmt: skip
    tables = {table["name"]: table for table in told["tables"]}
    assert [name for name, table in tables.items() if table["const_default"]] == ["I.pinned"]
    assert [name for name, table in tables.items() if table["const_entries"]] == ["I.fixed"]
    assert {name: table["entries"] for name, table in tables.items() if table["entries"]} == {
        "I.masks": 1,
        "I.fixed": 2,
        "I.first": 3,
    }
    masks = tables["I.masks"]
    assert masks["size"] == 8 and 0 < masks["reader_bytes"] <= masks["memory_bytes"]
    assert [(field["match"], field["bits"]) for field in masks["key"]] == [
        ("ternary", 13),
        ("optional", 33),
        ("range", 10),
    ]
    scopes = {action["name"]: action["scope"] for action in tables["I.prefixes"]["actions"]}
    assert scopes == {"I.go": "anywhere", "I.all": "anywhere", "I.nothing": "table_only", "I.drop": "anywhere"}
    assert tables["I.pinned"]["actions"][1] == {"name": "I.nothing", "scope": "default_only", "params": []}
    externs = {one["name"]: one for one in told["externs"]}
    hits = externs["I.hits"]
    for one in (
        extern("I.words", "register", 4, 64), extern("I.seen", "counter", 5, unit="packets_and_bytes"),
        extern("I.hits", "direct_counter", hits["size"], unit="packets_and_bytes", table="I.exact_keys"),
        extern("I.pace", "direct_meter", externs["I.pace"]["size"], unit="packets", table="I.paced"),
        extern("I.flow", "meter", 3, unit="bytes"), extern("I.chosen", "action_selector", 4, table="I.choices"),
        extern("I.few", "action_profile", 2, table="I.pinned"),
    ):  # fmt: skip
        assert externs[one["name"]] == one
    running.do("table_clear masks")


def test_statistics_have_frames_and_bytes_of_each_way(start) -> None:
    switch = start()
    switch.do("table_add dmac forward 1 => 1", "table_add dmac forward 2 => 0")
    frames = [(0, ethernet(1)), (0, ethernet(1, payload=bytes(50))), (1, ethernet(2)), (0, ethernet(3))]
    assert len(switch.client.exchange(frames)) == 3
    told = switch.client.stats()
    ways = [{"rx_packets": 3, "rx_bytes": 184, "rx_missed": 0, "tx_packets": 1, "tx_bytes": 60},
            {"rx_packets": 1, "rx_bytes": 60, "rx_missed": 0, "tx_packets": 2, "tx_bytes": 124}]  # fmt: skip
    assert told["ports"] == [{"port": port, "name": "ctl:", **way} for port, way in enumerate(ways)]
    assert (told["received"], told["sent"], told["dropped"], told["drops"]["program"]) == (4, 3, 1, 1)
    assert (told["workers"], told["copies"], told["missed"], told["asserts"], told["kept"]) == (1, 0, 0, 0, [])
    assert {told[name] for name in ("digests", "digests_lost", "log_lost")} == {0}
    switch.client.exchange([(0, ethernet(kind=0xD1E5))] * 2)
    told = json.loads(switch.do("stats"))
    assert (told["digests"], told["digests_lost"]) == (2, 0) and told["cpu_ns"] > 0 and told["cycles"] > 0
    switch.do("shutdown")
    assert switch.process.wait(20) == 0


def test_digests_of_two_kinds_keep_their_order(start) -> None:
    switch = start()
    switch.client.subscribe()
    kinds = [0xD1E5, 0xD1E6, 0xD1E6, 0xD1E5]
    switch.client.exchange([(1, ethernet(kind=kind, src=src)) for src, kind in enumerate(kinds)])
    records: list[tuple[str, bytes]] = []
    while len(records) < len(kinds):
        digest = switch.client.digest(10)
        assert digest is not None
        records += [(digest.name, record) for record in digest.records]
    learn = [(src.to_bytes(6, "big") + b"\0\1") for src in (0, 3)]
    assert records == [
        ("Ingress.learn", learn[0]), ("Ingress.moved", b"\0\1"), ("Ingress.moved", b"\0\1"), ("Ingress.learn", learn[1])
    ]  # fmt: skip


# --- messages ---------------------------------------------------------------------------------------------------------


def frame_of(length: int, data: bytes) -> bytes:
    return struct.pack(">I", length) + data


@pytest.mark.parametrize(
    ("kind", "payload", "why"),
    [
        (99, b"", "no message of this type"),
        (0, b"", "no message of this type"),
        (Message.BULK, b"", "no flags"),
        (Message.DESCRIBE, b"\4", "no program is loaded"),
        (Message.SET, b"\0\1\0", "two numbers of 16 bits"),
        (Message.SET, b"\0\1\0\1\0", "two numbers of 16 bits"),
        (Message.SET, b"\1\1\0\1", "two numbers of 16 bits"),
        (Message.SET, b"\0\1\1\1", "two numbers of 16 bits"),
        (Message.INJECT, b"", "not the number of a ctl: port"),
        (Message.INJECT, b"\0", "not the number of a ctl: port"),
        (Message.INJECT, b"\0\0\0\0\0", "a frame is cut off"),
        (Message.INJECT, b"\0\0" + frame_of(15, bytes(14)), "a frame is cut off"),
        (Message.INJECT, b"\0\0" + frame_of(18, bytes(14)), "a frame is cut off"),
        (Message.INJECT, b"\0\0" + frame_of(14, bytes(14)) + frame_of(0, b""), "a frame is empty or longer"),
    ],
)
def test_messages_that_make_no_sense(running: Switch, kind: int, payload: bytes, why: str) -> None:
    with Client(running.socket) as client:
        status, answer = client._ask(kind, payload)  # type: ignore[arg-type]
        assert status is Status.WRONG and why in answer.decode()
        assert client.command("show_ports").ok


def test_a_message_ends_where_its_length_says(running: Switch) -> None:
    """What is behind it is another one."""
    with Client(running.socket) as client:
        client.collect()  # what tests before have left
        client._socket.sendall(
            struct.pack(">IBBH", 1, Message.INJECT, 0, 1) + b"\0" + struct.pack(">IBBH", 0, Message.COLLECT, 0, 2)
        )
        kind, status, tag, answer = client._receive()
        assert (kind, Status(status), tag) == (Message.INJECT, Status.WRONG, 1) and b"ctl: port" in answer
        assert client._receive() == (Message.COLLECT, Status.OK, 2, b"")


def test_blanks_are_of_any_kind(running: Switch) -> None:
    """As of files that other systems have written; a # begins a comment at the beginning of a word only."""
    lines = b"\ttable_num_entries\t fixed \r\n\r\n \t# no\r\ntable_num_entries fixed\t# behind\r\n\n"
    lines += b"table_num_entries #fixed\r\ntable_num_entries fix#ed"
    status, answer = running.client._ask(Message.BULK, b"\3" + lines)
    assert status is Status.FAILED and struct.unpack_from(">II", answer) == (2, 2)
    assert answer[8:].decode().splitlines()[:3] == ["2", "2", "6: error: usage: table_num_entries TABLE"]
    assert answer[8:].decode().splitlines()[3].startswith("7: error: no table 'fix#ed'")
    assert running.client.command("  table_num_entries\tfixed\r").text == "2\n"


def test_names_are_strings_of_json(start, tmp_path: Path) -> None:
    name = tmp_path / 'a"b\\"\\\\c\td.pcap'
    switch = start(f"--port=7=pcap:,{name}")
    told = {port["port"]: port["name"] for port in switch.client.describe()["ports"]}
    assert told == {0: "ctl:", 1: "ctl:", 7: f"pcap:,{name}"}
    assert {port["port"]: port["name"] for port in json.loads(switch.do("stats"))["ports"]} == told


def test_a_message_may_come_in_pieces(running: Switch) -> None:
    """Byte by byte, while others are served; it is answered when its last byte has come, and not before."""
    whole = struct.pack(">IBBH", 23, Message.COMMAND, 0, 0x1FF) + b"table_num_entries fixed"
    whole += struct.pack(">IBBH", 5, Message.BULK, 0, 8) + b"\1a\nb\n"
    with Client(running.socket) as client:
        for at in range(len(whole)):
            client._socket.sendall(whole[at : at + 1])
            running.client.set_batch()
            running.client.set_batch()
            if at == 8 + 23 - 1:
                assert client._receive() == (Message.COMMAND, Status.OK, 0x1FF, b"2\n")
            elif at < len(whole) - 1:
                client._socket.setblocking(False)
                with pytest.raises(BlockingIOError):
                    client._socket.recv(1)
                client._socket.settimeout(20)
        kind, status, tag, answer = client._receive()
        assert (kind, status, tag, answer[:8]) == (Message.BULK, Status.FAILED, 8, struct.pack(">II", 0, 2))


def test_requests_that_come_together_are_answered_in_their_order(running: Switch) -> None:
    """However long they are: commands, and others between them that have bytes of zero."""
    chance, sent, answers = random.Random(5), bytearray(), list[tuple[int, Status, int, bytes]]()
    batch = struct.pack(">HH", *running.client.set_batch())
    for tag in range(3000):
        match tag % 3:
            case 0:
                kind, payload, told = Message.COMMAND, f"register_write words 0 {tag}".encode(), b""
            case 1:
                kind, payload, told = Message.COMMAND, b"register_read words 0", f"words[0]= {tag - 1}\n".encode()
            case _:
                kind, payload, told = Message.SET, bytes(4), batch
        if kind is Message.COMMAND:
            payload += b" " * chance.choice((1, 2, 7, 3000)) + b"#" * chance.choice((0, 1, 5000))
        sent += struct.pack(">IBBH", len(payload), kind, 0, tag) + payload
        answers.append((kind, Status.OK, tag, told))
    with Client(running.socket) as client:
        client._socket.sendall(sent)
        assert [client._receive() for _ in answers] == answers
    running.do("register_reset words")


def test_a_message_has_16_mib_at_most(running: Switch) -> None:
    """Of a longer one nothing is read but its head: the connection ends. Whatever came before is answered."""
    most, before = 16 << 20, struct.pack(">IBBH", 4, Message.COMMAND, 0, 3) + b"#..."
    with Client(running.socket) as client:
        for length in (most, most - 1):
            head = struct.pack(">IBBH", length, Message.COMMAND, 0, 6)
            client._socket.sendall(before + head + b"#" + bytes(length - 1))
            assert client._receive() == (Message.COMMAND, Status.OK, 3, b"")
            assert client._receive() == (Message.COMMAND, Status.FAILED, 6, b"a command is one line of text")
        client._socket.sendall(before + struct.pack(">IBBH", most + 1, Message.COMMAND, 0, 7))
        assert client._receive() == (Message.COMMAND, Status.OK, 3, b"")
        assert client._receive() == (Message.COMMAND, Status.WRONG, 7, b"the message is too long")
        assert client._socket.recv(1) == b""


def test_messages_without_content(running: Switch) -> None:
    with Client(running.socket) as client:
        before = client.set_batch()
        assert client._ask(Message.INJECT, b"\0\1") == (Status.OK, bytes(4))
        assert client.bulk([""]).done == 0
        assert client.command("").text == "" and client.collect() is not None
        assert client.set_batch() == before


def test_commands_print_whatever_a_bulk_before_has_kept_to_itself(running: Switch) -> None:
    member = running.do("act_prof_create_member chosen go 1").split()[-1]
    lines = [
        "table_clear masks",
        "table_clear choices",
        "table_add masks go 1&&&1 * * => 1 1",
        "table_num_entries masks",
    ]
    for _ in range(2):
        assert running.client.bulk(lines).text == ""
        told = running.client.command("table_add masks go 2&&&2 * * => 1 1").text
        assert told == "Entry has been added with handle 1\n" or int(told.split()[-1]) & 0xFFFFFF == 1
        assert "added with handle" in running.client.command(f"table_indirect_add choices 1&&&1 => {member} 1").text
    running.do(*lines[:2], f"act_prof_delete_member chosen {member}")


def test_a_line_with_a_byte_of_zero_fails_alone(running: Switch) -> None:
    status, answer = running.client._ask(Message.BULK, b"\3table_num_entries fixed\ntable_num_entries\0 fixed\nx\0")
    assert status is Status.FAILED and struct.unpack_from(">II", answer) == (1, 2)
    why = "error: the line has a byte of zero in it\n"
    assert answer[8:].decode() == f"2\n2: {why}3: {why}"


def test_frames_are_collected_in_messages_of_some_size(start) -> None:
    """More than one message holds; none is lost or out of order."""
    switch = start("--buffers=8192")
    switch.do("table_set_default dmac forward 1")
    frames = [ethernet(payload=i.to_bytes(2, "big") * 4400) for i in range(1200)]
    assert switch.client.inject(0, frames) == len(frames)
    told: list[Status] = []
    found, status = b"", Status.MORE
    while status is not Status.OK:
        status, payload = switch.client._ask(Message.COLLECT)
        assert len(payload) < 9 << 20
        told.append(status)
        found += payload
    assert told == [Status.MORE, Status.OK]
    assert found == b"".join(struct.pack(">HI", 1, len(frame)) + frame for frame in frames)


def test_frames_are_told_to_who_traces_or_counted_as_lost(running: Switch) -> None:
    """To who does not read, more than wait for it are lost; the next trace counts from none."""
    frames = [number.to_bytes(2, "big") + bytes(8998) for number in range(900)]
    for _ in range(2):
        with Client(running.socket) as tracer:
            tracer.trace(Filter())
            running.client.exchange((number % 2, frame) for number, frame in enumerate(frames))
            told: list[Traced] = []
            while not told or sum(len(one.frames) for one in told) + told[-1].lost < len(frames):
                traced = tracer.pushed(20)
                assert isinstance(traced, Traced)
                told.append(traced)
            numbers = [int.from_bytes(data[:2], "big") for one in told for _, _, data in one.frames]
            assert numbers == sorted(set(numbers)) and len(numbers) >= 256 and told[-1].lost > 0 == told[0].lost
            assert len(numbers) + told[-1].lost == len(frames) and tracer.pushed(0.0) is None


def test_a_filter_has_256_bytes_at_most(running: Switch) -> None:
    frame = bytes(range(256))
    some = tuple((at, at, 0xFF) for at in range(256))
    with Client(running.socket) as client:
        client.trace(Filter(pattern=some))
        client.trace(None)
        with pytest.raises(ControlError, match="not a filter"):
            client.trace(Filter(pattern=(*some, (0, 0, 0))))
        client.trace(Filter(pattern=some))
        running.client.exchange([(0, frame), (0, frame[:255]), (0, frame[:255] + b"0"), (0, frame + b"0")])
        traced = client.pushed(20)
        assert isinstance(traced, Traced) and [data for _, _, data in traced.frames] == [frame, frame + b"0"]


def test_an_unknown_port_has_no_frames(running: Switch) -> None:
    with pytest.raises(ControlError, match="not the number of a ctl: port"):
        running.client.inject(2, [bytes(60)])
    assert re.fullmatch(r"\d+\n", running.do("get_time_elapsed"))
