"""A switch of served.p4 and a server of it, one for all tests of a module; each test finds it as it started."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from built_once import built_once
from controller import Controller, Stream
from served_switch import CPU, PROGRAM, Served, make
from switch_harness import Switch


@pytest.fixture(scope="module")
def switch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switch]:
    binary = built_once(PROGRAM, make) / PROGRAM.stem
    ports = [f"--port={number}=ctl:" for number in (0, 1, CPU)]
    running = Switch(binary, tmp_path_factory.mktemp("switch"), [*ports, "--buffers=8192", "--replaceable"])
    yield running
    running.stop()


@pytest.fixture(scope="module")
def served(switch: Switch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    serving = Served(switch, f"unix:{tmp_path_factory.mktemp('server')}/p4rt")
    yield serving
    serving.close()


@pytest.fixture
def stream(served: Served) -> Iterator[Stream]:
    """A primary controller's stream, with the next election id."""
    served.clear()
    opened = Stream(served.channel)
    opened.election = served.election = getattr(served, "election", 0) + 10  # type: ignore[attr-defined]
    assert opened.arbitrate(opened.election).status.code == 0  # type: ignore[attr-defined]
    yield opened
    opened.close()


@pytest.fixture
def controller(served: Served, stream: Stream) -> Controller:
    return Controller(served.channel, served.info, stream.election)  # type: ignore[attr-defined]
