"""Packets from and to controllers, with the fields of @controller_header in front. P4Runtime spec 1.4.1 section 16.

PacketIn is made as bytes: a message object for each packet would take longer than all else that the server does for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field as member

from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message
from macsad.p4runtime.program import Param, Program
from macsad.p4runtime.strings import to_controller, to_switch
from macsad.p4runtime.wire import Heads, number

_PACKET, _PAYLOAD = Heads(2), Heads(1)  # of StreamMessageResponse and of PacketIn
_METADATA, _ID, _VALUE = Heads(2), 1, Heads(2)
_KEPT_MAX = 1024  # metadata in wire form that are kept


@dataclass(frozen=True, slots=True)
class Header:
    """The fields of a controller header, in order."""

    fields: tuple[Param, ...]
    _made: dict[bytes, bytes] = member(default_factory=dict, compare=False, repr=False)

    @property
    def size(self) -> int:
        return (sum(field.bits for field in self.fields) + 7) // 8

    @staticmethod
    def of(program: Program, name: str) -> Header:
        """The program's header of that name; one without fields if it has none."""
        translations = program.translations
        for header in program.info.controller_packet_metadata:
            if header.preamble.name == name:
                widths = program.widths.get(name) or [field.bitwidth for field in header.metadata]
                fields = zip(header.metadata, widths, strict=True)
                return Header(tuple(Param(field.id, width, translations.of(field)) for field, width in fields))
        return Header(())

    def frame(self, packet: Message) -> bytes:
        """The frame that the switch receives for a PacketOut. Raises: Refused."""
        values = {metadata.metadata_id: metadata.value for metadata in packet.metadata}
        if len(values) != len(packet.metadata) or set(values) != {field.id for field in self.fields}:
            raise Refused(Code.INVALID_ARGUMENT, "the metadata are not those of the program's header, each once")
        whole = 0
        for field in self.fields:
            value = to_switch(values[field.id], field.bits, field.strings)
            whole = whole << field.bits | int.from_bytes(value, "big")
        unused = self.size * 8 - sum(field.bits for field in self.fields)
        return (whole << unused).to_bytes(self.size, "big") + bytes(packet.payload)

    def packets_in(self, frames: Iterable[bytes]) -> Iterator[bytes]:
        """StreamMessageResponses of frames that the switch sent, in wire form; those that are shorter than the header are left
        out."""
        size = self.size
        for frame in frames:
            if len(frame) < size:
                continue
            head, payload = frame[:size], frame[size:]
            if (metadata := self._made.get(head)) is None:
                metadata = self._metadata(head)
                if len(self._made) < _KEPT_MAX and not any(
                    one.strings for one in self.fields
                ):  # strings may be forgotten
                    self._made[head] = metadata
            yield _PACKET.on((_PAYLOAD.on(payload) if payload else b"") + metadata)

    def _metadata(self, head: bytes) -> bytes:
        whole, left, made = int.from_bytes(head, "big"), self.size * 8, []
        for one in self.fields:
            left -= one.bits
            value = (whole >> left & (1 << one.bits) - 1).to_bytes((one.bits + 7) // 8 or 1, "big")
            made.append(_METADATA.on(number(_ID, one.id) + _VALUE.on(to_controller(value, one.strings))))
        return b"".join(made)
