"""The vocabulary of extern calls in HLIR: both languages and all architectures map their externs onto it.

A method is named "kind.operation". Its effect tells the scheduler what may be reordered between packets, its
signature tells the verifier what a CallExtern must carry. Adding an extern: a line here, its meaning in
`interpreter/calls.py`, its rendering in `codegen/externs.py`, its C in aux-backend.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Effect(enum.Enum):
    """What a call does beyond its outputs, seen from another packet."""

    NONE = "none"  # a function of its inputs and of the packet
    COMMUTES = "commutes"  # adds to a state that the program cannot read: order does not matter
    STATE = "state"  # reads or writes a state that later packets read: packet order must be kept
    STREAM = "stream"  # appends to an output that someone reads in order: packet order must be kept
    PACKET = "packet"  # decides about this packet only (clone, resubmit, truncate, cipher)


@dataclass(frozen=True, slots=True)
class Method:
    """Signature: number of inputs and outputs; `instance_kind` is the kind of ExternInstance that it needs, if any."""

    name: str
    instance_kind: str | None
    inputs: int
    outputs: int
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

_METHODS = (
    Method(
        "counter.count", "counter", 1, 0, Effect.COMMUTES, "(index): one packet and its length; out of range: nothing"
    ),
    Method("direct_counter.count", "direct_counter", 0, 0, Effect.COMMUTES, "(): counts on the entry that was hit"),
    Method("counter.count_length", "counter", 2, 0, Effect.COMMUTES, "(index, bytes): like count, of a given length"),
    Method("direct_counter.count_length", "direct_counter", 1, 0, Effect.COMMUTES, "(bytes): likewise"),
    Method("meter.execute", "meter", 1, 1, Effect.STATE, "(index) -> colour 0 green, 1 yellow, 2 red (RFC 2698, 2697)"),
    Method(
        "direct_meter.read",
        "direct_meter",
        1,
        1,
        Effect.STATE,
        "(value on a miss) -> the colour that the hit gave; of a meter that works by itself",
    ),
    Method("direct_meter.execute", "direct_meter", 0, 1, Effect.STATE, "() -> colour of the entry that was hit"),
    Method(
        "meter.execute_aware",
        "meter",
        3,
        1,
        Effect.STATE,
        "(index, colour so far, bytes) -> colour; never better than the one so far",
    ),
    Method("direct_meter.execute_aware", "direct_meter", 2, 1, Effect.STATE, "(colour so far, bytes) -> colour"),
    Method("register.read", "register", 1, 1, Effect.STATE, "(index) -> value; out of range: 0"),
    Method("register.write", "register", 2, 0, Effect.STATE, "(index, value); out of range: nothing"),
    Method(
        "hash.compute", None, 2, 1, Effect.NONE, "(algorithm Text, list) -> the hash, cut or extended to the output"
    ),
    Method("hash.compute_with_payload", None, 2, 1, Effect.NONE, "like hash.compute, the payload appended to the list"),
    Method(
        "hash.extend",
        None,
        3,
        1,
        Effect.NONE,
        "(algorithm Text, hash of what came before, list) -> the hash of both; csum16, xor16 and the CRCs only",
    ),
    Method("random.range", None, 2, 1, Effect.STATE, "(low, high) -> a number between them, both included"),
    Method("digest.send", "digest", 1, 0, Effect.STREAM, "(list): the record goes to who subscribed"),
    Method("log.message", None, 2, 0, Effect.STREAM, "(format Text, list): {} in the format are the list's values"),
    Method("assert.check", None, 1, 0, Effect.STREAM, "(condition): reports where it is false"),
    Method("clone.ingress", None, 1, 0, Effect.PACKET, "(session), fields preserved: a copy of the packet as received"),
    Method("clone.egress", None, 1, 0, Effect.PACKET, "(session), fields preserved: a copy of the packet as sent"),
    Method("resubmit.request", None, 0, 0, Effect.PACKET, "fields preserved: again through ingress, as received"),
    Method("recirculate.request", None, 0, 0, Effect.PACKET, "fields preserved: again through ingress, as sent"),
    Method("truncate.request", None, 1, 0, Effect.PACKET, "(bytes): cut the packet as sent to that length"),
    Method("cipher.encrypt", None, 2, 0, Effect.PACKET, "(key, iv): AES-128-CBC over the payload as sent"),
    Method("cipher.decrypt", None, 2, 0, Effect.PACKET, "(key, iv): the inverse"),
)
METHODS: dict[str, Method] = {method.name: method for method in _METHODS}

# names of the hash algorithms, the first argument of hash.compute
HASH_ALGORITHMS = ("crc32", "crc32_custom", "crc16", "crc16_custom", "csum16", "xor16", "identity", "random")
