"""The target of docs/extend/target.md, made from that page alone in a folder outside the checkout, as its author would."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from macsad.cli import call
from macsad.compilation import Request, build, load
from macsad.stf.compiled import CompiledDevice
from transpiler.interpreter.matches import Exact
from transpiler.targets.find import choose
from transpiler.toolchain import toolchain

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "extend" / "target.md"
NAT = ROOT / "apps" / "nat" / "nat.p4"
STF = NAT.parent / "packets.stf"
FILE = re.compile(r"^`(board/[\w./]+)`.*?^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """What a reader has who copies the page's files."""
    made = FILE.findall(PAGE.read_text())
    assert [path for path, _ in made] == ["board/target.toml", "board/templates/deparser.c.j2"]
    for path, text in made:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path / "board"


def test_the_app_passes_with_its_deparser(board: Path) -> None:
    assert call(["build", str(NAT), "--target-dir", str(board), "-O", "1", "-o", str(board.parent)]) == 0
    text = (board.parent / "nat.c").read_text()
    assert "macs_counter_add(externs[macs_target_deparsed]" in text
    assert ".burst = 64," in text and ".sub_batch = 16," in text
    sanitize = ["--sanitize", "address", "--sanitize", "undefined"]
    assert call(["test", str(NAT), str(STF), "--target-dir", str(board), *sanitize]) == 0


def test_what_is_sent_is_counted(board: Path, tmp_path: Path) -> None:
    program_file = tmp_path / "bounce.p4"
    program_file.write_text(BOUNCE)
    request = Request(program_file, target=choose("board", board.parent))
    program = load(request)
    binary, _ = build(request, program, tmp_path / "built", toolchain.find(optimise="-O1"))
    device = CompiledDevice(program, binary, (0, 1))
    try:
        for kind in (1, 2, 3):
            device.add_entry("In.ports", (Exact(kind),), "In.to", (kind % 2,), 0)
        handle = device.add_entry("In.ports", (Exact(4),), "In.to", (1,), 0)
        device.inject(0, bytes([4]) + bytes(63))  # to port 1
        assert len(device.collect()) == 1
        device.remove_entry("In.ports", handle)
        for kind, size in ((1, 64), (2, 70), (3, 100), (4, 90), (9, 80)):  # ports 1, 0, 1, dropped, dropped
            device.inject(0, bytes([kind]) + bytes(size - 1))
        assert len(device.collect()) == 3
        assert device.counter("target.deparsed", 1) == (3, 64 + 64 + 100)
        assert device.counter("target.deparsed", 0) == (1, 70)
    finally:
        device.close()


START = """#include <errno.h>

int board_start(void);
int board_start(void) {
    return %s;
}
"""


@pytest.mark.parametrize(
    ("answer", "code", "said"), [("0", 0, "passed"), ("-ENODEV", 1, "cannot start what the target has: No such")]
)
def test_the_targets_own_start_goes_first(
    board: Path, capsys: pytest.CaptureFixture[str], answer: str, code: int, said: str
) -> None:
    (board / "target.toml").write_text((board / "target.toml").read_text() + 'start = "board_start"\n')
    (board / "tables").mkdir()
    (board / "tables" / "board.c").write_text(START % answer)
    assert call(["test", str(NAT), str(STF), "--target-dir", str(board)]) == code
    assert said in capsys.readouterr().out


@pytest.fixture
def installed(board: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The same as an installed package, as pip leaves one behind."""
    place = board.parent
    (board / "__init__.py").write_text("")
    described = place / "board-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: board\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text("[macsad.targets]\nboard = board\n")
    monkeypatch.syspath_prepend(str(place))
    yield place
    sys.modules.pop("board", None)


def test_an_installed_package_brings_a_target(installed: Path) -> None:
    target = choose("board", None)
    assert target.folders[0] == ("board", installed / "board")
    assert [counter.name for counter in target.counters] == ["deparsed"]


def test_a_package_that_cannot_be_loaded(installed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (installed / "board" / "__init__.py").write_text("raise RuntimeError('out of order')\n")
    assert call(["build", str(NAT), "--target", "board"]) == 1
    assert "entry point board = board: error: cannot be loaded: RuntimeError: out of order" in capsys.readouterr().err


def test_a_template_that_fails_is_told_with_its_line(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    template = board / "templates" / "deparser.c.j2"
    whole = template.read_text()
    for bad, line, said in (
        ("{{ p.nothing }}", 3, "UndefinedError: .*nothing"),
        ("{{ 1 // 0 }}", 3, "ZeroDivisionError"),
        ("{% for %}", 3, "TemplateSyntaxError"),
        ("{% include 'none.j2' %}", 3, "TemplateNotFound: .*none.j2"),
    ):
        template.write_text(whole.replace("macs_counter_add", f"{bad} macs_counter_add"))
        assert call(["build", str(NAT), "--target-dir", str(board), "-o", str(board.parent)]) == 1
        assert re.search(rf"^{re.escape(str(template))}:{line}: error: {said}", capsys.readouterr().err)
    template.write_text(whole.replace("software/", "hardware/"))
    assert call(["build", str(NAT), "--target-dir", str(board), "-o", str(board.parent)]) == 1
    assert f"{template}:1: error: TemplateNotFound: hardware/deparser.c.j2" in capsys.readouterr().err


MARKED = ROOT / "docs" / "extend" / "template.md"
MARKED_FILE = re.compile(r"^`(marked/[\w./]+)`\n\n^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_template_page_is_a_target(tmp_path: Path) -> None:
    made = MARKED_FILE.findall(MARKED.read_text())
    assert [path for path, _ in made] == [
        "marked/target.toml", "marked/templates/stage/work.c.j2", "marked/templates/passes/prologue.c.j2",
    ]  # fmt: skip
    for path, text in made:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    l2fwd, marked = ROOT / "apps" / "l2fwd", str(tmp_path / "marked")
    command = ["build", str(l2fwd / "l2fwd.p4"), "--target-dir", marked, "-O", "1", "-o", str(tmp_path)]
    assert call(command) == 0
    text = (tmp_path / "l2fwd.c").read_text()
    assert "macs_counter_add(externs[macs_target_worked], worker, 0, count);" in text
    assert re.search(r"/\* l2fwd.p4:\d+: work of \w+ \*/|: work of \w+ \*/", text)
    assert call(["test", str(l2fwd / "l2fwd.p4"), str(l2fwd / "packets.stf"), "--target-dir", marked]) == 0


BOUNCE = """
#include <v1model.p4>
header kind_t { bit<8> kind; }
struct headers { kind_t kind; }
struct metadata { }
parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    state start { packet.extract(hdr.kind); transition accept; }
}
control V(inout headers hdr, inout metadata meta) { apply { } }
control In(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    action to(bit<9> port) { standard.egress_spec = port; }
    action drop() { mark_to_drop(standard); }
    table ports { key = { hdr.kind.kind: exact; } actions = { to; drop; } default_action = drop(); size = 1024; }
    apply { ports.apply(); }
}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) { apply { } }
control C(inout headers hdr, inout metadata meta) { apply { } }
control D(packet_out packet, in headers hdr) { apply { packet.emit(hdr.kind); } }
V1Switch(P(), V(), In(), E(), C(), D()) main;
"""
