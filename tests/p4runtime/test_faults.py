"""Controllers, servers and switches that are killed: nothing is lost that was acknowledged. MACSAD_FAULT_ROUNDS=N for more
rounds than the few of each run."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from built_once import built_once
from controller import INSERT, MODIFY, Controller, Stream, entity, octets, update
from served_switch import CPU, PROGRAM, Served, make
from switch_harness import Switch, ethernet

from macsad.p4runtime.codes import Code
from macsad.p4runtime.messages import message

ROUNDS = int(os.environ.get("MACSAD_FAULT_ROUNDS", "2"))
BATCH = 100  # updates
OK = Code.OK

WRITER = """
import sys, time
sys.path[:0] = {paths!r}
import grpc
from controller import INSERT, Controller, Stream, octets, update
from macsad.p4runtime.messages import messages
channel = grpc.insecure_channel({address!r})
stream = Stream(channel)
assert stream.arbitrate({election}).status.code == 0
info = messages().of("p4.config.v1.P4Info").FromString(open({info!r}, "rb").read())
controller = Controller(channel, info, {election})
print("ready", flush=True)
for batch in range(10**6):
    keys = range(batch * {batch} + 1, (batch + 1) * {batch} + 1)
    updates = [update(INSERT, table_entry=controller.entry("exact_t", {{1: octets(k)}}, "count_forward", 1)) for k in keys]
    codes = controller.write(*updates)
    if any(codes):
        print("refused", max(codes), flush=True)
        break
    print(batch, flush=True)
"""


def keys(controller: Controller) -> set[int]:
    found = controller.read(entity(table_entry=controller.entry("exact_t", {})))
    return {int.from_bytes(e.table_entry.match[0].exact.value, "big") for e in found}


def batch_keys(batch: int) -> set[int]:
    return set(range(batch * BATCH + 1, (batch + 1) * BATCH + 1))


@pytest.fixture
def writer(served: Any, tmp_path: Path) -> Iterator[Any]:
    """Starts a controller in a process of its own, which writes batch after batch."""
    info = tmp_path / "info.binpb"
    info.write_bytes(served.info.SerializeToString())
    started: list[subprocess.Popen[str]] = []

    def start(election: int) -> subprocess.Popen[str]:
        paths = [str(Path(__file__).parent)]
        script = WRITER.format(paths=paths, address=served.address, election=election, info=str(info), batch=BATCH)
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_a_controller_is_killed_within_a_batch(turn: int, served: Any, writer: Any) -> None:
    served.clear()
    served.election = getattr(served, "election", 0) + 10
    process = writer(served.election)
    time.sleep(random.Random(turn).uniform(0.05, 0.3))
    process.kill()
    acknowledged = [int(line) for line in process.communicate()[0].split() if line.isdigit()]
    stream = Stream(served.channel)
    served.election += 10
    assert stream.arbitrate(served.election).status.code == OK
    controller = Controller(served.channel, served.info, served.election)
    there = keys(controller)
    for _ in range(100):  # the batch on its way may be done behind the first read
        time.sleep(0.01)
        if (now := keys(controller)) == there and len(now) % BATCH == 0:
            break
        there = now
    done = len(there) // BATCH
    assert there == set().union(*(batch_keys(batch) for batch in range(done)))  # whole batches
    assert done >= len(acknowledged)
    stream.close()


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_another_primary_takes_over(turn: int, served: Any, writer: Any) -> None:
    served.clear()
    served.election = getattr(served, "election", 0) + 10
    process = writer(served.election)
    time.sleep(random.Random(turn).uniform(0.05, 0.3))
    stream = Stream(served.channel)
    served.election += 10
    assert stream.arbitrate(served.election).status.code == OK
    lines = process.communicate(timeout=60)[0].split()
    assert lines[-2:] == ["refused", str(int(Code.PERMISSION_DENIED))]
    acknowledged = [int(line) for line in lines[:-2]]
    controller = Controller(served.channel, served.info, served.election)
    assert keys(controller) == set().union(*(batch_keys(batch) for batch in acknowledged))
    stream.close()


def everything(controller: Controller) -> list[bytes]:
    """All that can be read, but what packets change."""
    asked = [entity(table_entry=message("TableEntry")())]
    for info in controller.info.tables:
        asked.append(entity(table_entry=message("TableEntry")(table_id=info.preamble.id, is_default_action=True)))
    for name in ("action_profile_member", "action_profile_group", "value_set_entry", "digest_entry", "meter_entry"):
        made = message("Entity")()
        getattr(made, name).SetInParent()
        asked.append(made)
    made = message("Entity")()
    made.packet_replication_engine_entry.SetInParent()
    return sorted(e.SerializeToString(deterministic=True) for e in controller.read(*asked, made))


def fill(controller: Controller) -> None:
    """Something of all kinds."""
    profile = controller.id("action_profiles", "ways")
    member = message("ActionProfileMember")(action_profile_id=profile, member_id=5)
    member.action.CopyFrom(controller.entry("lpm_t", {}, "forward", 1).action.action)
    group = message("ActionProfileGroup")(action_profile_id=profile, group_id=6)
    group.members.add(member_id=5, weight=3, watch_port=b"\1")
    named = controller.entry("selector_t", {1: octets(7)})
    named.action.action_profile_group_id = 6
    shot = controller.entry("few_t", {1: octets(7)})
    added = shot.action.action_profile_action_set.action_profile_actions.add(weight=2)
    added.action.CopyFrom(member.action)
    string = controller.entry("name_t", {1: b"anything"})
    string.action.action.action_id = controller.id("actions", "to_port")
    string.action.action.params.add(param_id=1, value=b"1")
    digest = message("DigestEntry")(digest_id=controller.id("digests", "learn_t"))
    digest.config.max_list_size = 5
    value_set = message("ValueSetEntry")(value_set_id=controller.id("value_sets", "special"))
    value_set.members.add().match.add(field_id=1).exact.value = octets(0x99)
    multicast = message("PacketReplicationEngineEntry")()
    multicast.multicast_group_entry.multicast_group_id = 3
    multicast.multicast_group_entry.replicas.add(port=b"\1", instance=2)
    clone = message("PacketReplicationEngineEntry")()
    clone.clone_session_entry.session_id = 4
    clone.clone_session_entry.replicas.add(port=b"\1", instance=1)
    meter = message("MeterEntry")(meter_id=controller.id("meters", "police"), index=message("Index")(index=1))
    meter.config.cir, meter.config.pir, meter.config.cburst, meter.config.pburst = 1000, 2000, 10, 20
    default = controller.entry("lpm_t", {}, "forward", 0, is_default_action=True)
    assert controller.write(
        update(INSERT, action_profile_member=member), update(INSERT, action_profile_group=group),
        update(INSERT, table_entry=named), update(INSERT, table_entry=shot), update(INSERT, table_entry=string),
        update(INSERT, table_entry=controller.entry("exact_t", {1: octets(9)}, "count_forward", 1, metadata=b"note")),
        update(INSERT, digest_entry=digest), update(MODIFY, value_set_entry=value_set), update(MODIFY, meter_entry=meter),
        update(INSERT, packet_replication_engine_entry=multicast),
        update(INSERT, packet_replication_engine_entry=clone), update(MODIFY, table_entry=default),
    ) == [OK] * 12  # fmt: skip


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_a_server_is_restarted(turn: int, stream: Stream, controller: Controller, served: Any, tmp_path: Path) -> None:
    """The next one reads the same, and goes on: the switch forwards meanwhile."""
    fill(controller)
    before = everything(controller)
    assert len(before) > 20
    assert served.switch.client.exchange([(1, ethernet(9, 1))]) == [(0, ethernet(9, 1))]
    again = Served(served.switch, f"unix:{tmp_path}/p4rt")
    opened = Stream(again.channel)
    assert opened.arbitrate(1).status.code == OK
    second = Controller(again.channel, again.info)
    assert everything(second) == before
    shot = second.entry("few_t", {1: octets(8 + turn)})
    added = shot.action.action_profile_action_set.action_profile_actions.add(weight=1)
    added.action.CopyFrom(second.entry("lpm_t", {}, "forward", 1).action.action)
    assert second.write(update(INSERT, table_entry=shot)) == [OK]  # its group has a number of its own
    opened.close()
    again.close()
    assert served.switch.client.exchange([(1, ethernet(9, 1))]) == [(0, ethernet(9, 1))]


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_a_switch_is_killed(turn: int, tmp_path: Path) -> None:
    """Controllers are told."""
    binary = built_once(PROGRAM, make) / PROGRAM.stem
    ports = [f"--port={number}=ctl:" for number in (0, 1, CPU)]
    switch = Switch(binary, tmp_path, [*ports, "--buffers=8192"])
    serving = Served(switch, f"unix:{tmp_path}/p4rt")
    stream = Stream(serving.channel)
    assert stream.arbitrate(1).status.code == OK
    controller = Controller(serving.channel, serving.info)
    time.sleep(random.Random(turn).uniform(0, 0.05))
    switch.process.kill()
    switch.process.communicate()
    assert stream.ends() is Code.UNAVAILABLE
    assert serving.service.switch_ended.wait(20)
    with pytest.raises(grpc.RpcError) as failed:
        controller.read(entity(table_entry=controller.entry("exact_t", {})))
    assert failed.value.code() is grpc.StatusCode.UNAVAILABLE
    serving.close()
    switch.client.close()


def test_the_server_takes_the_next_switch(tmp_path: Path) -> None:
    binary = built_once(PROGRAM, make) / PROGRAM.stem
    arguments = [f"--port={number}=ctl:" for number in (0, 1, CPU)] + ["--buffers=8192"]
    address, socket = f"unix:{tmp_path}/p4rt", tmp_path / "sock"
    switch = Switch(binary, tmp_path, arguments)
    command = [str(Path(sys.executable).with_name("macsad")), "serve", address, str(PROGRAM), "--socket", str(socket)]
    serving = subprocess.Popen([*command, "--cpu-port", str(CPU)], stdout=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None and serving.stdout.readline().startswith(
            "ready: P4Runtime of served, device 0"
        )
        switch.process.kill()
        switch.process.communicate()
        assert serving.stdout.readline().startswith("the switch has ended: waiting for another one")
        switch = Switch(binary, tmp_path, arguments)
        assert serving.stdout.readline().startswith("ready: P4Runtime of served, device 0")
        with grpc.insecure_channel(address) as channel:
            stream = Stream(channel)
            assert stream.arbitrate(1).status.code == OK
            stream.close()
        serving.terminate()
        assert serving.wait(20) == 0
    finally:
        serving.kill()
        serving.communicate()
        switch.stop()
