"""Multicast groups and clone sessions. P4Runtime spec 1.4.1 section 9.5.

A clone session is a multicast group of its own, whose number tells the session. So what was written can be read from the switch.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from macsad.control import Client
from macsad.p4runtime import notes
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.numbers import canonical, fixed

SESSIONS = 1 << 15  # the group of session N is this + N; groups of controllers are below
SESSION_MAX = SESSIONS - 2
BYTES_MAX = (1 << 24) - 1  # of a clone; no frame is longer
_REPLICA = struct.Struct(">HH")  # instance, port
_GROUP = re.compile(r"mgrp\((\d+)\)")
_NODE = re.compile(r"\(L1h=(\d+), rid=(\d+)\) -> \(ports=\[([\d, ]*)\]")
_NO_SERVICE = "only where ports have queues or egress asks"  # of a switch whose clones have no class of service
_SESSION = re.compile(r": multicast group (\d+)(?:, at most (\d+) bytes)?(?:, priority (\d+))?$")

Node = tuple[int, int, tuple[int, ...]]  # handle, instance, ports


def write(client: Client, kind: int, entry: Message) -> None:
    """INSERT, MODIFY or DELETE a group or a session. Raises: Refused."""
    match entry.WhichOneof("type"):
        case "multicast_group_entry":
            given = entry.multicast_group_entry
            number = given.multicast_group_id
            if not 0 < number < SESSIONS:
                code = Code.OUT_OF_RANGE if number else Code.INVALID_ARGUMENT
                raise Refused(code, f"multicast groups are 1 to {SESSIONS - 1}")
            _change(client, kind, number, given.replicas)
            note = b"" if kind == 3 else given.metadata
            client.update([notes.change(_note(number), note), _old_ports(kind, number, given.replicas)])
        case "clone_session_entry":
            given = entry.clone_session_entry
            if not 0 < given.session_id <= SESSION_MAX:
                code = Code.OUT_OF_RANGE if given.session_id else Code.INVALID_ARGUMENT
                raise Refused(code, f"clone sessions are 1 to {SESSION_MAX}")
            number = SESSIONS + given.session_id
            _change(client, kind, number, given.replicas, given)
            client.update([_old_ports(kind, number, given.replicas)])
        case _:
            raise Refused(Code.INVALID_ARGUMENT, "it is neither a multicast group nor a clone session")


def clear(client: Client) -> None:
    """Remove all groups and sessions. Raises: Refused."""
    for number, nodes in _groups(client).items():
        for handle, _, _ in nodes:
            _do(client, f"mc_node_destroy {handle}")
        _do(client, f"mc_mgrp_destroy {number}")
        if number > SESSIONS:
            client.command(f"mirroring_delete {number - SESSIONS}")


def _note(number: int) -> bytes:
    return notes.Names.REPLICATION + number.to_bytes(4, "big")


def _old_ports(kind: int, number: int, replicas: Message) -> bytes:
    """The change of the note of the replicas whose ports were given in the older form, in which they are read again."""
    old = [] if kind == 3 else [one for one in replicas if one.WhichOneof("port_kind") == "egress_port"]
    return notes.change(_old_name(number), b"".join([_REPLICA.pack(one.instance, one.egress_port) for one in old]))


def _old_name(number: int) -> bytes:
    return notes.Names.OLD_PORTS + number.to_bytes(4, "big")


def _set_session(client: Client, given: Message) -> None:
    """Where its clones go, how long they are, and in which queue they wait. Raises: Refused."""
    if not 0 <= given.packet_length_bytes <= BYTES_MAX:
        code = Code.OUT_OF_RANGE if given.packet_length_bytes > 0 else Code.INVALID_ARGUMENT
        raise Refused(code, f"clones are cut to 1 to {BYTES_MAX} bytes")
    limits = f"{given.packet_length_bytes} {given.class_of_service}"
    reply = client.command(f"mirroring_add_mc {given.session_id} {SESSIONS + given.session_id} {limits}")
    if not reply.ok:
        code = Code.UNIMPLEMENTED if _NO_SERVICE in reply.text else Code.INVALID_ARGUMENT
        raise Refused(code, f"class of service: {reply.text.strip()}")


def _instances(replicas: Message) -> dict[int, list[int]]:
    """Instance → ports. Raises: Refused."""
    instances: dict[int, list[int]] = {}
    for replica in replicas:
        if replica.backup_replicas:
            raise Refused(Code.UNIMPLEMENTED, "replicas have no backups")
        named = replica.WhichOneof("port_kind") == "port"
        port = int.from_bytes(fixed(replica.port, 32), "big") if named else replica.egress_port
        if replica.instance > 0xFFFF:
            raise Refused(Code.INVALID_ARGUMENT, "instances have 16 bits")
        if port > 0xFFFF:
            raise Refused(Code.OUT_OF_RANGE, "ports have 16 bits")
        ports = instances.setdefault(replica.instance, [])
        if port in ports:
            raise Refused(
                Code.INVALID_ARGUMENT, f"the replica (port {port}, instance {replica.instance}) is there twice"
            )
        ports.append(port)
    return instances


def _change(client: Client, kind: int, number: int, replicas: Message, session: Message | None = None) -> None:
    """A group; with `session` that session's, which is set before its clones find replicas. Raises: Refused."""
    if kind not in (1, 2, 3):
        raise Refused(Code.INVALID_ARGUMENT, "an update inserts, modifies or deletes")
    instances = _instances(replicas) if kind != 3 else {}
    old = _groups(client).get(number)
    if kind == 1 and old is not None:
        raise Refused(Code.ALREADY_EXISTS, "it is there already")
    if kind in (2, 3) and old is None:
        raise Refused(Code.NOT_FOUND, "it is not there")
    if session is not None and kind != 3:
        _set_session(client, session)
    for handle, _, _ in old or ():
        _do(client, f"mc_node_destroy {handle}")
    if kind == 3:
        _do(client, f"mc_mgrp_destroy {number}")
        if session is not None:
            _do(client, f"mirroring_delete {session.session_id}")
        return
    if old is None:
        _do(client, f"mc_mgrp_create {number}")
    for instance, ports in instances.items():
        made = _do(client, " ".join(["mc_node_create", str(instance), *map(str, ports)]))
        _do(client, f"mc_node_associate {number} {made.split()[-1]}")


def _do(client: Client, line: str) -> str:
    reply = client.command(line)
    if not reply.ok:
        raise Refused(Code.INTERNAL, reply.text.strip())
    return reply.text


def _groups(client: Client) -> dict[int, list[Node]]:
    """The groups of the switch and their nodes."""
    groups: dict[int, list[Node]] = {}
    nodes: list[Node] = []
    for line in _do(client, "mc_dump").splitlines():
        if group := _GROUP.match(line):
            nodes = groups[int(group[1])] = []
        elif node := _NODE.search(line):
            ports = tuple(int(port) for port in node[3].split(",") if port.strip())
            nodes.append((int(node[1]), int(node[2]), ports))
    return groups


def read(client: Client, asked: Message) -> Iterator[Message]:
    """The groups and sessions that an entry with a number left out stands for."""
    what = asked.WhichOneof("type")
    for number, nodes in _groups(client).items():
        entity = message("Entity")()
        made = entity.packet_replication_engine_entry
        if number < SESSIONS and what != "clone_session_entry":
            if what and asked.multicast_group_entry.multicast_group_id not in (0, number):
                continue
            made.multicast_group_entry.multicast_group_id = number
            made.multicast_group_entry.metadata = notes.of(client, _note(number))
            _fill(client, number, made.multicast_group_entry.replicas, nodes)
            yield entity
        elif number > SESSIONS and what != "multicast_group_entry":
            session = number - SESSIONS
            if what and asked.clone_session_entry.session_id not in (0, session):
                continue
            told = _SESSION.search(client.command(f"mirroring_get {session}").text.strip())
            if told is None or int(told[1]) != number:
                continue
            made.clone_session_entry.session_id = session
            made.clone_session_entry.packet_length_bytes = int(told[2] or 0)
            made.clone_session_entry.class_of_service = int(told[3] or 0)
            _fill(client, number, made.clone_session_entry.replicas, nodes)
            yield entity


def _fill(client: Client, number: int, replicas: Message, nodes: list[Node]) -> None:
    old = set(_REPLICA.iter_unpack(notes.of(client, _old_name(number))))
    for _, instance, ports in nodes:
        for port in ports:
            if (instance, port) in old:
                replicas.add(egress_port=port, instance=instance)
            else:
                replicas.add(port=canonical(port.to_bytes(2, "big")), instance=instance)
