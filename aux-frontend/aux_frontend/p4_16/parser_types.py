"""Types, type arguments and annotations. Grammar: P4-16 spec 1.2.5, appendix G."""

from __future__ import annotations

from abc import ABC, abstractmethod

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.lexer import END, Token
from aux_frontend.p4_16.parser_base import NAMES, ParserBase

_WORD_TYPES = frozenset({"bool", "error", "string", "match_kind", "void", "_"})
_SIZED_TYPES = frozenset({"bit", "int", "varbit"})
_GENERIC_TYPES = frozenset({"tuple", "list"})
TYPE_WORDS = _WORD_TYPES | _SIZED_TYPES | _GENERIC_TYPES


class TypeParser(ParserBase, ABC):
    @abstractmethod
    def expression(self) -> ast.Expression: ...

    @abstractmethod
    def expression_before_angle(self) -> ast.Expression: ...

    @abstractmethod
    def is_named_value(self) -> bool: ...

    @abstractmethod
    def key_value(self) -> ast.KeyValue: ...

    # --- types

    def type_ref(self, what: str = "a type") -> ast.TypeRef:
        """typeRef: baseType | typeName | specializedType | headerStackType | tupleType | listType; typeOrVoid too."""
        self.enter()
        found = self._type_atom(what)
        found = self.array_suffix(found)
        self.leave()
        return found

    def _type_atom(self, what: str) -> ast.TypeRef:
        token = self.token
        if token.kind in _WORD_TYPES:
            self.advance()
            return ast.BaseType(token.span, token.text)
        if token.kind in _SIZED_TYPES:
            return self._sized_type()
        if token.kind == "tuple" or (token.kind == "list" and self.peek().kind == "<"):
            self.advance()
            if self.kind != "<":
                raise self.failure(f"'<' after '{token.text}'")
            arguments = self.type_arguments()
            if token.kind == "tuple":
                return ast.TupleType(token.span, arguments)
            if len(arguments) != 1:
                self.diagnostics.error(token.span, f"'list' has one type argument, not {len(arguments)}")
            return ast.ListType(token.span, arguments[0] if arguments else ast.BaseType(token.span, "_"))
        return self._named_type(what)

    def _named_type(self, what: str) -> ast.TypeRef:
        """typeName: [ "." ] identifier; specializedType: typeName "<" typeArgumentList ">" """
        absolute = self.accept(".") is not None
        if self.kind not in NAMES:
            raise self.failure(what)
        token = self.advance()
        base = ast.NamedType(token.span, token.text, absolute)
        return ast.SpecializedType(token.span, base, self.type_arguments()) if self.kind == "<" else base

    def _sized_type(self) -> ast.TypeRef:
        """( BIT | INT ) [ "<" width ">" ] | VARBIT "<" width ">"; width: an expression without ">" outside of brackets"""
        token = self.advance()
        if self.kind != "<":
            if token.kind == "int":
                return ast.BaseType(token.span, "int")
            if token.kind == "varbit":
                raise self.failure("'<' and a width after 'varbit'")
            return ast.SizedType(token.span, "bit", ast.IntLiteral(token.span, 1, None, False))
        self.advance()
        if self.kind == ">":
            raise self.failure(f"a width in '{token.text}<…>'")
        width = self.expression_before_angle()
        self.expect(">", f"after the width of '{token.text}'")
        return ast.SizedType(token.span, token.text, width)

    def type_arguments(self) -> tuple[ast.TypeRef, ...]:
        """ "<" [ typeArg { "," typeArg } ] ">"; typeArg: "_" | VOID | typeRef | nonTypeName"""
        self.expect("<", "before the type arguments")
        arguments: list[ast.TypeRef] = []
        while self.kind != ">":
            arguments.append(self.type_ref("a type argument"))
            if not self.accept(","):
                break
        self.expect(">", "after the type arguments")
        return tuple(arguments)

    def type_parameters(self) -> tuple[ast.TypeParameter, ...]:
        """[ "<" name { "," name } ">" ]; declares the names as types in the current scope."""
        if not self.accept("<"):
            return ()
        found: list[ast.TypeParameter] = []
        while True:
            token = self.name("the name of a type parameter")
            self.declare(token.text, is_type=True)
            found.append(ast.TypeParameter(token.span, (), token.text))
            if not self.accept(","):
                break
        self.expect(">", "after the type parameters")
        return tuple(found)

    # --- looking ahead over a type, without building it

    def starts_type(self, at: int | None = None) -> bool:
        """Whether a type that is known to be one starts at this index (default: the current token)."""
        index = self.index if at is None else at
        return self.after_type(index) > 0

    def after_type(self, index: int, unknown: bool = False, depth: int = 0) -> int:
        """The index behind the type that starts at `index`, -1 when none does. `unknown`: undeclared names count as types."""
        if depth > 50:
            return -1
        absolute = self.tokens[index].kind == "."
        index += absolute
        token = self.tokens[index]
        if token.kind in _SIZED_TYPES and not absolute:
            index = self._after_width(index + 1)
        elif token.kind in _WORD_TYPES and not absolute:
            index += 1
        elif token.kind in _GENERIC_TYPES and not absolute and self.tokens[index + 1].kind == "<":
            index = self.after_type_arguments(index + 1, unknown, depth + 1)
        elif token.kind in NAMES and self._may_be_type(token, absolute, unknown):
            index += 1
            if self.tokens[index].kind == "<":
                index = self.after_type_arguments(index, unknown, depth + 1)
        else:
            return -1
        while index > 0 and self.tokens[index].kind == "[":
            index = self.after_bracket(index)
        return index if index > 0 else -1

    def after_type_arguments(self, index: int, unknown: bool = False, depth: int = 0) -> int:
        """The index behind "<" types ">" when `index` is at such a list, else -1."""
        index += 1
        while self.tokens[index].kind != ">":
            index = self.after_type(index, unknown, depth)
            if index < 0:
                return -1
            if self.tokens[index].kind == ",":
                index += 1
            elif self.tokens[index].kind != ">":
                return -1
        return index + 1

    def _may_be_type(self, token: Token, absolute: bool, unknown: bool) -> bool:
        known = self.is_type(token.text, absolute)
        return unknown if known is None else known

    def _after_width(self, index: int) -> int:
        if self.tokens[index].kind != "<":
            return index
        while (kind := self.tokens[index].kind) != ">":
            if kind in (END, ";", "{", "}", ")", "]"):
                return -1
            index = self.after_bracket(index) if kind in ("(", "[") else index + 1
            if index <= 0:
                return -1
        return index + 1

    def array_suffix(self, element: ast.TypeRef) -> ast.TypeRef:
        """{ "[" expression "]" } behind a declared name, as in C: the same as behind the type."""
        depth = self._depth
        while self.kind == "[":
            self.enter()
            bracket = self.advance()
            size = self.expression()
            self.expect("]", "after the size")
            element = ast.StackType(bracket.span, element, size)
        self._depth = depth
        return element

    # --- annotations (spec 18)

    def annotations(self) -> tuple[ast.Annotation, ...]:
        """{ "@" name | "@" name "(" annotationBody ")" | "@" name "[" structuredAnnotationBody "]" | "@pragma" … end of line }"""
        if self.kind not in ("@", "@pragma"):
            return ()
        found: list[ast.Annotation] = []
        while self.kind in ("@", "@pragma"):
            found.append(self._pragma() if self.kind == "@pragma" else self._annotation())
        return tuple(found)

    def _annotation(self) -> ast.Annotation:
        self.advance()
        name = self.token
        if not (name.text[:1].isalpha() or name.text[:1] == "_"):
            raise self.failure("the name of an annotation after '@'")
        self.advance()
        if self.kind not in ("(", "["):
            return ast.Annotation(name.span, name.text, "")
        close = self.after_bracket(self.index) - 1
        if close < 0:
            raise self.giving_up(f"the annotation '@{name.text}' has no end: its '{self.kind}' is not closed")
        body = self._text(self.token.offset + 1, self.tokens[close].offset)
        if self.kind == "(":
            self.jump(close + 1)
            return ast.Annotation(name.span, name.text, body)
        self.advance()
        structured: list[ast.Expression | ast.KeyValue] = []
        while self.kind != "]":
            structured.append(self.key_value() if self.is_named_value() else self.expression())
            if not self.accept(","):
                break
        self.expect("]", f"at the end of the annotation '@{name.text}'")
        if len({isinstance(item, ast.KeyValue) for item in structured}) > 1:
            self.diagnostics.error(name.span, f"'@{name.text}[…]' mixes expressions with key = value pairs")
        return ast.Annotation(name.span, name.text, body, tuple(structured))

    def _pragma(self) -> ast.Annotation:
        at = self.advance()
        end = self.lines.line_end(at.offset)
        name = self.token
        if self.kind == END or name.offset >= end:
            self.diagnostics.error(at.span, "expected a name after '@pragma' on the same line")
            return ast.Annotation(at.span, "pragma", "")
        start, stop = name.offset + len(name.text), end
        while self.kind != END and self.token.offset < end:
            last = self.advance()
            stop = max(stop, last.offset + len(last.text))  # a string may go on in the next line
        body = self._text(start, stop).strip()
        return ast.Annotation(name.span, name.text, body)

    def _text(self, low: int, high: int) -> str:
        return self.lines.text[low:high].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
