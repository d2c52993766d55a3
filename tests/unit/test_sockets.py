"""Where switches listen that were not told where: a folder of this user, a name that no other switch has."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from macsad import running, sockets
from macsad.cli import USAGE, call
from macsad.control import Client, _note, _renumber
from macsad.protocol import ControlError, NoSwitchError
from macsad.shims import ports

NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")


@pytest.fixture(autouse=True)
def of_this_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@contextlib.contextmanager
def listening(path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as server:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        server.bind(str(path))
        server.listen()
        yield server


def test_the_folder_is_this_users_alone(tmp_path: Path) -> None:
    with sockets.place() as (path, other):
        assert (path, other) == (tmp_path / "macsad" / "macsad.sock", False)
        assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_second_run_gets_a_place_of_its_own(tmp_path: Path) -> None:
    with sockets.place() as (first, _), sockets.place() as (second, other):
        assert other and second == first.with_name(f"macsad-{os.getpid()}.sock")
    with listening(first), sockets.place() as (third, other):  # nobody holds the lock, but a switch is there
        assert other and third != first
    with sockets.place() as (path, other):  # what is left there does not count
        assert not other and path == first and first.exists()


def test_run_says_which_it_took(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with sockets.place():
        assert running.run(("echo",), ("0=null:",), None, None, ()) == 0
    told = capfd.readouterr()
    assert f"--socket {tmp_path}/macsad/macsad-{os.getpid()}.sock" in told.out
    assert told.err == (
        f"another switch has the usual socket; this one listens at {tmp_path}/macsad/macsad-{os.getpid()}.sock\n"
    )


def test_ctl_finds_the_one_that_runs(tmp_path: Path) -> None:
    with pytest.raises(NoSwitchError, match=f"no switch listens in {tmp_path}/macsad"):
        sockets.running_socket()
    with listening(tmp_path / "macsad" / "macsad-7.sock"):
        assert sockets.running_socket().name == "macsad-7.sock"
        with listening(tmp_path / "macsad" / "macsad.sock"):
            sockets._LISTING_SECONDS = 0.1
            with pytest.raises(sockets.SeveralError) as several:
                sockets.running_socket()
    assert str(several.value) == "several switches run; name one:" + "".join(
        f"\n  --socket {tmp_path}/macsad/{name}    (timed out)" for name in ("macsad-7.sock", "macsad.sock")
    )


def test_ctl_asks_which_of_several(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    sockets._LISTING_SECONDS = 0.1
    with listening(tmp_path / "macsad" / "macsad-7.sock"), listening(tmp_path / "macsad" / "macsad.sock"):
        assert call(["ctl", "show_ports"]) == USAGE
    assert "several switches run; name one:" in capfd.readouterr().err


def test_a_switch_with_more_clients_than_it_takes_runs(tmp_path: Path) -> None:
    with listening(tmp_path / "macsad" / "macsad.sock") as full, contextlib.ExitStack() as stack:
        full.listen(0)
        waiting: list[bool] = []
        while len(waiting) < 10 and not any(waiting):
            client = stack.enter_context(socket.socket(socket.AF_UNIX))
            client.setblocking(False)
            waiting.append(client.connect_ex(str(tmp_path / "macsad" / "macsad.sock")) != 0)
        assert any(waiting)
        assert sockets.running_socket().name == "macsad.sock"
        with sockets.place() as (_, other):
            assert other


@pytest.mark.parametrize("what", ["link", "file", "open"])
def test_a_folder_that_cannot_be_trusted(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    elsewhere, place = tmp_path / "elsewhere", tmp_path / "macsad"
    elsewhere.mkdir()
    if what == "link":
        place.symlink_to(elsewhere)
    elif what == "file":
        place.touch()
    else:
        place.mkdir()
        place.chmod(0o777)
    assert running.run(("echo",), ("0=null:",), None, None, ()) == 1
    why = "others may write to it" if what == "open" else "it is not a folder"
    assert capsys.readouterr().err == (
        f"error: no place for the control socket in {place}: {why}; name one with --socket PATH\n"
    )
    assert not list(elsewhere.iterdir())
    with pytest.raises(NoSwitchError, match=why):
        sockets.running_socket()


@needs_root
def test_a_folder_of_another_user(tmp_path: Path) -> None:
    (tmp_path / "macsad").mkdir()
    os.chown(tmp_path / "macsad", NOBODY, NOBODY)
    with pytest.raises(sockets.PlaceError, match=r"it belongs to user 65534, not to you \(user 0\)"), sockets.place():
        pass
    os.chown(tmp_path, NOBODY, NOBODY)  # not this user's: not its folder for sockets
    assert sockets.folder() == Path("/run/macsad") or sockets.folder().parent == Path(tempfile.gettempdir())


@needs_root
def test_a_user_without_home_or_name(tmp_path: Path) -> None:
    """Their own folder among the temporary files; a socket there by name, too."""
    script = (
        "import os, sys, tempfile, pathlib, subprocess; sys.path[:0] = sys.argv[2:]\n"
        "from macsad import running, sockets; from transpiler.toolchain.cache import cache_directory\n"
        "tempfile.tempdir = sys.argv[1]; os.setgroups([]); os.setgid(54321); os.setuid(54321)\n"
        "with sockets.place() as (path, _): print(path, flush=True)\n"
        "print(cache_directory(), flush=True)\n"
        "assert running.run(('echo',), ('0=null:',), None, pathlib.Path('/tmp/x.sock'), ()) == 0\n"
    )
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o1777)
        command = [sys.executable, "-c", script, folder, *sys.path]
        done = subprocess.run(command, capture_output=True, text=True, env={}, check=False, cwd="/")
        assert done.returncode == 0, done.stderr
        own = f"{folder}/macsad-54321"
        assert done.stdout.splitlines()[:2] == [f"{own}/macsad.sock", f"{own}/cache"]
        assert "--socket /tmp/x.sock" in done.stdout


@needs_root
def test_a_trap_is_not_talked_to() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o1777)
        path = f"{folder}/socket"
        script = (
            "import os, socket, sys; os.setuid(65534); s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); "
            "s.listen(); print('there', flush=True); s.accept(); sys.stdin.read()"
        )
        trap = subprocess.Popen([sys.executable, "-c", script, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert trap.stdout and trap.stdout.readline() == b"there\n"
        with pytest.raises(ControlError, match=r"is user 65534, neither you \(user 0\) nor root"):
            Client(path)
        trap.communicate()


def test_errors_are_numbered_through_blocks() -> None:
    """Only lines that begin with the number of a line have one."""
    text = "3: error: no table\n    add no_table\nswitch: error: full\n4: warning: odd\n5 error: x\n"
    assert _renumber(text, 10) == text.replace("3: error", "13: error")
    assert _renumber(text, 0) == text


def test_a_note_is_told_by_its_whole_name() -> None:
    answer = b"\0\2ab" + (3).to_bytes(4, "big") + b"xyz" + b"\0\1c"
    assert _note(answer, b"ab") == b"xyz"
    assert [_note(answer, name) for name in (b"a", b"abx", b"c", b"ac")] == [b""] * 4
    assert _note(b"", b"ab") == b""


@pytest.mark.parametrize("runtime", ["relative", "/", ""])
def test_a_folder_is_named_from_the_root(runtime: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not, and the root itself, is nobody's own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "relative").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    found = sockets.folder()
    assert found.is_absolute() and found not in (Path("relative/macsad"), Path("/macsad"))


def test_the_first_folder_that_is_the_users_own_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """$XDG_RUNTIME_DIR, that of the user in /run/user, and /run, which is root's."""
    places = [tmp_path, Path(f"/run/user/{os.geteuid()}"), Path("/run")]
    monkeypatch.setattr(sockets.os, "access", lambda path, mode: mode == os.W_OK)
    monkeypatch.setattr(sockets.private, "why_not_private", lambda path: "" if path in own else "it is another user's")
    for place in places:
        own = places[places.index(place) :]
        assert sockets.folder() == place / "macsad"


def test_a_folder_that_cannot_be_written_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets.os, "access", lambda path, mode: mode == os.W_OK and path != tmp_path)
    assert sockets.folder() != tmp_path / "macsad"
    monkeypatch.setattr(sockets.os, "access", lambda path, mode: mode == os.W_OK)
    assert sockets.folder() == tmp_path / "macsad"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for error, told in (
        (OSError(28, "No space left on device"),
         f"cannot make {tmp_path}/macsad for the control socket: No space left on device"),
        (OSError("strange"), f"cannot make {tmp_path}/macsad for the control socket: strange"),
        (PermissionError("x, which is another user's"),
         "no place for the control socket in x, which is another user's; name one with --socket PATH"),
    ):  # fmt: skip

        def make(path: Path, error: OSError = error) -> None:
            raise error

        monkeypatch.setattr(sockets.private, "make", make)
        with pytest.raises(sockets.PlaceError) as wrong:
            sockets.folder_made()
        assert str(wrong.value) == told


def test_the_switch_that_runs_is_the_one_that_answers(tmp_path: Path) -> None:
    """Sockets that were left there do not count."""
    with pytest.raises(NoSwitchError, match=f"no switch listens in {tmp_path}/macsad"):
        sockets.running_socket()
    with listening(tmp_path / "macsad" / "a.sock"):
        pass
    with listening(tmp_path / "macsad" / "b.sock"):
        assert sockets.running_socket() == tmp_path / "macsad" / "b.sock"
    with pytest.raises(NoSwitchError, match=f"no switch listens in {tmp_path}/macsad"):
        sockets.running_socket()


def test_the_socket_of_a_thrift_port_is_in_the_folder_of_sockets(tmp_path: Path) -> None:
    assert ports.socket_of(80) == sockets.folder() / "thrift-80.sock"
    assert ports.socket_of(9091) == sockets.folder() / "thrift-9091.sock"
    assert sockets.folder().is_dir() and tmp_path in sockets.folder().parents
