"""What each extern method of `hlir.externs` means."""

from __future__ import annotations

from collections.abc import Callable

from transpiler.hlir import expressions as ex
from transpiler.hlir.arithmetic import number, ones
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.types import width_of
from transpiler.interpreter import aes, hashes
from transpiler.interpreter.evaluate import evaluate, pack, place_type, to_bytes, write
from transpiler.interpreter.packet import Cipher
from transpiler.interpreter.run import Run
from transpiler.interpreter.store import Digest
from transpiler.interpreter.tables import DEFAULT_ENTRY
from transpiler.interpreter.trace import Event

Meaning = Callable[[Run, CallExtern], None]
MEANINGS: dict[str, Meaning] = {}


def call_extern(run: Run, call: CallExtern) -> None:
    """Carry out one call."""
    MEANINGS[call.method](run, call)


def _means(method: str) -> Callable[[Meaning], Meaning]:
    """What is decorated is what the method of that name does."""

    def note(meaning: Meaning) -> Meaning:
        MEANINGS[method] = meaning
        return meaning

    return note


def _input(run: Run, call: CallExtern, position: int) -> int:
    return evaluate(call.inputs[position], run.state)


def _output(run: Run, call: CallExtern, value: int) -> None:
    """Leave a result, cut to the width of its place."""
    place = call.outputs[0]
    write(place, value & ones(width_of(place_type(place, run.state))), run.state)


def _name(call: CallExtern) -> str:
    assert call.instance is not None, call.method
    return call.instance


def _list(expression: ex.Expression) -> tuple[ex.Expression, ...]:
    return expression.items if isinstance(expression, ex.ListExpression) else (expression,)


def _text(expression: ex.Expression) -> str:
    return expression.value if isinstance(expression, ex.Text) else ""


@_means("counter.count")
def _counter_count(run: Run, call: CallExtern) -> None:
    run.store.count(_name(call), _input(run, call, 0), run.transit.length, direct=False)


@_means("direct_counter.count")
def _direct_counter_count(run: Run, call: CallExtern) -> None:
    index = run.direct_index.get(_name(call), DEFAULT_ENTRY)
    run.store.count(_name(call), index, run.transit.length, direct=True)


@_means("counter.count_length")
def _counter_count_length(run: Run, call: CallExtern) -> None:
    run.store.count(_name(call), _input(run, call, 0), _input(run, call, 1), direct=False)


@_means("direct_counter.count_length")
def _direct_counter_count_length(run: Run, call: CallExtern) -> None:
    index = run.direct_index.get(_name(call), DEFAULT_ENTRY)
    run.store.count(_name(call), index, _input(run, call, 0), direct=True)


@_means("meter.execute_aware")
def _meter_execute_aware(run: Run, call: CallExtern) -> None:
    index, before, length = (_input(run, call, i) for i in range(3))
    _output(run, call, run.store.meters[_name(call)].colour(index, length, run.transit.now_us, before))


@_means("direct_meter.execute_aware")
def _direct_meter_execute_aware(run: Run, call: CallExtern) -> None:
    index = run.direct_index.get(_name(call), DEFAULT_ENTRY)
    before, length = (_input(run, call, i) for i in range(2))
    _output(run, call, run.store.meters[_name(call)].colour(index, length, run.transit.now_us, before))


@_means("meter.execute")
def _meter_execute(run: Run, call: CallExtern) -> None:
    meters = run.store.meters[_name(call)]
    _output(run, call, meters.colour(_input(run, call, 0), run.transit.length, run.transit.now_us))


@_means("direct_meter.read")
def _direct_meter_read(run: Run, call: CallExtern) -> None:
    colour = run.direct_colour.get(_name(call))
    _output(run, call, _input(run, call, 0) if colour is None else colour)


@_means("direct_meter.execute")
def _direct_meter_execute(run: Run, call: CallExtern) -> None:
    index = run.direct_index.get(_name(call), DEFAULT_ENTRY)
    _output(run, call, run.store.meters[_name(call)].colour(index, run.transit.length, run.transit.now_us))


@_means("register.read")
def _register_read(run: Run, call: CallExtern) -> None:
    _output(run, call, run.store.registers[_name(call)].read(_input(run, call, 0)))


@_means("register.write")
def _register_write(run: Run, call: CallExtern) -> None:
    run.store.registers[_name(call)].write(_input(run, call, 0), _input(run, call, 1))


def _hash(run: Run, call: CallExtern, payload: bytes) -> None:
    data = to_bytes(*pack(_list(call.inputs[1]), run.state)) + payload
    value = hashes.compute(_text(call.inputs[0]), data)
    _output(run, call, run.store.random.next() if value is None else value)


@_means("hash.compute")
def _hash_compute(run: Run, call: CallExtern) -> None:
    _hash(run, call, b"")


@_means("hash.compute_with_payload")
def _hash_with_payload(run: Run, call: CallExtern) -> None:
    _hash(run, call, run.transit.payload)


@_means("hash.extend")
def _hash_extend(run: Run, call: CallExtern) -> None:
    data = to_bytes(*pack(_list(call.inputs[2]), run.state))
    _output(run, call, hashes.extend(_text(call.inputs[0]), _input(run, call, 1), data))


@_means("random.range")
def _random_range(run: Run, call: CallExtern) -> None:
    _output(run, call, run.store.random.between(_input(run, call, 0), _input(run, call, 1)))


@_means("digest.send")
def _digest_send(run: Run, call: CallExtern) -> None:
    values = tuple(evaluate(item, run.state) for item in _list(call.inputs[0]))
    run.store.digests.append(Digest(_name(call), values))
    run.trace(Event("extern", f"digest {_name(call)}{values}", call.span))


@_means("log.message")
def _log_message(run: Run, call: CallExtern) -> None:
    text = _text(call.inputs[0])
    for item in _list(call.inputs[1]):
        text = text.replace("{}", str(number(evaluate(item, run.state), item.type)), 1)
    run.store.log.append(text)
    run.trace(Event("extern", f"log: {text}", call.span))


@_means("assert.check")
def _assert_check(run: Run, call: CallExtern) -> None:
    if not _input(run, call, 0):
        run.store.failed_asserts.append(call.span)
        run.trace(Event("error", "assertion failed", call.span))


@_means("clone.ingress")
def _clone_ingress(run: Run, call: CallExtern) -> None:
    run.transit.requests.clone_ingress = (_input(run, call, 0), call.fields)


@_means("clone.egress")
def _clone_egress(run: Run, call: CallExtern) -> None:
    run.transit.requests.clone_egress = (_input(run, call, 0), call.fields)


@_means("resubmit.request")
def _resubmit(run: Run, call: CallExtern) -> None:
    run.transit.requests.resubmit = call.fields


@_means("recirculate.request")
def _recirculate(run: Run, call: CallExtern) -> None:
    run.transit.requests.recirculate = call.fields


@_means("truncate.request")
def _truncate(run: Run, call: CallExtern) -> None:
    """Of several lengths the smallest counts, as in BMv2."""
    length, before = _input(run, call, 0), run.transit.requests.truncate
    run.transit.requests.truncate = length if before is None else min(length, before)


@_means("cipher.encrypt")
def _encrypt(run: Run, call: CallExtern) -> None:
    run.transit.requests.cipher = Cipher(aes.encrypt_cbc, *_blocks(run, call))


@_means("cipher.decrypt")
def _decrypt(run: Run, call: CallExtern) -> None:
    run.transit.requests.cipher = Cipher(aes.decrypt_cbc, *_blocks(run, call))


def _blocks(run: Run, call: CallExtern) -> tuple[bytes, bytes]:
    key, iv = (_input(run, call, i).to_bytes(aes.BLOCK, "big") for i in range(2))
    return key, iv
