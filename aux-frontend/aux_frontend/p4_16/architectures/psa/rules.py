"""PSA: which table properties name which objects (PSA specification 1.2, section 7)."""

from __future__ import annotations

from aux_frontend.p4_16.architectures import direct
from aux_frontend.p4_16.architectures.portable import properties
from aux_frontend.p4_16.architectures.uses import Uses
from aux_frontend.p4_16.checker.state import State

_PROPERTIES = properties.objects("psa")


def check(st: State, uses: Uses) -> None:
    direct.check(st, uses, _PROPERTIES)
