"""Metrics of a switch: their values, of what it tells. The switch is one of this file."""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

pytest.importorskip("prometheus_client")

from macsad.metrics import exporting, metrics
from macsad.protocol import NoSwitchError


class Switch:
    """Two ports, of which one does not tell whether it is up; a table with two counters; two workers."""

    def describe(self) -> Any:
        counters = [
            {"name": "both", "kind": "direct_counter", "number": 1, "size": 3, "table": "I.t", "unit": "both"},
            {"name": "packets", "kind": "direct_counter", "number": 2, "size": 2, "table": "I.t", "unit": "packets"},
            {"name": "octets", "kind": "direct_counter", "number": 3, "size": metrics.CELLS_MAX, "table": "I.t",
             "unit": "bytes"},
            {"name": "many", "kind": "direct_counter", "number": 4, "size": metrics.CELLS_MAX + 1, "table": "I.t",
             "unit": "both"},
            {"name": "plain", "kind": "counter", "number": 5, "size": 2, "table": "", "unit": "both"},
        ]  # fmt: skip
        tables = [{"name": "I.t", "entries": 3, "size": 8, "memory_bytes": 4096}]
        ports = [{"port": 1, "name": "eth0", "up": False}, {"port": 2, "name": "null:"}]
        return {"name": "p", "source": "p.p4", "tables": tables, "ports": ports, "externs": counters}

    def stats(self) -> Any:
        port = {"rx_packets": 1, "rx_bytes": 2, "rx_missed": 3, "tx_packets": 4, "tx_bytes": 5}
        ports = [{"port": at, "name": f"p{at}", **{key: at * value for key, value in port.items()}} for at in (1, 2)]
        keys = ("received", "copies", "sent", "bursts", "workers", "burst", "digests", "digests_lost", "asserts", "log_lost",
                "capture_lost")  # fmt: skip
        return {
            **{key: at for at, key in enumerate(keys, 10)}, "seconds": 2.5, "cpu_ns": 3_500_000_000, "ports": ports,
            "drops": {"parser": 6, "no-buffer": 7}, "dropped_at": {"p.p4:3": 8}, "kept": [{"now": 1}, {"now": 2}],
        }  # fmt: skip

    def read_elements(self, number: int, first: int, count: int, size: int) -> bytes:
        """Each cell has counted its number, twice as many bytes, and as many packets as the counter's number more."""
        assert first == 0 and size == 16 and number != 4, "what has too many cells is not read"
        cells = [struct.pack(">QQ", at + number, 2 * at) for at in range(min(count, 3))]
        return b"".join([*cells, bytes(size * (count - len(cells)))])

    def stages(self) -> Any:
        clock = {"function": "ingress", "stage": 0, "step": "match"}
        return [
            {"worker": at, "bursts": 10 * at, "sampled": at, "clocks": [
                {**clock, "packets": 5, "cycles": 50}, {**clock, "packets": 7, "cycles": 70 * at},
                {**clock, "step": "send", "packets": 1, "cycles": 2}]}
            for at in (1, 2)
        ]  # fmt: skip

    def command(self, line: str) -> Any:
        assert line == "show_queues"
        return SimpleNamespace(ok=True, text="port priority waiting depth a b dropped\n1 0 5 64 0 0 9\n1 7 6 32 0 0 0")


@pytest.fixture
def values(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[tuple[tuple[str, ...], float]]]:
    """By the metric's name: labels and value."""
    monkeypatch.setattr(metrics, "externs_of", lambda told: [SimpleNamespace(**one) for one in told["externs"]])
    found: dict[str, list[tuple[tuple[str, ...], float]]] = {}
    for metric in metrics._of(Switch()):  # type: ignore[arg-type]
        found[metric.name] = [
            (tuple(one.labels.values()), one.value) for one in metric.samples if "_created" not in one.name
        ]
    return found


def test_numbers_of_the_whole_switch(values: Any) -> None:
    alone = {name: samples[0][1] for name, samples in values.items() if samples and samples[0][0] == ()}
    assert {name.removeprefix("macsad_"): value for name, value in alone.items()} == {
        "uptime_seconds": 2.5, "packets_received": 10, "packets_copied": 11, "packets_sent": 12, "bursts": 13, "workers": 14,
        "burst": 15, "digests": 16, "digests_lost": 17, "asserts_failed": 18, "log_lines_lost": 19,
        "captured_frames_lost": 20, "worker_cpu_seconds": 3.5, "workers_stuck": 3,
    }  # fmt: skip
    assert values["macsad_program_info"] == [(("p", "p.p4"), 1)]
    assert values["macsad_packets_dropped"] == [(("parser",), 6), (("no-buffer",), 7)]
    assert values["macsad_packets_dropped_at"] == [(("p.p4:3",), 8)]


def test_numbers_of_ports(values: Any) -> None:
    for name, value in (("packets_received", 1), ("bytes_received", 2), ("packets_missed", 3), ("packets_sent", 4),
                        ("bytes_sent", 5)):  # fmt: skip
        assert values[f"macsad_port_{name}"] == [(("1", "p1"), value), (("2", "p2"), 2 * value)]
    assert values["macsad_port_up"] == [(("1", "eth0"), 0), (("2", "null:"), 1)]


def test_numbers_of_tables_and_their_counters(values: Any) -> None:
    for name, value in (("entries", 3), ("size", 8), ("memory_bytes", 4096)):
        assert values[f"macsad_table_{name}"] == [(("I.t",), value)]
    packets, octets = values["macsad_table_packets_counted"], values["macsad_table_bytes_counted"]
    assert packets == [(("I.t", "both"), 1 + 2 + 3), (("I.t", "packets"), 2 + 3)]
    assert octets == [(("I.t", "both"), 0 + 2 + 4), (("I.t", "octets"), 6)]


def test_numbers_of_workers_are_summed_by_step(values: Any) -> None:
    assert values["macsad_worker_bursts"] == [(("1",), 10), (("2",), 20)]
    assert values["macsad_worker_bursts_sampled"] == [(("1",), 1), (("2",), 2)]
    packets = dict(values["macsad_stage_packets"])
    assert packets[("1", "ingress", "0", "match")] == 12 and packets[("2", "ingress", "0", "send")] == 1
    assert dict(values["macsad_stage_cycles"])[("2", "ingress", "0", "match")] == 50 + 140 and len(packets) == 4


def test_numbers_of_queues(values: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert values["macsad_queue_packets_waiting"] == [(("1", "0"), 5), (("1", "7"), 6)]
    assert values["macsad_queue_depth"] == [(("1", "0"), 64), (("1", "7"), 32)]
    assert values["macsad_queue_packets_dropped"] == [(("1", "0"), 9), (("1", "7"), 0)]
    for reply in (SimpleNamespace(ok=False, text="no queues\n1 2 3 4 5 6 7"), SimpleNamespace(ok=True, text="head")):
        monkeypatch.setattr(Switch, "command", lambda _, line, reply=reply: reply)
        assert list(metrics._queues(Switch())) == []  # type: ignore[arg-type]


def test_without_a_switch_only_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (metrics.NoSwitchError("nobody listens"), TimeoutError("timed out")):

        def none(socket: Any, timeout: float, error: Exception = error) -> Any:
            raise error

        monkeypatch.setattr(metrics, "Client", none)
        (up,) = metrics.Switch("socket").collect()  # type: ignore[arg-type]
        assert (up.name, [one.value for one in up.samples]) == ("macsad_up", [0])


def test_names_are_shown_without_what_moves_a_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(("a\x1b[2J", 7), 1.0)]
    family = metrics._labelled("x", "text", ["name", "number"], rows)
    assert [one.labels for one in family.samples if "_created" not in one.name] == [
        {"name": "a\\x1b[2J", "number": "7"}
    ]


def test_what_metrics_need_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    exporting.require()
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(
        click.ClickException, match=r"^metrics need prometheus_client: pip install 'macsad\[metrics\]' \("
    ):
        exporting.require()


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_where_metrics_are_served_is_told(
    host: str, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the port that was taken, where any is asked for; or why there is none."""
    asked: list[Any] = []

    @contextlib.contextmanager
    def serving(*what: Any) -> Any:
        asked.append(what)
        yield 9100
        asked.append("ended")

    monkeypatch.setattr(metrics, "serving", serving)
    with exporting.listening((host, 0), Path("s")):
        assert asked == [(host, 0, Path("s"))]
        assert capsys.readouterr().out == f"ready: metrics at http://{shown}:9100/metrics\n"
    assert asked[1:] == ["ended"]

    def fails(*_: object) -> None:
        raise OSError(98, "Address already in use")

    monkeypatch.setattr(metrics, "serving", fails)
    with pytest.raises(click.ClickException) as told, exporting.listening((host, 9), Path("s")):
        pass
    assert told.value.message == f"cannot serve metrics at {shown}:9: Address already in use"


def test_all_metrics_as_they_are_served(
    values: Any, golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With what is said of each, at /metrics; `macsad_up` says whether a switch is there."""
    asked: list[Any] = []

    @contextlib.contextmanager
    def client(socket: Path, timeout: float) -> Any:
        asked.append((socket, timeout))
        if len(asked) > 1:
            raise NoSwitchError("none listens")
        yield Switch()

    monkeypatch.setattr(metrics, "Client", client)
    with metrics.serving("127.0.0.1", 0, tmp_path / "s") as port:
        texts = []
        for _ in range(2):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
                lines = answer.read().decode().splitlines()
            texts.append("".join(f"{line}\n" for line in lines if "_created" not in line))
    assert asked == [(tmp_path / "s", 10)] * 2
    golden(Path(__file__).parents[1] / "golden" / "figures" / "metrics.txt", texts[0])
    assert texts[1] == texts[0].split("# HELP macsad_program")[0].replace("macsad_up 1.0", "macsad_up 0.0")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 20)
