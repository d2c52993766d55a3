"""Run by p4runtime-shell's own Python: what its users do. ADDRESS P4INFO."""

import os
import sys
import traceback

import p4runtime_sh.shell as sh


def script():
    entry = sh.TableEntry("exact_t")(action="count_forward")
    entry.match["hdr.eth.dst"] = "00:00:00:00:00:07"
    entry.action["port"] = "1"
    entry.insert()
    entry.action["port"] = "0"
    entry.modify()
    found = list(sh.TableEntry("exact_t").read())
    assert len(found) == 1 and found[0].action.action_name == "I.count_forward", found

    prefix = sh.TableEntry("lpm_t")(action="forward")
    prefix.match["hdr.eth.src"] = "0a:00:00:00:00:00/8"
    prefix.action["port"] = "1"
    prefix.insert()

    default = sh.TableEntry("exact_t")(action="to_controller", is_default=True)
    default.modify()

    wild = sh.TableEntry("all_t")(action="drop")
    wild.match["hdr.eth.kind"] = "0x1200&&&0xff00"
    wild.match["std.ingress_port"] = "1..5"
    wild.priority = 3
    wild.insert()

    member = sh.ActionProfileMember("ways")(member_id=1, action="forward")
    member.action["port"] = "1"
    member.insert()
    group = sh.ActionProfileGroup("ways")(group_id=1)
    group.add(1, weight=2)
    group.insert()
    assert [g.group_id for g in sh.ActionProfileGroup("ways").read()] == [1]
    named = sh.TableEntry("selector_t")(group_id=1)
    named.match["hdr.eth.kind"] = "7"
    named.insert()

    shot = sh.TableEntry("few_t")
    shot.match["hdr.eth.kind"] = "9"
    action = sh.Action("forward")
    action["port"] = "1"
    shot.oneshot.add(action, weight=2)
    shot.insert()

    multicast = sh.MulticastGroupEntry(1)
    multicast.add(0, 1).add(1, 2)
    multicast.insert()
    clone = sh.CloneSessionEntry(1)
    clone.add(1, 1)
    clone.insert()

    counter = sh.CounterEntry("seen")
    counter.index = 3
    counter.read(lambda c: None)
    counter.packet_count = 7
    counter.modify()
    assert [c.packet_count for c in counter.read()] == [7]
    meter = sh.MeterEntry("police")
    meter.index = 1
    meter.cir, meter.cburst, meter.pir, meter.pburst = 1000, 10, 2000, 20
    meter.modify()
    digest = sh.DigestEntry("learn_t")
    digest.ack_timeout_ns, digest.max_timeout_ns, digest.max_list_size = 0, 0, 1
    digest.insert()

    out = sh.PacketOut(payload=bytes(60), port="64", pad="0")
    out.send()
    packets = []
    sh.PacketIn().sniff(lambda message: packets.append(message.packet.payload), timeout=2)
    assert packets == [bytes(60)], packets

    for gone in (named, shot, prefix, wild, group, member, multicast, clone, entry, digest):
        gone.delete()


address, info, config, election = sys.argv[1:]
sh.setup(device_id=0, grpc_addr=address, election_id=(0, int(election)), config=sh.FwdPipeConfig(info, config))
try:
    script()
except BaseException:
    traceback.print_exc()
    sys.stderr.flush()
    os._exit(1)  # its threads would go on
sh.teardown()
print("done")
