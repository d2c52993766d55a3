"""STF against a program: names, values, what counts as passed, and what is said when it is not."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from hlir_builder import AT, Builder, apply, binary, const, emit, extract, goto, if_, state, valid

from macsad import simulate
from macsad.stf.check import check, check_all
from macsad.stf.diff import agrees, show
from transpiler.hlir import expressions as ex
from transpiler.hlir.program import Program, Storage
from transpiler.hlir.types import Bits
from transpiler.interpreter import ControlError


@pytest.fixture(scope="module")
def program() -> Program:
    b = Builder()
    b.header("hdr.h", "h_t", f1=32, b1=8, b2=8)
    b.header("hdr.x", "x_t", y=8)
    for parameter, width in (("val", 8), ("port", 9)):
        b.variable(f"c.setb1.{parameter}", width, Storage.ACTION_DATA)
    b.action(
        "c.setb1",
        b.set("hdr.h.b1", b.get("c.setb1.val")),
        b.set("sm.egress_spec", b.get("c.setb1.port")),
        val=8,
        port=9,
    )
    b.action("c.drop", b.set("sm.egress_spec", 511))
    b.extern("c.cnt", "direct_counter", unit="packets_and_bytes", automatic=1)
    b.extern("c.all", "counter", size=4, unit="packets")
    b.extern("c.reg", "register", size=4, width=16)
    b.extern("c.met", "meter", size=3, unit="packets")
    b.table("c.test1", [("hdr.h.f1", "ternary"), ("hdr.h.b1", "ternary")], ["c.setb1"], direct=["c.cnt"])
    b.table("c.routes", [("hdr.h.f1", "lpm")], ["c.setb1", "c.drop"])
    validity = ex.Cast(valid("hdr.x"), Bits(1), AT)
    b.table("c.ex", [("hdr.h.b2", "exact"), (validity, "exact", "hdr.x.$valid$")], ["c.setb1", "c.drop"])
    b.table("c.span", [("hdr.h.b2", "range")], ["c.setb1"])
    b.table("c.there", [(valid("hdr.x"), "valid", "hdr.x.$valid$")], ["c.drop"])
    tag = b.get("hdr.h.b2")
    ingress = [
        apply("c.test1"),
        if_(binary("==", tag, const(1, 8)), [apply("c.routes")]),
        if_(binary("==", tag, const(2, 8)), [apply("c.ex")]),
        if_(binary(">", tag, const(2, 8)), [apply("c.span")]),
        b.call("counter.count", "c.all", const(1, 32)),
    ]
    start = state("start", [extract("hdr.h")], goto("accept"))
    return b.build([start], ingress, deparser=[emit("hdr.h"), emit("hdr.x")])


def run(program: Program, tmp_path: Path, text: str, trace: bool = False) -> tuple[int, str]:
    stf = tmp_path / "t.stf"
    stf.write_text(text)
    out = io.StringIO()
    code = simulate.run(program, stf, out=out, trace=trace)
    return code, out.getvalue().replace(str(tmp_path) + "/", "")


def passes(program: Program, tmp_path: Path, text: str) -> None:
    code, out = run(program, tmp_path, text)
    assert code == 0, out


def fails(program: Program, tmp_path: Path, text: str) -> str:
    code, out = run(program, tmp_path, text)
    assert code == 1
    return out


def test_ternary_with_wildcards_priorities_and_short_names(program: Program, tmp_path: Path) -> None:
    passes(
        program,
        tmp_path,
        """
        add test1 10 h.f1:0x****0101 setb1(val:0x7f, port:2)
        add c.test1 20 f1:0x12****** b1:0x05 c.setb1(port:3, val:1)
        add test1 5 f1:0x***** setb1(val:9, port:4)
        expect 2 ffff0101 7f 00
        expect 3 12340101 01 00 aabb $
        expect 4 55555555 09
        packet 0 ffff0101 00 00
        packet 0 12340101 05 00 aabb
        packet 0 55555555 05 00
        """,
    )


def test_prefixes(program: Program, tmp_path: Path) -> None:
    passes(
        program,
        tmp_path,
        """
        add routes f1:0x0a000000/8 setb1(val:1, port:1)
        add routes f1:0x0a01**** setb1(val:2, port:2)
        add routes f1:0x0a010203 setb1(val:3, port:3)
        add routes f1:0x0c000001/32 setb1(val:4, port:4)
        add routes f1:0x80000000/1 setb1(val:5, port:5)
        setdefault routes drop()
        packet 0 0c000001 00 01
        expect 4 0c000001 04
        packet 0 ff000001 00 01
        expect 5 ff000001 05
        packet 0 0c000002 00 01
        no_packet
        packet 0 0a000001 00 01
        expect 1 0a000001 01
        packet 0 0a010001 00 01
        expect 2 0a010001 02
        packet 0 0a010203 00 01
        expect 3 0a010203 03
        packet 0 0b010203 00 01
        no_packet
        """,
    )


@pytest.mark.parametrize("valid_key", ["hdr.x.$valid$", "x.valid", "hdr.x", "valid"])
def test_exact_and_validity_in_its_spellings(program: Program, tmp_path: Path, valid_key: str) -> None:
    passes(program, tmp_path, f"add ex b2:2 {valid_key}:0 drop()\npacket 0 00000000 00 02\nno_packet")


def test_range(program: Program, tmp_path: Path) -> None:
    passes(
        program,
        tmp_path,
        "add span 1 b2:3..5 setb1(val:1, port:1)\nadd span 2 b2:0x05->9 setb1(val:2, port:2)\n"
        "packet 0 00000000 00 04\nexpect 1 00000000 01\npacket 0 00000000 00 05\nexpect 2 00000000 02\n",
    )


def test_counters_registers_handles(program: Program, tmp_path: Path) -> None:
    passes(
        program,
        tmp_path,
        """
        add test1 10 f1:0x0000000* setb1(val:0, port:2) = A
        check_counter cnt($A)
        packet 0 00000001 00 00
        packet 0 00000002 00 00 ff
        wait
        check_counter cnt($A) packets == 2
        check_counter c.cnt(A) bytes == 13
        check_counter all(1) packets > 1
        check_counter all(2) packets != 1
        register_write reg 3 0x77
        register_read reg 3
        add test1 11 f1:0x0000000* setb1(val:0, port:3) = $B
        remove $A
        remove B
        packet 5 00000001 00 00
        expect 0 00000001 00 00 $
        """,
    )


class Noting:
    """A device that notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []

    def __getattr__(self, method: str) -> Any:
        def call(*arguments: object, **named: object) -> object:
            if method != "collect":
                self.asked.append((method, *arguments, *named.values()))
            return {"collect": [], "counter": (2, 13), "register_read": 7}.get(method, 0)

        return call


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("mirroring_add 5 3", [("mirroring_add", 5, 3)]),
        ("mirroring_add_mc 5 9", [("mirroring_add_group", 5, 9)]),
        ("mirroring_delete 5", [("mirroring_delete", 5)]),
        ("mirroring_get 5", []),
        ("mc_mgrp_create 9", [("group_create", 9)]),
        ("mc_node_create 4 1 2 3", [("node_create", 4, (1, 2, 3))]),
        ("mc_node_update 0 1 2", [("node_update", 0, (1, 2))]),
        ("mc_node_associate 9 0", [("node_associate", 9, 0)]),
        ("port_host 3", [("port_direction", 3, True)]),
        ("port_net 3", [("port_direction", 3, False)]),
        ("counter_read all 2", [("counter", "c.all", 2)]),
        ("counter_write all 2 5 300", [("counter_write", "c.all", 2, 5, 300)]),
        ("register_read reg 2", [("register_read", "c.reg", 2)]),
        ("register_write reg 2 9", [("register_write", "c.reg", 2, 9)]),
        ("register_reset reg", [("register_reset", "c.reg")]),
        ("meter_get_rates met 2", []),
        ("meter_set_rates met 2 0.5:10 1.5:20", [("meter_set_rates", "c.met", 2, (0.5, 10), (1.5, 20))]),
        ("meter_array_set_rates met 0.5:10 1.5:20",
         [("meter_set_rates", "c.met", at, (0.5, 10), (1.5, 20)) for at in range(3)]),
    ],
)  # fmt: skip
def test_commands_of_the_control_plane(
    program: Program, tmp_path: Path, line: str, asked: list[tuple[object, ...]]
) -> None:
    device: Any = Noting()
    (tmp_path / "t.stf").write_text(line + "\n")
    out = io.StringIO()
    assert check(program, tmp_path / "t.stf", lambda ports: device, out) == 0, out.getvalue()
    assert device.asked == [*asked, ("close",)]
    told = {"counter_read all 2": "2 packets, 13 bytes", "register_read reg 2": ": 7"}
    assert told.get(line, "") in out.getvalue()


def test_a_device_that_goes_is_told_behind_what_failed_before(program: Program, tmp_path: Path) -> None:
    class Going(Noting):
        def collect(self) -> list[tuple[int, bytes]]:
            if self.asked:
                raise ControlError("the switch is gone")
            return []

    device: Any = Going()
    (tmp_path / "t.stf").write_text("check_counter all(1) packets == 7\n")
    out = io.StringIO()
    assert check(program, tmp_path / "t.stf", lambda ports: device, out) == 1
    assert out.getvalue() == (
        f"{tmp_path}/t.stf:1:1: error: counter c.all: packets == 7 is expected, it has 2\n"
        "    check_counter all(1) packets == 7\n"
        "    ^~~~~~~~~~~~~\n"
        f"{tmp_path}/t.stf: error: the switch is gone\n"
    )
    assert device.asked[-1] == ("close",)


def test_a_register_is_reset_as_a_whole(program: Program, tmp_path: Path) -> None:
    text = "register_write reg 3 0x77\nregister_write reg 0 5\n{}register_read reg 3\nregister_read reg 0\n"
    _, told = run(program, tmp_path, text.format(""))
    assert "reg: 119" in told and "reg: 5" in told
    _, told = run(program, tmp_path, text.format("register_reset reg\n"))
    assert told.count("reg: 0") == 2


def test_only_ports_of_the_file_exist(program: Program, tmp_path: Path) -> None:
    passes(program, tmp_path, "add test1 1 f1:0x* setb1(val:0, port:9)\npacket 1 00000001 00 00\n")
    out = fails(program, tmp_path, "add test1 1 f1:0x* setb1(val:0, port:1)\npacket 1 00000001 00 00\n")
    assert "t.stf:2:1: error: an unexpected packet of 6 bytes on port 1" in out
    assert "0x0000  00 00 00 01 00 00" in out


def test_a_difference_is_shown(program: Program, tmp_path: Path) -> None:
    out = fails(program, tmp_path, "expect 0 00000001 7f 0* ff $\npacket 0 00000001 00 01 aa bb\n")
    assert out == (
        "t.stf:1:1: error: packet 1 on port 0 is not as expected\n"
        "    expect 0 00000001 7f 0* ff $\n"
        "    ^~~~~~\n"
        "    0x0000  expected  00 00 00 01 7F 0* FF\n"
        "            got       00 00 00 01 00 01 AA BB\n"
        "                                  ^^    ^^ ^^\n"
        "    length: 7 bytes expected, 8 got\n"
        "    in: hdr.h.b1\n"
        "failed: 1 difference (1 packets in, 1 expected)\n"
    )


def test_what_a_short_frame_lacks_is_marked() -> None:
    assert show("0102030405", True, b"\x01\xff\x03") == [
        "    0x0000  expected  01 02 03 04 05",
        "            got       01 FF 03",
        "                         ^^    ^^ ^^",
        "    length: 5 bytes expected, 3 got",
    ]
    (length,) = [line for line in show("01020304", False, b"\x01") if "length" in line]
    assert length == "    length: at least 4 bytes expected, 1 got"


def test_each_line_of_what_a_short_frame_lacks_is_shown() -> None:
    lines = show("00" * 33, True, b"\0")
    assert [line.split()[0] for line in lines if "0x" in line] == ["0x0000", "0x0010", "0x0020"]
    more = show("01" + "00" * 3, False, bytes(40))
    assert [line.split()[0] for line in more if "0x" in line] == ["0x0000"]


@pytest.mark.parametrize(
    ("digits", "exact", "got", "lines"),
    [
        ("0102", True, "0102" + "00" * 31,
         ["    0x0000  expected  01 02",
          "            got       01 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
          "                            ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^",
          "    0x0010  expected",
          "            got       00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
          "                      ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^ ^^",
          "    0x0020  expected",
          "            got       00",
          "                      ^^",
          "    length: 2 bytes expected, 33 got",
          "    in: b"]),
        ("0102", True, "1112",
         ["    0x0000  expected  01 02", "            got       11 12", "                      ^  ^", "    in: a"]),
        ("ff", False, "0102",
         ["    0x0000  expected  ff", "            got       01 02", "                      ^^", "    in: a"]),
        ("01*", True, "01",
         ["    0x0000  expected  01 *", "            got       01", "                         ^",
          "    length: 1.5 bytes expected, 1 got", "    in: a"]),
    ],
)  # fmt: skip
def test_a_difference_is_whole(digits: str, exact: bool, got: str, lines: list[str]) -> None:
    """A field is named once, of however many parts it is; the length where it is what differs."""
    fields = [(0, 8, "a"), (8, 8, "a"), (16, 300, "b")]
    assert show(digits, exact, bytes.fromhex(got), fields) == lines


@pytest.mark.parametrize(
    ("got", "names"),
    [("f102", "a, b"), ("0f02", "b"), ("01f2", "b, c"), ("010f", "c"), ("ff02", "a, b"), ("01", "b, c")],
)
def test_the_fields_of_each_digit_are_named(got: str, names: str) -> None:
    *_, last = show("0102", True, bytes.fromhex(got), [(0, 3, "a"), (3, 6, "b"), (9, 7, "c"), (16, 8, "d")])
    assert last == f"    in: {names}"


def test_of_several_tests_each_is_told(program: Program, tmp_path: Path) -> None:
    texts = {"good": "", "different": "expect 1 ff $\n", "broken": "sing 1\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.stf").write_text(text)
    tests = [tmp_path / f"{name}.stf" for name in texts]
    out = io.StringIO()
    code = check_all(tests, lambda stf, told: simulate.run(program, stf, out=told), out)
    told = out.getvalue()
    lines = told.splitlines()
    assert code == 1 and lines[-1] == "1 of 3 passed"
    assert f"{tests[0]}: passed (0 packets in, 0 expected)" in lines
    assert f"{tests[1]}: failed" in lines and "failed: 1 difference (0 packets in, 1 expected)" in lines
    assert lines[-2] == f"{tests[2]}: failed" and f"{tests[2]}:1:1: error: unknown command 'sing'" in lines
    assert check_all(tests[:1], lambda stf, told: simulate.run(program, stf, out=told), out) == 0
    assert out.getvalue()[len(told) :] == "passed (0 packets in, 0 expected)\n"


def test_each_packet_too_many_is_shown_once_below_its_message(program: Program, tmp_path: Path) -> None:
    """Also where all are told at one place; of packets that are of one length it is said once."""
    frames = ("00000001 01 00", "00000002 02 00", "00000003 03 00 aa", "00000004 04 00 bb cc")
    packets = "".join(f"packet 1 {frame}\n" for frame in frames)
    out = fails(program, tmp_path, f"add test1 1 f1:0x* setb1(val:7, port:1)\n{packets}packet 1 00000005 05 00 dd ee\n")
    place = "    packet 1 00000005 05 00 dd ee\n    ^~~~~~\n"
    assert out == (
        f"t.stf:6:1: error: an unexpected packet of 6 bytes on port 1\n{place}"
        "    0x0000  00 00 00 01 07 00\n"
        "    0x0000  00 00 00 02 07 00\n"
        f"t.stf:6:1: error: an unexpected packet of 7 bytes on port 1\n{place}"
        "    0x0000  00 00 00 03 07 00 AA\n"
        f"t.stf:6:1: error: an unexpected packet of 8 bytes on port 1\n{place}"
        "    0x0000  00 00 00 04 07 00 BB CC\n"
        "    0x0000  00 00 00 05 07 00 DD EE\n"
        "failed: 3 differences (5 packets in, 0 expected)\n"
    )


def test_what_differs_and_what_is_too_much_at_one_place_are_shown_apart(program: Program, tmp_path: Path) -> None:
    text = (
        "add test1 1 f1:0x* setb1(val:7, port:1)\npacket 1 00000001 00 00\npacket 1 00000002 00 00 aa\nexpect 1 ff $\n"
    )
    assert fails(program, tmp_path, text) == (
        "t.stf:4:1: error: packet 1 on port 1 is not as expected\n"
        "    expect 1 ff $\n"
        "    ^~~~~~\n"
        "    0x0000  expected  FF\n"
        "            got       00 00 00 01 07 00\n"
        "                      ^^ ^^ ^^ ^^ ^^ ^^\n"
        "    length: 1 bytes expected, 6 got\n"
        "    in: hdr.h.f1, hdr.h.b1, hdr.h.b2\n"
        "t.stf:4:1: error: an unexpected packet of 7 bytes on port 1\n"
        "    expect 1 ff $\n"
        "    ^~~~~~\n"
        "    0x0000  00 00 00 02 07 00 AA\n"
        "failed: 2 differences (2 packets in, 1 expected)\n"
    )


def test_a_missing_packet_is_said(program: Program, tmp_path: Path) -> None:
    out = fails(program, tmp_path, "expect 3 00\npacket 0 00000001 00 00\nexpect 0 00000001")
    assert "t.stf:1:1: error: packet 1 on port 3 did not come: 0 came" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("add test f1:0x* setb1(val:1, port:1)", "1:5: error: there is no table 'test'; did you mean 'c.test1'?"),
        (
            "add test1 f9:0x* setb1(val:1, port:1)",
            "1:11: error: table c.test1 has no key 'f9'; its keys are: hdr.h.f1, hdr.h.b1",
        ),
        ("add test1 f1:0x* nop()", "1:18: error: there is no action of table c.test1 'nop'"),
        ("add test1 f1:0x* setb1(val:1)", "1:18: error: action c.setb1 needs a value for port"),
        ("add test1 f1:0x* setb1(val:1, port:1, val:2)", "1:39: error: 'c.setb1.val' has a value already"),
        ("add test1 f1:0x* b1:1 h.f1:2 setb1(val:1, port:1)", "1:23: error: the key 'hdr.h.f1' has a value already"),
        ("add test1 f1:0x* setb1(val:256, port:1)", "1:28: error: the value does not fit in the 8 bits"),
        ("add test1 f1:0x* setb1(val:0x*, port:1)", "1:28: error: an action's argument cannot have wildcards"),
        ("add test1 f1:0x* setb1(val:0x1*, port:1)", "1:28: error: an action's argument cannot have wildcards"),
        ("add routes f1:0x100000000/8 drop()", "1:15: error: the value does not fit in the 32 bits of 'hdr.h.f1'"),
        ("add span b2:5..256 setb1(val:1, port:1)", "1:16: error: the value does not fit in the 8 bits of 'hdr.h.b2'"),
        (
            "add test1 f1:1&&&0x100000000 setb1(val:1, port:1)",
            "1:18: error: the value does not fit in the 32 bits of 'hdr.h.f1'",
        ),
        ("add test1 b1:256 setb1(val:1, port:1)", "1:14: error: the value does not fit in the 8 bits of 'hdr.h.b1'"),
        ("add ex b2:0x1* valid:1 drop()", "1:11: error: 'hdr.h.b2' is matched by exact, which cannot have wildcards"),
        ("add ex b2:1/4 valid:1 drop()", "1:11: error: 'hdr.h.b2' is matched by exact, which cannot have a prefix"),
        ("add ex b2:1 drop()", "1:1: error: the exact key 'hdr.x.$valid$' of table c.ex needs a value"),
        ("add there drop()", "1:1: error: the exact key 'hdr.x.$valid$' of table c.there needs a value"),
        ("add routes f1:1/33 drop()", "1:15: error: 'hdr.h.f1' is matched by lpm, which cannot have a prefix"),
        ("add routes f1:0x*1 drop()", "1:15: error: 'hdr.h.f1' is matched by lpm, which cannot have wildcards"),
        ("setdefault test f()", "1:12: error: there is no table 'test'"),
        ("setdefault test1 nop()", "1:18: error: there is no action of table c.test1 'nop'"),
        ("setdefault test1 setb1(val:1)", "1:18: error: action c.setb1 needs a value for port"),
        ("remove $Z", "1:8: error: no entry was added with the handle 'Z'"),
        ("check_counter cnt($Z)", "1:19: error: no entry was added with the handle 'Z'"),
        ("check_counter none(1)", "1:15: error: there is no counter 'none'"),
        (
            "add test1 f1:0x* setb1(val:1, port:1) = A\ncheck_counter none($A)",
            "2:15: error: there is no counter 'none'",
        ),
        (
            "add test1 f1:0x* setb1(val:1, port:1) = A\ncheck_counter all($A)",
            "2:19: error: counter c.all is not direct: its index is a number",
        ),
        ("check_counter all(9)", "1:1: error: counter c.all has no element 9"),
        ("register_read cnt 1", "1:15: error: there is no register 'cnt'"),
        ("check_register reg(1) == 3", "1:1: error: register c.reg(1): == 3 is expected, it has 0"),
        ("check_register all(1) == 3", "1:16: error: there is no register 'all'"),
        ("member cnt setb1(val:1, port:1) = m", "1:8: error: there is no action profile 'cnt'"),
        ("add routes hdr.h.f1:1/8 $m", "1:25: error: no member or group 'm' of an action profile was made"),
        ("check_counter all(1) packets > 3", "1:1: error: counter c.all: packets > 3 is expected, it has 0"),
        ("mc_node_associate 1 1", "1:1: error: there is no multicast group 1"),
    ],
)
def test_errors_are_located(program: Program, tmp_path: Path, text: str, message: str) -> None:
    out = fails(program, tmp_path, text)
    assert f"t.stf:{message}" in out
    assert out.count("error:") == 1


def test_what_was_not_made_is_not_known(program: Program, tmp_path: Path) -> None:
    out = fails(program, tmp_path, "member cnt setb1(val:1, port:1) = m\nadd routes f1:1/8 $m")
    assert "t.stf:1:8: error: there is no action profile 'cnt'" in out
    assert "t.stf:2:19: error: no member or group 'm' of an action profile was made" in out


def test_trace_tells_the_way_of_each_packet(program: Program, tmp_path: Path) -> None:
    _, out = run(program, tmp_path, "add test1 1 f1:0x* setb1(val:0, port:9)\npacket 1 00000001 00 00\n", trace=True)
    words = [line.split(maxsplit=1) for line in out.splitlines() if line]
    assert [w[0] for w in words[:4]] == ["receive", "pass", "state", "extract"]
    assert out.startswith("\n receive  port 1, 6 bytes\n    pass  ") and "\n\n" not in out
    assert "c.test1(hdr.h.f1=0x1, hdr.h.b1=0x0): hit entry 0 -> c.setb1(0x0, 0x9)  [t.p4:1:1]" in out
    _, dropped = run(program, tmp_path, "setdefault routes drop()\npacket 1 00000001 00 01\n", trace=True)
    assert "drop  at the end of ingress  [t.p4:1:1]" in dropped
    assert any(w[0] == "send" and w[1].startswith("port 9") for w in words)


def test_agreement() -> None:
    assert agrees("01*", False, b"\x01\x23\x45")
    assert not agrees("01*", True, b"\x01\x23\x45")
    assert not agrees("012345", False, b"\x01\x23")
    assert agrees("", True, b"") and not agrees("", True, b"\0")


def test_long_frames_show_only_the_lines_that_differ() -> None:
    frame = bytes(48)
    lines = show(bytes(32).hex() + "01", False, frame)
    assert lines[:2] == ["    0x0000  as expected", "    0x0010  as expected"]
    assert lines[2].startswith("    0x0020  expected  01")


WRITTEN = {
    "5": {"exact", "lpm", "ternary", "range", "optional"},
    "0x1*": {"lpm", "ternary"},
    "0x*1": {"ternary"},
    "0x**": {"lpm", "ternary", "range", "optional"},
    "5/4": {"lpm", "ternary"},
    "5/8": {"lpm", "ternary"},
    "5/9": set(),
    "5&&&255": {"ternary", "optional"},
    "1..3": {"range"},
    "1->3": {"range"},
}


@pytest.mark.parametrize("kind", ["exact", "lpm", "ternary", "range", "optional"])
def test_how_a_key_may_be_written(kind: str, tmp_path: Path) -> None:
    b = Builder()
    b.header("hdr.h", "h_t", f=8)
    b.action("c.drop", b.set("sm.egress_spec", 511))
    b.table("c.t", [("hdr.h.f", kind)], ["c.drop"])
    made = b.build([state("start", [extract("hdr.h")], goto("accept"))], [apply("c.t")], deparser=[emit("hdr.h")])
    for text, kinds in WRITTEN.items():
        code, out = run(made, tmp_path, f"add t 1 f:{text} drop()\n")
        what = {"/": "a prefix", "&": "a mask", ".": "a range", "-": "a range"}
        has = next((name for sign, name in what.items() if sign in text), "wildcards")
        assert (code == 0) == (kind in kinds), (text, out)
        assert code == 0 or f"'hdr.h.f' is matched by {kind}, which cannot have {has}" in out, (text, out)


@pytest.mark.parametrize(
    ("seed", "number"), [({}, "E220A8397B1DCDAF"), ({"seed": 0}, "E220A8397B1DCDAF"), ({"seed": 1}, "910A2DEC89025CC1")]
)
def test_random_numbers_are_those_of_the_seed(tmp_path: Path, seed: dict[str, int], number: str) -> None:
    """The first of SplitMix64."""
    b = Builder()
    b.header("h", "h_t", f=64)
    b.action("draw", b.call("random.range", None, const(0, 64), const((1 << 64) - 1, 64), out="h.f"))
    b.table("t", [], ["draw"], default="draw")
    program = b.build([state("start", [extract("h")], goto("accept"))], [apply("t")], deparser=[emit("h")])
    (tmp_path / "t.stf").write_text(f"packet 0 0000000000000000\nexpect 0 {number} $\n")
    out = io.StringIO()
    assert simulate.run(program, tmp_path / "t.stf", out=out, **seed) == 0, out.getvalue()


@pytest.mark.parametrize("kind", ["action_profile", "action_selector"])
def test_of_entries_with_members_or_groups_the_larger_priority_wins(kind: str, tmp_path: Path) -> None:
    """In whichever order they were added."""
    b = Builder()
    b.header("h", "h_t", f=8)
    b.variable("go.port", 9, Storage.ACTION_DATA)
    b.action("go", b.set("sm.egress_spec", b.get("go.port")), port=9)
    selects = kind == "action_selector"
    b.extern("prof", kind, size=9, **({"algorithm": "crc16", "width": 8} if selects else {}))
    keys = [("h.f", "ternary"), *([("h.f", "selector")] if selects else [])]
    b.table("t", keys, ["go"], implementation="prof")
    program = b.build([state("start", [extract("h")], goto("accept"))], [apply("t")], deparser=[emit("h")])
    lines = [f"member prof go(port:{port}) = m{port}" for port in range(1, 5)]
    lines += [f"group prof $m{port} = g{port}" for port in range(1, 5) if selects]
    name = "g" if selects else "m"
    lines += [f"add t {priority} h.f:{value} ${name}{port}" for priority, value, port in (
        (5, "0x1*", 1), (9, "0x*1", 2), (7, "0x1*", 3), (1, "0x**", 4))]  # fmt: skip
    for sent, port in (("11", 2), ("12", 3), ("21", 2), ("22", 4)):
        lines += [f"packet 0 {sent}", f"expect {port} {sent} $"]
    passes(program, tmp_path, "\n".join(lines))
