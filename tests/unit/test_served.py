"""What servers beside a switch get to know of its program: what they have asked for, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from macsad import compilation, served
from macsad.compilation import Request

APPS = Path(__file__).parents[2] / "apps"


@pytest.mark.parametrize("info", [False, True])
@pytest.mark.parametrize("as_json", [False, True])
def test_only_what_is_asked_for_is_made(info: bool, as_json: bool) -> None:
    path = APPS / "l2fwd" / "l2fwd.p4"
    request = Request(path)
    made = served._served(request, None, info, as_json)
    assert path in made.inputs and made.binary is None and made.widths == {}
    told = compilation.p4info(request, compilation.load(request)).SerializeToString()
    assert made.info == (told if info else b"")
    assert (made.json is None) is not as_json
    assert made.json is None or json.loads(made.json)["pipelines"]
    if info and as_json:
        assert served.served(request, info=True, json=True) == made
        assert served.served(request, info=False) == served._served(request, None, False, False)


def test_fields_of_controller_headers_have_their_bits() -> None:
    """Not those of whole bytes."""
    request = Request(Path(__file__).parents[1] / "p4runtime" / "served.p4")
    assert served._served(request, None, False, False).widths == {"packet_in": (9, 7), "packet_out": (9, 7)}
