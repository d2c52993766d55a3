"""Expressions and key sets. Grammar: P4-16 spec 1.2.5, appendix G; precedence: section 8."""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.lexer import INTEGER, STRING, Token, integer, string
from aux_frontend.p4_16.parser_base import NAMES
from aux_frontend.p4_16.parser_types import TYPE_WORDS, TypeParser
from transpiler.diagnostics import Span

_LEVELS = ("||", "&&", "== !=", "< > <= >=", "|", "^", "&", "<< >>", "++ + - |+| |-|", "* / %")
_PRECEDENCE = {operator: level for level, row in enumerate(_LEVELS, 1) for operator in row.split()}
_SHIFT = _PRECEDENCE[">>"]
_PREFIXES = frozenset("-+!~")
_OPERAND_STARTS = NAMES | {INTEGER, STRING, "{", "true", "false", "{#}"}


class ExpressionParser(TypeParser):
    def expression(self) -> ast.Expression:
        """expression: binary [ "?" expression ":" expression ]"""
        self.enter()
        found = self._binary(1)
        if self.kind == "?":
            mark = self.advance()
            then = self.expression()
            self.expect(":", "between the two results of '?'")
            found = ast.ConditionalExpression(mark.span, found, then, self.expression())
        self.leave()
        return found

    def expression_before_angle(self) -> ast.Expression:
        return self._with_greater(ends=True)

    def _with_greater(self, ends: bool) -> ast.Expression:
        """An expression in which a `>` outside of brackets ends it, or not."""
        before, self._greater_ends = self._greater_ends, ends
        found = self.expression()
        self._greater_ends = before
        return found

    def _binary(self, lowest: int) -> ast.Expression:
        """binary: unary { operator binary }; all operators are left-associative."""
        depth = self._depth
        left = self._unary()
        while (level := self._operator_level()) >= lowest:
            self.enter()
            span, operator = self._operator()
            left = ast.BinaryExpression(span, operator, left, self._binary(level + 1))
        self._depth = depth
        return left

    def _operator_level(self) -> int:
        if self.kind == ">":
            if self._greater_ends:
                return 0
            if self.peek().kind == ">" and self.adjacent():
                return _SHIFT
        return _PRECEDENCE.get(self.kind, 0)

    def _operator(self) -> tuple[Span, str]:
        token = self.token
        if self._operator_level() == _SHIFT and token.kind == ">":
            self.advance()
            self.advance()
            span = token.span
            return Span(span.file, span.line, span.column, 2), ">>"
        self.advance()
        return token.span, token.kind

    def _unary(self) -> ast.Expression:
        """unary: ( "-" | "+" | "!" | "~" ) unary | "(" typeRef ")" unary | primary with suffixes"""
        token = self.token
        is_cast = token.kind == "(" and self._at_cast()
        if token.kind not in _PREFIXES and not is_cast:
            return self.primary_with_suffixes()
        self.enter()
        self.advance()
        found: ast.Expression
        if is_cast:
            target = self.type_ref()
            self.expect(")", "after the type of a cast")
            found = ast.CastExpression(token.span, target, self._unary())
        else:
            found = ast.UnaryExpression(token.span, token.kind, self._unary())
        self.leave()
        return found

    def _at_cast(self) -> bool:
        """A type in parentheses; an undeclared name in them is taken for one when an operand follows."""
        close = self.after_type(self.index + 1)
        if close > 0 and self.tokens[close].kind == ")":
            return True
        close = self.after_type(self.index + 1, unknown=True)
        return close > 0 and self.tokens[close].kind == ")" and self.tokens[close + 1].kind in _OPERAND_STARTS

    def primary_with_suffixes(self) -> ast.Expression:
        """primary { "." member | "[" … "]" | [ "<" realTypeArgumentList ">" ] "(" argumentList ")" }"""
        depth = self._depth
        found = self._primary()
        while self.kind in (".", "[", "(", "<"):
            self.enter()
            if self.kind == ".":
                self.advance()
                name = self.name("the name of a member after '.'")
                found = ast.Member(name.span, found, name.text)
            elif self.kind == "[":
                found = self._index(found)
            elif self.kind == "(":
                found = ast.Call(found.span, found, (), self.arguments())
            elif self._at_generic_call():
                types = self.type_arguments()
                found = ast.Call(found.span, found, types, self.arguments())
            else:
                break
        self._depth = depth
        return found

    def _at_generic_call(self) -> bool:
        close = self.after_type_arguments(self.index, unknown=True)
        return close > 0 and self.tokens[close].kind == "("

    def _index(self, base: ast.Expression) -> ast.Expression:
        """ "[" expression "]" | "[" expression ":" expression "]" | "[" expression "+:" expression "]" """
        bracket = self.advance()
        first = self._with_greater(ends=False)
        if self.kind in (":", "+:"):
            plus = self.advance().kind == "+:"
            second = self._with_greater(ends=False)
            self.expect("]", "after the slice")
            return ast.SliceExpression(bracket.span, base, first, second, plus)
        self.expect("]", "after the index")
        return ast.Index(bracket.span, base, first)

    def _primary(self) -> ast.Expression:
        token = self.token
        match token.kind:
            case "integer":
                return self._integer()
            case "string":
                self.advance()
                return ast.StringLiteral(token.span, string(token.text))
            case "true" | "false":
                self.advance()
                return ast.BoolLiteral(token.span, token.kind == "true")
            case "this":
                self.advance()
                return ast.This(token.span)
            case "(":
                self.advance()
                inner = self._with_greater(ends=False)
                self.expect(")", "after the expression in parentheses")
                return inner
            case "{":
                return self._braces()
            case "{#}":
                self.advance()
                return ast.InvalidExpression(token.span)
            case "...":
                self.advance()
                return ast.DefaultExpression(token.span, dots=True)
        return self._named()

    def _integer(self) -> ast.Expression:
        token = self.advance()
        literal = integer(token.text)
        if isinstance(literal, str):
            self.diagnostics.error(token.span, literal)
            literal = (0, None, False)
        return ast.IntLiteral(token.span, *literal)

    def _named(self) -> ast.Expression:
        """nonTypeName | "." nonTypeName | a type before "." or "(" """
        token = self.token
        is_word = token.kind in TYPE_WORDS and not (token.kind == "list" and self.peek().kind != "<")
        if is_word or (self.starts_type() and token.kind != "_"):
            found = self.type_ref()
            if self.kind not in (".", "("):
                self.diagnostics.error(found.span, f"'{token.text}' is a type, where a value is expected")
            return ast.TypeExpression(found.span, found)
        absolute = token.kind == "." and self.peek().kind in NAMES
        if absolute:
            self.advance()
        elif token.kind not in NAMES:
            raise self.failure("an expression")
        name = self.advance()
        return ast.Path(name.span, name.text, absolute)

    def _braces(self) -> ast.Expression:
        """ "{" [ expression { "," expression } | name "=" expression { … } ] [ "," ] [ "..." [ "," ] ] "}" """
        opening = self.advance()
        values: list[ast.Expression] = []
        fields: list[ast.KeyValue] = []
        dots: Token | None = None
        while self.kind != "}":
            if self.kind == "..." and self.peek().kind in (",", "}"):
                dots = self.advance()
                self.accept(",")
                break
            if self.is_named_value():
                fields.append(self.key_value())
            else:
                values.append(self._with_greater(ends=False))
            if not self.accept(","):
                break
        if fields and values:
            self.diagnostics.error(opening.span, "these braces mix values with name = value pairs")
        self.expect("}", "after '...'" if dots else "or ',' in the list that '{' begins")
        if fields:
            return ast.StructExpression(opening.span, tuple(fields), dots is not None)
        return ast.ListExpression(opening.span, tuple(values), dots is not None)

    def is_named_value(self) -> bool:
        return self.kind in NAMES and self.peek().kind == "="

    def key_value(self) -> ast.KeyValue:
        """kvPair: name "=" expression"""
        name = self.name("a name before '='")
        self.expect("=", f"after '{name.text}'")
        return ast.KeyValue(name.span, name.text, self._with_greater(ends=False))

    def arguments(self) -> tuple[ast.Argument, ...]:
        """ "(" [ argument { "," argument } ] ")"; argument: expression | name "=" expression | "_" | name "=" "_" """
        self.expect("(", "before the arguments")
        found: list[ast.Argument] = []
        while self.kind != ")":
            found.append(self._argument())
            if not self.accept(","):
                break
        self.expect(")", "or ',' after an argument" if found else "after '('")
        return tuple(found)

    def _argument(self) -> ast.Argument:
        span, name = self.token.span, None
        if self.is_named_value():
            name = self.advance().text
            self.advance()
        if self.accept("_"):
            return ast.Argument(span, name, None)
        value = self._with_greater(ends=False)
        return ast.Argument(span if name else value.span, name, value)

    def expression_list(self, close: str) -> tuple[ast.Expression, ...]:
        """[ expression { "," expression } [ "," ] ], up to and without `close`."""
        found: list[ast.Expression] = []
        while self.kind != close:
            found.append(self.expression())
            if not self.accept(","):
                break
        return tuple(found)

    def keyset(self) -> ast.Expression:
        """keysetExpression: simple | "(" simple { "," simple } ")" """
        close = self.after_bracket(self.index) if self.kind == "(" else 0
        if close <= 0 or self.tokens[close].kind != ":":
            return self._simple_keyset()
        opening = self.advance()
        keys = [self._simple_keyset()]
        while self.accept(",") and self.kind != ")":
            keys.append(self._simple_keyset())
        self.expect(")", "or ',' in the key set")
        return keys[0] if len(keys) == 1 else ast.ListExpression(opening.span, tuple(keys))

    def _simple_keyset(self) -> ast.Expression:
        """simpleKeysetExpression: expression [ ( "&&&" | ".." ) expression ] | DEFAULT | "_" """
        token = self.token
        if self.accept("default"):
            return ast.DefaultExpression(token.span)
        if self.accept("_"):
            return ast.DontCare(token.span)
        value = self.expression()
        mark = self.token
        if self.accept("&&&"):
            return ast.MaskExpression(mark.span, value, self.expression())
        return self.range_after(value)

    def range_after(self, value: ast.Expression) -> ast.Expression:
        """[ ".." expression ]"""
        mark = self.token
        return ast.RangeExpression(mark.span, value, self.expression()) if self.accept("..") else value
