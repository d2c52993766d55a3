"""Another program for a running switch. P4Runtime spec 1.4.1 section 14."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import grpc
import pytest
import switches
from built_once import built_once
from controller import INSERT, MODIFY, Controller, Stream, entity, octets, update
from served_switch import CPU, PROGRAM, TOOLS, Served, make
from switch_harness import Switch, ethernet

from macsad import compilation, replacing
from macsad.compilation import Request
from macsad.p4runtime import replacement
from macsad.p4runtime.codes import Code
from macsad.p4runtime.messages import message, messages
from macsad.protocol import Update
from transpiler.diagnostics import Diagnostics
from transpiler.optimisations import ALL
from transpiler.p4info.build import build
from transpiler.toolchain import toolchain

OK = Code.OK
OTHER = PROGRAM.with_name("other.p4")
COMMIT, RECONCILE = 3, 5
COMPILING_S = 280


@pytest.fixture
def replaceable(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Served]:
    """A switch of served.p4 of its own, whose server compiles other programs; with a true parameter it awaits one."""
    ports = [f"--port={number}=ctl:" for number in (0, 1, CPU)]
    binary = built_once(PROGRAM, make) / PROGRAM.stem
    switch = Switch(binary, tmp_path, [*ports, "--buffers=8192", "--replaceable", "--workers=2"])
    serving = Served(
        switch,
        f"unix:{tmp_path}/p4rt",
        replacing.builder(Request(PROGRAM), TOOLS, tmp_path / "built", {}),
        awaits=bool(getattr(request, "param", False)),
    )
    yield serving
    serving.close()
    switch.stop()


def info_of(path: Path) -> Any:
    info = build(switches.load(path), Diagnostics())
    return messages().of("p4.config.v1.P4Info").FromString(info.SerializeToString())


def set_pipeline(controller: Controller, action: int, info: Any, config: bytes, cookie: int = 0) -> Code:
    made = message("ForwardingPipelineConfig")(p4info=info, p4_device_config=config)
    made.cookie.cookie = cookie
    name = "SetForwardingPipelineConfig"
    try:
        controller.call(name, controller.signed(message(f"{name}Request")(action=action, config=made)), COMPILING_S)
    except grpc.RpcError as error:
        return Code(error.code().value[0])
    return OK


def entries(controller: Controller, table: str, **more: Any) -> list[Any]:
    return [e.table_entry for e in controller.read(entity(table_entry=controller.entry(table, {}, **more)))]


class Described:
    """A client of a switch that runs a program and has another ready; of both DESCRIBE tells what is given. Its entries come in
    two parts; `got`: the changes of the other program."""

    def __init__(self, old: dict[str, Any], new: dict[str, Any], entries: dict[int, list[bytes]]) -> None:
        self.old, self.new, self.entries, self.got = old, new, entries, list[bytes]()

    def describe(self, next_program: bool = False) -> dict[str, Any]:
        return self.new if next_program else self.old

    def read_entries(self, table: int) -> Iterator[bytes]:
        kept = self.entries[table]
        yield from (b"".join(kept[:-1]), b"".join(kept[-1:]))

    def read_default(self, table: int) -> bytes:
        return (9).to_bytes(4, "big") + DEFAULT

    def read_notes(self, prefix: bytes = b"") -> list[Any]:
        return []

    def update(self, changes: list[bytes], next_program: bool = False) -> None:
        assert next_program or not changes
        self.got += changes


DEFAULT = (1).to_bytes(4, "big")
BYTES_OF = {
    "exact": 1,
    "lpm": 1,
    "ternary": 2,
    "optional": 2,
    "range": 2,
}  # of how many values; a prefix has a length behind
ACTIONS = [
    {"name": "go", "params": [{"name": "port", "bits": 9}, {"name": "mark", "bits": 3}]},
    {"name": "no", "params": []},
]


def kept_entries(kinds: tuple[str, ...], is_set: bool, rng: random.Random) -> tuple[list[bytes], list[bytes]]:
    """Entries as READ gives them, and what is behind the number of the table where they are added. docs/control.md"""
    read, added = [], []
    for number in range(7):
        key = b""
        for bits, kind in zip((9, 32, 3, 17), kinds, strict=False):
            key += rng.randbytes((bits + 7) // 8 * BYTES_OF[kind] + 2 * (kind == "lpm"))
        if not is_set and {"ternary", "optional", "range"} & set(kinds):
            key += rng.randbytes(4)
        does = (bytes(4) + rng.randbytes(3), bytes((0, 0, 0, 1)), b"\xff\xff\xff\xfe" + rng.randbytes(8),
                b"\xff\xff\xff\xfd" + rng.randbytes(8))[number % 4]  # fmt: skip
        action = b"" if is_set else does
        read.append(key + rng.randbytes(4) + action)
        added.append(key + action)
    return read, added


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("is_set", [False, True], ids=["tables", "value sets"])
def test_entries_are_added_to_the_other_program_as_they_are(count: int, is_set: bool) -> None:
    """Whatever the kinds of their fields; only members of value sets have no priority."""
    rng = random.Random(1)
    before: list[dict[str, Any]] = []
    entries: dict[int, list[bytes]] = {}
    expected = []
    every = list(product(BYTES_OF, repeat=count))
    for number, kinds in enumerate(every):
        key = [{"name": kind, "bits": bits, "match": kind} for bits, kind in zip((9, 32, 3, 17), kinds, strict=False)]
        more = {} if is_set else {"actions": ACTIONS, "const_entries": False, "const_default": False}
        before.append({"name": f"t{number}", "key": key, **more})
        entries[number], added = kept_entries(kinds, is_set, rng)
        head = (len(every) - 1 - number).to_bytes(2, "big")
        expected.append([bytes((Update.ADD,)) + head + one for one in added])
        if not is_set:
            expected[-1].append(bytes((Update.SET_DEFAULT,)) + head + DEFAULT)
    name, other = ("value_sets", "tables") if is_set else ("tables", "value_sets")
    old, new = ({name: tables, other: [], "externs": []} for tables in (before, before[::-1]))
    client: Any = Described(old, new, entries)
    replacement.keep(client)
    assert client.got == [change for one in reversed(expected) for change in one]


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, True), ({"size": 9}, True), ({"key": [{"name": "k", "bits": 9, "match": "exact"}]}, False),
        ({"key": [{"name": "k", "bits": 8, "match": "lpm"}]}, False), ({"actions": ACTIONS[::-1]}, False),
        ({"const_entries": True}, False), ({"const_default": True}, False), ({"name": "u"}, False),
    ],
)  # fmt: skip
def test_entries_of_a_table_that_is_another_are_not_kept(change: dict[str, Any], kept: bool) -> None:
    table = {"name": "t", "size": 4, "key": [{"name": "k", "bits": 8, "match": "exact"}], "actions": ACTIONS}
    table |= {"const_entries": False, "const_default": False}
    old, new = ({"tables": [one], "value_sets": [], "externs": []} for one in (table, table | change))
    client: Any = Described(old, new, {0: [b"\7" + bytes(4) + DEFAULT]})
    replacement.keep(client)
    assert client.got == ([b"\1\0\0\7" + DEFAULT, bytes((Update.SET_DEFAULT, 0, 0)) + DEFAULT] if kept else [])


@pytest.mark.parametrize(
    ("fixed", "const_default", "kept"),
    [
        (False, True, [b"\1\0\0\7" + DEFAULT]), (True, False, [bytes((Update.SET_DEFAULT, 0, 0)) + DEFAULT]),
        (True, True, []),
    ],
)  # fmt: skip
def test_what_the_program_fixes_is_not_kept(fixed: bool, const_default: bool, kept: list[bytes]) -> None:
    """The other program has it by itself."""
    table = {"name": "t", "key": [{"name": "k", "bits": 8, "match": "exact"}], "actions": ACTIONS}
    table |= {"const_entries": fixed, "const_default": const_default}
    old, new = ({"tables": [table], "value_sets": [], "externs": []} for _ in range(2))
    client: Any = Described(old, new, {0: [b"\7" + bytes(4) + DEFAULT]})
    replacement.keep(client)
    assert client.got == kept


def test_entries_of_equal_tables_stay(replaceable: Served) -> None:
    """lpm_t is the same in both programs; exact_t has other actions, new_t is new."""
    stream = Stream(replaceable.channel)
    assert stream.arbitrate(1).status.code == OK
    controller, client = Controller(replaceable.channel, replaceable.info), replaceable.switch.client
    prefix = {1: {"lpm": {"value": octets(0x0A << 40), "prefix_len": 8}}}
    kept = controller.entry("lpm_t", prefix, "forward", 1, metadata=b"kept")
    default = controller.entry("lpm_t", {}, "forward", 0, is_default_action=True)
    gone = controller.entry("exact_t", {1: octets(1)}, "count_forward", 1)
    writes = [update(INSERT, table_entry=kept), update(MODIFY, table_entry=default), update(INSERT, table_entry=gone)]
    assert controller.write(*writes) == [OK] * 3
    client.exchange([(0, ethernet(1))])
    before = client.stats()

    assert set_pipeline(controller, RECONCILE, info_of(OTHER), OTHER.read_bytes(), cookie=7) is OK
    controller.info = info_of(OTHER)
    assert entries(controller, "lpm_t") == [kept]
    assert entries(controller, "lpm_t", is_default_action=True) == [default]
    assert entries(controller, "exact_t") == []
    got = controller.call("GetForwardingPipelineConfig", message("GetForwardingPipelineConfigRequest")())
    assert (got.config.p4info, got.config.cookie.cookie) == (controller.info, 7)
    assert got.config.p4_device_config == OTHER.read_bytes()
    frames = [ethernet(1, src=0x0A << 40), ethernet(1, src=1)]
    assert sorted(client.exchange([(0, frame) for frame in frames])) == [(0, frames[1]), (1, frames[0])]
    new = controller.entry("new_t", {1: octets(0x1234)}, "mirrored")
    assert controller.write(update(INSERT, table_entry=new)) == [OK]
    assert client.exchange([(1, ethernet(1))]) == [(1, ethernet(1))]
    after = client.stats()
    assert after["received"] == before["received"] + 3 and after["ports"][0]["rx_packets"] == 3  # counted on

    assert set_pipeline(controller, COMMIT, controller.info, OTHER.read_bytes() + b"\n") is OK
    assert entries(controller, "lpm_t") == [] and client.exchange([(0, frames[0])]) == []
    assert controller.write(*writes[:2]) == [OK] * 2
    stream.close()


def test_members_and_notes_stay(replaceable: Served) -> None:
    """The same program from changed source: all entries stay while packets go through."""
    stream = Stream(replaceable.channel)
    assert stream.arbitrate(1).status.code == OK
    controller, client = Controller(replaceable.channel, replaceable.info), replaceable.switch.client
    shot = controller.entry("selector_t", {1: octets(0x1234)})
    for port, weight in ((1, 2), (1, 1)):
        added = shot.action.action_profile_action_set.action_profile_actions.add(weight=weight)
        added.action.CopyFrom(controller.entry("lpm_t", {}, "forward", port).action.action)
    member = message("ActionProfileMember")(action_profile_id=controller.id("action_profiles", "hops"), member_id=9)
    member.action.CopyFrom(controller.entry("lpm_t", {}, "forward", 0).action.action)
    named = controller.entry("member_t", {1: octets(7)})
    named.action.action_profile_member_id = 9
    value_set = message("ValueSetEntry")(value_set_id=controller.id("value_sets", "special"))
    value_set.members.add().match.add(field_id=1).exact.value = octets(0x99)
    assert controller.write(
        update(INSERT, table_entry=shot),
        update(INSERT, action_profile_member=member),
        update(INSERT, table_entry=named),
        update(MODIFY, value_set_entry=value_set),
    ) == [OK] * 4  # fmt: skip
    assert set_pipeline(controller, RECONCILE, replaceable.info, PROGRAM.read_bytes() + b"\n// changed\n") is OK
    assert entries(controller, "selector_t") == [shot] and entries(controller, "member_t") == [named]
    assert controller.read(entity(action_profile_member=member)) == [entity(action_profile_member=member)]
    assert controller.read(entity(value_set_entry=value_set)) == [entity(value_set_entry=value_set)]
    assert client.exchange([(0, ethernet(5, 0x1234))]) == [(1, ethernet(5, 0x1234))]
    stream.close()


def test_what_is_refused(replaceable: Served) -> None:
    stream = Stream(replaceable.channel)
    assert stream.arbitrate(1).status.code == OK
    controller = Controller(replaceable.channel, replaceable.info)
    assert set_pipeline(controller, COMMIT, info_of(OTHER), b"no program") is Code.INVALID_ARGUMENT
    assert set_pipeline(controller, COMMIT, info_of(OTHER), b"") is Code.INVALID_ARGUMENT
    assert set_pipeline(controller, COMMIT, replaceable.info, OTHER.read_bytes()) is Code.INVALID_ARGUMENT
    entry = controller.entry("lpm_t", {}, "forward", 1)
    assert controller.write(update(INSERT, table_entry=entry)) == [OK]  # the old program goes on
    stream.close()


@pytest.mark.parametrize("replaceable", [True], indirect=True, ids=["awaiting"])
def test_nothing_is_done_before_a_program_is_set(replaceable: Served) -> None:
    """P4Runtime spec 1.4.1 sections 14 and 15."""
    stream = Stream(replaceable.channel)
    assert stream.arbitrate(1).status.code == OK
    controller = Controller(replaceable.channel, replaceable.info)
    entry = controller.entry("lpm_t", {}, "forward", 1, is_default_action=True)
    assert controller.write(update(MODIFY, table_entry=entry)) == [Code.FAILED_PRECONDITION]
    with pytest.raises(grpc.RpcError) as refused:
        entries(controller, "lpm_t")
    assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    stream.send(packet=message("PacketOut")(payload=b"payload"))
    assert stream.next().error.canonical_code == Code.FAILED_PRECONDITION
    get = "GetForwardingPipelineConfig"
    assert not controller.call(get, message(f"{get}Request")()).HasField("config")

    assert set_pipeline(controller, COMMIT, replaceable.info, PROGRAM.read_bytes()) is OK
    assert controller.write(update(MODIFY, table_entry=entry)) == [OK]
    assert entries(controller, "lpm_t", is_default_action=True) == [entry]
    assert controller.call(get, message(f"{get}Request")()).config.p4info == replaceable.info
    stream.close()


def test_a_program_that_is_cut_follows_no_other(replaceable: Served, tmp_path: Path) -> None:
    """A switch has its workers for the front and the back from the beginning."""
    request = replace(Request(OTHER), cut="new_t", wanted=ALL.without(["small-tables"]))
    tools = replace(toolchain.find(optimise="-O0"), form=toolchain.Form.LIBRARY)
    library, _ = compilation.build(request, switches.load(OTHER), tmp_path / "cut", tools)
    assert "cut in two" in replaceable.switch.fail(f"load_program {library.absolute()}")


def test_programs_with_queues_follow_others_and_are_followed(replaceable: Served, tmp_path: Path) -> None:
    """What waits goes out when another program takes over. Rates are those of the ports, which stay."""
    tools = replace(toolchain.find(optimise="-O0"), form=toolchain.Form.LIBRARY)
    other = switches.load(OTHER)
    plain, _ = compilation.build(Request(OTHER), other, tmp_path / "plain", tools)
    queued, _ = compilation.build(Request(OTHER, queues=True), other, tmp_path / "queued", tools)
    switch = replaceable.switch

    def follow(built: Path) -> None:
        library = shutil.copy(built, tmp_path / str(len(list(tmp_path.iterdir()))))  # none is loaded twice
        switch.do(f"load_program {library}", "swap_programs", "table_add I.exact_t I.count_forward 1 => 1")

    def waiting() -> int:
        return sum(int(line.split()[2]) for line in switch.do("show_queues").splitlines()[1:])

    assert "without queues" in switch.fail("show_queues")
    follow(queued)
    switch.do("set_queue_bit_rate 1")  # a frame takes minutes
    assert switch.client.inject(0, [ethernet(1, kind) for kind in range(3)]) == 3
    while switch.client.stats()["received"] < 3:
        pass
    assert waiting() == 2
    follow(plain)
    assert switch.client.collect() == [(1, ethernet(1, kind)) for kind in range(3)]
    assert "without queues" in switch.fail("show_queues")
    assert switch.client.exchange([(0, ethernet(1))]) == [(1, ethernet(1))]
    follow(queued)
    assert switch.do("show_queues").splitlines()[1].split()[5] == "1"  # bits/s
    switch.do("set_queue_bit_rate 0")
    assert switch.client.exchange([(0, ethernet(1))]) == [(1, ethernet(1))]
    assert waiting() == 0


def test_a_program_whose_parser_loops_follows_another(replaceable: Served, tmp_path: Path) -> None:
    """How much of a frame it reads nobody knows before, so buffers that were made for others must have it in one piece."""
    tools = replace(toolchain.find(optimise="-O0"), form=toolchain.Form.LIBRARY)
    looping = Path(__file__).parents[1] / "packets" / "subparsers.p4"
    library, _ = compilation.build(Request(looping), switches.load(looping), tmp_path / "looping", tools)
    switch = replaceable.switch
    switch.do(f"load_program {library.absolute()}", "swap_programs")
    rest = bytes(9000)
    frame, left = bytes.fromhex("00030000010203") + rest, bytes.fromhex("000c0600010203") + rest
    assert switch.client.exchange([(0, frame)]) == [(1, left)]
