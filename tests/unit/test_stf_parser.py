"""Reading STF: every form of statement, and a located message for what is malformed."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as some

from macsad.stf import statements as st
from macsad.stf.parser import parse
from transpiler.diagnostics import Diagnostics


def read(text: str) -> tuple[st.Statement, ...]:
    diagnostics = Diagnostics()
    statements = parse(text, "t.stf", diagnostics)
    assert diagnostics.render() == ""
    return statements


def errors(text: str) -> list[str]:
    diagnostics = Diagnostics()
    parse(text, "t.stf", diagnostics)
    return [f"{m.span}: {m.message}" for m in diagnostics.messages]


def test_packets_and_comments() -> None:
    packet, other = read("# nothing\n\npacket 3 00 1A ff  # more\nPACKET 4\n")
    assert isinstance(packet, st.SendPacket) and isinstance(other, st.SendPacket)
    assert (packet.port, packet.data) == (3, b"\x00\x1a\xff")
    assert (other.port, other.data) == (4, b"")
    assert (packet.span.line, packet.span.column) == (3, 1)


@pytest.mark.parametrize(
    ("line", "digits", "exact"),
    [
        ("expect 1", None, False),
        ("expect 1 $", "", True),
        ("expect 1 0A b*", "0AB*", False),
        ("expect 1 0A ** $", "0A**", True),
        ("expect 1 0A00$ # end", "0A00", True),
    ],
)
def test_expectations(line: str, digits: str | None, exact: bool) -> None:
    (expect,) = read(line)
    assert isinstance(expect, st.Expect)
    assert (expect.digits, expect.exact) == (digits, exact)


def test_add_in_full() -> None:
    (add,) = read('add I.t 12 a.b:0x0a**  extra$0.h:0b1*0 "q r":5/8\n c:1&&&3 d:1..9 act(x:0x10, y:7) = A')
    assert isinstance(add, st.Add)
    assert add.table.text == "I.t" and add.priority is not None and add.priority.value == 12
    assert [k.name.text for k in add.keys] == ["a.b", "extra[0].h", "q r", "c", "d"]
    first, bits, prefix, mask, span = add.keys
    assert (first.first.value, first.first.wild, first.first.digit_bits) == (0x0A00, 0xFF, 16)
    assert (bits.first.value, bits.first.wild, bits.first.digit_bits) == (4, 2, 3)
    assert [k.operator for k in (first, prefix, mask, span)] == ["", "/", "&&&", ".."]
    assert add.action.name.text == "act"
    assert [(a.name.text, a.value.value) for a in add.action.arguments] == [("x", 16), ("y", 7)]
    assert add.handle is not None and add.handle.text == "A"


@pytest.mark.parametrize(("text", "value", "wild"), [("0x1*", 0x10, 0xF), ("0o1*", 0o10, 0o7), ("0b1*", 2, 1)])
def test_a_star_is_all_bits_of_its_digit(text: str, value: int, wild: int) -> None:
    (add,) = read(f"add t a:{text} act()")
    assert isinstance(add, st.Add)
    assert (add.keys[0].first.value, add.keys[0].first.wild) == (value, wild)


def test_the_other_statements() -> None:
    statements = read(
        """
        setdefault t a()
        remove all
        remove $A
        no_packet
        wait
        check_counter c(3)
        check_counter I.c($A) bytes >= 0x10
        mc_mgrp_create 5
        mc_node_create 400 6 7
        mc_node_associate 5 0
        mirroring_add 1 2
        register_write I.r 5 100
        meter_set_rates I.m 2 0.000005:4 2:5
        """
    )
    default, remove_all, remove, *_ = statements
    assert isinstance(default, st.SetDefault) and default.action.arguments == ()
    assert isinstance(remove_all, st.Remove) and remove_all.handle is None
    assert isinstance(remove, st.Remove) and remove.handle is not None
    bare, check = (s for s in statements if isinstance(s, st.CheckCounter))
    assert (bare.unit, bare.operator, bare.value) == ("packets", "==", 0)
    assert (check.unit, check.operator, check.value) == ("bytes", ">=", 16)
    commands = [s for s in statements if isinstance(s, st.Command)]
    assert [n.value for n in commands[1].numbers] == [400, 6, 7]
    assert commands[-1].rates == (st.Rate(0.000005, 4), st.Rate(2.0, 5))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("frobnicate 1", "t.stf:1:1: unknown command 'frobnicate'"),
        ("\n  packet x 00", "t.stf:2:9: a port number, 0 to 65535, is expected here"),
        ("packet 65536 00", "t.stf:1:7: a port number, 0 to 65535, is expected here"),
        ("packet 1 000", "t.stf:1:10: an odd number of hex digits"),
        ("packet 1 0*", "t.stf:1:10: a packet is given in hex digits"),
        ("expect 1 0g", "t.stf:1:10: a packet is expected in hex digits and '*', with '$' at most at its end"),
        ("expect 1 $00", "t.stf:1:10: a packet is expected in hex digits and '*', with '$' at most at its end"),
        ("add t k:1", "t.stf:1:10: a name is expected here; the file ends"),
        ("add t k:x a()", "t.stf:1:9: a number is expected here; there is 'x'"),
        ("add t k:1 a(b)", "t.stf:1:14: ':' is expected here; there is ')'"),
        ("add t k:1 a(b:1 c:2)", "t.stf:1:17: ',' is expected here; there is 'c'"),
        ("check_counter c(1) flows == 2", "t.stf:1:20: 'packets' or 'bytes' is expected, not 'flows'"),
        ("mc_node_associate 1", "t.stf:1:20: a number is expected here; the file ends"),
        ("wait for me", "t.stf:1:6: the statement should end here; there is 'for'"),
        ("add t k:1 a() ?", "t.stf:1:15: unexpected character '?'"),
        ("meter_set_rates m 1 2:3", "t.stf:1:1: meter_set_rates takes two rates, committed and peak"),
        ("meter_set_rates m 1 2:3 4:5 6:7", "t.stf:1:1: meter_set_rates takes two rates, committed and peak"),
        ("meter_array_set_rates m", "t.stf:1:1: meter_array_set_rates takes two rates, committed and peak"),
        ("12 34", "t.stf:1:1: a command is expected here"),
        ("meter_set_rates m 1 0x10.5:1 2:3", "t.stf:1:21: '0x10.5' is not a rate"),
        ("check_register r(1) 5", "t.stf:1:21: a comparison is expected here; there is '5'"),
        ("check_register r(1) = 5", "t.stf:1:21: a comparison is expected here; there is '='"),
        ("mc_mgrp_create", "t.stf:1:15: a number is expected here; the file ends"),
        ("mc_mgrp_create\n", "t.stf:1:15: a number is expected here; the line ends"),
        ("add t a[3:1 b()", "t.stf:1:10: ']' is expected here; there is ':'"),
    ],
)
def test_errors_are_located(text: str, message: str) -> None:
    assert errors(text) == [message]


@pytest.mark.parametrize(
    ("command", "least", "most"),
    [
        ("mirroring_add", 2, 4),
        ("mirroring_add_mc", 2, 4),
        ("mirroring_delete", 1, 1),
        ("mirroring_get", 1, 1),
        ("mc_mgrp_create", 1, 1),
        ("mc_node_create", 1, 1000),
        ("mc_node_update", 1, 1000),
        ("mc_node_associate", 2, 2),
        ("counter_read c", 1, 1),
        ("counter_write c", 3, 3),
        ("register_read r", 1, 1),
        ("register_write r", 2, 2),
        ("register_reset r", 0, 0),
        ("meter_get_rates m", 1, 1),
    ],
)
def test_commands_take_so_many_numbers(command: str, least: int, most: int) -> None:
    for count in (least, most):
        (found,) = read(f"{command} {'7 ' * count}")
        assert isinstance(found, st.Command)
        assert [number.value for number in found.numbers] == [7] * count
    (few,) = errors(f"{command} {'7 ' * (least - 1)}") if least else ("a number is expected here",)
    (many,) = errors(f"{command} {'7 ' * (most + 1)}")
    assert "a number is expected here" in few
    assert many.endswith("the statement should end here; there is '7'")


def test_the_last_port() -> None:
    packet, expect = read("packet 65535 00\nexpect 65535 00")
    assert isinstance(packet, st.SendPacket) and isinstance(expect, st.Expect)
    assert packet.port == expect.port == 65535


def test_arguments_go_on_in_the_next_line() -> None:
    (default,) = read("setdefault t a(\n\nx:1\n,\ny:2\n)")
    assert isinstance(default, st.SetDefault)
    assert [(a.name.text, a.value.value) for a in default.action.arguments] == [("x", 1), ("y", 2)]


def test_rates() -> None:
    one, every = read("meter_set_rates m 3 0.5:1 2:6\nmeter_array_set_rates m 1:2 3:4\n")
    assert isinstance(one, st.Command) and isinstance(every, st.Command)
    assert ([n.value for n in one.numbers], one.rates) == ([3], (st.Rate(0.5, 1), st.Rate(2.0, 6)))
    assert (every.numbers, every.rates) == ((), (st.Rate(1.0, 2), st.Rate(3.0, 4)))


def test_keywords_may_be_in_capitals() -> None:
    default, every, check, wait, none = read(
        "SetDefault t A()\nREMOVE ALL\nCHECK_COUNTER c(1) Bytes == 5\nWAIT\nNo_Packet\n"
    )
    assert isinstance(default, st.SetDefault) and default.action.name.text == "A"
    assert isinstance(every, st.Remove) and every.handle is None
    assert isinstance(check, st.CheckCounter) and (check.unit, check.value) == ("bytes", 5)
    assert isinstance(wait, st.Wait) and isinstance(none, st.NoPacket)


@pytest.mark.parametrize(
    ("written", "name"),
    [("$1", "$1"), ("a$1", "a[1]"), ("a$1.b$12", "a[1].b[12]"), ("a[2].b", "a[2].b"), ("a$b", "a$b")],
)
def test_a_dollar_behind_a_name_is_its_index(written: str, name: str) -> None:
    (remove,) = read(f"remove {written}")
    assert isinstance(remove, st.Remove) and remove.handle is not None and remove.handle.text == name


def test_numbers_have_so_many_digits() -> None:
    (add,) = read(f"add t a:{'0' * 3999}7 b()")
    assert isinstance(add, st.Add) and add.keys[0].first.value == 7
    assert errors(f"add t a:{'0' * 4000}7 b()") == ["t.stf:1:9: the number is too long"]


def test_what_is_wrong_in_a_frame_is_underlined_as_it_is_written() -> None:
    diagnostics = Diagnostics()
    parse("packet 1  0g 00   # end", "t.stf", diagnostics)
    assert diagnostics.render() == (
        "t.stf:1:11: error: a packet is given in hex digits\n    packet 1  0g 00   # end\n              ^~~~~\n"
    )


def test_reading_goes_on_after_an_error() -> None:
    assert len(errors("bogus\nadd\npacket 1 0\nwait\nworse")) == 4


@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "add " * 100,
        "packet",
        "expect",
        "(" * 999,
        "add t k:0x a()",
        "𝔞 1",
        '"',
        f"packet {'9' * 9}",
        f"add t {'9' * 5000} a()",
    ],
)
def test_nonsense_is_refused_without_a_traceback(text: str) -> None:
    assert errors(text)


WORDS = [
    "add",
    "packet",
    "expect",
    "check_counter",
    "$A",
    "t",
    "k",
    ":",
    "0x1*",
    "12",
    "(",
    ")",
    ",",
    "=",
    "\n",
    "&&&",
    ".",
    " ",
]


@given(some.one_of(some.text(), some.lists(some.sampled_from(WORDS)).map(" ".join)))
def test_no_text_raises(text: str) -> None:
    parse(text, "t.stf", Diagnostics())


def test_what_is_wrong_is_shown_with_its_line() -> None:
    """Of a text that is in no file, too."""
    diagnostics = Diagnostics()
    parse("\nsing 1\n", "t.stf", diagnostics)
    assert diagnostics.render().splitlines()[1:] == ["    sing 1", "    ^~~~"]
