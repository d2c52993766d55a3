"""register: an array of numbers that the program reads and writes. Beyond its end it reads as 0 and swallows writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from transpiler.codegen.c.build import call as c_call, packed
from transpiler.codegen.c.integers import WORD, limbs, natural
from transpiler.codegen.c.nodes import Assign, Block, Body, Declare, Do, Literal, Member, Name, Unary, While
from transpiler.externs.row import ELEMENT, NUMBER, STATE, TEXT, Compiled, Interpreted, Kind, Method
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.program import ExternInstance


@dataclass(slots=True)
class Register:
    """An array of `size` elements of `width` bits; `elements` are those that were written, the others are `initial`."""

    width: int
    size: int
    initial: int = 0
    elements: dict[int, int] = field(default_factory=dict)

    def read(self, index: int) -> int:
        return self.elements.get(index, self.initial) if index < self.size else 0

    def write(self, index: int, value: int) -> None:
        if index < self.size:
            self.elements[index] = value & ones(self.width)

    def reset(self) -> None:
        """Zero, whatever it began with."""
        self.initial = 0
        self.elements.clear()


def _state(instance: ExternInstance) -> Register:
    initial = int(dict(instance.attributes).get("initial", 0))
    return Register(int(instance.attribute("width")), int(instance.attribute("size")), initial)


def _read(call: Compiled) -> Body:
    """A cell of at most 64 bits is a C integer; a wider one is read into words."""
    width = call.output_width
    if width <= WORD:
        read = c_call(f"macs_register_read{natural(width)}", *call.cells, call.amount(0))
        return call.assign_effect(read if width == natural(width) else call.trimmed(read))
    cell = Name("value")
    declare = Declare("uint64_t", "value", packed([Literal("0")]), size=limbs(width))
    read_words = Do(c_call("macs_register_read_words", *call.cells, call.amount(0), cell, limbs(width)))
    value = c_call(f"macs_w{limbs(width)}_resize", cell, limbs(width), width)
    return (Block((declare, read_words, *call.assign_output(value)), cite=call.cite),)


def _write(call: Compiled) -> Body:
    width, value = call.width(1), call.input(1)
    if width > WORD:
        return call.do("macs_register_write_words", *call.cells, call.amount(0), Member(value, "limb"), limbs(width))
    return call.do(f"macs_register_write{natural(width)}", *call.cells, call.amount(0), value)


# what a cell of an update holds then, by the operation
UPDATES: dict[str, Callable[[int, int], int]] = {
    "add": lambda held, operand: held + operand,
    "and": lambda held, operand: held & operand,
    "or": lambda held, operand: held | operand,
    "xor": lambda held, operand: held ^ operand,
    "swap": lambda held, operand: operand,
}


def _run_update(call: Interpreted) -> None:
    register, index, operand = call.state(Register), call.input(0), call.input(1)
    held = register.read(index)
    register.write(index, UPDATES[call.text(2)](held, operand))
    call.output(held)


def _update(call: Compiled) -> Body:
    width = call.width(1)
    held = c_call(f"macs_register_{call.text(2)}{natural(width)}", *call.cells, call.amount(0), call.input(1))
    return call.assign_effect(held if width == natural(width) else call.trimmed(held))


def _run_replace(call: Interpreted) -> None:
    register, index = call.state(Register), call.input(0)
    call.output(register.read(index))
    register.write(index, call.input(1))


def _replace(call: Compiled) -> Body:
    """Read, compute, compare and swap, until nobody came in between."""
    bits, held, done = natural(call.width(1)), Name("held"), Name("done")
    replaced = c_call(f"macs_register_replace{bits}", *call.cells, call.amount(0), held, call.input(1))
    attempt = (
        Declare(
            f"uint{bits}_t", held.name, c_call(f"macs_register_read{bits}", *call.cells, call.amount(0)), constant=True
        ),
        *call.assign_output(held),
        Assign(done, replaced),
    )
    body = (Declare("bool", done.name, Literal("false")), While(Unary("!", done), attempt, call.cite))
    return (Block(body, cite=call.cite),)


def cell_bytes(width: int) -> int:
    """The memory of a cell of so many bits: a C integer, above 64 bits words of 64."""
    return natural(width) // 8 if width <= WORD else WORD // 8 * limbs(width)


def _prefetch(instance: ExternInstance) -> str:
    width = int(instance.attribute("width"))
    return f"macs_register_prefetch{natural(width) if width <= WORD else ''}"


ROWS = (
    # width: of an element, in bits; "initial", where there, is what they begin with
    Kind(
        name="register",
        attributes=("size", "width"),
        c="MACS_REGISTER",
        state=_state,
        cell_bytes=lambda instance: cell_bytes(int(instance.attribute("width"))),
        prefetch=_prefetch,
    ),
    Method(
        name="register.read",
        instance_kind="register",
        inputs=(NUMBER,),
        outputs=(ELEMENT,),
        effect=STATE,
        doc="(index) -> value; out of range: 0",
        run=lambda call: call.output(call.state(Register).read(call.input(0))),
        c=_read,
        reads=True,
    ),
    Method(
        name="register.write",
        instance_kind="register",
        inputs=(NUMBER, ELEMENT),
        effect=STATE,
        doc="(index, value); out of range: nothing",
        run=lambda call: call.state(Register).write(call.input(0), call.input(1)),
        c=_write,
    ),
    # what follows no program calls: the scheduler makes it of regions that are one update (schedule/cell_updates.py)
    Method(
        name="register.update",
        instance_kind="register",
        inputs=(NUMBER, ELEMENT, TEXT),
        outputs=(ELEMENT,),
        effect=STATE,
        doc="(index, operand, operation) -> what the cell held, as one atomic instruction: add, and, or, xor, swap",
        run=_run_update,
        c=_update,
    ),
    Method(
        name="register.replace",
        instance_kind="register",
        inputs=(NUMBER, ELEMENT),
        outputs=(ELEMENT,),
        effect=STATE,
        doc="(index, value) -> what the cell held; the value may be made of it, and is computed anew where another comes between",
        run=_run_replace,
        c=_replace,
        of_output=True,
    ),
)
