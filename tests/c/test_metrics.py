"""What Prometheus reads of a running switch."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import switches
from prometheus_client.parser import text_string_to_metric_families
from switch_harness import Switch, ethernet

from macsad.addresses import BadAddress, host_and_port
from macsad.metrics import exporting, metrics

PROGRAM = Path(__file__).parent / "edges.p4"
QUEUES = Path(__file__).parents[1] / "packets" / "queues.p4"


@pytest.fixture
def switch(tmp_path: Path) -> Iterator[Switch]:
    binary = switches.build(PROGRAM, ("address", "undefined"))
    running = Switch(binary, tmp_path, ["--port=0=ctl:", "--port=7=ctl:"])
    yield running
    if running.process.poll() is None:
        running.stop()


def scraped(port: int) -> dict[tuple[str, ...], float]:
    """Values by name and labels, these in the order of their names, over HTTP as Prometheus reads them."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    return {
        (one.name, *(value for _, value in sorted(one.labels.items()))): one.value
        for family in families
        for one in family.samples
    }


def test_what_a_switch_counts_is_read(switch: Switch) -> None:
    switch.do("port_add ctl: 5", "port_down 5", "table_add I.exact_keys I.send 1 2 1 => 3")
    switch.client.exchange([(0, ethernet(1))] * 3)
    stats = switch.client.stats()
    with metrics.serving("127.0.0.1", 0, switch.socket) as port:
        found = scraped(port)
        assert found["macsad_up",] == 1
        assert found["macsad_program_info", "edges", switch.client.describe()["source"]] == 1
        assert found["macsad_packets_received_total",] == 3
        assert found["macsad_port_packets_received_total", "ctl:", "0"] == 3
        assert found["macsad_port_bytes_received_total", "ctl:", "0"] == 180
        assert found["macsad_port_up", "ctl:", "7"] == 1 and found["macsad_port_up", "ctl:", "5"] == 0
        for cause, count in stats["drops"].items():
            assert found["macsad_packets_dropped_total", cause] == count
        assert found["macsad_table_entries", "I.exact_keys"] == 1
        assert found["macsad_worker_bursts_total", "0"] == stats["bursts"]
        assert found["macsad_table_packets_counted_total", "I.hits", "I.exact_keys"] == 0
        assert any(name[0] == "macsad_stage_cycles_total" for name in found)
        assert not any(name[0].startswith("macsad_queue") for name in found)
        switch.stop()
        assert scraped(port) == {("macsad_up",): 0}


def test_queues_are_read(tmp_path: Path) -> None:
    binary = switches.build(QUEUES, ("address", "undefined"))
    running = Switch(binary, tmp_path, ["--port=1=ctl:", "--priority-queues=2"])
    running.do("set_queue_depth 5 1 1")
    with metrics.serving("127.0.0.1", 0, running.socket) as port:
        found = scraped(port)
    assert (found["macsad_queue_depth", "1", "0"], found["macsad_queue_depth", "1", "1"]) == (64, 5)
    assert found["macsad_queue_packets_waiting", "1", "1"] == found["macsad_queue_packets_dropped_total", "1", "1"] == 0
    running.stop()


def test_beside_a_switch(switch: Switch, capsys: pytest.CaptureFixture[str]) -> None:
    """As `macsad run --metrics ADDRESS` has it."""
    with exporting.listening(("127.0.0.1", 0), switch.socket):
        found = re.fullmatch(r"ready: metrics at http://127\.0\.0\.1:(\d+)/metrics\n", capsys.readouterr().out)
        assert found is not None
        assert scraped(int(found[1]))["macsad_up",] == 1


@pytest.mark.parametrize("address", ["0.0.0.0:9100", "unix:/tmp/socket", "nowhere", "127.0.0.1:65536"])
def test_addresses_that_are_refused(address: str) -> None:
    with pytest.raises(BadAddress):
        host_and_port(address, anywhere=False)
