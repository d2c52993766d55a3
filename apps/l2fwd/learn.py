"""The controller of l2fwd: hears of unknown stations by digest, and adds their entries while packets flow.

    python learn.py [--socket PATH]

A station is added to `smac` with the port it was seen at (it is told of no more) and to `dmac` (frames to it are no
longer flooded). One that moves is seen at another port; its entries are replaced.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path

from macsad.control import Client
from macsad.protocol import ControlError, Digest
from macsad.sockets import running_socket

MAC_BYTES, PORT_BYTES = 6, 2
GROUP_BIT = 1 << 40  # in a MAC address: of a group, not of a station


@dataclass
class Station:
    """Where a station is, and its entries' handles."""

    port: int
    smac: int
    dmac: int


@dataclass
class Learner:
    """Keeps the switch's tables as the digests tell."""

    client: Client
    stations: dict[int, Station] = field(default_factory=dict)

    def begin(self) -> None:
        """Empty the tables, to know what is in them, and ask for digests. Raises: ControlError."""
        self._do("table_clear smac")
        self._do("table_clear dmac")
        self.client.subscribe()

    def hear(self, digest: Digest) -> None:
        """Learn what a digest tells. Raises: ControlError."""
        for record in digest.records:
            mac = int.from_bytes(record[:MAC_BYTES], "big")
            port = int.from_bytes(record[MAC_BYTES : MAC_BYTES + PORT_BYTES], "big")
            self._seen(mac, port)

    def _seen(self, mac: int, port: int) -> None:
        station = self.stations.get(mac)
        if mac & GROUP_BIT or (station and station.port == port):
            return  # told of again before its entries were there
        name = mac.to_bytes(MAC_BYTES, "big").hex(":")
        smac = self._add(f"table_add smac known {name} {port} =>")
        if station is None:
            self.stations[mac] = Station(port, smac, self._add(f"table_add dmac forward {name} => {port}"))
            print(f"{name} is at port {port}", flush=True)
        else:
            self._do(f"table_modify dmac forward {station.dmac} {port}")
            self._do(f"table_delete smac {station.smac}")
            print(f"{name} has moved from port {station.port} to port {port}", flush=True)
            station.port, station.smac = port, smac

    def _add(self, command: str) -> int:
        """The handle of the entry that a command adds."""
        return int(self._do(command).split()[-1])

    def _do(self, command: str) -> str:
        reply = self.client.command(command)
        if not reply.ok:
            raise ControlError(f"{command}: {reply.text}")
        return reply.text


def main() -> int:
    parser = argparse.ArgumentParser(description="The controller of l2fwd: learns stations while packets flow.")
    parser.add_argument("--socket", type=Path, help="the switch's control socket, where several run")
    named = parser.parse_args().socket
    try:
        path = named or running_socket()
        with Client.wait(path) as client:
            learner = Learner(client)
            learner.begin()
            print(f"learning from the switch at {path}", flush=True)
            while True:
                digest = client.digest(seconds=3600)
                if digest is not None:
                    learner.hear(digest)
    except ControlError as error:
        print(f"learn.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
