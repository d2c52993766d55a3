"""Packets from and to controllers, with the fields of @controller_header in front. P4Runtime spec 1.4.1 section 16."""

from __future__ import annotations

from dataclasses import dataclass

from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message
from macsad.p4runtime.numbers import canonical, fixed


@dataclass(frozen=True, slots=True)
class Header:
    """The fields of a controller header: (id, bits) each, in order."""

    fields: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        return (sum(bits for _, bits in self.fields) + 7) // 8

    @staticmethod
    def of(info: Message, name: str) -> Header:
        """The program's header of that name; one without fields if it has none."""
        for header in info.controller_packet_metadata:
            if header.preamble.name == name:
                return Header(tuple((field.id, field.bitwidth) for field in header.metadata))
        return Header(())

    def frame(self, packet: Message) -> bytes:
        """The frame that the switch receives for a PacketOut. Raises: Refused."""
        values = {metadata.metadata_id: metadata.value for metadata in packet.metadata}
        if len(values) != len(packet.metadata) or set(values) != {number for number, _ in self.fields}:
            raise Refused(Code.INVALID_ARGUMENT, "the metadata are not those of the program's header, each once")
        whole = 0
        for number, bits in self.fields:
            whole = whole << bits | int.from_bytes(fixed(values[number], bits), "big")
        unused = self.size * 8 - sum(bits for _, bits in self.fields)
        return (whole << unused).to_bytes(self.size, "big") + bytes(packet.payload)

    def fill(self, packet: Message, frame: bytes) -> bool:
        """PacketIn of a frame that the switch sent; False: it is shorter than the header."""
        if len(frame) < self.size:
            return False
        whole, left = int.from_bytes(frame[: self.size], "big"), self.size * 8
        for number, bits in self.fields:
            left -= bits
            value = whole >> left & (1 << bits) - 1
            packet.metadata.add(metadata_id=number, value=canonical(value.to_bytes((bits + 7) // 8 or 1, "big")))
        packet.payload = frame[self.size :]
        return True
