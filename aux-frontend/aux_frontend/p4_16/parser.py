"""The P4-16 parser: source text to syntax tree, by recursive descent over the grammar of the spec 1.2.5, appendix G.

The grammar needs to know which names are types: `a < b > (c)` is a call when b is a type, two comparisons when it is not.
So the parser keeps scopes of declared names (parser_base). Where an undeclared name stands in the place of a type it is
taken for one; whoever resolves names says that it is not declared.

The rooms: parser_base (cursor, scopes, errors) < parser_types < parser_expressions < parser_statements < parser_tables
< parser_declarations < this file (parsers, controls, the program).
"""

from __future__ import annotations

from difflib import get_close_matches

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.lexer import IDENTIFIER
from aux_frontend.p4_16.parser_base import NAMES, SyntaxFailure
from aux_frontend.p4_16.parser_declarations import DeclarationParser
from aux_frontend.p4_16.parser_types import TYPE_WORDS
from aux_frontend.preprocess import preprocess
from transpiler.diagnostics import Diagnostics, Span
from transpiler.frontend import Source
from transpiler.recursion import deep_recursion

_Annotations = tuple[ast.Annotation, ...]
_STARTS = (
    "control",
    "parser",
    "header",
    "header_union",
    "struct",
    "enum",
    "typedef",
    "const",
    "action",
    "extern",
    "package",
    "error",
)


def parse(source: Source, diagnostics: Diagnostics) -> ast.Program:
    """The syntax tree of a program and all that it includes. Raises: Rejected, after as many messages as make sense."""
    lines = preprocess(source, diagnostics)
    with deep_recursion():
        program = Parser(lines, diagnostics).program(str(source.path))
    diagnostics.raise_if_errors()
    return program


class Parser(DeclarationParser):
    def program(self, file: str) -> ast.Program:
        """p4program: { declaration | ";" }"""
        found: list[ast.Declaration] = []
        while self.kind != "end":
            if self.kind == "}":
                if not self.has_unclosed:
                    self.report("this '}' closes nothing")
                self.advance()
            elif not self.accept(";"):
                start = self.index
                declaration = self.guarded(self._declaration)
                if declaration is not None:
                    found.append(declaration)
                elif self.index == start:
                    self.advance()
        return ast.Program(Span(file, 1, 1), tuple(found))

    def _declaration(self) -> ast.Declaration:
        """declaration: constantDeclaration | externDeclaration | actionDeclaration | parserDeclaration | typeDeclaration
        | controlDeclaration | instantiation | errorDeclaration | matchKindDeclaration | functionDeclaration"""
        annotations = self.annotations()
        match self.kind:
            case "const":
                return self.constant(annotations)
            case "extern":
                return self.extern(annotations)
            case "action":
                return self.action(annotations)
            case "parser":
                return self._parser(annotations)
            case "control":
                return self._control(annotations)
            case "package":
                return self.package(annotations)
            case "header" | "header_union" | "struct" | "enum":
                return self.type_declaration(annotations)
            case "typedef":
                return self.typedef(annotations)
            case "type" if self.peek().kind != "(":
                return self.typedef(annotations)
            case "match_kind":
                return self.name_list(annotations)
            case "error" if self.peek().kind == "{":
                return self.name_list(annotations)
            case "table" | "if" | "switch" | "return" | "for" | "transition":
                self.report(f"'{self.kind}' cannot stand outside of a control or a parser")
                raise SyntaxFailure
        self._reject_misspelt_keyword()
        type_ref = self.type_ref("a declaration")
        if self.kind == "(":
            return self.instance_of(type_ref, annotations)
        return self.function(type_ref, annotations)

    def _reject_misspelt_keyword(self) -> None:
        """`contrl c() {…}` would read as a function that returns a contrl: say what is more likely meant."""
        if self.kind != IDENTIFIER or self.is_type(self.token.text) is not None:
            return
        if self.peek().kind not in NAMES | TYPE_WORDS | {"{"}:
            return
        if meant := get_close_matches(self.token.text, _STARTS, 1, 0.75):
            self.report(f"expected a declaration, found '{self.token.text}'; did you mean '{meant[0]}'?")
            raise SyntaxFailure

    # --- parsers (spec 12)

    def _parser(self, annotations: _Annotations) -> ast.Declaration:
        """parserTypeDeclaration: optAnnotations PARSER name optTypeParameters "(" parameterList ")"
        ( ";" | optConstructorParameters "{" { parserLocalElement } { parserState } "}" )"""
        self.advance()
        name = self.name("the name of the parser")
        self.declare(name.text, is_type=True)
        self.push_scope()
        types = self.type_parameters()
        parameters = self.parameters(f"the parser '{name.text}'")
        found: ast.Declaration
        if self.accept(";"):
            found = ast.ParserTypeDeclaration(name.span, annotations, name.text, types, parameters)
        else:
            constructor = self._constructor_parameters(name.text)
            opening = self.expect("{", f"before the body of the parser '{name.text}', or ';'")
            elements = self.items(opening, self._parser_element)
            states = tuple(e for e in elements if isinstance(e, ast.ParserState))
            locals_ = tuple(e for e in elements if not isinstance(e, ast.ParserState))
            found = ast.ParserDeclaration(
                name.span, annotations, name.text, types, parameters, constructor, locals_, states
            )
        self.pop_scope()
        return found

    def _constructor_parameters(self, owner: str) -> tuple[ast.Parameter, ...]:
        return self.parameters(f"the constructor of '{owner}'") if self.kind == "(" else ()

    def _parser_element(self) -> ast.Declaration:
        """parserLocalElement: constantDeclaration | instantiation | variableDeclaration | valueSetDeclaration;
        parserState: optAnnotations STATE name "{" { parserStatement } [ transitionStatement ] "}" """
        annotations = self.annotations()
        match self.kind:
            case "state" if self.peek().kind in NAMES:
                return self._state(annotations)
            case "const":
                return self.constant(annotations)
            case "value_set":
                return self._value_set(annotations)
        if self.kind in NAMES and self.peek().kind == "{":
            self.report(f"expected 'state' before '{self.token.text}'")
            raise SyntaxFailure
        return self._local(annotations, "a state or a local declaration of the parser")

    def _local(self, annotations: _Annotations, what: str) -> ast.Declaration:
        if self.at_variable():
            return self.variable(annotations)
        if self.after_type(self.index, unknown=True) < 0:
            raise self.failure(what)
        type_ref = self.type_ref(what)
        if self.kind != "(":
            raise self.failure(f"a name or '(' after the type, for {what}")
        return self.instance_of(type_ref, annotations)

    def _value_set(self, annotations: _Annotations) -> ast.ValueSetDeclaration:
        """valueSetDeclaration: optAnnotations VALUE_SET "<" typeRef ">" "(" expression ")" name ";" """
        self.advance()
        self.expect("<", "and a type after 'value_set'")
        type_ref = self.type_ref()
        self.expect(">", "after the type of the value set")
        self.expect("(", "and a size after the type of the value set")
        size = self.expression()
        self.expect(")", "after the size of the value set")
        name = self.name("the name of the value set")
        self.expect(";", f"after the value set '{name.text}'")
        self.declare(name.text)
        return ast.ValueSetDeclaration(name.span, annotations, name.text, type_ref, size)

    def _state(self, annotations: _Annotations) -> ast.ParserState:
        self.advance()
        name = self.name("the name of the state")
        self.push_scope()
        opening = self.expect("{", f"after the state '{name.text}'")
        transition: ast.Name | ast.SelectExpression | None = None

        def item() -> ast.Statement | ast.Declaration | None:
            nonlocal transition
            if transition is not None:
                self.report(f"nothing may follow the transition of the state '{name.text}'")
                raise SyntaxFailure
            if self.kind != "transition":
                return self._parser_statement()
            transition = self._transition()
            return None

        body: list[ast.Statement | ast.Declaration] = self.items(opening, item)
        self.pop_scope()
        return ast.ParserState(name.span, annotations, name.text, tuple(body), transition)

    def _parser_statement(self) -> ast.Statement | ast.Declaration:
        """parserStatement: assignment, call, direct application, parser block, conditional, constant, variable"""
        if self.kind in ("return", "exit", "switch"):
            self.report(f"'{self.kind}' cannot stand in a parser state")
            raise SyntaxFailure
        return self.statement_or_declaration()

    def _transition(self) -> ast.Name | ast.SelectExpression:
        """transitionStatement: TRANSITION ( name ";" | SELECT "(" expressionList ")" "{" { selectCase } "}" )"""
        self.advance()
        if self.kind != "select":
            name = self.name_node("the name of a state, or 'select', after 'transition'")
            self.expect(";", "after the transition")
            return name
        word = self.advance()
        self.expect("(", "after 'select'")
        subjects = self.expression_list(")")
        self.expect(")", "or ',' in what 'select' looks at")
        opening = self.expect("{", "before the cases of 'select'")
        cases = tuple(self.items(opening, self._select_case))
        return ast.SelectExpression(word.span, subjects, cases)

    def _select_case(self) -> ast.SelectCase:
        """selectCase: keysetExpression ":" name ";" """
        token = self.token
        keyset = self.keyset()
        self.expect(":", "and a state after the key set")
        state = self.name_node("the name of a state after ':'")
        self.expect(";", "after the case")
        return ast.SelectCase(token.span, keyset, state)

    # --- controls (spec 14)

    def _control(self, annotations: _Annotations) -> ast.Declaration:
        """controlTypeDeclaration: optAnnotations CONTROL name optTypeParameters "(" parameterList ")"
        ( ";" | optConstructorParameters "{" { controlLocalDeclaration } APPLY blockStatement "}" )"""
        self.advance()
        name = self.name("the name of the control")
        self.declare(name.text, is_type=True)
        self.push_scope()
        types = self.type_parameters()
        parameters = self.parameters(f"the control '{name.text}'")
        found: ast.Declaration
        if self.accept(";"):
            found = ast.ControlTypeDeclaration(name.span, annotations, name.text, types, parameters)
        else:
            constructor = self._constructor_parameters(name.text)
            locals_, body = self._control_body(name.text)
            found = ast.ControlDeclaration(
                name.span, annotations, name.text, types, parameters, constructor, locals_, body
            )
        self.pop_scope()
        return found

    def _control_body(self, owner: str) -> tuple[tuple[ast.Declaration, ...], ast.BlockStatement]:
        opening = self.expect("{", f"before the body of the control '{owner}', or ';'")
        body: ast.BlockStatement | None = None

        def item() -> ast.Declaration | None:
            nonlocal body
            if body is not None:
                self.report(f"nothing may follow the 'apply' block of the control '{owner}'")
                raise SyntaxFailure
            annotations = self.annotations()
            if self.kind == "apply" and self.peek().kind in ("{", "@", "@pragma"):
                self.advance()
                body = self.block("after 'apply'", annotations + self.annotations())
                return None
            return self._control_local(annotations)

        errors = self.diagnostics.error_count
        locals_ = tuple(self.items(opening, item, members=True))
        if body is None:
            if self.diagnostics.error_count == errors:
                self.diagnostics.error(opening.span, f"the control '{owner}' has no 'apply' block")
            body = ast.BlockStatement(opening.span, (), ())
        return locals_, body

    def _control_local(self, annotations: _Annotations) -> ast.Declaration:
        """controlLocalDeclaration: constantDeclaration | actionDeclaration | tableDeclaration | instantiation
        | variableDeclaration"""
        match self.kind:
            case "const":
                return self.constant(annotations)
            case "action":
                return self.action(annotations)
            case "table":
                return self.table(annotations)
        return self._local(annotations, "a declaration or the 'apply' block of the control")
