"""What the service and its streams say, without a switch. P4Runtime spec 1.4.1 sections 5, 12.3 and 16."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from macsad.p4runtime import arbitration, service
from macsad.p4runtime.arbitration import Arbitration, Controller, number_of
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.device import Device
from macsad.p4runtime.messages import message, messages
from macsad.p4runtime.roles import RoleConfig
from macsad.p4runtime.service import Service
from macsad.p4runtime.streams import Streams
from macsad.p4runtime.strings import Strings
from macsad.protocol import ControlError, NoSwitchError

RESPONSE = message("StreamMessageResponse")


class Ended(Exception):
    """A call was ended: code and text."""


class Context:
    """Of a call."""

    def __init__(self) -> None:
        self.trailing: Any = None

    def abort(self, code: grpc.StatusCode, text: str) -> None:
        raise Ended(code, text)

    def set_trailing_metadata(self, metadata: Any) -> None:
        self.trailing = metadata

    def add_callback(self, callback: Any) -> None:
        pass

    def is_active(self) -> bool:
        return True


def taken(controller: Controller) -> list[Any]:
    """The messages that wait for it; it has taken them then."""
    controller.end()
    return [RESPONSE.FromString(one) for one in controller.responses()]


def update(election: int | None = None, role: str = "", number: int = 0) -> Any:
    made = message("MasterArbitrationUpdate")(device_id=3)
    if election is not None:
        made.election_id.high, made.election_id.low = election >> 64, election & (1 << 64) - 1
    if role:
        made.role.name = role
    if number:
        made.role.id = number
    return made


# --- who is the primary ----------------------------------------------------------------------------------------------


def told(controller: Controller) -> list[tuple[int, int | None, str]]:
    """Of each answer: the code, the highest election id, the role."""
    return [
        (one.arbitration.status.code, number_of(one.arbitration.election_id)
         if one.arbitration.HasField("election_id") else None, one.arbitration.role.name)
        for one in taken(controller)
    ]  # fmt: skip


@pytest.mark.parametrize("role", ["", "routes"])
def test_all_of_a_role_learn_that_the_primary_has_changed(role: str) -> None:
    """Those of other roles do not."""
    device, high = Arbitration(3), 1 << 100
    first, second, other = Controller(), Controller(), Controller()
    device.update(other, update(high << 1, "other"))
    device.update(first, update(None, role))
    device.update(first, update(high, role))
    device.update(second, update(high - 1, role))
    assert told(first) == [(Code.NOT_FOUND, None, role), (Code.OK, high, role)]
    assert told(second) == [(Code.ALREADY_EXISTS, high, role)]
    device.update(second, update(high + 1, role))
    assert told(first) == [(Code.ALREADY_EXISTS, high + 1, role)] and told(second) == [(Code.OK, high + 1, role)]
    assert [device.is_primary(one) for one in (first, second, other, Controller())] == [False, True, True, False]
    assert {id(one) for one in device.primaries()} == {id(second), id(other)}
    device.gone(second)
    assert told(first) == [(Code.NOT_FOUND, high + 1, role)] and told(second) == []
    assert device.primaries() == [other]
    device.gone(first)
    device.gone(first)
    assert told(other) == [(Code.OK, high << 1, "other")]


def test_who_goes_and_was_not_the_primary_changes_nothing() -> None:
    device, first, second = Arbitration(3), Controller(), Controller()
    device.update(first, update(2))
    device.update(second, update(1))
    device.gone(second)
    assert len(told(first)) == 1


def test_a_primary_may_step_back() -> None:
    """With a lower id, or with none: then there is none, until an id is at least as high as the highest there has been."""
    device, first, second = Arbitration(3), Controller(), Controller()
    device.update(first, update(5))
    device.update(second, update(4))
    assert (told(first), told(second)) == ([(Code.OK, 5, "")], [(Code.ALREADY_EXISTS, 5, "")])
    for lower in (3, None):
        first, second = Controller(), Controller()
        device = Arbitration(3)
        device.update(first, update(5))
        device.update(second, update(4))
        device.update(first, update(lower))
        assert device.primaries() == [] and not device.is_primary(first) and not device.is_primary(second)
        assert told(first) == [(Code.OK, 5, ""), (Code.NOT_FOUND, 5, "")]
        assert told(second) == [(Code.ALREADY_EXISTS, 5, ""), (Code.NOT_FOUND, 5, "")]
        device.update(second, update(5))
        assert device.primaries() == [second] and told(second) == [(Code.OK, 5, "")]
        assert told(first) == [(Code.ALREADY_EXISTS, 5, "")]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (update(0), Code.INVALID_ARGUMENT), (update(7), Code.INVALID_ARGUMENT),
        (update(8, "b"), Code.FAILED_PRECONDITION), (message("MasterArbitrationUpdate")(device_id=4), Code.NOT_FOUND),
        (update(8, number=1), Code.UNIMPLEMENTED),
    ],
)  # fmt: skip
def test_what_is_no_arbitration(given: Any, code: Code) -> None:
    """Nothing has changed then; a controller may say again what it has said."""
    device, controller, backup = Arbitration(3), Controller(), Controller()
    device.update(backup, update(7))
    device.update(controller, update(6))
    with pytest.raises(Refused) as refused:
        device.update(controller, given)
    assert refused.value.code is code and (controller.election, controller.role) == (6, "")
    device.update(controller, update(6))
    assert len(told(backup)) == 1 and len(told(controller)) == 2


def test_the_default_role_has_no_configuration() -> None:
    device, given = Arbitration(3), update(5)
    given.role.config.Pack(messages().of("stratum.P4RoleConfig")(exclusive_p4_ids=[1]))
    with pytest.raises(Refused, match="the default role is responsible for everything"):
        device.update(Controller(), given)
    given.role.name = "a"
    device.update(Controller(), given)
    given.role.name = "b"
    with pytest.raises(Refused, match="exclusive to a role"):
        device.update(Controller(), given)
    config = device.config("a")
    assert config is not None and config.exclusive == {1} and device.config("b") is None
    assert device.require(3, "a", given.election_id) is config


def test_a_controller_that_does_not_read_loses_what_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arbitration, "UNREAD_MAX", 3)
    controller = Controller()
    controller.send_all([b"1", b"2"])
    controller.send_all([b"3", b"4"])
    controller.send_all([b"5"])
    assert controller.waiting == 3
    got = controller.responses()
    assert [next(got), next(got)] == [b"1", b"2"] and controller.waiting == 1
    controller.send_all([b"6", b"7", b"8"])
    controller.end()
    assert [*got] == [b"3", b"6", b"7"] and controller.waiting == 0


# --- streams ---------------------------------------------------------------------------------------------------------


def streamed(streams: Streams, *requests: Any) -> list[Any]:
    """What comes back, last how the stream ends: code and text, or None where the controller ends it."""
    got: list[Any] = []
    try:
        got += [RESPONSE.FromString(one) for one in streams.stream(requests, Context())]
        got.append(None)
    except Ended as ended:
        got.append(ended.args)
    return got


def request(**what: Any) -> Any:
    return message("StreamMessageRequest")(**what)


def test_a_stream_begins_with_an_arbitration_and_goes_on_with_others() -> None:
    streams, others = Streams(3), []
    streams.serve(lambda controller, request, kind: others.append((controller.role, kind)))
    packet = request(packet={"payload": b"x"})
    answer, end = streamed(streams, request(arbitration=update(1)), packet, request(digest_ack={"digest_id": 1}))
    assert answer.arbitration.status.code == Code.OK and end is None
    assert others == [("", "packet"), ("", "digest_ack")] and streams.arbitration.primaries() == []
    assert streamed(streams, packet) == [(grpc.StatusCode.FAILED_PRECONDITION, "a stream begins with an arbitration")]


@pytest.mark.parametrize(
    ("raises", "code", "text"),
    [
        (Refused(Code.ABORTED, "why"), grpc.StatusCode.ABORTED, "why"),
        (ControlError("gone"), grpc.StatusCode.UNAVAILABLE, "gone"), (OSError("cut"), grpc.StatusCode.UNAVAILABLE, "cut"),
        (KeyError("own"), grpc.StatusCode.INTERNAL, "KeyError: 'own'"),
    ],
)  # fmt: skip
def test_how_a_stream_ends(raises: Exception, code: grpc.StatusCode, text: str) -> None:
    def other(*message: Any) -> None:
        raise raises

    streams = Streams(3)
    streams.serve(other)
    streams.serve(lambda *message: None)  # the first is the one
    assert streamed(streams, request(arbitration=update(1)), request(packet={}))[-1] == (code, text)


def test_a_stream_ends_where_there_is_no_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(3)
    streams.serve(None)
    messages = request(arbitration=update(1)), request(packet={})
    assert streamed(streams, *messages)[-1] == (grpc.StatusCode.UNAVAILABLE, "the switch has not started")
    monkeypatch.setattr("macsad.p4runtime.streams.STREAMS_MAX", 0)
    assert streamed(streams) == [(grpc.StatusCode.RESOURCE_EXHAUSTED, "there are 0 controllers already")]
    monkeypatch.setattr("macsad.p4runtime.streams.STREAMS_MAX", 1)  # who was refused is not there
    assert streamed(streams) == [None]


# --- roles -----------------------------------------------------------------------------------------------------------


def role(**config: Any) -> RoleConfig:
    given = message("MasterArbitrationUpdate")()
    given.role.config.Pack(messages().of("stratum.P4RoleConfig")(**config))
    return RoleConfig.of(given.role.config)


def test_ids_that_two_roles_may_not_have_are_told_in_order() -> None:
    first, second, third = 33554433, 1 << 20, 33558000
    with pytest.raises(Refused) as refused:
        role(exclusive_p4_ids=[third, 5, first, second], shared_p4_ids=[first, third, second, 7])
    assert refused.value.message == f"id {second}, {first}, {third}: exclusive and shared at once"
    mine = role(exclusive_p4_ids=[third, first], shared_p4_ids=[second, 7])
    mine.require_beside(role(shared_p4_ids=[7, second], exclusive_p4_ids=[8]))
    for other, ids in (
        (role(exclusive_p4_ids=[second, 8]), f"{second}"),
        (role(shared_p4_ids=[third, first, 7]), f"{first}, {third}"),
        (role(exclusive_p4_ids=[third, 7]), f"7, {third}"),
    ):
        with pytest.raises(Refused) as refused:
            mine.require_beside(other)
        assert refused.value.message == f"id {ids}: exclusive to a role, and in another one"


# --- the service -----------------------------------------------------------------------------------------------------


def made(**has: Any) -> Any:
    """A service with that; its controllers are an arbitration's."""
    bare: Any = Service.__new__(Service)
    bare._arbitration = Arbitration(3)
    bare._stopping = threading.Event()
    for name, value in has.items():
        setattr(bare, f"_{name}", value)
    return bare


def status_of(context: Context) -> Any:
    ((key, value),) = context.trailing
    assert key == "grpc-status-details-bin"
    return messages().of("google.rpc.Status").FromString(value)


def details(status: Any) -> list[tuple[int, str, str]]:
    found = []
    for detail in status.details:
        error = message("Error")()
        detail.Unpack(error)
        found.append((error.canonical_code, error.space, error.message))
    return found


def failed(results: list[Refused | None]) -> tuple[Context, str]:
    context = Context()
    with pytest.raises(Ended) as ended:
        made()._tell_each(results, context)
    assert ended.value.args[0] is grpc.StatusCode.UNKNOWN
    return context, ended.value.args[1]


def test_each_update_has_a_status_of_its_own() -> None:
    context, text = failed([None, Refused(Code.NOT_FOUND, "no such entry")])
    status = status_of(context)
    assert (text, status.code, status.message) == ("updates failed", Code.UNKNOWN, "updates failed")
    assert details(status) == [(0, "", ""), (Code.NOT_FOUND, "macsad", "no such entry")]


def test_too_much_to_tell_is_told_without_texts_then_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends a call has a limit of bytes, up to which it is told in full."""
    results = [None, Refused(Code.NOT_FOUND, "x" * 100), Refused(Code.ABORTED, "y")]
    whole, bare = (len(service._status(results, texts).SerializeToString()) for texts in (True, False))
    monkeypatch.setattr(service, "_TRAILER_MAX", whole)
    assert details(status_of(failed(results)[0]))[2] == (Code.ABORTED, "macsad", "y")
    for most in (whole - 1, bare):
        monkeypatch.setattr(service, "_TRAILER_MAX", most)
        assert details(status_of(failed(results)[0])) == [(0, "", ""), (Code.NOT_FOUND, "", ""), (Code.ABORTED, "", "")]
    monkeypatch.setattr(service, "_TRAILER_MAX", bare - 1)
    context, text = failed(results)
    assert context.trailing is None
    assert text == f"2 of 3 updates failed, too many to tell of each; the first: 1: {'x' * 100}"


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (Refused(Code.OUT_OF_RANGE, "far"), grpc.StatusCode.OUT_OF_RANGE, "far"),
        (ControlError("gone"), grpc.StatusCode.UNAVAILABLE, "gone"), (OSError("cut"), grpc.StatusCode.UNAVAILABLE, "cut"),
    ],
)  # fmt: skip
def test_calls_end_with_the_code_of_what_is_refused(error: Exception, code: grpc.StatusCode, text: str) -> None:
    with pytest.raises(Ended) as ended, service._Answering(Context()):
        raise error
    assert ended.value.args == (code, text)
    with pytest.raises(KeyError), service._Answering(Context()):  # our own fault is not the controller's
        raise KeyError


def test_roles_have_names() -> None:
    asked = message("WriteRequest")(device_id=3, role_id=1)
    with pytest.raises(Refused) as refused:
        made()._allow(asked)
    assert refused.value.code is Code.UNIMPLEMENTED
    assert made()._allow(message("WriteRequest")(device_id=3)) is None


def primary(of: Any, role: str = "", **config: Any) -> Controller:
    """Of a service; it has taken the answer to its arbitration."""
    controller, given = Controller(), update(5, role)
    if config:
        given.role.config.Pack(messages().of("stratum.P4RoleConfig")(**config))
    of._arbitration.update(controller, given)
    taken(controller)
    return controller


def test_packets_go_to_the_primaries_whose_roles_take_them() -> None:
    def packets_in(frames: Any) -> Any:
        return [RESPONSE(packet={"payload": frame}).SerializeToString() for frame in frames]

    of = made(packet_in=SimpleNamespace(packets_in=packets_in))
    every, some, none = primary(of), primary(of, "a", receives_packet_ins=True), primary(of, "b", exclusive_p4_ids=[1])
    of._packets_in([b"x", b"y"])
    assert [[one.packet.payload for one in taken(controller)] for controller in (every, some, none)] == [
        [b"x", b"y"], [b"x", b"y"], [],
    ]  # fmt: skip


def test_what_concerns_no_role_is_sent_to_nobody() -> None:
    of, digest = made(), RESPONSE(digest={"digest_id": 1})
    assert of._to_primaries(digest) is False
    other = primary(of, "b", exclusive_p4_ids=[2])
    assert of._to_primaries(digest) is False and taken(other) == []
    mine = primary(of, "a", exclusive_p4_ids=[1])
    assert of._to_primaries(digest) is True and taken(mine) == [digest] and taken(other) == []


def send(of: Any, asked: Any) -> Any:
    """The error that the primary gets, or None."""
    controller = primary(of)
    of._other(controller, asked, asked.WhichOneof("update"))
    of._arbitration.gone(controller)
    return next((one.error for one in taken(controller)), None)


class Packets:
    def __init__(self, answer: Any) -> None:
        self.answer, self.frames = answer, list[Any]()

    def inject(self, port: int, frames: list[bytes]) -> int:
        self.frames.append((port, *frames))
        if isinstance(self.answer, Exception):
            raise self.answer
        return int(self.answer)


@pytest.mark.parametrize(
    ("cpu_port", "answer", "code"),
    [
        (9, 1, None), (0, 1, None), (None, 1, Code.FAILED_PRECONDITION), (9, 0, Code.RESOURCE_EXHAUSTED),
        (9, ControlError("too long"), Code.INVALID_ARGUMENT),
    ],
)  # fmt: skip
def test_packets_out(cpu_port: int | None, answer: Any, code: Code | None) -> None:
    """An error comes with the packet that it is of."""
    packets = Packets(answer)
    of = made(
        cpu_port=cpu_port, packets=packets, packets_lock=threading.Lock(), pipeline=SimpleNamespace(require=lambda: None),
        packet_out=SimpleNamespace(frame=lambda packet: b"head" + packet.payload),
    )  # fmt: skip
    error = send(of, request(packet={"payload": b"x"}))
    assert packets.frames == ([] if cpu_port is None else [(cpu_port, b"headx")])
    assert (error and error.canonical_code) == code
    assert error is None or error.packet_out.packet_out.payload == b"x"


def test_a_switch_that_is_gone_ends_the_stream() -> None:
    of = made(
        cpu_port=9, packets=Packets(NoSwitchError("gone")), packets_lock=threading.Lock(),
        pipeline=SimpleNamespace(require=lambda: None), packet_out=SimpleNamespace(frame=lambda packet: b""),
    )  # fmt: skip
    with pytest.raises(NoSwitchError):
        send(of, request(packet={}))


def test_other_messages() -> None:
    acknowledged: list[int] = []
    of = made(
        device=SimpleNamespace(digests=SimpleNamespace(acknowledged=lambda ack: acknowledged.append(ack.list_id)))
    )
    assert send(of, request(digest_ack={"list_id": 7})) is None and acknowledged == [7]
    error = send(of, request(other={"type_url": "x/y"}))
    assert (error.canonical_code, error.other.other.type_url) == (Code.UNIMPLEMENTED, "x/y")
    backup = Controller()
    of._arbitration.update(backup, update(1))
    of._other(backup, request(digest_ack={"list_id": 8}), "digest_ack")
    of._other(backup, request(packet={}), "packet")
    errors = [one.error for one in taken(backup)[1:]]
    assert [one.canonical_code for one in errors] == [Code.PERMISSION_DENIED] * 2 and acknowledged == [7]
    assert errors[0].digest_list_ack.digest_list_ack.list_id == 8 and errors[1].HasField("packet_out")


def test_packets_wait_in_the_switch_while_a_controller_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for one that reads nothing, nor for one that has little to read."""
    monkeypatch.setattr(service, "WAITING", 2)
    of = made()
    slow = primary(of)
    waits: list[int] = []

    def wait(seconds: float) -> bool:
        waits.append(slow.waiting)
        next(got, None)
        return False

    of._stopping = SimpleNamespace(wait=wait)
    for count, reads in ((2, []), (5, [5, 4, 3])):
        waits.clear()
        slow.send_all([b""] * (count - slow.waiting))
        got = slow.responses()
        of._let_read()
        assert waits == reads
    got = iter(())
    slow.send_all([b""] * 5)
    waits.clear()
    of._let_read()
    assert len(waits) == 1


@pytest.mark.parametrize("keep", [False, True])
def test_another_program_takes_over(monkeypatch: pytest.MonkeyPatch, keep: bool) -> None:
    """What is no program's stays where state is kept, and goes otherwise; the device of the program before is closed."""
    did: list[Any] = []

    def load(*given: str) -> str:
        did.append(("load", *given))
        return "program"

    monkeypatch.setattr(
        "macsad.p4runtime.service.replacement",
        SimpleNamespace(
            load=load,
            keep=lambda client: did.append(("keep", client)), swap=lambda client: did.append(("swap", client)),
        ),
    )  # fmt: skip
    monkeypatch.setattr("macsad.p4runtime.pipeline.forget", lambda client: did.append(("forget", client)))
    monkeypatch.setattr(Device, "of", lambda socket, program, send: f"device of {program}")
    before = SimpleNamespace(client="client", close=lambda: did.append("close"))
    of = made(device=before, socket="socket")
    of._use, of.on_replaced = lambda device: did.append(("use", device)), lambda: did.append("told")
    of._replace("info", "made", keep)
    swap = [("keep", "client"), ("swap", "client")] if keep else [("swap", "client"), ("forget", "client")]
    assert did == [("load", "client", "info", "made"), *swap, ("use", "device of program"), "close", "told"]


def test_a_device_that_is_closed_leaves_the_switch() -> None:
    """With its own connection, and with that of each type of strings."""
    closed: list[str] = []

    def client(name: str) -> Any:
        return SimpleNamespace(close=lambda: closed.append(name), read_notes=lambda prefix: iter(()))

    strings = [Strings(name, (), None) for name in ("a", "b")]
    for one in strings:
        one.keep(client(one.name))
    device = Device(client("own"), SimpleNamespace(translations=strings), None, None)  # type: ignore[arg-type]
    device.close()
    device.close()
    assert closed == ["own", "a", "b", "own"]
    assert strings[0].number(b"3", 8) == 3  # it is not kept


@pytest.mark.parametrize(
    ("call", "request_of"),
    [
        ("write", "WriteRequest"), ("read", "ReadRequest"), ("set_pipeline", "SetForwardingPipelineConfigRequest"),
        ("get_pipeline", "GetForwardingPipelineConfigRequest"),
    ],
)  # fmt: skip
def test_a_request_for_another_device_is_not_for_this_one(call: str, request_of: str) -> None:
    """Nothing else is looked at."""
    with pytest.raises(Ended) as ended:
        answer = getattr(made(), call)(message(request_of)(device_id=4), Context())
        list(answer)
    assert ended.value.args == (grpc.StatusCode.NOT_FOUND, "this is device 3, not 4")
