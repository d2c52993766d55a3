"""No command writes over what it reads, nor two things into one file; what it writes is there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

from macsad import cli
from macsad.outputs import apart, written

L2FWD = Path(__file__).parents[2] / "apps" / "l2fwd" / "l2fwd.p4"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program without suffix, which includes a file."""
    monkeypatch.chdir(tmp_path)
    text = L2FWD.read_text()
    (tmp_path / "types.svg").write_text("typedef bit<9> included_t;\n")
    (tmp_path / "prog").write_text(text.replace("#include <v1model.p4>", '#include <v1model.p4>\n#include "types.svg"'))
    return tmp_path / "prog"


def test_links_are_what_they_name(tmp_path: Path) -> None:
    source = tmp_path / "a"
    source.write_text("a")
    (tmp_path / "soft").symlink_to("a")
    os.link(source, tmp_path / "hard")
    for name in ("a", "soft", "hard", "../" + tmp_path.name + "/a"):
        with pytest.raises(click.UsageError) as over:
            apart([tmp_path / name], [source])
        assert over.value.message == f"'{tmp_path / name}' would be written over '{source}', which is read"
    with pytest.raises(click.UsageError) as one:
        apart([tmp_path / "soft", tmp_path / "hard"])
    assert one.value.message == f"'{tmp_path / 'hard'}' and '{tmp_path / 'soft'}' would be one file"
    with pytest.raises(click.UsageError, match="would be one file"):
        apart([tmp_path / "new", tmp_path / "." / "new"])
    (tmp_path / "folder").symlink_to(".")
    with pytest.raises(click.UsageError) as not_there:
        apart([tmp_path / "new", tmp_path / "folder" / "new"])
    assert not_there.value.message == f"'{tmp_path / 'folder' / 'new'}' and '{tmp_path / 'new'}' would be one file"
    apart([tmp_path / "new", tmp_path / "other", Path("/dev/null"), Path("/dev/null")], [source, Path("/dev/null")])


def test_what_is_no_file_is_written_as_it_is(tmp_path: Path) -> None:
    tmp_path.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "soft").symlink_to("pipe")
    for name in ("pipe", "soft"):
        with written(tmp_path / name) as beside:
            assert beside == tmp_path / name
    assert (tmp_path / "pipe").is_fifo() and sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "soft"]


def test_a_file_is_there_whole_or_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "soft").symlink_to("a")
    (tmp_path / "a").write_text("old")
    with pytest.raises(ZeroDivisionError), written(tmp_path / "soft") as beside:
        beside.write_text("half")
        raise ZeroDivisionError
    assert (tmp_path / "a").read_text() == "old"
    with written(tmp_path / "soft") as beside:
        beside.write_text("new")
    assert (tmp_path / "a").read_text() == "new" and (tmp_path / "soft").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "soft"]
    test_what_is_no_file_is_written_as_it_is(tmp_path / "devices")  # or root would lose its device
    with (
        pytest.raises(click.FileError, match="No space"),
        written(Path("/dev/full")) as beside,
        beside.open("w") as out,
    ):
        out.write("x" * 100_000)


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "prog", "-o", "."],
        ["build", "prog", "-o", "out", "--p4info", "prog"],
        ["build", "prog", "-o", "out", "--p4info", "out/prog.c"],
        ["build", "prog", "-o", "out", "--p4info", "types.svg"],
        ["build", "prog", "-o", "out", "--bmv2-json", "prog"],
        ["build", "prog", "-o", "out", "--bmv2-json", "out/prog"],
        ["build", "prog", "-o", "linked"],
        ["graph", "prog", "-o", "types.svg"],
        ["gen", "prog", "-o", "traffic", "--packets", "1", "--entries", "1"],
        ["bench", "prog", "--quick", "--json", "prog"],
        ["run", "prog", "--port", "0=null:", "--trace", "prog"],
        ["run", "prog", "--port", "0=pcap:types.svg,", "--trace", "types.svg"],
        ["run", "prog", "--port", "0=pcap:,prog"],
        ["run", "prog", "--port", "0=pcap:,types.svg"],
        ["run", "prog", "--port", "0=null:", "--log", "prog"],
        ["run", "prog", "--port", "0=null:", "--log", "prog", "--trace", "prog"],
        ["run", "prog", "--port", "0=null:", "--log=types.svg", "--const-tables", "types.svg"],
        ["run", "prog", "--port", "0=null:", "-o", "linked2", "--entries", "types.svg"],
        ["tune", "prog", "--traffic", "types.svg", "-o", "types.svg"],
        ["place", "prog", "--traffic", "types.svg", "-o", "types.svg"],
        ["bench", "prog", "--quick", "--json", "x.svg", "--plot", "x.svg"],
    ],
)
def test_a_program_survives_what_is_made_of_it(
    arguments: list[str], program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("linked").mkdir()
    os.link(program, "linked/prog.c")
    Path("linked2").mkdir()
    os.link("types.svg", "linked2/prog")
    Path("traffic").mkdir()
    Path("traffic/packets.pcap").symlink_to("../types.svg")
    before = {path: path.read_text() for path in (program, Path("types.svg"))}
    assert cli.call(arguments) == 2
    assert "would be" in capsys.readouterr().err
    assert {path: path.read_text() for path in before} == before


def test_a_full_disk_is_a_plain_no(program: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    test_what_is_no_file_is_written_as_it_is(tmp_path / "devices")
    Path("full.dot").symlink_to("/dev/full")
    assert cli.call(["graph", str(program), "-o", "full.dot"]) == 1
    assert "full.dot" in capsys.readouterr().err
