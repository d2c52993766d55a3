"""The C of each extern method: which function of the runtime it calls, with which of its inputs in which order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import pytest

from transpiler.codegen.c.build import call as c_call
from transpiler.codegen.c.nodes import Assign, Body, Do, Expression as C, Name, Statement
from transpiler.codegen.c.printer import Printer
from transpiler.externs.row import Compiled
from transpiler.externs.table import METHODS


@dataclass
class Call:
    """A call as code generation makes it: in0, in1 … are its inputs, n0, n1 … the same as numbers, out is its output.

    `bits`: the width of each input and of the output; `lists`: how many values a list has.
    """

    bits: int = 32
    lists: int = 2
    itself: bool = False
    colour: Name | None = None
    operation: str = "add"

    state, own_index, locks = Name("state"), Name("own"), Name("locks")
    cells = (Name("state"), Name("shape"))
    preserved, cite = 3, "p.p4:7"

    @property
    def output_width(self) -> int:
        return self.bits

    def width(self, position: int) -> int:
        return self.bits

    def input(self, position: int) -> C:
        return Name(f"in{position}")

    def amount(self, position: int) -> C:
        return Name(f"n{position}")

    def text(self, position: int) -> str:
        return self.operation

    def words(self, position: int) -> tuple[C, ...]:
        return tuple(Name(f"in{position}_{number}") for number in range(self.lists))

    def held(self, position: int) -> tuple[C, ...]:
        return self.words(position)

    def stored(self, position: int, place: C) -> Statement:
        return Do(c_call("store", self.input(position), place))

    def padded(self, position: int, buffer: C) -> tuple[Body, int]:
        return (Do(c_call("pad", self.input(position), buffer)),), self.lists

    def packed_words(self, position: int, buffer: C) -> tuple[Body, int]:
        return (Do(c_call("pack", self.input(position), buffer)),), self.lists

    def hash(self, algorithm: int, values: int, payload: tuple[C, C] | None = None, before: C | None = None) -> Body:
        given = (self.input(algorithm), self.input(values), *(payload or ()), *((before,) if before else ()))
        return self.assign_output(c_call("hash", *given))

    def custom_crc(self, values: int, payload: tuple[C, C] | None = None) -> Body:
        return self.assign_output(c_call("crc", self.input(values), *(payload or ())))

    def add_entry(self, action: int, data: int, profile: int) -> Body:
        return self.assign_output(c_call("add", *(self.input(position) for position in (action, data, profile))))

    def restart_timer(self, profile: C | None) -> Body:
        return self.do("restart", *((profile,) if profile else ()))

    def number(self, value: C) -> C:
        return c_call("number", value)

    def trimmed(self, value: C) -> C:
        return c_call("trimmed", value)

    def do(self, function: str, *arguments: C | str | int) -> Body:
        return (Do(c_call(function, *arguments)),)

    def count(self, index: C, length: C) -> Body:
        return self.do("count", index, length)

    def assign_output(self, value: C) -> Body:
        return (Assign(Name("out"), value),)

    def assign_effect(self, value: C) -> Body:
        return self.assign_output(value)

    def assigns_itself(self, position: int) -> bool:
        return self.itself


def c(method: str, **said: Any) -> list[str]:
    return [line.strip() for line in Printer().body(METHODS[method].c(cast(Compiled, Call(**said)))).splitlines()]


CASES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("assert.check", {}, ["if (!in0) { /* p.p4:7 */", 'macs_assert_failed(worker, "p.p4:7");', "}"]),
    (
        "cipher.decrypt",
        {},
        [
            "macs_request_cipher(packet, MACS_DECRYPT);",
            "store(in0, macs_cipher_request_of(packet)->key);",
            "store(in1, macs_cipher_request_of(packet)->iv);",
        ],
    ),
    (
        "cipher.encrypt",
        {},
        [
            "macs_request_cipher(packet, MACS_ENCRYPT);",
            "store(in0, macs_cipher_request_of(packet)->key);",
            "store(in1, macs_cipher_request_of(packet)->iv);",
        ],
    ),
    ("clone.egress", {}, ["macs_request_clone_egress(packet, n0, 3);"]),
    ("clone.ingress", {}, ["macs_request_clone_ingress(packet, n0, 3);"]),
    ("counter.count", {}, ["count(n0, packet->length);"]),
    ("counter.count_length", {}, ["count(n0, n1);"]),
    ("custom_crc.compute", {}, ["out = crc(in0);"]),
    (
        "custom_crc.compute_with_payload",
        {},
        ["out = crc(in0, packet->data + packet->payload_offset, packet->length - packet->payload_offset);"],
    ),
    ("decisions.forget", {}, ["macs_decisions_forget(worker, index); /* p.p4:7 */"]),
    ("decisions.goes", {}, ["macs_ready_goes(worker, index, in0); /* p.p4:7 */"]),
    ("decisions.on", {}, ["out = macs_decisions_on(worker);"]),
    (
        "decisions.place",
        {},
        [
            "{ /* p.p4:7 */",
            "uint8_t *const words = macs_decisions_key(worker, index);",
            "pack(in0, words);",
            "out = macs_decisions_place(worker, index, 2);",
            "}",
        ],
    ),
    ("decisions.recall", {}, ["out = macs_decisions_recall(worker, index, in0, in1, packet->length);"]),
    (
        "decisions.remember",
        {},
        [
            "{ /* p.p4:7 */",
            "uint64_t *const words = macs_decisions_remember(worker, index, in0);",
            "if (words) {",
            "macs_decisions_keep(words, 0, in1_0);",
            "macs_decisions_keep(words, 1, in1_1);",
            "}",
            "}",
        ],
    ),
    (
        "decisions.sends",
        {},
        [
            "if (odp_unlikely(macs_ready_is_made(worker, index))) { /* p.p4:7 */",
            "macs_ready_sends(worker, index, ((uint64_t)in0_0 << 0) | ((uint64_t)in0_1 << 1), "
            "((uint64_t)in1_0 << 0) | ((uint64_t)in1_1 << 1));",
            "}",
        ],
    ),
    ("decisions.unready", {}, ["macs_ready_unready(worker, index); /* p.p4:7 */"]),
    ("decisions.value", {}, ["out = macs_decisions_value(worker, index, in0);"]),
    (
        "digest.send",
        {},
        ["{ /* p.p4:7 */", "uint8_t list[2];", "pad(in0, list);", "macs_digest_send(state, list, 2);", "}"],
    ),
    ("direct_counter.count", {}, ["count(own, packet->length);"]),
    ("direct_counter.count_length", {}, ["count(own, n0);"]),
    ("direct_meter.execute", {}, ["out = number(macs_meter_execute(state, worker, own, packet->length));"]),
    ("direct_meter.execute_aware", {}, ["out = number(macs_meter_execute_aware(state, worker, own, n0, n1));"]),
    ("direct_meter.read", {}, ["out = in0;"]),
    ("entry.add", {}, ["out = add(in0, in1, in2);"]),
    ("entry.restart_timer", {}, ["restart();"]),
    ("entry.set_expire_time", {}, ["restart(n0);"]),
    ("hash.compute", {}, ["out = hash(in0, in1);"]),
    (
        "hash.compute_with_payload",
        {},
        ["out = hash(in0, in1, packet->data + packet->payload_offset, packet->length - packet->payload_offset);"],
    ),
    ("hash.extend", {}, ["out = hash(in0, in2, n1);"]),
    ("log.message", {}, ["macs_log_message(worker, in0, (const uint64_t[]){in1_0, in1_1}, 2);"]),
    ("meter.execute", {}, ["out = number(macs_meter_execute(state, worker, n0, packet->length));"]),
    ("meter.execute_aware", {}, ["out = number(macs_meter_execute_aware(state, worker, n0, n1, n2));"]),
    ("random.range", {}, ["out = trimmed(macs_random_range(worker, in0, in1));"]),
    ("recirculate.request", {}, ["macs_request_recirculate(packet, 3);"]),
    ("region.hold", {}, ["macs_hold_several(worker, locks, (const uint64_t[]){in0_0, in0_1}, 2);"]),
    ("register.read", {}, ["out = macs_register_read32(state, shape, n0);"]),
    (
        "register.replace",
        {},
        [
            "{ /* p.p4:7 */",
            "bool done = false;",
            "while (!done) { /* p.p4:7 */",
            "const uint32_t held = macs_register_read32(state, shape, n0);",
            "out = held;",
            "done = macs_register_replace32(state, shape, n0, held, in1);",
            "}",
            "}",
        ],
    ),
    ("register.update", {}, ["out = macs_register_add32(state, shape, n0, in1);"]),
    ("register.write", {}, ["macs_register_write32(state, shape, n0, in1);"]),
    ("resubmit.request", {}, ["macs_request_resubmit(packet, 3);"]),
    ("truncate.request", {}, ["macs_request_truncate(packet, n0);"]),
    ("register.read", {"bits": 12}, ["out = trimmed(macs_register_read16(state, shape, n0));"]),
    (
        "register.read",
        {"bits": 100},
        [
            "{ /* p.p4:7 */",
            "uint64_t value[2] = {0};",
            "macs_register_read_words(state, shape, n0, value, 2);",
            "out = macs_w2_resize(value, 2, 100);",
            "}",
        ],
    ),
    ("register.write", {"bits": 12}, ["macs_register_write16(state, shape, n0, in1);"]),
    ("register.write", {"bits": 64}, ["macs_register_write64(state, shape, n0, in1);"]),
    ("register.write", {"bits": 65}, ["macs_register_write_words(state, shape, n0, in1.limb, 2);"]),
    ("register.update", {"bits": 12}, ["out = trimmed(macs_register_add16(state, shape, n0, in1));"]),
    ("register.update", {"bits": 8, "operation": "xor"}, ["out = macs_register_xor8(state, shape, n0, in1);"]),
    (
        "register.replace",
        {"bits": 12},
        [
            "{ /* p.p4:7 */",
            "bool done = false;",
            "while (!done) { /* p.p4:7 */",
            "const uint16_t held = macs_register_read16(state, shape, n0);",
            "out = held;",
            "done = macs_register_replace16(state, shape, n0, held, in1);",
            "}",
            "}",
        ],
    ),
    ("log.message", {"lists": 0}, ["macs_log_message(worker, in0, NULL, 0);"]),
    ("region.hold", {"lists": 0}, ["macs_hold(worker, locks, 0);"]),
    ("region.hold", {"lists": 1}, ["macs_hold(worker, locks, in0_0);"]),
    (
        "digest.send",
        {"lists": 0},
        ["{ /* p.p4:7 */", "uint8_t list[1];", "pad(in0, list);", "macs_digest_send(state, list, 0);", "}"],
    ),
    ("direct_meter.read", {"itself": True}, []),
    ("direct_meter.read", {"colour": Name("colour")}, ["out = colour == MACS_NO_COLOUR ? in0 : number(colour);"]),
    (
        "decisions.sends",
        {"lists": 1},
        [
            "if (odp_unlikely(macs_ready_is_made(worker, index))) { /* p.p4:7 */",
            "macs_ready_sends(worker, index, (uint64_t)in0_0 << 0, (uint64_t)in1_0 << 0);",
            "}",
        ],
    ),
    (
        "decisions.sends",
        {"lists": 3},
        [
            "if (odp_unlikely(macs_ready_is_made(worker, index))) { /* p.p4:7 */",
            "macs_ready_sends(worker, index, ((uint64_t)in0_0 << 0) | ((uint64_t)in0_1 << 1) | ((uint64_t)in0_2 << 2), "
            "((uint64_t)in1_0 << 0) | ((uint64_t)in1_1 << 1) | ((uint64_t)in1_2 << 2));",
            "}",
        ],
    ),
]


@pytest.mark.parametrize(("method", "said", "lines"), CASES)
def test_c_of_a_method(method: str, said: dict[str, Any], lines: list[str]) -> None:
    assert c(method, **said) == lines


def test_every_method_is_here() -> None:
    assert {method for method, _, _ in CASES} >= {name for name, one in METHODS.items() if not one.header}
