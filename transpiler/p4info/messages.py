"""Protobuf messages by name, made at run time of what the build has written of .proto files (setup.py).

The file beside the .proto files is a serialised FileDescriptorSet: unlike the code that protoc generates, it suits every
version of protobuf. The pool of descriptions is our own, so that other code may have messages of the same names.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

Message = Any  # messages are made at run time, so that nothing can be said about them statically

P4INFO = ("transpiler.p4info", "p4info.binpb")


class Messages:
    """The messages of some descriptions, each (package, file); later ones build on earlier ones."""

    def __init__(self, described: Sequence[tuple[str, str]]) -> None:
        from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool

        self._pool = descriptor_pool.DescriptorPool()
        self._pool.AddSerializedFile(any_pb2.DESCRIPTOR.serialized_pb)
        self._classes: dict[str, type[Message]] = {}
        for package, file in described:
            there = descriptor_pb2.FileDescriptorSet.FromString((files(package) / file).read_bytes())
            for described_file in _in_order(there.file):
                self._pool.AddSerializedFile(described_file.SerializeToString())

    def of(self, name: str) -> type[Message]:
        """The class of a message: "p4.config.v1.P4Info"."""
        if name not in self._classes:
            from google.protobuf import message_factory

            self._classes[name] = message_factory.GetMessageClass(self._pool.FindMessageTypeByName(name))
        return self._classes[name]

    def file(self, name: str) -> Any:
        """The description of a .proto file by its path."""
        return self._pool.FindFileByName(name)

    def number(self, enum: str, member: str) -> int:
        """The number of an enum's member."""
        return int(self._pool.FindEnumTypeByName(enum).values_by_name[member].number)


def _in_order(described: Sequence[Any]) -> list[Any]:
    """The files of a set, each behind those that it imports."""
    by_name = {file.name: file for file in described}
    placed: dict[str, Any] = {}

    def place(file: Any) -> None:
        for name in file.dependency:
            if name in by_name:
                place(by_name[name])
        placed.setdefault(file.name, file)

    for file in described:
        place(file)
    return list(placed.values())


@cache
def p4info_messages() -> Messages:
    """Those of P4Info."""
    return Messages([P4INFO])


def message_class(name: str) -> type[Message]:
    """The class of a message: "P4Info" for p4.config.v1.P4Info."""
    return p4info_messages().of(f"p4.config.v1.{name}")


def enum_value(enum: str, member: str) -> int:
    """The number of an enum's member: ("MatchField.MatchType", "LPM")."""
    return p4info_messages().number(f"p4.config.v1.{enum}", member)
