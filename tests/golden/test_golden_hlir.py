"""What frontends make of whole programs: the HLIR as text, beside each P4-16 program or in a folder for those of packet tests;
and programs as BMv2's JSON, with the HLIR of what is read of it again (`--update-golden` writes all of it anew)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import switches
from aux_frontend.bmv2_json.frontend import Bmv2Json
from aux_frontend.bmv2_json.write.document import document
from aux_frontend.p4_16.frontend import P4_16

from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source
from transpiler.hlir.printer import print_program
from transpiler.verifier import verify

HERE = Path(__file__).parent
PACKETS = HERE.parent / "packets"
PROGRAMS = sorted(p for p in (HERE / "p4_16").glob("*.p4") if p.name != "skeleton.p4")
FOLDERS = {
    "p4_14": sorted(path.stem for path in PACKETS.glob("p4_14_*.p4")),
    "packets": ["calls", "generics", "header_unions", "keys", "parsers", "run_time_places", "statements", "subparsers"],
}
AS_JSON = (
    "bmv2_clones",
    "bmv2_packets",
    "bmv2_tables",
    "checksum",
    "headers",
    "p4_14_state",
    "parsing",
    "state",
    "tables",
)
READ_AGAIN = (
    "arithmetic", "arrays", "bound", "calls", "flooding", "hash", "operators", "p4_14_hashes", "p4_14_parser", "p4_14_primitives",
    "standard_metadata", "subparsers",
)  # fmt: skip


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda p: p.stem)
def test_hlir(file: Path, golden: Callable[[Path, str], None]) -> None:
    program = P4_16().load(Source(file), Diagnostics())
    verify(program)
    golden(file.with_suffix(".hlir"), print_program(program))


@pytest.mark.parametrize(("folder", "name"), [(folder, name) for folder, names in FOLDERS.items() for name in names])
def test_hlir_of_packet_tests(folder: str, name: str, golden: Callable[[Path, str], None]) -> None:
    golden(HERE / folder / f"{name}.hlir", print_program(switches.load(PACKETS / f"{name}.p4")))


@pytest.mark.parametrize("name", AS_JSON)
def test_bmv2_json(name: str, golden: Callable[[Path, str], None], tmp_path: Path) -> None:
    made = document(switches.load(PACKETS / f"{name}.p4"), Diagnostics())
    text = "\n".join(lines(made)).replace(f"{PACKETS}/", "")
    golden(HERE / "bmv2_json" / f"{name}.json", text + "\n")
    read_again(made, name, golden, tmp_path)


@pytest.mark.parametrize("name", READ_AGAIN)
def test_hlir_of_bmv2_json(name: str, golden: Callable[[Path, str], None], tmp_path: Path) -> None:
    read_again(document(switches.load(PACKETS / f"{name}.p4"), Diagnostics()), name, golden, tmp_path)


def read_again(made: Any, name: str, golden: Callable[[Path, str], None], tmp_path: Path) -> None:
    file = tmp_path / f"{name}.json"
    file.write_text(json.dumps(made))
    golden(HERE / "bmv2_json" / f"{name}.hlir", print_program(Bmv2Json().load(Source(file), Diagnostics())))


def lines(made: Any) -> Iterator[str]:
    """A document with a line for each object of a section. What only says where something stands in the program is left out."""
    yield "{"
    sections = list(made.items())
    for place, (section, content) in enumerate(sections):
        end = "" if place == len(sections) - 1 else ","
        if isinstance(content, list) and content and isinstance(content[0], dict):
            yield f'"{section}": ['
            for at, item in enumerate(content):
                yield f" {json.dumps(placeless(item))}{'' if at == len(content) - 1 else ','}"
            yield f"]{end}"
        else:
            yield f'"{section}": {json.dumps(placeless(content))}{end}'
    yield "}"


def placeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: placeless(item) for key, item in value.items() if key != "source_info"}
    return [placeless(item) for item in value] if isinstance(value, list) else value
