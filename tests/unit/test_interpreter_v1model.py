"""The packet paths of v1model, parser errors, externs in their places, and frames that nobody expected."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hlir_builder import (
    AT,
    Builder,
    any_,
    apply,
    binary,
    const,
    emit,
    exact,
    extract,
    goto,
    h,
    if_,
    select,
    state,
    true,
    valid,
)

from transpiler.architectures.v1model.facts import DROP_PORT
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import CORE_ERRORS, Control, Program, Role, Storage
from transpiler.hlir.types import Bits, Bool, Field, HeaderType, Varbit
from transpiler.interpreter import ControlError, Switch
from transpiler.interpreter.layout import fields_of
from transpiler.interpreter.matches import Exact
from transpiler.interpreter.packet import Reader
from transpiler.interpreter.paths import PASSES_LIMIT
from transpiler.interpreter.state import HeaderValue
from transpiler.interpreter.trace import Event


def base() -> Builder:
    """A header h of tag and note; port 1 unless the program says otherwise."""
    b = Builder()
    b.header("h", "h_t", tag=8, note=8)
    b.variable("meta.kept", 8)
    b.variable("meta.lost", 8)
    return b


def plain(b: Builder, ingress: tuple[st.Statement, ...], egress: tuple[st.Statement, ...] = ()) -> Program:
    start = state("start", [extract("h")], goto("accept"))
    return b.build([start], ingress=ingress, egress=egress, deparser=[emit("h")])


def on_pass(b: Builder, instance_type: int, *then: st.Statement) -> st.If:
    return if_(binary("==", b.get("sm.instance_type"), const(instance_type, 32)), then)


def test_without_a_parser_all_of_a_frame_is_payload() -> None:
    b = base()
    program = plain(b, (b.set("sm.egress_spec", 3), if_(valid("h"), [b.set("sm.egress_spec", 4)])))
    without = replace(program, pipes=tuple(pipe for pipe in program.pipes if pipe.role is not Role.PARSER))
    assert Switch(program).process(0, b"\x01\xaaxyz") == [(4, b"\x01\xaaxyz")]
    assert Switch(without).process(0, b"\x01\xaaxyz") == [(3, b"\x01\xaaxyz")]


def test_forward_drop_and_default_port_zero() -> None:
    b = base()
    tag = b.get("h.tag")
    switch = Switch(
        plain(
            b,
            (
                if_(binary("==", tag, const(1, 8)), [b.set("sm.egress_spec", 3)]),
                if_(binary("==", tag, const(2, 8)), [b.set("sm.egress_spec", DROP_PORT)]),
            ),
            (if_(binary("==", tag, const(3, 8)), [b.set("sm.egress_spec", DROP_PORT)]),),
        )
    )
    assert switch.process(9, b"\x01\xaaxyz") == [(3, b"\x01\xaaxyz")]
    assert switch.process(9, b"\x02\xaa") == []
    assert switch.process(9, b"\x03\xaa") == []
    assert switch.process(9, b"\x04\xaa") == [(0, b"\x04\xaa")]


def test_a_short_frame_goes_on_with_the_error_set_and_no_header() -> None:
    b = base()
    error = ex.Read(ex.VariableRef("sm.parser_error", AT), b.type_of("sm.parser_error"), AT)
    number = ex.Const(1, error.type, AT)  # PacketTooShort
    switch = Switch(plain(b, (if_(binary("==", error, number), [b.set("sm.egress_spec", 7)]),)))
    assert switch.process(0, b"\x05") == [(7, b"\x05")]
    assert switch.process(0, b"") == []  # nothing to send


def test_select_without_a_match_is_an_error_and_keeps_what_was_extracted() -> None:
    b = base()
    error = b.get("sm.parser_error")
    ingress = (if_(binary("==", error, ex.Const(2, error.type, AT)), [b.set("sm.egress_spec", 2)]),)
    start = state("start", [extract("h")], select(b.get("h.tag"), (exact(1, 8), "accept")))
    switch = Switch(b.build([start], ingress=ingress, deparser=[emit("h")]))
    assert switch.process(0, b"\x01\x02\x03") == [(0, b"\x01\x02\x03")]
    assert switch.process(0, b"\x09\x02\x03") == [(2, b"\x09\x02\x03")]


BEYOND = ex.ElementRef("s", const(1, 8), AT)
ERRORS_OF_PARSERS: list[tuple[str, list[st.Statement]]] = [
    ("NoError", [extract("s[0]")]),
    ("NoError", [extract("o", const(8, 32))]),
    ("NoError", [st.Advance(const(16, 32), AT)]),
    ("NoError", [extract("half"), st.Advance(const(8, 32), AT)]),
    ("PacketTooShort", [extract("half"), st.Advance(const(24, 32), AT)]),
    ("PacketTooShort", [extract("o", const(24, 32))]),
    ("PacketTooShort", [st.Advance(const(32, 32), AT)]),
    ("PacketTooShort", [st.Lookahead(ex.VariableRef("meta.wide", AT), Bits(25), AT)]),
    ("StackOutOfBounds", [st.Extract(BEYOND, None, AT)]),
    ("HeaderTooShort", [extract("o", const(16, 32))]),
    ("ParserInvalidArgument", [extract("o", const(7, 32))]),
    ("ParserInvalidArgument", [st.Advance(const(12, 32), AT)]),
]


@pytest.mark.parametrize(("error", "body"), ERRORS_OF_PARSERS)
def test_errors_of_parsers_are_told_and_known_to_ingress(error: str, body: list[st.Statement]) -> None:
    b = Builder()
    b.stack("s", "s_t", 1, n=8)
    b.header("o", "o_t", size=8, options=Varbit(8))
    b.header("half", "half_t", first=4)
    b.variable("meta.wide", 25)
    events: list[Event] = []
    of = b.get("sm.parser_error")
    known = [
        if_(binary("==", of, ex.Const(number, of.type, AT)), [b.set("sm.egress_spec", number)])
        for number in range(len(CORE_ERRORS))
    ]
    made = b.build([state("start", body, goto("accept"))], ingress=known)
    [(number, _)] = Switch(made, trace=events.append).process(0, bytes(3))
    assert made.errors.members[number] == error
    told = [] if error == "NoError" else [f"error.{error} in start"]
    assert [event.text for event in events if event.kind == "error"] == told


SETS: list[tuple[bool, ex.KeySet, set[int]]] = [
    (False, exact(0xFD, 8), {0xFD}),
    (False, ex.MaskSet(const(0x81, 8), const(0x83, 8), AT), {0x81, 0xFD}),
    (False, ex.MaskSet(const(0xFF, 8), const(0x82, 8), AT), {0xFE, 0xFF}),
    (False, ex.RangeSet(const(2, 8), const(0xFD, 8), AT), {2, 3, 0x7F, 0x80, 0x81, 0xFD}),
    (False, ex.RangeSet(const(0xFD, 8), const(2, 8), AT), set()),
    (True, ex.RangeSet(const(0xFD, 8, True), const(2, 8, True), AT), {0xFD, 0xFE, 0xFF, 0, 1, 2}),
    (True, ex.RangeSet(const(2, 8, True), const(0xFD, 8, True), AT), set()),
    (True, ex.RangeSet(const(0x80, 8, True), const(0x81, 8, True), AT), {0x80, 0x81}),
    (False, any_(), {0, 1, 2, 3, 0x7F, 0x80, 0x81, 0xFD, 0xFE, 0xFF}),
]


@pytest.mark.parametrize(("signed", "keys", "taken"), SETS)
def test_what_a_case_of_a_select_takes(signed: bool, keys: ex.KeySet, taken: set[int]) -> None:
    """Ranges go by the sign of the subject; bits that a mask leaves out do not count on either side."""
    b = Builder()
    b.header("h", "h_t", tag=Bits(8, signed))
    b.header("more", "more_t", tag=8)
    states = [
        state("start", [extract("h")], select(b.get("h.tag"), (keys, "on"), (any_(), "accept"))),
        state("on", [extract("more")], goto("accept")),
    ]
    switch = Switch(b.build(states, ingress=[if_(valid("more"), [b.set("sm.egress_spec", 1)])]))
    ports = {
        tag: switch.process(0, bytes((tag, 0, 0)))[0][0] for tag in (0, 1, 2, 3, 0x7F, 0x80, 0x81, 0xFD, 0xFE, 0xFF)
    }
    assert {tag for tag, port in ports.items() if port} == taken


def test_a_parser_that_goes_round_for_ever_times_out() -> None:
    b = base()
    events: list[Event] = []
    loop = b.build([state("start", [], goto("again")), state("again", [], goto("start"))])
    assert Switch(loop, trace=events.append).process(0, b"\x00") == [(0, b"\x00")]
    assert any(event.text.startswith("error.ParserTimeout") for event in events)
    assert sum(event.kind == "state" for event in events) == 257


@pytest.mark.parametrize(("rounds", "ends"), [(250, True), (256, True), (257, False)])
def test_a_parser_may_stay_for_a_while_at_each_place(rounds: int, ends: bool) -> None:
    """The rounds without progress count, not all that there are."""
    b = base()
    b.stack("s", "s_t", 3, n=8)
    b.variable("meta.round", 16)
    count = b.set("meta.round", binary("+", b.get("meta.round"), const(1, 16)))
    stay = select(b.get("meta.round"), (exact(rounds, 16), "on"), (any_(), "stay"))
    on = [b.set("meta.round", 0), extract("s[0]")]
    more = select(b.get("s[0].n"), (exact(0, 8), "stay"), (any_(), "accept"))
    made = b.build([state("stay", [count], stay), state("on", on, more)], ingress=[b.set("sm.egress_spec", 3)])
    events: list[Event] = []
    assert Switch(made, trace=events.append).process(0, bytes([0, 0, 1, 9])) == [
        (3, b"\x09" if ends else bytes([0, 0, 1, 9]))
    ]
    assert any(event.text.startswith("error.ParserTimeout in stay") for event in events) is not ends


def test_lookahead_advance_and_varbit() -> None:
    b = Builder()
    b.header("o", "o_t", size=8, options=Varbit(32))
    b.variable("meta.next", 8)
    size = binary("*", ex.Cast(b.get("meta.next"), Bits(32), AT), const(8, 32))
    start = state(
        "start",
        [
            st.Advance(const(8, 32), AT),
            st.Lookahead(ex.VariableRef("meta.next", AT), Bits(8), AT),
            extract("o", size),
        ],
        goto("accept"),
    )
    error = b.get("sm.parser_error")
    ingress = [b.set("sm.egress_spec", ex.Slice(ex.Cast(b.get("meta.next"), Bits(16), AT), 8, 0, AT))]
    ingress += [if_(binary("!=", error, ex.Const(0, error.type, AT)), [b.set("sm.egress_spec", 100)])]
    switch = Switch(b.build([start], ingress=ingress, deparser=[emit("o")]))
    assert switch.process(0, b"\xff\x02ABrest") == [(2, b"\x02ABrest")]
    assert switch.process(0, b"\xff\x00rest") == [(0, b"\x00rest")]
    assert switch.process(0, b"\xff\x04ABCDE") == [(4, b"\x04ABCDE")]
    assert switch.process(0, b"\xff\x05ABCDE") == [(100, b"\x05ABCDE")]  # HeaderTooShort: longer than varbit<32>
    assert switch.process(0, b"\xff\x04AB") == [(100, b"\x04AB")]
    assert switch.process(0, b"") == []


def test_time_begins_anew_with_a_restart() -> None:
    b = base()
    told = b.set("h.note", ex.Slice(b.get("sm.ingress_global_timestamp"), 7, 0, AT))
    switch = Switch(plain(b, (told,)))
    for _ in range(2):
        assert [switch.process(0, b"\x01\x00")[0][1] for _ in range(2)] == [b"\x01\x01", b"\x01\x02"]
        switch.restart()


def test_a_time_beyond_its_field_is_cut() -> None:
    b = base()
    late = binary("==", b.get("sm.egress_global_timestamp"), const(5, 48))
    switch = Switch(plain(b, (), (if_(late, [b.set("h.note", 1)]),)), clock=lambda: 2**48 + 5)
    assert switch.process(0, b"\x01\x00") == [(0, b"\x01\x01")]


def test_multicast_makes_a_copy_for_each_member() -> None:
    b = base()
    egress = (b.set("h.note", ex.Slice(b.get("sm.egress_rid"), 7, 0, AT)),)
    switch = Switch(plain(b, (b.set("sm.mcast_grp", 5),), egress))
    assert switch.process(0, b"\x01\x00") == []
    switch.replication.create_group(5)
    node = switch.replication.create_node(17, (2, 3))
    switch.replication.associate(5, node)
    switch.replication.associate(5, switch.replication.create_node(18, (4,)))
    assert switch.process(0, b"\x01\x00!") == [(2, b"\x01\x11!"), (3, b"\x01\x11!"), (4, b"\x01\x12!")]
    switch.replication.update_node(node, (6,))
    assert switch.process(0, b"\x01\x00!") == [(6, b"\x01\x11!"), (4, b"\x01\x12!")]


def test_ingress_clone_is_the_packet_as_it_came_with_its_metadata_kept() -> None:
    b = base()
    ingress = (
        b.set("meta.kept", 0x77),
        b.set("meta.lost", 0x66),
        b.set("h.tag", 0x55),
        b.set("sm.egress_spec", 2),
        b.call("clone.ingress", None, const(9, 32), fields=["meta.kept"]),
    )
    egress = (on_pass(b, 1, b.set("h.note", binary("+", b.get("meta.kept"), b.get("meta.lost")))),)
    switch = Switch(plain(b, ingress, egress))
    assert switch.process(0, b"\x01\x02") == [(2, b"\x55\x02")]  # the session is not there
    switch.mirroring_add(9, 4)
    assert switch.process(0, b"\x01\x02") == [(4, b"\x01\x77"), (2, b"\x55\x02")]
    switch.mirroring_delete(9)
    assert switch.process(0, b"\x01\x02") == [(2, b"\x55\x02")]


@pytest.mark.parametrize("spec", [3, DROP_PORT])
def test_where_ingress_sent_it_egress_does_not_know(spec: int) -> None:
    """As simple_switch has it: egress_spec is 0 there, so that copies for a group leave though ingress says drop."""
    b = base()
    ingress = (b.set("sm.mcast_grp", 5), b.set("sm.egress_spec", spec))
    egress = (
        b.set("h.tag", ex.Slice(b.get("sm.egress_spec"), 7, 0, AT)),
        b.set("h.note", ex.Slice(b.get("sm.egress_port"), 7, 0, AT)),
    )
    switch = Switch(plain(b, ingress, egress))
    switch.replication.create_group(5)
    switch.replication.associate(5, switch.replication.create_node(7, (2, 4)))
    assert switch.process(9, b"\x01\x02") == [(2, b"\x00\x02"), (4, b"\x00\x04")]


@pytest.mark.parametrize(
    ("field", "width", "value"),
    [("sm.instance_type", 32, 1), ("sm.packet_length", 32, 3), ("sm.ingress_port", 9, 6)],
)
def test_the_parser_of_an_ingress_clone_knows_what_it_parses(field: str, width: int, value: int) -> None:
    """It goes its own way by the metadata of the clone, which may be a shorter packet."""
    b = base()
    start = state("start", [extract("h")], select(b.get(field), (exact(value, width), "more"), (any_(), "accept")))
    more = state("more", [b.set("h.tag", 0x44)], goto("accept"))
    clone = b.call("clone.ingress", None, const(9, 32), fields=[])
    ingress = (b.set("sm.egress_spec", DROP_PORT), clone)
    switch = Switch(b.build([start, more], ingress, deparser=[emit("h")]))
    switch.mirroring_add(9, 4, most=3)
    assert switch.process(6, b"\x01\x02345") == [(4, b"\x44\x023")]


def test_egress_clone_is_the_packet_as_it_is() -> None:
    b = base()
    egress = (
        on_pass(b, 0, b.set("h.tag", 0x55), b.call("clone.egress", None, const(9, 32), fields=["meta.kept"])),
        on_pass(b, 2, b.set("h.note", b.get("meta.kept"))),
    )
    switch = Switch(plain(b, (b.set("meta.kept", 0x77), b.set("sm.egress_spec", 2)), egress))
    switch.mirroring_add(9, 4)
    assert switch.process(0, b"\x01\x02") == [(2, b"\x55\x02"), (4, b"\x55\x77")]


def test_local_headers_of_an_egress_clone_begin_anew() -> None:
    b = base()
    b.header("Egress.own", "h_t", local=True)
    clone = b.call("clone.egress", None, const(9, 32), fields=[])
    egress = (
        on_pass(b, 0, st.SetValid(h("Egress.own"), True, AT), b.set("Egress.own.tag", 0x55), clone),
        b.set("h.note", b.get("Egress.own.tag")),
    )
    switch = Switch(plain(b, (b.set("sm.egress_spec", 2),), egress))
    switch.mirroring_add(9, 4)
    assert switch.process(0, b"\x01\x02") == [(2, b"\x01\x55"), (4, b"\x01\x00")]


def test_the_payload_begins_with_a_whole_byte() -> None:
    reader = Reader(b"\xab\xcd\xef")
    header = HeaderValue.fresh(HeaderType("n_t", (Field("a", Bits(4), AT),), AT))
    reader.extract(header, None)
    assert (header.fields, reader.left, reader.payload) == ({"a": 0xA}, 20, b"\xcd\xef")


def test_resubmit_starts_again_with_the_frame_as_it_came() -> None:
    b = base()
    ingress = (
        on_pass(
            b,
            0,
            b.set("meta.kept", 0x77),
            b.set("meta.lost", 0x66),
            b.set("h.tag", 0x55),
            b.call("resubmit.request", None, fields=["meta.kept"]),
        ),
        on_pass(
            b,
            6,
            b.set("h.note", binary("+", b.get("meta.kept"), b.get("meta.lost"))),
            b.set("sm.egress_spec", b.get("sm.ingress_port")),
        ),
    )
    assert Switch(plain(b, ingress)).process(8, b"\x01\x02") == [(8, b"\x01\x77")]


def test_recirculate_starts_again_with_the_frame_as_sent() -> None:
    b = base()
    egress = (
        on_pass(b, 0, if_(binary("==", b.get("meta.kept"), const(0, 8)), [
            b.set("h.tag", 0x55), b.set("meta.kept", 1), b.call("recirculate.request", None, fields=["meta.kept"])
        ])),
    )  # fmt: skip
    ingress = (on_pass(b, 4, b.set("h.note", b.get("meta.kept")), b.set("sm.egress_spec", 3)),)
    assert Switch(plain(b, ingress, egress)).process(0, b"\x01\x02.") == [(3, b"\x55\x01.")]


SEEN = (
    ("instance_type", 32), ("egress_rid", 16), ("ingress_port", 9), ("egress_port", 9), ("packet_length", 32),
    ("egress_spec", 9),
)  # fmt: skip


@pytest.mark.parametrize(
    ("tag", "seen"),
    [
        (1, {2: (0, 0, 6, 2, 5, 0)}),  # goes on to a port
        (2, {3: (5, 17, 6, 3, 5, 0), 4: (5, 17, 6, 4, 5, 0)}),  # to a group
        (3, {7: (1, 0, 6, 7, 4, 0)}),  # a clone of it as it came, cut
        (4, {2: (0, 0, 6, 2, 5, 0), 7: (2, 0, 6, 7, 5, 0)}),  # and one of it as it leaves, which is cut when it is sent
        (5, {2: (0, 0, 6, 2, 5, 0)}),  # resubmitted
        (6, {2: (0, 0, 6, 2, 11, 0)}),  # recirculated, with what egress has added
        (7, {2: (0, 0, 6, 2, 5, 0), 7: (1, 0, 6, 7, 4, 0)}),  # cloned, then sent
    ],
)
def test_what_egress_knows_of_a_packet(tag: int, seen: dict[int, tuple[int, ...]]) -> None:
    """How it came to be, its replica, its ports and its length: what ingress has written of these is not seen."""
    b = base()
    b.header("o", "o_t", **{name: 8 for name, _ in SEEN})

    def on(number: int, *then: st.Statement) -> st.If:
        return if_(binary("==", b.get("h.tag"), const(number, 8)), then)

    drop = b.set("sm.egress_spec", DROP_PORT)
    ingress = (
        b.set("sm.egress_rid", 99), b.set("sm.egress_spec", 2),
        on(2, b.set("sm.mcast_grp", 5), drop),
        on(3, b.call("clone.ingress", None, const(9, 32)), drop),
        on(5, on_pass(b, 0, b.call("resubmit.request", None))),
        on(7, b.call("clone.ingress", None, const(9, 32))),
    )  # fmt: skip
    tell = [b.set(f"o.{name}", ex.Slice(b.get(f"sm.{name}"), 7, 0, AT)) for name, _ in SEEN]
    egress = (
        st.SetValid(h("o"), True, AT), *tell, b.set("sm.egress_spec", 3),
        on(4, on_pass(b, 0, b.call("clone.egress", None, const(9, 32)))),
        on(6, if_(binary("==", b.get("sm.packet_length"), const(5, 32)), [b.call("recirculate.request", None)])),
    )  # fmt: skip
    made = b.build([state("start", [extract("h")], goto("accept"))], ingress, egress, deparser=[emit("h"), emit("o")])
    switch = Switch(made)
    switch.replication.create_group(5)
    switch.replication.associate(5, switch.replication.create_node(17, (3, 4)))
    switch.mirroring_add(9, 7, most=4)
    sent = {port: tuple(frame[2 : 2 + len(SEEN)]) for port, frame in switch.process(6, bytes([tag, 0]) + b"xyz")}
    assert sent == {port: told[: 2 if tag == 4 and port == 7 else None] for port, told in seen.items()}


WAITS = ("enq_timestamp", "enq_qdepth", "deq_timedelta", "deq_qdepth", "qid")


@pytest.mark.parametrize(
    ("tag", "seen"),
    [
        (1, {2: (6, 0, 1, 9, 9, 9, 0, 0, 0, 0)}),  # goes on to a port
        (2, {3: (6, 5, 1, 9, 9, 9, 0, 0, 0, 0), 4: (6, 5, 1, 9, 9, 9, 0, 0, 0, 0)}),  # to a group
        (3, {7: (6, 0, 0, 9, 9, 9, 0, 0, 0, 0)}),  # a clone of it as it came
        (4, {2: (6, 0, 1, 9, 9, 9, 0, 0, 0, 0), 7: (6, 0, 0, 9, 9, 9, 0, 0, 0, 0)}),  # and one of it as it leaves
    ],
)
def test_times_and_queues_in_egress(tag: int, seen: dict[int, tuple[int, ...]]) -> None:
    """No packet waits, whatever ingress has written there; but for the times, a clone knows nothing of what was told of the
    packet before."""
    b = base()
    fields = (
        "ingress_port",
        "mcast_grp",
        "checksum_error",
        "ingress_global_timestamp",
        "egress_global_timestamp",
        *WAITS,
    )
    for name in WAITS:
        b.variable(f"sm.{name}", 32, Storage.INTRINSIC)
    b.header("o", "o_t", **dict.fromkeys(fields, 8))

    def on(number: int, *then: st.Statement) -> st.If:
        return if_(binary("==", b.get("h.tag"), const(number, 8)), then)

    drop = b.set("sm.egress_spec", DROP_PORT)
    ingress = (
        b.set("sm.egress_spec", 2), b.set("sm.checksum_error", 1), *(b.set(f"sm.{name}", 77) for name in WAITS),
        on(2, b.set("sm.mcast_grp", 5)), on(3, b.call("clone.ingress", None, const(9, 32)), drop),
    )  # fmt: skip
    tell = [b.set(f"o.{name}", _byte(b, f"sm.{name}")) for name in fields]
    clone = on(4, on_pass(b, 0, b.call("clone.egress", None, const(9, 32))))
    egress = (st.SetValid(h("o"), True, AT), *tell, clone)
    made = b.build([state("start", [extract("h")], goto("accept"))], ingress, egress, deparser=[emit("h"), emit("o")])
    named = (*made.intrinsics, *((name, f"sm.{name}") for name in WAITS))
    switch = Switch(replace(made, intrinsics=named), clock=lambda: 9)
    switch.replication.create_group(5)
    switch.replication.associate(5, switch.replication.create_node(17, (3, 4)))
    switch.mirroring_add(9, 7)
    assert {port: tuple(frame[2:]) for port, frame in switch.process(6, bytes([tag, 0]))} == seen


def _byte(b: Builder, name: str) -> ex.Expression:
    """The last bits of a variable."""
    width = b.type_of(name).width  # type: ignore[union-attr]
    value = b.get(name)
    return ex.Slice(value, 7, 0, AT) if width >= 8 else ex.Cast(value, Bits(8), AT)


@pytest.mark.parametrize("asked", ["truncate.request", "recirculate.request", "clone.egress"])
def test_what_egress_asks_for_one_copy_is_for_that_one_alone(asked: str) -> None:
    b = base()
    given = {"truncate.request": [const(1, 32)], "recirculate.request": [], "clone.egress": [const(9, 32)]}[asked]
    here = if_(binary("==", b.get("sm.egress_port"), const(3, 9)), [on_pass(b, 5, b.call(asked, None, *given))])
    ingress = (b.set("sm.egress_spec", 6), on_pass(b, 0, b.set("sm.mcast_grp", 5)))
    switch = Switch(plain(b, ingress, (here,)))
    switch.replication.create_group(5)
    switch.replication.associate(5, switch.replication.create_node(17, (2, 3, 4)))
    switch.mirroring_add(9, 7)
    whole = b"\x01\x02xyz"
    sent = switch.process(0, whole)
    cut = {
        "truncate.request": [(3, b"\x01")],
        "recirculate.request": [(6, whole)],
        "clone.egress": [(3, whole), (7, whole)],
    }
    assert sorted(sent) == sorted([(2, whole), *cut[asked], (4, whole)])


def test_a_packet_that_goes_round_is_not_cut_before_it_leaves() -> None:
    b = base()
    cut = b.call("truncate.request", None, const(3, 32))
    length = ex.Slice(b.get("sm.packet_length"), 8, 0, AT)
    ingress = (b.set("sm.egress_spec", length), on_pass(b, 0, cut, b.call("recirculate.request", None)))
    switch = Switch(plain(b, ingress))
    assert switch.process(0, b"\x01\x02345") == [(5, b"\x01\x02345")]


def test_resubmitting_for_ever_ends() -> None:
    b = base()
    events: list[Event] = []
    switch = Switch(plain(b, (b.call("resubmit.request", None),)), trace=events.append)
    for _ in range(2):  # each packet may go round as often
        events.clear()
        assert switch.process(0, b"\x01\x02") == []
        assert sum(e.text == "resubmitted" for e in events) == PASSES_LIMIT + 1 == 257
        assert [e.text for e in events if e.kind == "drop"] == ["the packet went round 256 times"]


def test_a_frame_of_which_nothing_is_left_is_not_sent() -> None:
    b = base()
    switch = Switch(plain(b, (st.SetValid(h("h"), False, AT),)))
    assert switch.process(0, b"\x01\x02.") == [(0, b".")]
    assert switch.process(0, b"\x01\x02") == []


def test_a_frame_of_which_nothing_is_left_does_not_go_round() -> None:
    b = base()
    events: list[Event] = []
    egress = (st.SetValid(h("h"), False, AT), b.call("recirculate.request", None))
    switch = Switch(plain(b, (), egress), trace=events.append)
    assert switch.process(0, b"\x01\x02") == []
    assert [e.text for e in events if e.kind == "drop"] == ["nothing is left of it: a frame has one byte at least"]
    assert not any(e.text == "recirculated" for e in events)


def test_truncate_and_length_metadata() -> None:
    b = base()
    ingress = (
        b.call("truncate.request", None, const(3, 32)),
        b.set("sm.egress_spec", ex.Slice(b.get("sm.packet_length"), 8, 0, AT)),
    )
    assert Switch(plain(b, ingress)).process(0, b"\x01\x02345678") == [(8, b"\x01\x023")]


@pytest.mark.parametrize("length", range(7))
def test_what_is_truncated_may_end_in_the_headers(length: int) -> None:
    b = base()
    switch = Switch(plain(b, (b.call("truncate.request", None, const(length, 32)),)))
    assert switch.process(0, b"\x01\x02345") == ([(0, b"\x01\x02345"[:length])] if length else [])


def test_checksums_are_verified_and_computed_where_they_belong() -> None:
    b = Builder()
    b.header("h", "h_t", a=16, sum=16)
    b.variable("vc.sum", 16, Storage.LOCAL)
    compute = b.call("hash.compute", None, ex.Text("csum16", AT), b.values("h.a"), out="vc.sum")
    verify = [
        compute,
        if_(binary("!=", b.get("vc.sum"), b.get("h.sum")), [b.set("sm.checksum_error", 1)]),
    ]
    update = [b.call("hash.compute_with_payload", None, ex.Text("csum16", AT), b.values("h.a"), out="h.sum")]
    ingress = [if_(binary("==", b.get("sm.checksum_error"), const(1, 1)), [b.set("sm.egress_spec", 5)])]
    start = state("start", [extract("h")], goto("accept"))
    switch = Switch(b.build([start], ingress, deparser=[emit("h")], verify_checksum=verify, compute_checksum=update))
    assert switch.process(0, bytes.fromhex("1234edcb")) == [(0, bytes.fromhex("1234edcb"))]
    assert switch.process(0, bytes.fromhex("1234edcc")) == [(5, bytes.fromhex("1234edcb"))]
    assert switch.process(0, bytes.fromhex("1234edcb0101")) == [(0, bytes.fromhex("1234ecca0101"))]


def test_counters_registers_digests_and_logs() -> None:
    b = base()
    b.extern("I.c", "counter", size=4, unit="packets_and_bytes")
    b.extern("I.m", "meter", size=4, unit="packets")
    b.extern("I.r", "register", size=2, width=8)
    b.extern("I.d", "digest")
    b.extern("I.dc", "direct_counter", unit="packets", automatic=1)
    b.table("I.t", [("h.tag", "exact")], [], direct=["I.dc"])
    index = ex.Cast(b.get("h.tag"), Bits(32), AT)
    ingress = (
        apply("I.t"),
        b.call("counter.count", "I.c", index),
        b.call("register.read", "I.r", index, out="meta.kept"),
        b.call("register.write", "I.r", index, binary("+", b.get("meta.kept"), const(1, 8))),
        b.set("h.note", b.get("meta.kept")),
        b.call("digest.send", "I.d", b.values("h.tag", "h.note")),
        b.call("log.message", None, ex.Text("tag {} note {}", AT), b.values("h.tag", "h.note")),
        b.call("assert.check", None, binary("==", b.get("h.note"), const(0, 8))),
    )
    switch = Switch(plain(b, ingress))
    handle = switch.table_add("I.t", (Exact(1),), "NoAction")
    assert [switch.process(0, b"\x01\x00--")[0][1][1] for _ in range(3)] == [0, 1, 2]
    assert switch.process(0, b"\xc8\x00")[0][1] == b"\xc8\x00"  # out of range: reads 0, writes and counts nothing
    count = switch.counter("I.c", 1)
    assert (count.packets, count.bytes) == (3, 12)
    assert switch.counter("I.dc", handle).packets == 3
    assert switch.register_read("I.r", 1) == 3
    switch.register_write("I.r", 1, 255)
    for index, value, why in ((1, 256, "0x100 does not fit"), (1, -1, "does not fit"), (2, 0, "has no element 2")):
        with pytest.raises(ControlError, match=why):
            switch.register_write("I.r", index, value)
    assert [switch.register_read("I.r", index) for index in (0, 1)] == [0, 255]
    for index in (-1, 4):
        with pytest.raises(ControlError, match=f"register I.r has no element {index}"):
            switch.register_read("I.r", index)
        with pytest.raises(ControlError, match=f"counter I.c has no element {index}"):
            switch.counter("I.c", index)
        with pytest.raises(ControlError, match=f"meter I.m has no element {index}"):
            switch.meter_set_rates("I.m", index, (1, 1), (1, 1))
    assert [d.values for d in switch.store.digests] == [(1, 0), (1, 1), (1, 2), (200, 0)]
    assert switch.store.log[1] == "tag 1 note 1"
    assert len(switch.store.failed_asserts) == 2


def test_what_externs_do_is_told() -> None:
    b = base()
    b.extern("I.c", "counter", size=4, unit="packets")
    b.extern("I.r", "register", size=2, width=8)
    b.extern("I.d", "digest")
    below = ex.Cast(b.get("h.note"), Bits(8, True), AT)
    items = ex.ListExpression((b.get("h.note"), below, b.get("h.tag")), AT)
    ingress = (
        b.call("counter.count", "I.c", const(11, 32)),
        b.call("register.write", "I.r", const(1, 32), b.get("h.tag")),
        b.call("digest.send", "I.d", b.values("h.note", "h.tag")),
        b.call("log.message", None, ex.Text("{}, {} and {}, {}", AT), items),
        b.call("assert.check", None, binary("==", b.get("h.note"), const(0, 8))),
    )
    told: list[Event] = []
    switch = Switch(plain(b, ingress), trace=told.append)
    switch.process(0, b"\x05\xfd")
    assert [(event.kind, event.text, event.of) for event in told if event.kind in ("cell", "extern", "error")] == [
        ("cell", "counter.count I.c[0xb]", ("I.c", (11,))), ("cell", "register.write I.r[0x1]", ("I.r", (1,))),
        ("extern", "digest I.d(253, 5)", None), ("extern", "log: 253, -3 and 5, {}", None),
        ("error", "assertion failed", None),
    ]  # fmt: skip
    kept = switch.store
    assert (len(kept.digests), kept.log, kept.failed_asserts) == (1, ["253, -3 and 5, {}"], [AT])
    switch.restart()
    assert (kept.digests, kept.log, kept.failed_asserts, switch.register_read("I.r", 1)) == ([], [], [], 0)


def test_an_element_of_an_entry_is_no_cell_that_a_packet_names() -> None:
    """The length that a direct counter counts is no index either."""
    b = base()
    b.extern("I.dc", "direct_counter", unit="packets_and_bytes", automatic=0)
    b.extern("I.dm", "direct_meter", unit="bytes", automatic=0)
    counted = b.call("direct_counter.count_length", "I.dc", const(11, 32))
    b.action("I.count", counted, b.call("direct_meter.execute", "I.dm", out="h.note"))
    b.table("I.own", [("h.tag", "exact")], ["I.count"], direct=["I.dc", "I.dm"])
    told: list[Event] = []
    switch = Switch(plain(b, (apply("I.own"),)), trace=told.append)
    handle = switch.table_add("I.own", (Exact(5),), "I.count")
    switch.process(0, b"\x05\xfd")
    assert not [event for event in told if event.kind == "cell"]
    count = switch.counter("I.dc", handle)
    assert (count.packets, count.bytes) == (1, 11)


def test_an_action_that_another_table_runs_counts_no_entry() -> None:
    b = base()
    b.extern("I.dc", "direct_counter", unit="packets", automatic=0)
    b.action("I.count", b.call("direct_counter.count", "I.dc"))
    b.table("I.own", [("h.tag", "exact")], ["I.count"], direct=["I.dc"])
    b.table("I.other", [("h.note", "exact")], ["I.count"])
    switch = Switch(plain(b, (if_(binary("==", b.get("h.tag"), const(1, 8)), [apply("I.own")]), apply("I.other"))))
    handle = switch.table_add("I.own", (Exact(1),), "I.count")
    switch.table_add("I.other", (Exact(2),), "I.count")
    assert switch.process(0, b"\x00\x02") == [(0, b"\x00\x02")]
    assert switch.counter("I.dc", handle).packets == 0
    assert switch.process(0, b"\x01\x00") == [(0, b"\x01\x00")]
    assert switch.counter("I.dc", handle).packets == 1


def test_a_miss_has_no_colour_of_the_hit_before_it() -> None:
    b = base()
    b.extern("I.m", "direct_meter", unit="packets", automatic=1)
    b.action("I.mark", b.call("direct_meter.read", "I.m", const(7, 8), out="h.note"))
    b.table("I.t", [("h.tag", "exact")], ["I.mark"], "I.mark", direct=["I.m"])
    twice = (apply("I.t"), b.set("meta.kept", b.get("h.note")), b.set("h.tag", b.get("meta.kept")), apply("I.t"))
    switch = Switch(plain(b, twice))
    handle = switch.table_add("I.t", (Exact(1),), "I.mark")
    switch.meter_set_rates("I.m", handle, (0, 0), (0, 0))
    assert switch.process(0, b"\x01\x00") == [(0, b"\x02\x07")]  # red, then nothing


def test_hit_and_action_outcome_drive_a_switch() -> None:
    b = base()
    b.action("I.a")
    b.table("I.t", [("h.tag", "exact")], ["I.a"])
    b.variable("I.hit", Bool(), Storage.LOCAL)
    b.variable("I.run", b.tables[0].action_enum, Storage.LOCAL)
    ingress = (
        apply("I.t", "I.hit", "I.run"),
        if_(b.get("I.hit"), [b.set("sm.egress_spec", 1)]),
        st.Switch(b.get("I.run"), (st.SwitchCase((0,), (b.set("h.note", 0xA0),), AT),), (b.set("h.note", 0xDF),), AT),
    )
    switch = Switch(plain(b, ingress))
    switch.table_add("I.t", (Exact(1),), "I.a")
    assert switch.process(0, b"\x01\x00") == [(1, b"\x01\xa0")]
    assert switch.process(0, b"\x02\x00") == [(0, b"\x02\xdf")]


def test_blocks_leave_and_loops() -> None:
    b = base()
    one = const(1, 8)
    loop = st.Block(
        "out",
        (
            st.While(
                true(),
                (
                    b.set("h.note", binary("+", b.get("h.note"), one)),
                    if_(binary("==", b.get("h.note"), b.get("h.tag")), [st.Leave("out", AT)]),
                ),
                AT,
            ),
            b.set("h.note", 0xEE),
        ),
        AT,
    )
    switch = Switch(plain(b, (loop, b.set("sm.egress_spec", 4))))
    assert switch.process(0, b"\x09\x00") == [(4, b"\x09\x09")]


def test_a_loop_without_end_drops_its_packet() -> None:
    b = base()
    switch = Switch(plain(b, (st.While(true(), (), AT),)))
    assert switch.process(0, b"\x01\x02") == []


def test_headers_added_removed_and_copied() -> None:
    b = base()
    b.header("x", "h_t")
    ingress = (
        st.CopyHeader(h("x"), h("h"), AT),
        b.set("x.tag", 0x99),
        st.SetValid(h("h"), False, AT),
        if_(valid("x"), [b.set("sm.egress_spec", 2)]),
    )
    start = state("start", [extract("h")], goto("accept"))
    program = b.build([start], ingress, deparser=[emit("h"), emit("x")])
    assert Switch(program).process(0, b"\x01\x02.") == [(2, b"\x99\x02.")]


def test_what_is_copied_from_beyond_a_stack_is_no_header() -> None:
    b = base()
    b.stack("s", "h_t", 2)
    copied = st.CopyHeader(h("h"), ex.ElementRef("s", b.get("h.note"), AT), AT)
    start = state("start", [extract("h"), extract("s[0]"), extract("s[1]")], goto("accept"))
    switch = Switch(b.build([start], (copied,), deparser=[emit("h")]))
    sent = [switch.process(0, bytes((1, index)) + b"\x03\x04\x05\x06.") for index in (1, 2)]
    assert sent == [[(0, b"\x05\x06.")], [(0, b".")]]


def test_local_variables_begin_anew_and_metadata_do_not() -> None:
    b = base()
    b.variable("local", 8, Storage.LOCAL)
    ingress = (b.set("local", 5), b.set("meta.kept", 6))
    egress = (b.set("h.tag", b.get("local")), b.set("h.note", b.get("meta.kept")))
    assert Switch(plain(b, ingress, egress)).process(0, b"\x01\x02") == [(0, b"\x00\x06")]


def test_fields_of_a_frame() -> None:
    program = plain(base(), ())
    assert fields_of(program, b"\x01\x02\x03") == [(0, 8, "h.tag"), (8, 8, "h.note")]
    assert fields_of(program, b"\x01") == []
    loop = base().build([state("start", [extract("h"), st.While(true(), (), AT)], goto("accept"))])
    assert fields_of(loop, b"\x01\x02\x03") == [(0, 8, "h.tag"), (8, 8, "h.note")]


@pytest.mark.parametrize(("frame", "last"), [(b"\x01\x02\x03", []), (b"\x01\x02\x03\x04", [(16, 8, "more.n")])])
def test_fields_of_a_frame_whose_parser_asks_how_long_it_is(frame: bytes, last: list[tuple[int, int, str]]) -> None:
    b = base()
    b.header("more", "more_t", n=8)
    start = state(
        "start", [extract("h")], select(b.get("sm.packet_length"), (exact(4, 32), "more"), (any_(), "accept"))
    )
    program = b.build([start, state("more", [extract("more")], goto("accept"))])
    assert fields_of(program, frame) == [(0, 8, "h.tag"), (8, 8, "h.note"), *last]


@pytest.mark.parametrize("size", [0, 2])
def test_fields_of_a_frame_with_one_of_varying_length(size: int) -> None:
    """It is as long as the parser takes it, and so stands what is behind it."""
    b = base()
    b.header("options", "options_t", length=8, data=Varbit(64), behind=8)
    start = [extract("h"), extract("options", ex.Cast(b.get("h.note"), Bits(32), AT))]
    program = b.build([state("start", start, goto("accept"))])
    assert fields_of(program, bytes((1, size * 8, 3)) + b"data behind") == [
        (0, 8, "h.tag"), (8, 8, "h.note"), (16, 8, "options.length"), (24, 8 * size, "options.data"),
        (24 + 8 * size, 8, "options.behind"),
    ]  # fmt: skip


def test_stack_loop_ends_and_no_frame_raises() -> None:
    b = Builder()
    b.stack("s", "s_t", 3, kind=8, value=8)
    b.variable("next", 8, Storage.LOCAL)
    element = ex.ElementRef("s", b.get("next"), AT)
    kind = ex.Read(ex.FieldRef(element, "kind", AT), Bits(8), AT)
    start = state(
        "start",
        [st.Extract(element, None, AT), b.set("next", binary("+", b.get("next"), const(1, 8)))],
        select(b.get("next"), (exact(5, 8), "accept"), (any_(), "start")),
    )
    ingress = [b.set("sm.egress_spec", 1), b.set("s[2].value", kind)]
    switch = Switch(b.build([start], ingress, deparser=[emit(f"s[{i}]") for i in range(3)]))
    chance = random.Random(1)
    for _ in range(300):
        frame = chance.randbytes(chance.randrange(12))
        sent = switch.process(chance.randrange(600), frame)
        assert [port for port, _ in sent] == ([1] if frame else [])


def test_deep_expressions_do_not_overflow() -> None:
    b = base()
    expression: ex.Expression = b.get("h.tag")
    for _ in range(3000):
        expression = binary("+", expression, const(1, 8))
    program = plain(b, ())  # the statement is put in after the verifier, which recurses
    deep = Control("Ingress", Role.INGRESS, (b.set("h.tag", expression),), AT)
    program = replace(program, pipes=tuple(deep if p.role is Role.INGRESS else p for p in program.pipes))
    assert Switch(program).process(0, b"\x00\x00") == [(0, bytes([3000 % 256, 0]))]
