"""What methods of the service standard ask of a switch where no table is concerned; it is one of this file."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Any

import pytest
from refused_calls import code_of

from macsad.protocol import Reply
from macsad.thrift.config import config_of
from macsad.thrift.described import standard
from macsad.thrift.management import Identity
from macsad.thrift.refusals import Refused, refuses
from macsad.thrift.server import Standard
from macsad.thrift.state import State
from macsad.thrift.swaps import Swaps
from macsad.thrift.switch import Program, Switch as Running

EXTERNS = [
    ("I.hits", "direct_counter"), ("learn_a", "digest"), ("I.seen", "counter"), ("I.sel", "action_selector"),
    ("I.words", "register"), ("learn_b", "digest"), ("I.flow", "meter"), ("I.prof", "action_profile"),
    ("h", "custom_crc"), ("h#0", "custom_crc"), ("h#1", "custom_crc"), ("h2", "custom_crc"), ("I.pace", "direct_meter"),
]  # fmt: skip
TABLES = [
    {"name": name, "size": 1, "key": [], "const_entries": fixed, "const_default": const}
    for name, fixed, const in (("I.t", False, False), ("I.u", True, False), ("I.v", False, True), ("I.w", True, True))
]
TOLD: dict[str, Any] = {
    "name": "p", "source": "p.p4", "tables": TABLES, "value_sets": [],
    "externs": [{"name": name, "kind": kind, "size": 1, "bits": 16, "unit": ""} for name, kind in EXTERNS],
    "ports": [{"port": 3, "name": "eth0", "up": False}, {"port": 4, "name": "eth1"}],
}  # fmt: skip


class Switch:
    """`refuses`: why it does nothing; `happened`: what it was asked."""

    def __init__(self) -> None:
        self.program = Program(TOLD)
        self.refuses = ""
        self.happened: list[tuple[Any, ...]] = []
        self.config: str | None = None
        self.replaced = False

    def described(self) -> dict[str, Any]:
        return TOLD

    def command(self, *words: Any) -> str:
        self.happened.append(words)
        if self.refuses:
            raise Refused(self.refuses)
        return ""

    def load(self, library: Path, config: str | None) -> None:
        self.command("load", library, config)

    def swap(self) -> None:
        self.command("swap")


@pytest.fixture
def switch() -> Switch:
    return Switch()


@pytest.fixture
def service(switch: Switch) -> Any:
    return Standard(switch, Identity("{}", 7, 9090), lambda text: (Path(f"{text}.so"), text))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("method", "arguments", "asked"),
    [
        ("dev_mgr_add_port", ("eth0", 3, ""), [("port_add", "eth0", 3)]),
        ("dev_mgr_add_port", ("eth0", 3, "x.pcap"), [("port_add", "eth0", 3, "x.pcap")]),
        ("dev_mgr_remove_port", (3,), [("port_remove", 3)]),
        ("set_crc16_custom_parameters", (0, "h2", standard.BmCrc16Config()),
         [("set_crc16_parameters", "h2", 0, 0, 0, 0, 0)]),
        ("set_crc32_custom_parameters", (0, "h2", standard.BmCrc32Config(-1, 2, -2, True, False)),
         [("set_crc32_parameters", "h2", 0xFFFFFFFF, 2, 0xFFFFFFFE, 1, 0)]),
        ("set_crc16_custom_parameters", (0, "h", standard.BmCrc16Config(-1, 2, 3, False, True)),
         [("set_crc16_parameters", name, 0xFFFF, 2, 3, 0, 1) for name in ("h", "h#0", "h#1")]),
        ("learning_ack", (0, 1, 5, [1]), []),
        ("learning_ack_buffer", (0, 0, 5), []),
    ],
)  # fmt: skip
def test_what_is_asked_for(
    service: Any, switch: Switch, method: str, arguments: tuple[Any, ...], asked: list[tuple[Any, ...]]
) -> None:
    """Numbers of Thrift have signs; those of the control socket have none."""
    assert getattr(service, f"bm_{method}")(*arguments) is None
    assert switch.happened == asked


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("learning_ack", (5, [1])), ("learning_ack_buffer", (5,)), ("learning_set_timeout", (5,)),
        ("learning_set_buffer_size", (5,)),
    ],
)  # fmt: skip
def test_digests_have_the_numbers_that_there_are(service: Any, method: str, arguments: tuple[Any, ...]) -> None:
    """They are sent at once: no time and no size can be set."""
    call = getattr(service, f"bm_{method}")
    for number in (-1, 2):
        assert code_of(lambda number=number: call(0, number, *arguments)) == "Invalid learn operation (INVALID_LIST_ID)"  # type: ignore[misc]
    if method.startswith("learning_set"):
        assert code_of(lambda: call(0, 0, *arguments)) == "Invalid learn operation (ERROR)"


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("MATCH_TABLE", ["I.t", "I.u", "I.v", "I.w"]), ("ACTION_PROFILE", ["I.sel", "I.prof"]),
        ("COUNTER", ["I.hits", "I.seen"]), ("METER", ["I.flow", "I.pace"]), ("REGISTER", ["I.words"]),
        ("LEARNING_LIST", ["learn_a", "learn_b"]),
    ],
)  # fmt: skip
def test_numbers_count_the_things_of_a_kind(service: Any, kind: str, names: list[str]) -> None:
    number = getattr(standard.BmResourceType, kind)
    assert [service.bm_get_id_from_name(0, number, name) for name in names] == list(range(len(names)))
    assert code_of(lambda: service.bm_get_id_from_name(0, number, "h")).endswith("(INVALID_RESOURCE_NAME)")
    assert code_of(lambda: service.bm_get_id_from_name(0, 99, "I.t")).endswith("(INVALID_RESOURCE_TYPE)")


def test_ports_are_up_unless_the_switch_says_otherwise(service: Any) -> None:
    told = [(one.port_num, one.iface_name, one.is_up, one.extra) for one in service.bm_dev_mgr_show_ports()]
    assert told == [(3, "eth0", False, {}), (4, "eth1", True, {})]


def test_a_port_that_is_refused_is_an_error(service: Any, switch: Switch) -> None:
    switch.refuses = "port 3 has no such member"
    assert code_of(lambda: service.bm_dev_mgr_remove_port(3)) == "Invalid device manager operation (ERROR)"


def test_the_program_is_the_one_of_the_start_until_another_is_loaded(service: Any, switch: Switch) -> None:
    """Of another one the text that it was loaded with; where there is none, as far as the switch describes it."""
    info = service.bm_mgmt_get_info()
    assert (service.bm_get_config(), info.device_id, info.thrift_port) == ("{}", 7, 9090)
    switch.replaced = True
    assert service.bm_get_config() == config_of(switch.program)
    switch.config = "another"
    assert service.bm_get_config() == "another"
    assert service.bm_get_config_md5() == hashlib.md5(b"another").digest()


def test_programs_are_loaded_once_then_swapped_in(service: Any, switch: Switch) -> None:
    assert code_of(service.bm_swap_configs) == "Invalid swap operation (NO_ONGOING_SWAP)"
    service.bm_load_new_config("q")
    assert code_of(lambda: service.bm_load_new_config("r")) == "Invalid swap operation (ONGOING_SWAP)"
    service.bm_swap_configs()
    assert switch.happened == [("load", Path("q.so"), "q"), ("swap",)]
    assert code_of(service.bm_swap_configs) == "Invalid swap operation (NO_ONGOING_SWAP)"
    service.bm_load_new_config("r")
    assert switch.happened[2:] == [("load", Path("r.so"), "r")]


def test_what_is_wrong_with_a_program_is_told_at_the_switch(
    service: Any, switch: Switch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is loaded then; what goes to a terminal is written so that it changes nothing there."""
    switch.refuses = "no \x1b[31mprogram"
    code_of(lambda: service.bm_load_new_config("q"))
    assert capsys.readouterr().err == "the program cannot be loaded: no \\x1b[31mprogram\n"
    assert code_of(service.bm_swap_configs) == "Invalid swap operation (NO_ONGOING_SWAP)"


def test_a_switch_that_takes_no_other_program(switch: Switch) -> None:
    swaps = Swaps(switch, None)  # type: ignore[arg-type]
    for call in (lambda: swaps.load("q"), swaps.swap):
        with pytest.raises(Refused) as refused:
            call()
        assert refused.value.code == "CONFIG_SWAP_DISABLED"
    assert switch.happened == []


class Told:
    """A client of a switch that tells a table of this name; `asked`: what it was asked."""

    def __init__(self) -> None:
        self.name, self.asked, self.reply = "one", list[Any](), Reply(True, "done")

    def describe(self) -> dict[str, Any]:
        self.asked.append("describe")
        return {"name": self.name, "source": "p.p4", "tables": [], "value_sets": [], "externs": []}

    def of_next(self, next_program: bool) -> None:
        self.asked.append(("of_next", next_program))

    def command(self, line: str) -> Reply:
        self.asked.append(line)
        return self.reply


def test_a_switch_is_asked_for_its_program_once_until_another_runs() -> None:
    """From the time on at which it is loaded all is of the next one."""
    made, client = Running.__new__(Running), Told()
    made._client, made._lock, made.replaced, made.config = client, threading.Lock(), False, None  # type: ignore[assignment]
    assert [made.program.name, made.program.name, made.replaced] == ["one", "one", False] and client.asked == [
        "describe"
    ]
    client.name = "two"
    client.asked.clear()
    made.load(Path("x.so"), "source")
    assert (made.replaced, made.config, made.program.name) == (True, "source", "two")
    made.swap()
    assert client.asked == ["load_program x.so", ("of_next", True), "describe", ("of_next", False), "swap_programs"]
    client.name = "three"
    made.forget_program()
    assert (made.replaced, made.config, made.program.name) == (True, None, "three")
    client.reply = Reply(False, "it is too old\n")
    with pytest.raises(Refused, match="it is too old"):
        made.load(Path("y.so"), None)
    assert made.program.name == "three" and client.asked[-1] == "load_program y.so"


def test_what_is_forgotten_is_all_that_is_not_constant(switch: Switch) -> None:
    """Groups before the members that are in them; meters otherwise, as no command does it."""
    state = State.__new__(State)
    state.switch = switch  # type: ignore[assignment]
    state.profiles = list(switch.program.of_kind("action_profile", "action_selector").values())
    member, group = standard.BmMtActProfMember(mbr_handle=5), standard.BmMtActProfGroup(grp_handle=6)
    state.members, state.groups = {"I.sel": [member], "I.prof": [member]}, {"I.sel": [group], "I.prof": []}
    assert list(state.forgotten()) == [
        "table_clear I.t", "table_reset_default I.t", "table_reset_default I.u", "table_clear I.v",
        "act_prof_delete_group I.sel 6", "act_prof_delete_member I.sel 5", "act_prof_delete_member I.prof 5",
        "counter_reset I.hits", "counter_reset I.seen", "register_reset I.words", "mc_clear",
    ]  # fmt: skip


# --- codes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("table I.t is full", "TABLE_FULL"), ("I.prof is full", "TABLE_FULL"), ("the disk is full", "ERROR"),
        ("table I.t has no such entry", "INVALID_HANDLE"), ("x is not a handle", "INVALID_HANDLE"),
        ("I.t has an entry with this key already", "DUPLICATE_ENTRY"),
        ("the entries of table I.t are constant", "IMMUTABLE_TABLE_ENTRIES"),
        ("the default action of table I.t is constant", "DEFAULT_ACTION_IS_CONST"),
        ("I.t has no key: it has a default entry only", "NO_TABLE_KEY"),
        ("I.p has no such member", "INVALID_MBR_HANDLE"), ("I.p has no member 5", "INVALID_MBR_HANDLE"),
        ("I.p has no such group", "INVALID_GRP_HANDLE"), ("I.p has no group 5", "INVALID_GRP_HANDLE"),
        ("5 is in this group already", "MBR_ALREADY_IN_GRP"), ("5 is not in this group", "MBR_NOT_IN_GRP"),
        ("the member is in a group", "MBR_STILL_USED"), ("entries do not time out", "AGEING_DISABLED"),
        ("h is a CRC of 16 bits", "WRONG_TYPE_CALCULATION"), ("5 is beyond I.words, which has 4", "INVALID_INDEX"),
        ("5 is not a multicast group", "INVALID_MGID"), ("no such multicast group", "INVALID_MGID"),
        ("no such node", "INVALID_L1_HANDLE"), ("x is not a node handle", "INVALID_L1_HANDLE"), ("why not", "ERROR"),
    ],
)  # fmt: skip
def test_codes_of_what_a_switch_says(said: str, code: str) -> None:
    assert (Refused(said).code, Refused(said, "OTHER").code) == (code, "OTHER")


class Failure(Exception):
    def __init__(self, code: int) -> None:
        self.code = code


@pytest.mark.parametrize(
    ("names", "code"), [({4: "FULL", 9: "ERROR", 2: "A"}, 4), ({9: "ERROR", 2: "A"}, 9), ({5: "B", 2: "A", 7: "C"}, 2)]
)
def test_a_code_that_a_service_does_not_have(names: dict[int, str], code: int) -> None:
    """Then it is an ERROR, or the first of those that it has."""
    codes = type("Codes", (), {"_VALUES_TO_NAMES": names, **{name: number for number, name in names.items()}})

    def method(of: object, *arguments: int) -> tuple[int, ...]:
        if not arguments:
            raise Refused("", "FULL")
        return arguments

    with_context, without = refuses(Failure, codes)(method), refuses(Failure, codes, of_context=False)(method)
    assert (with_context(None, 1, 2), without(None, 1, 2)) == ((2,), (1, 2))
    for call in (lambda: with_context(None, 1), lambda: without(None)):
        with pytest.raises(Failure) as failed:
            call()
        assert failed.value.code == code
