"""The page of `macsad explain` in a browser: nothing off the page, nothing said in its console, nothing asked of a network,
whatever a program's author has written; and the verb on a switch that runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, found
from explained_programs import HOSTILE_NAME, app, hostile, machine_file

from macsad import profiling
from macsad.cli import call

WIDTHS = (360, 800, 1400)
OFF = """(() => {
    const width = document.documentElement.clientWidth;
    const off = [...document.querySelectorAll("body, body *")].filter(one => {
        const place = one.getBoundingClientRect();
        return place.width && (place.right > width + 1 || place.left < -1);
    });
    return [document.documentElement.scrollWidth - width, ...off.map(one => one.tagName + " " + one.textContent.slice(0, 60))];
})()"""

# Each word of a command stands on one line.
WHOLE = """(() => {
    const words = [...document.querySelectorAll(".trials code span")];
    return words.length > 0 && words.every(one => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return new Set([...range.getClientRects()].map(place => place.top)).size === 1;
    });
})()"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = found()
    if program is None:
        pytest.skip("there is no Chromium: scripts/setup test installs chromium-headless-shell")
    with Browser(program) as one:
        yield one


@pytest.fixture
def page(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Of a program, as the model alone says it."""
    name = request.param
    program = hostile(tmp_path) if name == "hostile" else app(name)
    made = tmp_path / "page.html"
    options = ["-W", "no-all", "--no-run", "--machine", str(machine_file(tmp_path)), "-o", str(made)]
    assert call(["explain", str(program), *options]) == 0
    return made


@pytest.mark.parametrize("page", ["router", "hostile"], indirect=True)
def test_a_page_in_a_browser(browser: Browser, page: Path) -> None:
    browser.said.clear()
    browser.asked.clear()
    for width in WIDTHS:
        for dark in (False, True):
            browser.open(page, width, dark=dark)
            assert browser.value("document.querySelectorAll('details').forEach(one => one.open = true)") is None
            assert browser.value(OFF) == [0], width
            colours = browser.value("getComputedStyle(document.body).backgroundColor")
            assert (colours == "rgb(255, 255, 255)") is not dark, colours
            assert browser.value(WHOLE), "an option is broken into two lines"
    assert browser.value("document.querySelectorAll('script').length") == 0
    assert browser.value("[...document.querySelectorAll('svg')].every(one => one.getBoundingClientRect().height > 100)")
    assert browser.value("document.querySelectorAll('svg').length") == 6
    assert set(browser.asked) == {page.as_uri()}
    assert browser.said == []


def test_the_browser_tells_of_what_a_page_must_not_do(browser: Browser, tmp_path: Path) -> None:
    """Without it the test above would find nothing."""
    wrong = tmp_path / "wrong.html"
    wrong.write_text(
        "<!DOCTYPE html><meta name=viewport content='width=device-width'><style>div { width: 2000px }</style>"
        "<div>wide</div><script>console.error('said')</script><img src='http://127.0.0.1:9/x.png'>"
    )
    browser.said.clear()
    browser.asked.clear()
    browser.open(wrong, 800)
    off = browser.value(OFF)
    assert off[0] > 1000 and any(str(one).startswith("DIV wide") for one in off[1:])
    assert any("said" in one for one in browser.said)
    assert "http://127.0.0.1:9/x.png" in browser.asked


def test_hostile_text_is_shown_as_it_is(browser: Browser, tmp_path: Path) -> None:
    made = tmp_path / "page.html"
    options = ["-W", "no-all", "--no-run", "--machine", str(machine_file(tmp_path)), "-o", str(made)]
    assert call(["explain", str(hostile(tmp_path)), *options]) == 0
    browser.open(made, 800)
    assert browser.value("document.querySelector('h1').textContent") == HOSTILE_NAME
    text = browser.value("document.body.textContent")
    assert """<script>alert("comment")</script>""" in text and "{{ 7 * 7 }}" in text
    assert browser.value("document.body.getBoundingClientRect().height") > 1000, "its style does not count"


def test_a_program_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(profiling, "kept", lambda: machine_file(tmp_path))
    made = tmp_path / "page.html"
    assert call(["explain", str(app("l2fwd")), "--entries", "100", "--no-tune", "--json", "-o", str(made)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ran"] and {(one["burst"], one["sub_batch"]) for one in told["measured"]} == {(1, 1), (64, 64)}
    at = next(one["cycles"] for one in told["measured"] if one["burst"] == 64)
    assert sum(stage["cycles"] for stage in told["stages"]) == pytest.approx(at)
    lines = sum(line["cycles"] for line in told["lines"])
    assert lines == pytest.approx(at - told["receive"] - told["send"], rel=1e-3)
    shares = {line["line"]: line["share"] for line in told["lines"] if line["share"] is not None}
    assert 1.0 in shares.values() and 0.0 in shares.values(), "frames hit entries, so no default action runs"
    assert {table["entries"] for table in told["tables"]} == {100}
    text = made.read_text()
    assert "measured" in text and "l2fwd.p4" in text and "Nothing was measured" not in text


def test_a_report_of_bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / "page.html"
    options = ["--quick", "--no-lookups", "--machine", str(machine_file(tmp_path)), "--report", str(made)]
    assert call(["bench", "l2fwd", *options]) == 0
    text = made.read_text()
    assert "B = 32, b = 32" in text and "as of macsad bench" in text
    assert "million packets a second" in text
