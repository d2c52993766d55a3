"""Addresses at which servers listen: on this host alone, unless other hosts are asked for."""

from __future__ import annotations

import ipaddress


class BadAddress(Exception):
    """A server cannot listen there."""


def checked(address: str, anywhere: bool) -> str:
    """HOST:PORT or unix:PATH, as gRPC has it. Raises: BadAddress, for a host that is not this one unless `anywhere`."""
    if address.startswith("unix:"):
        return address
    host, colon, port = address.rpartition(":")
    if not colon or not port.isascii() or not port.isdecimal() or int(port) > 65535:
        raise BadAddress(f"'{address}' is neither HOST:PORT nor unix:PATH")
    host = host or "127.0.0.1"
    bare = host.strip("[]")
    try:
        local = ipaddress.ip_address(bare).is_loopback
    except ValueError:
        local = bare == "localhost"
    if not local and not anywhere:
        raise BadAddress(f"{host} is not this host alone: give --anywhere")
    return f"{host}:{port}"


def host_and_port(address: str, anywhere: bool) -> tuple[str, int]:
    """Of a TCP address. Raises: BadAddress."""
    if address.startswith("unix:"):
        raise BadAddress(f"'{address}' is not HOST:PORT")
    host, _, port = checked(address, anywhere).rpartition(":")
    return host.strip("[]"), int(port)
