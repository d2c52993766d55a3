"""Each sentence that the Python has for people (messages, their notes, what --help says, what pages, drawings and comments of
generated C say) as text beside (`--update-golden` writes it anew), in alphabetical order, with {} for what is filled in: all
that is read by somebody is read here first, and no word of it changes unseen. That a message is given where it belongs
is tested with what gives it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
PACKAGES = ("macsad", "transpiler", "aux-frontend/aux_frontend")
SENTENCE = re.compile(r"([a-z]{2,}|\{\})\S* .*[a-z]{2,}|[a-z]{2,}\S* \W*\{\}", re.DOTALL)  # two words at least


def text(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=str(found)):
            return found
        case ast.JoinedStr(values=parts):
            return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)
    return None


def sentences(file: Path) -> Iterator[str]:
    pending: list[ast.AST] = [ast.parse(file.read_text())]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a docstring
        if (found := text(node)) is not None and SENTENCE.search(found):
            yield found
        inside = list(ast.iter_child_nodes(node))
        pending += [n for n in inside if not isinstance(n, ast.Constant)] if isinstance(node, ast.JoinedStr) else inside


def test_sentences(golden: Callable[[Path, str], None]) -> None:
    files = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    found = {sentence for file in files if not file.stem.endswith("_pb2") for sentence in sentences(file)}
    assert len(found) > 2000
    golden(FOLDER / "sentences.txt", "".join(f"{sentence!r}\n" for sentence in sorted(found)))
