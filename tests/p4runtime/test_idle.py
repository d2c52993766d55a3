"""Entries that time out. P4Runtime spec 1.4.1 sections 9.1.8 and 16.4."""

from __future__ import annotations

from typing import Any

from controller import INSERT, MODIFY, Controller, Stream, entity, octets, update
from switch_harness import ethernet

from macsad.p4runtime.codes import Code

OK = Code.OK
SECOND = 10**9


def aging(controller: Controller, src: int, timeout: int = 0, **more: Any) -> Any:
    return controller.entry("aging_t", {1: octets(src)}, "forward", 1, idle_timeout_ns=timeout, **more)


def test_entries_that_nothing_hits_are_told(controller: Controller, stream: Stream, served: Any) -> None:
    short, long, never = (
        aging(controller, 1, SECOND // 20, metadata=b"x"),
        aging(controller, 2, 3600 * SECOND),
        aging(controller, 3),
    )
    assert controller.write(*(update(INSERT, table_entry=e) for e in (short, long, never))) == [OK] * 3
    told = stream.next().idle_timeout_notification
    (found,) = told.table_entry
    assert (found.match, found.idle_timeout_ns, found.metadata) == (short.match, SECOND // 20, b"x")
    assert told.timestamp > 10**18
    served.switch.client.exchange([(0, ethernet(9, src=1))])
    assert stream.next().idle_timeout_notification.table_entry[0].match == short.match  # it was hit since
    assert controller.write(update(MODIFY, table_entry=aging(controller, 1))) == [OK]
    assert controller.write(update(MODIFY, table_entry=aging(controller, 2, SECOND // 20))) == [OK]
    assert stream.next().idle_timeout_notification.table_entry[0].match == long.match


def test_timeouts_are_read(controller: Controller) -> None:
    entries = [aging(controller, src, src * 3600 * SECOND) for src in range(4)]
    assert controller.write(*(update(INSERT, table_entry=e) for e in entries)) == [OK] * 4
    asked = controller.entry("aging_t", {})
    found = [e.table_entry.SerializeToString() for e in controller.read(entity(table_entry=asked))]
    assert sorted(found) == sorted(e.SerializeToString() for e in entries)
    asked.time_since_last_hit.SetInParent()
    for one in controller.read(entity(table_entry=asked)):
        assert 0 <= one.table_entry.time_since_last_hit.elapsed_ns < 600 * SECOND


def test_what_is_refused(controller: Controller) -> None:
    exact = controller.entry("exact_t", {1: b"\1"}, "count_forward", 1, idle_timeout_ns=1)
    default = controller.entry("aging_t", {}, "forward", 1, is_default_action=True, idle_timeout_ns=1)
    negative = aging(controller, 1, -1)
    codes = controller.write(
        update(INSERT, table_entry=exact), update(MODIFY, table_entry=default), update(INSERT, table_entry=negative)
    )
    assert codes == [Code.INVALID_ARGUMENT] * 3


def test_the_words_that_controllers_know(controller: Controller) -> None:
    """Those of BMv2's server: tests of controllers compare them."""
    exact = controller.entry("exact_t", {1: b"\1"}, "count_forward", 1, idle_timeout_ns=1)
    written = aging(controller, 1)
    written.time_since_last_hit.SetInParent()
    assert controller.refusals(update(INSERT, table_entry=exact), update(INSERT, table_entry=written)) == [
        "idle_timeout_ns must be set to 0 for tables which do not support idle timeout",
        "has_time_since_last_hit must not be set in WriteRequest",
    ]
