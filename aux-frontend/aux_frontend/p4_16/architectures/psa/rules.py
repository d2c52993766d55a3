"""PSA: which table properties name which objects (PSA specification 1.2, section 7)."""

from __future__ import annotations

from aux_frontend.p4_16.architectures import direct
from aux_frontend.p4_16.architectures.uses import Uses
from aux_frontend.p4_16.checker.state import State

_PROPERTIES = direct.Properties(
    direct={"psa_direct_counter": ("DirectCounter",), "psa_direct_meter": ("DirectMeter",)},
    shared={"psa_implementation": ("ActionProfile", "ActionSelector")},
)


def check(st: State, uses: Uses) -> None:
    direct.check(st, uses, _PROPERTIES)
