"""What one packet carries through the program: its variables and headers, with the reading and writing of places.

Values are non-negative ints below 2**width (0 or 1 for bool, the ordinal for an enum); a varbit is a `BitString`, since
its width is known at run time only. Everything is zero and every header invalid when a packet begins.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.hlir.program import Program, Storage, Variable
from transpiler.hlir.types import HeaderType, Type, Varbit


@dataclass(frozen=True, slots=True)
class BitString:
    """The value of a varbit: `width` bits, most significant first."""

    value: int
    width: int


Value = int | BitString


def zero(type_: Type) -> Value:
    """The value of a place that nobody has written."""
    return BitString(0, 0) if isinstance(type_, Varbit) else 0


@dataclass(slots=True)
class HeaderValue:
    """One header: the storage of its fields is there whether it is valid or not."""

    layout: HeaderType
    valid: bool = False
    fields: dict[str, Value] = field(default_factory=dict)

    @classmethod
    def fresh(cls, layout: HeaderType) -> HeaderValue:
        """An invalid header of zeros."""
        return cls(layout, False, {f.name: zero(f.type) for f in layout.fields})

    def copy_from(self, other: HeaderValue) -> None:
        """Take over validity and all fields."""
        self.valid = other.valid
        self.fields = dict(other.fields)

    def bits(self) -> tuple[int, int]:
        """The header as it stands on the wire: (value, width in bits)."""
        value = width = 0
        for layout in self.layout.fields:
            content = self.fields[layout.name]
            if isinstance(content, BitString):
                part, size = content.value, content.width
            else:
                part, size = content, layout.type.width if not isinstance(layout.type, Varbit) else 0
            value, width = value << size | part, width + size
        return value, width


class State:
    """Variables and headers of one packet."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.variables: dict[str, Value] = {v.name: zero(v.type) for v in program.variables}
        self.headers = {h.name: HeaderValue.fresh(program.header_type_of[h.name]) for h in program.headers}
        self._locals = {v.name: zero(v.type) for v in program.variables if v.storage is Storage.LOCAL}
        self._local_headers = tuple((h.name, program.header_type_of[h.name]) for h in program.headers if h.local)

    def copy(self) -> State:
        """An independent copy, as a replica of the packet needs it."""
        other = State.__new__(State)
        other.program = self.program
        other.variables = dict(self.variables)
        other.headers = {n: HeaderValue(h.layout, h.valid, h.fields.copy()) for n, h in self.headers.items()}
        other._locals, other._local_headers = self._locals, self._local_headers
        return other

    def intrinsic(self, name: str) -> int:
        """An intrinsic value by the architecture's own name; 0 when the program cannot name it."""
        variable = self.program.intrinsic.get(name)
        value = self.variables[variable] if variable is not None else 0
        assert isinstance(value, int)
        return value

    def set_intrinsic(self, name: str, value: int) -> None:
        """Set an intrinsic value, cut to its width; nothing when the program cannot name it."""
        variable = self.program.intrinsic.get(name)
        if variable is not None:
            width = getattr(self.program.variable[variable].type, "width", 64)
            self.variables[variable] = value & ((1 << width) - 1)

    def reset(self, *storages: Storage) -> None:
        """Zero the variables of these storages."""
        for variable in self.program.variables:
            if variable.storage in storages:
                self.variables[variable.name] = zero(variable.type)

    def enter_pipe(self) -> None:
        """What is local to a parser or control begins its life: variables zero, local headers invalid."""
        self.variables.update(self._locals)
        for name, layout in self._local_headers:
            self.headers[name] = HeaderValue.fresh(layout)

    def variable(self, name: str) -> Variable:
        """The declaration of a variable."""
        return self.program.variable[name]
