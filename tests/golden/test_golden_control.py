"""What the commands of a running switch answer: each by itself and with each of its words replaced by wrong ones, as text
beside control/session.txt (`--update-golden` writes it anew)."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import switches
from switch_harness import Switch

from macsad.control import Client
from macsad.protocol import Message, Status

TESTS = Path(__file__).parents[1]
SESSION = Path(__file__).parent / "control" / "session.txt"
WRONG = ("xyzzy", "-1", "4294967296", "36893488147419103232", "1/13", "1&&&-1", "=>")


@pytest.fixture
def switch(tmp_path: Path) -> Iterator[Switch]:
    binary = switches.build(TESTS / "c" / "edges.p4", ("address", "undefined"))
    running = Switch(binary, tmp_path, ["--port=0=ctl:", "--port=1=ctl:"])
    yield running
    running.stop()


def answer(switch: Switch, words: list[str]) -> str:
    reply = switch.client.command(" ".join(words))
    return f"{'ok' if reply.ok else 'no'}: {reply.text.strip()}".replace("\n", "\n      ")


def replaced(switch: Switch, words: list[str], at: int) -> Iterator[str]:
    """What is answered where another word is at that place, the words with the same answer in one line."""
    found: dict[str, list[str]] = {}
    for word in WRONG:
        if word != words[at]:
            told = answer(switch, [*words[:at], word, *words[at + 1 :]])
            found.setdefault(told.replace(f"'{word}'", "'...'"), []).append(word)
    for told, wrong in found.items():
        yield f"  {at} = {' '.join(wrong)}  {told}\n"


def unmarked(line: str) -> list[str]:
    return [re.fullmatch(r"\[?(.*?)\]?", word)[1] for word in line.split()]  # type: ignore[index]


def session(switch: Switch) -> Iterator[str]:
    for line in SESSION.read_text().splitlines():
        if line.startswith("#"):
            continue
        words = unmarked(line)
        yield f"{' '.join(words)}\n"
        for at, word in enumerate(line.split()):
            if not word.startswith("["):
                yield from replaced(switch, words, at)
        yield f"  {answer(switch, words)}\n"


def test_what_commands_answer(switch: Switch, golden: Callable[[Path, str], None]) -> None:
    golden(SESSION.with_name("answers.txt"), "".join(session(switch)))


def test_each_command_is_tried(switch: Switch) -> None:
    """All but those that are told of elsewhere: their answers are times and addresses."""
    tried = {unmarked(line)[0] for line in SESSION.read_text().splitlines() if not line.startswith("#")}
    known = {line.split()[0] for line in switch.do("help").splitlines() if line[0] != " "}
    untold = {"table_info", "stats", "stages", "describe", "show_memory", "get_time_elapsed", "shutdown"}
    assert known - tried == untold


# --- messages ---------------------------------------------------------------------------------------------------------


def told(status: Status, payload: bytes) -> str:
    text = payload.decode("ascii") if payload and payload.isascii() and payload.decode("ascii").isprintable() else ""
    return f"{status.name} {text or payload.hex()}".rstrip()


def variants(payload: bytes) -> Iterator[tuple[str, bytes]]:
    """The payload cut to N bytes, or with a byte more, or with byte N another one (N=that byte)."""
    for length in range(len(payload)):
        yield f"{length}", payload[:length]
    yield "+1", payload + b"\0"
    for at, byte in enumerate(payload):
        for other in (byte ^ 0xFF, (byte + 1) & 0xFF):
            yield f"{at}={other:02x}", payload[:at] + bytes([other]) + payload[at + 1 :]


def framed(kind: Message, payload: bytes) -> bytes:
    """A change as a message of one change."""
    return b"\0" + struct.pack(">I", len(payload) - 1) + payload if kind is Message.UPDATE and payload else payload


def exchanged(client: Client) -> Iterator[str]:
    for line in SESSION.with_name("messages.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, _, digits = line.removeprefix("= ").partition(" ")
        kind, payload = Message[name], bytes.fromhex(digits)
        yield f"{line}\n  {told(*client._ask(kind, framed(kind, payload)))}\n"
        found: dict[str, list[str]] = {}
        for what, changed in () if line.startswith("= ") else variants(payload):
            found.setdefault(told(*client._ask(kind, framed(kind, changed))), []).append(what)
        for reply, what in found.items():
            yield f"  {' '.join(what)}  {reply}\n"


def test_what_messages_answer(switch: Switch, golden: Callable[[Path, str], None]) -> None:
    golden(SESSION.with_name("replies.txt"), "".join(exchanged(switch.client)))
