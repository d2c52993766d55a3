"""What generated functions are given of a packet, and how a function over a burst comes by it."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.codegen.c.build import address, call
from transpiler.codegen.c.nodes import Body, Cast, Declare, Do, Index, Member, Name


@dataclass(frozen=True, slots=True)
class Given:
    """What functions are given of a packet. `lasting`: its record and state, which are kept from stage to stage; else a record
    that each fills in as far as `binds` says, and with `keeps` its state."""

    lasting: bool
    keeps: bool
    binds: str

    @property
    def names(self) -> tuple[Name, ...]:
        if self.lasting:
            return (Name("state"),)
        return (Name("packet"), Name("kept")) if self.keeps else (Name("packet"),)

    @property
    def parameters(self) -> str:
        """As parameters in C."""
        return ", ".join(f"{_TYPES[name.name]} *{name.name}" for name in self.names)

    @property
    def constant(self) -> str:
        """The same where the function changes nothing of it."""
        return ", ".join(f"const {_TYPES[name.name]} *{name.name}" for name in self.names)

    def unpacked(self, packet: bool, kept: bool, constant: bool = False) -> Body:
        """Names for the parts of a state that a function uses."""
        if not self.lasting:
            return ()
        parts = [name for name, used in (("packet", packet), ("kept", kept)) if used]
        const = "const " if constant else ""
        return tuple(
            Declare(f"{const}{_TYPES[name]} *", name, address(Member(Name("state"), name, arrow=True)), constant=True)
            for name in parts
        )

    def of_burst(self, index: str, at: str) -> Body:
        """Of packet number `index` of a burst whose arrays stand at `at`."""
        handles, number = Name(f"{at}handles"), Name(index)
        if self.lasting:
            state = call("macs_state", f"{at}states", handles, number)
            return (Declare("struct state *", "state", state, constant=True),)
        kept = call("macs_kept", f"{at}kepts", handles, number)
        return (
            Declare("struct macs_packet", "record"),
            Declare("struct macs_packet *", "packet", address(Name("record")), constant=True),
            *((Declare("struct kept *", "kept", kept, constant=True),) if self.keeps else ()),
            Do(call("macs_bind", "common", "packet", Index(handles, number), self.binds)),
        )

    def of_its_own(self) -> Body:
        """Of a packet that one function is through with: nothing of it need be kept."""
        names = self.names
        return tuple(
            declared
            for name in names
            for declared in (
                Declare(_TYPES[name.name], f"own_{name.name}"),
                Declare(f"{_TYPES[name.name]} *", name.name, address(Name(f"own_{name.name}")), constant=True),
            )
        )

    def of_record(self, index: str) -> Body:
        """Of packet number `index` of those whose records are filled."""
        record = Index(Name("packets"), Name(index))
        if self.lasting:
            return (Declare("struct state *", "state", Cast("struct state *", record), constant=True),)
        kept = call("macs_kept_of", "packet")
        return (
            Declare("struct macs_packet *", "packet", record, constant=True),
            *((Declare("struct kept *", "kept", kept, constant=True),) if self.keeps else ()),
        )


_TYPES = {"state": "struct state", "packet": "struct macs_packet", "kept": "struct kept"}
