"""What a call of a service is refused with."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from macsad.shims.cli.connection import told


def code_of(call: Callable[[], object]) -> str:
    """Of what a call raises, as a client is told it."""
    with pytest.raises(Exception) as raised:
        call()
    said = told(raised.value)
    assert said is not None
    return said
