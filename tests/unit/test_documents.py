"""What README.md, CONTRIBUTING.md and all other pages name is there: links and their headings, paths, options of commands."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from macsad.cli import VERBS, cli
from macsad.shims import p4c, runtime_cli, simple_switch

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "apps").rglob("*.md")]
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)

# A path in code: folders and perhaps a file, or a file alone.
SUFFIX = r"(?:c\.j2|[ch]|py|toml|md|p4|stf|txt|svg|plan)"
PATH = re.compile(
    rf"(?<![\w./<~*-])((?:[\w.*-]*[a-z][\w.*-]*/)+(?:[\w.*-]+\.{SUFFIX})?|[a-z_0-9]+\.(?:c\.j2|[ch]|py))(?![\w/.]\w|[\w/])"
)
PLACEHOLDER = re.compile(r"(?<![a-z0-9])(?!README|CONTRIBUTING)[A-Z]{2,}|\b[A-Z]\b")  # apps/NAME/NAME.p4, P.c
FOLDERS = ("", "aux-backend", "aux-backend/include", "aux-backend/platform", "aux-backend/platform/linux",
           "aux-backend/platform/linux/include", "aux-backend/platform/linux/src", "aux-backend/tables",
           "aux-frontend", "aux-frontend/aux_frontend", "bench", "macsad", "templates", "tests", "tests/fuzz",
           "transpiler", "transpiler/targets")  # fmt: skip
# Files that pages tell their reader to make, or that a command makes; those of other projects; a Python module.
MADE = re.compile(
    r"(software/.*j2$|tables/\*\.c)|(board|build|marked|ones|patch|sorted|traffic)/|(tables/)?exact_sorted\.|ones\.h|.*/cancel_complements\.py"
)
OTHERS = {"l3fwd_fib.c", "l3fwd_lpm.c", "codegen.c"}

OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)(?![\w-]|\*|[A-Z])")
# Options of other programs.
SETPRIV = {"ambient-caps", "clear-groups", "inh-caps", "regid", "reuid"}
DPDK = {"auto-start", "forward-mode", "no-lsc-interrupt", "total-num-mbufs"}
BMV2 = {
    option
    for module, names in (
        (simple_switch, ("simple_switch", "simple_switch_grpc")),
        (p4c, ("p4c", "p4c-bm2-ss")),
        (runtime_cli, ("c",)),
    )
    for name in names
    for option in re.findall(r"--([a-z][\w-]*)", module.parser(name).format_help(), re.IGNORECASE)
}
BUILD_TOOLS = {"disable-shared", "host", "no-drivers", "prefix", "static", "strict", "sysroot"} | {
    f"without-{part}" for part in ("examples", "openssl", "tests")
}
FOREIGN = SETPRIV | DPDK | BMV2 | BUILD_TOOLS


def links(text: str) -> list[str]:
    """Where the links of a page lead, those to other sites left out."""
    return [target for target in LINK.findall(CODE.sub("", text)) if "://" not in target]


def anchors(text: str) -> set[str]:
    """The names that headings have, as GitHub makes them: lower case, hyphens for spaces, no punctuation."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in HEADING.findall(text)}


def broken(page: Path, text: str) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for target in links(text):
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        known = file.exists() and (not anchor or anchor in anchors(text if file == page else file.read_text()))
        if not known:
            found.append(target)
    return found


@cache
def names_of_files() -> frozenset[str]:
    rooms = ("aux-backend", "aux-frontend", "transpiler", "macsad", "templates", "bench", "scripts", "tests", "apps")
    return frozenset(file.name for room in rooms for file in (ROOT / room).rglob("*.*"))


def exists(page: Path, path: str) -> bool:
    """Whether a path that a page names is one of the tree: from its root, from the page, or from a folder of FOLDERS."""
    if "/" not in path:
        return path in names_of_files()
    folders = (page.parent, *(ROOT / folder for folder in FOLDERS))
    return any(file for folder in folders for file in folder.glob(path.rstrip("/")))


def missing_paths(page: Path, text: str) -> list[str]:
    """The paths in a page's code that are not in the tree."""
    named = {path for code in CODE.findall(text) for path in PATH.findall(code.strip("`"))}
    paths = {path for path in named - OTHERS if not PLACEHOLDER.search(path) and not MADE.match(path)}
    return sorted(path for path in paths if not exists(page, path))


def _click_options() -> Iterator[str]:
    for verb in VERBS:
        command = cli.get_command(None, verb)  # type: ignore[arg-type]
        assert command is not None
        for parameter in command.params:
            yield from (*parameter.opts, *parameter.secondary_opts)


@cache
def options() -> frozenset[str]:
    """All options of macsad, of a switch, of the scripts of bench/ and tests/, without their hyphens."""
    own = {option.removeprefix("--") for option in _click_options() if option.startswith("--")} | {"help", "version"}
    own |= set(re.findall(r'^    \{"([\w-]+)"', (ROOT / "aux-backend/runtime/options.c").read_text(), re.MULTILINE))
    scripts = [*(ROOT / "bench").glob("*.py"), *(ROOT / "tests").rglob("*.py"), *(ROOT / "apps").rglob("*.py")]
    return frozenset(own.union(*(re.findall(r'"--([a-z][\w-]*)"', script.read_text()) for script in scripts)))


def unknown_options(text: str) -> list[str]:
    """The options in a page's code that no command has."""
    named = {option for code in CODE.findall(text) for option in OPTION.findall(code)}
    return sorted(named - options() - FOREIGN)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page, page.read_text()) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_paths_are_in_the_tree(page: Path) -> None:
    assert missing_paths(page, page.read_text()) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_options_are_those_of_commands(page: Path) -> None:
    assert unknown_options(page.read_text()) == []


def test_the_pages_are_linked_from_the_readme() -> None:
    text = (ROOT / "README.md").read_text()
    pages = {str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md")}
    assert pages - set(links(text)) == set()


def test_the_readme_lists_the_commands() -> None:
    listed = re.findall(r"^\| `macsad ([a-z0-9-]+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(VERBS)


def test_broken_links_are_found() -> None:
    page = ROOT / "docs" / "odp.md"
    text = (
        "# One's own, here\n[a](#ones-own-here) [b](#there) [c](gen.md) [d](none.md) `[e](code.md)` [f](gen.md#none)\n"
    )
    assert broken(page, text) == ["#there", "none.md", "gen.md#none"]


def test_missing_paths_are_found() -> None:
    page = ROOT / "docs" / "odp.md"
    there = (
        "`schedule/plan.py` `apps/l2fwd/` `apps/NAME/NAME.p4` `tables/*/exact_hash.h` `odp/memory.md` `plan.py` `a/b`"
    )
    assert missing_paths(page, there + " `schedule/plans.py` `apps/l4fwd/` `plans.py` ordinary/text.py") == [
        "apps/l4fwd/",
        "plans.py",
        "schedule/plans.py",
    ]


def test_unknown_options_are_found() -> None:
    text = "`--burst B` `--no-bulk` `--until-idle=5` `--no-NAME` `--hash-*`\n```\nmacsad run --burts 8 --port 0=null:\n```\n"
    assert unknown_options(f"{text}--ordinary text") == ["burts"]


def test_the_systemd_unit_is_one(tmp_path: Path) -> None:
    """Each directive and value is systemd's, with the program and its ports where the page puts them."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("not installed: systemd-analyze (package systemd)")
    page = (ROOT / "docs" / "privileges.md").read_text()
    unit = re.search(r"^```\n(\[Unit\].*?)^```", page, re.MULTILINE | re.DOTALL)
    ports = re.search(r"`NAME\.ports` .* `(PORTS=.*?)`", page)
    assert unit and ports
    (tmp_path / "macsad@.service").write_text(unit[1].replace("/usr/local/lib/macsad", str(tmp_path)))
    (tmp_path / "first.ports").write_text(f"{ports[1]}\n")
    (tmp_path / "first").write_text("#!/bin/sh\n")
    (tmp_path / "first").chmod(0o755)
    command = [analyze, "verify", "--man=no", str(tmp_path / "macsad@first.service")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
