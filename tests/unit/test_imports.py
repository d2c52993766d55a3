"""No circles among our Python modules: each can be read, and imported, after those that it needs.

Layers between packages are import-linter's (pyproject.toml); this looks at single modules, and counts what is imported
for its types alone, under `if TYPE_CHECKING`, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {name: ROOT / where for name, where in {
    "macsad": "macsad", "transpiler": "transpiler", "aux_frontend": "aux-frontend/aux_frontend",
}.items()}  # fmt: skip


def modules(packages: dict[str, Path]) -> dict[str, Path]:
    """Every module of some packages, by its dotted name."""
    found: dict[str, Path] = {}
    for package, folder in packages.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(node: ast.AST) -> Iterator[str]:
    """What is imported below a node, in functions too: `a.b` and `a.b.name` for `from a.b import name`."""
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=str(module), names=names, level=0):
            yield from (f"{module}.{alias.name}" for alias in names)
        case ast.ImportFrom():
            raise AssertionError("imports are absolute here")
    for child in ast.iter_child_nodes(node):
        yield from imports(child)


def circles(packages: dict[str, Path]) -> list[list[str]]:
    """The groups of modules each of which needs all others of its group."""
    known = modules(packages)
    graph: nx.DiGraph[str] = nx.DiGraph()
    for module, path in known.items():
        for name in imports(ast.parse(path.read_text())):
            needed = name if name in known else name.rpartition(".")[0]
            if needed in known:
                graph.add_edge(module, needed)
    return sorted(sorted(group) for group in nx.strongly_connected_components(graph) if len(group) > 1)


def test_no_module_needs_one_that_needs_it() -> None:
    assert len(modules(PACKAGES)) > 300
    assert circles(PACKAGES) == []


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("import p.a", [["p.a", "p.b"]]),
        ("def f() -> None:\n    from p import a", [["p.a", "p.b"]]),
        ("from p.a import name", [["p.a", "p.b"]]),
        ("if TYPE_CHECKING:\n    from p import a", [["p.a", "p.b"]]),
        ("from p import c", []),
    ],
)
def test_a_circle_is_found(tmp_path: Path, second: str, expected: list[list[str]]) -> None:
    for name, text in {"__init__": "", "a": "from p import b", "b": second, "c": "import json"}.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert circles({"p": tmp_path}) == expected
