"""Extern calls → C. One small function a method of hlir.externs, found by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from transpiler.codegen.c.build import NULL, call, cast, choose, infix, negated, packed, packet
from transpiler.codegen.c.nodes import (
    Assign,
    Block,
    Body,
    Compound,
    Declare,
    Do,
    Expression as C,
    If,
    Literal,
    Member,
    Name,
    Statement,
    String,
)
from transpiler.codegen.ctypes import c_type, limbs, natural
from transpiler.codegen.expressions import Expressions, low_limb, trimmed
from transpiler.codegen.externs import NO_PAYLOAD, Externs
from transpiler.codegen.packing import flattened, pack_padded
from transpiler.hlir.expressions import ElementRef, FieldRef, Place, Read, Text
from transpiler.hlir.program import ExternInstance
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.types import Type, width_of
from transpiler.schedule.v1model import preserved_fields, preserved_lists

Assigner = Callable[[Place, C], Body]  # writes a C value to a place


def lowered(
    externs: Externs, render: Expressions, statement: CallExtern, assign: Assigner, table: str, cite: str
) -> Body:
    """The statements of a call. `table`: whose action runs, for its `entry`, or empty."""
    return CALLS[statement.method](Call(externs, render, statement, assign, table, cite))


def prefetch_of(extern: ExternInstance) -> str:
    """The function that prefetches a cell of a register or meter, for an access to it."""
    if extern.kind != "register":
        return f"macs_{extern.kind}_prefetch"
    width = int(extern.attribute("width"))
    return f"macs_register_prefetch{natural(width) if width <= 64 else ''}"


class Call:
    """What a method's function needs."""

    def __init__(
        self, externs: Externs, render: Expressions, statement: CallExtern, assign: Assigner, table: str, cite: str
    ) -> None:
        self.externs, self.render, self.statement = externs, render, statement
        self.assign, self.table, self.cite = assign, table, cite

    @property
    def state(self) -> C:
        assert self.statement.instance is not None
        return self.externs.state(self.statement.instance)

    @property
    def counting(self) -> str:
        assert self.statement.instance is not None
        return self.externs.counting(self.statement.instance)

    @property
    def own_index(self) -> C:
        assert self.statement.instance is not None
        return self.externs.own_index(self.statement.instance, self.table)

    def input(self, number: int) -> C:
        return self.render(self.statement.inputs[number])

    def amount(self, number: int) -> C:
        return self.render.amount(self.statement.inputs[number])

    def output_type(self) -> Type:
        place = self.statement.outputs[0]
        if isinstance(place, FieldRef):
            owner = self.render.storage.access(place.header).owner
            return self.externs.program.header_type_of[owner].field(place.field).type
        return self.externs.program.variable[place.name].type

    def preserved(self) -> int:
        """The number of the call's list of preserved fields."""
        return preserved_lists(self.externs.program).index(preserved_fields(self.statement))

    def number(self, value: C) -> C:
        """A C integer of 64 bits as a value of the output's type."""
        width = width_of(self.output_type())
        return call(f"macs_w{limbs(width)}_of", value) if width > 64 else trimmed(value, width)

    def do(self, function: str, *arguments: C | str | int) -> Body:
        """A statement that calls a function of the backend."""
        return (Do(call(function, *arguments), self.cite),)

    def assign_output(self, value: C) -> Body:
        return self.assign(self.statement.outputs[0], value)

    def assign_effect(self, value: C) -> Body:
        """Assign the result of a C call that does more: it is made once, also where its result goes nowhere."""
        place = self.statement.outputs[0]
        if isinstance(place, FieldRef) and isinstance(place.header, ElementRef):  # written only where it is in range
            result = Name("result")
            made = Declare(c_type(self.output_type()), "result", value, constant=True)
            return (Block((made, *self.assign_output(result)), cite=self.cite),)
        first, *more = self.assign_output(value)
        return (replace(first, cite=self.cite), *more) if isinstance(first, Assign) else (first, *more)


def _count(of: Call) -> Body:
    return of.do(of.counting, of.state, "worker", of.amount(0), packet("length"))


def _count_length(of: Call) -> Body:
    return of.do(of.counting, of.state, "worker", of.amount(0), of.amount(1))


def _count_direct(of: Call) -> Body:
    return of.do(of.counting, of.state, "worker", of.own_index, packet("length"))


def _count_direct_length(of: Call) -> Body:
    return of.do(of.counting, of.state, "worker", of.own_index, of.amount(0))


def _execute_meter(of: Call) -> Body:
    colour = call("macs_meter_execute", of.state, "worker", of.amount(0), packet("length"))
    return of.assign_effect(of.number(colour))


def _execute_aware(of: Call) -> Body:
    inputs = [of.amount(i) for i in range(3)]
    return of.assign_effect(of.number(call("macs_meter_execute_aware", of.state, "worker", *inputs)))


def _execute_direct_aware(of: Call) -> Body:
    inputs = (of.own_index, of.amount(0), of.amount(1))
    return of.assign_effect(of.number(call("macs_meter_execute_aware", of.state, "worker", *inputs)))


def _read_direct_meter(of: Call) -> Body:
    instance = of.statement.instance
    assert instance is not None
    before, place = of.statement.inputs[0], of.statement.outputs[0]
    if of.externs.owner(instance) != of.table:  # an action that several tables share: it has not run for the meter's
        return () if isinstance(before, Read) and before.place == place else of.assign_output(of.input(0))
    colour = of.externs.colour(instance)
    missed = infix(colour, "==", "MACS_NO_COLOUR")
    return of.assign_output(choose(missed, of.input(0), of.number(colour)))


def _execute_direct_meter(of: Call) -> Body:
    colour = call("macs_meter_execute", of.state, "worker", of.own_index, packet("length"))
    return of.assign_effect(of.number(colour))


def _read_register(of: Call) -> Body:
    """A cell of at most 64 bits is a C integer; a wider one is read into words."""
    width = width_of(of.output_type())
    if width <= 64:
        read = call(f"macs_register_read{natural(width)}", of.state, of.amount(0))
        return of.assign_effect(read if width == natural(width) else trimmed(read, width))
    cell = Name("value")
    declare = Declare("uint64_t", "value", packed([Literal("0")]), size=limbs(width))
    read_words = Do(call("macs_register_read", of.state, of.amount(0), cell))
    value = call(f"macs_w{limbs(width)}_resize", cell, limbs(width), width)
    return (Block((declare, read_words, *of.assign_output(value)), cite=of.cite),)


def _write_register(of: Call) -> Body:
    width, value = width_of(of.statement.inputs[1].type), of.input(1)
    if width > 64:
        return of.do("macs_register_write", of.state, of.amount(0), Member(value, "limb"))
    return of.do(f"macs_register_write{natural(width)}", of.state, of.amount(0), value)


def _hash(of: Call, payload: tuple[C, C] = NO_PAYLOAD) -> Body:
    algorithm = of.statement.inputs[0]
    assert isinstance(algorithm, Text)
    values = flattened(of.statement.inputs[1])
    return _assign_hash(of, *of.externs.hash(of.render, algorithm.value, values, payload))


def _extend_hash(of: Call) -> Body:
    algorithm = of.statement.inputs[0]
    assert isinstance(algorithm, Text)
    values = flattened(of.statement.inputs[2])
    return _assign_hash(of, *of.externs.hash(of.render, algorithm.value, values, before=of.amount(1)))


def _assign_hash(of: Call, made: Body, result: C) -> Body:
    width = width_of(of.output_type())
    if width > 64:
        value: C = call(f"macs_w{limbs(width)}_of", result)
    else:
        value = trimmed(result, width) if width < 64 else cast(f"uint{natural(width)}_t", result)
    return (Block((*made, *of.assign_output(value)), cite=of.cite),)


def _hash_with_payload(of: Call) -> Body:
    offset = packet("payload_offset")
    return _hash(of, (infix(packet("data"), "+", offset), infix(packet("length"), "-", offset)))


def _random(of: Call) -> Body:
    value = call("macs_random_range", "worker", of.input(0), of.input(1))
    return of.assign_effect(trimmed(value, width_of(of.output_type())))


def _digest(of: Call) -> Body:
    stores, size = pack_padded(of.render, Name("list"), flattened(of.statement.inputs[0]))
    declare = Declare("uint8_t", "list", size=max(size, 1))
    return (Block((declare, *stores, Do(call("macs_digest_send", of.state, "list", size))), cite=of.cite),)


def _log(of: Call) -> Body:
    values = flattened(of.statement.inputs[1])
    words = [low_limb(of.render(v)) if width_of(v.type) > 64 else of.render(v) for v in values]
    array = Compound("const uint64_t[]", tuple(words)) if words else NULL
    return of.do("macs_log_message", "worker", of.input(0), array, len(words))


def _assert(of: Call) -> Body:
    failed = Do(call("macs_assert_failed", "worker", String(of.cite)))
    return (If(negated(of.input(0)), (failed,), cite=of.cite),)


def _request_clone(of: Call) -> Body:
    kind = of.statement.method.partition(".")[2]
    return of.do(f"macs_request_clone_{kind}", "packet", of.amount(0), of.preserved())


def _request_again(of: Call) -> Body:
    kind = of.statement.method.partition(".")[0]
    return of.do(f"macs_request_{kind}", "packet", of.preserved())


def _request_truncate(of: Call) -> Body:
    return of.do("macs_request_truncate", "packet", of.amount(0))


def _request_cipher(of: Call) -> Body:
    kind = of.statement.method.partition(".")[2].upper()
    request = call("macs_cipher_request_of", "packet")
    stores: list[Statement] = []
    for number, part in enumerate(("key", "iv")):
        type_ = of.statement.inputs[number].type
        place = Member(request, part, arrow=True)
        stores.append(Do(call(f"{c_type(type_)}_store", place, 0, width_of(type_), of.input(number))))
    return (*of.do("macs_request_cipher", "packet", f"MACS_{kind}"), *stores)


CALLS: dict[str, Callable[[Call], Body]] = {
    "counter.count": _count,
    "counter.count_length": _count_length,
    "direct_counter.count_length": _count_direct_length,
    "meter.execute_aware": _execute_aware,
    "direct_meter.execute": _execute_direct_meter,
    "direct_meter.execute_aware": _execute_direct_aware,
    "hash.extend": _extend_hash,
    "direct_counter.count": _count_direct,
    "meter.execute": _execute_meter,
    "direct_meter.read": _read_direct_meter,
    "register.read": _read_register,
    "register.write": _write_register,
    "hash.compute": _hash,
    "hash.compute_with_payload": _hash_with_payload,
    "random.range": _random,
    "digest.send": _digest,
    "log.message": _log,
    "assert.check": _assert,
    "clone.ingress": _request_clone,
    "clone.egress": _request_clone,
    "resubmit.request": _request_again,
    "recirculate.request": _request_again,
    "truncate.request": _request_truncate,
    "cipher.encrypt": _request_cipher,
    "cipher.decrypt": _request_cipher,
}
