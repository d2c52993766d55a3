"""The parameters of generated functions: only what they use; and how a function over a burst passes them for each packet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from transpiler.codegen.c.build import PACKET, address, call
from transpiler.codegen.c.nodes import Body, Cast, Declare, Do, Expression, Index, Member, Name

OF_PACKET = ("state", "packet", "live")
TYPES = {"state": "struct state *", "packet": "struct macs_packet *", "live": "struct live *"}
LOCKS = Name("kept")  # of registers, by the number of their group: a copy, as they are in a burst
REGISTERS = Name("registers")  # by their constants: copies of those that a stage uses, as they are in a burst
COUNTS = Name("counts")  # likewise, by the constants of counters: where the worker's counts stand
STATE, LIVE = Name("state"), Name("live")


def of_packet(takes: tuple[str, ...]) -> tuple[str, ...]:
    """The parameters of a function that belong to the packet."""
    return tuple(name for name in takes if name in OF_PACKET)


@dataclass(frozen=True, slots=True)
class Given:
    """What functions are given of a packet. `lasting`: its record and state as one, which is kept from stage to stage; else a
    record that each fills in as far as `binds` says, and with `keeps` its state."""

    lasting: bool
    keeps: bool
    binds: str

    def of(self, named: Iterable[str]) -> tuple[str, ...]:
        """The parameters of a function that uses these names."""
        used = frozenset(named)
        if self.lasting:
            return ("state",) if used & {"packet", "live", "state"} else ()
        return tuple(name for name in ("packet", "live") if name in used)

    def unpacked(self, named: Iterable[str], constant: bool = False) -> Body:
        """Names for the parts of a state that a function uses."""
        used = frozenset(named)
        if not self.lasting:
            return ()
        const = "const " if constant else ""
        return tuple(
            Declare(f"{const}{TYPES[name]}", name, address(Member(STATE, name, arrow=True)), constant=True)
            for name in ("packet", "live")
            if name in used
        )

    def of_burst(self, given: tuple[str, ...], index: str, at: str) -> Body:
        """These, of packet number `index` of a burst whose arrays stand at `at`."""
        handles, number = Name(f"{at}handles"), Name(index)
        values: dict[str, Expression] = {
            "state": call("macs_state", f"{at}states", handles, number),
            "packet": address(Name("record")),
            "live": call("macs_live", f"{at}lives", handles, number),
        }
        record = (Declare("struct macs_packet", "record"),) if "packet" in given else ()
        bind = (self.bind(PACKET, Index(handles, number)),) if "packet" in given else ()
        return (*record, *(Declare(TYPES[name], name, values[name], constant=True) for name in given), *bind)

    def bind(self, record: Expression, handle: Expression) -> Do:
        """Fill in the record of a packet as it was received."""
        return Do(call("macs_bind", "common", record, handle, self.binds))

    def of_its_own(self, given: tuple[str, ...]) -> Body:
        """These, of a packet that is processed in one function: nothing of it is kept."""
        own = [(name, Name(f"own_{name}")) for name in given]
        return (
            *(Declare(TYPES[name].removesuffix(" *"), place.name) for name, place in own),
            *(Declare(TYPES[name], name, address(place), constant=True) for name, place in own),
        )

    def of_record(self, given: tuple[str, ...], index: str) -> Body:
        """These, of packet number `index` of those whose records are filled."""
        record = Index(Name("packets"), Name(index))
        values: dict[str, Expression] = {
            "state": Cast("struct state *", record),
            "packet": record,
            "live": call("macs_live_of", record),
        }
        return tuple(Declare(TYPES[name], name, values[name], constant=True) for name in given)
