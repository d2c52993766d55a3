"""Grammar of the match-action part: stateful objects, actions, profiles, tables, controls, externs.

P4-14 specification 1.0.5 sections 7 and 9 to 13.
"""

from __future__ import annotations

from dataclasses import replace

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.lexer import Kind
from aux_frontend.p4_14.parse_expressions import ExpressionParser

_SIZES = ("size", "min_size", "max_size")
Pragmas = tuple[ast.Pragma, ...]


class MatchActionParser(ExpressionParser):
    """Each method is called with its keyword taken."""

    # --- stateful objects --------------------------------------------------------------------------------------------

    def stateful(self, kind: str, pragmas: Pragmas) -> ast.Stateful:
        """counter, meter or register"""
        found = ast.Stateful(kind, self.name(), pragmas=pragmas)

        def item() -> None:
            nonlocal found
            word = self.name("an attribute")
            if word.text == "saturating" and self.accept(";"):
                return
            self.expect(":")
            found = self._stateful_attribute(found, word)
            self.expect(";")

        self.block(item)
        return found

    def _stateful_attribute(self, found: ast.Stateful, word: ast.Name) -> ast.Stateful:
        match word.text:
            case "type":
                return replace(found, unit=self.name())
            case "direct":
                return replace(found, direct=self.name("the name of a table"))
            case "static":
                return replace(found, static=self.name("the name of a table"))
            case "instance_count":
                return replace(found, instances=self.expression())
            case "width":
                return replace(found, width=self.expression())
            case "min_width":
                self.expression()
                return found
            case "layout":
                return replace(found, layout=self.name("the name of a header type"))
            case "result":
                return replace(found, result=self.field_reference())
            case "pre_color":
                return replace(found, pre_color=self.field_reference())
            case "implementation":
                self.name()
                return found
            case "attributes":
                self.modifiers(";")
                return found
        self.diagnostics.error(word.span, f"'{word.text}' is not an attribute of a {found.kind}")
        self.expression()
        return found

    def modifiers(self, end: str) -> tuple[bool, bool]:
        """signed, saturating in any order; stops before `end`."""
        words: list[str] = []
        while not self.at(end):
            word = self.name("'signed' or 'saturating'")
            if word.text not in ("signed", "saturating"):
                self.diagnostics.error(word.span, f"'{word.text}' is not an attribute: expected signed or saturating")
            words.append(word.text)
            if not self.accept(","):
                break
        return "signed" in words, "saturating" in words

    # --- actions -----------------------------------------------------------------------------------------------------

    def action(self, pragmas: Pragmas) -> ast.Action:
        name = self.name("the name of the action")
        self.expect("(")
        parameters = self.names_until(")")
        body: list[ast.Call] = []
        self.block(lambda: body.append(self._call()))
        return ast.Action(name, parameters, tuple(body), pragmas)

    def _call(self) -> ast.Call:
        """primitive(…); or instance.method(…); or field = expression;"""
        head = self.reference()
        if self.accept("="):
            value = self.expression()
            self.expect(";")
            return ast.Call(None, ast.Name("modify_field", head.span), (head, value), head.span)
        self.expect("(")
        arguments = self.expressions_until(")")
        self.expect(";")
        if isinstance(head, ast.FieldRef):
            return ast.Call(head.header.name, head.field, arguments, head.span)
        return ast.Call(None, head.name, arguments, head.span)

    def primitive(self, pragmas: Pragmas) -> ast.Primitive:
        name = self.name()
        self.expect("(")
        parameters = self.names_until(")")
        self.expect(";")
        return ast.Primitive(name, parameters, pragmas)

    def action_profile(self, pragmas: Pragmas) -> ast.ActionProfile:
        name = self.name()
        actions: tuple[ast.Name, ...] = ()
        size: ast.Expression | None = None
        selector: ast.Name | None = None

        def item() -> None:
            nonlocal actions, size, selector
            if self.accept("actions"):
                actions = self.name_list()
            elif self.accept("size"):
                self.expect(":")
                size = self.expression()
                self.expect(";")
            elif self.accept("dynamic_action_selection"):
                self.expect(":")
                selector = self.name()
                self.expect(";")
            else:
                raise self.failure("expected actions, size or dynamic_action_selection")

        self.block(item)
        return ast.ActionProfile(name, actions, size, selector, pragmas)

    def action_selector(self, pragmas: Pragmas) -> ast.ActionSelector:
        name = self.name()
        found: dict[str, ast.Name] = {}

        def item() -> None:
            word = self.name("an attribute")
            if word.text not in ("selection_key", "selection_mode", "selection_type"):
                self.diagnostics.error(word.span, f"'{word.text}' is not an attribute of an action selector")
            self.expect(":")
            found[word.text] = self.name()
            self.expect(";")

        self.block(item)
        return ast.ActionSelector(
            name, found.get("selection_key"), found.get("selection_mode"), found.get("selection_type"), pragmas
        )

    def name_list(self) -> tuple[ast.Name, ...]:
        """{ name; name; … }"""
        names: list[ast.Name] = []

        def item() -> None:
            names.append(self.name())
            self.expect(";")

        self.block(item)
        return tuple(names)

    # --- tables ------------------------------------------------------------------------------------------------------

    def table(self, pragmas: Pragmas) -> ast.Table:
        name = self.name("the name of the table")
        found = ast.Table(name, (), (), None, None, None, False, (), (), pragmas)

        def item() -> None:
            nonlocal found
            found = self._table_attribute(found)

        self.block(item)
        return found

    def _table_attribute(self, found: ast.Table) -> ast.Table:
        if self.at("reads") and self.ahead(1) == "{":
            self.take()
            reads: list[ast.Read] = []
            self.block(lambda: reads.append(self._read()))
            return replace(found, reads=found.reads + tuple(reads))
        if self.at("actions") and self.ahead(1) == "{":
            self.take()
            return replace(found, actions=found.actions + self.name_list())
        if self.at("const") and self.ahead(1) == "default_action":
            self.take()
            return replace(self._table_attribute(found), const_default=True)
        word = self.name("an attribute of the table")
        self.expect(":")
        if word.text == "default_action":
            found = replace(found, default_action=self.name("the name of an action"), default_arguments=None)
            if self.accept("("):
                arguments = self.expressions_until(")")
                found = replace(found, default_arguments=arguments)
        elif word.text == "action_profile":
            found = replace(found, profile=self.name("the name of an action profile"))
        else:
            value = self.expression()
            if word.text in _SIZES:
                found = replace(found, sizes=(*found.sizes, (word.text, value)))
            else:
                found = replace(found, properties=(*found.properties, (word, value)))
        self.expect(";")
        return found

    def _read(self) -> ast.Read:
        subject = self.reference()
        mask = self.expression() if self.accept("mask") else None
        self.expect(":")
        kind = self.name("a match kind")
        self.expect(";")
        return ast.Read(subject, mask, kind, subject.span)

    # --- control -----------------------------------------------------------------------------------------------------

    def control(self, pragmas: Pragmas) -> ast.Control:
        name = self.name("the name of the control function")
        return ast.Control(name, self._control_block(), pragmas)

    def _control_block(self) -> ast.Statements:
        statements: list[ast.Statement] = []
        self.deeper()
        self.block(lambda: statements.extend(self._statement()))
        self.depth -= 1
        return tuple(statements)

    def _statement(self) -> ast.Statements:
        if self.at("{"):
            return self._control_block()
        if self.at("if") and self.ahead(1) == "(":
            return (self._if(),)
        if self.at("apply") and self.ahead(1) == "(":
            return (self._apply(),)
        name = self.name("apply, if or the name of a control function")
        self.expect("(")
        self.expect(")")
        self.expect(";")
        return (ast.ControlCall(name, name.span),)

    def _if(self) -> ast.If:
        """A chain of else-if is read in a loop and folded from its end."""
        links: list[tuple[ast.Expression, ast.Statements, ast.Name]] = []
        depth = self.depth
        otherwise: ast.Statements = ()
        while True:
            start = self.name()
            self.expect("(")
            condition = self.expression()
            self.expect(")")
            self.deeper()  # each else-if is a level of the tree
            links.append((condition, self._statement(), start))
            if not self.accept("else"):
                break
            if not self.at("if"):
                otherwise = self._statement()
                break
        self.depth = depth
        condition, then, start = links.pop()
        found = ast.If(condition, then, otherwise, start.span)
        for condition, then, start in reversed(links):
            found = ast.If(condition, then, (found,), start.span)
        return found

    def _apply(self) -> ast.Apply:
        start = self.name()
        self.expect("(")
        table = self.name("the name of a table")
        self.expect(")")
        cases: list[ast.ApplyCase] = []
        if self.at("{"):
            self.block(lambda: cases.append(self._apply_case()))
        else:
            self.expect(";")
        return ast.Apply(table, tuple(cases), start.span)

    def _apply_case(self) -> ast.ApplyCase:
        labels = [self.name("hit, miss, default or the name of an action")]
        while self.accept(","):
            labels.append(self.name("the name of an action"))
        return ast.ApplyCase(tuple(labels), self._statement())

    # --- externs -----------------------------------------------------------------------------------------------------

    def extern_type(self, pragmas: Pragmas) -> ast.ExternType:
        name = self.name()
        attributes: list[ast.Name] = []
        methods: list[tuple[ast.Name, int]] = []

        def item() -> None:
            if self.accept("attribute"):
                attributes.append(self.name())
                self._balanced("{", "}")
            elif self.accept("method"):
                method = self.name()
                methods.append((method, self._balanced("(", ")")))
                if not self.accept(";"):
                    self._balanced("{", "}")
            else:
                raise self.failure("expected attribute or method")

        self.block(item)
        return ast.ExternType(name, tuple(attributes), tuple(methods), pragmas)

    def extern_instance(self, pragmas: Pragmas) -> ast.ExternInstance:
        type_, name = self.name("the name of an extern type"), self.name()
        attributes: list[ast.Name] = []

        def item() -> None:
            attributes.append(self.name())
            if self.at("{"):
                self._balanced("{", "}")
                return
            self.expect(":")
            while not self.at(";") and not self.at("}") and self.token.kind is not Kind.END:
                self.take()
            self.expect(";")

        if not self.accept(";"):
            self.block(item)
        return ast.ExternInstance(name, type_, tuple(attributes), pragmas)

    def _balanced(self, opening: str, closing: str) -> int:
        """Go past a bracketed text; gives the number of its comma-separated parts."""
        self.expect(opening)
        depth, parts, empty = 1, 1, True
        while depth and self.token.kind is not Kind.END:
            token = self.take()
            depth += (token.text == opening) - (token.text == closing)
            parts += token.text == "," and depth == 1
            empty = empty and token.text == closing
        if depth:
            raise self.failure(f"expected '{closing}'")
        return 0 if empty else parts
