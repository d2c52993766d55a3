"""What counters and meters may be set to, and canonical codes; without a switch."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from macsad.p4runtime import elements
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import message

EXTERN: Any = SimpleNamespace(number=3, kind="counter", bits=0)
HEAD = struct.Struct(">BHI")


def message_of(name: str, **numbers: int) -> Any:
    return message(name)(**numbers)


def test_codes_are_those_of_grpc() -> None:
    assert {name: code.value for name, code in Code.__members__.items()}.items() <= {
        status.name: status.value[0] for status in grpc.StatusCode
    }.items()


def test_counts_are_not_negative() -> None:
    made = elements.set_counter(EXTERN, 7, message_of("CounterData", packet_count=5, byte_count=(1 << 63) - 1))
    assert HEAD.unpack_from(made)[1:] == (3, 7) and struct.unpack_from(">QQ", made, HEAD.size) == (5, (1 << 63) - 1)
    assert elements.counter_data(made[HEAD.size :]) == message_of(
        "CounterData", packet_count=5, byte_count=(1 << 63) - 1
    ).SerializeToString(deterministic=True)
    for wrong in ({"packet_count": -1}, {"byte_count": -1}):
        with pytest.raises(Refused, match="negative") as refused:
            elements.set_counter(EXTERN, 7, message_of("CounterData", **wrong))
        assert refused.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize("rates", [(0, 0, 0, 0), (5, 9, 5, 1), (5, 1, 6, 0)], ids=["zeros", "one rate", "two rates"])
def test_the_committed_rate_is_at_most_the_peak_rate(rates: tuple[int, ...]) -> None:
    config = message_of("MeterConfig", **dict(zip(("cir", "cburst", "pir", "pburst"), rates, strict=True)))
    made = elements.set_meter(EXTERN, 1, config)
    assert struct.unpack_from(">Bdddd", made, HEAD.size) == (1, *rates)
    assert elements.meter_config(made[HEAD.size :]) == config.SerializeToString(deterministic=True)
    config.cir = config.pir + 1
    with pytest.raises(Refused) as refused:
        elements.set_meter(EXTERN, 1, config)
    assert refused.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"cir": -1}, Code.INVALID_ARGUMENT), ({"cburst": -1}, Code.INVALID_ARGUMENT), ({"pir": -1}, Code.INVALID_ARGUMENT),
        ({"pburst": -1}, Code.INVALID_ARGUMENT), ({"eburst": 1}, Code.UNIMPLEMENTED),
    ],
)  # fmt: skip
def test_no_rate_or_burst_is_negative(wrong: dict[str, int], code: Code) -> None:
    config = message_of("MeterConfig", **{"cir": 5, "cburst": 5, "pir": 5, "pburst": 5, **wrong})
    with pytest.raises(Refused) as refused:
        elements.set_meter(EXTERN, 1, config)
    assert refused.value.code is code


def test_a_meter_without_rates_is_green_again() -> None:
    made = elements.set_meter(EXTERN, 1, None)
    assert struct.unpack_from(">Bdddd", made, HEAD.size) == (0, 0, 0, 0, 0)
    assert elements.meter_config(made[HEAD.size :]) is None


@pytest.mark.parametrize(("first", "count"), [(0, 1), (5, 4096), (5, 4097), (0, 9000)])
def test_many_elements_are_read_in_parts(first: int, count: int) -> None:
    """Each is its index here."""
    asked: list[int] = []

    def read(number: int, start: int, some: int, size: int) -> bytes:
        assert number == 3 and size == 3
        asked.append(some)
        return b"".join((start + at).to_bytes(3, "big") for at in range(some))

    register: Any = SimpleNamespace(number=3, kind="register", bits=17)
    found = list(elements.read(SimpleNamespace(read_elements=read), register, first, count))  # type: ignore[arg-type]
    assert found == [(at, at.to_bytes(3, "big")) for at in range(first, first + count)]
    assert sum(asked) == count and max(asked) <= 4096 and len(asked) == -(-count // 4096)


@pytest.mark.parametrize(
    ("kind", "bits", "size"),
    [("counter", 0, 16), ("direct_counter", 0, 16), ("meter", 0, 33), ("direct_meter", 0, 33), ("register", 1, 1),
     ("register", 8, 1), ("register", 9, 2), ("register", 128, 16)],
)  # fmt: skip
def test_bytes_of_an_element(kind: str, bits: int, size: int) -> None:
    assert elements.element_bytes(SimpleNamespace(kind=kind, bits=bits)) == size  # type: ignore[arg-type]


@pytest.mark.parametrize("first", [0, 7])
@pytest.mark.parametrize("count", [0, 1, elements._STEP, elements._STEP + 1, 2 * elements._STEP + 3])
def test_many_elements_are_read_in_steps(first: int, count: int) -> None:
    """None is left out or asked for twice, none beyond the last."""
    asked: list[tuple[int, int, int, int]] = []

    def read_elements(number: int, start: int, some: int, size: int) -> bytes:
        asked.append((number, start, some, size))
        return b"".join(struct.pack(">QQ", index, 2 * index) for index in range(start, start + some))

    client: Any = SimpleNamespace(read_elements=read_elements)
    read = list(elements.read(client, EXTERN, first, count))
    assert read == [(index, struct.pack(">QQ", index, 2 * index)) for index in range(first, first + count)]
    assert all(0 < some <= elements._STEP and (number, size) == (3, 16) for number, _, some, size in asked)
    assert len(asked) == -(-count // elements._STEP)


def test_a_count_beyond_63_bits_begins_again() -> None:
    made = elements.counter_data(struct.pack(">QQ", 1 << 63 | 5, (1 << 64) - 1))
    assert made == message_of("CounterData", packet_count=5, byte_count=(1 << 63) - 1).SerializeToString(
        deterministic=True
    )
