"""Files of packets that are told: no larger than is asked for, what is older beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from macsad.trace.rotated import Limit, Rotated


def write(path: Path, limit: Limit, *texts: str) -> None:
    with Rotated(path, limit) as file:
        for text in texts:
            file.write(text)
            file.flush()


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_few_files_are_kept(tmp_path: Path) -> None:
    write(tmp_path / "log.txt", Limit(4, 2), "aa", "bb", "cc", "dddd", "ee")
    assert contents(tmp_path) == {"log.txt": "ee", "log.1.txt": "dddd", "log.2.txt": "cc"}


def test_none_is_kept(tmp_path: Path) -> None:
    write(tmp_path / "log", Limit(4, 0), "aa", "bb", "cc")
    assert contents(tmp_path) == {"log": "cc"}


def test_what_is_there_stays_and_a_text_is_in_one_file(tmp_path: Path) -> None:
    place = tmp_path / "s1.log.txt"
    place.write_text("old")
    write(place, Limit(4, 3), "n", "longer than that", "€")
    assert contents(tmp_path) == {"s1.log.txt": "€", "s1.log.1.txt": "longer than that", "s1.log.2.txt": "oldn"}


def test_sizes_are_bytes_and_an_empty_file_is_not_kept(tmp_path: Path) -> None:
    place = tmp_path / "log.txt"
    write(place, Limit(4, 2), "longer than that", "a", "€")
    assert contents(tmp_path) == {"log.txt": "a€", "log.1.txt": "longer than that"}, "4 bytes fit"
    write(place, Limit(5, 2), "€")
    assert contents(tmp_path) == {"log.txt": "€", "log.1.txt": "a€", "log.2.txt": "longer than that"}


def test_what_is_not_flushed_is_in_the_file_that_is_kept(tmp_path: Path) -> None:
    with Rotated(tmp_path / "log.txt", Limit(4, 1)) as file:
        file.write("aa")
        file.flush()
        file.write("b")
        file.write("ccc")
    assert contents(tmp_path) == {"log.txt": "ccc", "log.1.txt": "aab"}


def test_another_process_goes_on_appending(tmp_path: Path) -> None:
    place = tmp_path / "log.txt"
    with Rotated(place, Limit(6, 1)) as file, place.open("a") as other:
        file.write("one\n")
        file.flush()
        other.write("o\n")
        other.flush()
        file.write("two\n")
        file.flush()
        other.write("p\n")
    assert contents(tmp_path) == {"log.txt": "two\np\n", "log.1.txt": "one\no\n"}


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Rotated(tmp_path / "nowhere" / "log.txt", Limit(6, 1))
