"""The service: requests of controllers, carried out on a switch. P4Runtime spec 1.4.1 sections 12 to 17.

Threads: gRPC calls the methods from threads of its own, and streams.py those of messages. `_lock` guards the device. One
thread takes packets and digests from the switch.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import grpc

from macsad.control import Client
from macsad.p4runtime import pipeline, reading, replacement
from macsad.p4runtime.arbitration import Controller
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.device import Device
from macsad.p4runtime.messages import Message, message, messages
from macsad.p4runtime.packets import Header
from macsad.p4runtime.pipeline import Pipeline
from macsad.p4runtime.program import Program
from macsad.p4runtime.replacement import Builder, Replacement
from macsad.p4runtime.roles import RoleConfig, write_within
from macsad.p4runtime.streams import STATUS, Streams
from macsad.p4runtime.writing import Writer
from macsad.protocol import ControlError, Digest, Idle, NoSwitchError, Push

VERSION = "1.4.1"
_CONTINUE_ON_ERROR, _ROLLBACK_ON_ERROR, _DATAPLANE_ATOMIC = 0, 1, 2
WAITING = 1000  # messages for a controller with which no further ones are taken from the switch
_READ_S = 0.02  # in which one that reads has read some of them
_TRAILER_MAX = 8000  # bytes of what ends a call: gRPC clients refuse more than 16 KiB, some from 8 KiB on
_PART = 32 << 10  # bytes of a ReadResponse, at which it is sent


class Service:
    """P4Runtime of one switch. `streams`: of its controllers, which may have begun before there was a switch; `cpu_port`: the
    `ctl:` port of packets from and to controllers, None without; `awaits`: its program stands for none until a controller sets
    one."""

    def __init__(
        self,
        socket: Path,
        program: Program,
        *,
        streams: Streams | None = None,
        cpu_port: int | None = None,
        device_config: bytes = b"",
        build: Builder | None = None,
        awaits: bool = False,
    ) -> None:
        self._lock = threading.Lock()
        self._socket = socket
        self.streams = streams or Streams(0)
        self._arbitration = self.streams.arbitration
        self._device = Device.of(socket, program, self._to_primaries)
        self._packets = Client(socket)  # to the switch
        self._packets_lock = threading.Lock()
        self._pushed = Client(socket)  # packets and digests from it
        self.on_replaced: Callable[[], None] = lambda: None  # called when another program runs
        self._pipeline = Pipeline(program.info, device_config, self.clear, self._replace, build, awaits)
        self._cpu_port = cpu_port
        self._use(self._device)
        self._pushed.subscribe(Push.DIGESTS | Push.IDLE)
        if cpu_port is not None:
            self._pushed.take_frames(cpu_port)
        self._stopping = threading.Event()
        self.switch_ended = threading.Event()
        self._attendant = threading.Thread(target=self._attend, name="packets", daemon=True)
        self._attendant.start()
        self.streams.serve(self._other)

    def close(self) -> None:
        """End the streams and leave the switch."""
        self._stopping.set()
        self._arbitration.end()
        self._pushed.break_off()
        self._attendant.join(5)
        self._pushed.close()
        self._packets.close()
        self._device.close()

    def _use(self, device: Device) -> None:
        self._device = device
        self._writer = Writer(device)
        self._packet_in = Header.of(device.program, "packet_in")
        self._packet_out = Header.of(device.program, "packet_out")

    # --- calls -------------------------------------------------------------------------------------------------------

    def write(self, request: Message, context: Any) -> Message:
        with _Answering(context):
            config = self._allow(request)
            self._pipeline.require()
            write = {
                _CONTINUE_ON_ERROR: self._writer.write,
                _ROLLBACK_ON_ERROR: self._writer.write_all_or_nothing,
                _DATAPLANE_ATOMIC: self._writer.write_atomically,
            }
            if request.atomicity not in write:
                raise Refused(Code.INVALID_ARGUMENT, "the atomicity is not known")
            with self._lock:
                results = write_within(
                    config,
                    request.updates,
                    write[request.atomicity],
                    all_or_nothing=request.atomicity != _CONTINUE_ON_ERROR,
                )
        if any(results):
            self._tell_each(results, context)
        return message("WriteResponse")()

    def read(self, request: Message, context: Any) -> Iterator[bytes]:
        """ReadResponses in wire form."""
        with _Answering(context):
            self._arbitration.require_device(request.device_id)
            config = self._arbitration.config(request.role)
            self._pipeline.require()
            parts = reading.read(self._device, request.entities, config)
            waiting, size = list[bytes](), 0
            while True:
                with self._lock:  # others have their turn between two parts
                    part = next(parts, None)
                if part is not None:
                    waiting.append(part)
                    size += len(part)
                if waiting and (part is None or size >= _PART):
                    yield b"".join(waiting)
                    waiting, size = [], 0
                if part is None:
                    return

    def set_pipeline(self, request: Message, context: Any) -> Message:
        with _Answering(context):
            config = self._allow(request)
            if config is not None and not config.pipelines:
                raise Refused(Code.PERMISSION_DENIED, f"the role '{request.role}' does not set the program")
            with self._lock:
                self._pipeline.set(request)
        return message("SetForwardingPipelineConfigResponse")()

    def get_pipeline(self, request: Message, context: Any) -> Message:
        with _Answering(context):
            self._arbitration.require_device(request.device_id)
            return self._pipeline.get(request)

    def capabilities(self, request: Message, context: Any) -> Message:
        return message("CapabilitiesResponse")(p4runtime_api_version=VERSION)

    # --- streams -----------------------------------------------------------------------------------------------------

    def _other(self, controller: Controller, request: Message, kind: str | None) -> None:
        """A message that is answered by an error at most, with which the stream goes on."""
        try:
            if kind == "packet":
                if not self._arbitration.is_primary(controller):
                    raise Refused(Code.PERMISSION_DENIED, "only the primary sends packets")
                self._pipeline.require()
                self._send(request.packet)
            elif kind == "digest_ack":
                if not self._arbitration.is_primary(controller):
                    raise Refused(Code.PERMISSION_DENIED, "only the primary acknowledges")
                self._device.digests.acknowledged(request.digest_ack)
            else:
                raise Refused(Code.UNIMPLEMENTED, "a message of this kind is not known")
        except Refused as refused:
            response = message("StreamMessageResponse")()
            error = response.error
            error.canonical_code, error.message = refused.code, refused.message
            if kind == "packet":
                error.packet_out.packet_out.CopyFrom(request.packet)
            elif kind == "digest_ack":
                error.digest_list_ack.digest_list_ack.CopyFrom(request.digest_ack)
            else:
                error.other.other.CopyFrom(request.other)
            controller.send(response)

    def _send(self, packet: Message) -> None:
        if self._cpu_port is None:
            raise Refused(Code.FAILED_PRECONDITION, "the switch has no port for packets of controllers (ctl:)")
        frame = self._packet_out.frame(packet)
        with self._packets_lock:
            try:
                taken = self._packets.inject(self._cpu_port, [frame])
            except NoSwitchError:
                raise
            except ControlError as error:
                raise Refused(Code.INVALID_ARGUMENT, str(error)) from None
        if not taken:
            raise Refused(Code.RESOURCE_EXHAUSTED, "the switch has no room for the packet")

    def _attend(self) -> None:
        """Packets and digests of the switch go to the primaries."""
        while not self._stopping.is_set():
            digests = self._device.digests
            self._let_read()
            try:
                pushed = self._pushed.pushed(digests.wait())
            except (ControlError, OSError):
                if not self._stopping.is_set():
                    self.switch_ended.set()
                    self._arbitration.end()
                return
            if isinstance(pushed, Digest):
                digests.received(pushed)
            if isinstance(pushed, Idle):
                self._expired(pushed)
            if isinstance(pushed, list):
                self._packets_in(frame for _, frame in pushed)
            digests.tick()

    def _packets_in(self, frames: Iterable[bytes]) -> None:
        """To those whose roles take packets, or some of them."""
        made = list(self._packet_in.packets_in(frames))
        of = message("StreamMessageResponse").FromString
        for controller in self._arbitration.primaries():
            config = controller.config
            controller.send_all(made if config is None else [one for one in made if config.part(of(one)) is not None])

    def _let_read(self) -> None:
        """While controllers have much to read, packets wait in the switch: who takes them would keep the interpreter from those
        who send. One that reads nothing holds nobody up."""
        for controller in self._arbitration.primaries():
            while (waiting := controller.waiting) > WAITING and not self._stopping.wait(_READ_S):
                if controller.waiting >= waiting:
                    break

    def _expired(self, idle: Idle) -> None:
        """IdleTimeoutNotification. P4Runtime spec 1.4.1 section 16.4."""
        response = message("StreamMessageResponse")()
        told = response.idle_timeout_notification
        with self._lock, contextlib.suppress(ControlError, OSError):  # the next look finds that the switch is gone
            told.table_entry.extend(reading.expired(self._device.client, self._device.program, idle))
            told.timestamp = time.time_ns()
            if told.table_entry:
                self._to_primaries(response)

    def _to_primaries(self, response: Message) -> bool:
        """To those whose roles it concerns. False: there is none."""
        sent = False
        for controller in self._arbitration.primaries():
            part = response if controller.config is None else controller.config.part(response)
            if part is not None:
                controller.send(part)
                sent = True
        return sent

    def clear(self) -> None:
        """All state is as when the switch starts; its caller is alone."""
        pipeline.clear(self._device.client, self._device.program)
        self._device.digests.clear()
        for strings in self._device.program.translations:
            strings.forget()

    def _replace(self, info: Message, made: Replacement, keep: bool) -> None:
        """Another program runs from now on; its caller is alone. Raises: Refused."""
        client = self._device.client
        program = replacement.load(client, info, made)
        if keep:
            replacement.keep(client)
        replacement.swap(client)
        if not keep:
            pipeline.forget(client)
        before = self._device
        self._use(Device.of(self._socket, program, self._to_primaries))
        before.close()
        self.on_replaced()

    # --- answers -----------------------------------------------------------------------------------------------------

    def _allow(self, request: Message) -> RoleConfig | None:
        """The configuration of the role that the request is of. Raises: Refused."""
        if request.role_id:
            raise Refused(Code.UNIMPLEMENTED, "roles have names; their numbers are of an older version")
        election = request.election_id if request.HasField("election_id") else None
        return self._arbitration.require(request.device_id, request.role, election)

    def _tell_each(self, results: list[Refused | None], context: Any) -> None:
        """A status of each update goes with the call's own. P4Runtime spec 1.4.1 section 12.3. Without texts, or none at all,
        where gRPC clients would not take as much: they would then learn of no failure but that."""
        for texts in (True, False):
            status = _status(results, texts).SerializeToString()
            if len(status) <= _TRAILER_MAX:
                context.set_trailing_metadata((("grpc-status-details-bin", status),))
                context.abort(grpc.StatusCode.UNKNOWN, "updates failed")
        failed = [(number, refused) for number, refused in enumerate(results) if refused is not None]
        number, first = failed[0]
        context.abort(
            grpc.StatusCode.UNKNOWN,
            f"{len(failed)} of {len(results)} updates failed, too many to tell of each; the first: {number}: {first.message}",
        )


def _status(results: list[Refused | None], texts: bool) -> Message:
    status = messages().of("google.rpc.Status")(code=Code.UNKNOWN, message="updates failed")
    for refused in results:
        told = message("Error")()
        if refused is not None:
            told.canonical_code, told.space = refused.code, "macsad" if texts else ""
            told.message = refused.message if texts else ""
        status.details.add().Pack(told)
    return status


class _Answering:
    """Ends a call with the code of what is refused in it."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Refused):
            self._context.abort(STATUS[error.code], error.message)
        if isinstance(error, (ControlError, OSError)):
            self._context.abort(grpc.StatusCode.UNAVAILABLE, str(error))


def handlers(service: Any, streams: Streams) -> Any:
    """The service, or what stands for it, and its streams, as gRPC wants them."""

    def handler(make: Callable[..., Any], method: Callable[..., Any], request: str, response: str | None) -> Any:
        """`response`: None, if the method gives bytes."""
        return make(
            method,
            request_deserializer=message(request).FromString,
            response_serializer=message(response).SerializeToString if response else None,
        )

    unary = grpc.unary_unary_rpc_method_handler
    set_config, get_config = "SetForwardingPipelineConfig", "GetForwardingPipelineConfig"
    methods = {
        "Write": handler(unary, service.write, "WriteRequest", "WriteResponse"),
        "Read": handler(grpc.unary_stream_rpc_method_handler, service.read, "ReadRequest", None),
        set_config: handler(unary, service.set_pipeline, f"{set_config}Request", f"{set_config}Response"),
        get_config: handler(unary, service.get_pipeline, f"{get_config}Request", f"{get_config}Response"),
        "StreamChannel": handler(grpc.stream_stream_rpc_method_handler, streams.stream, "StreamMessageRequest", None),
        "Capabilities": handler(unary, service.capabilities, "CapabilitiesRequest", "CapabilitiesResponse"),
    }
    return grpc.method_handlers_generic_handler("p4.v1.P4Runtime", methods)
