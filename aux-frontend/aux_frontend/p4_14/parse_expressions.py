"""Expressions of P4-14 by precedence climbing, and references to headers and fields. Specification 1.0.5 section 1.5, 12."""

from __future__ import annotations

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.cursor import Cursor, Failure
from aux_frontend.p4_14.lexer import Kind, number_of

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
        self.deeper()
        left = self._prefix()
        while self.token.kind is Kind.SYMBOL:
            level = _PRECEDENCE.get(self.token.text)
            if level is None or level < minimum:
                break
            operator = self.take()
            right = self.expression(level + 1)
            left = ast.Binary(operator.text, left, right, self.span(operator))
        self.depth -= 1
        return left

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
            return ast.Valid(subject.header if isinstance(subject, ast.FieldRef) else subject, self.span(token))
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
