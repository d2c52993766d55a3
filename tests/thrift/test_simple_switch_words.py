"""What the older methods of BMv2's service simple_switch ask of a switch; it is one of this file."""

from __future__ import annotations

from typing import Any

import pytest

from macsad.thrift.described import simple_switch
from macsad.thrift.refusals import Refused
from macsad.thrift.simple_switch import SimpleSwitch


class Switch:
    def __init__(self, answer: str = "") -> None:
        self.answer = answer
        self.refuses = False
        self.asked: list[tuple[Any, ...]] = []

    def command(self, *words: Any) -> str:
        self.asked.append(words)
        if self.refuses:
            raise Refused("there is no such thing")
        return self.answer


@pytest.mark.parametrize(
    ("method", "arguments", "words"),
    [
        ("mirroring_mapping_add", (5, 3), ("mirroring_add", 5, 3)),
        ("mirroring_mapping_delete", (5,), ("mirroring_delete", 5)),
        ("set_egress_priority_queue_depth", (3, 7, 64), ("set_queue_depth", 64, 3, 7)),
        ("set_egress_queue_depth", (3, 64), ("set_queue_depth", 64, 3)),
        ("set_all_egress_queue_depths", (64,), ("set_queue_depth", 64)),
        ("set_egress_priority_queue_rate", (3, 7, 100), ("set_queue_rate", 100, 3, 7)),
        ("set_egress_queue_rate", (3, 100), ("set_queue_rate", 100, 3)),
        ("set_all_egress_queue_rates", (100,), ("set_queue_rate", 100)),
    ],
)
def test_methods_without_exceptions_answer_with_a_number(
    method: str, arguments: tuple[int, ...], words: tuple[Any, ...]
) -> None:
    """0 where it is done, else 1."""
    switch = Switch()
    service: Any = SimpleSwitch(switch)  # type: ignore[arg-type]
    assert getattr(service, method)(*arguments) == 0 and switch.asked == [words]
    switch.refuses = True
    assert getattr(service, method)(*arguments) == 1


@pytest.mark.parametrize(
    ("told", "port", "group"),
    [
        ("session 5: port 3", 3, None),
        ("session 5: multicast group 9", -1, 9),
        ("session 5: port 3, session 5: multicast group 9", 3, 9),
        ("session 5:", -1, None),
    ],
)
def test_where_a_session_leads(told: str, port: int, group: int | None) -> None:
    service: Any = SimpleSwitch(Switch(told))  # type: ignore[arg-type]
    assert service.mirroring_mapping_get_egress_port(5) == port
    config = service.mirroring_session_get(5)
    assert (config.port, config.mgid) == (None if port < 0 else port, group)


def test_sessions_lead_to_a_port_or_a_group() -> None:
    switch = Switch()
    service: Any = SimpleSwitch(switch)  # type: ignore[arg-type]
    for has in ({"port": 3}, {"mgid": 9}, {"mgid": 0}):
        service.mirroring_session_add(5, simple_switch.MirroringSessionConfig(**has))
    service.mirroring_session_delete(5)
    assert switch.asked == [
        ("mirroring_add", 5, 3), ("mirroring_add_mc", 5, 9), ("mirroring_add_mc", 5, 0), ("mirroring_delete", 5),
    ]  # fmt: skip


def test_what_is_refused_is_a_session_that_is_not_there() -> None:
    switch = Switch()
    switch.refuses = True
    service: Any = SimpleSwitch(switch)  # type: ignore[arg-type]
    assert service.mirroring_mapping_get_egress_port(5) == -1
    config = simple_switch.MirroringSessionConfig(port=3)
    for call in (
        lambda: service.mirroring_session_add(5, config),
        lambda: service.mirroring_session_delete(5),
        lambda: service.mirroring_session_get(5),
    ):
        with pytest.raises(simple_switch.InvalidMirroringOperation) as refused:
            call()
        assert refused.value.code == simple_switch.MirroringOperationErrorCode.SESSION_NOT_FOUND


def test_times_are_in_microseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("macsad.thrift.simple_switch.time.time_ns", lambda: 1_234_567_890)
    service: Any = SimpleSwitch(Switch("77"))  # type: ignore[arg-type]
    assert (service.get_time_elapsed_us(), service.get_time_since_epoch_us()) == (77, 1_234_567)
