"""Who the primary controller of each role is. P4Runtime spec 1.4.1 sections 5 and 16.

A controller is a stream. Of the controllers of a role, the primary is the one with the highest election id that the role has
ever had; if that one is gone, there is none until a controller comes with an id at least as high. Its configuration is the
role's (roles.py).
Threads: any.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.roles import RoleConfig

UNREAD_MAX = 10_000  # messages that wait for a controller that does not read; further ones are lost to it


@dataclass(eq=False, slots=True)
class Controller:
    """A stream: what it has said of itself, and the messages for it, in wire form, as many at once as there are.

    Threads: one takes the messages; any send them, and end the stream.
    """

    role: str | None = None
    election: int | None = None
    config: RoleConfig | None = None
    _out: queue.SimpleQueue[list[bytes] | None] = field(default_factory=queue.SimpleQueue)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _sent: int = 0
    _taken: int = 0

    @property
    def waiting(self) -> int:
        """Messages that it has not taken yet."""
        return self._sent - self._taken

    def send(self, response: Message) -> None:
        self.send_all([response.SerializeToString()])

    def send_all(self, responses: list[bytes]) -> None:
        with self._lock:
            part = responses[: max(UNREAD_MAX - self.waiting, 0)]
            self._sent += len(part)
        if part:
            self._out.put(part)

    def end(self) -> None:
        self._out.put(None)

    def responses(self) -> Iterator[bytes]:
        """Until it is ended."""
        while (part := self._out.get()) is not None:
            for response in part:
                self._taken += 1
                yield response


def number_of(election: Message) -> int:
    """A Uint128."""
    return int(election.high) << 64 | int(election.low)


class Arbitration:
    """The controllers of one device."""

    def __init__(self, device: int) -> None:
        self.device = device
        self._lock = threading.Lock()
        self._controllers: list[Controller] = []
        self._highest: dict[str, int] = {}

    def update(self, controller: Controller, given: Message) -> None:
        """A MasterArbitrationUpdate has come. Raises: Refused, and then the stream ends."""
        role = given.role.name if given.HasField("role") else ""
        election = number_of(given.election_id) if given.HasField("election_id") else None
        config = RoleConfig.of(given.role.config) if given.role.HasField("config") else None
        with self._lock:
            self._check(controller, given, role, election)
            self._check_config(role, config)
            before = self._primary(role)
            known = controller in self._controllers
            if not known:
                self._controllers.append(controller)
            controller.role, controller.election, controller.config = role, election, config
            if election is not None:
                self._highest[role] = max(election, self._highest.get(role, 0))
            if self._primary(role) is not before:
                self._tell(role, [c for c in self._controllers if c.role == role])
            else:
                self._tell(role, [controller])

    def _check(self, controller: Controller, given: Message, role: str, election: int | None) -> None:
        self.require_device(given.device_id)
        if given.role.id:
            raise Refused(Code.UNIMPLEMENTED, "roles have names; their numbers are of an older version")
        if controller.role is not None and controller.role != role:
            raise Refused(Code.FAILED_PRECONDITION, "the role of a stream cannot change")
        if election == 0:
            raise Refused(Code.INVALID_ARGUMENT, "an election id is above 0")
        for other in self._controllers:
            if other is not controller and other.role == role and election is not None and other.election == election:
                raise Refused(Code.INVALID_ARGUMENT, "another controller has this election id")

    def _check_config(self, role: str, config: RoleConfig | None) -> None:
        if config is None:
            return
        if not role:
            raise Refused(Code.INVALID_ARGUMENT, "the default role is responsible for everything")
        for other in self._controllers:
            if other.role != role and other.config is not None:
                config.require_beside(other.config)

    def gone(self, controller: Controller) -> None:
        """Its stream has ended."""
        with self._lock:
            if controller not in self._controllers:
                return
            role = controller.role or ""
            before = self._primary(role)
            self._controllers.remove(controller)
            if self._primary(role) is not before:
                self._tell(role, [c for c in self._controllers if c.role == role])

    def end(self) -> None:
        """End all streams."""
        with self._lock:
            for controller in self._controllers:
                controller.end()

    def require_device(self, device: int) -> None:
        """Raises: Refused, if another device is meant."""
        if device != self.device:
            raise Refused(Code.NOT_FOUND, f"this is device {self.device}, not {device}")

    def require(self, device: int, role: str, election: Message | None) -> RoleConfig | None:
        """Only the primary writes; who gives no election id does while no controller has one, as with BMv2's server. Gives the
        configuration of its role. Raises: Refused."""
        self.require_device(device)
        with self._lock:
            if election is None and not role and all(c.election is None for c in self._controllers):
                return None
            primary = self._primary(role)
            if election is None or primary is None or primary.election != number_of(election):
                raise Refused(Code.PERMISSION_DENIED, f"the controller is not the primary of the role '{role}'")
            return primary.config

    def config(self, role: str) -> RoleConfig | None:
        """That of a role; None: everything is its."""
        with self._lock:
            primary = self._primary(role)
            return primary.config if primary is not None else None

    def is_primary(self, controller: Controller) -> bool:
        with self._lock:
            return controller.role is not None and self._primary(controller.role) is controller

    def primaries(self) -> list[Controller]:
        """Those who get packets and digests."""
        with self._lock:
            roles = {c.role for c in self._controllers if c.role is not None}
            return [primary for role in roles if (primary := self._primary(role)) is not None]

    def _primary(self, role: str) -> Controller | None:
        highest = self._highest.get(role)
        return next((c for c in self._controllers if c.role == role and c.election == highest and highest), None)

    def _tell(self, role: str, whom: list[Controller]) -> None:
        primary = self._primary(role)
        for controller in whom:
            response = message("StreamMessageResponse")()
            told = response.arbitration
            told.device_id = self.device
            if role:
                told.role.name = role
            if (highest := self._highest.get(role)) is not None:
                told.election_id.high, told.election_id.low = highest >> 64, highest & (1 << 64) - 1
            if primary is None:
                told.status.code, told.status.message = Code.NOT_FOUND, "there is no primary"
            elif primary is controller:
                told.status.message = "primary"
            else:
                told.status.code, told.status.message = Code.ALREADY_EXISTS, "another controller is the primary"
            controller.send(response)
