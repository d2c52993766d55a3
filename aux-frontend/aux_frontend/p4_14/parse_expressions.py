"""Expressions of P4-14 by precedence climbing, and references to headers and fields. Specification 1.0.5 section 1.5, 12."""

from __future__ import annotations

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.cursor import Cursor, Failure
from aux_frontend.p4_14.lexer import MAX_WIDTH_BITS, Kind, number_of
from transpiler.diagnostics import Span

_LEVELS = (
    ("||",),
    ("&&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("|",),
    ("^",),
    ("&",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_PRECEDENCE = {op: level for level, ops in enumerate(_LEVELS) for op in ops}


class ExpressionParser(Cursor):
    """What the parsers of declarations build on."""

    def expression(self, minimum: int = 0) -> ast.Expression:
        """An expression of operators that bind at least as tight as level `minimum`."""
        depth = self.depth
        self.deeper()
        left = self._prefix()
        while self.token.kind is Kind.SYMBOL:
            level = _PRECEDENCE.get(self.token.text)
            if level is None or level < minimum:
                break
            if self.token.text in ("&&", "||"):
                left = self._logic(left, self.token.text, level)
                continue
            self.deeper()  # each operator in a row makes the tree deeper on its left side
            operator = self.take()
            right = self.expression(level + 1)
            left = ast.Binary(operator.text, left, right, self.span(operator))
        self.depth = depth
        return left

    def _logic(self, first: ast.Expression, operator: str, level: int) -> ast.Expression:
        """A row of one logical operator, as a balanced tree: generated programs have long ones."""
        row, spans = [first], [self.span()]
        while self.at(operator):
            spans.append(self.span(self.take()))
            row.append(self.expression(level + 1))
        return _balanced(operator, row, spans)

    def expressions_until(self, end: str) -> tuple[ast.Expression, ...]:
        """expression, expression, … end"""
        found: list[ast.Expression] = []
        if not self.at(end):
            found.append(self.expression())
            while self.accept(","):
                found.append(self.expression())
        self.expect(end)
        return tuple(found)

    def _prefix(self) -> ast.Expression:
        token = self.token
        if token.kind is Kind.NUMBER:
            return self._number()
        if token.kind is Kind.WORD:
            return self._word()
        if self.accept("("):
            inner = self.expression()
            self.expect(")")
            return inner
        if token.text in ("-", "~", "!", "+") and token.kind is Kind.SYMBOL:
            self.take()
            self.deeper()
            operand = self._prefix()
            self.depth -= 1
            return operand if token.text == "+" else ast.Unary(token.text, operand, self.span(token))
        raise self.failure("expected an expression")

    def _number(self) -> ast.Number:
        token = self.token
        parsed = number_of(token.text)
        if parsed is None:
            self.diagnostics.error(self.span(), f"'{token.text[:40]}' is not a number")
            raise Failure
        if parsed[1] is not None and not 0 < parsed[1] <= MAX_WIDTH_BITS:
            self.diagnostics.error(
                self.span(), f"a width of {parsed[1]} bits: it must be between 1 and {MAX_WIDTH_BITS}"
            )
            raise Failure
        self.take()
        return ast.Number(parsed[0], parsed[1], self.span(token))

    def _word(self) -> ast.Expression:
        token = self.token
        if token.text in ("true", "false"):
            self.take()
            return ast.Truth(token.text == "true", self.span(token))
        if token.text == "valid" and self.ahead(1) == "(":
            self.position += 2
            subject = self.reference()
            self.expect(")")
            if isinstance(subject, ast.FieldRef):
                return ast.Valid(subject.header, subject, self.span(token))
            return ast.Valid(subject, None, self.span(token))
        if token.text == "current" and self.ahead(1) == "(":
            self.position += 2
            offset = self.expression()
            self.expect(",")
            width = self.expression()
            self.expect(")")
            return ast.Current(offset, width, self.span(token))
        return self.reference()

    def header(self) -> ast.Ref:
        """name or name[index]"""
        name = self.name("the name of a header")
        index: ast.Expression | None = None
        if self.accept("["):
            index = self.expression()
            self.expect("]")
        return ast.Ref(name, index, name.span)

    def reference(self) -> ast.Ref | ast.FieldRef:
        """A header, an element of a stack, a field, or a name of something else."""
        header = self.header()
        if not self.accept("."):
            return header
        field = self.name("the name of a field")
        return ast.FieldRef(header, field, field.span)

    def field_reference(self) -> ast.FieldRef:
        found = self.reference()
        if not isinstance(found, ast.FieldRef):
            raise self.failure(f"expected a field after '{found.name.text}'")
        return found


def _balanced(operator: str, row: list[ast.Expression], spans: list[Span]) -> ast.Expression:
    """`spans[i]` is the operator in front of `row[i]`."""
    if len(row) == 1:
        return row[0]
    middle = len(row) // 2
    left, right = _balanced(operator, row[:middle], spans[:middle]), _balanced(operator, row[middle:], spans[middle:])
    return ast.Binary(operator, left, right, spans[middle])
