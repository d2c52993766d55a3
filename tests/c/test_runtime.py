"""The runtime with a program written by hand: frames in, frames out, every one accounted for."""

from __future__ import annotations

import os
import random
import re
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest
from switch_harness import Switch, ethernet, ipv4, read_pcap, write_pcap

from macsad.protocol import ControlError

FORWARD = "table_add dmac forward 00:00:00:00:00:01 => 1"


def run(binary: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(binary), *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)


def balance(stats: dict[str, int]) -> bool:
    return stats["received"] + stats["copies"] == stats["sent"] + stats["dropped"]


# --- command line -----------------------------------------------------------------------------------------------------


def test_help(sample: Path) -> None:
    done = run(sample, "--help")
    assert done.returncode == 0
    assert "--port N=NAME" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no port"),
        (["--port", "0"], "expected NUMBER=NAME"),
        (["--port", "70000=ctl:"], "expected NUMBER=NAME"),
        (["--port", "0=ctl:", "--port", "0=ctl:"], "port 0 is there twice"),
        (["--port", "0=ctl:", "--burst", "257"], "from 1 to 256"),
        (["--port", "0=ctl:", "--burst", "-1"], "from 1 to 256"),
        (["--port", "0=ctl:", "--cpus", "1-"], "expected CPU numbers"),
        (["--port", "0=ctl:", "stray"], "unexpected argument 'stray'"),
        (["--port", "0=ctl:", "--nonsense"], "--help"),
    ],
)
def test_wrong_usage(sample: Path, arguments: list[str], message: str) -> None:
    done = run(sample, *arguments)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.fixture(scope="module")
def fast(build_sample) -> Path:
    """The sample as it is for users: many of it begin and end."""
    return build_sample()


def refusal(binary: Path, *arguments: object) -> str:
    """What is told of wrong options; those that are fine come to a word that is none."""
    done = run(binary, "--port=0=ctl:", *arguments, "stray")
    assert done.returncode == 2 and done.stderr.startswith("error: ")
    told = done.stderr.splitlines()[0].removeprefix("error: ")
    return "" if told == "unexpected argument 'stray'" else told


NUMBERS = {
    "workers": (1, 64), "back-workers": (1, 64), "batch": (1, 256), "burst": (1, 256), "sub-batch": (1, 256),
    "stats": (1, 10**6), "count": (1, 2**64 - 1), "until-idle": (1, 10**6), "parent": (1, 2**31 - 1),
    "buffers": (512, 2**24), "max-frame": (64, 65535), "priority-queues": (1, 32), "seed": (0, 2**64 - 1),
}  # fmt: skip


@pytest.mark.parametrize(("option", "low", "high"), [(option, *ends) for option, ends in NUMBERS.items()])
def test_numbers_have_a_first_and_a_last(fast: Path, option: str, low: int, high: int) -> None:
    assert refusal(fast, *(f"--{option}={number}" for number in (low, high, hex(low), f"{high:#x}"))) == ""
    for word in (low - 1, high + 1, 2**64, 2**64 + low, 2**65 + high, f"{low}x", f"+{low}", f" {low}", "x", ""):
        told = f"--{option} {word}: expected a number from {low} to {high}"
        assert refusal(fast, f"--{option}={word}") == told


@pytest.mark.parametrize(
    ("option", "most", "what"),
    [("cpus", 1023, "CPU numbers"), ("host", 65535, "port numbers"), ("part-workers", 64, "numbers of workers")],
)
def test_lists_are_of_numbers_and_ranges(fast: Path, option: str, most: int, what: str) -> None:
    fine = ("0", "0,1", "2-5", "3-3", f"1,0,{most - 1}-{most}", f"{most}")
    assert refusal(fast, *(f"--{option}={words}" for words in fine)) == ""
    wrong = (f"{most + 1}", f"0-{most + 1}", f"1,{2**64}", f"{2**64 + 1}-{2**64 + 2}", "5-2", "", ",", "1,", ",1",
             "1,,2", "1-", "-1", "1-2-3", "1;2", "1,x", "+1", "1,+2", "1-+2", " 1")  # fmt: skip
    for words in wrong:
        assert refusal(fast, f"--{option}={words}") == f"--{option} {words}: expected {what}, as in 1,2 or 2-5"


def test_ports_have_numbers_of_16_bits_and_names(fast: Path) -> None:
    assert refusal(fast, "--port=65535=ctl:", "-p", "1=ctl:", "--port=02=eth0=1") == ""
    for word in ("65536=ctl:", f"{2**64}=ctl:", f"{2**64 + 1}=ctl:", "1=", "=ctl:", "1", "1x=ctl:", "-1=ctl:", "+1=ctl:",
                 "0x1=ctl:", " 1=ctl:", ""):  # fmt: skip
        assert refusal(fast, f"--port={word}") == f"--port {word}: expected NUMBER=NAME, as in 0=eth0"
    assert refusal(fast, "--port=00=eth0") == "--port 00=eth0: port 0 is there twice"
    ports = [f"--port={number}=ctl:" for number in range(1, 65)]
    assert refusal(fast, *ports[:63]) == "" and refusal(fast, *ports) == "--port 64=ctl:: more than 64 ports"


def test_options_of_programs_that_are_built_otherwise(fast: Path) -> None:
    for option in ("back", "part"):
        done = run(fast, "--port=0=ctl:", f"--{option}-workers=1")
        told = f"error: --{option}-workers: the program is in one piece; build it with --cut\n"
        assert (done.returncode, done.stderr) == (2, told)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "3=nonsense:"], "port 3: cannot open 'nonsense:'"),
        (["--port", "0=ctl:", "--entries", "/nonexistent"], "cannot read the entries file '/nonexistent'"),
        (["--port", "0=ctl:", "--log", "/nonexistent/log"], "cannot open the log '/nonexistent/log'"),
        (["--port", "0=ctl:", "--socket", "/nonexistent/sock"], "cannot listen at '/nonexistent/sock'"),
        (["--port", "0=ctl:", "--cpus", "0", "--cpus", "1023"], "cannot start worker 0 on CPU 1023"),  # the last counts
        (["--port", "0=ctl:", "--cpus", "1023"], "cannot start worker 0 on CPU 1023"),
        (["--port", "0=ctl:", "--workers", "4", "--cpus", "0,0,1023"], "cannot start worker 2 on CPU 1023"),
    ],
)
def test_what_cannot_be_had_ends_the_run(sample: Path, arguments: list[str], message: str) -> None:
    done = run(sample, *arguments)
    assert done.returncode == 1
    assert message in done.stderr


# At both ends of each range of those that control a terminal, and what is beside it.
PLAIN = "\x20\x7e\xa0\xac\xae\u061b\u061d\u200a\u2010\u2027\u202f\u205f\u2070\ufefe\uff00\ud7ff\ue000\U000dffff"
STEERING = "\x01\x1f\x7f\x80\x9f\xad\u061c\u200b\u200f\u2028\u202e\u2060\u206f\ufeff\U000e0000\U0010ffff"
NOT_UTF8 = [
    b"\x80",
    b"\xbf",
    b"\xc1\xbf",
    b"\xc3",
    b"\xe0\x9f\xbf",
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xf0\x8f\xbf\xbf",
]
NOT_UTF8 += [b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xe2\x82"]


def test_words_of_others_steer_no_terminal(sample: Path) -> None:
    escaped = [*(character.encode() for character in STEERING), *NOT_UTF8]
    words = "a".join([PLAIN, *(text.decode(errors="surrogateescape") for text in escaped)])
    told = "a".join([PLAIN, *("".join(f"\\x{byte:02x}" for byte in text) for text in escaped)])
    done = run(sample, "--port=0=ctl:", words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: unexpected argument '{told}'\n")


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [(1, 1), (8, 4), (32, 32), (256, 64)])
def test_pcap_to_pcap(sample: Path, tmp_path: Path, batch: tuple[int, int]) -> None:
    frames = [ipv4(f"10.0.{i % 256}.1", i.to_bytes(26, "big")) for i in range(1000)]
    write_pcap(tmp_path / "in.pcap", frames)
    (tmp_path / "entries").write_text(
        "# to the left and to the right\n\ntable_add routes forward 10.0.0.0/17 => 0\n"
        "table_add routes forward 10.0.128.0/17 => 1  # the others\n"
    )
    left, right = tmp_path / "0.pcap", tmp_path / "1.pcap"
    ports = [f"--port=0=pcap:{tmp_path}/in.pcap,{left}", f"--port=1=pcap:out={right}"]
    options = ["--until-idle=5000", f"--burst={batch[0]}", f"--sub-batch={batch[1]}"]
    done = run(sample, *ports, *options, "--entries", tmp_path / "entries")
    assert done.returncode == 0, done.stderr
    assert "received 1000 + copies 0 = sent 1000 + dropped 0\n" in done.stdout
    assert read_pcap(left) == [frame for frame in frames if frame[32] < 128]
    assert read_pcap(right) == [frame for frame in frames if frame[32] >= 128]


def test_a_port_without_taker_loses_frames_and_says_so(sample: Path, tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [ethernet()] * 40)
    (tmp_path / "entries").write_text("table_add dmac forward 1 => 300\n")
    done = run(
        sample, f"--port=0=pcap:{tmp_path}/in.pcap", "--until-idle=5000", "--entries", tmp_path / "entries"
    )  # fmt: skip
    assert "dropped 40: no-port 40" in done.stdout


def test_entries_errors_have_file_and_line(sample: Path, tmp_path: Path) -> None:
    entries = tmp_path / "entries"
    entries.write_text(
        "table_add dmac forward 1 => 1\ntable_add dmak forward 2 => 1\n\ntable_add dmac forward 2 => 999\n"
    )
    done = run(sample, "--port=0=ctl:", "--entries", entries)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"{entries}:2: error: no table 'dmak'; did you mean 'Ingress.dmac'?",
        f"{entries}:4: error: parameter port of Ingress.forward: 999 does not fit in 9 bits",
    ]


def test_count_ends_the_run(sample: Path, tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [ethernet()] * 100)
    done = run(sample, f"--port=0=pcap:{tmp_path}/in.pcap", "--count=10")
    assert done.returncode == 0
    assert "s from the first packet to the last, " in done.stdout and " packets per second\n" in done.stdout
    write_pcap(tmp_path / "in.pcap", [])
    assert "per second" not in run(sample, f"--port=0=pcap:{tmp_path}/in.pcap", "--until-idle").stdout


def test_the_end_of_all_files_ends_the_run(sample: Path, tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [ethernet()] * 1000)
    done = run(sample, f"--port=0=pcap:{tmp_path}/in.pcap", f"--port=1=pcap:,{tmp_path}/out.pcap", "--port=2=null:")
    assert done.returncode == 0, done.stderr
    assert "received 1000 " in done.stdout


def test_a_switch_that_listens_stays_at_the_end_of_files(sample: Path, tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [ethernet()] * 10)
    switch = Switch(sample, tmp_path, [f"--port=0=pcap:{tmp_path}/in.pcap"])
    deadline = time.monotonic() + 10
    while switch.client.stats()["received"] < 10:
        assert time.monotonic() < deadline
    time.sleep(0.1)
    assert switch.do("counter_read port_counter 0").endswith("10 packets)\n")
    switch.stop()


def test_it_is_idle_as_long_as_nothing_comes(fast: Path, tmp_path: Path) -> None:
    """However long it has run."""
    write_pcap(tmp_path / "in.pcap", [ethernet()])
    ports = [f"--port=0=mem:{tmp_path}/in.pcap,loop", "--port=1=null:", "--port=2=ctl:"]
    switch = Switch(fast, tmp_path, [*ports, "--until-idle=300"])
    time.sleep(0.6)
    assert switch.do("show_ports").count("up") == 3
    switch.do("port_down 0")
    switch.client.close()
    output, errors = switch.process.communicate(timeout=20)
    assert (switch.process.returncode, errors) == (0, "") and "dropped" in output


def test_a_log_that_cannot_be_written_is_no_success(fast: Path, tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [ethernet(kind=0xBEEF)])
    done = run(fast, f"--port=0=pcap:{tmp_path}/in.pcap", "--log=/dev/full")
    assert (done.returncode, done.stderr) == (1, "error: the log '/dev/full' could not be written\n")
    done = run(fast, f"--port=0=pcap:{tmp_path}/in.pcap", f"--log={tmp_path}/log")
    assert (done.returncode, done.stderr) == (0, "") and "frame of 60 bytes" in (tmp_path / "log").read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_run_well(sample: Path, tmp_path: Path, number: int) -> None:
    switch = Switch(sample, tmp_path, ["--port=0=ctl:", "--stats=1"])
    os.kill(switch.process.pid, number)
    output, errors = switch.process.communicate(timeout=20)
    assert (switch.process.returncode, errors) == (0, "")
    assert "received 0 + copies 0 = sent 0 + dropped 0" in output
    assert not switch.socket.exists()


# --- frames through ctl: ports ----------------------------------------------------------------------------------------


def test_forward_and_drop(start) -> None:
    switch = start()
    switch.do(FORWARD)
    frames = [ethernet(dst=i % 2, payload=bytes([i]) * 46) for i in range(256)]
    assert switch.client.exchange((0, frame) for frame in frames) == [(1, frame) for frame in frames[1::2]]
    stats = switch.client.stats()
    assert (stats["received"], stats["sent"], stats["drops"]["program"]) == (256, 128, 128)
    assert stats["ports"][1]["tx_bytes"] == 128 * 60


@pytest.mark.parametrize("workers", [1, 3])
def test_order_is_kept_whatever_the_workers(start, workers: int) -> None:
    switch = start(f"--workers={workers}", ports=4)
    switch.do(FORWARD)
    for burst in (1, 7, 64, 256):
        assert switch.client.set_batch(burst, min(burst, 8)) == (burst, min(burst, 8))
        frames = [(port, ethernet(src=port, payload=bytes([i]) * 50)) for i in range(60) for port in range(4)]
        for port in range(4):
            assert switch.client.inject(port, [frame for at, frame in frames if at == port]) == 60
        collected = [frame for _, frame in switch.client.collect()]
        for port in range(4):
            mine = [frame for at, frame in frames if at == port]
            assert [frame for frame in collected if frame[11] == port] == mine


def test_multicast(start) -> None:
    switch = start(ports=4)
    switch.do(
        "table_add dmac flood 00:00:00:00:00:02 => 7",
        "mc_mgrp_create 7",
        "mc_node_create 5 3 0",
        "mc_node_create 10 1",
        "mc_node_associate 7 0",
        "mc_node_associate 7 1",
    )
    copies = switch.client.exchange([(2, ethernet(dst=2))])
    assert [(port, frame[12:14]) for port, frame in copies] == [(0, b"\0\5"), (1, b"\0\x0a"), (3, b"\0\5")]
    stats = switch.client.stats()
    assert (stats["received"], stats["copies"], stats["sent"]) == (1, 2, 3)
    switch.do("mc_node_dissociate 7 0")
    assert [port for port, _ in switch.client.exchange([(2, ethernet(dst=2))])] == [1]
    switch.do("mc_node_update 1 0 2 3")
    assert [port for port, _ in switch.client.exchange([(2, ethernet(dst=2))])] == [0, 2, 3]
    switch.do("mc_mgrp_destroy 7")
    assert switch.client.exchange([(2, ethernet(dst=2))]) == []
    assert switch.client.stats()["drops"]["no-group"] == 1


def test_nodes_outlive_their_group(start) -> None:
    """And go to another one, beside those that it has, as if they were new."""
    switch = start(ports=4)

    def reached() -> list[int]:
        return [port for port, _ in switch.client.exchange([(3, ethernet(dst=2))])]

    def shown(group: int) -> list[int]:
        """The nodes of a group."""
        dump = switch.do("mc_dump").partition(f"mgrp({group})")[2].partition("**")[0]
        return [int(node) for node in re.findall(r"L1h=(\d+)", dump)]

    switch.do("table_add dmac flood 2 => 8", "mc_mgrp_create 7", "mc_mgrp_create 8")
    switch.do("mc_node_create 5 0 1", "mc_node_create 6 2", "mc_node_create 7 3", "mc_node_associate 7 0")
    switch.do("mc_node_associate 8 1", "mc_mgrp_destroy 7")
    assert reached() == [2]
    switch.do("mc_node_associate 8 0", "mc_node_associate 8 2")
    assert reached() == [0, 1, 2, 3]
    switch.do("mc_node_dissociate 8 1")
    assert reached() == [0, 1, 3]
    switch.do(
        "mc_node_dissociate 8 0",
        "mc_mgrp_destroy 8",
        "mc_mgrp_create 8",
        *(f"mc_node_associate 8 {n}" for n in (2, 0, 1)),
    )
    assert reached() == [0, 1, 2, 3] and shown(8) == [2, 0, 1]
    switch.do("mc_node_dissociate 8 2", "mc_node_update 0 3", "mc_mgrp_create 7", "mc_node_associate 7 2")
    assert reached() == [2, 3] and shown(8) == [0, 1] and shown(7) == [2]
    switch.do("mc_mgrp_destroy 8", "mc_mgrp_create 8")
    assert reached() == [] and shown(8) == []
    switch.do("mc_node_destroy 0", "mc_node_associate 8 1", "mc_node_create 9 0 1", "mc_node_associate 8 0")
    assert reached() == [0, 1, 2] and shown(8) == [1, 0] and shown(7) == [2]


def test_link_aggregation_groups_get_one_copy_each(start) -> None:
    switch = start(ports=6)

    def reached() -> list[int]:
        return sorted(port for port, _ in switch.client.exchange([(5, ethernet(dst=2))]))

    switch.do(
        "table_add dmac flood 2 => 7", "mc_mgrp_create 7", "mc_node_create 5 0 1 | 3 255", "mc_node_associate 7 0"
    )
    assert reached() == [0, 1], "nobody has said who is in a group"
    switch.do("mc_set_lag_membership 3 4 3 2 1", "mc_set_lag_membership 255 2 0")
    assert reached() == [0, 1, 2, 4], "number 255 modulo the number of ports, which count up"
    assert "(ports=[0, 1], lags=[3, 255])" in switch.do("mc_dump")
    assert "LAGS\nlag(3) -> ports=[1, 2, 3, 4]\nlag(255) -> ports=[0, 2]\n====" in switch.do("mc_dump")
    switch.do("mc_set_lag_membership 3 0", "mc_set_lag_membership 255")
    assert reached() == [0, 0, 1], "a port may get two copies"
    switch.do("mc_node_update 0 | 3")
    assert reached() == [0]
    switch.do("mc_node_dissociate 7 0", "mc_set_lag_membership 3 5", "mc_node_associate 7 0")
    assert reached() == [5]
    switch.do("table_add dmac flood 3 => 8", "mc_mgrp_create 8", "mc_node_create 6 2 | 3 9", "mc_node_create 7 4")
    switch.do("mc_node_create 8 | 3", "mc_node_associate 8 2", "mc_node_associate 8 1", "mc_set_lag_membership 9 1")

    def of_both() -> list[list[tuple[int, int]]]:
        """Ports and rids of a packet to either group."""
        sent = [switch.client.exchange([(5, ethernet(dst=dst))]) for dst in (2, 3)]
        return [[(port, int.from_bytes(frame[12:14], "big")) for port, frame in frames] for frames in sent]

    assert of_both() == [[(5, 5)], [(1, 6), (2, 6), (4, 7), (5, 6)]]
    switch.do("mc_set_lag_membership 3 0")
    assert of_both() == [[(0, 5)], [(0, 6), (1, 6), (2, 6), (4, 7)]]
    switch.do("mc_set_lag_membership 3", "mc_node_update 1 3 | 9", "mc_set_lag_membership 9 0")
    assert of_both() == [[], [(0, 6), (3, 6), (4, 7)]]
    switch.do("mc_set_lag_membership 3 1", "mc_node_dissociate 8 1", "mc_node_associate 8 3", "mc_mgrp_destroy 7")
    assert of_both() == [[], [(1, 8), (4, 7)]]
    switch.do("mc_clear")
    assert switch.client.exchange([(5, ethernet(dst=2))]) == []
    assert switch.do("mc_dump") == "==========\nMC ENTRIES\n==========\nLAGS\n==========\n"
    assert "no such node" in switch.fail("mc_node_destroy 0")


def test_many_copies_in_one_burst(start) -> None:
    switch = start("--burst=256", "--buffers=8192", ports=8)
    switch.do(
        "table_add dmac flood 2 => 1", "mc_mgrp_create 1", "mc_node_create 0 0 1 2 3 4 5 6 7", "mc_node_associate 1 0"
    )
    frames = [ethernet(dst=2, payload=struct.pack(">Q", i) * 6) for i in range(300)]
    assert switch.client.inject(0, frames) == 300
    collected = switch.client.collect()
    assert len(collected) == 2400
    for port in range(8):
        assert [f[14:22] for p, f in collected if p == port] == [f[14:22] for f in frames]
    assert balance(switch.client.stats())


def test_copies_beyond_the_pool_are_counted(start) -> None:
    switch = start("--buffers=512", "--burst=256", ports=4)
    switch.do("table_add dmac flood 2 => 1", "mc_mgrp_create 1", "mc_node_create 0 0 1 2 3", "mc_node_associate 1 0")
    taken = switch.client.inject(0, [ethernet(dst=2)] * 400)
    sent = switch.client.collect()
    stats = switch.client.stats()
    assert stats["received"] == taken
    assert len(sent) == stats["sent"]
    assert stats["drops"]["no-buffer"] > 0
    assert balance(stats)


def test_nobody_collects(start) -> None:
    switch = start("--buffers=16384")
    switch.do(FORWARD)
    injected = 0
    while injected < 10000:
        injected += switch.client.inject(0, [ethernet()] * 500)
    frames = switch.client.collect()
    stats = switch.client.stats()
    assert len(frames) == 4096
    assert stats["drops"]["tx-full"] == injected - 4096
    assert balance(stats)
    assert len(switch.client.exchange([(0, ethernet())] * 10)) == 10  # there is room again
    assert switch.client.stats()["drops"]["tx-full"] == injected - 4096


def test_egress_may_grow_and_drop(start) -> None:
    switch = start()
    switch.do(FORWARD)
    frame = ethernet(kind=0x0999)
    assert switch.client.exchange([(0, frame)]) == [(1, b"\xee" * 4 + frame)]
    assert switch.client.exchange([(0, ethernet(kind=0x0BAD))]) == []


def test_random_and_short_frames_are_accounted_for(start) -> None:
    switch = start("--workers=2", ports=3)
    switch.do(FORWARD, "table_set_default dmac forward 2", "table_add routes forward 0.0.0.0/0 => 0")
    chance = random.Random(7)
    frames = [
        (chance.randrange(3), chance.randbytes(chance.choice((1, 13, 14, 33, 34, 60, 1500, 9000)))) for _ in range(3000)
    ]
    collected = switch.client.exchange(sorted(frames, key=lambda item: item[0]))
    stats = switch.client.stats()
    assert stats["received"] == 3000
    assert stats["sent"] == len(collected) == sum(len(frame) >= 14 for _, frame in frames)
    assert balance(stats)


def test_frames_that_no_packet_can_hold(start) -> None:
    switch = start()
    with pytest.raises(ControlError, match="longer than the switch's packets"):
        switch.client.inject(0, [bytes(10000)])
    with pytest.raises(ControlError, match="empty"):
        switch.client.inject(0, [b""])
    with pytest.raises(ControlError, match="not the number of a ctl: port"):
        switch.client.inject(5, [bytes(60)])


# --- externs ----------------------------------------------------------------------------------------------------------


def test_counters(start) -> None:
    switch = start("--workers=2")
    switch.do(FORWARD)
    switch.client.exchange([(0, ethernet()), (1, ethernet()), (1, ethernet(payload=bytes(86))), (1, ethernet(dst=5))])
    assert switch.do("counter_read port_counter 1") == "port_counter[1]= (220 bytes, 3 packets)\n"
    assert switch.do("counter_read dmac_counter 0") == "dmac_counter[0]= (220 bytes, 3 packets)\n"
    switch.do("counter_write port_counter 1 10 1000")
    switch.client.exchange([(1, ethernet())])
    assert switch.do("counter_read Ingress.port_counter 1").endswith("(1060 bytes, 11 packets)\n")
    switch.do("counter_reset port_counter")
    assert switch.do("counter_read port_counter 1").endswith("(0 bytes, 0 packets)\n")
    assert "512 elements" in switch.fail("counter_read port_counter 512")


def test_direct_counter_begins_anew_with_its_entry(start) -> None:
    switch = start()
    switch.do(FORWARD)
    switch.client.exchange([(0, ethernet())])
    switch.do("table_delete dmac 0")
    assert "no such entry" in switch.fail("counter_read dmac_counter 0")
    handle = switch.do("table_add dmac forward 3 => 1").split()[-1]
    assert switch.do(f"counter_read dmac_counter {handle}").endswith("(0 bytes, 0 packets)\n")


def test_registers(start) -> None:
    switch = start()
    switch.client.exchange([(1, ethernet(kind=0x4E61))] * 3)
    assert switch.do("register_read seen") == "seen= 0, 3, 0, 0, 0, 0, 0, 0\n"
    switch.do("register_write seen 1 0xffffffffffff", f"register_write wide 1 {2**100 - 1}")
    assert switch.do("register_read seen 1") == "seen[1]= 281474976710655\n"
    assert switch.do("register_read wide 1") == f"wide[1]= {2**100 - 1}\n"
    assert "does not fit in 48 bits" in switch.fail("register_write seen 1 0x1000000000000")
    switch.do("register_reset seen")
    assert switch.do("register_read seen 1") == "seen[1]= 0\n"


def test_digests_go_to_who_subscribed(start) -> None:
    switch = start()
    switch.client.exchange([(0, ethernet(kind=0xD1E5))])  # nobody listens yet
    switch.client.subscribe()
    switch.client.exchange([(1, ethernet(kind=0xD1E5, src=src)) for src in range(300)])
    records: list[bytes] = []
    while len(records) < 300:
        digest = switch.client.digest(5)
        assert digest is not None
        assert digest.name == "Ingress.learn"
        records += digest.records
    assert records == [src.to_bytes(6, "big") + b"\0\1" for src in range(300)]
    assert switch.client.digest(0.05) is None


def test_log_and_assertions(start) -> None:
    switch = start()
    switch.client.exchange([(1, ethernet(kind=0xBEEF)), (0, ethernet(kind=0xDEAD))])
    assert switch.client.stats()["asserts"] == 1
    assert "1 assertions failed" in switch.stop()
    lines = switch.log.read_text().splitlines()
    assert lines[0].endswith("worker 0: frame of 60 bytes at port 1")
    assert lines[1].endswith("worker 0: assertion failed: sample.p4:12")


def test_a_packet_that_nobody_frees_is_told_and_the_switch_ends_with_1(start) -> None:
    switch = start()
    switch.client.exchange([(0, ethernet(kind=0x105E))])
    switch.process.terminate()
    output, errors = switch.process.communicate(timeout=20)
    assert (switch.process.returncode, errors) == (1, "error: packets are missing from the pool\n")
    assert "dropped" in output


def test_meter(start) -> None:
    switch = start()
    switch.do(FORWARD)
    police = ethernet(kind=0x3E7E)
    assert len(switch.client.exchange([(0, police)] * 20)) == 20  # no rates: green
    switch.do("meter_set_rates police 0 0:4 0:10")
    assert switch.do("meter_get_rates police 0").splitlines()[1] == "1: info rate = 0, burst size = 10"
    assert len(switch.client.exchange([(0, police)] * 20)) == 10
    switch.do("meter_array_set_rates police 0.000001:1 1000:100")
    assert len(switch.client.exchange([(0, police)] * 50)) == 50
    assert "peak" in switch.fail("meter_set_rates police 0 2:1 1:1")


def test_random_numbers_stay_in_range(start) -> None:
    switch = start()
    switch.do(FORWARD)
    assert len(switch.client.exchange([(0, ethernet(kind=0x4A4D))] * 500)) == 500


def test_entries_files_are_read_in_parts(sample: Path, tmp_path: Path) -> None:
    """A part is 1 MiB: lines lie across parts, one fills a part, the last has no line end."""
    entries = tmp_path / "entries"
    lines = [f"table_add dmac forward {number} => 1 {'#' * (number % 900)}" for number in range(1, 4001)]
    lines[2000:2000] = ["#" * (1 << 20), "#" * (1 << 19), "#" * (1 << 20)]
    entries.write_text("\n".join([*lines, "table_num_entries dmac", "table_add dmac forward 9 => 1"]))
    assert entries.stat().st_size > 4 << 20
    done = run(sample, "--port=0=ctl:", "--entries", entries)
    assert done.returncode == 1
    assert done.stderr == f"{entries}:4005: error: table Ingress.dmac has an entry with this key already (handle 8)\n"


def test_a_line_of_an_entries_file_has_1_mib_at_most(fast: Path, tmp_path: Path) -> None:
    """What is before a longer one has been done; of that, and what is behind it, nothing."""
    entries, long = tmp_path / "entries", "table_add dmac drop 5 => #" + "x" * ((1 << 20) - 26)
    told = f"{entries}:4: error: the line is longer than 1048576 bytes; what is behind it has not been read\n"
    for behind in ("", "\n", "x", "x\n", "xy\nnonsense\n", "y" * (2 << 20)):
        entries.write_text(f"{FORWARD}\n{long}\n{FORWARD}\n{long}{behind}")
        done = run(fast, "--port=0=ctl:", "--entries", entries)
        assert done.returncode == 1
        already = "error: table Ingress.dmac has an entry with this key already (handle"
        last = told if behind.strip() else f"{entries}:4: {already} 1)\n"
        assert done.stderr == f"{entries}:3: {already} 0)\n{last}"
    entries.write_text("nonsense\n" * 20 + f"{long}xy")
    told = run(fast, "--port=0=ctl:", "--entries", entries).stderr.splitlines()
    assert told[20:] == ["and 1 more error"] and len(told) == 21
    entries.write_text(f"{long}xy")
    done = run(fast, "--port=0=ctl:", "--entries", entries)
    assert (done.returncode, done.stderr.startswith(f"{entries}:1: error: the line is longer")) == (1, True)


@pytest.mark.parametrize("content", [b"", b"\n", b"# nothing", b"\n\n  \n"])
def test_entries_files_without_entries(sample: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "entries").write_bytes(content)
    write_pcap(tmp_path / "in.pcap", [ethernet()])
    done = run(sample, f"--port=0=pcap:{tmp_path}/in.pcap", "--until-idle=5000", "--entries", tmp_path / "entries")
    assert (done.returncode, done.stderr) == (0, "")
