"""For each optimisation a program whose C is another without it; tests/unit/test_optimisations.py sees that it is so."""

from __future__ import annotations

from pathlib import Path

from transpiler.optimisations import NAMES, OF_BUILD

ROOT = Path(__file__).parents[1]
APPS = ROOT / "apps"
PACKETS = ROOT / "tests" / "packets"
DROPS = ROOT / "bench" / "drops.p4"  # with a profile: half of its packets are dropped
BY_PROFILE = ("early-drops", "hot-actions")  # without a profile they do nothing

_APPS = {
    "l2fwd": ("concurrent-lookups", "software-pipelining", "packed-entries"),
    "router": ("follow", "defer-counts", "direct"),
    "l2fwd-crypto": ("interleave",),
}
_PACKETS = {
    "tables": ("empty-tables", "compare"),  # it has constant entries
    "large_state": ("state", "bundles", "atomic-updates", "lock-stripes", "sharding"),
    "tallies": ("tallies",),  # registers that packets only add to
    "decisions": ("decision-cache",),  # so many lookups
    "ready": ("ready-decisions", "look-first"),  # only computation behind such tables
    "reread": ("reread",),
    "keys_of_many_fields": ("key-words",),  # such keys in small tables
    "in_frame": ("inline-stages",),  # more than 32 live values
}

CHANGED = {
    **{name: APPS / "l3fwd" / "l3fwd.p4" for name in NAMES if name not in OF_BUILD},
    **{name: APPS / app / f"{app}.p4" for app, names in _APPS.items() for name in names},
    **{name: PACKETS / f"{program}.p4" for program, names in _PACKETS.items() for name in names},
    **dict.fromkeys(BY_PROFILE, DROPS),
}
