"""The parser's hands: looking at tokens, taking them, complaining, and finding a place to go on after a mistake."""

from __future__ import annotations

from collections.abc import Callable

from aux_frontend.line_map import LineMap
from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.lexer import Kind, Token
from transpiler.diagnostics import Diagnostics, Span

MAX_DEPTH = 200  # levels of the syntax tree: what walks it is recursive, here and after here


class Failure(Exception):
    """A syntax error that was already reported; caught where parsing can go on."""


class Cursor:
    """A position in the list of tokens."""

    def __init__(self, tokens: list[Token], lines: LineMap, diagnostics: Diagnostics) -> None:
        self.tokens = tokens
        self.lines = lines
        self.diagnostics = diagnostics
        self.position = 0
        self.depth = 0

    # --- looking -----------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def ahead(self, count: int) -> str:
        """The text of the token that many places ahead; empty beyond the end."""
        at = self.position + count
        return self.tokens[at].text if at < len(self.tokens) else ""

    def at(self, text: str) -> bool:
        return self.tokens[self.position].text == text

    def span(self, token: Token | None = None) -> Span:
        token = token or self.token
        return self.lines.span(token.offset, max(len(token.text), 1))

    # --- taking ------------------------------------------------------------------------------------------------------

    def take(self) -> Token:
        token = self.tokens[self.position]
        if token.kind is not Kind.END:
            self.position += 1
        return token

    def accept(self, text: str) -> bool:
        if self.at(text):
            self.take()
            return True
        return False

    def expect(self, text: str) -> Token:
        if not self.at(text):
            raise self.failure(f"expected '{text}'")
        return self.take()

    def name(self, what: str = "a name") -> ast.Name:
        token = self.token
        if token.kind is not Kind.WORD:
            raise self.failure(f"expected {what}")
        self.position += 1
        return ast.Name(token.text, self.span(token))

    def names_until(self, end: str) -> tuple[ast.Name, ...]:
        """name, name, … end"""
        names: list[ast.Name] = []
        if not self.at(end):
            names.append(self.name())
            while self.accept(","):
                names.append(self.name())
        self.expect(end)
        return tuple(names)

    def failure(self, message: str) -> Failure:
        """Report `message` at the current token; the caller raises what it gets."""
        found = self.token
        what = "the end of the file" if found.kind is Kind.END else f"'{found.text}'"
        self.diagnostics.error(self.span(found), f"{message}, found {what}")
        return Failure()

    def deeper(self) -> None:
        """Count a level of nesting; the caller takes it back with `depth -= 1`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.failure(f"nested more than {MAX_DEPTH} levels deep")

    # --- blocks and recovery -----------------------------------------------------------------------------------------

    def block(self, item: Callable[[], None]) -> None:
        """{ item* }: after a mistake in one item goes on with the next."""
        self.expect("{")
        self.items(item)
        self.expect("}")

    def items(self, item: Callable[[], None]) -> None:
        while not self.at("}") and self.token.kind is not Kind.END:
            start, depth = self.position, self.depth
            try:
                item()
            except Failure:
                self.depth = depth
                self._skip_item()
            if self.position == start:
                self.take()

    def _skip_item(self) -> None:
        """Go past the next `;`, or past a `{…}`, or to the `}` that ends the block around it."""
        depth = 0
        while self.token.kind is not Kind.END:
            if self.at("{"):
                depth += 1
            elif self.at("}"):
                if depth == 0:
                    return
                depth -= 1
                if depth == 0:
                    self.take()
                    return
            elif self.at(";") and depth == 0:
                self.take()
                return
            self.take()
