"""Values of types that controllers see otherwise than the switch: @p4runtime_translation. P4Runtime spec 1.4.1 sections
8.5.6 and 18.1.

A number goes to the switch as it is, if it fits. A string stands for a number: that of `@p4runtime_translation_mappings`;
of a port, if the type is one of ports and the string is a port's name; that which the string itself says in digits; or one
that is free. What was chosen is kept as a note of the switch, so that it is always the same.
Threads: any.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterable, Iterator

from macsad.control import Client
from macsad.p4runtime import notes
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message
from macsad.p4runtime.numbers import canonical, fixed

STRING_MAX = 1024  # bytes
_MAPPINGS = "@p4runtime_translation_mappings"
_PAIR = re.compile(r'\{\s*"((?:[^"\\]|\\.)*)"\s*,\s*(\w+)\s*\}')


class Strings:
    """The strings of one type, and the numbers that they stand for. `ports`: port numbers by name, for a type of ports."""

    def __init__(self, name: str, mappings: Iterable[tuple[str, int]], ports: dict[str, int] | None) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._ports = ports
        self._declared = dict(mappings)
        self._numbers: dict[str, int] = {}
        self._strings: dict[int, str] = {}
        self.forget()

    def forget(self) -> None:
        """What was chosen stands for nothing any more; its notes are not looked at."""
        with self._lock:
            self._numbers = dict(self._declared)
            self._strings = {number: string for string, number in self._numbers.items()}

    def keep(self, client: Client) -> None:
        """Keep what is chosen with the switch of this client, which is this object's alone; what was chosen is there."""
        with self._lock:
            self._client = client
            prefix = self._note("")
            for name, number in client.read_notes(prefix):
                self._learn(name[len(prefix) :].decode(), int.from_bytes(number, "big"))

    def close(self) -> None:
        """What is chosen from now on is not kept."""
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = None

    def _note(self, string: str) -> bytes:
        return notes.Names.STRING + self.name.encode() + b"\0" + string.encode()

    def _learn(self, string: str, number: int) -> None:
        self._numbers[string] = number
        self._strings[number] = string

    def number(self, value: bytes, bits: int) -> int:
        """What a string stands for, in so many bits of the switch. Raises: Refused."""
        try:
            string = value.decode()
        except UnicodeDecodeError:
            raise Refused(Code.INVALID_ARGUMENT, f"a value of {self.name} is no text") from None
        if not string or len(value) > STRING_MAX:
            raise Refused(Code.INVALID_ARGUMENT, f"a value of {self.name} has 1 to {STRING_MAX} bytes")
        with self._lock:
            if string not in self._numbers:
                number = self._choose(string, bits)
                if self._client is not None:
                    self._client.update([notes.change(self._note(string), number.to_bytes(8, "big"))])
                self._learn(string, number)
            number = self._numbers[string]
        if number >> bits:
            raise Refused(Code.OUT_OF_RANGE, f"{number} does not fit in {bits} bits")
        return number

    def _choose(self, string: str, bits: int) -> int:
        """A number for a new string. Raises: Refused."""
        if self._ports is not None and string in self._ports and self._ports[string] not in self._strings:
            return self._ports[string]
        with contextlib.suppress(ValueError):
            number = int(string, 0) if string.isascii() else -1
            if 0 <= number < 1 << bits and number not in self._strings:
                return number
        if self._ports is not None:
            raise Refused(Code.INVALID_ARGUMENT, f"the switch has no such port ({self.name})")
        for number in range((1 << min(bits, 63)) - 1, -1, -1):
            if number not in self._strings:
                return number
        raise Refused(Code.RESOURCE_EXHAUSTED, f"{self.name} has no more numbers for strings")

    def string(self, number: int) -> bytes:
        """The string that stands for it."""
        with self._lock:
            if number in self._strings:
                return self._strings[number].encode()
        for name, port in (self._ports or {}).items():
            if port == number:
                return name.encode()
        return str(number).encode()


class Translations:
    """The types of a program that controllers see otherwise, by name. `ports`: port numbers by name."""

    def __init__(self, info: Message, ports: dict[str, int]) -> None:
        self._strings: dict[str, Strings] = {}
        for name, spec in info.type_info.new_types.items():
            if spec.WhichOneof("representation") == "translated_type" and spec.translated_type.HasField("sdn_string"):
                of_ports = "port" in spec.translated_type.uri.lower()
                self._strings[name] = Strings(name, _mappings(spec.annotations), ports if of_ports else None)

    def of(self, typed: Message) -> Strings | None:
        """The strings of the type of a match field, a parameter or a metadatum, if its values are strings."""
        return self._strings.get(typed.type_name.name) if typed.HasField("type_name") else None

    def named(self, name: str) -> Strings | None:
        """The strings of the type of that name, if its values are strings."""
        return self._strings.get(name)

    def to_controller(self, value: bytes, name: str) -> bytes:
        """A value of the type of that name."""
        return to_controller(value, self._strings.get(name))

    def __iter__(self) -> Iterator[Strings]:
        return iter(self._strings.values())


def _mappings(annotations: Iterable[str]) -> list[tuple[str, int]]:
    texts = [text for text in annotations if text.startswith(_MAPPINGS)]
    return [(string, int(number, 0)) for text in texts for string, number in _PAIR.findall(text)]


def to_switch(value: bytes, bits: int, strings: Strings | None) -> bytes:
    """A controller's value in the whole bytes of so many bits. Raises: Refused."""
    if strings is None:
        return fixed(value, bits)
    return strings.number(value, bits).to_bytes((bits + 7) // 8, "big")


def to_controller(value: bytes, strings: Strings | None) -> bytes:
    """A value of the switch as a controller has it."""
    return canonical(value) if strings is None else strings.string(int.from_bytes(value, "big"))
