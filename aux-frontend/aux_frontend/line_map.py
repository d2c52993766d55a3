"""From a place in the preprocessor's output back to the place in the file that the programmer wrote.

The C preprocessor drops comments, squeezes white space and expands macros, so that columns move. Most lines come out as
they went in; for the others the tokens of the output line are aligned with the tokens of the source line, and a token
that a macro made points at the macro's use. Lines are aligned when a token on them is first asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from difflib import SequenceMatcher

from transpiler.diagnostics import SourceMap, Span, read_lines

MAX_TOKENS = 1 << 21  # of a program, which some seconds go by for
_MARKER = re.compile(r'# (\d{1,9}) "((?:[^"\\]|\\.)*)"((?: \d)*)$')
_LEFT = re.compile(r"[ \t]*#[ \t]*(\w*)")
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\w+|\S')
_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_NOT_NEWLINE = re.compile(r"[^\n]")
_TAB_TO_SPACE = str.maketrans("\t\f\v", "   ")

_Place = tuple[int, int, int | None]  # line, column, length (None: as long as the token itself)
_Word = tuple[str, int, int]  # text, line, column (1-based)


class LineMap:
    """Splits the preprocessor's output into plain `text` without line markers, and tells where each piece came from.

    `sources` gets the text of every file that shows up, and who included it. `left`: lines that begin with a '#' and are no
    directive of the preprocessor, which leaves them in place as an assembler's comments: so they are comments here too, save
    #pragma, which is for a compiler that knows it.
    """

    def __init__(self, output: str, sources: SourceMap, fallback: str) -> None:
        self._sources = sources
        self.left: list[Span] = []
        self._files: list[str] = []
        self._numbers: list[int] = []
        self._blanked: dict[str, list[str]] = {}
        self._lines = self._split(output, fallback)
        self.text = "\n".join(self._lines) + "\n"
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._row, self._low, self._high = 0, 0, -1
        self._places: dict[int, _Place] | None = None

    def span(self, offset: int, length: int = 1) -> Span:
        """The place in the source of `length` characters at `offset` of `text`. Cheap when asked in order."""
        if not self._low <= offset < self._high:
            self._enter(min(bisect_right(self._starts, offset) - 1, len(self._lines) - 1))
        file, number, column = self._files[self._row], self._numbers[self._row], offset - self._low
        if self._places is None:
            return Span(file, number, column + 1, length)
        line, start, size = self._places.get(column) or self._before(column)
        return Span(file, line, start, length if size is None else size)

    def line_end(self, offset: int) -> int:
        """The offset of the line break that ends the line of `offset`."""
        return self.text.find("\n", offset)

    def _split(self, output: str, fallback: str) -> list[str]:
        lines: list[str] = []
        file, number = fallback, 1
        guessed: set[str] = (
            set()
        )  # the marker at the way in may lag behind the #include; the one at the way out is right
        for line in output.split("\n"):
            marker = _MARKER.match(line) if line.startswith("# ") else None
            if marker is None:
                lines.append(self._without_comment(line, file, number) if "#" in line else line)
                self._files.append(file)
                self._numbers.append(number)
                number += 1
                continue
            came_from = file
            file, next_number = unescape(marker[2]), int(marker[1])
            if file == f"./{fallback}":
                file = fallback  # a name that begins with a dash is given to cpp like this
            if " 1" in marker[3] and file not in self._sources.included_from:
                self._sources.included_from[file] = Span(came_from, max(number - 1, 1), 1)
                guessed.add(file)
            elif " 2" in marker[3] and came_from in guessed:
                self._sources.included_from[came_from] = Span(file, max(next_number - 1, 1), 1)
                guessed.discard(came_from)
            number = next_number
        return lines

    def _without_comment(self, line: str, file: str, number: int) -> str:
        """A line of the output, empty where it is one that the preprocessor has left in place."""
        if (found := _LEFT.match(line)) is None:
            return line
        if found[1] != "pragma":
            source = self._source_line(file, number)
            column = (len(source) - len(source.lstrip()) if source else found[0].index("#")) + 1
            self.left.append(Span(file, number, column, len(found[0].strip())))
        return ""

    def _enter(self, row: int) -> None:
        self._row, self._low, self._high = row, self._starts[row], self._starts[row + 1]
        line, source = self._lines[row], self._source_line(self._files[row], self._numbers[row])
        if source is None or line == source or source.translate(_TAB_TO_SPACE).startswith(line):
            self._places = None
        else:
            self._places = self._align(row)

    def _before(self, column: int) -> _Place:
        """For an offset inside of a token (a part of an operator, white space): counted from the token before."""
        places = self._places or {}
        start = max((c for c in places if c <= column), default=None)
        if start is None:
            return self._numbers[self._row], column + 1, None
        line, at, size = places[start]
        return (line, at + column - start, None) if size is None else (line, at, size)

    def _align(self, row: int) -> dict[int, _Place]:
        out = [(m[0], m.start()) for m in _TOKEN.finditer(self._lines[row])]
        words = self._source_words(row)
        new, old = [text for text, _ in out], [text for text, _, _ in words]
        head = _common(new, old)
        tail = _common(new[head:][::-1], old[head:][::-1])
        places: dict[int, _Place] = {out[i][1]: (words[i][1], words[i][2], None) for i in range(head)}
        places |= {out[-i][1]: (words[-i][1], words[-i][2], None) for i in range(1, tail + 1)}
        new_middle, old_middle = slice(head, len(new) - tail), slice(head, len(old) - tail)
        for tag, i, j, k, m in SequenceMatcher(None, new[new_middle], old[old_middle], False).get_opcodes():
            if tag == "equal":
                for n in range(j - i):
                    word = words[head + k + n]
                    places[out[head + i + n][1]] = (word[1], word[2], None)
            elif i < j:
                place = _macro_use(words, head + k, head + m, self._numbers[row])
                places |= {out[head + n][1]: place for n in range(i, j)}
        return places

    def _source_words(self, row: int) -> list[_Word]:
        """The tokens of the source lines that came out as this one output line: a macro's arguments may span several."""
        file, number = self._files[row], self._numbers[row]
        words = self._words(file, number)
        following = row + 1
        while following < len(self._lines) and not self._lines[following].strip() and self._files[following] == file:
            at = self._numbers[following]
            more = self._words(file, at) if at == number + following - row else []
            if more and more[0][0] == "#":
                break
            words += more
            following += 1
        return words

    def _words(self, file: str, number: int) -> list[_Word]:
        lines = self._blanked.get(file)
        if lines is None:
            text = "\n".join(self._sources.texts.get(file, ()))
            lines = self._blanked[file] = _COMMENT.sub(_blank, text).split("\n")
        line = lines[number - 1] if 0 < number <= len(lines) else ""
        return [(m[0], number, m.start() + 1) for m in _TOKEN.finditer(line.removesuffix("\\"))]

    def _source_line(self, file: str, number: int) -> str | None:
        lines = self._sources.texts.get(file)
        if lines is None:
            lines = self._sources.texts[file] = read_lines(file)
        return lines[number - 1] if 0 < number <= len(lines) else None


def unescape(name: str) -> str:
    """A file name as it stands in a line marker, where quotes, backslashes and unprintable bytes are escaped."""
    if "\\" not in name:
        return name
    raw = name.encode("utf-8", "surrogateescape")
    plain = re.sub(rb"\\([0-7]{3}|.)", lambda m: bytes([int(m[1], 8) & 255]) if len(m[1]) == 3 else m[1], raw)
    return plain.decode("utf-8", "surrogateescape")


def _macro_use(words: list[_Word], low: int, high: int, number: int) -> _Place:
    """The first name among the source tokens that were replaced, or what stands before them."""
    for text, line, column in words[low:high]:
        if text[0].isalpha() or text[0] == "_":
            return line, column, len(text)
    if words:
        text, line, column = words[min(max(low - (low == high), 0), len(words) - 1)]
        return line, column, len(text)
    return number, 1, 1


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _blank(match: re.Match[str]) -> str:
    text = match[0]
    return text if text[0] == '"' else _NOT_NEWLINE.sub(" ", text)
