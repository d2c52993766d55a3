"""The vocabulary of extern calls in HLIR: both languages and all architectures map their externs onto it.

A method is named "kind.operation". Its effect tells the scheduler what may be reordered between packets, its types tell
frontends and the verifier what a CallExtern must carry. Adding an extern: docs/extend/extern.md.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from transpiler.hlir.types import Bits, Bool


class Effect(enum.Enum):
    """What a call does beyond its outputs, seen from another packet."""

    NONE = "none"  # a function of its inputs and of the packet
    COMMUTES = "commutes"  # adds to a state that the program cannot read: order does not matter
    STATE = "state"  # reads or writes a state that later packets read: packet order must be kept
    STREAM = "stream"  # appends to an output that someone reads in order: packet order must be kept
    PACKET = "packet"  # decides about this packet only (clone, resubmit, truncate, cipher)


class Sort(enum.Enum):
    """What an argument or result is whose type is the program's choice."""

    NUMBER = "a number"  # bit<> or int<>
    SCALAR = "a scalar"  # a number, a bool or an enum
    TEXT = "a text"
    LIST = "a list"


@dataclass(frozen=True, slots=True)
class Method:
    """`instance_kind` is the kind of ExternInstance that it needs, if any; `inputs` and `outputs` have its types."""

    name: str
    instance_kind: str | None
    inputs: tuple[Bits | Bool | Sort, ...]
    outputs: tuple[Sort, ...]
    effect: Effect
    doc: str


# kind → attributes that an ExternInstance of it must have
KINDS: dict[str, tuple[str, ...]] = {
    "counter": ("size", "unit"),  # unit: "packets", "bytes" or "packets_and_bytes"
    "direct_counter": (
        "unit",
        "automatic",
    ),  # automatic 1: every hit counts (v1model, P4-14); 0: only calls count (PSA)
    "meter": ("size", "unit"),
    "direct_meter": ("unit", "automatic"),
    "register": ("size", "width"),  # width of an element in bits; "initial", where there, is what they begin with
    "digest": (),  # one message format, of its digest.send calls; "fields", where there, names them: "mac,port"
    "action_profile": ("size",),
    "action_selector": ("size", "algorithm", "width"),
}

NUMBER, SCALAR, TEXT, LIST = Sort.NUMBER, Sort.SCALAR, Sort.TEXT, Sort.LIST
WORD, BLOCK = Bits(32), Bits(128)
COMMUTES, STATE, STREAM, PACKET = Effect.COMMUTES, Effect.STATE, Effect.STREAM, Effect.PACKET
_COUNTER, _DIRECT_COUNTER, _METER, _DIRECT_METER = "counter", "direct_counter", "meter", "direct_meter"

# fmt: off
_METHODS = (
    Method("counter.count", _COUNTER, (NUMBER,), (), COMMUTES, "(index): one packet and its length; out of range: nothing"),
    Method("counter.count_length", _COUNTER, (NUMBER, NUMBER), (), COMMUTES, "(index, bytes): like count, of a given length"),
    Method("direct_counter.count", _DIRECT_COUNTER, (), (), COMMUTES, "(): counts on the entry that was hit"),
    Method("direct_counter.count_length", _DIRECT_COUNTER, (NUMBER,), (), COMMUTES, "(bytes): likewise"),
    Method("meter.execute", _METER, (NUMBER,), (SCALAR,), STATE,
           "(index) -> colour 0 green, 1 yellow, 2 red (RFC 2698, 2697)"),
    Method("meter.execute_aware", _METER, (NUMBER, SCALAR, NUMBER), (SCALAR,), STATE,
           "(index, colour so far, bytes) -> colour; never better than the one so far"),
    Method("direct_meter.read", _DIRECT_METER, (SCALAR,), (SCALAR,), STATE,
           "(value on a miss) -> the colour that the hit gave; of a meter that works by itself"),
    Method("direct_meter.execute", _DIRECT_METER, (), (SCALAR,), STATE, "() -> colour of the entry that was hit"),
    Method("direct_meter.execute_aware", _DIRECT_METER, (SCALAR, NUMBER), (SCALAR,), STATE,
           "(colour so far, bytes) -> colour"),
    Method("register.read", "register", (NUMBER,), (NUMBER,), STATE, "(index) -> value; out of range: 0"),
    Method("register.write", "register", (NUMBER, NUMBER), (), STATE, "(index, value); out of range: nothing"),
    Method("hash.compute", None, (TEXT, LIST), (NUMBER,), Effect.NONE,
           "(algorithm, list) -> the hash, cut or extended to the output"),
    Method("hash.compute_with_payload", None, (TEXT, LIST), (NUMBER,), Effect.NONE,
           "like hash.compute, the payload appended to the list"),
    Method("hash.extend", None, (TEXT, NUMBER, LIST), (NUMBER,), Effect.NONE,
           "(algorithm, hash of what came before, list) -> the hash of both; csum16, xor16 and the CRCs only"),
    Method("random.range", None, (NUMBER, NUMBER), (NUMBER,), STATE, "(low, high) -> a number between them, both included"),
    Method("digest.send", "digest", (LIST,), (), STREAM, "(list): the record goes to who subscribed"),
    Method("log.message", None, (TEXT, LIST), (), STREAM, "(format, list): {} in the format are the list's values"),
    Method("assert.check", None, (Bool(),), (), STREAM, "(condition): reports where it is false"),
    Method("clone.ingress", None, (WORD,), (), PACKET, "(session), fields preserved: a copy of the packet as received"),
    Method("clone.egress", None, (WORD,), (), PACKET, "(session), fields preserved: a copy of the packet as sent"),
    Method("resubmit.request", None, (), (), PACKET, "fields preserved: again through ingress, as received"),
    Method("recirculate.request", None, (), (), PACKET, "fields preserved: again through ingress, as sent"),
    Method("truncate.request", None, (WORD,), (), PACKET, "(bytes): cut the packet as sent to that length"),
    Method("cipher.encrypt", None, (BLOCK, BLOCK), (), PACKET, "(key, iv): AES-128-CBC over the payload as sent"),
    Method("cipher.decrypt", None, (BLOCK, BLOCK), (), PACKET, "(key, iv): the inverse"),
)
# fmt: on
METHODS: dict[str, Method] = {method.name: method for method in _METHODS}

# names of the hash algorithms, the first argument of hash.compute
HASH_ALGORITHMS = ("crc32", "crc32_custom", "crc16", "crc16_custom", "csum16", "xor16", "identity", "random")
