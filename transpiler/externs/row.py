"""What the file of an extern is made of: the kind of its instances, if it has any, and a row for each method.

A method is named "kind.operation". Both languages and all architectures map their externs onto methods. The verifier and
frontends ask for its types, the scheduler for its effect, the interpreter for what it means, code generation for its C.
Adding one: docs/extend/extern.md.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from transpiler.codegen.c.nodes import Body, Expression as C, Name, Statement
from transpiler.diagnostics import Span
from transpiler.externs.requests import Requests
from transpiler.hlir.expressions import Place
from transpiler.hlir.program import Architecture, ExternInstance
from transpiler.hlir.types import Bits, Bool

State = TypeVar("State")


class Effect(enum.Enum):
    """What a call does beyond its outputs, seen from another packet."""

    NONE = "none"  # a function of its inputs and of the packet
    COMMUTES = "commutes"  # adds to a state that the program cannot read: order does not matter
    STATE = "state"  # reads or writes a state that later packets read: packet order must be kept
    STREAM = "stream"  # appends to an output that someone reads in order: packet order must be kept
    PACKET = "packet"  # decides about this packet only (clone, resubmit, truncate, cipher)


class Sort(enum.Enum):
    """What an argument or result is whose type is the program's choice."""

    NUMBER = "a number"  # bit<> or int<>
    SCALAR = "a scalar"  # a number, a bool or an enum
    ELEMENT = "an element"  # a number as wide as those of the instance
    TEXT = "a text"
    LIST = "a list"


NUMBER, SCALAR, ELEMENT, TEXT, LIST = Sort.NUMBER, Sort.SCALAR, Sort.ELEMENT, Sort.TEXT, Sort.LIST
WORD, BLOCK, BOOL = Bits(32), Bits(128), Bool()
COMMUTES, STATE, STREAM, PACKET = Effect.COMMUTES, Effect.STATE, Effect.STREAM, Effect.PACKET
DEFAULT_ENTRY = -1  # in place of an entry's handle: the default action's direct counter or meter


class BadRow(Exception):
    """A row that the table does not take, or a file without rows; the text has its name and place."""


class Interpreted(Protocol):
    """A call that the interpreter carries out. Inputs go by their position.

    `instance`: its instance's name; `length`: the packet's in bytes, as received; `payload`: what the parser left; `entry`:
    of a direct instance, the one that was hit; `colour`: what its meter said of that, if it did; `requests`: what the
    architecture is asked to do; `fields`: those that a second pass of the packet keeps."""

    @property
    def instance(self) -> str: ...
    @property
    def span(self) -> Span: ...
    @property
    def fields(self) -> tuple[Place, ...]: ...
    @property
    def length(self) -> int: ...
    @property
    def now_us(self) -> int: ...
    @property
    def payload(self) -> bytes: ...
    @property
    def entry(self) -> int: ...
    @property
    def colour(self) -> int | None: ...
    @property
    def requests(self) -> Requests: ...

    def state(self, type_: type[State]) -> State:
        """The state of the call's instance, as its kind makes it."""
        ...

    def input(self, position: int) -> int:
        """The value of an input that is a scalar."""
        ...

    def text(self, position: int) -> str: ...

    def values(self, position: int, signed: bool = False) -> tuple[int, ...]:
        """Those of a list. `signed`: int<> as the numbers that they are, not their bits."""
        ...

    def packed(self, position: int) -> bytes:
        """A list's bits one after the other, filled up to whole bytes."""
        ...

    def output(self, value: int) -> None:
        """Leave the result, cut to the width of its place."""
        ...

    def random(self, low: int, high: int) -> int:
        """A random number between these, both included; low if they are the wrong way round."""
        ...

    def send_digest(self, values: tuple[int, ...]) -> None: ...

    def add_entry(self, action: str, data: tuple[int, ...], profile: int) -> bool:
        """Add an entry for the key that missed, in the default action of its table. False: it cannot be added."""
        ...

    def restart_timer(self, profile: int | None) -> None:
        """The entry whose action runs lives for its expire time from now on; `profile`: for that of another profile."""
        ...

    def log(self, text: str) -> None: ...

    def fail(self) -> None:
        """The program asserts what is not so."""
        ...


class Compiled(Protocol):
    """A call of which C is made. Inputs go by their position.

    `state`: its instance's in C; `cells`: the same and the shape of a register, the arguments by which a cell is found;
    `own_index`: the element of a direct instance that belongs to the entry that was hit; `colour`: the variable with what its
    meter said of that, None where another table's action runs;
    `preserved`: the number of the list of fields that a second pass keeps; `cite`: the place in the program, for people."""

    @property
    def state(self) -> C: ...
    @property
    def cells(self) -> tuple[C, ...]: ...
    @property
    def own_index(self) -> C: ...
    @property
    def colour(self) -> Name | None: ...
    @property
    def preserved(self) -> int: ...
    @property
    def cite(self) -> str: ...

    @property
    def locks(self) -> C:
        """Of a register: the locks of the group that it is held with."""
        ...

    def held(self, position: int) -> tuple[C, ...]:
        """A list's numbers, each as amount() has one, by which the locks are found; none where one lock is for all."""
        ...

    def input(self, position: int) -> C:
        """An input's value, of its C type."""
        ...

    def text(self, position: int) -> str: ...

    def amount(self, position: int) -> C:
        """A number as uint64_t, for an index or a length: the largest where it is larger."""
        ...

    def width(self, position: int) -> int:
        """An input's, in bits."""
        ...

    def words(self, position: int) -> tuple[C, ...]:
        """The lowest 64 bits of each value of a list."""
        ...

    def stored(self, position: int, place: C) -> Statement:
        """Store a number's bytes."""
        ...

    def padded(self, position: int, buffer: C) -> tuple[Body, int]:
        """Store a list's values in bytes, each filled up to whole bytes; the statements, and how many bytes that takes."""
        ...

    def packed_words(self, position: int, buffer: C) -> tuple[Body, int]:
        """Store a list's bits one after the other, by words of 64 bits; the statements, and how many words that takes."""
        ...

    def hash(self, algorithm: int, values: int, payload: tuple[C, C] | None = None, before: C | None = None) -> Body:
        """Assign the hash of a list; of the bytes of `payload` behind it, an address and a size, or of what comes behind
        that of which `before` is the hash. The first two are inputs' positions."""
        ...

    def custom_crc(self, values: int, payload: tuple[C, C] | None = None) -> Body:
        """The same, by the parameters that the instance has at the time."""
        ...

    def add_entry(self, action: int, data: int, profile: int) -> Body:
        """As Interpreted has it, of inputs by their positions: statements that assign the output, too."""
        ...

    def restart_timer(self, profile: C | None) -> Body:
        """As Interpreted has it."""
        ...

    @property
    def output_width(self) -> int: ...

    def number(self, value: C) -> C:
        """A C integer of 64 bits as a value of the output's type."""
        ...

    def trimmed(self, value: C) -> C:
        """A C integer of 64 bits cut to the output's width, which is no more."""
        ...

    def do(self, function: str, *arguments: C | str | int) -> Body:
        """A statement that calls a function."""
        ...

    def count(self, index: C, length: C) -> Body:
        """Count a packet of so many bytes in an element of a counter."""
        ...

    def assign_output(self, value: C) -> Body: ...

    def assign_effect(self, value: C) -> Body:
        """Assign the result of a C call that does more: it is made once, also where its result goes nowhere."""
        ...

    def assigns_itself(self, position: int) -> bool:
        """Whether an input is what the output's place holds."""
        ...


@dataclass(frozen=True, slots=True)
class Spelling:
    """An extern function of P4-16 that is a method: its parameters, by their names, are the method's inputs in their order,
    and what it returns is its output."""

    name: str
    parameters: tuple[str, ...]
    architectures: tuple[Architecture, ...] = tuple(Architecture)


def no_meaning(call: Interpreted) -> None:
    """What a row has that lacks reference semantics; no table takes it."""


def no_c(call: Compiled) -> Body:
    """What a row has that lacks its C; no table takes it."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """`run`: what it means, the reference semantics; `c`: the statements that do it; `instance_kind`: of the instance that
    it needs; `p4`: the P4-16 functions that only pass on their arguments; `keeps`: its call has fields that a second pass of
    the packet keeps; `cuts`, `ciphers`: it changes the frame's length, its payload as it
    is sent; `reads`: it leaves its state as it is; `of_output`: inputs that read the output's place see what the call puts
    there; `of_burst`: its results are the same for all packets of a burst; `timed`: the runtime looks at the time; `header`: a
    C header beside the row's file, for what is not in the backend."""

    name: str
    instance_kind: str | None = None
    inputs: tuple[Bits | Bool | Sort, ...] = ()
    outputs: tuple[Sort, ...] = ()
    effect: Effect
    doc: str
    run: Callable[[Interpreted], None] = no_meaning
    c: Callable[[Compiled], Body] = no_c
    p4: tuple[Spelling, ...] = ()
    keeps: bool = False
    cuts: bool = False
    ciphers: bool = False
    reads: bool = False
    of_output: bool = False
    of_burst: bool = False
    timed: bool = False
    header: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of extern instances. `attributes`: those that each must have; `c`: the runtime's name for it; `state`: makes
    what an instance keeps in the interpreter between packets; `direct`: an instance belongs to a table and has an element
    for each entry; `cell_bytes`: the memory of an element in C; `prefetch`: the C function that prefetches an element, by
    its index: the first input of each method, or of a direct instance the entry's; `deferred`: of large instances, counts may
    be put off, as the program cannot read them."""

    name: str
    attributes: tuple[str, ...]
    c: str = ""
    state: Callable[[ExternInstance], object] | None = None
    direct: bool = False
    cell_bytes: Callable[[ExternInstance], int] | None = None
    prefetch: Callable[[ExternInstance], str] | None = None
    deferred: bool = False


Row = Method | Kind
