"""A test that sends nothing still runs against a switch: its entries are checked there."""

from __future__ import annotations

from pathlib import Path

from macsad.cli import call

ROOT = Path(__file__).resolve().parents[2]


def test_entries_alone_pass(tmp_path: Path) -> None:
    stf = tmp_path / "entries.stf"
    stf.write_text("add routes hdr.ipv4.dst:0x0a000000/8 next_hop(neighbour:0x2, own:0x1, port:2)\n")
    assert call(["test", str(ROOT / "apps/l3fwd/l3fwd.p4"), str(stf)]) == 0
