"""The messages are those of the protocol: the same names and numbers as in PyPI's p4runtime, whose code is not run."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2

from macsad.p4runtime.codes import Code, refusal
from macsad.p4runtime.messages import messages
from macsad.protocol import Outcome

PUBLISHED = ("p4.config.v1.p4types_pb2", "p4.config.v1.p4info_pb2", "p4.v1.p4data_pb2", "p4.v1.p4runtime_pb2")


def published(module: str) -> descriptor_pb2.FileDescriptorProto:
    """The description in a module that protoc has made, from its text."""
    found = importlib.util.find_spec(module)
    assert found is not None and found.origin is not None
    for node in ast.walk(ast.parse(Path(found.origin).read_bytes())):
        if isinstance(node, ast.Call):
            for value in (*(k.value for k in node.keywords if k.arg == "serialized_pb"), *node.args[:1]):
                if isinstance(value, ast.Constant) and isinstance(value.value, bytes):
                    return descriptor_pb2.FileDescriptorProto.FromString(value.value)
    raise AssertionError(f"{module} describes nothing")


def facts(file: descriptor_pb2.FileDescriptorProto) -> Iterator[tuple[object, ...]]:
    """What is on the wire, and the names that text and JSON have."""

    def of_enum(prefix: str, enum: descriptor_pb2.EnumDescriptorProto) -> Iterator[tuple[object, ...]]:
        for value in enum.value:
            yield "enum", f"{prefix}.{enum.name}", value.name, value.number

    def of_message(prefix: str, message: descriptor_pb2.DescriptorProto) -> Iterator[tuple[object, ...]]:
        name = f"{prefix}.{message.name}"
        yield "message", name
        for field in message.field:
            oneof = message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else ""
            yield "field", name, field.name, field.number, field.label, field.type, field.type_name, oneof
        for enum in message.enum_type:
            yield from of_enum(name, enum)
        for nested in message.nested_type:
            yield from of_message(name, nested)

    for enum in file.enum_type:
        yield from of_enum(file.package, enum)
    for message in file.message_type:
        yield from of_message(file.package, message)
    for service in file.service:
        for method in service.method:
            streams = method.client_streaming, method.server_streaming
            yield "method", service.name, method.name, method.input_type, method.output_type, streams


@pytest.mark.parametrize("module", PUBLISHED)
def test_names_and_numbers(module: str) -> None:
    theirs = published(module)
    ours = descriptor_pb2.FileDescriptorProto()
    messages().file(theirs.name).CopyToProto(ours)
    assert set(facts(ours)) == set(facts(theirs))


def test_a_status_is_that_of_grpc() -> None:
    status = messages().of("google.rpc.Status")(code=5, message="none")
    status.details.add().Pack(messages().of("p4.v1.Error")(canonical_code=5))
    fields = [(field.name, field.number) for field in status.DESCRIPTOR.fields]
    assert fields == [("code", 1), ("message", 2), ("details", 3)]
    assert status.details[0].type_url == "type.googleapis.com/p4.v1.Error"


def test_each_outcome_of_the_switch_but_that_it_is_done_is_a_refusal() -> None:
    made = {outcome: refusal(outcome) for outcome in Outcome}
    assert [outcome for outcome, refused in made.items() if refused is None] == [Outcome.DONE]
    assert not {refused.code for refused in made.values() if refused is not None} & {
        Code.OK,
        Code.INTERNAL,
        Code.UNKNOWN,
    }
