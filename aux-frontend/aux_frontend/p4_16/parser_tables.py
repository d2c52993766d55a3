"""Tables: key, actions, entries, default action and other properties. P4-16 spec 1.2.5 section 14.2."""

from __future__ import annotations

from dataclasses import dataclass, field

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.lexer import Token
from aux_frontend.p4_16.parser_base import NAMES, SyntaxFailure
from aux_frontend.p4_16.parser_statements import StatementParser


@dataclass
class _Properties:
    """What a table said so far; `seen` keeps where, for the message about saying it twice."""

    keys: tuple[ast.KeyElement, ...] | None = None
    actions: tuple[ast.ActionRef, ...] | None = None
    entries: tuple[ast.Entry, ...] | None = None
    const_entries: bool = False
    default_action: ast.ActionRef | None = None
    const_default: bool = False
    others: list[ast.TableProperty] = field(default_factory=list)
    seen: dict[str, Token] = field(default_factory=dict)


class TableParser(StatementParser):
    def table(self, annotations: tuple[ast.Annotation, ...]) -> ast.TableDeclaration:
        """tableDeclaration: optAnnotations TABLE name "{" tableProperty { tableProperty } "}" """
        self.advance()
        name = self.name("the name of the table")
        self.declare(name.text)
        opening = self.expect("{", f"after the table '{name.text}'")
        found = _Properties()
        self.items(opening, lambda: self._property(found))
        return ast.TableDeclaration(
            name.span, annotations, name.text, found.keys, found.actions, found.entries, found.const_entries,
            found.default_action, found.const_default, tuple(found.others),
        )  # fmt: skip

    def _property(self, table: _Properties) -> None:
        """tableProperty: KEY "=" "{" { keyElement } "}" | ACTIONS "=" "{" { actionElement } "}"
        | optAnnotations optCONST ENTRIES "=" "{" { entry } "}" | optAnnotations optCONST name "=" initializer ";" """
        annotations = self.annotations()
        is_const = self.accept("const") is not None
        if self.kind not in NAMES:
            raise self.failure("a property of the table ('key', 'actions', 'default_action', …)")
        name = self.advance()
        if before := table.seen.get(name.text):
            note = (before.span, "it is already given here")
            self.diagnostics.error(name.span, f"the table has the property '{name.text}' twice", note)
        self._in_order(table, name)
        table.seen[name.text] = name
        self.expect("=", f"after the property '{name.text}'")
        if name.kind in ("key", "actions", "entries"):
            self._braced_property(table, name, is_const)
        elif name.text == "default_action":
            table.default_action, table.const_default = self._default_action(annotations), is_const
        else:
            value = self.expression()
            self.expect(";", f"after the property '{name.text}'")
            table.others.append(ast.TableProperty(name.span, annotations, name.text, is_const, value))

    def _in_order(self, table: _Properties, name: Token) -> None:
        """The action list comes before the default action, the key before the entries (spec 14.2.1.3, 14.2.1.4)."""
        later = {"actions": "default_action", "key": "entries"}.get(name.text, "")
        if (early := table.seen.get(later)) is not None:
            note = (name.span, f"'{name.text}' stands here")
            self.diagnostics.error(early.span, f"'{later}' must come after '{name.text}'", note)

    def _braced_property(self, table: _Properties, name: Token, is_const: bool) -> None:
        opening = self.expect("{", f"after '{name.text} ='")
        if is_const and name.kind != "entries":
            self.diagnostics.error(name.span, f"'const' cannot stand before '{name.text}'")
        if name.kind == "key":
            table.keys = tuple(self.items(opening, self._key_element))
        elif name.kind == "actions":
            table.actions = tuple(self.items(opening, self._action_element))
        else:
            table.entries, table.const_entries = tuple(self.items(opening, self._entry)), is_const

    def _key_element(self) -> ast.KeyElement:
        """keyElement: expression ":" name optAnnotations ";" """
        value = self.expression()
        colon = self.expect(":", "and a match kind after the key")
        kind = self.name_node("a match kind, such as 'exact', after ':'")
        annotations = self.annotations()
        self.expect(";", "after the key's match kind")
        return ast.KeyElement(value.span if value.span.file else colon.span, annotations, value, kind)

    def _action_element(self) -> ast.ActionRef:
        """optAnnotations actionRef ";" """
        annotations = self.annotations()
        found = self._action_ref(annotations)
        self.expect(";", "after the action")
        return found

    def _action_ref(self, annotations: tuple[ast.Annotation, ...]) -> ast.ActionRef:
        """actionRef: [ "." ] nonTypeName [ "(" argumentList ")" ]"""
        absolute = self.accept(".") is not None
        name = self.name("the name of an action")
        path = ast.Path(name.span, name.text, absolute)
        if self.kind != "(":
            return ast.ActionRef(name.span, annotations, path)
        return ast.ActionRef(name.span, annotations, ast.Call(name.span, path, (), self.arguments()))

    def _default_action(self, annotations: tuple[ast.Annotation, ...]) -> ast.ActionRef:
        value = self.expression()
        action = value.callee if isinstance(value, ast.Call) else value
        if not isinstance(action, ast.Path):
            self.diagnostics.error(value.span, "'default_action' must name an action, with its arguments if it has any")
            raise SyntaxFailure
        self.expect(";", "after 'default_action'")
        return ast.ActionRef(action.span, annotations, value)

    def _entry(self) -> ast.Entry:
        """entry: optCONST [ PRIORITY "=" ( INTEGER | "(" expression ")" ) ":" ] keyset ":" actionRef optAnnotations ";" """
        is_const = self.accept("const") is not None
        priority = None
        if self.kind == "priority" and self.peek().kind == "=":
            self.advance()
            self.advance()
            priority = self.primary_with_suffixes()
            self.expect(":", "after the priority")
        start = self.token
        keyset = self.keyset()
        self.expect(":", "and an action after the keys of the entry")
        action = self._action_ref(())
        annotations = self.annotations()
        self.expect(";", "after the entry")
        return ast.Entry(start.span, annotations, is_const, priority, keyset, action)
