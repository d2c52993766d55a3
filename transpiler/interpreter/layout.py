"""Which fields a frame is made of, as the program's own parser sees it: for reports to people."""

from __future__ import annotations

from transpiler.hlir.program import Parser, Program, Role
from transpiler.hlir.types import Bits
from transpiler.interpreter.execute import Execution, Runaway
from transpiler.interpreter.packet import Reader, Transit
from transpiler.interpreter.parse import parse
from transpiler.interpreter.state import BitString, HeaderValue, State
from transpiler.interpreter.store import Store
from transpiler.interpreter.trace import silent

FieldPlace = tuple[int, int, str]  # first bit, width in bits, "hdr.ipv4.ttl"


class _Recorder(Reader):
    """A reader that notes what is extracted from where."""

    def __init__(self, data: bytes, state: State) -> None:
        super().__init__(data)
        self.names = {id(header): name for name, header in state.headers.items()}
        self.places: list[FieldPlace] = []

    def extract(self, header: HeaderValue, varbit_bits: int | None) -> None:
        first = self.cursor
        super().extract(header, varbit_bits)
        for field in header.layout.fields:
            value = header.fields[field.name]
            width = (
                value.width if isinstance(value, BitString) else field.type.width if isinstance(field.type, Bits) else 0
            )
            self.places.append((first, width, f"{self.names.get(id(header), header.layout.name)}.{field.name}"))
            first += width


def fields_of(program: Program, frame: bytes) -> list[FieldPlace]:
    """The fields of a frame in the order of the wire, as far as the parser gets."""
    parser = program.pipe(Role.PARSER)
    state = State(program)
    state.set_intrinsic("packet_length", len(frame))
    recorder = _Recorder(frame, state)
    if isinstance(parser, Parser):
        # a store of its own: a parser may write registers, and looking must not change the switch
        run = Execution(Store(program), state, Transit(len(frame), 0), silent)
        try:
            parse(run, parser, recorder)
        except Runaway:
            return recorder.places
    return recorder.places
