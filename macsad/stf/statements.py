"""The statements of an STF file, names and numbers still as written."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Name:
    """A dotted name, index included (`extra[0].h`)."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Number:
    """A number; `wild` has a one for each bit that a `*` stands for, `digit_bits` is what the digits cover (0: decimal)."""

    value: int
    wild: int
    digit_bits: int
    span: Span


@dataclass(frozen=True, slots=True)
class KeyValue:
    """`name:first`, `name:first/second` (prefix), `name:first&&&second` (mask), `name:first..second` (range)."""

    name: Name
    operator: str  # "", "/", "&&&" or ".."
    first: Number
    second: Number | None


@dataclass(frozen=True, slots=True)
class Argument:
    name: Name
    value: Number


@dataclass(frozen=True, slots=True)
class ActionText:
    name: Name
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Add:
    """add TABLE [PRIORITY] KEY:VALUE… ACTION(ARGUMENT:VALUE…) [= HANDLE]; in place of the action $NAME, a member or a group."""

    table: Name
    priority: Number | None
    keys: tuple[KeyValue, ...]
    action: ActionText | Name
    handle: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class Member:
    """member PROFILE ACTION(ARGUMENT:VALUE…) = NAME"""

    profile: Name
    action: ActionText
    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Group:
    """group SELECTOR $MEMBER… = NAME"""

    profile: Name
    members: tuple[Name, ...]
    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class SetDefault:
    """setdefault TABLE ACTION(…)"""

    table: Name
    action: ActionText
    span: Span


@dataclass(frozen=True, slots=True)
class Remove:
    """remove all, or remove HANDLE: `handle` None means all entries of all tables."""

    handle: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class SendPacket:
    """packet PORT HEX"""

    port: int
    data: bytes
    span: Span


@dataclass(frozen=True, slots=True)
class Expect:
    """expect PORT [HEX] [$]: `digits` is upper-case hex with `*`; None: any packet. `exact`: nothing may follow."""

    port: int
    digits: str | None
    exact: bool
    span: Span


@dataclass(frozen=True, slots=True)
class NoPacket:
    """no_packet: the packet before it must not have led to any."""

    span: Span


@dataclass(frozen=True, slots=True)
class CheckCounter:
    """check_counter NAME(INDEX or HANDLE) [packets|bytes OPERATOR NUMBER]; without a condition: no packets."""

    counter: Name
    index: Number | Name
    unit: str
    operator: str
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class CheckRegister:
    """check_register NAME(INDEX) OPERATOR NUMBER"""

    register: Name
    index: Number
    operator: str
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class Wait:
    """wait: until the switch has dealt with what went in."""

    span: Span


@dataclass(frozen=True, slots=True)
class Rate:
    """RATE:BURST of a meter, in units per microsecond and units."""

    rate: float
    burst: int


@dataclass(frozen=True, slots=True)
class Command:
    """A control-plane command: its word, the name that it is about (or None), numbers and meter rates."""

    word: str
    name: Name | None
    numbers: tuple[Number, ...]
    rates: tuple[Rate, ...]
    span: Span


Statement = (
    Add
    | Member
    | Group
    | SetDefault
    | Remove
    | SendPacket
    | Expect
    | NoPacket
    | CheckCounter
    | CheckRegister
    | Wait
    | Command
)
