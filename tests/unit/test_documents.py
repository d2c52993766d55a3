"""Links of README.md, CONTRIBUTING.md and all other pages lead to files, and to headings, that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "apps").rglob("*.md")]
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page, page.read_text()) == []


def test_the_pages_are_linked_from_the_readme() -> None:
    text = (ROOT / "README.md").read_text()
    pages = {str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md")}
    assert pages - set(links(text)) == set()


def test_broken_links_are_found() -> None:
    page = ROOT / "docs" / "odp.md"
    text = (
        "# One's own, here\n[a](#ones-own-here) [b](#there) [c](gen.md) [d](none.md) `[e](code.md)` [f](gen.md#none)\n"
    )
    assert broken(page, text) == ["#there", "none.md", "gen.md#none"]
