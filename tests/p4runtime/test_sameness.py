"""Whether what a controller pushes is the program that runs, also where that runs as BMv2's JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from macsad import compilation
from macsad.compilation import Request
from macsad.p4runtime.sameness import device_data, same_info

ROUTES = Path(__file__).parents[2] / "apps" / "l3fwd" / "l3fwd.p4"


def p4info(path: Path):  # type: ignore[no-untyped-def]
    request = Request(path)
    return compilation.p4info(request, compilation.load(request))


def test_a_program_and_its_json_are_the_same(tmp_path: Path) -> None:
    program, json = tmp_path / "routes.p4", tmp_path / "routes.json"
    program.write_text(ROUTES.read_text().replace("            drop;\n", "            drop; @defaultonly NoAction;\n"))
    request = Request(program)
    compilation.write_bmv2_json(request, compilation.load(request), json)
    ours, theirs = p4info(json), p4info(program)
    assert ours != theirs, "annotations and scopes"
    assert same_info(theirs, ours)
    theirs.tables[0].size += 1
    assert not same_info(theirs, ours)
    theirs = p4info(program)
    theirs.tables[0].match_fields[0].bitwidth += 1
    assert not same_info(theirs, ours)


@pytest.mark.parametrize(
    ("config", "data"),
    [
        (b"{}", b"{}"),
        (b"\x08\x01\x12\x02\x08\x01\x1a\x02{}", b"{}"),  # reassign, extras, device_data
        (b"\x1a\x02{}", b"{}"),
        (b"\x1a\x7f{}", b"\x1a\x7f{}"),
        (b"", b""),
        (b"\xff\xff", b"\xff\xff"),
    ],
)
def test_json_in_a_device_config(config: bytes, data: bytes) -> None:
    assert device_data(config) == data
