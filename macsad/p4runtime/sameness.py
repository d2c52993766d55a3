"""Whether what a controller pushes is the program that runs."""

from __future__ import annotations

from macsad.p4runtime.messages import Message

# What has no effect, or what a program in BMv2's JSON does not know of itself.
_LEFT_OUT = ("alias", "annotations", "annotation_locations", "structured_annotations", "doc", "pkg_info", "scope")
_DEVICE_DATA = 3  # the field of p4.tmp.P4DeviceConfig in which BMv2's JSON is
_BYTES = 2  # the wire type of what has a length


def same_info(one: Message, other: Message) -> bool:
    """P4Infos that give the same things the same numbers. A program in BMv2's JSON has neither its annotations nor actions
    that no table has."""
    return _bare(one) == _bare(other)


def _bare(info: Message) -> bytes:
    copy = type(info)()
    copy.CopyFrom(info)
    used = {reference.id for table in copy.tables for reference in table.action_refs}
    for number in reversed(range(len(copy.actions))):
        if copy.actions[number].preamble.id not in used:
            del copy.actions[number]
    _strip(copy)
    return bytes(copy.SerializeToString(deterministic=True))


def _strip(message: Message) -> None:
    for field, value in message.ListFields():
        if field.name in _LEFT_OUT:
            message.ClearField(field.name)
        elif field.type == field.TYPE_MESSAGE:
            parts = [value] if hasattr(value, "ListFields") else value.values() if hasattr(value, "values") else value
            for part in parts:
                if hasattr(part, "ListFields"):
                    _strip(part)


def device_data(config: bytes) -> bytes:
    """What is in a P4DeviceConfig, as BMv2's controllers wrap its JSON; anything else as it is."""
    at = 0
    try:
        while at < len(config):
            tag, at = _varint(config, at)
            number, kind = tag >> 3, tag & 7
            value, at = _varint(config, at)
            if kind == _BYTES:
                if number == _DEVICE_DATA and at + value <= len(config):
                    return config[at : at + value]
                at += value
            elif kind != 0:
                break
    except IndexError:
        pass
    return config


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
