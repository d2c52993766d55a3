"""Entries that packets add to the table that they missed, and the time that they live.

Without a restart an entry lives for the time of its expire time profile: a hit alone does not extend it.
Source: P4 Portable NIC Architecture 0.7, sections 6.1 and 6.2, and pna.p4.
"""

from __future__ import annotations

from transpiler.externs.row import COMMUTES, LIST, NUMBER, STATE, TEXT, Interpreted, Method

# seconds that entries of each profile live, as DPDK's learner tables have it at first; of other profiles: for ever
EXPIRE_SECONDS = (10, 30, 60, 120, 300, 43200, 120, 120)
PROFILES = 255  # 0 … 254
ADD, SET_EXPIRE_TIME, RESTART_TIMER = "entry.add", "entry.set_expire_time", "entry.restart_timer"


def _add(call: Interpreted) -> None:
    call.output(int(call.add_entry(call.text(0), call.values(1), call.input(2))))


ROWS = (
    Method(
        name=ADD,
        inputs=(TEXT, LIST, NUMBER),
        outputs=(NUMBER,),
        effect=STATE,
        doc="(action, its data, expire time profile): an entry for the key that missed; 1: it is there",
        run=_add,
        c=lambda call: call.add_entry(0, 1, 2),
        timed=True,
    ),
    Method(
        name=SET_EXPIRE_TIME,
        inputs=(NUMBER,),
        effect=COMMUTES,
        doc="(profile): the entry that was hit lives for that profile's time from now on",
        run=lambda call: call.restart_timer(call.input(0)),
        c=lambda call: call.restart_timer(call.amount(0)),
        timed=True,
    ),
    Method(
        name=RESTART_TIMER,
        effect=COMMUTES,
        doc="(): the entry that was hit lives for its profile's time from now on",
        run=lambda call: call.restart_timer(None),
        c=lambda call: call.restart_timer(None),
        timed=True,
    ),
)
