"""A switch of served.p4 and a server of it, one for all tests of a module; each test finds it as it started."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
import switches
from built_once import built_once
from controller import Controller, Stream
from switch_harness import Switch

from macsad import compilation
from macsad.compilation import Request
from macsad.p4runtime import server
from macsad.p4runtime.messages import messages
from macsad.p4runtime.program import join
from macsad.p4runtime.service import Service
from macsad.p4runtime.serving import header_widths
from transpiler.diagnostics import Diagnostics
from transpiler.p4info.build import build
from transpiler.toolchain import toolchain

PROGRAM = Path(__file__).parent / "served.p4"
CPU = 64


def make(folder: Path) -> None:
    """Sanitized, with the backend of the tests in C."""
    tools = toolchain.find(optimise="-O1", sanitize=("address", "undefined"))
    compilation.build(Request(PROGRAM), switches.load(PROGRAM), folder, tools)


@pytest.fixture(scope="module")
def switch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switch]:
    binary = built_once(PROGRAM, make) / PROGRAM.stem
    ports = [f"--port={number}=ctl:" for number in (0, 1, CPU)]
    running = Switch(binary, tmp_path_factory.mktemp("switch"), [*ports, "--buffers=8192"])
    yield running
    running.stop()


class Served:
    """A switch and a server of it."""

    def __init__(self, switch: Switch, address: str) -> None:
        hlir = switches.load(PROGRAM)
        info = build(hlir, Diagnostics())
        self.info = messages().of("p4.config.v1.P4Info").FromString(info.SerializeToString())
        self.switch = switch
        self.program = join(self.info, switch.client.describe(), header_widths(hlir))
        self.service = Service(switch.socket, self.program, cpu_port=CPU, device_config=PROGRAM.read_bytes())
        self.server, _ = server.start(self.service, address, None)
        self.channel = grpc.insecure_channel(address)

    def close(self) -> None:
        self.channel.close()
        self.server.stop(0)
        self.service.close()


@pytest.fixture(scope="module")
def served(switch: Switch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    serving = Served(switch, f"unix:{tmp_path_factory.mktemp('server')}/p4rt")
    yield serving
    serving.close()


@pytest.fixture
def stream(served: Served) -> Iterator[Stream]:
    """A primary controller's stream, with the next election id."""
    served.service.clear()
    opened = Stream(served.channel)
    opened.election = served.election = getattr(served, "election", 0) + 10  # type: ignore[attr-defined]
    assert opened.arbitrate(opened.election).status.code == 0  # type: ignore[attr-defined]
    yield opened
    opened.close()


@pytest.fixture
def controller(served: Served, stream: Stream) -> Controller:
    return Controller(served.channel, served.info, stream.election)  # type: ignore[attr-defined]
