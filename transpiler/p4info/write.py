"""The forms in which P4Info is written: protobuf's text, binary and JSON."""

from __future__ import annotations

from pathlib import Path

from transpiler.p4info.messages import Message

TEXT, BINARY, JSON = ".txtpb", ".bin", ".json"
FORMS = (TEXT, BINARY, JSON)
_HEAD = "# proto-file: p4/config/v1/p4info.proto\n# proto-message: p4.config.v1.P4Info\n\n"


def form_of(path: Path) -> str:
    """The form that a file's name asks for: text unless it ends in .bin or .json."""
    return path.suffix if path.suffix in FORMS else TEXT


def encode(info: Message, form: str) -> bytes:
    """The message in a form of FORMS. The same message gives the same bytes."""
    from google.protobuf import json_format, text_format

    match form:
        case ".bin":
            return bytes(info.SerializeToString(deterministic=True))
        case ".json":
            return f"{json_format.MessageToJson(info)}\n".encode()  # ASCII
        case _:
            text = _HEAD + str(text_format.MessageToString(info, as_utf8=True))
    return _shown(text).encode()


def _shown(text: str) -> str:
    """What would steer a terminal stands in strings alone; there it is as escapes, octal ones of its UTF-8."""
    plain = (c if c.isprintable() or c == "\n" else "".join(f"\\{b:03o}" for b in c.encode()) for c in text)
    return text if text.isprintable() else "".join(plain)
