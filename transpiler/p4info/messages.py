"""The protobuf messages of P4Runtime, by name.

PyPI's p4runtime carries Python modules that protobuf compilers of 2021 made; today's protobuf refuses to run them. What is
in them and never ages is the serialised description of the protocol: it is read from the modules' text, which is not run.
"""

from __future__ import annotations

import ast
import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

Message = Any  # messages are made at run time, so that nothing can be said about them statically

_MODULES = ("p4.config.v1.p4types_pb2", "p4.config.v1.p4info_pb2")  # in the order in which they need each other


@cache
def message_class(name: str) -> type[Message]:
    """The class of a message: "P4Info" for p4.config.v1.P4Info."""
    from google.protobuf import message_factory

    made: type[Message] = message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"p4.config.v1.{name}"))
    return made


def enum_value(enum: str, member: str) -> int:
    """The number of an enum's member: ("MatchField.MatchType", "LPM")."""
    return int(_pool().FindEnumTypeByName(f"p4.config.v1.{enum}").values_by_name[member].number)


@cache
def _pool() -> Any:
    """The pool of descriptions; what the modules build on is in it once it is imported."""
    from google.protobuf import (
        any_pb2,  # noqa: F401 - registers itself
        descriptor_pool,
    )

    pool = descriptor_pool.Default()
    for module in _MODULES:
        pool.AddSerializedFile(_description(module))
    return pool


def _description(module: str) -> bytes:
    """The serialised description in a generated module. Raises: ImportError."""
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        raise ImportError(f"there is no {module}: install p4runtime", name=module)
    for node in ast.walk(ast.parse(Path(found.origin).read_bytes())):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            given = [k.value for k in node.keywords if k.arg == "serialized_pb"]
            given += node.args[:1] if name == "AddSerializedFile" else []
            for value in given:
                if isinstance(value, ast.Constant) and isinstance(value.value, bytes):
                    return value.value
    raise ImportError(f"{module} has no description of its messages", name=module)
