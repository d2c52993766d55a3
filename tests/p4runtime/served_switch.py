"""The switch of served.p4 and a server of it, as tests start them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import switches
from switch_harness import Switch

from macsad import compilation
from macsad.compilation import Request
from macsad.p4runtime import server
from macsad.p4runtime.messages import messages
from macsad.p4runtime.program import join
from macsad.p4runtime.service import Service
from macsad.served import header_widths
from transpiler.diagnostics import Diagnostics
from transpiler.p4info.build import build
from transpiler.toolchain import toolchain

PROGRAM = Path(__file__).parent / "served.p4"
CPU = 64
TOOLS = toolchain.find(optimise="-O0", sanitize=("address", "undefined"))


def make(folder: Path, program: Path = PROGRAM) -> None:
    """Sanitized, with the backend of the tests in C."""
    tools = replace(TOOLS, form=toolchain.Form.REPLACEABLE)
    compilation.build(Request(program), switches.load(program), folder, tools)


class Served:
    """A switch and a server of it."""

    def __init__(
        self, switch: Switch, address: str, build_another: Any = None, awaits: bool = False, program: Path = PROGRAM
    ) -> None:
        hlir = switches.load(program)
        info = build(hlir, Diagnostics())
        self.info = messages().of("p4.config.v1.P4Info").FromString(info.SerializeToString())
        self.switch, self.address = switch, address
        self.program = join(self.info, switch.client.describe(), header_widths(hlir))
        self.service = Service(
            switch.socket,
            self.program,
            cpu_port=CPU,
            device_config=program.read_bytes(),
            build=build_another,
            awaits=awaits,
        )
        self.server, _ = server.start(self.service, address, None)
        self.channel = grpc.insecure_channel(address)

    def clear(self) -> None:
        """All state as when the switch has started; the server may be reading entries that have timed out."""
        with self.service._lock:
            self.service.clear()

    def close(self) -> None:
        self.channel.close()
        self.server.stop(0)
        self.service.close()
