"""Recursive descent over the declarations of a P4-14 program; a mistake costs its statement, not the rest of the run.

The grammar of specification 1.0.5, and what programs in the field use beside it: `=` for modify_field and set_metadata,
const default_action, extern_type beside blackbox_type.
"""

from __future__ import annotations

from collections.abc import Callable

from aux_frontend.line_map import LineMap
from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.cursor import Failure
from aux_frontend.p4_14.lexer import Kind, tokenize
from aux_frontend.p4_14.parse_match_action import MatchActionParser, Pragmas
from transpiler.diagnostics import Diagnostics


def parse(lines: LineMap, diagnostics: Diagnostics) -> tuple[ast.Declaration, ...]:
    """All declarations that could be read, in order; what could not is reported."""
    parser = _Parser(tokenize(lines, diagnostics), lines, diagnostics)
    return parser.program()


class _Parser(MatchActionParser):
    def program(self) -> tuple[ast.Declaration, ...]:
        declarations: list[ast.Declaration] = []
        pragmas: list[ast.Pragma] = []
        while self.token.kind is not Kind.END:
            try:
                if self.token.kind is Kind.PRAGMA:
                    pragmas.append(self._pragma())
                    continue
                found = self._declaration(tuple(pragmas))
                if found is not None:
                    declarations.append(found)
            except Failure:
                self.depth = 0
                self._skip_to_declaration()
            pragmas = []
        return tuple(declarations)

    def _pragma(self) -> ast.Pragma:
        token = self.take()
        words = token.text.replace(",", " ").split()[1:]
        return ast.Pragma(words[0] if words else "", tuple(words[1:]), self.span(token))

    def _readers(self) -> dict[str, Callable[[Pragmas], ast.Declaration | None]]:
        """By the word that begins a declaration, what reads the rest."""
        return {
            "header_type": self._header_type,
            "header": lambda p: self._instance(False, p),
            "metadata": lambda p: self._instance(True, p),
            "field_list": self._field_list,
            "field_list_calculation": self._calculation,
            "calculated_field": self._calculated_field,
            "parser_value_set": self._value_set,
            "parser": lambda p: self._state(False, p),
            "parser_exception": lambda p: self._state(True, p),
            "counter": lambda p: self.stateful("counter", p),
            "meter": lambda p: self.stateful("meter", p),
            "register": lambda p: self.stateful("register", p),
            "primitive_action": self.primitive,
            "action": self.action,
            "action_profile": self.action_profile,
            "action_selector": self.action_selector,
            "table": self.table,
            "control": self.control,
            "blackbox_type": self.extern_type,
            "extern_type": self.extern_type,
            "blackbox": self.extern_instance,
            "extern": self.extern_instance,
        }

    def _declaration(self, pragmas: Pragmas) -> ast.Declaration | None:
        reader = self._readers().get(self.token.text)
        if reader is None:
            raise self.failure("expected a declaration")
        self.take()
        return reader(pragmas)

    def _skip_to_declaration(self) -> None:
        """To the next word that can begin a declaration and stands after a `}` or `;` outside of braces, or begins a line."""
        words = self._readers()
        text = self.lines.text
        while self.token.kind is not Kind.END:
            before = self.take()
            token = self.token
            if token.kind is Kind.PRAGMA:
                return
            starts_line = text[token.offset - 1 : token.offset] == "\n"
            if token.text in words and (starts_line or before.text in "};") and self.ahead(1) not in ("{", ":", ";"):
                return

    # --- headers -----------------------------------------------------------------------------------------------------

    def _header_type(self, pragmas: Pragmas) -> ast.HeaderType:
        name = self.name("the name of the header type")
        fields: list[ast.FieldDeclaration] = []
        lengths: dict[str, ast.Expression] = {}

        def item() -> None:
            if self.at("fields") and self.ahead(1) == "{":
                self.take()
                self.block(lambda: fields.append(self._field()))
                return
            word = self.name("fields, length or max_length")
            if word.text not in ("length", "max_length"):
                self.diagnostics.error(word.span, f"'{word.text}' is not an attribute of a header type")
            self.expect(":")
            lengths[word.text] = self.expression()
            self.expect(";")

        self.block(item)
        return ast.HeaderType(name, tuple(fields), lengths.get("length"), lengths.get("max_length"), pragmas)

    def _field(self) -> ast.FieldDeclaration:
        if self.ahead(1) != ":":
            return self._typed_field()
        name = self.name("the name of a field")
        self.expect(":")
        width = None if self.accept("*") else self.expression()
        signed = saturating = False
        if self.accept("("):
            signed, saturating = self.modifiers(")")
            self.expect(")")
        self.expect(";")
        return ast.FieldDeclaration(name, width, signed, saturating)

    def _typed_field(self) -> ast.FieldDeclaration:
        """bit<w> name; or int<w> name;"""
        word = self.name("the name of a field")
        width: ast.Expression = ast.Number(1, None, word.span)
        if word.text not in ("bit", "int") or (word.text == "int" and not self.at("<")):
            raise self.failure("expected ':'")
        if self.accept("<"):
            width = self._number()
            self.expect(">")
        name = self.name("the name of a field")
        self.expect(";")
        return ast.FieldDeclaration(name, width, word.text == "int", False)

    def _instance(self, metadata: bool, pragmas: Pragmas) -> ast.Instance:
        type_ = self.name("the name of a header type")
        name = self.name("the name of the instance")
        size: ast.Expression | None = None
        initial: list[tuple[ast.Name, ast.Expression]] = []

        def item() -> None:
            field = self.name("the name of a field")
            self.expect(":")
            initial.append((field, self.expression()))
            self.expect(";")

        if not metadata and self.accept("["):
            size = self.expression()
            self.expect("]")
        if metadata and self.at("{"):
            self.block(item)
            self.accept(";")
        else:
            self.expect(";")
        return ast.Instance(name, type_, metadata, size, tuple(initial), pragmas)

    # --- field lists and calculations --------------------------------------------------------------------------------

    def _field_list(self, pragmas: Pragmas) -> ast.FieldList | None:
        name = self.name("the name of the field list")
        entries: list[ast.Expression | ast.Payload] = []
        if self.accept(";"):
            return None

        def item() -> None:
            if self.at("payload") and self.ahead(1) == ";":
                entries.append(ast.Payload(self.span(self.take())))
            else:
                entries.append(self.expression())
            self.expect(";")

        self.block(item)
        return ast.FieldList(name, tuple(entries), pragmas)

    def _calculation(self, pragmas: Pragmas) -> ast.Calculation:
        name = self.name("the name of the calculation")
        inputs: tuple[ast.Name, ...] = ()
        algorithms: tuple[ast.Name, ...] = ()
        width: ast.Expression | None = None

        def item() -> None:
            nonlocal inputs, algorithms, width
            if self.accept("input"):
                inputs += self.name_list()
            elif self.accept("algorithm"):
                if self.at("{"):
                    algorithms += self.name_list()
                else:
                    self.expect(":")
                    algorithms += (self.name("the name of an algorithm"),)
                    self.expect(";")
            elif self.accept("output_width"):
                self.expect(":")
                width = self.expression()
                self.expect(";")
            else:
                raise self.failure("expected input, algorithm or output_width")

        self.block(item)
        return ast.Calculation(name, inputs, algorithms, width, pragmas)

    def _calculated_field(self, pragmas: Pragmas) -> ast.CalculatedField:
        field = self.field_reference()
        uses: list[ast.CalculationUse] = []

        def item() -> None:
            word = self.name("update or verify")
            if word.text not in ("update", "verify"):
                self.diagnostics.error(word.span, f"expected update or verify, found '{word.text}'")
            calculation = self.name("the name of a calculation")
            condition: ast.Expression | None = None
            if self.accept("if"):
                self.expect("(")
                condition = self.expression()
                self.expect(")")
            self.expect(";")
            uses.append(ast.CalculationUse(word.text == "update", calculation, condition, word.span))

        self.block(item)
        return ast.CalculatedField(field, tuple(uses), pragmas)

    # --- parser ------------------------------------------------------------------------------------------------------

    def _value_set(self, pragmas: Pragmas) -> ast.ValueSet:
        name = self.name()
        self.expect(";")
        return ast.ValueSet(name, pragmas)

    def _state(self, exception: bool, pragmas: Pragmas) -> ast.ParserState:
        name = self.name("the name of the parser state")
        statements: list[ast.Extract | ast.SetMetadata] = []
        leave: ast.Go | ast.Select | None = None

        def item() -> None:
            nonlocal leave
            found = self._parser_statement()
            if leave is not None:
                self.diagnostics.error(found.span, "nothing may follow the return of a parser state")
            elif exception and isinstance(found, ast.Extract | ast.Select):
                what = "extract" if isinstance(found, ast.Extract) else "select"
                self.diagnostics.error(found.span, f"a parser exception cannot {what}: it sets metadata and returns")
            elif isinstance(found, ast.Go | ast.Select):
                leave = found
            else:
                statements.append(found)

        self.block(item)
        return ast.ParserState(name, exception, tuple(statements), leave, pragmas)

    def _parser_statement(self) -> ast.Extract | ast.SetMetadata | ast.Go | ast.Select:
        start, following = self.token, self.ahead(1)
        if start.text == "extract" and following == "(":
            self.position += 2
            header = self.header()
            self.expect(")")
            self.expect(";")
            return ast.Extract(header, self.span(start))
        if start.text == "set_metadata" and following == "(":
            self.position += 2
            target = self.reference()
            self.expect(",")
            value = self.expression()
            self.expect(")")
            self.expect(";")
            return ast.SetMetadata(target, value, self.span(start))
        if start.text == "return" and following != "=":
            self.take()
            return self._select() if self.at("select") and self.ahead(1) == "(" else self._go(False)
        if start.text in ("parse_error", "parser_drop", "drop"):
            return self._go(True)
        target = self.reference()
        self.expect("=")
        value = self.expression()
        self.expect(";")
        return ast.SetMetadata(target, value, target.span)

    def _go(self, may_drop: bool) -> ast.Go:
        """state; or parse_error exception; or, where it `may_drop`, parser_drop;"""
        name = self.name("the name of a parser state or control function")
        if name.text == "parse_error" and not self.at(";"):
            name = self.name("the name of a parser exception")
            self.expect(";")
            return ast.Go(name, True, False, name.span)
        self.expect(";")
        return ast.Go(name, False, may_drop and name.text in ("parser_drop", "drop"), name.span)

    def _select(self) -> ast.Select:
        start = self.take()
        self.expect("(")
        subjects = self.expressions_until(")")
        cases: list[ast.SelectCase] = []
        self.block(lambda: cases.append(self._select_case()))
        return ast.Select(subjects, tuple(cases), self.span(start))

    def _select_case(self) -> ast.SelectCase:
        start = self.span()
        values = [self._case_value()]
        while self.accept(","):
            values.append(self._case_value())
        self.expect(":")
        return ast.SelectCase(tuple(values), self._go(True), start)

    def _case_value(self) -> ast.CaseValue:
        span = self.span()
        if self.at("default") and self.ahead(1) in (":", ","):
            self.take()
            return ast.CaseValue(None, None, span)
        value = self.expression()
        mask = self.expression() if self.accept("mask") else None
        return ast.CaseValue(value, mask, span)
