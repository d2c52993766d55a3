"""What tests cover of a program, on its source: for people, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from transpiler.diagnostics import Span
from transpiler.shown import shown
from transpiler.testgen.cover import BRANCH
from transpiler.testgen.generate import Generated


def text(made: Generated, files: Sequence[str]) -> str:
    """Lines and branches that are covered, then what is not, with the reasons."""
    lines = [f"{len(made.tests)} tests, found among {made.walks} packets in {made.seconds:.1f} s"]
    for what, (covered, total, proved) in figures(made).items():
        left = f"; {proved} cannot be reached" if proved else ""
        share = f" ({covered / total:.1%})" if total else ""
        lines.append(f"{what}: {covered} of {total}{share}{left}")
    for number, reason in sorted(made.unreached.items(), key=lambda found: order(made.coverage.items[found[0]].span)):
        item = made.coverage.items[number]
        lines.append(shown(f"{item}: {reason.text}"))
    lines += list(files)
    return "\n".join(lines)


def figures(made: Generated) -> dict[str, tuple[int, int, int]]:
    """For lines and branches: covered, all, those that are proved to be out of reach."""
    items, proved = made.coverage.items, {n for n, reason in made.unreached.items() if reason.proved}
    lines = {(item.span.file, item.span.line) for item in items if item.kind != BRANCH}
    seen = {_line(items[n].span) for n in made.covered if items[n].kind != BRANCH}
    dead = {_line(items[n].span) for n in proved if items[n].kind != BRANCH} - seen
    branches = [n for n, item in enumerate(items) if item.kind == BRANCH]
    return {
        "lines": (len(seen), len(lines), len(dead)),
        "branches": (
            sum(n in made.covered for n in branches), len(branches), sum(n in proved for n in branches),
        ),
    }  # fmt: skip


def data(made: Generated, files: Sequence[str]) -> dict[str, object]:
    """The same for `--json`."""
    items = made.coverage.items
    return {
        **{
            what: {"covered": covered, "total": total, "unreachable": proved}
            for what, (covered, total, proved) in figures(made).items()
        },
        "tests": [
            {"file": file, "covers": [_named(made, n) for n in sorted(test.covered)]}
            for test, file in zip(made.tests, files, strict=False)
        ],
        "uncovered": [
            {**_named(made, n), "proved": reason.proved, "reason": reason.text}
            for n, reason in sorted(made.unreached.items(), key=lambda found: order(items[found[0]].span))
        ],
        "packets": made.walks,
        "queries": made.queries,
        "complete": made.complete,
        "seconds": round(made.seconds, 3),
    }


def _named(made: Generated, number: int) -> dict[str, object]:
    item = made.coverage.items[number]
    return {"kind": item.kind, "what": item.what, "place": str(item.span)}


def _line(span: Span) -> tuple[str, int]:
    return span.file, span.line


def order(span: Span) -> tuple[str, int, int]:
    """As in the source."""
    return span.file, span.line, span.column
