"""The bits of a packet: reading them in a parser, writing them in a deparser; and what goes with it on its way."""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.diagnostics import Span
from transpiler.externs.requests import Requests
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.types import Bits, Varbit
from transpiler.interpreter.evaluate import to_bytes
from transpiler.interpreter.state import BitString, HeaderValue


class ParserReject(Exception):
    """The parser goes to `reject`; `error` is a member of the program's `error` enum."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


class Reader:
    """A cursor over a frame, in bits."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.cursor = 0

    @property
    def left(self) -> int:
        """Bits from the cursor to the end."""
        return len(self.data) * 8 - self.cursor

    @property
    def payload(self) -> bytes:
        """What the parser did not pass; bits of a byte that was begun are gone."""
        return self.data[(self.cursor + 7) // 8 :]

    def peek(self, width: int) -> int:
        """The next bits, without passing them. Raises: ParserReject."""
        if width > self.left:
            raise ParserReject("PacketTooShort")
        first, end = self.cursor // 8, (self.cursor + width + 7) // 8
        window = int.from_bytes(self.data[first:end], "big")
        return window >> (end * 8 - self.cursor - width) & ones(width)

    def advance(self, width: int) -> None:
        """Pass bits: whole bytes, as BMv2 wants it. Raises: ParserReject."""
        if width % 8:
            raise ParserReject("ParserInvalidArgument")
        if width > self.left:
            raise ParserReject("PacketTooShort")
        self.cursor += width

    def extract(self, header: HeaderValue, varbit_bits: int | None) -> None:
        """Fill a header, make it valid and pass it; nothing changes on an error. Raises: ParserReject."""
        variable = varbit_bits or 0
        if variable % 8:
            raise ParserReject("ParserInvalidArgument")
        left = header.layout.fixed_bits + variable
        bits = self.peek(left)
        if any(isinstance(f.type, Varbit) and variable > f.type.max_width for f in header.layout.fields):
            raise ParserReject("HeaderTooShort")
        self.cursor += left
        for field_ in header.layout.fields:
            width = field_.type.width if isinstance(field_.type, Bits) else variable
            left -= width
            part = bits >> left & ones(width)
            header.fields[field_.name] = part if isinstance(field_.type, Bits) else BitString(part, width)
        header.valid = True


class Writer:
    """What the deparser has emitted."""

    def __init__(self) -> None:
        self.value = 0
        self.width = 0

    def emit(self, header: HeaderValue) -> None:
        """Append a header's bits if it is valid."""
        if header.valid:
            value, width = header.bits()
            self.value, self.width = self.value << width | value, self.width + width

    def frame(self, payload: bytes) -> bytes:
        """The headers, filled up with zeros to whole bytes, then the payload."""
        return to_bytes(self.value, self.width) + payload


@dataclass(slots=True)
class Transit:
    """A packet on its way, beside its headers and metadata: `length` is its length as received, in bytes.

    `written` is where each intrinsic variable was last assigned: a drop can say which statement asked for it.
    """

    length: int
    now_us: int
    payload: bytes = b""
    requests: Requests = field(default_factory=Requests)
    written: dict[str, Span] = field(default_factory=dict)
