"""Registers whose elements are of other types than numbers: P4Data of structs, tuples, headers, stacks, bools, enums, new types.
P4Runtime spec 1.4.1 sections 8.5.3 and 9.7."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
import switches
from controller import MODIFY, Controller, Stream, entity, update
from google.protobuf import text_format
from switch_harness import Switch

from macsad.p4runtime import server
from macsad.p4runtime.codes import Code
from macsad.p4runtime.messages import message, messages
from macsad.p4runtime.program import join
from macsad.p4runtime.service import Service
from transpiler.diagnostics import Diagnostics
from transpiler.p4info.build import build

PROGRAM = Path(__file__).parent / "registers.p4"


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A controller of a switch of registers.p4, and that switch."""
    switch = Switch(
        switches.build(PROGRAM, ("address", "undefined")), tmp_path_factory.mktemp("switch"), ["--port=0=ctl:"]
    )
    info = (
        messages()
        .of("p4.config.v1.P4Info")
        .FromString(build(switches.load(PROGRAM), Diagnostics()).SerializeToString())
    )
    service = Service(switch.socket, join(info, switch.client.describe(), {}))
    address = f"unix:{tmp_path_factory.mktemp('server')}/p4rt"
    serving, _ = server.start(service, address, None)
    channel = grpc.insecure_channel(address)
    stream = Stream(channel)
    assert stream.arbitrate(1).status.code == 0
    yield SimpleNamespace(controller=Controller(channel, info), switch=switch)
    stream.close()
    channel.close()
    serving.stop(0)
    service.close()
    switch.stop()


def written(controller: Controller, register: str, text: str) -> Code:
    entry = message("RegisterEntry")(register_id=controller.id("registers", register))
    entry.index.index = 1
    text_format.Parse(text, entry.data)
    return controller.write(update(MODIFY, register_entry=entry))[0]


def found(controller: Controller, register: str) -> list[Any]:
    asked = message("RegisterEntry")(register_id=controller.id("registers", register))
    return [told.register_entry.data for told in controller.read(entity(register_entry=asked))]


# register, P4Data, the element as a number: the bits of the fields, one after the other
VALUES = {
    "pairs": (
        r'struct { members { bitstring: "\x05" } members { bool: true } '
        r'members { struct { members { bitstring: "\x01\x02" } members { enum_value: "\x02" } } } }',
        5 << 1 + 16 + 4 | 1 << 16 + 4 | 0x102 << 4 | 2,
    ),
    "tuples": (
        r'tuple { members { bitstring: "\x03" } members { bitstring: "\x12\x34" } }',
        3 << 16 | 0x1234,
    ),
    "headers": (
        r'header { is_valid: true bitstrings: "\x07" bitstrings: "\x00" bitstrings: "\x1f\xff" }',
        7 << 16 | 0 << 13 | 0x1FFF,
    ),
    "stacks": (
        r'header_stack { entries { is_valid: true bitstrings: "\x07" bitstrings: "\x01" bitstrings: "\x01" } '
        r'entries { is_valid: true bitstrings: "\x08" bitstrings: "\x02" bitstrings: "\x02" } }',
        (7 << 16 | 1 << 13 | 1) << 24 | 8 << 16 | 2 << 13 | 2,
    ),
    "bools": ("bool: true", 1),
    "enums": (r'enum_value: "\x02"', 2),
    "names": (r'bitstring: "gold"', 7),
}


@pytest.mark.parametrize("register", VALUES)
def test_elements_are_written_and_read(there: Any, register: str) -> None:
    text, number = VALUES[register]
    assert written(there.controller, register, text) is Code.OK
    zero, one = found(there.controller, register)
    assert one == text_format.Parse(text, message("P4Data")())
    assert zero.WhichOneof("data") == one.WhichOneof("data")
    assert int(there.switch.do(f"register_read In.{register} 1").split("=")[-1], 0) == number


def test_packets_meet_what_controllers_write(there: Any) -> None:
    assert written(there.controller, "pairs", VALUES["pairs"][0]) is Code.OK
    assert there.switch.client.inject(0, [bytes(8)]) == 1
    (sent,) = there.switch.client.collect()
    assert sent[1] == bytes([0, 5, 1, 1, 2, 2, 0, 0])
    # the program has incremented the number of the inner struct
    assert found(there.controller, "pairs")[1].struct.members[2].struct.members[0].bitstring == b"\x01\x03"


@pytest.mark.parametrize(
    ("register", "text", "code"),
    [
        ("pairs", r'bitstring: "\x01"', Code.INVALID_ARGUMENT),
        ("pairs", r'struct { members { bitstring: "\x05" } members { bool: true } }', Code.INVALID_ARGUMENT),
        ("tuples", r'tuple { members { bitstring: "\x03" } members { bool: true } }', Code.INVALID_ARGUMENT),
        ("tuples", r'tuple { members { bitstring: "\x03" } members { bitstring: "\x01\x00\x00" } }', Code.OUT_OF_RANGE),
        ("headers", r'header { is_valid: true bitstrings: "\x07" }', Code.INVALID_ARGUMENT),
        ("headers", "header { is_valid: false }", Code.UNIMPLEMENTED),
        ("stacks", "header_stack { }", Code.INVALID_ARGUMENT),
        ("bools", r'bitstring: "\x01"', Code.INVALID_ARGUMENT),
        ("enums", r'bitstring: "\x01"', Code.INVALID_ARGUMENT),
        ("enums", r'enum_value: "\x10"', Code.OUT_OF_RANGE),
    ],
)
def test_what_is_not_of_the_type(there: Any, register: str, text: str, code: Code) -> None:
    before = found(there.controller, register)
    assert written(there.controller, register, text) is code
    assert found(there.controller, register) == before


def test_a_program_that_is_set_again_begins_with_its_values(there: Any) -> None:
    read = "register_read In.begun 2"
    assert there.switch.do(read) == "In.begun[2]= 78187493520\n"
    there.switch.do("register_write In.begun 2 7", "register_write In.bools 1 1")
    there.switch.do("register_reset In.begun")
    assert there.switch.do(read, "register_read In.bools 1") == "In.begun[2]= 0\nIn.bools[1]= 1\n"
    request = message("SetForwardingPipelineConfigRequest")(action=3)  # VERIFY_AND_COMMIT
    request.config.p4info.CopyFrom(there.controller.info)
    there.controller.call("SetForwardingPipelineConfig", there.controller.signed(request))
    assert there.switch.do(read, "register_read In.bools 1") == "In.begun[2]= 78187493520\nIn.bools[1]= 0\n"
