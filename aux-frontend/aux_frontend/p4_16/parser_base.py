"""The parser's cursor: looking ahead, expecting, scopes of names, and going on after an error.

A syntax error is reported once and raises SyntaxFailure; the loop over the items of the nearest block catches it and skips
to the end of the broken item (`;` or `}`), so that one run shows several errors and none that only follows from another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from aux_frontend.line_map import LineMap
from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.lexer import END, IDENTIFIER, UNEXPECTED, Token, describe, tokenize, unexpected
from aux_frontend.p4_16.nesting import MAX_NESTING
from transpiler.diagnostics import Diagnostics, Span

T = TypeVar("T")

# Keywords that may be names (nonTypeName and name in the grammar).
NAMES = frozenset({IDENTIFIER, "apply", "key", "actions", "state", "entries", "type", "priority", "list"})
# Keywords that only start a declaration: inside of a statement they mean that a `}` is missing.
_OUTERMOST = frozenset(
    {"header", "header_union", "struct", "enum", "typedef", "extern", "package", "control", "parser"}
)
_MEMBERS = _OUTERMOST | {"action", "table"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class SyntaxFailure(Exception):
    """The current item cannot be parsed further; the message is already reported."""


class ParserBase:
    def __init__(self, lines: LineMap, diagnostics: Diagnostics) -> None:
        self.lines = lines
        self.diagnostics = diagnostics
        self.tokens = tokenize(lines, diagnostics)
        self.index = 0
        self.token = self.tokens[0]
        self.kind = self.token.kind
        self._scopes: list[dict[str, bool]] = [{}]
        self._depth = 0
        self._greater_ends = False  # inside of bit<…>: a `>` is its end, not an operator
        self._last_error = -1
        self._given_up = False
        self.has_unclosed = False  # a missing '}' was reported: a surplus one may be what was meant
        self._matching = _match_brackets(self.tokens)

    # --- the cursor

    def advance(self) -> Token:
        token = self.token
        if token.kind != END:
            self.index += 1
            self.token = self.tokens[self.index]
            self.kind = self.token.kind
        return token

    def jump(self, index: int) -> None:
        self.index = index
        self.token = self.tokens[index]
        self.kind = self.token.kind

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def accept(self, kind: str) -> Token | None:
        return self.advance() if self.kind == kind else None

    def expect(self, kind: str, context: str) -> Token:
        """The token `kind`, or an error "expected 'kind' CONTEXT, found …"; context as in "after the condition"."""
        if self.kind == kind:
            return self.advance()
        line_ended = self._line_ended()
        self.report(f"expected '{kind}' {context}, found {describe(self.token)}", behind=line_ended)
        if kind == ";" and (line_ended or self.kind == "}"):
            return self.token
        raise SyntaxFailure

    def name(self, what: str) -> Token:
        """A name where one is declared or a member is named; `what` as in "the name of the field"."""
        if self.kind in NAMES:
            return self.advance()
        raise self.failure(what)

    def adjacent(self) -> bool:
        """Whether the next token follows the current one without a gap."""
        return self.peek().offset == self.token.offset + len(self.token.text)

    def after_bracket(self, index: int) -> int:
        """The index after the bracket that closes the one at `index`; -1 when it is not closed."""
        return self._matching.get(index, -2) + 1

    # --- scopes: which names are types (spec 6.5, 6.8)

    def push_scope(self) -> None:
        self._scopes.append({})

    def pop_scope(self) -> None:
        self._scopes.pop()

    def declare(self, name: str, is_type: bool = False) -> None:
        self._scopes[-1][name] = is_type

    def is_type(self, name: str, absolute: bool = False) -> bool | None:
        """Whether the name is a type here; None when nothing of that name is declared."""
        for scope in self._scopes[:1] if absolute else reversed(self._scopes):
            if name in scope:
                return scope[name]
        return None

    # --- errors

    def report(self, message: str, *notes: tuple[Span, str], behind: bool = False) -> None:
        """An error at the current token, or right behind the one before; once a token."""
        if self.index == self._last_error or self._given_up:
            return
        self._last_error = self.index
        if self.kind == UNEXPECTED:
            self.diagnostics.error(self.token.span, unexpected(self.token.text))
        else:
            before = self.tokens[max(self.index - 1, 0)].span
            end = Span(before.file, before.line, before.column + before.length)
            self.diagnostics.error(end if behind else self.token.span, message, *notes)

    def failure(self, expected: str) -> SyntaxFailure:
        """Reports what is expected at the current token; the caller raises the result."""
        self.report(f"expected {expected}, found {describe(self.token)}")
        return SyntaxFailure()

    def giving_up(self, message: str) -> SyntaxFailure:
        """Reports what makes the rest of the file meaningless, and goes to its end without another message."""
        self.report(message)
        self._given_up = True
        self.jump(len(self.tokens) - 1)
        return SyntaxFailure()

    def enter(self) -> None:
        """One level deeper; `leave` undoes it, and so does the recovery from an error."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise self.giving_up(f"the program nests too deeply here: more than {MAX_NESTING} levels")

    def leave(self) -> None:
        self._depth -= 1

    def items(self, opening: Token, parse: Callable[[], T | None], members: bool = False) -> list[T]:
        """Items up to and with the `}` that closes `opening`, going on after errors.

        `members`: actions and tables may be declared here.
        """
        found: list[T] = []
        missing_end = _OUTERMOST if members else _MEMBERS
        while self.kind != "}":
            if self.kind == END or self.kind in missing_end:
                self.report(f"expected '}}', found {describe(self.token)}", (opening.span, "to close this '{'"))
                self.has_unclosed = True
                raise SyntaxFailure
            item = self.guarded(parse)
            if item is not None:
                found.append(item)
        self.advance()
        return found

    def guarded(self, parse: Callable[[], T | None]) -> T | None:
        """Parses one item; after an error skips the rest of it and gives None."""
        start, depth, scopes = self.index, self._depth, len(self._scopes)
        self._greater_ends = False
        try:
            return parse()
        except SyntaxFailure:
            self._depth = depth
            del self._scopes[scopes:]
            self._recover(start)
            return None

    def _recover(self, start: int) -> None:
        """Skips to behind the `;` or the block that ends the item that began at `start`, or to before its outer `}`."""
        kinds = [token.kind for token in self.tokens[start : self.index]]
        unclosed = max(0, kinds.count("{") - kinds.count("}"))
        depth = 0
        while self.kind != END:
            if depth == 0 and self.kind in _MEMBERS and self.index > start:
                return
            if self.kind == "{":
                depth += 1
            elif self.kind == "}":
                if depth == 0 and unclosed == 0:
                    return
                if depth == 0:
                    unclosed -= 1
                elif depth == 1 and unclosed == 0:
                    self.advance()
                    return
                else:
                    depth -= 1
            elif self.kind == ";" and depth == 0:
                self.advance()
                return
            self.advance()

    def _line_ended(self) -> bool:
        """Whether the token before the current one is the last of its line."""
        before, here = self.tokens[max(self.index - 1, 0)].span, self.token.span
        return self.kind == END or (before.file, before.line) != (here.file, here.line)

    def name_node(self, what: str) -> ast.Name:
        token = self.name(what)
        return ast.Name(token.span, token.text)


def _match_brackets(tokens: list[Token]) -> dict[int, int]:
    """Opening bracket → the one that closes it, by index; unbalanced ones are left out."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind in _CLOSING:
            stack.append(index)
        elif token.kind in (")", "]", "}"):
            while stack and _CLOSING[tokens[stack[-1]].kind] != token.kind and token.kind == "}":
                stack.pop()
            if stack and _CLOSING[tokens[stack[-1]].kind] == token.kind:
                pairs[stack.pop()] = index
    return pairs
