"""Packets from and to controllers, with the fields of @controller_header in front. P4Runtime spec 1.4.1 section 16."""

from __future__ import annotations

from dataclasses import dataclass

from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message
from macsad.p4runtime.program import Param, Program
from macsad.p4runtime.strings import to_controller, to_switch


@dataclass(frozen=True, slots=True)
class Header:
    """The fields of a controller header, in order."""

    fields: tuple[Param, ...]

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

    def fill(self, packet: Message, frame: bytes) -> bool:
        """PacketIn of a frame that the switch sent; False: it is shorter than the header."""
        if len(frame) < self.size:
            return False
        whole, left = int.from_bytes(frame[: self.size], "big"), self.size * 8
        for field in self.fields:
            left -= field.bits
            value = (whole >> left & (1 << field.bits) - 1).to_bytes((field.bits + 7) // 8 or 1, "big")
            packet.metadata.add(metadata_id=field.id, value=to_controller(value, field.strings))
        packet.payload = frame[self.size :]
        return True
