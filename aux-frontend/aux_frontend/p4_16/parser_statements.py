"""Statements, and the declarations that stand among them. Grammar: P4-16 spec 1.2.5, appendix G."""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.parser_base import NAMES, SyntaxFailure
from aux_frontend.p4_16.parser_expressions import ExpressionParser
from aux_frontend.p4_16.parser_types import TYPE_WORDS
from transpiler.diagnostics import Span

_ASSIGNMENTS = frozenset({"=", "+=", "-=", "|+|=", "|-|=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="})
_LVALUES = (ast.Path, ast.Member, ast.Index, ast.SliceExpression, ast.This)


class StatementParser(ExpressionParser):
    def block(self, context: str, annotations: tuple[ast.Annotation, ...] = ()) -> ast.BlockStatement:
        """blockStatement: optAnnotations "{" { statementOrDeclaration } "}" """
        opening = self.expect("{", context)
        self.enter()
        self.push_scope()
        body: list[ast.Statement | ast.Declaration] = self.items(opening, self.statement_or_declaration)
        self.pop_scope()
        self.leave()
        return ast.BlockStatement(opening.span, annotations, tuple(body))

    def statement_or_declaration(self) -> ast.Statement | ast.Declaration:
        """statementOrDeclaration: variableDeclaration | constantDeclaration | statement"""
        annotations = self.annotations()
        if self.kind == "const":
            return self.constant(annotations)
        if self.at_variable():
            return self.variable(annotations)
        if self._at_instantiation():
            return self.instantiation(annotations)
        return self._statement(annotations)

    def statement(self, where: str) -> ast.Statement:
        """statement, where a declaration may not stand; `where` as in "after the condition"."""
        annotations = self.annotations()
        if self.kind == "const" or self.at_variable():
            self.report(f"a declaration cannot be the only statement {where}: put it between '{{' and '}}'")
            raise SyntaxFailure
        if self.kind in ("}", "else"):
            raise self.failure(f"a statement {where}")
        return self._statement(annotations)

    def _statement(self, annotations: tuple[ast.Annotation, ...]) -> ast.Statement:
        token = self.token
        match token.kind:
            case "{":
                return self.block("before the statements", annotations)
            case "for":
                return self._for(annotations)
        if annotations:
            at = annotations[0]
            self.diagnostics.error(at.span, f"the annotation '@{at.name}' cannot stand before this kind of statement")
        match token.kind:
            case ";":
                self.advance()
                return ast.EmptyStatement(token.span)
            case "if":
                return self._if()
            case "switch":
                return self._switch()
            case "return":
                self.advance()
                value = None if self.kind in (";", "}") else self.expression()
                self.expect(";", "after 'return'")
                return ast.ReturnStatement(token.span, value)
            case "exit" | "break" | "continue":
                self.advance()
                self.expect(";", f"after '{token.kind}'")
                if token.kind == "exit":
                    return ast.ExitStatement(token.span)
                return ast.BreakStatement(token.span) if token.kind == "break" else ast.ContinueStatement(token.span)
        found = self._assignment_or_call()
        self.expect(";", "after the assignment" if isinstance(found, ast.AssignmentStatement) else "after the call")
        return found

    def _assignment_or_call(self) -> ast.Statement:
        """lvalue assignment-operator expression | lvalue [ "<" typeArgumentList ">" ] "(" argumentList ")" """
        token = self.token
        if token.kind not in NAMES | TYPE_WORDS | {".", "this", "("}:
            raise self.failure("a statement")
        target = self.primary_with_suffixes()
        if self.kind in _ASSIGNMENTS:
            operator = self.advance()
            if not isinstance(target, _LVALUES):
                self.diagnostics.error(token.span, f"nothing can be assigned to what stands before '{operator.text}'")
            return ast.AssignmentStatement(operator.span, target, operator.text, self.expression())
        if isinstance(target, ast.Call):
            return ast.CallStatement(target.span, target)
        raise self.failure(f"'=', or '(' for a call, after '{self.tokens[self.index - 1].text}'")

    def _if(self) -> ast.Statement:
        """IF "(" expression ")" statement [ ELSE statement ]"""
        token = self.advance()
        self.enter()
        self.expect("(", "after 'if'")
        condition = self.expression()
        self.expect(")", "after the condition")
        then = self.statement("after the condition")
        otherwise = self.statement("after 'else'") if self.accept("else") else None
        self.leave()
        return ast.IfStatement(token.span, condition, then, otherwise)

    def _switch(self) -> ast.Statement:
        """SWITCH "(" expression ")" "{" { switchLabel ":" [ blockStatement ] } "}" """
        token = self.advance()
        self.enter()
        self.expect("(", "after 'switch'")
        subject = self.expression()
        self.expect(")", "after the expression of 'switch'")
        opening = self.expect("{", "before the cases of 'switch'")
        cases = self._join_labels(self.items(opening, self._switch_case))
        self.leave()
        return ast.SwitchStatement(token.span, subject, cases)

    def _switch_case(self) -> ast.SwitchLabelled:
        token = self.token
        label = ast.DefaultExpression(token.span) if self.accept("default") else self.expression()
        if self.kind in _ASSIGNMENTS or self.kind == ";":
            self.report("expected a label; the statements of a case must stand between '{' and '}'")
            raise SyntaxFailure
        self.expect(":", "after the label")
        body = self.block("after the label") if self.kind == "{" else None
        return ast.SwitchLabelled(token.span, (label,), body)

    @staticmethod
    def _join_labels(cases: list[ast.SwitchLabelled]) -> tuple[ast.SwitchLabelled, ...]:
        """Labels without a body share that of the next one; those at the end have none."""
        joined: list[ast.SwitchLabelled] = []
        waiting: list[ast.SwitchLabelled] = []
        for case in cases:
            waiting.append(case)
            if case.body is not None:
                labels = tuple(label for one in waiting for label in one.labels)
                joined.append(ast.SwitchLabelled(waiting[0].span, labels, case.body))
                waiting = []
        if waiting:
            labels = tuple(label for one in waiting for label in one.labels)
            joined.append(ast.SwitchLabelled(waiting[0].span, labels, None))
        return tuple(joined)

    def _for(self, annotations: tuple[ast.Annotation, ...]) -> ast.Statement:
        """FOR "(" init { "," init } ";" expression ";" update { "," update } ")" statement
        | FOR "(" ( typeRef name | nonTypeName ) IN expression [ ".." expression ] ")" statement"""
        token = self.advance()
        self.enter()
        self.push_scope()
        self.expect("(", "after 'for'")
        found = self._for_in(token.span, annotations) or self._for_three(token.span, annotations)
        self.pop_scope()
        self.leave()
        return found

    def _for_in(self, span: Span, annotations: tuple[ast.Annotation, ...]) -> ast.Statement | None:
        start = self.index
        self.annotations()  # of the variable: they mean nothing once it is known to be one
        typed = self.at_variable() and self.after_type(self.index, unknown=True)
        at = typed or self.index
        if self.tokens[min(at + 1, len(self.tokens) - 1)].kind != "in" or self.tokens[at].kind not in NAMES:
            self.jump(start)
            return None
        type_ref = self.type_ref() if typed else None
        name = self.name_node("the name of the variable")
        self.advance()
        collection = self.range_after(self.expression())
        if type_ref is not None:
            self.declare(name.text)
        self.expect(")", "after what 'for' goes over")
        body = self.statement("after 'for (…)'")
        return ast.ForInStatement(span, annotations, type_ref, name, collection, body)

    def _for_three(self, span: Span, annotations: tuple[ast.Annotation, ...]) -> ast.Statement:
        init: list[ast.Statement | ast.Declaration] = []
        while self.kind != ";":
            inner = self.annotations()
            init.append(self.variable(inner, ends=False) if self.at_variable() else self._assignment_or_call())
            if not self.accept(","):
                break
        self.expect(";", "or 'in' after the first part of 'for'")
        condition = self.expression()
        self.expect(";", "after the condition of 'for'")
        update: list[ast.Statement] = []
        while self.kind != ")":
            update.append(self._assignment_or_call())
            if not self.accept(","):
                break
        self.expect(")", "after the last part of 'for'")
        body = self.statement("after 'for (…)'")
        return ast.ForStatement(span, annotations, tuple(init), condition, tuple(update), body)

    # --- declarations among statements

    def at_variable(self) -> bool:
        """A type and then a name. An undeclared name counts as a type there, so that the message can say that it is none."""
        close = self.after_type(self.index, unknown=True)
        return close > 0 and self.tokens[close].kind in NAMES

    def _at_instantiation(self) -> bool:
        close = self.after_type(self.index)
        if close <= 0 or self.tokens[close].kind != "(" or self.kind == "error":
            return False
        close = self.after_bracket(close)
        return close > 0 and self.tokens[close].kind in NAMES

    def constant(self, annotations: tuple[ast.Annotation, ...]) -> ast.ConstDeclaration:
        """constantDeclaration: optAnnotations CONST typeRef name "=" initializer ";" """
        self.advance()
        type_ref = self.type_ref("the type of the constant")
        name = self.name("the name of the constant")
        self.expect("=", f"and a value after the constant '{name.text}'")
        value = self.expression()
        self.expect(";", f"after the constant '{name.text}'")
        self.declare(name.text)
        return ast.ConstDeclaration(name.span, annotations, name.text, type_ref, value)

    def variable(self, annotations: tuple[ast.Annotation, ...], ends: bool = True) -> ast.VariableDeclaration:
        """variableDeclaration: optAnnotations typeRef name [ "=" initializer ] ";" """
        type_ref = self.type_ref()
        name = self.name("the name of the variable")
        type_ref = self.array_suffix(type_ref)
        initializer = self.expression() if self.accept("=") else None
        if ends:
            self.expect(";", f"after the variable '{name.text}'")
        self.declare(name.text)
        return ast.VariableDeclaration(name.span, annotations, name.text, type_ref, initializer)

    def instantiation(self, annotations: tuple[ast.Annotation, ...]) -> ast.Instantiation:
        """instantiation: optAnnotations typeRef "(" argumentList ")" name [ "=" objInitializer ] ";" """
        return self.instance_of(self.type_ref(), annotations)

    def instance_of(self, type_ref: ast.TypeRef, annotations: tuple[ast.Annotation, ...]) -> ast.Instantiation:
        arguments = self.arguments()
        name = self.name("the name of the instance")
        type_ref = self.array_suffix(type_ref)
        self.declare(name.text)
        initializer = None
        if self.accept("="):
            initializer = self.object_initializer()
        self.expect(";", f"after the instance '{name.text}'")
        return ast.Instantiation(name.span, annotations, name.text, type_ref, arguments, initializer)

    def object_initializer(self) -> tuple[ast.Declaration, ...]:
        """objInitializer: "{" { functionDeclaration | instantiation } "}" """
        opening = self.expect("{", "before the methods of the instance")
        return tuple(self.items(opening, self._object_declaration))

    def _object_declaration(self) -> ast.Declaration:
        annotations = self.annotations()
        type_ref = self.type_ref("a method or an instance")
        if self.kind == "(":
            return self.instance_of(type_ref, annotations)
        return self.function(type_ref, annotations)

    def function(self, result: ast.TypeRef, annotations: tuple[ast.Annotation, ...]) -> ast.FunctionDeclaration:
        """functionDeclaration: optAnnotations typeOrVoid name optTypeParameters "(" parameterList ")" blockStatement"""
        name = self.name("a name after the type")
        self.declare(name.text)
        self.push_scope()
        type_parameters = self.type_parameters()
        if self.kind in ("=", ";") and not type_parameters:
            self.report(
                f"a variable cannot be declared here: '{name.text}' needs a control, a parser or an action around it"
            )
            raise SyntaxFailure
        parameters = self.parameters(f"the function '{name.text}'")
        body = self.block(f"before the body of '{name.text}'")
        self.pop_scope()
        return ast.FunctionDeclaration(name.span, annotations, name.text, type_parameters, parameters, result, body)

    def parameters(self, owner: str) -> tuple[ast.Parameter, ...]:
        """ "(" [ parameter { "," parameter } ] ")" """
        self.expect("(", f"before the parameters of {owner}")
        found: list[ast.Parameter] = []
        while self.kind != ")":
            found.append(self._parameter())
            if not self.accept(","):
                break
        self.expect(")", f"or ',' after a parameter of {owner}" if found else f"after the parameters of {owner}")
        return tuple(found)

    def _parameter(self) -> ast.Parameter:
        """optAnnotations [ IN | OUT | INOUT ] typeRef name [ "=" expression ]"""
        annotations = self.annotations()
        direction = self.advance().text if self.kind in ("in", "out", "inout") else ""
        type_ref = self.type_ref("the type of a parameter")
        name = self.name("the name of a parameter")
        default = self.expression() if self.accept("=") else None
        self.declare(name.text)
        return ast.Parameter(name.span, annotations, name.text, direction, type_ref, default)
