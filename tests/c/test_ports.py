"""Ports that come and go while packets flow."""

from __future__ import annotations

import random
import resource
import struct
import subprocess
import threading
import time
from pathlib import Path

import pytest
from switch_harness import Switch, ethernet, read_pcap, write_pcap

from macsad.control import Client
from macsad.protocol import ControlError


def ports(switch: Switch) -> dict[int, str]:
    return {one["port"]: one["name"] for one in switch.client.describe()["ports"]}


def test_a_port_is_added_and_taken_away(start) -> None:
    switch = start()
    switch.do("table_add dmac forward 1 => 7")
    assert switch.client.exchange([(0, ethernet(1))]) == []
    assert switch.client.stats()["drops"]["no-port"] == 1
    switch.do("port_add ctl: 7")
    assert ports(switch) == {0: "ctl:", 1: "ctl:", 7: "ctl:"}
    assert switch.client.exchange([(0, ethernet(1)), (7, ethernet(1))]) == [(7, ethernet(1))] * 2
    assert switch.do("show_ports").splitlines()[-1].split() == ["7", "ctl:", "up"]
    switch.do("port_remove 7")
    assert ports(switch) == {0: "ctl:", 1: "ctl:"}
    assert switch.client.exchange([(0, ethernet(1))]) == []
    stats = switch.client.stats()
    assert (stats["received"], stats["sent"], stats["dropped"]) == (4, 2, 2)


def test_a_port_is_down_and_up_again(start) -> None:
    """It keeps its number and what it has counted."""
    switch = start()
    switch.do("table_add dmac forward 1 => 1")
    assert switch.client.exchange([(0, ethernet(1))]) == [(1, ethernet(1))]
    switch.do("port_down 1", "port_down 1")
    assert switch.do("show_ports").splitlines()[-1].split() == ["1", "ctl:", "down"]
    assert [one["up"] for one in switch.client.describe()["ports"]] == [True, False]
    assert switch.client.exchange([(0, ethernet(1))] * 3) == []
    with pytest.raises(ControlError, match="not the number of a ctl: port"):
        switch.client.inject(1, [ethernet(1)])
    assert "there is a port 1" in switch.fail("port_add ctl: 1")
    stats = switch.client.stats()
    assert (stats["drops"]["no-port"], stats["ports"][1]["tx_packets"], stats["received"]) == (3, 1, 4)
    switch.do("port_up 1", "port_up 1")
    assert switch.client.exchange([(0, ethernet(1)), (1, ethernet(1))]) == [(1, ethernet(1))] * 2
    assert switch.client.stats()["ports"][1]["tx_packets"] == 3
    switch.do("port_down 1", "port_remove 1", "port_add ctl: 1")
    assert switch.client.exchange([(0, ethernet(1))]) == [(1, ethernet(1))]
    assert "there is no port 9" in switch.fail("port_up 9") and "there is no port 9" in switch.fail("port_down 9")


def test_a_later_port_counts_from_zero(start) -> None:
    switch = start()
    switch.do("table_add dmac forward 1 => 7", "port_add ctl: 7")
    switch.client.exchange([(7, ethernet(1))] * 5)
    switch.do("port_remove 7", "port_add ctl: 7")
    switch.client.exchange([(7, ethernet(1))] * 2)
    stats = switch.client.stats()
    (port,) = [one for one in stats["ports"] if one["port"] == 7]
    assert (port["rx_packets"], port["tx_packets"]) == (2, 2)
    assert (port["rx_bytes"], port["tx_bytes"]) == (120, 120)
    assert (stats["received"], stats["sent"]) == (7, 7)


def test_a_file_is_read_when_it_is_added(start, tmp_path: Path) -> None:
    switch = start("--workers=3")
    frames = [ethernet(1, payload=struct.pack(">I", n) + bytes(60)) for n in range(500)]
    write_pcap(tmp_path / "in.pcap", frames)
    switch.do("table_add dmac forward 1 => 9")
    for added in range(1, 6):  # its first frames go back to it
        switch.do(f"port_add pcap:{tmp_path}/in.pcap,{tmp_path}/out.pcap 9")
        while (stats := switch.client.stats())["sent"] + stats["dropped"] < 500 * added:
            pass
        assert stats["drops"]["no-port"] == 0
        switch.do("port_remove 9")
        assert sorted(read_pcap(tmp_path / "out.pcap")) == sorted(frames)


def test_a_file_takes_the_place_of_another_kind_of_port(start, tmp_path: Path) -> None:
    switch = start()
    write_pcap(tmp_path / "in.pcap", [ethernet(1)] * 100)
    switch.do("port_remove 0", f"port_add pcap:{tmp_path}/in.pcap 0", "port_remove 1")
    while (counted := switch.client.stats()["received"]) < 100:
        pass
    switch.do("port_remove 0", "port_add ctl: 3")
    assert switch.client.inject(3, [ethernet(1)]) == 1
    while switch.client.stats()["received"] == counted:
        pass


@pytest.mark.parametrize("workers", [1, 3])
def test_ports_of_all_kinds_come_and_go(workers: int, start, tmp_path: Path) -> None:
    """Whatever there was before: each receives what it has, and what goes to it gets there."""
    switch = start(f"--workers={workers}")
    for number in range(8):
        write_pcap(tmp_path / f"{number}.pcap", [ethernet(1)] * 70)
    kinds = {"ctl": "ctl:", "pcap": "pcap:{}.pcap", "mem": "mem:{}.pcap", "null": "null:{}"}
    made, there, received = random.Random(workers), {0: "ctl", 1: "ctl"}, 0
    switch.do("table_add dmac forward 1 => 1")
    for _ in range(80):
        number = made.randrange(8)
        if number in there:
            switch.do(f"port_remove {number}")
            del there[number]
        else:
            kind = there[number] = made.choice(tuple(kinds))
            name = kinds[kind].format(number if kind == "null" else tmp_path / str(number))
            switch.do(f"port_add {name} {number}")
            received += 70 * (kind in ("pcap", "mem"))
        for port in (port for port, kind in there.items() if kind == "ctl"):
            received += switch.client.inject(port, [ethernet(1)])
        until = time.monotonic() + 20
        while (stats := switch.client.stats())["received"] < received or stats["sent"] + stats["dropped"] < received:
            assert time.monotonic() < until, (there, stats)
        assert stats["received"] == received and (stats["drops"]["no-port"] == stats["dropped"])
        assert {port for port, _ in switch.client.collect()} <= {1}


def test_no_packet_of_other_ports_is_lost_meanwhile(start) -> None:
    switch = start("--workers=2")
    switch.do("table_add dmac forward 1 => 1")
    sent: list[tuple[int, bytes]] = []

    def traffic() -> None:
        with Client(switch.socket) as client:
            for _ in range(20):
                sent.extend(client.exchange([(0, ethernet(1))] * 200))

    flow = threading.Thread(target=traffic)
    flow.start()
    changes = 0
    while flow.is_alive():
        switch.do("port_add null: 5", "port_remove 5")
        changes += 1
    flow.join()
    assert changes > 1
    assert len(sent) == 4000
    stats = switch.client.stats()
    assert (stats["received"], stats["sent"], stats["dropped"]) == (4000, 4000, 0)


def test_what_cannot_be(start, tmp_path: Path) -> None:
    switch = start()
    assert "there is a port 1" in switch.fail("port_add ctl: 1")
    assert "there is no port 5" in switch.fail("port_remove 5")
    assert "'x' is not the number of a port" in switch.fail("port_remove x")
    assert "'65536' is not the number of a port" in switch.fail("port_add ctl: 65536")
    assert "cannot be opened" in switch.fail(f"port_add pcap:{tmp_path}/none.pcap 5")
    write_pcap(tmp_path / "in.pcap", [ethernet(1)])
    assert "cannot be opened" in switch.fail(f"port_add pcap:{tmp_path}/in.pcap,{tmp_path}/in.pcap 5")
    assert read_pcap(tmp_path / "in.pcap") == [ethernet(1)]
    assert ports(switch) == {0: "ctl:", 1: "ctl:"}
    switch.do(*(f"port_add ctl: {number}" for number in range(2, 64)))
    assert "cannot be more" in switch.fail("port_add ctl: 64")
    switch.do("port_remove 17", "port_add ctl: 64")
    switch.client.shutdown()
    _, errors = switch.process.communicate(timeout=20)
    assert switch.process.returncode == 0
    assert "port 5: cannot open" in errors
    assert "in.pcap' would be written and is used for something else, too" in errors


def test_a_port_that_cannot_be_added_leaves_nothing_behind(start, tmp_path: Path) -> None:
    """Nor does one that has gone."""
    switch = start(f"--pcap={tmp_path}")
    write_pcap(tmp_path / "in.pcap", [ethernet(1)])

    def files() -> list[str]:
        return sorted(str(file.readlink()) for file in Path(f"/proc/{switch.process.pid}/fd").iterdir())

    before = list[str]()
    for _ in range(3):
        assert "cannot be opened" in switch.fail(f"port_add pcap:{tmp_path}/in.pcap,{tmp_path}/in.pcap 5")
        assert "cannot be opened" in switch.fail(f"port_add pcap:{tmp_path}/none.pcap 5")
        before = before or files()
        assert files() == before
        switch.do(f"port_add pcap:{tmp_path}/in.pcap,{tmp_path}/out.pcap 5")
        assert len(files()) > len(before)
        switch.do("port_remove 5")
        assert files() == before
    switch.client.shutdown()
    switch.process.communicate(timeout=20)


def test_captures_have_what_ports_receive_and_send(start, tmp_path: Path) -> None:
    frames = [ethernet(1, payload=struct.pack(">I", n) + bytes(60 + n)) for n in range(300)]
    write_pcap(tmp_path / "in.pcap", frames)
    switch = start("--workers=2", f"--pcap={tmp_path}")
    switch.do("table_add dmac forward 1 => 1", f"port_add pcap:{tmp_path}/in.pcap,{tmp_path}/out.pcap 5")
    while switch.client.stats()["sent"] < 300:
        pass
    assert sorted(read_pcap(tmp_path / "port1_out.pcap")) == sorted(frames)
    (received,) = tmp_path.glob("*in.pcap_*out.pcap_in.pcap")
    assert sorted(read_pcap(received)) == sorted(frames)
    assert read_pcap(tmp_path / "port0_in.pcap") == read_pcap(tmp_path / "port1_in.pcap") == []
    assert switch.client.exchange([(0, ethernet(9))]) != []
    assert read_pcap(tmp_path / "port0_in.pcap") == [ethernet(9)]
    seconds, part = struct.unpack_from("<II", (tmp_path / "port0_in.pcap").read_bytes(), 24)
    assert abs(time.time() - seconds) < 60 and part < 10**6
    assert switch.client.stats()["capture_lost"] == 0


def test_captures_begin_anew_with_their_port(start, tmp_path: Path) -> None:
    """And with the switch."""
    captures = [tmp_path / f"port{number}_{way}.pcap" for number in (0, 1) for way in ("in", "out")]
    for _ in range(2):
        switch = start(f"--pcap={tmp_path}")
        switch.do("table_add dmac forward 1 => 1")
        assert switch.client.exchange([(0, ethernet(1))] * 3) != []
        assert [len(read_pcap(path)) for path in captures] == [3, 0, 0, 3]
        switch.do("port_down 1", "port_up 1")
        assert switch.client.exchange([(0, ethernet(1))]) != []
        assert [len(read_pcap(path)) for path in captures] == [4, 0, 0, 4]
        switch.do("port_remove 1", "port_add ctl: 1")
        assert switch.client.exchange([(0, ethernet(1, src=7)), (1, ethernet(1))]) != []
        assert [len(read_pcap(path)) for path in captures] == [5, 0, 1, 2]
        assert switch.client.stats()["capture_lost"] == 0
        switch.stop()


def test_what_a_port_has_lost_stays_counted_when_it_is_gone(start, tmp_path: Path) -> None:
    """Frames that were not sound, and those that its file had no room for."""
    write_pcap(tmp_path / "in.pcap", [ethernet(1)] * 9)
    content = bytearray((tmp_path / "in.pcap").read_bytes())
    struct.pack_into("<I", content, 24 + 12, 59)  # the first record has more than the whole frame
    (tmp_path / "in.pcap").write_bytes(content)
    switch = start()
    switch.do("table_add dmac forward 1 => 7")
    resource.prlimit(switch.process.pid, resource.RLIMIT_FSIZE, (24 + 5 * 76, 24 + 5 * 76))
    for times in (1, 2):
        switch.do(f"port_add pcap:{tmp_path}/in.pcap,{tmp_path}/out.pcap 7")
        while (stats := switch.client.stats())["dropped"] < 4 * times:
            pass  # a frame counts as sent until its file is written, which is when no more come
        (port,) = [one for one in stats["ports"] if one["port"] == 7]
        assert (port["rx_packets"], port["tx_packets"], port["tx_bytes"]) == (9, 5, 300)
        for _ in range(2):
            drops = {cause: count for cause, count in stats["drops"].items() if count}
            assert drops == {"rx-error": times, "tx-full": 3 * times}
            assert (stats["received"], stats["sent"], stats["dropped"]) == (9 * times, 5 * times, 4 * times)
            if stats["ports"][-1]["port"] == 7:
                switch.do("port_remove 7")
            stats = switch.client.stats()
    switch.client.shutdown()
    _, errors = switch.process.communicate(timeout=20)
    assert switch.process.returncode == 0 and errors.count("cannot write: File too large") == 2


def test_captures_have_no_frame_that_the_port_has_not_taken(start, tmp_path: Path) -> None:
    switch = start("--buffers=16384", f"--pcap={tmp_path}")
    switch.do("table_add dmac forward 1 => 1")
    injected = 0
    while injected < 5000:
        injected += switch.client.inject(0, [ethernet(1)] * 500)
    assert len(switch.client.collect()) == 4096
    stats = switch.client.stats()
    assert (stats["sent"], stats["drops"]["tx-full"], stats["capture_lost"]) == (4096, injected - 4096, 0)
    assert len(read_pcap(tmp_path / "port0_in.pcap")) == injected
    assert len(read_pcap(tmp_path / "port1_out.pcap")) == 4096


def test_frames_that_cannot_be_written_are_counted(start, tmp_path: Path) -> None:
    switch = start(f"--pcap={tmp_path}")
    switch.do("table_add dmac forward 1 => 1")
    head_bytes = (tmp_path / "port0_in.pcap").stat().st_size
    resource.prlimit(switch.process.pid, resource.RLIMIT_FSIZE, (head_bytes, head_bytes))
    assert len(switch.client.exchange([(0, ethernet(1))] * 5)) == 5
    assert switch.client.stats()["capture_lost"] == 5 + 5  # in and out
    switch.client.close()
    switch.process.terminate()
    assert f"10 frames could not be written to captures in '{tmp_path}'" in switch.process.communicate(timeout=20)[1]
    assert switch.process.returncode == 1


def test_captures_without_room_for_their_heads(sample: Path, tmp_path: Path) -> None:
    Path(tmp_path / "port0_in.pcap").symlink_to("/dev/full")
    command = [str(sample), "--port=0=ctl:", f"--pcap={tmp_path}", f"--socket={tmp_path}/sock"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1 and "cannot write its captures" in done.stderr


def test_a_port_may_be_taken_away_before_traffic_begins(start, tmp_path: Path) -> None:
    (tmp_path / "entries").write_text("port_remove 1\ntable_add dmac forward 1 => 0\n")
    switch = start(f"--entries={tmp_path}/entries")
    assert ports(switch) == {0: "ctl:"}
    assert switch.client.exchange([(0, ethernet(1))]) == [(0, ethernet(1))]
