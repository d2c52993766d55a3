"""Thrift ports, and the control socket of the switch that serves at one, in the folder of the user's sockets."""

from __future__ import annotations

from pathlib import Path

from macsad import sockets

DEFAULT_PORT = 9090


def socket_of(thrift_port: int) -> Path:
    """The control socket of the switch that was started with --thrift-port."""
    return sockets.folder_made() / f"thrift-{thrift_port}.sock"
