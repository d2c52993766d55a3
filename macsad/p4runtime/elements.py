"""Elements of counters, meters and registers. P4Runtime spec 1.4.1 sections 9.3 to 9.4 and 9.7."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from macsad.control import Client
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.data import Unsupported, Values
from macsad.p4runtime.messages import Message
from macsad.p4runtime.program import Extern, Program
from macsad.p4runtime.wire import number
from macsad.protocol import Update

_AT = struct.Struct(">BHI")
_COUNT = struct.Struct(">QQ")
_RATES = struct.Struct(">Bdddd")
_STEP = 4096  # elements that are read at once
_INT64_MAX = (1 << 63) - 1


def set_counter(extern: Extern, index: int, data: Message) -> bytes:
    """The change that sets a counter. Raises: Refused."""
    if data.packet_count < 0 or data.byte_count < 0:
        raise Refused(Code.INVALID_ARGUMENT, "a count is negative")
    counts = _COUNT.pack(data.packet_count, data.byte_count)
    return _AT.pack(Update.ELEMENT, extern.number, index) + counts


def set_meter(extern: Extern, index: int, config: Message | None) -> bytes:
    """The change that sets a meter's rates; None: every packet is green again. Raises: Refused."""
    if config is None:
        return _AT.pack(Update.ELEMENT, extern.number, index) + _RATES.pack(0, 0, 0, 0, 0)
    rates = (config.cir, config.cburst, config.pir, config.pburst)
    if min(rates) < 0 or config.cir > config.pir:
        raise Refused(Code.INVALID_ARGUMENT, "rates and bursts are 0 or more, the committed rate at most the peak rate")
    if config.eburst:
        raise Refused(Code.UNIMPLEMENTED, "an excess burst is for single-rate meters, which there are none of")
    return _AT.pack(Update.ELEMENT, extern.number, index) + _RATES.pack(1, *rates)


def set_register(program: Program, extern: Extern, index: int, data: Message) -> bytes:
    """The change that sets an element of a register. Raises: Refused."""
    return _AT.pack(Update.ELEMENT, extern.number, index) + values(program, extern).pack(data)


def values(program: Program, extern: Extern) -> Values:
    """The elements of a register as P4Data. Raises: Refused."""
    if extern.id not in program.values:
        widths = extern.widths or (extern.bits,)
        try:
            made = Values(program.info.type_info, extern.info.type_spec, widths, program.translations)
        except Unsupported:
            raise Refused(Code.UNIMPLEMENTED, f"{extern.name} has elements of a type without P4Data") from None
        program.values[extern.id] = made
    return program.values[extern.id]


def element_bytes(extern: Extern) -> int:
    """Bytes of an element in READ's answer."""
    match extern.kind:
        case "counter" | "direct_counter":
            return _COUNT.size
        case "meter" | "direct_meter":
            return _RATES.size
    return (extern.bits + 7) // 8


def read(client: Client, extern: Extern, first: int, count: int) -> Iterator[tuple[int, bytes]]:
    """Elements with their indices."""
    size = element_bytes(extern)
    for start in range(first, first + count, _STEP):
        some = min(_STEP, first + count - start)
        elements = client.read_elements(extern.number, start, some, size)
        for at in range(some):
            yield start + at, elements[at * size : (at + 1) * size]


def counter_data(element: bytes) -> bytes:
    """CounterData of an element."""
    packets, octets = _COUNT.unpack(element)
    return number(1, octets & _INT64_MAX) + number(2, packets & _INT64_MAX)


def meter_config(element: bytes) -> bytes | None:
    """MeterConfig of an element; None where no rates were set."""
    configured, cir, cburst, pir, pburst = _RATES.unpack(element)
    if not configured:
        return None
    return b"".join([number(field, round(rate)) for field, rate in enumerate((cir, cburst, pir, pburst), 1)])
