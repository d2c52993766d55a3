"""Notes that the server leaves with the switch: what controllers are to read again and the switch has no use for.

So all state of a device is in the switch, and a server that is started again answers as the one before.
"""

from __future__ import annotations

import struct

from macsad.control import Client
from macsad.protocol import Update

_HEAD = struct.Struct(">BH")


class Names:
    """How the names of notes begin."""

    METADATA = b"e"  # table (2), key: the metadata of an entry
    GROUP = (
        b"g"  # extern (2), id (8): the ActionProfileGroup, or the ActionProfileActionSet of an entry, as it was given
    )
    REPLICATION = b"r"  # number (4): the metadata of a multicast group
    OLD_PORTS = (
        b"o"  # number (4) of a multicast group: instance (2) and port (2) of each replica that `egress_port` named
    )
    DIGEST = b"d"  # id (4): DigestEntry.Config
    COOKIE = b"c"
    STRING = b"s"  # type, a zero byte, string: the number that stands for it


def change(name: bytes, note: bytes) -> bytes:
    """The change that leaves a note, or with no bytes removes it. It goes with the change before it."""
    return _HEAD.pack(Update.NOTE, len(name)) + name + note


def of(client: Client, name: bytes) -> bytes:
    """A note; b"" if there is none."""
    return client.notes_named([name])[0]


def metadata(table: int, key: bytes) -> bytes:
    """The name of the metadata of an entry."""
    return Names.METADATA + table.to_bytes(2, "big") + key


def group(extern: int, number: int) -> bytes:
    """The name of what is known of a group."""
    return Names.GROUP + extern.to_bytes(2, "big") + number.to_bytes(8, "big")
