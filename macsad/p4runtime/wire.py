"""Protobuf's wire form, for messages that are put together of bytes where a message object for each would take too long."""

from __future__ import annotations

_VARINT, _LENGTH = 0, 2  # wire types
_KEPT_MAX = 4096  # beginnings that are kept


def varint(value: int) -> bytes:
    """An unsigned number, or a negative one as int32 and int64 have it."""
    value &= (1 << 64) - 1
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def number(field: int, value: int) -> bytes:
    """A field that is a number; nothing for 0, which is what a missing one means."""
    return varint(field << 3 | _VARINT) + varint(value) if value else b""


class Heads(dict[int, bytes]):
    """What stands in front of a field's bytes, by their length. `around`: from the inside out, what stands in front of the field
    in its message, and the field that this message is."""

    def __init__(self, field: int, *around: tuple[bytes, int]) -> None:
        super().__init__()
        self._field, self._around = field, around

    def __missing__(self, length: int) -> bytes:
        head = varint(self._field << 3 | _LENGTH) + varint(length)
        for before, outer in self._around:
            head = before + head
            head = varint(outer << 3 | _LENGTH) + varint(len(head) + length) + head
        if len(self) < _KEPT_MAX:
            self[length] = head
        return head

    def on(self, content: bytes) -> bytes:
        """The field."""
        return self[len(content)] + content
