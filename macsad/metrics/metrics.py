"""Metrics of a running switch for Prometheus, read from it whenever they are asked for. docs/metrics.md lists them."""

from __future__ import annotations

import contextlib
import struct
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from macsad.control import Client
from macsad.described import Extern, externs_of
from macsad.protocol import NoSwitchError
from transpiler.shown import shown

# Cells of a direct counter that are added up for a table: what more entries have counted would take long to read.
CELLS_MAX = 65536
_COUNT = struct.Struct(">QQ")
_PORT = ("port", "name")
_STAGE = ("worker", "function", "stage", "step")
_QUEUE = ("port", "priority")


class Switch(Collector):
    """The switch at a socket, whichever runs there at the time."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._lock = threading.Lock()

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("macsad_up", "Whether a switch listens at the socket.")
        with self._lock:
            try:
                with Client(self._socket, timeout=10) as client:
                    found = list(_of(client))
            except (NoSwitchError, OSError):
                found = []
        up.add_metric([], float(bool(found)))
        yield up
        yield from found


def _of(client: Client) -> Iterator[Metric]:
    """Raises: ControlError, TimeoutError."""
    told, stats = client.describe(), client.stats()
    info = GaugeMetricFamily("macsad_program_info", "The program that runs.", labels=["program", "source"])
    info.add_metric([shown(told["name"]), shown(told["source"])], 1)
    yield info
    yield from _packets(stats)
    yield from _ports(told, stats)
    yield from _tables(client, told)
    yield from _workers(client)
    yield from _queues(client)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"macsad_{name}", text, value=value)


def _labelled(
    name: str, text: str, labels: Iterable[str], rows: Iterable[tuple[Iterable[Any], float]], *, gauge: bool = False
) -> Metric:
    family = (GaugeMetricFamily if gauge else CounterMetricFamily)(f"macsad_{name}", text, labels=list(labels))
    for values, number in rows:
        family.add_metric([shown(str(value)) for value in values], number)
    return family


def _packets(stats: dict[str, Any]) -> Iterator[Metric]:
    yield GaugeMetricFamily("macsad_uptime_seconds", "Since the switch started.", value=stats["seconds"])
    yield _counter("packets_received", "Packets received.", stats["received"])
    yield _counter("packets_copied", "Copies made, by multicast and clones.", stats["copies"])
    yield _counter("packets_sent", "Packets sent.", stats["sent"])
    drops = (([cause], count) for cause, count in stats["drops"].items())
    yield _labelled("packets_dropped", "Packets dropped, by cause.", ["cause"], drops)
    places = (([place], count) for place, count in stats["dropped_at"].items())
    yield _labelled("packets_dropped_at", "Packets that the program dropped, by its line.", ["place"], places)
    yield _counter("bursts", "Bursts processed by all workers.", stats["bursts"])
    yield _counter("worker_cpu_seconds", "CPU time of all workers.", stats["cpu_ns"] / 1e9)
    yield GaugeMetricFamily("macsad_workers", "Worker threads.", value=stats["workers"])
    yield GaugeMetricFamily("macsad_burst", "Packets received at once, at most.", value=stats["burst"])
    stuck = sum(one["now"] for one in stats["kept"])
    yield GaugeMetricFamily("macsad_workers_stuck", "Workers in a loop of the program.", value=stuck)
    yield _counter("digests", "Digests that the program has sent.", stats["digests"])
    yield _counter("digests_lost", "Digests for which there was no room.", stats["digests_lost"])
    yield _counter("asserts_failed", "Asserts of the program that failed.", stats["asserts"])
    yield _counter("log_lines_lost", "Lines of the log for which there was no room.", stats["log_lost"])
    yield _counter("captured_frames_lost", "Frames that captures lack.", stats["capture_lost"])


def _ports(told: dict[str, Any], stats: dict[str, Any]) -> Iterator[Metric]:
    ports = stats["ports"]
    for name, key, text in (
        ("port_packets_received", "rx_packets", "Packets received from the port."),
        ("port_bytes_received", "rx_bytes", "Bytes received from the port."),
        ("port_packets_missed", "rx_missed", "Frames that the interface lost because it had no room."),
        ("port_packets_sent", "tx_packets", "Packets that the port has taken."),
        ("port_bytes_sent", "tx_bytes", "Bytes that the port has taken."),
    ):
        yield _labelled(name, text, _PORT, (((port["port"], port["name"]), port[key]) for port in ports))
    up = (((port["port"], port["name"]), float(port.get("up", True))) for port in told["ports"])
    yield _labelled("port_up", "Whether the port is up.", _PORT, up, gauge=True)


def _tables(client: Client, told: dict[str, Any]) -> Iterator[Metric]:
    for name, key, text in (
        ("table_entries", "entries", "Entries of the table."),
        ("table_size", "size", "Entries for which the table has room."),
        ("table_memory_bytes", "memory_bytes", "Memory of the table."),
    ):
        yield _labelled(name, text, ["table"], (([one["name"]], one[key]) for one in told["tables"]), gauge=True)
    hits = [
        (one, *_counted(client, one))
        for one in externs_of(told)
        if one.kind == "direct_counter" and one.size <= CELLS_MAX
    ]
    labels = ["table", "counter"]
    packets = [([one.table, one.name], packets) for one, packets, _ in hits if one.unit != "bytes"]
    octets = [([one.table, one.name], octets) for one, _, octets in hits if one.unit != "packets"]
    yield _labelled(
        "table_packets_counted", "What the table's direct counter has counted, misses too.", labels, packets
    )
    yield _labelled("table_bytes_counted", "The same in bytes.", labels, octets)


def _counted(client: Client, counter: Extern) -> tuple[int, int]:
    """Packets and bytes of all cells, that of the default entry too."""
    cells = client.read_elements(counter.number, 0, counter.size, _COUNT.size)
    both = list(_COUNT.iter_unpack(cells))
    return sum(one for one, _ in both), sum(other for _, other in both)


def _workers(client: Client) -> Iterator[Metric]:
    workers = client.stages()
    for name, key, text in (
        ("worker_bursts", "bursts", "Bursts of the worker."),
        ("worker_bursts_sampled", "sampled", "Bursts in which the steps' clocks were read."),
    ):
        yield _labelled(name, text, ["worker"], (([one["worker"]], one[key]) for one in workers))
    for name, key, text in (
        ("stage_packets", "packets", "Packets of a step of the burst plan, in sampled bursts."),
        ("stage_cycles", "cycles", "Clocks of a step of the burst plan, in sampled bursts."),
    ):
        clocks = (
            ((one["worker"], clock["function"], clock["stage"], clock["step"]), clock[key])
            for one in workers
            for clock in one["clocks"]
        )
        yield _labelled(name, text, _STAGE, _summed(clocks))


def _summed(rows: Iterable[tuple[tuple[Any, ...], float]]) -> list[tuple[tuple[Any, ...], float]]:
    """One row for those of the same labels."""
    sums: dict[tuple[Any, ...], float] = {}
    for labels, value in rows:
        sums[labels] = sums.get(labels, 0) + value
    return list(sums.items())


def _queues(client: Client) -> Iterator[Metric]:
    """Of programs that have queues."""
    reply = client.command("show_queues")
    rows = [[int(word) for word in line.split()] for line in reply.text.splitlines()[1:]] if reply.ok else []
    if not rows:
        return
    for name, at, text in (
        ("queue_packets_waiting", 2, "Packets that wait in the queue."),
        ("queue_depth", 3, "Packets that may wait in the queue."),
    ):
        yield _labelled(name, text, _QUEUE, ((row[:2], row[at]) for row in rows), gauge=True)
    yield _labelled(
        "queue_packets_dropped", "Packets that found the queue full.", _QUEUE, ((r[:2], r[6]) for r in rows)
    )


@contextlib.contextmanager
def serving(host: str, port: int, socket: Path) -> Iterator[int]:
    """Serve them over HTTP while the context lasts; yields the port. Raises: OSError."""
    registry = CollectorRegistry()
    registry.register(Switch(socket))
    server, thread = start_http_server(port, host, registry)
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
